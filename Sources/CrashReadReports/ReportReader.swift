internal import CrashReadCore

/// Finds out what a file holds.
///
/// This is the one place that looks at bytes to tell formats apart.
///
/// A file is a row of parts: JSON documents with a header line, and stretches of text between them.
struct ReportReader {
  /// As much of a text without structure as is kept.
  private static let mostPlainLines = 200

  private let bytes: Bytes
  private let jsonDepth: Int
  private let mostReports: Int
  private var position: Int
  private var reports: [CrashReport] = []
  private var lines: LineCount
  /// Up to where a document of several lines was looked for in vain.
  private var triedUntil = 0
  private var knownLine = 0..<0

  /// What lies beyond the limit is not read; the last report's notes tell.
  static func reports(in bytes: [UInt8], limits: Limits) -> [CrashReport] {
    var reader = ReportReader(Bytes(bytes), limits)
    while reader.reports.count <= reader.mostReports, reader.readPart() {}
    return reader.reports.cut(to: reader.mostReports).completed(from: reader.bytes).map {
      $0.withManagedStacks()
    }
  }

  private init(_ bytes: Bytes, _ limits: Limits) {
    self.bytes = bytes
    jsonDepth = limits.jsonDepth
    mostReports = max(1, limits.reports)
    position = byteOrderMarkLength(bytes)
    lines = LineCount(bytes)
  }

