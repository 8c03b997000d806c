internal import BinaryIdentity

/// Maps a Sentry event to a report.
struct SentryEvent {
  private let event: JSONValue
  private let app: JSONValue
  private let frames: SentryFrames
  private var report: CrashReport

  /// Whether a document is a Sentry event that holds backtraces or an exception.
  static func isDocument(_ document: JSONValue) -> Bool {
    let isEvent = !document["event_id"].isNull || !document["platform"].isNull
    return document["debug_meta"]["images"].elements.contains { $0.isObject }
      || !document["threads"]["values"].elements.isEmpty
      || !document["exception"]["values"].elements.isEmpty
      || isEvent && document["exception"].elements.contains { $0.isObject }
  }

  static func read(_ event: JSONValue) -> CrashReport {
    var reader = SentryEvent(event)
    reader.report.images = event["debug_meta"]["images"].elements.map(SentryFrames.image)
    reader.readHeader()
    reader.readThreads()
    reader.readException()
    return reader.report
  }

  private init(_ event: JSONValue) {
    self.event = event
    app = event["contexts"]["app"]
    frames = SentryFrames(images: event["debug_meta"]["images"].elements.map(SentryFrames.image))
    report = CrashReport(format: .sentryJSON, kind: .other)
  }

  /// Lists stand alone, or in an object's `values`.
  private static func values(_ list: JSONValue) -> [JSONValue] {
    list.isObject ? list["values"].elements : list.elements
  }

  /// What happened; causes stand before it.
  private var exception: JSONValue { Self.values(event["exception"]).last { $0.isObject } ?? .null }

  private mutating func readHeader() {
    let release = release
    let device = event["contexts"]["device"]
    report.header.incident = event["event_id"].string
    report.header.date = event["timestamp"].text
    report.header.launchDate = app["app_start_time"].string
    report.header.process = app["app_name"].string
    report.header.bundleID = app["app_identifier"].string ?? release.bundle
    report.header.version = app["app_version"].text ?? release.version
    report.header.build = app["app_build"].text ?? release.build ?? event["dist"].text
    report.header.hardwareModel = device["model"].string
    report.header.codeType =
      report.images.lazy.compactMap(\.architecture).first?.rawValue ?? device["arch"].string
    let system = event["contexts"]["os"]
    let name = [system["name"].string, system["version"].string].compactMap { $0 }.joined(separator: " ")
    guard !name.isEmpty else { return }
    report.header.osVersion = system["build"].string.map { "\(name) (\($0))" } ?? name
  }

  /// `org.example.app@1.2+34`, where every part may be missing.
  private var release: (bundle: String?, version: String?, build: String?) {
    guard let text = event["release"].string else { return (nil, nil, nil) }
    let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return (nil, text, nil) }
    let version = parts[1].split(separator: "+", maxSplits: 1).map(String.init)
    return (parts[0], version.first, version.count == 2 ? version[1] : nil)
  }

  private mutating func readThreads() {
    let own = frames.backtrace(exception["stacktrace"])
    let owner = exception["thread_id"].text
    report.threads = Self.values(event["threads"]).enumerated().map { frames.thread($1, index: $0) }
    if let owner, !report.threads.contains(where: \.isCrashed),
      let index = report.threads.firstIndex(where: { $0.id == owner })
    {
      report.threads[index].isCrashed = true
    }
    giveBacktrace(own)
    report.locateFrames()
    let mechanism = exception["mechanism"]["type"].string
    guard let index = report.crashedThread, ["nsexception", "cpp_exception"].contains(mechanism),
      report.threads[index].state == nil
    else { return }
    for frame in report.threads[index].frames.indices {
      report.threads[index].frames[frame].kind = .returnAddress
    }
  }

  /// The exception's backtrace is that of the thread that crashed, which then has none of its own.
  private mutating func giveBacktrace(_ backtrace: SentryFrames.Backtrace) {
    guard !backtrace.frames.isEmpty else { return }
    var index = report.threads.firstIndex(where: \.isCrashed)
    if index == nil {
      var thread = ThreadRecord(index: report.threads.count)
      thread.id = exception["thread_id"].text
      thread.isCrashed = true
      report.threads.append(thread)
      index = report.threads.count - 1
    }
    guard let index, report.threads[index].frames.isEmpty else { return }
    report.threads[index].frames = backtrace.frames
    report.threads[index].state = report.threads[index].state ?? backtrace.state
  }

  private mutating func readException() {
    guard exception.isObject else { return }
    let mechanism = exception["mechanism"]
    report.kind = Self.kind(exception)
    let type = exception["type"].string
    let value = exception["value"].string
    if mechanism["type"].string == "nsexception" {
      report.uncaughtException = UncaughtException(name: type, reason: value)
    } else if mechanism["type"].string == "cpp_exception" {
      // The words in which the C++ runtime says it.
      let text = "terminating due to uncaught exception of type \(type ?? "unknown")"
      report.applicationSpecificInformation.append(value.map { "\(text): \($0)" } ?? text)
    }
    report.exception = record(mechanism["meta"], type: type, value: value)
  }

  private static func kind(_ exception: JSONValue) -> ReportKind {
    let mechanism = exception["mechanism"]
    if ["AppHang", "ANR"].contains(mechanism["type"].string) { return .hang }
    return mechanism["handled"].isNull || mechanism["handled"].isTrue ? .other : .crash
  }

  private func record(_ meta: JSONValue, type: String?, value: String?) -> ExceptionRecord {
    let mach = meta["mach_exception"]
    let signal = meta["signal"]
    let isThrown = report.uncaughtException != nil || !report.applicationSpecificInformation.isEmpty
    var record = ExceptionRecord()
    record.signal = signal["name"].string ?? signal["number"].bits.flatMap(MachNames.signal)
    record.type = mach["name"].string ?? mach["exception"].bits.flatMap(MachNames.exception)
    if record.type == nil, isThrown {
      record.type = record.signal
      record.signal = nil
    } else if record.type == nil {
      record.type = type
    }
    if record.signal == record.type { record.signal = nil }
    record.message = isThrown ? nil : value
    record.codes = mach["code"].bits.map { [$0] } ?? []
    let address = exception["mechanism"]["data"]["relevant_address"].bits
    if record.type == "EXC_BAD_ACCESS", let code = record.codes.first, let address {
      record.codes.append(address)
      record.subtype = MachNames.badAccess(code).map { "\($0) at \(RuntimeAddress(address))" }
    } else if record.type != "EXC_BAD_ACCESS" {
      record.codes += record.codes.isEmpty ? [] : mach["subcode"].bits.map { [$0] } ?? []
    }
    return record
  }
}
