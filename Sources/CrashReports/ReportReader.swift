/// Finds out what a file holds.
///
/// This is the one place that looks at bytes to tell formats apart.
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
    position = byteOrderMarkLength(bytes)
    lines = LineCount(bytes)
  }

  /// Reads one part; false at the end of the input.
  private mutating func readPart() -> Bool {
    skipWhitespace()
    guard position < bytes.endIndex else { return false }
    if bytes[position] == UInt8(ascii: "{") {
      readDocuments()
    } else if bytes[position...].hasPrefix("<?xml") {
      readPropertyList()
    } else {
      reports += textReports(format: .appleText)
    }
    return true
  }

  private mutating func skipWhitespace() {
    while position < bytes.endIndex, bytes[position].isWhitespace { position += 1 }
  }

  /// Reads a header line and the body behind it.
  private mutating func readDocuments() {
    var notes: [ReportNote] = []
    let line = lines.number(at: position)
    var document = position
    guard let header = readHeader(&notes), header.isObject else { return }
    if IPSReport.isBody(header) {
      return append(IPSReport.read(header: header, body: header), notes, at: document)
    }
    guard IPSReport.isHeader(header) else { return }
    skipMarkers()
    if position < bytes.endIndex, bytes[position] == UInt8(ascii: "{") {
      document = position
      let body = readDocument(in: bytes[position...], &notes) ?? .null
      append(IPSReport.read(header: header, body: body), notes, at: document)
    } else if let text = textReports(behind: header) {
      for report in text { append(report, notes) }
    } else {
      notes.append(ReportNote(line: line, message: "the header line has no body"))
      append(IPSReport.read(header: header, body: .null), notes)
    }
  }

  /// Reads the first document: one line, unless a tool has laid it out anew.
  private mutating func readHeader(_ notes: inout [ReportNote]) -> JSONValue? {
    let line = bytes[position..<endOfLine(position)]
    guard line.trimmedEnd.count > 1 else { return readDocument(in: bytes[position...], &notes) }
    let broken = notes.count
    let header = readDocument(in: line, &notes)
    if notes.count > broken { position = line.endIndex }
    return header
  }

  /// Reads one JSON document and goes past it, or past what of it could be read.
  private mutating func readDocument(in part: Bytes, _ notes: inout [ReportNote]) -> JSONValue? {
    var reader = JSONReader(part)
    let value = reader.readValue()
    position = max(reader.position, position + 1)
    if let failure = reader.failure {
      let message = "the JSON breaks off: \(failure.message); what stood before was read"
      notes.append(ReportNote(line: lines.number(at: failure.position), message: message))
    }
    return value
  }

  /// Some bodies stand behind a line that only says what follows: `{"_marker": …}`.
  private mutating func skipMarkers() {
    while true {
      skipWhitespace()
      let line = bytes[position..<endOfLine(position)]
      guard line.hasPrefix("{\"_marker\"") else { return }
      position = line.endIndex
    }
  }

  /// Reads the text behind a header line; nil when there is none.
  private mutating func textReports(behind header: JSONValue) -> [CrashReport]? {
    guard position < bytes.endIndex else { return nil }
    var found = textReports(format: .ipsText)
    if found.isEmpty { found = [CrashReport(format: .ipsText)] }
    let facts = IPSReport.read(header: header, body: .null)
    for index in found.indices { found[index].complete(from: facts) }
    return found
  }

  /// Reads text up to the next header line.
  ///
  /// A translation gives way to the original behind it.
  private mutating func textReports(format: ReportFormat) -> [CrashReport] {
    let part = nextText()
    let firstLine = lines.number(at: part.bytes.startIndex)
    position = part.bytes.endIndex
    // Behind a header line even another tool's text tells something; alone it is none of Apple's reports.
    if part.isForeign, format == .appleText { return [] }
    let text = TextReport.reports(in: part.bytes, firstLine: firstLine, format: format)
    guard part.isTranslation, position < bytes.endIndex else { return text }
    let count = reports.count
    readDocuments()
    guard reports.count == count + 1, let original = reports.popLast() else { return text }
    if original.notes.isEmpty || text.allSatisfy(\.threads.isEmpty) { return [original] }
    return text.map { report in
      var report = report
      report.notes += original.notes
      report.notes.append(
        ReportNote(line: nil, message: "the full report is damaged; its translation was read"))
      return report
    }
  }

  private struct TextPart {
    var bytes: Bytes
    /// `Full Report` ends it: what follows is the same report as JSON.
    var isTranslation = false
    /// A sample, a hang report, a list of leaks or a Swift backtrace.
    var isForeign = false
  }

  /// Goes on to the next line that begins an .ips document.
  private func nextText() -> TextPart {
    var part = TextPart(bytes: bytes[position...])
    var hasException = false
    for line in LineCursor(part.bytes) where !line.isBlank {
      if beginsDocument(line.text, part.isTranslation) {
        part.bytes = bytes[position..<line.text.startIndex]
        break
      }
      if line.text.first != UInt8(ascii: "-") { part.isTranslation = line.text.equals("Full Report") }
      if line.text.hasPrefix("Exception") { hasException = true }
      if Self.isForeign(line.text) { part.isForeign = true }
    }
    if hasException { part.isForeign = false }
    return part
  }

  private static let foreignMarks = [
    "Analysis of sampling ", "Analysis Tool:", "leaks Report Version:", "Call graph:", "Data Source:",
    "Sleep Wake failure", "*** Program crashed", "*** Signal ",
  ]

  private static func isForeign(_ line: Bytes) -> Bool {
    guard let first = line.first, first.isLetter || first == UInt8(ascii: "*") else { return false }
    return foreignMarks.contains { line.hasPrefix($0) }
  }

  private func beginsDocument(_ line: Bytes, _ isTranslation: Bool) -> Bool {
    guard line.first == UInt8(ascii: "{") else { return false }
    return isTranslation || line.hasPrefix("{\"") && line.firstRange(of: "\"bug_type\"") != nil
  }

  /// Devices before iOS 7 wrapped the text into a property list, whose escapes keep the lines as they are.
  private mutating func readPropertyList() {
    let part = bytes[position...]
    position = bytes.endIndex
    guard let key = part.firstRange(of: "<key>description</key>"),
      let open = part[key.upperBound...].firstRange(of: "<string>")
    else { return }
    let end = part[open.upperBound...].firstRange(of: "</string>")?.lowerBound ?? part.endIndex
    let text = part[open.upperBound..<end].withoutXMLEscapes
    reports += TextReport.reports(
      in: text, firstLine: lines.number(at: open.upperBound), format: .appleText)
  }

  private mutating func append(_ report: CrashReport, _ notes: [ReportNote], at document: Int? = nil) {
    var report = report
    report.notes = notes + report.notes
    report.documentPosition = document
    reports.append(report)
  }

  private func endOfLine(_ start: Int) -> Int { CrashReports.endOfLine(in: bytes, from: start) }
}

/// Counts lines.
///
/// Questions come in the input's order, so each goes on where the last one stopped.
private struct LineCount {
  private let bytes: Bytes
  private var position: Int
  private var line = 1

  init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  mutating func number(at target: Int) -> Int {
    while position < target, position < bytes.endIndex {
      let isCRLF = bytes[position...].starts(with: [0x0d, 0x0a])
      if bytes[position] == 0x0a || bytes[position] == 0x0d && !isCRLF { line += 1 }
      position += 1
    }
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
