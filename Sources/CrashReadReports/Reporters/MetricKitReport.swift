internal import CrashReadCore

/// Maps MetricKit's JSON to reports: a payload of several diagnostics, one diagnostic, or only its call stacks.
struct MetricKitReport {
  private let diagnostic: JSONValue
  private let facts: JSONValue
  private var report: CrashReport

  /// The lists of a payload, and what their diagnostics are about.
  private static let lists: [(name: String, kind: ReportKind)] = [
    ("crashDiagnostics", .crash), ("hangDiagnostics", .hang), ("cpuExceptionDiagnostics", .resource),
    ("diskWriteExceptionDiagnostics", .resource), ("appLaunchDiagnostics", .other),
  ]

  /// Whether a document is one of MetricKit's.
  static func isDocument(_ document: JSONValue) -> Bool {
    document["callStackTree"].isObject || !document["callStacks"].elements.isEmpty
      || lists.contains { !document[$0.name].elements.isEmpty } || MetricKitExits.isDocument(document)
  }

  /// Reads the diagnostics of a document in its order, up to one more than `maximum`.
  static func reports(in document: JSONValue, maximum: Int) -> [CrashReport] {
    if document["callStackTree"].isObject || !document["callStacks"].isNull { return [read(document)] }
    var reports: [CrashReport] = []
    for member in document.members {
      guard let list = lists.first(where: { $0.name == member.name }) else { continue }
      for diagnostic in member.value.elements.prefix(maximum + 1 - reports.count) {
        var report = read(diagnostic, kind: list.kind)
        report.header.date = period(document)
        reports.append(report)
      }
    }
    return reports.isEmpty ? MetricKitExits.reports(in: document, period: period(document)) : reports
  }

  /// The period that a payload covers; it doesn't state the time of the crash.
  private static func period(_ payload: JSONValue) -> String? {
    let begin = payload["timeStampBegin"].string
    guard let end = payload["timeStampEnd"].string, end != begin else { return begin }
    return begin.map { "\($0) to \(end)" } ?? end
  }

  static func read(_ diagnostic: JSONValue, kind: ReportKind? = nil) -> CrashReport {
    var reader = MetricKitReport(diagnostic, kind: kind)
    reader.readHeader()
    reader.readException()
    reader.readTermination()
    reader.readFreeText()
    reader.readThreads()
    return reader.report
  }

  private init(_ diagnostic: JSONValue, kind: ReportKind?) {
    self.diagnostic = diagnostic
    facts = diagnostic["diagnosticMetaData"]
    report = CrashReport(format: .metricKit, kind: kind ?? Self.kind(facts))
  }

  /// The kind of a diagnostic, by what it measures.
  private static func kind(_ facts: JSONValue) -> ReportKind {
    func states(_ names: String...) -> Bool { names.contains { !facts[$0].isNull } }
    if states("exceptionType", "signal", "terminationReason", "exceptionReason") { return .crash }
    if states("hangDuration") { return .hang }
    return states("totalCPUTime", "totalSampledTime", "writesCaused") ? .resource : .other
  }

  private mutating func readHeader() {
    report.header.bundleID = facts["bundleIdentifier"].string
    report.header.version = facts["appVersion"].text
    report.header.build = facts["appBuildVersion"].text
    report.header.osVersion = facts["osVersion"].string
    report.header.hardwareModel = facts["deviceType"].string
    report.header.codeType = facts["platformArchitecture"].string
    report.header.pid = facts["pid"].integer
  }

  private mutating func readException() {
    let type = facts["exceptionType"]
    let signal = facts["signal"]
    guard type.text != nil || signal.text != nil else { return }
    var exception = ExceptionRecord()
    exception.type = type.bits.flatMap(MachNames.exception) ?? type.text
    exception.signal = signal.bits.flatMap(MachNames.signal) ?? signal.text
    if let code = facts["exceptionCode"].bits {
      exception.codes = [code]
      exception.codesText = facts["exceptionCode"].text
      if exception.type == "EXC_BAD_ACCESS" { exception.subtype = MachNames.badAccess(code) }
      addAddress(to: &exception)
    }
    report.exception = exception
  }

  /// Adds the address, which isn't among the codes, from the text about its region or the nearest ones, which begins
  /// with it.
  private func addAddress(to exception: inout ExceptionRecord) {
    guard let name = exception.subtype, let region = facts["virtualMemoryRegionInfo"].string,
      region.contains(" is in ") || region.contains(" is not in any"),
      let word = region.split(separator: " ").first,
      let address = word == "0" ? 0 : Bytes(Array(word.utf8)).addressValue
    else { return }
    exception.codes.append(address)
    exception.subtype = "\(name) at \(RuntimeAddress(address))"
  }

  private mutating func readTermination() {
    guard let text = facts["terminationReason"].string else { return }
    report.termination = Self.termination(text)
  }

