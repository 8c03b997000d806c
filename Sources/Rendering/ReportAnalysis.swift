public import CrashDiagnosis
public import CrashReports

/// All there is to say about one report: what renderers render.
public struct ReportAnalysis: Sendable {
  /// The input's name as the user gave it; `-` for standard input.
  public var input: String
  /// The verdict, and the report it is about.
  public var diagnosis: Diagnosis
  /// Source lines around the blamed one; nil when the source wasn't found.
  public var excerpt: SourceExcerpt?
  /// The text the report was read from; nil when it wasn't kept, and then nothing can be written back.
  public var origin: ReportOrigin?

  /// Puts a verdict beside the input it belongs to.
  public init(
    input: String, diagnosis: Diagnosis, excerpt: SourceExcerpt? = nil, origin: ReportOrigin? = nil
  ) {
    self.input = input
    self.diagnosis = diagnosis
    self.excerpt = excerpt
    self.origin = origin
  }
}

/// The text a report was read from, which it may share with others.
public struct ReportOrigin: Sendable {
  /// The whole text.
  public var text: ReportText
  /// Whether no other report of the text follows.
  public var isLast: Bool

  /// A report's place in a text.
  public init(text: ReportText, isLast: Bool) {
    self.text = text
    self.isLast = isLast
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
