internal import CrashReadCore

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
    if let facts = SentryFacts(event: event, frames: reader.frames) {
      facts.complete(&reader.report)
      reader.report.locateFrames(statesKinds: true)
    }
    return reader.report
  }

  private init(_ event: JSONValue) {
    self.event = event
    app = event["contexts"]["app"]
    frames = SentryFrames(images: event["debug_meta"]["images"].elements.map(SentryFrames.image))
    report = CrashReport(format: .sentryJSON, kind: .other)
  }

  /// The elements of a list, which is an array, or in an object's `values`.
  private static func values(_ list: JSONValue) -> [JSONValue] {
    list.isObject ? list["values"].elements : list.elements
  }

  /// The exception; in the list, its causes precede it.
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

  /// The release, `org.example.app@1.2+34`, split into its parts, each of which may be missing.
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
    assignBacktrace(own)
    report.locateFrames()
    let mechanism = exception["mechanism"]["type"].string
    guard let index = report.crashedThread, ["nsexception", "cpp_exception"].contains(mechanism),
      report.threads[index].state == nil
    else { return }
    for frame in report.threads[index].frames.indices {
      report.threads[index].frames[frame].kind = .returnAddress
    }
  }

  /// Assigns the exception's backtrace to the crashed thread, which then has none itself.
  private mutating func assignBacktrace(_ backtrace: SentryFrames.Backtrace) {
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
    report.kind = kind
    let type = exception["type"].string
    let value = exception["value"].string
    if report.kind == .other {
      let text = [type, value].compactMap(\.self).joined(separator: ": ")
      report.applicationSpecificInformation.append(CrashReport.reportedErrorMark + text)
    } else if mechanism["type"].string == "cpp_exception" {
      // As worded by the C++ runtime. For an exception whose type isn't known, the event's is this.
      let thrown = [type == "C++ Exception" ? nil : type, value].compactMap(\.self).joined(separator: ": ")
      report.applicationSpecificInformation.append("terminating due to uncaught exception of type \(thrown)")
    } else if report.kind == .crash, isThrown(mechanism) {
      report.uncaughtException = UncaughtException(name: type, reason: value)
    } else {
      report.exception = record(mechanism["meta"], type: type, value: value)
      return
    }
    guard report.kind == .crash else { return }
    let meta = mechanism["meta"]
    report.exception = meta.isObject ? record(meta, type: nil, value: nil) : nil
  }

  /// Whether a language's own exception was thrown, rather than one raised by the kernel or the system.
  private func isThrown(_ mechanism: JSONValue) -> Bool {
    switch mechanism["type"].string {
    case "nsexception": true
    case "mach", "signalhandler", "signal", "minidump", "applecrashreport", "watchdog_termination",
      "out_of_memory":
      false
    default:
      mechanism["meta"]["mach_exception"].isNull && mechanism["meta"]["signal"].isNull
        && exception["type"].string?.hasPrefix("EXC_") != true
    }
  }

  /// The kind of an event. An event that doesn't state that it ended the program was sent by the program itself.
  private var kind: ReportKind {
    let mechanism = exception["mechanism"]
    let name = mechanism["type"].string ?? ""
    if ["AppHang", "ANR", "mx_hang_diagnostic"].contains(name) { return .hang }
    if ["MXCPUException", "MXDiskWriteException"].contains(name) { return .resource }
    if mechanism["handled"].isNull {
      let isFatal = event["level"].string == "fatal" || exception["type"].string?.hasPrefix("EXC_") ?? false
      return isFatal || mechanism["meta"].isObject && !mechanism["meta"]["mach_exception"].isNull
        ? .crash : .other
    }
    return mechanism["handled"].isTrue ? .other : .crash
  }

  private func record(_ meta: JSONValue, type: String?, value: String?) -> ExceptionRecord {
    let mach = meta["mach_exception"]
    let signal = meta["signal"]
    var record = ExceptionRecord()
    record.signal = signal["name"].string ?? signal["number"].bits.flatMap(MachNames.signal)
    record.type = mach["name"].string ?? mach["exception"].bits.flatMap(MachNames.exception)
    if record.type == nil, type == nil {
      record.type = record.signal
      record.signal = nil
    }
    record.type = record.type ?? type
    if record.signal == record.type { record.signal = nil }
    record.message = value
    readCodes(mach, into: &record)
    takeParts(of: &record)
    return record
  }

  /// Splits the type of a minidump's event, which includes the code: `EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x10`.
  private func takeParts(of record: inout ExceptionRecord) {
    guard let type = record.type, type.hasPrefix("EXC_"), type.holds(" / "),
      case .fault(let name, _, let subtype, _)? = Statement(threadStop: Bytes(Array(type.utf8)))
    else { return }
    record.type = name
    record.subtype = record.subtype ?? subtype
  }

  /// Reads the codes. The second code of EXC_BAD_ACCESS is the address, which is separate or in the value's text.
  private func readCodes(_ mach: JSONValue, into record: inout ExceptionRecord) {
    let worded = (exception["value"].string ?? "").lines.lazy.map(String.init)
      .first { $0.hasPrefix("KERN_") && $0.contains(" at 0x") }
    record.codes = mach["code"].bits.map { [$0] } ?? []
    guard record.type == "EXC_BAD_ACCESS" else {
      record.codes += record.codes.isEmpty ? [] : mach["subcode"].bits.map { [$0] } ?? []
      return
    }
    let address = exception["mechanism"]["data"]["relevant_address"].bits
    if let address, address > 0xffff_ffff, record.codes.first == address & 0xffff_ffff {
      // Some versions split the address and wrote one half of it as the code.
      record.codes = []
      record.codesText = "at " + RuntimeAddress(address).description
    } else if let code = record.codes.first, let address {
      record.codes.append(address)
      record.subtype = MachNames.badAccess(code).map { "\($0) at \(RuntimeAddress(address))" }
    }
    record.subtype = record.subtype ?? worded
  }
}