  /// Reads one part; false at the end of the input.
  private mutating func readPart() -> Bool {
    skipWhitespace()
    guard position < bytes.endIndex else { return false }
    if bytes[position] == UInt8(ascii: "{") {
      readDocuments()
    } else if PLCrashReport.isFile(bytes[position...]) {
      reports.append(PLCrashReport.read(bytes[position...]))
      position = bytes.endIndex
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
    if SwiftJSON.isReport(header) { return append(SwiftJSON.read(header), notes) }
    if IPSReport.isBody(header) {
      return append(IPSReport.read(header: header, body: header), notes, at: document)
    }
    if let found = foreignReports(of: header) {
      for report in found { append(report, notes) }
      return
    }
    guard IPSReport.isHeader(header) else { return }
    skipMarkers()
    if position < bytes.endIndex, bytes[position] == UInt8(ascii: "{") {
      document = position
      let body = readDocument(in: bytes[position...], &notes) ?? .null
      let found = IPSReport.reports(header: header, body: body)
      // Several reports out of one document are snapshots, which can't be written back frame by frame.
      for report in found { append(report, notes, at: found.count == 1 ? document : nil) }
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
    var reader = JSONReader(line, depth: jsonDepth)
    let header = reader.readValue()
    let isOneLine = reader.failure == nil || header.map(IPSReport.isHeader) ?? false
    if !isOneLine, let document = readOverLines(&notes) { return document }
    finish(reader, &notes)
    if reader.failure != nil { position = line.endIndex }
    return header
  }

  /// Reads a document that goes on behind its first line; nil, and nothing is passed, when it isn't one.
  ///
  /// Lines that were tried in vain once are not tried again, or an input of such lines would take for ever.
  private mutating func readOverLines(_ notes: inout [ReportNote]) -> JSONValue? {
    guard position >= triedUntil else { return nil }
    var reader = JSONReader(bytes[position...], depth: jsonDepth)
    let document = reader.readValue()
    triedUntil = reader.position
    guard let document, reader.failure == nil || foreignReports(of: document) != nil else { return nil }
    finish(reader, &notes)
    return document
  }

  /// The reports in a document that another reporter than Apple's wrote; nil when it is none.
  private func foreignReports(of document: JSONValue) -> [CrashReport]? {
    if MetricKitReport.isDocument(document) {
      return MetricKitReport.reports(in: document, most: mostReports)
    }
    if KSCrashReport.isDocument(document) { return KSCrashReport.reports(in: document) }
    if AppStoreConnect.isDocument(document) {
      return AppStoreConnect.reports(in: document, most: mostReports)
    }
    if let form = ReporterForm(of: document) {
      return ReporterEvent.reports(in: document, form, most: mostReports)
    }
    if SentryEvent.isDocument(document) { return [SentryEvent.read(document)] }
    return EmbraceLog.reports(in: document, most: mostReports, depth: jsonDepth)
      ?? UnknownJSON.report(in: document).map { [$0] }
  }

  /// Reads one JSON document and goes past it, or past what of it could be read.
  private mutating func readDocument(in part: Bytes, _ notes: inout [ReportNote]) -> JSONValue? {
    var reader = JSONReader(part, depth: jsonDepth)
    let value = reader.readValue()
    finish(reader, &notes)
    return value
  }

  /// Goes past what was read, and tells why it isn't all.
  private mutating func finish(_ reader: JSONReader, _ notes: inout [ReportNote]) {
    position = max(reader.position, position + 1)
    guard let failure = reader.failure else { return }
    let message = "the JSON breaks off: \(failure.message); what stood before was read"
    notes.append(ReportNote(line: lines.number(at: failure.position), message: message))
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
    let start = position
    var found = textReports(format: .ipsText)
    let text = bytes[start..<max(start, position)]
    if found.isEmpty { found = [plainText(text)] }
    let facts = IPSReport.read(header: header, body: .null)
    // Of several processes the header line is about the first.
    let count = found[0].format == .ipsText ? found.count : 1
    for index in 0..<count { found[index].complete(from: facts) }
    return found
  }

  /// What is neither a report nor a stackshot, such as the log of an update: kept as text.
  private func plainText(_ text: Bytes) -> CrashReport {
    var report = CrashReport(format: .ipsText, kind: .other)
    report.applicationSpecificInformation = LineCursor(text).lazy.filter { !$0.isBlank }
      .prefix(Self.mostPlainLines).map(\.raw.string)
    return report
  }

  /// Reads text up to the next header line.
  ///
  /// A translation gives way to the original behind it.
  private mutating func textReports(format: ReportFormat) -> [CrashReport] {
    let part = nextText()
    let firstLine = lines.number(at: part.bytes.startIndex)
    position = part.bytes.endIndex
    if let dialect = part.dialect {
      let found = dialect.reports(in: part.bytes, firstLine: firstLine, most: mostReports)
      // Behind a header line even another tool's text tells something; alone it is none of Apple's reports.
      if !found.isEmpty || format == .appleText { return found }
    }
    let text = LogReports.reports(
      in: part.bytes, firstLine: firstLine, format: format, isReport: part.hasTitle, jsonDepth: jsonDepth,
      most: mostReports)
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
    /// A title says where the frames are that matter: other lists are the other threads'.
    var hasTitle = false
    /// What the text is when it is no crash report.
    var dialect: TextDialect?
  }

  /// Goes on to the next line that begins an .ips document.
  private func nextText() -> TextPart {
    var part = TextPart(bytes: bytes[position...])
    var hasException = false
    var first: Line?
    for line in LineCursor(part.bytes) where !line.isBlank {
      if beginsDocument(line.text, part.isTranslation) || isBody(line, behind: first) {
        part.bytes = bytes[position..<line.text.startIndex]
        break
      }
      first = first ?? line
      if line.text.first != UInt8(ascii: "-") { part.isTranslation = line.text.equals("Full Report") }
      if line.text.hasPrefix("Exception") { hasException = true }
      let title = CrashlyticsSection.withoutNumber(line.text)
      if title.hasPrefix("Crashed: ") || title.hasPrefix("Fatal Exception: ") { part.hasTitle = true }
      if let mark = TextDialect(mark: line.text), part.dialect == nil || part.dialect == .other {
        part.dialect = mark
      }
    }
    // Panics and stackshots can have such a line, too.
    if hasException, part.dialect != .panic, part.dialect != .stackshot { part.dialect = nil }
    return part
  }

  /// Whether a line is the first of a body whose header line has lost its beginning, as in a paste.
  private func isBody(_ line: Line, behind head: Line?) -> Bool {
    guard let head, line.text.first == UInt8(ascii: "{"), line.number == head.number + 1 else { return false }
    return head.text.last == UInt8(ascii: "}") && head.text.firstRange(of: "\":\"") != nil
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
      in: text, firstLine: lines.number(at: open.upperBound), format: .appleText, most: mostReports)
  }

  private mutating func append(_ report: CrashReport, _ notes: [ReportNote], at document: Int? = nil) {
    var report = report
    report.notes = notes + report.notes
    report.documentPosition = document
    reports.append(report)
  }

  /// Where the line of a place ends, remembered because a line can hold many documents.
  private mutating func endOfLine(_ start: Int) -> Int {
    if knownLine.contains(start) { return knownLine.upperBound }
    let end = CrashReadReports.endOfLine(in: bytes, from: start)
    knownLine = start..<end
    return end
  }
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
    applicationSpecificInformation += facts.applicationSpecificInformation
    for remark in facts.systemRemarks { addRemark(remark.heading, remark.text) }
  }
}
