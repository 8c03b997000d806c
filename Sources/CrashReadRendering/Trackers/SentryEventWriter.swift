internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A report as a Sentry event.
///
/// Whatever Sentry has a field for is stored there. The context `crashread` holds the rest of the report, so that
/// reading the event back gives the same verdict.
struct SentryEventWriter {
  let analysis: ReportAnalysis
  let stacks: SentryStacks
  private let crash: TrackedCrash
  var diagnosis: Diagnosis { analysis.diagnosis }
  var symbolicated: SymbolicatedReport { diagnosis.symbolicated }
  var report: CrashReport { symbolicated.report }
  private var header: ReportHeader { report.header }

  init(_ analysis: ReportAnalysis) {
    self.analysis = analysis
    stacks = SentryStacks(analysis)
    crash = TrackedCrash(analysis.diagnosis)
  }

  var text: String {
    var writer = JSONWriter(isOneLine: true)
    writer.object { writeEvent(to: &$0) }
    return writer.text
  }

  /// The report's own identifier if it is a UUID, otherwise one derived from the report.
  var identity: String {
    if let id = header.incident.flatMap({ ImageID(parsing: $0) }), id.byteCount == 16 {
      return id.description.replacing("-", with: "").lowercased()
    }
    let texts = [header.process, header.date, diagnosis.signature, diagnosis.explanation.title].map {
      $0 ?? ""
    }
    return fnv1a128((texts + [header.pid.map(String.init) ?? ""]).joined(separator: "\n"))
  }

  private func writeEvent(to json: inout JSONWriter) {
    json.field("event_id", identity)
    json.field("timestamp", header.date.flatMap { secondsSince1970($0, offset: 0) })
    json.field("platform", isELF ? "native" : "cocoa")
    json.field("level", report.kind == .crash || report.kind == .panic ? "fatal" : "error")
    json.field("logger", "crashread")
    if let version = header.version {
      let name = header.bundleID ?? header.process
      let release = (name.map { $0 + "@" } ?? "") + version + (header.build.map { "+" + $0 } ?? "")
      json.field("release", release)
    }
    json.field("dist", header.build)
    json.object("exception") { json in
      json.array("values", [()]) { json, _ in json.object { writeException(to: &$0) } }
    }
    json.object("threads") { json in
      json.array("values", report.threads.indices) { json, index in
        json.object { writeThread(index, to: &$0) }
      }
    }
    json.object("debug_meta") { json in
      json.array("images", report.images) { json, image in json.object { write(image, to: &$0) } }
    }
    json.object("contexts") { writeContexts(to: &$0) }
    json.strings("fingerprint", [diagnosis.signature ?? "{{ default }}"])
    json.object("tags") { json in
      json.field("crashread.rule", diagnosis.explanation.rule)
      json.field("crashread.confidence", diagnosis.explanation.confidence.rawValue)
    }
    json.object("extra") { writeVerdict(of: analysis, to: &$0) }
  }

  private var isELF: Bool { report.images.contains { ($0.id?.byteCount ?? 16) != 16 } }

  // MARK: What happened

  private func writeException(to json: inout JSONWriter) {
    json.field("type", crash.errorClass)
    json.field("value", crash.message)
    if let owner = crash.owner { json.field("thread_id", report.threads[owner].index) }
    json.object("mechanism") { writeMechanism(to: &$0) }
    let frames = crash.frames
    if !frames.isEmpty { json.object("stacktrace") { stacks.write(frames, exceptionState, to: &$0) } }
  }

  private var exceptionState: ThreadState? {
    crash.hasExceptionBacktrace ? nil : crash.owner.flatMap { report.threads[$0].state }
  }

  private func writeMechanism(to json: inout JSONWriter) {
    json.field("type", report.kind == .hang ? "AppHang" : "applecrashreport")
    json.field("handled", !crash.isUnhandled)
    json.object("meta") { json in
      if let name = machException { json.object("mach_exception") { writeMach(name, to: &$0) } }
      if let name = report.exception?.signal {
        json.object("signal") { json in
          json.field("number", (1...31).first { MachNames.signal($0) == name })
          json.field("name", name)
        }
      }
    }
  }

  private var machException: String? { report.exception?.type.flatMap { $0.hasPrefix("EXC_") ? $0 : nil } }

  private func writeMach(_ name: String, to json: inout JSONWriter) {
    json.field("exception", (1...13).first { MachNames.exception($0) == name })
    json.field("name", name)
    let codes = report.exception?.codes ?? []
    json.field("code", codes.first)
    json.field("subcode", codes.dropFirst().first)
  }

  private func writeThread(_ index: Int, to json: inout JSONWriter) {
    let thread = report.threads[index]
    json.field("id", thread.index)
    json.field("name", thread.name ?? thread.queue)
    json.field("crashed", thread.isCrashed)
    json.field("current", index == crash.owner)
    json.field("main", thread.queue == "com.apple.main-thread")
    let frames = symbolicated.threads[index]
    let isAtException = index == crash.owner && !crash.hasExceptionBacktrace && !frames.isEmpty
    guard !isAtException, !frames.isEmpty || thread.state != nil else { return }
    json.object("stacktrace") { stacks.write(frames, thread.state, to: &$0) }
  }

  private func write(_ image: BinaryImage, to json: inout JSONWriter) {
    let isELF = (image.id?.byteCount ?? 16) != 16
    json.field("type", isELF || image.id == nil && self.isELF ? "elf" : "macho")
    json.field("code_file", image.path ?? image.name ?? "")
    json.field("code_id", image.id.map { $0.description.replacing("-", with: "").lowercased() })
    json.field("debug_id", image.id?.guid.description.lowercased() ?? "")
    json.field("image_addr", image.start.description)
    if let end = image.end, let size = end.offset(from: image.start) {
      json.field("image_size", size.rawValue &+ 1)
    }
    json.field("arch", image.architecture?.rawValue)
  }

  // MARK: Surroundings

  private func writeContexts(to json: inout JSONWriter) {
    json.object("app") { json in
      json.field("app_name", header.process)
      json.field("app_identifier", header.bundleID)
      json.field("app_version", header.version)
      json.field("app_build", header.build)
      json.field("app_start_time", header.launchDate)
    }
    json.object("device") { json in
      json.field("model", header.hardwareModel)
      json.field("arch", report.architecture?.rawValue)
    }
    json.object("os") { json in
      let (name, version, build) = crash.system
      json.field("name", name)
      json.field("version", version)
      json.field("build", build)
    }
    json.object("crashread") { SentryFactsWriter(diagnosis, stacks).write(to: &$0) }
  }
}

/// Writes events for Sentry: one per line, or in an envelope that can be posted as it is
/// (develop.sentry.dev/sdk/data-model/event-payloads, …/envelopes).
struct SentryRenderer: Renderer {
  private let isEnvelope: Bool

  /// A renderer of events.
  init(isEnvelope: Bool) { self.isEnvelope = isEnvelope }

  /// Writes one event.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let event = SentryEventWriter(analysis)
    let payload = event.text
    if isEnvelope {
      output += #"{"event_id":"\#(event.identity)"}"# + "\n"
      output += #"{"type":"event","content_type":"application/json","length":\#(payload.utf8.count)}"# + "\n"
    }
    output += payload + "\n"
  }
}
