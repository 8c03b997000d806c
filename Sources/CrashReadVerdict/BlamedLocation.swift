public import CrashReadDebugInfo
internal import CrashReadReports
public import CrashReadSymbolication

extension Diagnosis {
  /// The blamed function in debug files; nil when none names it.
  public var blamedFunction: SourceFrame? {
    if let enclosingFunction { return enclosingFunction }
    guard let blamed, let index = blamed.location, let frame = frame(blamed) else { return nil }
    return frame.locations.indices.contains(index) ? frame.locations[index] : nil
  }

  /// The name of the blamed function: from a debug file, otherwise from the report; nil when unknown.
  public var blamedName: String? {
    blamedFunction?.function ?? blamed.flatMap { frame($0)?.functionNames.first }
  }

  /// The blamed source line: from a debug file, otherwise from the report; nil when unknown.
  public var blamedLocation: SourceLocation? {
    guard let blamed, let frame = frame(blamed) else { return statedLocation }
    let own = blamedFunction?.location ?? frame.reportedLocation
    let isKnown = own?.line != nil && own?.isGenerated == false && enclosingFunction == nil
    return isKnown ? own : statedLocation ?? own
  }

  /// Whether the blamed line is only the first one of the blamed function.
  package var blamesFunctionStart: Bool { enclosingFunction != nil && statedLocation == nil }

  /// The frames that include the blamed one, otherwise those of the thread to look at first; innermost first.
  public var principalFrames: [ResolvedFrame] { symbolicated.principalFrames(blamed) }
}

extension SymbolicatedReport {
  /// The backtrace of the blamed frame, else that of the crashed thread.
  package func principalFrames(_ blamed: BlamedFrame?) -> [ResolvedFrame] {
    if let blamed { return frames(of: blamed.backtrace) }
    guard let thread = report.principalThread, threads.indices.contains(thread) else { return [] }
    return threads[thread]
  }
}

extension ResolvedFrame {
  /// The source line that the report itself states for the frame; nil when it has none, or a wrong one.
  public var reportedLocation: SourceLocation? {
    guard let file = captured.reportedFile, reason != .superseded else { return nil }
    return SourceLocation(file: file, line: captured.reportedLine)
  }

  /// The source lines of the frame's functions, innermost first: from a debug file, otherwise from the report.
  public var sourceLocations: [SourceLocation] {
    locations.isEmpty ? [reportedLocation].compactMap { $0 } : locations.compactMap(\.location)
  }
}
