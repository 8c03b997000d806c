internal import CrashReadCore
public import CrashReadDiagnosis
public import CrashReadRendering
public import CrashReadReports
internal import CrashReadSymbolication

extension ReportAnalysis {
  /// The analysis as text, in the reader's language.
  ///
  /// - Parameters:
  ///   - format: The form of the text.
  ///   - style: How forms for people are to look.
  /// - Returns: The whole text.
  /// - Throws: `RenderingError` when the report can't be written in this form.
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
  ///   - format: The form of the text.
  ///   - style: How forms for people are to look.
  /// - Returns: The whole text.
  /// - Throws: `RenderingError` when one of the reports can't be written in this form.
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
      // Forms that write a file back do so behind its last report, which may not be among these.
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
  ///   - format: The form of the text.
  ///   - style: How forms for people are to look.
  /// - Returns: The whole text.
  public func rendered(as format: SummaryFormat, style: RenderingStyle = RenderingStyle()) -> String {
    var style = style
    style.language = language
    return format.text(self, style: style)
  }
}

/// Why an analysis can't be written in some form.
public enum RenderingError: Error, Sendable, Hashable {
  /// A form that writes the input back can't write a report of this format.
  case cannotWrite(ReportFormat, as: OutputFormat)
}
