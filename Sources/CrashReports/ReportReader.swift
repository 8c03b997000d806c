/// Finds out what a file holds. This is the one place that looks at bytes to tell formats apart.
///
/// A file is a row of parts: JSON documents with a header line, and stretches of text between them.
struct ReportReader {
  private let bytes: Bytes
  private var position: Int
  private var reports: [CrashReport] = []
  private var lines: LineCount

  static func reports(in bytes: [UInt8]) -> [CrashReport] {
    var reader = ReportReader(Bytes(bytes))
    while reader.readPart() {}
    return reader.reports
  }

  private init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    lines = LineCount(bytes)
  }

  /// Reads one part; false at the end of the input.
  private mutating func readPart() -> Bool {
    while position < bytes.endIndex, bytes[position].isWhitespace { position += 1 }
    guard position < bytes.endIndex else { return false }
    if bytes[position] == UInt8(ascii: "{") {
      readDocuments()
    } else {
      readText(format: .appleText)
    }
    return true
  }

  /// Reads a header line and the body behind it.
  private mutating func readDocuments() {
    let start = position
    let (first, failure) = readHeaderLine()
    guard let first, first.isObject else { return }
    if IPSReport.isBody(first) { return append(IPSReport.read(header: .null, body: first), failure) }
    guard IPSReport.isHeader(first) else { return }
    skipBlanksAndMarkers()
    if position < bytes.endIndex, bytes[position] == UInt8(ascii: "{") {
      var reader = JSONReader(bytes[position...])
      let body = reader.readValue() ?? .null
      position = max(reader.position, position + 1)
      append(IPSReport.read(header: first, body: body), failure ?? reader.failure)
    } else if let text = textReport(header: first) {
      reports += text
    } else {
      var report = IPSReport.read(header: first, body: .null)
      report.notes.append(ReportNote(line: lines.number(at: start), message: "the header line has no body"))
      append(report, failure)
    }
  }

  /// Reads the first document: one line; in files that a tool has laid out anew, more.
  private mutating func readHeaderLine() -> (JSONValue?, JSONReader.Break?) {
    let lineEnd = endOfLine(position)
    var reader = JSONReader(bytes[position..<lineEnd])
    var value = reader.readValue()
    if reader.failure != nil, reader.position >= lineEnd {
      reader = JSONReader(bytes[position...])
      value = reader.readValue()
      position = max(reader.position, position + 1)
    } else {
      position = reader.failure == nil ? reader.position : lineEnd
    }
    return (value, reader.failure)
  }

  /// Some bodies stand behind a line that only says what follows: `{"_marker": …}`.
  private mutating func skipBlanksAndMarkers() {
    while true {
      while position < bytes.endIndex, bytes[position].isWhitespace { position += 1 }
      let line = bytes[position..<endOfLine(position)]
      guard line.hasPrefix("{\"_marker\"") else { return }
      position = line.endIndex
    }
  }

  /// Reads the text behind a header line; nil when it isn't a report and the header doesn't announce one.
  private mutating func textReport(header: JSONValue) -> [CrashReport]? {
    let start = position
    var found = textReports(format: .ipsText)
    if found.isEmpty {
      guard position > start else { return nil }
      found = [CrashReport(format: .ipsText)]
    }
    let facts = IPSReport.read(header: header, body: .null)
    for index in found.indices { found[index].complete(from: facts) }
    return found
  }

  private mutating func readText(format: ReportFormat) {
    reports += textReports(format: format)
  }

  /// Reads text up to the next header line. A translation gives way to the original behind it.
  private mutating func textReports(format: ReportFormat) -> [CrashReport] {
    let start = position
    let end = endOfText()
    let text = TextReport.reports(in: bytes[start..<end.index], firstLine: lines.number(at: start), format: format)
    position = end.index
    guard end.isTranslation, position < bytes.endIndex else { return text }
    let before = reports.count
    readDocuments()
    guard reports.count == before + 1, let original = reports.popLast() else { return text }
    if original.notes.isEmpty || text.allSatisfy(\.threads.isEmpty) { return [original] }
    return text.map { report in
      var report = report
      report.notes += original.notes
      report.notes.append(ReportNote(line: nil, message: "the full report is damaged; its translation was read"))
      return report
    }
  }

  /// Finds the next line that begins an .ips document, and whether `Full Report` stands before it.
  private func endOfText() -> (index: Int, isTranslation: Bool) {
    var isTranslation = false
    for line in LineCursor(bytes[position...]) {
      if line.text.equals("Full Report") {
        isTranslation = true
      } else if line.text.first == UInt8(ascii: "{"),
        isTranslation || line.text.hasPrefix("{\"") && line.text.firstRange(of: "\"bug_type\"") != nil
      {
        return (line.text.startIndex, isTranslation)
      } else if !line.isBlank, line.text.contains(where: { $0 != UInt8(ascii: "-") }) {
        isTranslation = false
      }
    }
    return (bytes.endIndex, false)
  }

  private mutating func append(_ report: CrashReport, _ failure: JSONReader.Break?) {
    var report = report
    if let failure {
      let message = "the JSON breaks off: \(failure.message); what stood before was read"
      report.notes.append(ReportNote(line: lines.number(at: failure.position), message: message))
    }
    reports.append(report)
  }

  private func endOfLine(_ start: Int) -> Int {
    bytes[start...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.endIndex
  }
}

/// Counts lines. Questions come in the input's order, so each goes on where the last one stopped.
private struct LineCount {
  private let bytes: Bytes
  private var position: Int
  private var line = 1

  init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  mutating func number(at target: Int) -> Int {
    if target < position {
      position = bytes.startIndex
      line = 1
    }
    for index in position..<min(target, bytes.endIndex) {
      if bytes[index] == 0x0a || bytes[index] == 0x0d && (index + 1 == bytes.endIndex || bytes[index + 1] != 0x0a) {
        line += 1
      }
    }
    position = max(position, target)
    return line
  }
}

extension CrashReport {
  /// Takes from an .ips header line what the text under it doesn't say.
  fileprivate mutating func complete(from facts: CrashReport) {
    if facts.kind != .other { kind = facts.kind }
    header.incident = header.incident ?? facts.header.incident
    header.date = header.date ?? facts.header.date
    header.process = header.process ?? facts.header.process
    header.bundleID = header.bundleID ?? facts.header.bundleID
    header.osVersion = header.osVersion ?? facts.header.osVersion
    // Text reports of iOS print the build first; the header line tells the two apart.
    header.version = facts.header.version ?? header.version
    header.build = facts.header.build ?? header.build
  }
}
