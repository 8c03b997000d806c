internal import CrashReadCore

/// Maps an event of a reporter with a known format to a report.
struct ReporterEvent {
  private let event: JSONValue
  private let form: ReporterForm
  private var frames: JSONFrames
  private var report: CrashReport

  /// Reads the events of a document, up to one more than `maximum`.
  static func reports(in document: JSONValue, _ form: ReporterForm, maximum: Int) -> [CrashReport] {
    form.events(in: document).filter(\.isObject).prefix(maximum + 1).map { event in
      var reader = ReporterEvent(event, form)
      reader.read()
      return reader.report
    }
  }

  private init(_ event: JSONValue, _ form: ReporterForm) {
    (self.event, self.form) = (event, form)
    frames = JSONFrames(images: event.at(form.images))
    report = CrashReport(format: form.format)
  }

  private mutating func read() {
    readHeader()
    report.threads = event.at(form.threads).elements.enumerated().map { frames.thread($1, index: $0) }
    let exceptions = event.at(form.exceptions)
    let exception = exceptions.isObject ? exceptions : exceptions.elements.first { $0.isObject } ?? .null
    readException(exception)
    assignBacktrace(frames.frames(of: exception))
    report.images = frames.images
    report.locateFrames()
    if report.crashedThread == nil { markBlamedThread() }
    if report.exception == nil { readSignalOfThread() }
    nameProcess()
  }

  private mutating func readHeader() {
    for (field, paths) in form.header { report.header[keyPath: field] = event.at(paths).text }
    report.header.pid = event.at("appInfo.processId").integer
    // Datadog writes a process as Apple's reports do.
    if let process = report.header.process, process.hasSuffix("]"), let open = process.lastIndex(of: "[") {
      report.header.pid = Int(process[process.index(after: open)...].dropLast())
      report.header.process = String(process[..<open].trimmingSpaces)
    }
    let name = form.systemName.flatMap { event.at($0).string }.map { $0 == "ios" ? "iOS" : $0 }
    if let name, let version = report.header.osVersion, !version.contains(where: \.isLetter) {
      report.header.osVersion = "\(name) \(version)"
    }
  }

  /// Sets the process's name: the last component of the bundle identifier, if an image has that name, as Xcode names
  /// executables by default.
  private mutating func nameProcess() {
    guard report.header.process == nil,
      let last = report.header.bundleID?.split(separator: ".").last.map(String.init)
    else { return }
    let frames = report.threads.lazy.flatMap(\.frames)
    let isImage = report.images.contains { $0.name == last } || frames.contains { $0.imageName == last }
    if isImage { report.header.process = last }
  }

  /// Reads the signal, which Crashlytics states with the thread.
  private mutating func readSignalOfThread() {
    guard let index = report.crashedThread, case let threads = event.at(form.threads).elements,
      threads.indices.contains(index), let name = JSONFields(threads[index])[["signal", "signalname"]].string
    else { return }
    report.exception = ExceptionRecord()
    report.exception?.type = name
  }

  private var isHandled: Bool {
    if let severity = form.severity, event.at(severity).string == "NON_FATAL" { return true }
    let (handled, unhandled) = (event.at(form.handled), event.at(form.unhandled))
    return !handled.isNull && handled.isTrue || !unhandled.isNull && !unhandled.isTrue
  }

  private mutating func readException(_ source: JSONValue) {
    let fields = JSONFields(source)
    let type = fields[["errorclass", "type", "name"]].string
    let message = fields[["message", "exceptionmessage", "reason", "cause"]].string
    if let type, Self.hangs.contains(type) {
      report.kind = .hang
      if let message { report.applicationSpecificInformation.append(message) }
      if let duration = event.at("freeze.duration").integer { report.addHangDuration(nanoseconds: duration) }
    } else if isHandled {
      report.kind = .other
      let stated = [type, message].compactMap(\.self)
      let summary = (stated.isEmpty ? form.title.compactMap { event.at($0).string } : stated).joined(
        separator: ": ")
      report.applicationSpecificInformation = [CrashReport.reportedErrorMark + summary]
    } else if let type, Self.inferredEnds.contains(type) {
      addException(nil, [type, message].compactMap(\.self).joined(separator: ": "), fields)
    } else if type?.hasPrefix("EXC_") ?? false || type?.hasPrefix("SIG") ?? false || type == nil {
      addException(type, message, fields)
    } else {
      addThrown(type, message, fields)
    }
  }

  /// The types of events about a main thread that doesn't respond, in Bugsnag's and Datadog's libraries.
  private static let hangs: Set = ["App Hang", "AppHang"]
  /// The types of events about an end that left no crash, which these libraries infer at the next start.
  private static let inferredEnds: Set = ["Out Of Memory", "Thermal Kill", "WatchdogTermination"]

  private mutating func addException(_ type: String?, _ message: String?, _ fields: JSONFields) {
    let signal = fields[["signalinfo"]]
    guard type != nil || message != nil || signal.isObject else { return }
    var record = ExceptionRecord()
    // `SIGTRAP (#5)` has the signal's number.
    let name = type.map { String($0.prefix { $0 != " " }) }
    record.type = name ?? signal["signalName"].string ?? fields[["signal"]].string
    record.signal = signal["signalName"].string ?? fields[["signal"]].string
    if record.signal == record.type { record.signal = nil }
    record.message = message
    // Datadog's `meta` states the signal's code, and the address: `SEGV_ACCERR at 0x10`.
    record.subtype = fields[["meta"]]["exception_codes"].string.flatMap { $0.hasPrefix("#") ? nil : $0 }
    report.exception = record
  }

  /// Adds an exception of a language. A fatal error of Swift's, which reporters list among these, is added as the
  /// message that the runtime leaves.
  private mutating func addThrown(_ type: String?, _ message: String?, _ fields: JSONFields) {
    if type == "Fatal error" || message?.hasPrefix("Fatal error") ?? false {
      let text = message.map { $0.hasPrefix("Fatal error") ? $0 : "Fatal error: \($0)" }
      report.applicationSpecificInformation = [text ?? "Fatal error"]
    } else {
      report.uncaughtException = UncaughtException(name: type, reason: message)
    }
    let signal = fields[["signal"]].string ?? fields[["signalinfo"]]["signalName"].string
    if let signal {
      report.exception = ExceptionRecord()
      report.exception?.type = signal
    }
  }

  /// Assigns the exception's backtrace to the crashed thread; if that thread has its own, it is where the exception was
  /// thrown.
  private mutating func assignBacktrace(_ backtrace: [Frame]) {
    guard !backtrace.isEmpty else { return }
    let crashed = report.threads.firstIndex(where: \.isCrashed)
    if let crashed, report.threads[crashed].frames.isEmpty {
      report.threads[crashed].frames = backtrace
    } else if crashed == nil {
      var thread = ThreadRecord(index: report.threads.count)
      thread.isCrashed = true
      thread.frames = backtrace
      report.threads.append(thread)
    } else if report.uncaughtException != nil {
      report.lastExceptionBacktrace = backtrace
    }
  }

  /// Marks the thread that Crashlytics blames.
  private mutating func markBlamedThread() {
    let threads = event.at(form.threads).elements
    guard report.kind == .crash, let index = threads.firstIndex(where: { $0["blamed"].isTrue }),
      report.threads.indices.contains(index)
    else { return }
    report.threads[index].isCrashed = true
    report.crashedThread = index
  }
}
