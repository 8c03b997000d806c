package import CrashReadReports

/// A report on one line: file, format, kind, process with version, exception; a dash for what isn't stated.
package func kindLine(_ file: String, _ report: CrashReport) -> String {
  let process = [report.header.process ?? "-", report.header.version ?? "-"]
  let signal = report.exception?.signal.map { " (\($0))" } ?? ""
  let exception = report.exception.flatMap { $0.type.map { $0 + signal } ?? $0.signal } ?? "-"
  return ([file + ":", report.format.rawValue, report.kind.rawValue] + process + [exception]).joined(
    separator: " ")
}

/// Reports as a JSON array: for each report `input` and those members of `report` and `exception` of crashread-json(5)
/// that identify its kind.
package func kindJSON(_ reports: [(file: String, report: CrashReport)]) -> String {
  var writer = JSONWriter()
  writer.array(nil, reports) { json, entry in
    json.object { json in
      json.field("input", entry.file)
      json.field("format", entry.report.format.rawValue)
      json.field("kind", entry.report.kind.rawValue)
      json.field("process", entry.report.header.process)
      json.field("version", entry.report.header.version)
      guard let exception = entry.report.exception else { return }
      json.object("exception") {
        $0.field("type", exception.type)
        $0.field("signal", exception.signal)
      }
    }
  }
  return writer.text + "\n"
}
