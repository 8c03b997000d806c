internal import CrashReadCore

/// Maps the JSON of KSCrash, and of reporters derived from it, to reports.
///
/// A reporter that runs in the crashed process can fail anywhere, so any part may be missing; the parts that exist are
/// read.
struct KSCrashReport {
  private let document: JSONValue
  private let system: JSONValue
  private let error: JSONValue
  private var report: CrashReport

  /// Whether a document is one of KSCrash's.
  static func isDocument(_ document: JSONValue) -> Bool {
    let parts = ["crash", "binary_images", "system", "process", "recrash_report"]
    return document["crash"]["error"].isObject || !document["crash"]["threads"].isNull
      || document["report"].isObject && parts.contains { !document[$0].isNull }
  }

  /// Reads a report; if the reporter itself crashed, both its reports.
  static func reports(in document: JSONValue) -> [CrashReport] {
    let other = document["recrash_report"]
    guard other.isObject else { return [read(document)] }
    var reports = [read(document, completedBy: other), read(other, completedBy: document)]
    let message = "the reporter itself crashed while it wrote this; the other of its two reports follows"
    reports[0].notes.append(ReportNote(line: nil, message: message))
    reports[isRecrash(document) ? 0 : 1].applicationSpecificInformation.insert(recrashText, at: 0)
    return reports
  }

  /// The message of a report about the reporter's own crash, which it doesn't state itself.
  private static let recrashText = "The crash reporter crashed while it recorded another crash"

  /// Whether a report is about the reporter's own crash; it contains as little as possible.
  private static func isRecrash(_ document: JSONValue) -> Bool {
    document["report"]["type"].string == "minimal" || document["crash"]["crashed_thread"].isObject
  }

  /// Reads one of the two reports about a process; each is completed by the other.
  private static func read(_ document: JSONValue, completedBy other: JSONValue = .null) -> CrashReport {
    let system = document["system"].isNull ? other["system"] : document["system"]
    var reader = KSCrashReport(document, system: system)
    reader.readHeader(completedBy: other)
    reader.readException()
    reader.readFreeText()
    reader.readHandledEvent()
    let own = document["binary_images"]
    reader.readImages(own.isNull ? other["binary_images"] : own)
    reader.readThreads()
    reader.noteMissing()
    return reader.report
  }

  private init(_ document: JSONValue, system: JSONValue) {
    self.document = document
    self.system = system
    error = document["crash"]["error"]
    report = CrashReport(format: .ksCrashJSON, kind: Self.kind(error["type"].string))
  }

  private static func kind(_ type: String?) -> ReportKind {
    switch type {
    case "hang", "deadlock": .hang
    case "memory_termination": .jetsam
    // What the next launch infers from the persisted state; the termination itself wasn't recorded.
    case "termination": .other
    case "profile", "user": .other
    default: .crash
    }
  }

  private mutating func readHeader(completedBy other: JSONValue) {
    let facts = document["report"]
    report.header.incident = facts["id"].string
    report.header.date = Self.date(facts["timestamp"])
    report.header.process =
      facts["process_name"].string ?? system["process_name"].string ?? system["CFBundleExecutable"].string
      ?? other["report"]["process_name"].string
    report.header.pid = system["process_id"].integer
    report.header.path = system["CFBundleExecutablePath"].string
    report.header.bundleID = system["CFBundleIdentifier"].string
    report.header.version = system["CFBundleShortVersionString"].text
    report.header.build = system["CFBundleVersion"].text
    report.header.hardwareModel = system["machine"].string ?? system["model"].string
    report.header.launchDate = Self.date(system["app_start_time"])
    report.header.osVersion = osVersion
    report.header.parentProcess = parentProcess
  }

  /// A date as text, or as seconds since 1970; versions differ in whether they write milliseconds or microseconds.
  private static func date(_ value: JSONValue) -> String? {
    guard value.string == nil, let number = value.bits else { return value.text }
    let unit: UInt64 = number < 100_000_000_000 ? 1 : number < 100_000_000_000_000 ? 1000 : 1_000_000
    return utcDate(number / unit) ?? value.text
  }

