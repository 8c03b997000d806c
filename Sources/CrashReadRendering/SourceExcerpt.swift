internal import CrashReadDebugInfo

/// A few lines of a source file of this machine.
public struct SourceExcerpt: Sendable, Hashable {
  /// The file they were read from.
  public var path: String
  /// The file's path below the checkout it belongs to, as CI systems want it; nil when it lies in none.
  public var relativePath: String?
  /// The number of the first line, 1-based.
  public var firstLine: Int
  /// The lines, without line ends.
  public var lines: [String]
  /// The line that matters, 1-based.
  public var markedLine: Int
  /// The column in it, 1-based; nil when unknown.
  public var markedColumn: Int?
  /// Whether only the file's name speaks for its being the right file.
  public var isGuess: Bool

  /// Lines of a file.
  package init(
    path: String, relativePath: String? = nil, firstLine: Int, lines: [String], markedLine: Int,
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
  /// The file as output names it: the path, and of code the compiler wrote itself the bare mark, which is no path.
  package var shownFile: String { isGenerated ? String(fileName) : file }

  /// Line and column as they stand behind the file: `:17:31`; empty where there is no line, whatever column DWARF has then.
  package var shownLine: String {
    line.map { ":\($0)" + (column.map { ":\($0)" } ?? "") } ?? ""
  }
}
