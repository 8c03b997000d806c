internal import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadReports

extension SymbolicatedReport {
  /// The variables of each function of a frame, in the order of its `locations`.
  ///
  /// A report states the registers of the place where the thread was. They hold in frame 0 and the functions inlined
  /// there; what they were in a caller nobody recorded, so there only constants have a value. Empty when no debug file
  /// was used for the frame, or only one whose identity isn't proven.
  ///
  /// `frame` counts in the thread's resolved frames, and `thread` in the report's threads; nil is the exception backtrace.
  /// `faultAddress` is the address that the program could not reach; nil when it failed otherwise.
  /// With `registers` only these count as known.
  package func variables(
    ofFrame frame: Int, thread: Int?, faultAddress: UInt64?, registers: Set<String>? = nil
  ) -> [[Variable]] {
    let frames = frames(of: thread)
    guard frames.indices.contains(frame), frames[frame].resolution == .debugInfo, !frames[frame].isGuess,
      let group = InlineGroup(around: frame, in: frames), let image = frames[group.real].image,
      debugFiles.indices.contains(image), let file = debugFiles[image],
      let address = frames[group.real].lookup
    else { return [] }
    var context = VariableContext(slide: slide(of: image, file), faultAddress: nil)
    if let state = state(ofThread: thread, group, frames) {
      context.registers = Dictionary(state.registers.map { ($0.name, $0.value) }) { first, _ in first }
      for name in report.mistakenRegisters { context.registers[name] = nil }
      if let registers { context.registers = context.registers.filter { registers.contains($0.key) } }
      context.faultAddress = faultAddress
    }
    let chain = file.variables(at: address, in: context)
    return group.part(of: chain, for: frame, in: frames)
  }

  /// The function in which a closure was written that has no line of its own, at its beginning.
  ///
  /// The Swift compiler gives no line to what `assert(x)` and `a && b` make closures of.
  package func function(around frame: ResolvedFrame) -> SourceFrame? {
    guard let image = frame.image, debugFiles.indices.contains(image), let file = debugFiles[image],
      let closure = frame.locations.last?.linkageName, closure.hasPrefix("$s"),
      frame.locations.allSatisfy({ $0.location?.isGenerated ?? true }),
      frame.locations.contains(where: { $0.function?.holds("closure #") ?? false })
    else { return nil }
    return file.function(around: closure)
  }

  private func frames(of thread: Int?) -> [ResolvedFrame] {
    guard let thread else { return lastExceptionBacktrace }
    return threads.indices.contains(thread) ? threads[thread] : []
  }

  /// The registers, when they are those of a frame: the thread's first, at the very address of its program counter.
  private func state(
    ofThread thread: Int?, _ group: InlineGroup, _ frames: [ResolvedFrame]
  ) -> ThreadState? {
    let captured = frames[group.real].captured
    guard let thread, group.first == 0, captured.kind == .programCounter, let address = captured.address,
      let state = report.threads[thread].state, let counter = state.programCounter
    else { return nil }
    let architecture = report.architecture
    let isSame =
      architecture?.strippedCodeAddress(counter) ?? counter
      == architecture?.strippedCodeAddress(address.rawValue) ?? address.rawValue
    return isSame ? state : nil
  }

  /// What to add to a linked address to get the process's.
  private func slide(of image: Int, _ file: DebugFile) -> UInt64 {
    report.images[image].start.rawValue &- file.slice.linkedBase.rawValue
  }
}

extension CrashReport {
  /// Registers whose values the reporter has mixed up.
  ///
  /// The Swift runtime (6.3, `Context.swift`) takes the registers of Linux on x86_64 from the wrong places and gives `rdi`
  /// the value of `rsi`, `rbx` that of `rdx`, and the other way round. It can be seen in the two reports of the sample
  /// `swift-trap`. As a later version may set that right, the four aren't used.
  package var mistakenRegisters: [String] {
    let isSwift = format == .swiftText || format == .swiftJSON
    return isSwift && architecture == .x86_64 ? ["rdi", "rsi", "rbx", "rdx"] : []
  }
}

/// The frames of one real call: those that the report lists as inlined, and the one they were inlined into.
private struct InlineGroup {
  let first: Int
  /// The frame that isn't inlined.
  let real: Int

  /// nil when the list ends before the real frame.
  init?(around frame: Int, in frames: [ResolvedFrame]) {
    guard let real = frames[frame...].firstIndex(where: { !$0.captured.isInlined }) else { return nil }
    let others = frames[..<real].reversed().prefix {
      $0.captured.isInlined && $0.captured.address == frames[real].captured.address
    }
    first = real - others.count
    guard first <= frame else { return nil }
    self.real = real
  }

  /// What of a whole chain belongs to one frame; nothing when the frames show another chain.
  func part(of chain: [[Variable]], for frame: Int, in frames: [ResolvedFrame]) -> [[Variable]] {
    let counts = frames[first...real].map(\.locations.count)
    guard counts.reduce(0, +) == chain.count else { return [] }
    let start = counts[..<(frame - first)].reduce(0, +)
    return Array(chain[start..<start + counts[frame - first]])
  }
}
