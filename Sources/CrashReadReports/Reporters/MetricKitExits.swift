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
