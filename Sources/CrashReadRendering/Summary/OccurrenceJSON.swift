internal import CrashReadDiagnosis
internal import CrashReadReports
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
