internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadVerdict

/// Writes GitLab's Code Quality report: a JSON array with one entry per report.
///
/// The entry's path is relative to the checkout; otherwise it is the path in debug info, or the report's own.
struct GitLabRenderer: Renderer {
  private let style: RenderingStyle
  private var analyses: [ReportAnalysis] = []

  /// A renderer in a style's language.
  init(style: RenderingStyle) { self.style = style.forCheckouts }

  /// Keeps the report until the end.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    analyses.append(analysis)
  }

  /// Writes the array.
  mutating func end(into output: inout String) {
    var writer = JSONWriter()
    writer.array(nil, analyses) { json, analysis in
      json.object { write(ReportView(analysis, style), to: &$0) }
    }
    output += writer.text + "\n"
  }

  private func write(_ view: ReportView, to json: inout JSONWriter) {
    json.field("description", ([view.event] + view.summaryLines).map(plainText).joined(separator: "\n"))
    json.field("check_name", view.explanation.rule ?? view.report.kind.rawValue)
    json.field("fingerprint", fingerprint(view))
    json.field("severity", severity(view.report.kind))
    json.object("location") { json in
      let location = view.diagnosis.blamedLocation
      let path = location.flatMap { view.analysis.excerpts[$0]?.relativePath } ?? location?.shownFile
      json.field("path", plainText(path ?? view.analysis.input))
      json.object("lines") { $0.field("begin", max(1, location?.line ?? 1)) }
    }
  }

  private func severity(_ kind: ReportKind) -> String {
    switch kind {
    case .crash, .panic: "critical"
    case .hang, .resource, .jetsam: "major"
    case .sample, .other: "info"
    }
  }

  /// Equal for equal crashes; where no function has a name, equal for the same report.
  private func fingerprint(_ view: ReportView) -> String {
    let text = view.diagnosis.signature ?? view.report.header.incident ?? view.analysis.input + view.headline
    return fnv1a128(text)
  }
}
