internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Backtraces in Sentry's form: one frame per function, including inlined ones, outermost first.
struct SentryStacks {
  private let analysis: ReportAnalysis
  private var crash: TrackedCrash { TrackedCrash(analysis.diagnosis) }
  private var report: CrashReport { analysis.diagnosis.symbolicated.report }

  init(_ analysis: ReportAnalysis) { self.analysis = analysis }

  func write(_ frames: [ResolvedFrame], _ state: ThreadState? = nil, to json: inout JSONWriter) {
    json.array("frames", BacktraceRow.rows(frames).reversed()) { json, row in
      json.object { write(row, to: &$0) }
    }
    if let state, !state.registers.isEmpty {
      json.object("registers") { json in
        for register in state.registers { json.field(key: register.name, hexadecimal(register.value)) }
      }
    }
  }

  private func write(_ row: BacktraceRow, to json: inout JSONWriter) {
    let captured = row.frame.captured
    json.field("function", row.name)
    json.field("symbol", row.function?.linkageName)
    let location = row.location
    json.field("filename", location.map { String($0.fileName) })
    json.field("abs_path", location?.shownFile)
    json.field("lineno", location?.line)
    json.field("colno", location?.column)
    json.field("in_app", row.frame.isInApp)
    json.field("instruction_addr", captured.address?.description)
    json.field("package", crash.imagePath(of: row.frame))
    json.field("image_addr", row.frame.image.map { report.images[$0].start.description })
    json.field("symbol_addr", row.symbolAddress?.description)
    if let excerpt = location.flatMap({ analysis.excerpts[$0] }) { write(excerpt, to: &json) }
  }

  private func write(_ excerpt: SourceExcerpt, to json: inout JSONWriter) {
    let lines = excerpt.numberedLines
    json.strings("pre_context", lines.filter { $0.number < excerpt.markedLine }.map(\.text))
    json.field("context_line", lines.first { $0.number == excerpt.markedLine }?.text)
    json.strings("post_context", lines.filter { $0.number > excerpt.markedLine }.map(\.text))
  }
}
