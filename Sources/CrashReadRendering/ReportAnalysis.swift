public import CrashReadDebugInfo
package import CrashReadReports
public import CrashReadVerdict

/// Everything known about one report: the input of renderers.
public struct ReportAnalysis: Sendable {
  /// The input's name as given by the user; `-` for standard input.
  public var input: String
  /// The verdict, and the report it is about.
  public var diagnosis: Diagnosis
  /// The test in which the program crashed; nil when it was in none, or that is unknown.
  public var test: TestName?
  /// Source lines on this machine around the frames' locations, where the source was found.
  public var excerpts: [SourceLocation: SourceExcerpt]
  /// Who last changed the blamed line; nil unless requested.
  package var blame: LineHistory?
  /// The text the report was read from; nil when it wasn't kept, so that it can't be written back.
  package var origin: ReportOrigin?
  /// Where in a container the report was; nil for an input that is only a report.
  package var container: ContainerLocation?

  /// A verdict and the input it belongs to.
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

  /// Source lines around the blamed location; nil when the source wasn't found.
  public var excerpt: SourceExcerpt? { diagnosis.blamedLocation.flatMap { excerpts[$0] } }
}

/// The text a report was read from, which several reports may share.
package struct ReportOrigin: Sendable {
  /// The whole text.
  var text: ReportText
  /// Whether it is the last report of the text.
  package var isLast: Bool

  /// The source text of a report.
  package init(text: ReportText, isLast: Bool) {
    self.text = text
    self.isLast = isLast
  }
}
