internal import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadReports

extension SymbolicatedReport {
  /// The variables of each function of a frame, in the order of its `locations`.
  ///
  /// A report states the registers at the thread's program counter. They are valid in frame 0 and the functions inlined
  /// there; those of callers aren't recorded, so only constants have a value there. Empty when no debug file was used
  /// for the frame, or only one whose identity isn't proven.
  ///
  /// `frame` indexes the thread's resolved frames, `thread` the report's threads; nil is the exception backtrace.
  /// `faultAddress` is the address that could not be accessed; nil for other crashes.
  /// With `registers`, only these are treated as known.
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

  /// The variables of the functions of frame 0 at another of their instructions; the context has the contents of
  /// registers and memory there.
  package func variables(at address: UInt64, thread: Int, _ context: VariableContext) -> [Variable] {
    guard let (file, slide) = stoppingFile(of: thread) else { return [] }
    var context = context
    context.slide = slide
    return Array(file.variables(at: LinkedAddress(address &- slide), in: context).joined())
  }

  /// The source lines of code around frame 0; nil for code without one.
  package func sourceLocations(of addresses: [UInt64], thread: Int) -> [SourceLocation?] {
    guard let (file, slide) = stoppingFile(of: thread) else { return addresses.map { _ in nil } }
    return file.frames(at: addresses.map { LinkedAddress($0 &- slide) }).map { $0.first?.location }
  }

  /// The debug file of frame 0, and its slide.
  private func stoppingFile(of thread: Int) -> (DebugFile, slide: UInt64)? {
    guard let frame = frames(of: thread).first, frame.resolution == .debugInfo, !frame.isGuess,
      let image = frame.image, debugFiles.indices.contains(image), let file = debugFiles[image]
    else { return nil }
    return (file, slide(of: image, file))
  }

  /// The start of the function that contains a closure without a line of its own.
  ///
  /// The Swift compiler emits no line for the autoclosures of `assert(x)` and `a && b`.
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

  /// The registers that belong to a frame; nil for none. A report states those of the thread's innermost frame, at
  /// exactly the program counter.
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

  /// The slide: the difference between addresses in the process and linked addresses.
  private func slide(of image: Int, _ file: DebugFile) -> UInt64 {
    report.images[image].start.rawValue &- file.slice.linkedBase.rawValue
  }
}

extension CrashReport {
  /// Registers whose values the reporter has swapped.
  ///
  /// The Swift runtime (6.3, `Context.swift`) reads the registers of Linux on x86_64 from the wrong fields, swapping
  /// `rdi` with `rsi` and `rbx` with `rdx`, as the two reports of the sample `swift-trap` show. A later version may fix
  /// that, so none of the four is used.
  package var mistakenRegisters: [String] {
    let isSwift = format == .swiftText || format == .swiftJSON
    return isSwift && architecture == .x86_64 ? ["rdi", "rsi", "rbx", "rdx"] : []
  }
}

/// The frames of one physical call: those that the report lists as inlined, and the one they were inlined into.
private struct InlineGroup {
  let first: Int
  /// The frame that isn't inlined.
  let real: Int

  /// Nil when the list ends before the frame that isn't inlined.
  init?(around frame: Int, in frames: [ResolvedFrame]) {
    guard let real = frames[frame...].firstIndex(where: { !$0.captured.isInlined }) else { return nil }
    let others = frames[..<real].reversed().prefix {
      $0.captured.isInlined && $0.captured.address == frames[real].captured.address
    }
    first = real - others.count
    guard first <= frame else { return nil }
    self.real = real
  }

  /// The part of a whole inline chain that belongs to one frame; empty when the frames show another chain.
  func part(of chain: [[Variable]], for frame: Int, in frames: [ResolvedFrame]) -> [[Variable]] {
    let counts = frames[first...real].map(\.locations.count)
    guard counts.reduce(0, +) == chain.count else { return [] }
    let start = counts[..<(frame - first)].reduce(0, +)
    return Array(chain[start..<start + counts[frame - first]])
  }
}
