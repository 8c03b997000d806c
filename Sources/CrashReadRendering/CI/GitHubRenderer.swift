internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadVerdict

/// Writes workflow commands of GitHub Actions: one annotation per report, on the blamed line where it is in the
/// checkout.
struct GitHubRenderer: Renderer {
  private let style: RenderingStyle
  /// The maximum number of frames: annotations are shown in a narrow box.
  private static let maximumFrames = 10

  /// A renderer in a style's language.
  init(style: RenderingStyle) { self.style = style.forCheckouts }

  /// Writes one line.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let view = ReportView(analysis, style)
    let properties = (location(view) + [("title", view.event)]).map { "\($0.0)=\(commandProperty($0.1))" }
    output += "::\(level(view.report.kind)) \(properties.joined(separator: ","))::"
    output += commandMessage(message(view)) + "\n"
  }

  private func level(_ kind: ReportKind) -> String {
    switch kind {
    case .crash, .panic: "error"
    case .hang, .resource, .jetsam: "warning"
    case .sample, .other: "notice"
    }
  }

  private func location(_ view: ReportView) -> [(String, String)] {
    guard let location = view.diagnosis.blamedLocation, let line = location.line,
      let file = view.analysis.excerpts[location]?.relativePath
    else { return [] }
    return [("file", file), ("line", String(line))] + (location.column.map { [("col", String($0))] } ?? [])
  }

  private func message(_ view: ReportView) -> [String] {
    view.summaryLines + [""] + view.stackLines(limit: Self.maximumFrames)
  }
}