  /// Spelled as in Apple's reports: `iPhone OS 4.3.3 (8J2)`.
  private var osVersion: String? {
    let parts = [system["system_name"].string, system["system_version"].string]
    let name = parts.compactMap { $0 }.joined(separator: " ")
    guard let build = system["os_version"].string else { return name.isEmpty ? nil : name }
    return name.isEmpty ? build : "\(name) (\(build))"
  }

  private var parentProcess: String? {
    guard let pid = system["parent_process_id"].integer else { return system["parent_process_name"].string }
    return "\(system["parent_process_name"].string ?? "???") [\(pid)]"
  }

  private mutating func readFreeText() {
    let reason = error["reason"].string
    let exception = error["nsexception"]
    if exception.isObject {
      report.uncaughtException = UncaughtException(
        name: exception["name"].string, reason: exception["reason"].string ?? reason)
    } else if let name = error["cpp_exception"]["name"].string {
      // In the words of the C++ runtime.
      let text = "terminating due to uncaught exception of type \(name)"
      report.applicationSpecificInformation.append(reason.map { "\(text): \($0)" } ?? text)
    } else if error["user_reported"].isObject {
      readReportedError(error["user_reported"], reason)
    } else if let reason {
      report.applicationSpecificInformation.append(reason)
    }
    if let conclusion = error["termination_reason"].string {
      report.applicationSpecificInformation.append("Concluded at the next start: " + conclusion)
    }
    if let duration = hangDuration { report.addHangDuration(nanoseconds: duration) }
    let diagnosis = document["crash"]["diagnosis"].string ?? error["diagnosis"].string
    if let diagnosis { report.applicationSpecificInformation.append("CrashDoctor Diagnosis: " + diagnosis) }
    // Messages that system libraries left for crash reporters, such as the text of a Swift fatal error.
    for image in document["binary_images"].elements {
      for name in ["crash_info_message", "crash_info_message2"] {
        report.applicationSpecificInformation += image[name].string.map { [$0] } ?? []
      }
    }
  }

  /// How long the main thread did not respond, in nanoseconds; nil if the report doesn't state the end.
  private var hangDuration: Int? {
    guard let start = error["hang"]["hang_start_nanos"].integer,
      let end = error["hang"]["hang_end_nanos"].integer, start >= 0, end > start
    else { return nil }
    return end - start
  }

  /// Reads an error that the program itself reported, with the stack of its language.
  private mutating func readReportedError(_ source: JSONValue, _ reason: String?) {
    let texts = [source["name"].string, source["reason"].string ?? reason].compactMap(\.self)
    let text = texts.first == texts.last ? texts.first ?? "" : texts.joined(separator: ": ")
    report.applicationSpecificInformation.append(CrashReport.reportedErrorMark + text)
    let stack = ManagedStack.backtrace(source["backtrace"])
    if !stack.isEmpty { report.applicationSpecificBacktraces.append(stack) }
  }

  /// Reads an error that the program handled and gave to Bugsnag's library, which stores it in the form of a crash
  /// (bugsnag-cocoa 6.0, BugsnagEvent).
  private mutating func readHandledEvent() {
    let event = document["user"]["event"]
    guard !event["unhandled"].isNull, !event["unhandled"].isTrue,
      let thrown = event["exceptions"].elements.first
    else { return }
    let texts = [thrown["errorClass"].string, thrown["message"].string].compactMap(\.self)
    report.kind = .other
    report.exception = nil
    report.applicationSpecificInformation.append(
      CrashReport.reportedErrorMark + texts.joined(separator: ": "))
  }

  private mutating func readImages(_ source: JSONValue) {
    report.images = source.elements.filter(\.isObject).map(KSCrashFrames.image)
    let type = system["binary_cpu_type"].bits.map { UInt32(truncatingIfNeeded: $0) }
    let subtype = system["binary_cpu_subtype"].bits.map { UInt32(truncatingIfNeeded: $0) }
    // `cpu_arch` is the machine's, and `x86` even for 64-bit programs.
    let architecture =
      type.flatMap { Architecture(machOType: $0, subtype: subtype ?? 0) }
      ?? report.images.lazy.compactMap(\.architecture).first
    report.header.codeType = architecture?.rawValue ?? system["cpu_arch"].string
  }

