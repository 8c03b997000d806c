internal import CrashReadCore

/// Finds the crash in a log record of Embrace's SDK: an OpenTelemetry record whose attribute `emb.payload` is the
/// text of a KSCrash or MetricKit report (github.com/embrace-io/embrace-apple-sdk, LogSemantics).
enum EmbraceLog {
  private static let maximumDepth = 12
  private static let key = "emb.payload"

  /// The reports; nil when no record of the document has that attribute.
  static func reports(in document: JSONValue, maximum: Int, depth: Int) -> [CrashReport]? {
    var payloads: [String] = []
    collect(document, into: &payloads, depth: 0, maximum: maximum)
    let reports = payloads.flatMap { payload in
      var reader = JSONReader(Bytes(Array(payload.utf8)), depth: depth)
      guard let inner = reader.readValue(), inner.isObject else { return [CrashReport]() }
      if KSCrashReport.isDocument(inner) { return KSCrashReport.reports(in: inner) }
      return MetricKitReport.isDocument(inner) ? MetricKitReport.reports(in: inner, maximum: maximum) : []
    }
    return reports.isEmpty ? nil : reports
  }

  /// Attributes are members, or pairs of `key` and `value`, whose text can be in `stringValue`.
  private static func collect(_ value: JSONValue, into payloads: inout [String], depth: Int, maximum: Int) {
    guard depth < maximumDepth, payloads.count <= maximum else { return }
    if value["key"].string == key, let text = value["value"].string ?? value["value"]["stringValue"].string {
      payloads.append(text)
    } else if let text = value[key].string {
      payloads.append(text)
    }
    for element in value.elements { collect(element, into: &payloads, depth: depth + 1, maximum: maximum) }
    for member in value.members { collect(member.value, into: &payloads, depth: depth + 1, maximum: maximum) }
  }
}
