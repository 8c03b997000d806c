internal import CrashReadDebugInfo

/// A few lines of a source file on this machine.
public struct SourceExcerpt: Sendable, Hashable {
  /// The file they were read from.
  public var path: String
  /// The file's path relative to its checkout, as CI systems expect it; nil when it is in none.
  public var relativePath: String?
  /// The number of the first line, 1-based.
  public var firstLine: Int
  /// The lines, without line ends.
  public var lines: [String]
  /// The marked line, 1-based.
  public var markedLine: Int
  /// The column in it, 1-based; nil when unknown.
  public var markedColumn: Int?
  /// Whether the file was found by its name only.
  public var isGuess: Bool

  /// Lines of a file.
  package init(
    path: String, relativePath: String?, firstLine: Int, lines: [String], markedLine: Int,
    markedColumn: Int?, isGuess: Bool
  ) {
    self.path = path
    self.relativePath = relativePath
    self.firstLine = firstLine
    self.lines = lines
    self.markedLine = markedLine
    self.markedColumn = markedColumn
    self.isGuess = isGuess
  }

  /// The lines with their numbers.
  var numberedLines: [(number: Int, text: String)] {
    lines.enumerated().map { (firstLine + $0.offset, $0.element) }
  }
}

extension SourceLocation {
  /// The file as shown in output: its path; for compiler-generated code the marker alone, which isn't a path.
  package var shownFile: String { isGenerated ? String(fileName) : file }

  /// Line and column as they follow the file: `:17:31`; empty without a line, even if DWARF has a column.
  package var shownLine: String {
    line.map { ":\($0)" + (column.map { ":\($0)" } ?? "") } ?? ""
  }
}
