internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication

extension CrashFacts {
  /// Adds what whole stacks tell: a recursion, a test that runs, how many threads do the same.
  mutating func addStacks(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    addRecursion(symbolicated)
    addTest(symbolicated, knowledge)
    addCrowd(symbolicated)
  }

  /// A crash some calls deep in a recursion is nothing special.
  private static let fewestTurns = 8

  private mutating func addRecursion(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    let frames = symbolicated.threads[thread]
    let cycles = FrameCycle.all(in: frames, minimumTurns: Self.fewestTurns)
    guard let cycle = cycles.max(by: { $0.range.count < $1.range.count }) else { return }
    let turn = cycle.start..<cycle.start + cycle.length
    let lines = turn.compactMap { frameLine(thread, $0, symbolicated) }
    let evidence = lines.first?.evidence ?? "Threads: \(thread)"
    numbers[.turns] = FactNumber(value: UInt64(cycle.turns), evidence: evidence)
    values["turns"] = String(cycle.turns)
    var names: [String] = []
    for frame in frames[turn] {
      guard let name = frame.locations.last?.function ?? frame.functionSymbol, !names.contains(name)
      else { continue }
      names.append(name)
    }
    guard !names.isEmpty else { return }
    let shown = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", …" : "")
    set(names.count == 1 ? "recursiveFunction" : "recursiveFunctions", shown, evidence: evidence)
  }

  /// The test that runs: the outermost function of the app that a test runner called.
  private mutating func addTest(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    var stacks = [("Exception Backtrace", symbolicated.lastExceptionBacktrace)]
    if let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) {
      stacks.append(("Thread \(thread)", symbolicated.threads[thread]))
    }
    for (label, frames) in stacks {
      guard let test = outermostTestFrame(frames, knowledge),
        let name = frames[test].functionNames.last(where: { knowledge.isOwnFunction($0) })
      else { continue }
      set("test", Template.shortened(name), evidence: "\(label), frame \(test): \(Template.shortened(name))")
      return
    }
  }

  /// The last frame of the app before the runner's; a failed expectation shows some of the runner's at the top, too.
  private func outermostTestFrame(_ frames: [ResolvedFrame], _ knowledge: Knowledge) -> Int? {
    var test: Int?
    // Runners are called near the start of a thread.
    for (index, frame) in zip(frames.indices, frames).suffix(128) {
      let isRunner = frame.functionNames.contains { name in
        knowledge.testRunners.contains { $0.match(Array(name.utf8)) != nil }
      }
      if isRunner {
        if test != nil { return test }
      } else if frame.isInApp, frame.hasOwnFunction(knowledge) {
        test = index
      }
    }
    return nil
  }

  /// How many threads there are, and how many of them stand in the same function.
  private mutating func addCrowd(_ symbolicated: SymbolicatedReport) {
    let count = symbolicated.threads.count
    numbers[.threads] = FactNumber(value: UInt64(count), evidence: "Threads: \(count)")
    values["threads"] = String(count)
    var alike: [String: Int] = [:]
    for frames in symbolicated.threads {
      guard let name = frames.first(where: \.isInApp)?.functionNames.first else { continue }
      alike[name, default: 0] += 1
    }
    // Names decide between equals, so that the same report always gives the same words.
    guard let most = alike.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value > 1 else {
      return
    }
    values["alike"] = String(most.value)
    set("crowdedFunction", Template.shortened(most.key), evidence: "Threads: \(count)")
  }
}
