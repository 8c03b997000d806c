/// Maps the body of a jetsam event, which lists all processes and their memory, to a report on one of them.
struct JetsamEvent {
  private let body: JSONValue
  private let processes: [JSONValue]
  private let pageSize: UInt64?

  init(_ body: JSONValue) {
    self.body = body
    processes = body["processes"].elements
    pageSize = body["memoryStatus"]["pageSize"].bits
  }

  /// The report on a body whose header line was not copied, or on a single entry of `processes`; nil for anything else.
  static func report(of entry: JSONValue) -> CrashReport? {
    let isEvent = entry["memoryStatus"]["memoryPages"].isObject
    if isEvent || entry["processes"].elements.contains(where: { $0["rpages"].bits != nil }) {
      return JetsamEvent(entry).completing(CrashReport(format: .ips, kind: .jetsam))
    }
    guard entry["rpages"].bits != nil, entry["name"].string != nil, entry["reason"].string != nil else {
      return nil
    }
    let event = JetsamEvent(.object([("processes", .array([entry]))]))
    var report = event.completing(CrashReport(format: .ips, kind: .jetsam))
    report.notes.append(ReportNote(line: nil, message: "the text contains one process of a jetsam event"))
    return report
  }

  /// Adds which process was killed and why, and what used the memory.
  func completing(_ report: CrashReport) -> CrashReport {
    var report = report
    report.kind = .jetsam
    let ended = processes.filter { $0["reason"].string != nil }
    if let victim = Self.victim(among: ended) {
      report.header.process = victim["name"].string
      report.header.pid = victim["pid"].integer
      var termination = report.termination ?? TerminationRecord()
      termination.namespace = "JETSAM"
      termination.indicator = victim["reason"].string
      report.termination = termination
      report.applicationSpecificInformation.append("Ended: " + description(victim))
    } else {
      report.notes.append(ReportNote(line: nil, message: "the report doesn't state which process was killed"))
      report.header.process = nil
      report.header.pid = nil
    }
    if ended.count > 1 {
      report.applicationSpecificInformation.append("Processes ended before it or with it: \(ended.count - 1)")
    }
    report.applicationSpecificInformation += circumstances
    return report
  }

  /// The process that was killed. A report can list all processes killed since the last one: of these, the frontmost
  /// process, else the one that used the most memory.
  private static func victim(among ended: [JSONValue]) -> JSONValue? {
    func rank(_ process: JSONValue) -> (Int, UInt64) {
      let isFrontmost = process["states"].elements.contains { $0.string == "frontmost" }
      return (isFrontmost ? 1 : 0, process["rpages"].bits ?? 0)
    }
    return ended.max { rank($0) < rank($1) }
  }

  private var circumstances: [String] {
    var lines: [String] = []
    if let name = body["largestProcess"].string {
      let process = processes.first { $0["name"].string == name }
      lines.append("Largest process: " + (process.map(description) ?? name))
    }
    if let free = body["memoryStatus"]["memoryPages"]["free"].bits {
      lines.append("Free memory: " + size(free))
    }
    return lines
  }

  private func description(_ process: JSONValue) -> String {
    var parts = [process["name"].string ?? "a process without a name"]
    if let pages = process["rpages"].bits { parts.append(size(pages)) }
    if let reason = process["reason"].string { parts.append(reason) }
    let states = process["states"].elements.compactMap(\.string)
    if !states.isEmpty { parts.append(states.joined(separator: " ")) }
    return parts.joined(separator: ", ")
  }

  private func size(_ pages: UInt64) -> String {
    let text = "\(pages) pages"
    guard let pageSize else { return text }
    let (bytes, overflow) = pages.multipliedReportingOverflow(by: pageSize)
    return overflow ? text : "\(text) (\(bytes >> 20) MB)"
  }
}
