internal import CrashReadCore
internal import CrashReadDiagnosis
public import CrashReadRendering
public import CrashReadReports
internal import CrashReadSymbolication
public import CrashReadVerdict

extension ReportAnalysis {
  /// The analysis as text, in the reader's language.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - style: How formats for people look.
  /// - Returns: The whole text.
  /// - Throws: `RenderingError` when the report can't be written in this format.
  public func rendered(
    as format: OutputFormat, style: RenderingStyle = RenderingStyle()
  ) throws(RenderingError) -> String {
    try [self].rendered(as: format, style: style)
  }
}

extension Collection<ReportAnalysis> {
  /// Several analyses as one text, in the reader's language.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - style: How formats for people look.
  /// - Returns: The whole text.
  /// - Throws: `RenderingError` when one of the reports can't be written in this format.
  public func rendered(
    as format: OutputFormat, style: RenderingStyle = RenderingStyle()
  ) throws(RenderingError) -> String {
    for analysis in self where !format.canWrite(analysis.diagnosis.symbolicated.report) {
      throw .cannotWrite(analysis.diagnosis.symbolicated.report.format, as: format)
    }
    var style = style
    style.language = first?.diagnosis.language ?? style.language
    var renderer = format.renderer(style: style, count: count)
    var text = ""
    renderer.begin(into: &text)
    for (index, analysis) in enumerated() {
      var analysis = analysis
      // Formats that write a file back do so after its last report, which may not be in this collection.
      if index == count - 1 { analysis.origin?.isLast = true }
      renderer.render(analysis, into: &text)
    }
    renderer.end(into: &text)
    return text
  }
}

extension CrashGroups {
  /// The groups as text, in the language of the first report.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - style: How formats for people look.
  /// - Returns: The whole text.
  public func rendered(as format: SummaryFormat, style: RenderingStyle = RenderingStyle()) -> String {
    var style = style
    style.language = language
    return format.text(self, style: style)
  }
}

/// Why an analysis can't be written in a format.
public enum RenderingError: Error, Sendable, Hashable {
  /// A format that writes the input back doesn't support reports of this format.
  case cannotWrite(ReportFormat, as: OutputFormat)
}