  private mutating func readThreads() {
    let crash = document["crash"]
    let single = crash["crashed_thread"]
    let listed = crash["threads"].elements.filter(\.isObject)
    let sources = listed.isEmpty && single.isObject ? [single] : listed
    report.threads = sources.enumerated().map { KSCrashFrames.thread($1, index: $0) }
    if !report.threads.contains(where: \.isCrashed), single.isObject, report.threads.count == 1 {
      report.threads[0].isCrashed = true
    }
    let freed = document["process"]["last_dealloced_nsexception"]
    for index in report.threads.indices { report.threads[index].addFreedException(freed) }
    noteSkipped(sources)
    report.locateFrames()
    // An exception's own backtrace is that of the thread that threw it: all its frames are callers.
    if let index = report.crashedThread, report.threads[index].state == nil,
      ["nsexception", "cpp_exception"].contains(error["type"].string)
    {
      for frame in report.threads[index].frames.indices {
        report.threads[index].frames[frame].kind = .returnAddress
      }
    }
  }

  private mutating func noteSkipped(_ sources: [JSONValue]) {
    for (thread, source) in zip(report.threads, sources) {
      guard let count = source["backtrace"]["skipped"].integer, count > 0 else { continue }
      let message = "thread \(thread.index): the reporter left out \(count) frames"
      report.notes.append(ReportNote(line: nil, message: message))
    }
  }

  private mutating func noteMissing() {
    var missing: [String] = []
    if document["crash"].isNull {
      missing = ["the crash is missing"]
    } else {
      if !error.isObject { missing.append("the error is missing") }
      if report.threads.isEmpty { missing.append("there are no threads") }
    }
    if report.images.isEmpty { missing.append("there is no list of images") }
    let threads = document["crash"]["threads"]
    let lists = [document["binary_images"], threads] + threads.elements.map { $0["backtrace"]["contents"] }
    let nonObjectCount = lists.flatMap(\.elements).count { !$0.isObject }
    if nonObjectCount > 0 {
      missing.append("\(nonObjectCount) list entries are no objects and were left out")
    }
    report.notes += missing.map { ReportNote(line: nil, message: $0) }
  }
}

extension KSCrashReport {
  private mutating func readException() {
    // The signal there is inferred: SIGKILL can't be caught.
    if error["type"].string == "termination" { return }
    let mach = error["mach"]
    let signal = error["signal"]
    var exception = ExceptionRecord()
    exception.type = mach["exception_name"].string ?? mach["exception"].bits.flatMap(MachNames.exception)
    exception.signal = signal["name"].string ?? signal["signal"].bits.flatMap(MachNames.signal)
    if exception.type == nil {
      // Without a Mach exception, Apple's text has the signal there.
      exception.type = exception.signal
      exception.signal = nil
    } else {
      readCodes(mach, into: &exception)
    }
    if exception.type != nil { report.exception = exception }
    guard let code = error["exit_reason"]["code"].bits, code != 0 else { return }
    var termination = TerminationRecord()
    termination.code = code
    report.termination = termination
  }

  /// Arranges the codes as in Apple's reports: the second code of EXC_BAD_ACCESS is the fault address, which is
  /// separate here.
  private func readCodes(_ mach: JSONValue, into exception: inout ExceptionRecord) {
    guard let code = mach["code"].bits else { return }
    let address = error["address"].bits
    let isBadAccess = exception.type == "EXC_BAD_ACCESS"
    if let address, address > 0xffff_ffff, code == address & 0xffff_ffff {
      // Some versions split the address and wrote one half of it as the code.
      if isBadAccess { exception.codesText = "at " + RuntimeAddress(address).description }
      return
    }
    let second = isBadAccess ? address : mach["subcode"].bits
    exception.codes = [code] + (second.map { [$0] } ?? [])
    exception.codesText = exception.codes.map { RuntimeAddress($0).description }.joined(separator: ", ")
    let name = mach["code_name"].string ?? MachNames.badAccess(code)
    guard isBadAccess, let address, let name else { return }
    exception.subtype = "\(name) at \(RuntimeAddress(address))"
  }
}
