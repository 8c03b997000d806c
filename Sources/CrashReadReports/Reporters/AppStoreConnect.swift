internal import CrashReadCore

/// Maps App Store Connect's performance data of an app: the logs of a diagnostic signature, whose call stacks are
/// MetricKit's with names, and the list of signatures, which has only text.
///
/// Documented at developer.apple.com, "App Store Connect API": `DiagnosticLogs` and `DiagnosticSignature`.
enum AppStoreConnect {
  /// Whether a document is one of these responses.
  static func isDocument(_ document: JSONValue) -> Bool {
    document["productData"].elements.contains { !$0["diagnosticLogs"].isNull }
      || !signatures(document).isEmpty
  }

  /// Reads the logs or the signatures, up to one more than `maximum`.
  static func reports(in document: JSONValue, maximum: Int) -> [CrashReport] {
    let logs = document["productData"].elements.flatMap { product in
      product["diagnosticLogs"].elements.prefix(maximum + 1).map { ($0, product["diagnosticInsights"]) }
    }
    return logs.prefix(maximum + 1).map(read) + signatures(document).prefix(maximum + 1).map(signature)
  }

  private static func signatures(_ document: JSONValue) -> [JSONValue] {
    let data = document["data"].isObject ? [document["data"]] : document["data"].elements
    return data.filter { $0["type"].string == "diagnosticSignatures" }
  }

  private static func read(_ log: JSONValue, _ insights: JSONValue) -> CrashReport {
    let trees = log["callStackTree"]
    let tree = trees.isObject ? trees : trees.elements.first ?? .null
    let facts = log["diagnosticMetaData"]
    var report = MetricKitReport.read(
      .object([("diagnosticMetaData", facts), ("callStackTree", tree)]), kind: kind(facts["event"].string))
    report.format = .appStoreConnect
    report.header.build = report.header.build ?? facts["buildVersion"].text
    let information = [facts["eventDetail"].string] + insights.elements.map { $0["insightsString"].string }
    report.applicationSpecificInformation += information.compactMap(\.self)
    return report
  }

  private static func kind(_ event: String?) -> ReportKind {
    switch event?.lowercased() {
    case "hang", "hangs": .hang
    case "crash", "crashes": .crash
    case "disk writes", "disk_writes", "cpu usage": .resource
    default: .other
    }
  }

  private static func signature(_ source: JSONValue) -> CrashReport {
    let facts = source["attributes"]
    var report = CrashReport(format: .appStoreConnect, kind: kind(facts["diagnosticType"].string))
    report.header.incident = source["id"].string
    report.applicationSpecificInformation = [facts["signature"].string, facts["insight"]["direction"].string]
      .compactMap(\.self)
    report.notes = [
      ReportNote(
        line: nil, message: "a signature has no call stack; its logs (…/diagnosticSignatures/ID/logs) have")
    ]
    return report
  }
}
