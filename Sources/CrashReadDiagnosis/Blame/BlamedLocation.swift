public import CrashReadDebugInfo
internal import CrashReadReports
public import CrashReadSymbolication

extension Diagnosis {
  /// The function to look at first, as debug files have it; nil when none names it.
  public var blamedFunction: SourceFrame? {
    guard let blamed, let index = blamed.location, let frame = frame(blamed) else { return nil }
    return frame.locations.indices.contains(index) ? frame.locations[index] : nil
  }

  /// The name of the function to look at first: that of a debug file, else the one the report states; nil when nothing
  /// names it.
  public var blamedName: String? {
    blamedFunction?.function ?? blamed.flatMap { frame($0)?.functionNames.first }
  }

  /// The source line to look at first: that of a debug file, else the one the report states; nil when none is known.
  public var blamedLocation: SourceLocation? {
    guard let blamed, let frame = frame(blamed) else { return nil }
    return blamedFunction?.location ?? frame.reportedLocation
  }

  /// The frames among which the blamed one is, or else those of the thread to look at first; innermost first.
  public var principalFrames: [ResolvedFrame] { signatureFrames(symbolicated, blamed) }
}

extension ResolvedFrame {
  /// The source line the report itself states for the frame; nil when it states none, or one known to be wrong.
  public var reportedLocation: SourceLocation? {
    guard let file = captured.reportedFile, reason != .superseded else { return nil }
    return SourceLocation(file: file, line: captured.reportedLine)
  }

  /// The source lines of the frame's functions, innermost first: those of a debug file, else the report's.
  public var sourceLocations: [SourceLocation] {
    locations.isEmpty ? [reportedLocation].compactMap { $0 } : locations.compactMap(\.location)
  }
}
