public import CrashDiagnosis

/// All there is to say about one report: what renderers render.
public struct ReportAnalysis: Sendable {
  /// The input's name as the user gave it; `-` for standard input.
  public var input: String
  /// The verdict, and the report it is about.
  public var diagnosis: Diagnosis
  /// Source lines around the blamed one; nil when the source wasn't found.
  public var excerpt: SourceExcerpt?

  /// Puts a verdict beside the input it belongs to.
  public init(input: String, diagnosis: Diagnosis, excerpt: SourceExcerpt? = nil) {
    self.input = input
    self.diagnosis = diagnosis
    self.excerpt = excerpt
  }
}

/// A few lines of a source file of this machine.
public struct SourceExcerpt: Sendable, Hashable {
  /// The file they were read from.
  public var path: String
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
  public init(
    path: String, firstLine: Int, lines: [String], markedLine: Int, markedColumn: Int?, isGuess: Bool
  ) {
    self.path = path
    self.firstLine = firstLine
    self.lines = lines
    self.markedLine = markedLine
    self.markedColumn = markedColumn
    self.isGuess = isGuess
  }
}
