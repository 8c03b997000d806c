internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes payloads for Bugsnag, one event each and one per line
/// (bugsnag.com's documentation, "Error Reporting API"; Mach-O's members of a frame as `BugsnagStackframe` of
/// bugsnag-cocoa writes them).
///
/// A payload has no `apiKey`: the client that posts it sets the header `Bugsnag-Api-Key`.
struct BugsnagRenderer: Renderer {
  /// The maximum size of a payload in bytes; Bugsnag rejects larger ones.
  private static let maximumSize = 1_000_000

  /// A renderer of payloads.
  init() {}

  /// Writes one payload. It has no backtraces of other threads if it would be too large with them.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let event = BugsnagEventWriter(analysis)
    let whole = payload(event, hasAllThreads: true)
    output += whole.utf8.count <= Self.maximumSize ? whole : payload(event, hasAllThreads: false)
    output += "\n"
  }

  private func payload(_ event: BugsnagEventWriter, hasAllThreads: Bool) -> String {
    var json = JSONWriter(isOneLine: true)
    json.object { json in
      json.field("payloadVersion", "4.0")
      json.object("notifier") { json in
        json.field("name", "crashread")
        json.field("version", Version.number)
      }
      json.array("events", [event]) { json, event in
        json.object { event.write(hasAllThreads: hasAllThreads, to: &$0) }
      }
    }
    return json.text
  }
}

/// A report as a Bugsnag event.
struct BugsnagEventWriter {
  private let analysis: ReportAnalysis
  private let crash: TrackedCrash
  private var diagnosis: Diagnosis { analysis.diagnosis }
  private var report: CrashReport { diagnosis.symbolicated.report }

  init(_ analysis: ReportAnalysis) {
    self.analysis = analysis
    crash = TrackedCrash(analysis.diagnosis)
  }

  func write(hasAllThreads: Bool, to json: inout JSONWriter) {
    json.array("exceptions", [crash]) { json, crash in
      json.object { json in
        json.field("errorClass", crash.errorClass)
        json.field("message", crash.message)
        json.field("type", "cocoa")
        writeStack(crash.frames, to: &json)
      }
    }
    let threads = report.threads.indices.filter { hasAllThreads || $0 == crash.owner }
    json.array("threads", threads) { json, index in json.object { writeThread(index, to: &$0) } }
    json.field("unhandled", crash.isUnhandled)
    json.field("severity", crash.isUnhandled ? "error" : "warning")
    json.object("severityReason") { writeSeverityReason(to: &$0) }
    json.field("groupingHash", diagnosis.signature)
    json.object("app") { writeApp(to: &$0) }
    json.object("device") { writeDevice(to: &$0) }
    json.object("metaData") { writeTabs(to: &$0) }
  }

  /// Writes the cause of the end, as Bugsnag's notifiers classify it.
  private func writeSeverityReason(to json: inout JSONWriter) {
    switch report.kind {
    case .hang: json.field("type", "appHang")
    case .jetsam: json.field("type", "outOfMemory")
    case .crash where report.uncaughtException == nil && report.exception?.signal != nil:
      json.field("type", "signal")
      json.object("attributes") { $0.field("signalType", report.exception?.signal) }
    default: json.field("type", crash.isUnhandled ? "unhandledException" : "handledException")
    }
  }

  private func writeThread(_ index: Int, to json: inout JSONWriter) {
    let thread = report.threads[index]
    json.field("id", String(thread.index))
    json.field("name", thread.name ?? thread.queue ?? "")
    json.field("type", "cocoa")
    json.field("errorReportingThread", index == crash.owner)
    writeStack(diagnosis.symbolicated.threads[index], to: &json)
  }

  /// The functions of a backtrace, innermost first.
  private func writeStack(_ frames: [ResolvedFrame], to json: inout JSONWriter) {
    json.array("stacktrace", BacktraceRow.rows(frames)) { json, row in json.object { write(row, to: &$0) } }
  }

  private func write(_ row: BacktraceRow, to json: inout JSONWriter) {
    let captured = row.frame.captured
    let image = row.frame.image.map { report.images[$0] }
    json.field("method", row.name ?? captured.address?.description ?? "???")
    json.field("file", row.location?.shownFile)
    json.field("lineNumber", row.location?.line)
    json.field("columnNumber", row.location?.column)
    json.field("inProject", row.frame.isInApp)
    json.field("frameAddress", captured.address?.description)
    json.field("symbolAddress", row.symbolAddress?.description)
    json.field("machoFile", crash.imagePath(of: row.frame))
    json.field("machoLoadAddress", image?.start.description)
    json.field("machoUUID", image?.id?.description)
    json.field("isPC", captured.kind == .programCounter)
    if let excerpt = row.location.flatMap({ analysis.excerpts[$0] }) {
      json.object("code") { json in
        for line in excerpt.numberedLines { json.field(key: String(line.number), line.text) }
      }
    }
  }

  private func writeApp(to json: inout JSONWriter) {
    let header = report.header
    json.field("id", header.bundleID)
    json.field("name", header.process)
    json.field("version", header.version)
    json.field("bundleVersion", header.build)
    json.field("type", crash.system.name)
    json.field("binaryArch", report.architecture?.rawValue)
  }

  private func writeDevice(to json: inout JSONWriter) {
    let system = crash.system
    json.field("modelNumber", report.header.hardwareModel)
    json.field("osName", system.name)
    json.field("osVersion", system.version)
    if let build = system.build { json.object("runtimeVersions") { $0.field("osBuild", build) } }
    json.field(
      "time",
      report.header.date.flatMap { secondsSince1970($0, offset: 0) }.flatMap { utcDate(UInt64(clamping: $0)) }
    )
  }

  /// The tabs of the event's page.
  private func writeTabs(to json: inout JSONWriter) {
    json.object("crashread") { json in
      json.field("rule", diagnosis.explanation.rule)
      json.field("confidence", diagnosis.explanation.confidence.rawValue)
      writeVerdict(of: analysis, to: &json)
    }
    json.object("report") { json in
      json.field("incident", report.header.incident)
      json.field("exceptionCodes", report.exception?.codesText)
      json.strings("applicationSpecificInformation", report.applicationSpecificInformation)
    }
  }
}
