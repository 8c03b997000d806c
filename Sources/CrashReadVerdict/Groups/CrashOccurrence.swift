package import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSymbolication

/// The properties of a report by which crashes are grouped: mostly texts, so that it can also be read from JSON output.
public struct CrashOccurrence: Sendable, Hashable {
  /// The input's name.
  public var input: String
  /// The kind of report: `crash`, `hang`….
  public var kind: String
  /// The app: its bundle identifier, else the process's name; nil when the report has neither.
  public var app: String?
  /// The process's name.
  public var process: String?
  /// The crash's signature; nil when its functions have no names.
  public var signature: String?
  /// The rule that matched; nil when none did.
  public var rule: String?
  /// What happened, in one line.
  public var title: String
  /// The blamed function; nil when there is none or its name is unknown.
  public var function: String?
  /// The blamed line, as `Fuga.swift:17`; nil without one.
  public var location: String?
  /// The app's version and build, as `1.2 (34)`.
  public var version: String?
  /// The system, with its build.
  public var system: String?
  /// The device's model.
  public var device: String?
  /// When it happened, in seconds since 1970 in UTC; nil when the report's date is invalid or implausible.
  public var time: Int64?
  /// The innermost functions of its stack with their locations, one per line, innermost first.
  package var stack: [String] = []
  /// The language of the title.
  var language = Language.english

  /// An occurrence from a report's header and the verdict on it.
  package init(
    input: String, kind: String, header: ReportHeader, signature: String?, rule: String?, title: String,
    function: String?, location: SourceLocation?
  ) {
    self.input = input
    self.kind = kind
    app = header.bundleID ?? header.process
    process = header.process
    self.signature = signature
    self.rule = rule
    self.title = title
    self.function = function
    self.location = location?.description
    version = fullVersion(header.version, header.build)
    system = header.osVersion
    device = header.hardwareModel
    time = header.date.flatMap(plausibleTime)
  }

  /// An occurrence from a diagnosis.
  package init(input: String, diagnosis: Diagnosis) {
    let report = diagnosis.symbolicated.report
    self.init(
      input: input, kind: report.kind.rawValue, header: report.header, signature: diagnosis.signature,
      rule: diagnosis.explanation.rule, title: diagnosis.explanation.title, function: diagnosis.blamedName,
      location: diagnosis.blamedLocation)
    language = diagnosis.language
  }
}

/// Seconds since 1970 for a plausible date. Crash reports are from 2000 or later; a device whose clock isn't set gives
/// 1970.
private func plausibleTime(_ date: String) -> Int64? {
  secondsSince1970(date, offset: 0).flatMap { $0 >= 946_684_800 ? $0 : nil }
}

private func fullVersion(_ version: String?, _ build: String?) -> String? {
  guard let version else { return build.map { "(\($0))" } }
  return build.map { "\(version) (\($0))" } ?? version
}
