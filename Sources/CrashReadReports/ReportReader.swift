internal import CrashReadCore

/// Determines what a file contains.
///
/// This is the only code that distinguishes formats by their bytes.
///
/// A file is a sequence of parts: JSON documents with a header line, and text between them.
struct ReportReader {
  /// The maximum number of lines that are kept of a text without structure.
  private static let maximumPlainLines = 200

  private let bytes: Bytes
  private let limits: Limits
  /// Whether the bytes are a string of a JSON document.
  private let isEmbedded: Bool
  private var position: Int
  private var reports: [CrashReport] = []
  private var lines: LineCount
  /// Whether everything up to here was documents without damage; there is no text around them.
  private var isIntact = true
  /// The position up to which searches for a document of several lines have failed.
  private var failedUntil = 0
  private var knownLine = 0..<0

  /// Input beyond the limit isn't read; the last report's notes say so.
  static func reports(in bytes: [UInt8], limits: Limits, isEmbedded: Bool = false) -> [CrashReport] {
    var reader = ReportReader(Bytes(bytes), limits, isEmbedded)
    while reader.reports.count <= reader.maximumReports, reader.readPart() {}
    let reports = reader.reports.truncate(to: reader.maximumReports)
    let isComplete = reader.isIntact && !reports.isEmpty
    if isComplete { return reports.map { $0.withManagedStacks() } }
    return reports.completed(from: reader.bytes).map {
      $0.withManagedStacks().withoutCutName(atEndOf: reader.bytes)
    }
  }

  private init(_ bytes: Bytes, _ limits: Limits, _ isEmbedded: Bool) {
    self.bytes = bytes
    self.limits = limits
    self.isEmbedded = isEmbedded
    position = 0
    lines = LineCount(bytes)
  }

  private var jsonDepth: Int { limits.jsonDepth }
  private var maximumReports: Int { max(1, limits.reports) }

