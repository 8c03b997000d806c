internal import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSymbolication

/// What grouping needs to know of one report: all of it texts, so that it can come out of a JSON result as well.
public struct CrashOccurrence: Sendable, Hashable {
  /// The input's name.
  public var input: String
  /// What the report is about: `crash`, `hang`….
  public var kind: String
  /// The app: its bundle identifier, else the process's name; nil when the report names neither.
  public var app: String?
  /// The process's name.
  public var process: String?
  /// The crash's signature; nil when nothing names its functions.
  public var signature: String?
  /// The rule that explained it; nil when none did.
  public var rule: String?
  /// What happened, in one line.
  public var title: String
  /// The blamed function; nil when there is none, or it has no name.
  public var function: String?
  /// The blamed line, as `Fuga.swift:17`; nil without one.
  public var place: String?
  /// The app's version and build, as `1.2 (34)`.
  public var version: String?
  /// The system, with its build.
  public var system: String?
  /// The device's model.
  public var device: String?
  /// When it happened, in seconds since 1970 in UTC; nil when the report's date can't be read, or can't be true.
  public var time: Int64?

  /// Takes what there is to know from a diagnosis.
  public init(input: String, diagnosis: Diagnosis) {
    let report = diagnosis.symbolicated.report
    let header = report.header
    self.input = input
    kind = report.kind.rawValue
    app = header.bundleID ?? header.process
    process = header.process
    signature = diagnosis.signature
    rule = diagnosis.explanation.rule
    title = diagnosis.explanation.title
    function = diagnosis.blamedName
    place = diagnosis.blamedPlace.flatMap { shortPlace($0.file, $0.line) }
    version = fullVersion(header.version, header.build)
    system = header.osVersion
    device = header.hardwareModel
    time = header.date.flatMap(plausibleTime)
  }

  /// Reads a result of `--format ndjson` or `batch`; nil for an error record, or anything that is no result.
  package init?(result: JSONValue) {
    guard let input = result["input"].string, let kind = result["report"]["kind"].string else { return nil }
    let (report, diagnosis) = (result["report"], result["diagnosis"])
    self.input = input
    self.kind = kind
    app = report["bundleID"].string ?? report["process"].string
    process = report["process"].string
    signature = result["signature"].string
    rule = diagnosis["rule"].string
    title = diagnosis["title"].string ?? ""
    function = diagnosis["blamed"]["function"].string
    place = diagnosis["blamed"]["file"].string.flatMap { shortPlace($0, diagnosis["blamed"]["line"].integer) }
    version = fullVersion(report["version"].string, report["build"].string)
    system = report["osVersion"].string
    device = report["hardwareModel"].string
    time = report["date"].string.flatMap(plausibleTime)
  }
}

/// Crash reports are younger than 2000; a device whose clock isn't set says 1970.
private func plausibleTime(_ date: String) -> Int64? {
  secondsSince1970(date, offset: 0).flatMap { $0 >= 946_684_800 ? $0 : nil }
}

private func shortPlace(_ file: String, _ line: Int?) -> String? {
  guard let name = file.split(separator: "/").last else { return nil }
  return line.map { "\(name):\($0)" } ?? String(name)
}

private func fullVersion(_ version: String?, _ build: String?) -> String? {
  guard let version else { return build.map { "(\($0))" } }
  return build.map { "\(version) (\($0))" } ?? version
}
