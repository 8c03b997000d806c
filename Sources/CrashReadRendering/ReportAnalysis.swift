public import CrashReadDebugInfo
public import CrashReadDiagnosis
package import CrashReadReports

/// All there is to say about one report: what renderers render.
public struct ReportAnalysis: Sendable {
  /// The input's name as the user gave it; `-` for standard input.
  public var input: String
  /// The verdict, and the report it is about.
  public var diagnosis: Diagnosis
  /// The test in which the program crashed; nil when it was in none, or nothing tells.
  public var test: TestName?
  /// Source lines of this machine around places of the report's frames; places whose source wasn't found are absent.
  public var excerpts: [SourceLocation: SourceExcerpt]
  /// What the checkout's history says of the blamed line; nil unless asked for.
  package var blame: LineHistory?
  /// The text the report was read from; nil when it wasn't kept, and then nothing can be written back.
  package var origin: ReportOrigin?
  /// Where in the input the report was, when that holds more than reports.
  package var container: ContainerPlace?

  /// Puts a verdict beside the input it belongs to.
  package init(
    input: String, diagnosis: Diagnosis, excerpts: [SourceLocation: SourceExcerpt] = [:],
    origin: ReportOrigin? = nil
  ) {
    self.input = input
    self.diagnosis = diagnosis
    test = diagnosis.crashingTest
    self.excerpts = excerpts
    self.origin = origin
  }

  /// Source lines around the blamed one; nil when the source wasn't found.
  public var excerpt: SourceExcerpt? { diagnosis.blamedLocation.flatMap { excerpts[$0] } }
}

/// The text a report was read from, which it may share with others.
package struct ReportOrigin: Sendable {
  /// The whole text.
  package var text: ReportText
  /// Whether no other report of the text follows.
  package var isLast: Bool

  /// A report's place in a text.
  package init(text: ReportText, isLast: Bool) {
    self.text = text
    self.isLast = isLast
  }
}
