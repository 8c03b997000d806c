internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication

/// One function of a frame, as it is written back to a report.
struct WrittenFunction {
  var name: String
  /// The offset from the function's start; nil when unknown.
  var offset: UInt64?
  /// The file's name and the line, 0 for compiler-generated code.
  var source: (file: String, line: Int)?
  var isInlined: Bool
  /// Whether the name was learned from other reports.
  var isLearned = false

  /// `name + 4 (File.swift:17) [inlined]`, as Apple's tools write it.
  var text: String {
    reportLine(
      name + (offset.map { " + \($0)" } ?? "") + (source.map { " (\($0.file):\($0.line))" } ?? "")
        + (isInlined ? " [inlined]" : "") + (isLearned ? " [learned]" : ""))
  }
}

extension ResolvedFrame {
  /// The functions that debug files give for the frame, innermost first; empty to keep the report's own text.
  var writtenFunctions: [WrittenFunction] {
    // For a frame that the report lists as inlined, only its own function is used.
    guard !isRecovered, !captured.isInlined || locations.count == 1,
      locations.allSatisfy({ $0.function ?? $0.linkageName != nil })
    else { return [] }
    return locations.map { location in
      WrittenFunction(
        name: location.function ?? location.linkageName ?? "",
        offset: location.isInlined ? nil : functionOffset,
        source: location.location.flatMap(Self.source), isInlined: location.isInlined,
        isLearned: learned != nil)
    }
  }

  /// The file's name and the line; nil without a line, which readers expect.
  private static func source(_ location: SourceLocation) -> (file: String, line: Int)? {
    guard location.isGenerated || location.line != nil else { return nil }
    return (String(location.fileName), location.isGenerated ? 0 : location.line ?? 0)
  }
}
