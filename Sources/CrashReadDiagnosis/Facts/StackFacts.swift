internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension CrashFacts {
  /// Adds facts about whole stacks: a recursion, a running test, the number of threads in the same function.
  mutating func addStacks(_ symbolicated: SymbolicatedReport) {
    addDepth(symbolicated)
    addRecursion(symbolicated)
    addFirstFrame(symbolicated)
    addTest(symbolicated)
    addThreadCounts(symbolicated)
    addExitHandler(symbolicated)
    addReturnText(symbolicated)
  }

  /// Adds the text that was written over a return address on the crashed thread's stack.
  private mutating func addReturnText(_ symbolicated: SymbolicatedReport) {
    guard has(.kind, "crash"), let thread = symbolicated.report.crashedThread,
      symbolicated.threads.indices.contains(thread)
    else { return }
    for (index, frame) in symbolicated.threads[thread].enumerated().dropFirst() where frame.image == nil {
      guard let address = frame.captured.address?.rawValue,
        let text = spelledText(address, is64Bit: true), text.utf8.count == 8
      else { continue }
      return set(.returnText, text, Evidence(.frame(index, ofThread: thread), address))
    }
  }

  /// The minimum number of repetitions that are stated; shallower recursions are normal.
  private static let minimumRepetitions = 8
  /// The minimum number that is evidence beside a fault where stacks end: reporters show only the first frames.
  private static let minimumTurns = 3
  /// The number of a list's first frame from which on it is taken for the middle of a recursion if all of it repeats.
  private static let deepFrame = 100
  /// More frames than any stack has room for; a report may state any number.
  private static let maximumFrameCount = 1 << 32

  /// Adds what `exit` had called on the crashed thread: a static object's destructor, or a function given to `atexit`.
  private mutating func addExitHandler(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    let frames = symbolicated.threads[thread]
    guard let exit = frames.firstIndex(where: { $0.hasFunction { $0.hasPrefix("__cxa_finalize") } }),
      exit > 0,
      let handler = symbolicated.function(ofFrame: exit - 1, thread: thread)
    else { return }
    values[.exitHandler] = handler
  }

  private mutating func addDepth(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread),
      let index = symbolicated.threads[thread].indices.last,
      let number = symbolicated.threads[thread][index].captured.number, number > 0
    else { return }
    let evidence = Evidence(.frame(index, ofThread: thread), String(number))
    numbers[.depth] = Fact(UInt64(number), evidence)
    set(.depth, String(number), evidence)
  }

  /// Adds the number at which a list begins that lacks the frames which stopped the program.
  private mutating func addFirstFrame(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread),
      case let frames = symbolicated.threads[thread], frames.lacksStop, frames.count > 1,
      numbers[.repetitions] == nil, let number = frames.first?.captured.number
    else { return }
    set(.firstFrame, String(number), Evidence(.frame(0, ofThread: thread), String(number)))
  }

  private mutating func addRecursion(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    let frames = symbolicated.threads[thread]
    let cycles = FrameCycle.all(in: frames, minimumRepetitions: Self.minimumTurns)
    // A list that begins deep in the thread was pasted without the earlier repetitions.
    let first = min(frames.first?.captured.number ?? 0, Self.maximumFrameCount)
    let part = first >= Self.deepFrame ? FrameCycle.containing(frames) : nil
    guard let cycle = cycles.max(by: { $0.range.count < $1.range.count }) ?? part else { return }
    let repetition = cycle.start..<cycle.start + cycle.length
    let named = repetition.lazy.compactMap { symbolicated.function(ofFrame: $0, thread: thread) }.first
    let evidence = named?.evidence ?? Evidence(.frame(cycle.start, ofThread: thread), "")
    let before = cycle.start == 0 ? first / cycle.length : 0
    // A reporter leaves frames out only where they repeat; with several recursions, it is unknown which.
    let stated = cycles.count == 1 ? omittedFrameCount(of: thread, symbolicated.report) : 0
    let unnumbered = Self.missingNumbers(in: frames[cycle.range.clamped(to: frames.indices)])
    let omitted = min(max(stated, unnumbered), Self.maximumFrameCount)
    let repetitions = cycle.repetitions + omitted / cycle.length
    numbers[.repetitions] = Fact(UInt64(before + repetitions), evidence)
    guard repetitions >= Self.minimumRepetitions || part != nil else { return }
    recursion = repetition.clamped(to: frames.indices)
    let isTruncated = frames.contains { [.omitted, .truncated].contains($0.captured.kind) }
    let omitsFrames = isTruncated || before > 0 || omitted > 0
    set(omitsFrames ? .minimumRepetitions : .repetitions, String(repetitions), evidence)
    var names: [String] = []
    for frame in frames[repetition.clamped(to: frames.indices)] {
      guard let name = frame.locations.last?.function ?? frame.functionSymbol, !names.contains(name)
      else { continue }
      names.append(name)
    }
    guard !names.isEmpty else { return }
    let shown = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", …" : "")
    set(names.count == 1 ? .recursiveFunction : .recursiveFunctions, shown, evidence)
  }

  /// Adds that the functions of the recursion only release objects: one owner after the other goes, each inside the
  /// `dealloc` or `deinit` of the one before.
  mutating func addReleaseChain(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    guard isMemoryFault || isEndUnstated, let recursion, let thread = symbolicated.report.crashedThread,
      symbolicated.threads.indices.contains(thread)
    else { return }
    let frames = symbolicated.threads[thread]
    guard let first = recursion.first,
      recursion.allSatisfy({ index in
        frames[index].hasFunction(in: knowledge.roles.releasers)
          // What Swift's runtime calls here destroys the object, whatever the debugger calls it.
          || index + 1 < frames.count && frames[index + 1].hasFunction { $0 == "_swift_release_dealloc" }
      })
    else { return }
    let name = frames[first].functionNames.first ?? ""
    set(.releaseChain, name, Evidence(.frame(first, ofThread: thread), name))
  }

  /// How many rows between the first and the last of these a copy of the report left out, by the rows' numbers.
  private static func missingNumbers(in frames: ArraySlice<ResolvedFrame>) -> Int {
    guard let first = frames.first?.captured.number, let last = frames.last?.captured.number,
      first >= 0, first <= last
    else { return 0 }
    return max(0, last - first - (frames.count - 1))
  }

  private func omittedFrameCount(of thread: Int, _ report: CrashReport) -> Int {
    report.threads.indices.contains(thread) ? report.threads[thread].omittedFrameCount ?? 0 : 0
  }

  /// The running test, on the stack of the exception or of the thread to examine first.
  private mutating func addTest(_ symbolicated: SymbolicatedReport) {
    let thread = symbolicated.report.principalThread.map { BacktraceReference.thread($0) }
    for backtrace in [.lastException, thread].compactMap(\.self) {
      guard let found = runningTest(in: symbolicated.frames(of: backtrace)) else { continue }
      test = found.name
      let evidence = Evidence(.frame(FrameReference(backtrace, found.frame)), found.function)
      return set(.test, Evidence.shortened(found.name.description), evidence)
    }
  }

  /// Adds the number of threads, and the number of those in the same function.
  private mutating func addThreadCounts(_ symbolicated: SymbolicatedReport) {
    let count = symbolicated.threads.count
    let evidence = Evidence(.field(.threadCount), String(count))
    numbers[.threads] = Fact(UInt64(count), evidence)
    set(.threads, String(count), evidence)
    var alike: [String: Int] = [:]
    for frames in symbolicated.threads {
      guard let name = frames.first(where: \.isInApp)?.functionNames.first else { continue }
      alike[name, default: 0] += 1
    }
    // Ties are broken by name, so that the same report always gives the same text.
    guard let mostCommon = alike.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), mostCommon.value > 1
    else {
      return
    }
    set(.alike, String(mostCommon.value), evidence)
    set(.crowdedFunction, Evidence.shortened(mostCommon.key), evidence)
  }
}
