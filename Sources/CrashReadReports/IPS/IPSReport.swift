internal import CrashReadCore

/// Maps the two documents of an .ips file, header line and body, to a report.
struct IPSReport {
  private let header: JSONValue
  private let body: JSONValue
  private var report: CrashReport

  /// Whether a document looks like the first line of an .ips file.
  static func isHeader(_ document: JSONValue) -> Bool {
    !document["bug_type"].isNull && !document["os_version"].isNull || !document["incident_id"].isNull
  }

  /// Whether a document looks like the body of a crash.
  ///
  /// Some tools put the header's members into it.
  static func isBody(_ document: JSONValue) -> Bool {
    // Both documents may have been merged into one.
    if isHeader(document), !document["largestProcess"].isNull { return true }
    return document["threads"].elements.contains { $0.isObject }
      && (!document["usedImages"].isNull || isHeader(document))
  }

  static func read(header: JSONValue, body: JSONValue) -> CrashReport {
    var reader = IPSReport(header: header, body: body)
    reader.readHeader()
    reader.readException()
    reader.readTermination()
    reader.readFreeText()
    reader.report.images = body["usedImages"].elements.map(IPSFrames.image)
    reader.readThreads()
    reader.report.locateFrames()
    return reader.report
  }

  private init(header: JSONValue, body: JSONValue) {
    self.header = header
    self.body = body
    report = CrashReport(format: .ips, kind: Self.kind(header, body) ?? .other)
  }

  /// The kind of report according to its `bug_type`; nil when it states none.
  static func kind(_ header: JSONValue, _ body: JSONValue = .null) -> ReportKind? {
    guard let type = (header["bug_type"].text ?? body["bug_type"].text).flatMap({ Int($0) }) else {
      return isBody(body) ? .crash : nil
    }
    switch type {
    case 109, 309, 308: return .crash
    // An exception that didn't end the process: of a limit, a guard, or a fault that the program reported itself.
    case 385 where body["exception"]["type"].string != "EXC_RESOURCE": return .other
    case 385, 22, 185, 327, 227, 202, 206, 142, 145: return .resource
    case 298, 98, 198: return .jetsam
    case 210, 110, 10, 151: return .panic
    case 409, 28, 29, 228, 328, 11, 12, 207, 222, 223, 310: return .hang
    default: return .other
    }
  }

  private mutating func readHeader() {
    let bundle = body["bundleInfo"]
    report.header.incident = body["incident"].string ?? header["incident_id"].string
    report.header.date = body["captureTime"].string ?? body["date"].string ?? header["timestamp"].string
    report.header.launchDate = body["procLaunch"].string
    report.header.process = body["procName"].string ?? header["app_name"].string ?? header["name"].string
    report.header.process = report.header.process ?? body["largestProcess"].string
    report.header.pid = body["pid"].integer
    report.header.path = body["procPath"].string
    report.header.bundleID = bundle["CFBundleIdentifier"].string ?? header["bundleID"].string
    report.header.version = bundle["CFBundleShortVersionString"].text ?? header["app_version"].text
    report.header.build = bundle["CFBundleVersion"].text ?? header["build_version"].text
    report.header.codeType = codeType
    report.header.hardwareModel = body["modelCode"].string ?? body["product"].string
    report.header.deviceKey = body["crashReporterKey"].string
    report.header.osVersion = osVersion
    report.header.parentProcess = Self.process(body["parentProc"], body["parentPid"])
  }

  /// The code type as spelled in text reports, which say whether code was translated.
  private var codeType: String? {
    guard let cpu = body["cpuType"].string else { return nil }
    return body["translated"].isNull ? cpu : cpu + (body["translated"].isTrue ? " (Translated)" : " (Native)")
  }

  private var osVersion: String? {
    let version = body["osVersion"]
    guard let train = version["train"].string else {
      return header["os_version"].string ?? body["build"].string
    }
    return version["build"].string.map { "\(train) (\($0))" } ?? train
  }

  fileprivate static func process(_ name: JSONValue, _ pid: JSONValue) -> String? {
    guard let name = name.string else { return nil }
    return pid.integer.map { "\(name) [\($0)]" } ?? name
  }

  private mutating func readException() {
    let source = body["exception"]
    guard !source.isNull else { return }
    var exception = ExceptionRecord()
    exception.type = source["type"].string
    exception.signal = source["signal"].string
    exception.subtype = source["subtype"].string
    exception.message = source["message"].string
    // Stackshots have a single code here instead of an object.
    exception.codesText = source["codes"].string ?? source.string
    exception.codes = source["rawCodes"].elements.compactMap(\.bits)
    if exception.codes.isEmpty, let text = exception.codesText {
      exception.codes = ExceptionSection.codes(Bytes(Array(text.utf8)))
    }
    exception.note = exceptionNote
    report.exception = exception
  }

  /// The exception note as worded in text reports.
  private var exceptionNote: String? {
    let simulated = "SIMULATED (this is NOT a crash)"
    if let caller = body["simulatedCaller"].string { return "\(simulated) requested by \(caller)" }
    if body["isSimulated"].isTrue { return simulated }
    if body["isNonFatal"].isTrue { return "NON-FATAL CONDITION (this is NOT a crash)" }
    return body["isCorpse"].isTrue ? "EXC_CORPSE_NOTIFY" : nil
  }

