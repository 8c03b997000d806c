internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
internal import CrashReadReports
internal import CrashReadSymbolication

/// Backtraces in Sentry's form: one frame per function, including inlined ones, outermost first.
struct SentryStacks {
  private let analysis: ReportAnalysis
  private var report: CrashReport { analysis.diagnosis.symbolicated.report }

  init(_ analysis: ReportAnalysis) { self.analysis = analysis }

  /// A function of a backtrace: one inlined into a frame, or the frame's own.
  struct Row {
    var frame: ResolvedFrame
    /// The function in the debug file; nil without one.
    var function: SourceFrame?
    var isInlined: Bool
  }

  /// The functions of a backtrace, innermost first. Inlined calls stated by the report are ignored where a debug file
  /// knows better.
  func rows(_ frames: [ResolvedFrame]) -> [Row] {
    frames.flatMap { frame -> [Row] in
      if frame.reason == .superseded { return [] }
      guard !frame.locations.isEmpty else {
        return [Row(frame: frame, function: nil, isInlined: frame.captured.isInlined)]
      }
      return frame.locations.enumerated().map { index, function in
        let isLast = index == frame.locations.count - 1
        return Row(frame: frame, function: function, isInlined: !isLast || frame.captured.isInlined)
      }
    }
  }

  func write(_ frames: [ResolvedFrame], _ state: ThreadState? = nil, to json: inout JSONWriter) {
    json.array("frames", rows(frames).reversed()) { json, row in json.object { write(row, to: &$0) } }
    if let state, !state.registers.isEmpty {
      json.object("registers") { json in
        for register in state.registers { json.field(key: register.name, hexadecimal(register.value)) }
      }
    }
  }

  private func write(_ row: Row, to json: inout JSONWriter) {
    let captured = row.frame.captured
    json.field("function", row.function.map { $0.function ?? $0.linkageName } ?? captured.reportedSymbol)
    json.field("symbol", row.function?.linkageName)
    let location = row.function == nil ? row.frame.reportedLocation : row.function?.location
    json.field("filename", location.map { String($0.fileName) })
    json.field("abs_path", location?.shownFile)
    json.field("lineno", location?.line)
    json.field("colno", location?.column)
    json.field("in_app", row.frame.isInApp)
    json.field("instruction_addr", captured.address?.description)
    json.field("package", package(of: row.frame)?.path)
    json.field("image_addr", row.frame.image.map { report.images[$0].start.description })
    if let address = captured.address, let offset = symbolOffset(row), address.rawValue >= offset {
      json.field("symbol_addr", RuntimeAddress(address.rawValue - offset).description)
    }
    if let excerpt = location.flatMap({ analysis.excerpts[$0] }) { write(excerpt, to: &json) }
  }

  /// The image's path, and its file name.
  func package(of frame: ResolvedFrame) -> (path: String, name: String)? {
    let image = frame.image.map { report.images[$0] }
    guard let path = image?.path ?? image?.name ?? frame.captured.imageName else { return nil }
    return (path, path.split(separator: "/").last.map(String.init) ?? path)
  }

  private func symbolOffset(_ row: Row) -> UInt64? {
    guard let function = row.function else { return row.frame.captured.reportedSymbolOffset }
    return function.isInlined ? nil : row.frame.functionOffset
  }

  private func write(_ excerpt: SourceExcerpt, to json: inout JSONWriter) {
    let lines = excerpt.numberedLines
    json.strings("pre_context", lines.filter { $0.number < excerpt.markedLine }.map(\.text))
    json.field("context_line", lines.first { $0.number == excerpt.markedLine }?.text)
    json.strings("post_context", lines.filter { $0.number > excerpt.markedLine }.map(\.text))
  }
}