  /// Reads `Namespace SIGNAL, Code 0xb`, or RunningBoard's own text; further lines are details.
  static func termination(_ text: String) -> TerminationRecord {
    let lines = LineCursor(Bytes(Array(text.utf8))).filter { !$0.isBlank }.map(\.text)
    var record = TerminationRecord()
    guard let first = lines.first else { return record }
    if let context = first.after("<RBSTerminateContext|") {
      readContext(context, into: &record)
    } else {
      ExceptionSection.readReason(first, into: &record)
    }
    record.details += lines.dropFirst().map(\.string)
    return record
  }

  /// Reads `domain:10 code:0x8BADF00D explanation:scene-update watchdog transgression: …`.
  private static func readContext(_ text: Bytes, into record: inout TerminationRecord) {
    let end = text.firstRange(of: "explanation:")
    for word in text[..<(end?.lowerBound ?? text.endIndex)].split(separator: 0x20) {
      if let domain = word.after("domain:") { record.namespace = domain.nonEmptyString }
      if let code = word.after("code:") { record.code = code.numberValue }
    }
    record.indicator = end.flatMap { text[$0.upperBound...].trimmed.nonEmptyString }
  }

  private mutating func readFreeText() {
    report.vmRegionInfo = facts["virtualMemoryRegionInfo"].string
    let reason = facts.members.first {
      $0.value.isObject && $0.name.lowercased().hasSuffix("exceptionreason")
    }?.value
    if let reason {
      report.uncaughtException = UncaughtException(
        name: reason["exceptionName"].string ?? reason["className"].string,
        reason: reason["composedMessage"].string ?? reason["formatString"].string)
    }
    let measures = [
      ("Hang type", diagnostic["hangType"].string ?? facts["hangType"].string),
      ("Hang duration", facts["hangDuration"].text), ("Launch duration", facts["launchDuration"].text),
      ("CPU time", cpuTime),
      ("Writes caused", facts["writesCaused"].text),
    ]
    report.applicationSpecificInformation = measures.compactMap { name, value in
      value.map { "\(name): \($0)" }
    }
  }

  private var cpuTime: String? {
    guard let used = facts["totalCPUTime"].text else { return facts["totalSampledTime"].text }
    return facts["totalSampledTime"].text.map { "\(used) within \($0)" } ?? used
  }

  /// The last component of the bundle identifier, if an image has that name: by default, Xcode names the executable
  /// like this.
  private var processName: String? {
    guard let last = report.header.bundleID?.split(separator: ".").last.map(String.init) else { return nil }
    return report.images.contains { $0.name == last || $0.name == last + ".debug.dylib" } ? last : nil
  }

  private mutating func readThreads() {
    let tree = diagnostic["callStackTree"].isObject ? diagnostic["callStackTree"] : diagnostic
    var frames = MetricKitFrames(isSampled: report.kind == .hang || report.kind == .resource)
    report.threads = tree["callStacks"].elements.enumerated().map { frames.thread($1, index: $0) }
    report.images = frames.images
    report.header.process = processName
    report.locateFrames()
    if report.threads.allSatisfy(\.frames.isEmpty) {
      report.notes.append(ReportNote(line: nil, message: "there are no call stacks"))
    }
  }
}

/// Reads the number of exits of a day from a payload of metrics, `MXAppExitMetric`.
///
/// They state the reasons for which the app ended, and how often, but not where; other metrics are no evidence of
/// crashes.
enum MetricKitExits {
  /// Whether a document has numbers of exits.
  static func isDocument(_ document: JSONValue) -> Bool { document["applicationExitMetrics"].isObject }

  /// A report with the numbers above zero; empty if there are none.
  static func reports(in payload: JSONValue, period: String?) -> [CrashReport] {
    let exits = payload["applicationExitMetrics"]
    let parts = [("foreground", "foregroundExitData"), ("background", "backgroundExitData")].compactMap {
      words, name in counts(exits[name]).map { "\(words): \($0)" }
    }
    guard !parts.isEmpty else { return [] }
    var report = CrashReport(format: .metricKit, kind: .other)
    report.header.date = period
    let about = payload["metaData"]
    report.header.bundleID = about["bundleIdentifier"].string
    report.header.version = payload["appVersion"].text
    report.header.build = about["appBuildVersion"].text
    report.header.osVersion = about["osVersion"].string
    report.header.hardwareModel = about["deviceType"].string
    report.applicationSpecificInformation = ["Exits: " + parts.joined(separator: "; ")]
    return [report]
  }

  /// `2 MemoryResourceLimit, 1 BadAccess`, of members such as `cumulativeBadAccessExitCount`.
  private static func counts(_ data: JSONValue) -> String? {
    let found = data.members.compactMap { name, value -> String? in
      guard name.hasPrefix("cumulative"), name.hasSuffix("ExitCount"), let count = value.integer, count > 0
      else {
        return nil
      }
      return "\(count) \(name.dropFirst("cumulative".count).dropLast("ExitCount".count))"
    }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }
}
