internal import CrashReadDebugInfo
public import CrashReadDiagnosis
package import CrashReadReports
internal import CrashReadSymbolication

/// What grouping needs of a result, on one line: the same members as in the result itself, and no others.
package func occurrenceJSON(_ analysis: ReportAnalysis) -> String {
  var writer = JSONWriter(isOneLine: true)
  writer.object { json in
    let diagnosis = analysis.diagnosis
    json.field("schemaVersion", 1)
    json.field("input", analysis.input)
    json.object("report") { writeHeader(diagnosis.symbolicated.report, to: &$0) }
    json.object("diagnosis") { json in
      json.field("rule", diagnosis.explanation.rule)
      json.field("title", diagnosis.explanation.title)
      if let blamed = diagnosis.blamed { json.object("blamed") { writeBlamed(blamed, diagnosis, to: &$0) } }
    }
    json.field("signature", diagnosis.signature)
  }
  return writer.text
}

extension CrashOccurrence {
  /// Takes what there is to know from an analysis.
  public init(_ analysis: ReportAnalysis) { self.init(input: analysis.input, diagnosis: analysis.diagnosis) }

  /// Reads what `occurrenceJSON` writes, or any result of `--format ndjson` or `batch`; nil for an error record, or
  /// anything that is no result.
  package init?(result: JSONValue) {
    guard let input = result["input"].string, let kind = result["report"]["kind"].string else { return nil }
    let (diagnosis, blamed) = (result["diagnosis"], result["diagnosis"]["blamed"])
    self.init(
      input: input, kind: kind, header: ReportHeader(result["report"]), signature: result["signature"].string,
      rule: diagnosis["rule"].string, title: diagnosis["title"].string ?? "",
      function: blamed["function"].string,
      location: blamed["file"].string.map { SourceLocation(file: $0, line: blamed["line"].integer) })
  }
}

extension ReportHeader {
  /// Reads back the members of a result's `report` that grouping needs.
  fileprivate init(_ json: JSONValue) {
    self.init()
    date = json["date"].string
    process = json["process"].string
    bundleID = json["bundleID"].string
    version = json["version"].string
    build = json["build"].string
    hardwareModel = json["hardwareModel"].string
    osVersion = json["osVersion"].string
  }
}