  private mutating func readTermination() {
    let source = body["termination"]
    guard source.isObject else { return }
    var termination = TerminationRecord()
    termination.namespace = source["namespace"].string
    termination.code = source["code"].bits
    termination.indicator = source["indicator"].string
    termination.byProcess = Self.process(source["byProc"], source["byPid"])
    termination.details = (source["reasons"].elements + source["details"].elements).compactMap(\.string)
    termination.details += Self.texts(body["dyldMessages"])
    report.termination = termination
  }

  private mutating func readFreeText() {
    for (_, messages) in body["asi"].members + body["diagnosticOutput"].members {
      report.applicationSpecificInformation += Self.texts(messages).flatMap(Self.lines)
    }
    if let error = header["restore_error"].text, error != "0" {
      report.applicationSpecificInformation.append("Restore error: " + error)
    }
    IPSRemarks(body: body).add(to: &report)
    report.vmRegionInfo = body["vmRegionInfo"].string ?? body["vmregioninfo"].string
    let reason = body["exceptionReason"]
    if reason.isObject {
      report.uncaughtException = UncaughtException(
        name: reason["name"].string, reason: reason["composed_message"].string)
    }
  }

  /// A string, or all strings of an array.
  private static func texts(_ source: JSONValue) -> [String] {
    (source.elements.isEmpty ? [source] : source.elements).compactMap(\.string)
  }

  private static func lines(_ text: String) -> [String] {
    LineCursor(Bytes(Array(text.utf8))).filter { !$0.isBlank }.map(\.raw.string)
  }

  private mutating func readThreads() {
    let frames = IPSFrames(images: report.images, sources: body["usedImages"].elements)
    report.threads = body["threads"].elements.enumerated().map { frames.thread($1, index: $0) }
    if let crashed = report.threads.firstIndex(where: \.isCrashed) ?? body["faultingThread"].integer,
      report.threads.indices.contains(crashed), report.threads[crashed].code == nil
    {
      report.threads[crashed].code = IPSFrames.code(body["instructionByteStream"])
    }
    report.lastExceptionBacktrace = frames.frames(body["lastExceptionBacktrace"])
    report.applicationSpecificBacktraces = body["asiBacktraces"].elements.compactMap(\.string).map(
      Self.backtrace)
    report.allocation = frames.allocation(in: body)
    guard let index = body["faultingThread"].integer, report.threads.indices.contains(index) else { return }
    if !report.threads.contains(where: \.isCrashed) { report.threads[index].isCrashed = true }
    let legacy = body["legacyInfo"]["threadTriggered"]
    report.threads[index].name = report.threads[index].name ?? legacy["name"].string
    report.threads[index].queue = report.threads[index].queue ?? legacy["queue"].string
  }

  /// Reads frames as lines of text: .ips stores backtraces supplied by the application like this.
  private static func backtrace(_ text: String) -> [Frame] {
    LineCursor(Bytes(Array(text.utf8))).compactMap { line in
      var frame = FrameLine(line)?.frame
      frame?.line = nil
      return frame
    }
  }
}

/// What the system notes in separate members of an .ips body, under the headings of text reports.
struct IPSRemarks {
  let body: JSONValue

  /// Adds all of them to a report.
  func add(to report: inout CrashReport) {
    for line in (body["ktriageinfo"].string ?? "").lines {
      report.addRemark(SystemRemark.kernelTriage, String(line))
    }
    addModifications(to: &report)
    for line in body["asiSignatures"].elements.compactMap(\.string) {
      report.addRemark(SystemRemark.signatures, line)
    }
    for line in (body["reportNotes"].elements + body["notes"].elements).compactMap(\.string) {
      report.addReporterNote(line)
    }
    // Only where the kernel refused the program do its signature's kind and the refusal explain each other.
    if body["termination"]["namespace"].string == "CODESIGNING" {
      report.addRemark(SystemRemark.validationCategory, body["codeSigningValidationCategory"].text)
    }
    report.addRemark(SystemRemark.role, body["procRole"].string)
    report.addResponsible(IPSReport.process(body["responsibleProc"], body["responsiblePid"]))
    report.addRemark(SystemRemark.dataProtection, lockState)
    report.addRemark(SystemRemark.thermalPressure, body["thermalPressureLevel"].text)
    if !body["os_fault"].isNull {
      report.addRemark(SystemRemark.fault, body["os_fault"]["process"].string ?? "unknown process")
    }
  }

  /// What other processes did to this one: `targeted` counts the calls by kind.
  private func addModifications(to report: inout CrashReport) {
    for call in ["task_for_pid", "thread_create", "thread_set_state"] {
      guard let count = body["extMods"]["targeted"][call].integer, count > 0 else { continue }
      report.addRemark(SystemRemark.externalModification, "\(call): \(count)")
    }
  }

  /// Whether files with data protection were readable, in words; nil when unknown.
  private var lockState: String? {
    if body["wasUnlockedSinceBoot"].integer == 0 { return "not unlocked since boot" }
    return body["isLocked"].isTrue ? "locked" : nil
  }
}
