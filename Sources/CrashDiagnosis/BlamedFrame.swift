internal import CrashReports
internal import DebugInfo
internal import Symbolication

extension BlamedFrame {
  /// Chooses the frame to look at first; nil when there is none to name.
  ///
  /// The first frame of the app's own code, in the exception's backtrace before the crashed thread's; else the first
  /// that has a line. Functions that only raise or report the error are passed over.
  init?(in symbolicated: SymbolicatedReport, facts: CrashFacts, knowledge: Knowledge) {
    let backtraces = Self.backtraces(symbolicated, facts)
    let choices: [(ResolvedFrame) -> Bool] = [
      { $0.mayBeApp && $0.hasOwnFunction(knowledge) },
      { $0.isInApp },
      { $0.bestLocation(knowledge) != nil },
    ]
    for isChosen in choices {
      for (thread, frames) in backtraces {
        let index = frames.firstIndex { $0.reason != .superseded && isChosen($0) }
        guard let index else { continue }
        self.init(thread: thread, frame: index, location: frames[index].bestLocation(knowledge))
        return
      }
    }
    return nil
  }

  /// Backtraces to search, in order, each with the index of its thread.
  private static func backtraces(
    _ symbolicated: SymbolicatedReport, _ facts: CrashFacts
  ) -> [(Int?, [ResolvedFrame])] {
    var backtraces: [(Int?, [ResolvedFrame])] = []
    // A fault or a kill has its own place, even in a program that handled an exception before.
    if !facts.isMemoryFault, !facts.has(.exception, "SIGKILL") {
      backtraces.append((nil, symbolicated.lastExceptionBacktrace))
    }
    if let thread = symbolicated.report.principalThread ?? (facts.isWatchdogKill ? 0 : nil),
      symbolicated.threads.indices.contains(thread)
    {
      backtraces.append((thread, symbolicated.threads[thread]))
    }
    return backtraces
  }
}

extension CrashFacts {
  /// Whether the process was ended because its main thread didn't answer, so that this thread is the one to look at.
  fileprivate var isWatchdogKill: Bool { numbers[.terminationCode]?.value == 0x8bad_f00d }
}

extension ResolvedFrame {
  /// Whether a person wrote code for this frame, as far as names tell.
  func hasOwnFunction(_ knowledge: Knowledge) -> Bool {
    if isGenerated { return false }
    let names = functionNames
    return names.isEmpty || names.contains { knowledge.isOwnFunction($0) }
  }

  /// Whether the frame is the app's, or could be: sanitizers print the source line in the image's place.
  fileprivate var mayBeApp: Bool { isInApp || image == nil && captured.reportedLine != nil }

  /// Whether the frame is code that the compiler made up.
  private var isGenerated: Bool {
    if locations.isEmpty { return captured.reportedFile?.hasSuffix("<compiler-generated>") ?? false }
    return captured.isInlined && locations.allSatisfy { $0.location?.isGenerated ?? false }
  }

  /// The innermost location with a line in a real file, as an index; without any, the innermost own function.
  func bestLocation(_ knowledge: Knowledge) -> Int? {
    let own = locations.indices.filter { knowledge.isOwnFunction(locations[$0].function ?? "") }
    let withLine = own.first { locations[$0].location.map(\.isReal) ?? false }
    return withLine ?? (isInApp ? own.first : nil)
  }
}

extension SourceLocation {
  /// Whether a person can open it.
  fileprivate var isReal: Bool { line != nil && !file.isEmpty && !isGenerated }
}

extension Knowledge {
  /// Whether a function is neither machinery nor a thunk.
  func isOwnFunction(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return !machinery.contains { $0.match(bytes) != nil } && !thunks.contains { $0.match(bytes) != nil }
  }
}