  /// Reads one part; false at the end of the input.
  private mutating func readPart() -> Bool {
    skipWhitespace()
    guard position < bytes.endIndex else { return false }
    if bytes[position] == UInt8(ascii: "{") {
      readDocuments()
    } else if bytes[position] == UInt8(ascii: "["), readArray() {
      return true
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

  /// Reads a header line and the body after it.
  private mutating func readDocuments() {
    var notes: [ReportNote] = []
    let line = lines.number(at: position)
    var document = position
    guard let header = readHeader(&notes), header.isObject else { return }
    if let found = reports(of: header) {
      for report in found { append(report, notes, at: IPSReport.isBody(header) ? document : nil) }
      return
    }
    guard IPSReport.isHeader(header) else { return }
    skipMarkers()
    if position < bytes.endIndex, bytes[position] == UInt8(ascii: "{") {
      document = position
      let body = readDocument(in: bytes[position...], &notes) ?? .null
      let found = IPSReport.reports(header: header, body: body)
      // Several reports from one document are snapshots, which can't be written back frame by frame.
      for report in found { append(report, notes, at: found.count == 1 ? document : nil) }
    } else if let text = textReports(after: header) {
      for report in text { append(report, notes) }
    } else {
      notes.append(ReportNote(line: line, message: "the header line has no body"))
      append(IPSReport.read(header: header, body: .null), notes)
    }
  }

  /// Reads an array of documents; false, without advancing, when none of them is a report.
  private mutating func readArray() -> Bool {
    guard position >= failedUntil, bytes[position...].dropFirst().trimmedStart.first == UInt8(ascii: "{")
    else {
      return false
    }
    var reader = JSONReader(bytes[position...], depth: jsonDepth)
    let documents = reader.readValue()?.elements ?? []
    let found = documents.prefix(maximumReports + 1).lazy.compactMap(reports).joined().prefix(
      maximumReports + 1)
    guard !found.isEmpty else {
      failedUntil = reader.position
      return false
    }
    var notes: [ReportNote] = []
    finish(reader, &notes)
    for report in found { append(report, notes) }
    return true
  }

  /// The reports in a document that needs no other; nil when it isn't one.
  private func reports(of document: JSONValue) -> [CrashReport]? {
    if SwiftJSON.isReport(document) { return [SwiftJSON.read(document)] }
    if IPSReport.isBody(document) { return IPSReport.reports(header: document, body: document) }
    if let found = foreignReports(of: document) { return found }
    guard !isEmbedded, !IPSReport.isHeader(document) else { return nil }
    let embedded = EmbeddedReports.reports(in: document, limits: limits)
    return embedded.isEmpty ? nil : embedded
  }

  /// Reads the first document: one line, unless a tool has reformatted it.
  private mutating func readHeader(_ notes: inout [ReportNote]) -> JSONValue? {
    let line = bytes[position..<endOfLine(position)]
    guard line.trimmedEnd.count > 1 else { return readDocument(in: bytes[position...], &notes) }
    var reader = JSONReader(line, depth: jsonDepth)
    let header = reader.readValue()
    let isOneLine = reader.failure == nil || header.map(IPSReport.isHeader) ?? false
    if !isOneLine, let document = readMultilineDocument(&notes) { return document }
    finish(reader, &notes)
    if reader.failure != nil { position = line.endIndex }
    return header
  }

  /// Reads a document that continues after its first line; nil, without advancing, when it isn't one.
  ///
  /// Lines where this has failed aren't tried again; otherwise an input of such lines would take quadratic time.
  private mutating func readMultilineDocument(_ notes: inout [ReportNote]) -> JSONValue? {
    guard position >= failedUntil else { return nil }
    var reader = JSONReader(bytes[position...], depth: jsonDepth)
    let document = reader.readValue()
    failedUntil = reader.position
    guard let document, reader.failure == nil || foreignReports(of: document) != nil else { return nil }
    finish(reader, &notes)
    return document
  }

  /// The reports in a document of a reporter other than Apple's; nil when it isn't one.
  private func foreignReports(of document: JSONValue) -> [CrashReport]? {
    if MetricKitReport.isDocument(document) {
      return MetricKitReport.reports(in: document, maximum: maximumReports)
    }
    if KSCrashReport.isDocument(document) { return KSCrashReport.reports(in: document) }
    if AppStoreConnect.isDocument(document) {
      return AppStoreConnect.reports(in: document, maximum: maximumReports)
    }
    if let form = ReporterForm(of: document) {
      return ReporterEvent.reports(in: document, form, maximum: maximumReports)
    }
    if SentryEvent.isDocument(document) { return [SentryEvent.read(document)] }
    return UnknownJSON.report(in: document).map { [$0] }
  }

  /// Reads one JSON document and advances past it, or past the part of it that could be read.
  private mutating func readDocument(in part: Bytes, _ notes: inout [ReportNote]) -> JSONValue? {
    var reader = JSONReader(part, depth: jsonDepth)
    let value = reader.readValue()
    finish(reader, &notes)
    return value
  }

  /// Advances past what was read, and notes why it is incomplete.
  private mutating func finish(_ reader: JSONReader, _ notes: inout [ReportNote]) {
    position = max(reader.position, position + 1)
    guard let failure = reader.failure else { return }
    isIntact = false
    let message = "the JSON is invalid: \(failure.message); the part before it was read"
    notes.append(ReportNote(line: lines.number(at: failure.position), message: message))
  }

  /// Some bodies follow a line that only says what comes next: `{"_marker": …}`.
  private mutating func skipMarkers() {
    while true {
      skipWhitespace()
      let line = bytes[position..<endOfLine(position)]
      guard line.hasPrefix("{\"_marker\"") else { return }
      position = line.endIndex
    }
  }

  /// Reads the text after a header line; nil when there is none.
  private mutating func textReports(after header: JSONValue) -> [CrashReport]? {
    guard position < bytes.endIndex else { return nil }
    let start = position
    var found = textReports(format: .ipsText)
    let text = bytes[start..<max(start, position)]
    if found.isEmpty { found = [plainText(text)] }
    let facts = IPSReport.read(header: header, body: .null)
    // With several processes, the header line is about the first.
    let count = found[0].format == .ipsText ? found.count : 1
    for index in 0..<count { found[index].complete(from: facts) }
    return found
  }

  /// Text that is neither a report nor a stackshot, such as the log of an update, as a report that consists of its
  /// lines.
  private func plainText(_ text: Bytes) -> CrashReport {
    var report = CrashReport(format: .ipsText, kind: .other)
    report.applicationSpecificInformation = LineCursor(text).lazy.filter { !$0.isBlank }
      .prefix(Self.maximumPlainLines).map(\.raw.string)
    return report
  }

  /// Reads text up to the next header line.
  ///
  /// A translated report is dropped in favour of the original after it.
  private mutating func textReports(format: ReportFormat) -> [CrashReport] {
    isIntact = false
    let part = nextText()
    let firstLine = lines.number(at: part.bytes.startIndex)
    position = part.bytes.endIndex
    if let dialect = part.dialect {
      let found = dialect.reports(in: part.bytes, firstLine: firstLine, maximum: maximumReports)
      // After a header line, even another tool's text is informative; alone, it isn't an Apple report.
      if !found.isEmpty || format == .appleText { return found }
    }
    let text = LogReports.reports(
      in: part.bytes, firstLine: firstLine, format: format, isReport: part.hasTitle, jsonDepth: jsonDepth,
      maximum: maximumReports)
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
    /// `Full Report` ends it: the same report follows as JSON.
    var isTranslation = false
    /// Whether there is a title of the crashed thread or of the exception; then lists without a title belong to other
    /// threads.
    var hasTitle = false
    /// The kind of text, if it isn't a crash report.
    var dialect: TextDialect?
  }

  /// Advances to the next line that begins an .ips document.
  private func nextText() -> TextPart {
    var part = TextPart(bytes: bytes[position...])
    var hasException = false
    var first: Line?
    for line in LineCursor(part.bytes) where !line.isBlank {
      guard Self.mayBeginPart(line.text) else {
        part.isTranslation = false
        if first == nil { first = line }
        continue
      }
      if beginsDocument(line.text, part.isTranslation) || isBody(line, after: first)
        || part.dialect.map({ $0.isOver(before: line.text) }) ?? false
        || hasException && TextDialect.beginsPanic(line.text)
      {
        part.bytes = bytes[position..<line.text.startIndex]
        break
      }
      if first == nil { first = line }
      if line.text.first != UInt8(ascii: "-") { part.isTranslation = line.text.equals("Full Report") }
      if line.text.hasPrefix("Exception") { hasException = true }
      if CrashlyticsSection.isTitle(CrashlyticsSection.withoutNumber(line.text)) { part.hasTitle = true }
      if let mark = TextDialect(mark: line.text), part.dialect == nil || part.dialect == .other {
        part.dialect = mark
      }
    }
    // Panics and stackshots can have such a line as well.
    if hasException, part.dialect != .panic, part.dialect != .stackshot { part.dialect = nil }
    return part
  }

  /// Whether a line may be something other than a frame or an image.
  private static func mayBeginPart(_ line: Bytes) -> Bool {
    switch line.first {
    case UInt8(ascii: "{"), UInt8(ascii: "-"), UInt8(ascii: "#"), UInt8(ascii: "*"), UInt8(ascii: "\""): true
    case let first?: first.isLetter || LeaksReport.isRoot(line)
    case nil: false
    }
  }

  /// Whether a line begins a body whose header line was truncated at its beginning, as in a paste.
  private func isBody(_ line: Line, after head: Line?) -> Bool {
    guard let head, line.text.first == UInt8(ascii: "{"), line.number == head.number + 1 else { return false }
    return head.text.last == UInt8(ascii: "}") && head.text.firstRange(of: "\":\"") != nil
  }

  private func beginsDocument(_ line: Bytes, _ isTranslation: Bool) -> Bool {
    guard line.first == UInt8(ascii: "{") else { return false }
    return isTranslation || line.hasPrefix("{\"") && line.firstRange(of: "\"bug_type\"") != nil
  }

  /// Devices before iOS 7 wrapped the text in a property list, whose escapes leave the lines intact.
  private mutating func readPropertyList() {
    isIntact = false
    let part = bytes[position...]
    position = bytes.endIndex
    guard let key = part.firstRange(of: "<key>description</key>"),
      let open = part[key.upperBound...].firstRange(of: "<string>")
    else { return }
    let end = part[open.upperBound...].firstRange(of: "</string>")?.lowerBound ?? part.endIndex
    let text = part[open.upperBound..<end].withoutXMLEscapes
    reports += TextReport.reports(
      in: text, firstLine: lines.number(at: open.upperBound), format: .appleText, maximum: maximumReports)
  }

  private mutating func append(_ report: CrashReport, _ notes: [ReportNote], at document: Int? = nil) {
    var report = report
    report.notes = notes + report.notes
    report.documentPosition = document
    reports.append(report)
  }

  /// The end of the line at a position, cached because a line can contain many documents.
  private mutating func endOfLine(_ start: Int) -> Int {
    if knownLine.contains(start) { return knownLine.upperBound }
    let end = bytes[start...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.endIndex
    knownLine = start..<end
    return end
  }
}

/// Counts lines.
///
/// Positions are queried in ascending order, so each query continues from the previous one.
private struct LineCount {
  private var lines: LineRanges
  private var count = 0

  init(_ bytes: Bytes) { lines = LineRanges(bytes) }

  mutating func number(at position: Int) -> Int {
    while lines.position <= position, lines.next() != nil { count += 1 }
    return count
  }
}

extension CrashReport {
  /// Adds what an .ips header line states and the text after it doesn't.
  fileprivate mutating func complete(from facts: CrashReport) {
    if facts.kind != .other { kind = facts.kind }
    header.incident = header.incident ?? facts.header.incident
    header.date = header.date ?? facts.header.date
    header.process = header.process ?? facts.header.process
    header.bundleID = header.bundleID ?? facts.header.bundleID
    header.osVersion = header.osVersion ?? facts.header.osVersion
    // Text reports of iOS print the build first; the header line distinguishes version and build.
    header.version = facts.header.version ?? header.version
    header.build = facts.header.build ?? header.build
    applicationSpecificInformation += facts.applicationSpecificInformation
    for remark in facts.systemRemarks { addRemark(remark.heading, remark.text) }
  }
}
