/// What became of a line that was offered to a reader.
enum LogStep {
  /// It was read, or passed over.
  case goOn
  /// It was the report's last.
  case last
  /// The report was over before it.
  case over
}

/// Reads the lines of one report in a log.
protocol LogReader {
  /// Takes a line, and what it would begin if no report were open.
  mutating func read(_ line: Line, begins mark: LogMark?) -> LogStep
  /// The report; nil when the lines hold too little.
  mutating func finish() -> CrashReport?
}

/// Finds the reports that programs write to a log or a terminal, with anything between them, and Apple's text reports.
///
/// Apple's reports quote such output. So inside one of them only what can't be a quotation begins another report.
struct LogReports {
  private enum Place {
    case log, report, quotation
  }

  private let bytes: Bytes
  private let format: ReportFormat
  private let jsonDepth: Int
  private let most: Int
  private var reports: [CrashReport] = []
  private var reader: (any LogReader)?
  private var place = Place.log
  /// Where the stretch began that belongs to no report in the log, and the number of its first line.
  private var rest: (start: Int, line: Int)
  /// Where the last object began that could be a Swift crash log, and the number of its line.
  private var brace: (start: Int, line: Int)?
  /// Bytes before this have been read as a JSON document.
  private var documentEnd: Int
  /// Bytes before this have been read as JSON in vain; or lines of openings would each be read to the input's end.
  private var triedUntil: Int
  private var context = SwiftLogContext()
  private var lastMessage = LastMessage()
  /// The line in which the open report began.
  private var firstLine = 0

  /// Reads the reports in a stretch of the input, up to a few more than `most`; empty when there is none.
  static func reports(
    in bytes: Bytes, firstLine: Int, format: ReportFormat, isReport: Bool = false, jsonDepth: Int, most: Int
  ) -> [CrashReport] {
    var walker = LogReports(bytes, firstLine, format, jsonDepth, most)
    if isReport { walker.place = .report }
    for line in LineCursor(bytes, firstLine: firstLine) {
      if walker.reports.count > most { return walker.reports }
      walker.read(line)
    }
    walker.close(at: bytes.endIndex)
    walker.readRest(upTo: bytes.endIndex)
    return walker.reports
  }

  private init(_ bytes: Bytes, _ firstLine: Int, _ format: ReportFormat, _ jsonDepth: Int, _ most: Int) {
    self.most = most
    self.bytes = bytes
    self.jsonDepth = jsonDepth
    self.format = format
    rest = (bytes.startIndex, firstLine)
    documentEnd = bytes.startIndex
    triedUntil = bytes.startIndex
    // Behind a header line of .ips stands a report from its first line on.
    place = format == .ipsText ? .report : .log
  }

  private mutating func read(_ original: Line) {
    guard original.raw.startIndex >= documentEnd else {
      rest = (original.raw.endIndex, original.number)
      return
    }
    defer { rememberBrace(original) }
    let line = original.withoutEscapeSequences
    let mark = LogMark(line, mayBeFrame: reader != nil || place == .log)
    if Self.beginsAppleReport(line.text) { close(at: original.raw.startIndex, line: original.number) }
    switch reader?.read(line, begins: mark) {
    case .goOn: return
    case .last: return close(at: original.raw.endIndex, line: original.number)
    case .over: close(at: original.raw.startIndex, line: original.number)
    case nil: break
    }
    if let mark, begin(mark, line, original) { return }
    place = placeAfter(line)
    context.read(line)
    if place == .log { lastMessage.read(line) }
  }
}

extension LogReports {
  /// Begins a report, unless the line is a quotation; says whether it did.
  private mutating func begin(_ mark: LogMark, _ line: Line, _ original: Line) -> Bool {
    if place == .quotation { return false }
    let next: any LogReader
    switch mark {
    case .swiftCrash(let column): next = SwiftLogReport(startingAt: column, in: line, context)
    case .sanitizer: next = SanitizerReport()
    case .swiftDocument: return readDocument(original)
    case .moduleFrame, .exception, .throwStack, .symbols:
      guard place == .log else { return false }
      if case .moduleFrame = mark { next = SanitizerReport() } else { next = ExceptionLog() }
    }
    readRest(upTo: original.raw.startIndex)
    context = SwiftLogContext()
    var reader = next
    _ = reader.read(line, begins: mark)
    self.reader = reader
    firstLine = original.number
    return true
  }

  private mutating func rememberBrace(_ line: Line) {
    guard let index = line.raw.lastIndex(of: UInt8(ascii: "{")), index >= documentEnd else { return }
    brace = (index, line.number)
  }

  /// Reads the object that the line's `"crashReport"` stands in.
  private mutating func readDocument(_ line: Line) -> Bool {
    let kind = line.raw.firstRange(of: "\"crashReport\"") ?? line.raw.endIndex..<line.raw.endIndex
    // A member of that name is none of that kind.
    guard line.raw[kind.upperBound...].trimmedStart.first != UInt8(ascii: ":") else { return false }
    let head = line.raw[..<kind.lowerBound]
    let sameLine = head.lastIndex(of: UInt8(ascii: "{")).map { (start: $0, line: line.number) }
    guard let open = sameLine ?? brace, open.start >= triedUntil else { return false }
    brace = nil
    var reader = JSONReader(bytes[open.start...], depth: jsonDepth)
    guard let document = reader.readValue(), SwiftJSON.isReport(document) else {
      triedUntil = reader.position
      return false
    }
    if open.start > rest.start { readRest(upTo: open.start) }
    var report = SwiftJSON.read(document)
    context.complete(&report)
    if let failure = reader.failure {
      let message = "the JSON breaks off: \(failure.message); what stood before was read"
      report.notes.append(ReportNote(line: open.line, message: message))
    }
    reports.append(report)
    context = SwiftLogContext()
    documentEnd = reader.position
    rest = (max(reader.position, line.raw.startIndex), line.number)
    return true
  }

  /// Ends the open report; the rest begins where it ended.
  private mutating func close(at end: Int, line: Int = 1) {
    guard var open = reader else { return }
    if var report = open.finish() {
      lastMessage.complete(&report, beginningIn: firstLine)
      reports.append(report)
    }
    reader = nil
    rest = (end, line)
    place = .log
  }

  /// Reads Apple's reports in what lies before another report.
  private mutating func readRest(upTo end: Int) {
    guard end > rest.start else { return }
    reports += TextReport.reports(
      in: bytes[rest.start..<end], firstLine: rest.line, format: format, most: most)
  }

  private static func beginsAppleReport(_ text: Bytes) -> Bool {
    text.hasPrefix("Incident Identifier:") || text.hasPrefix("Process: ") && text.last == UInt8(ascii: "]")
  }

  private func placeAfter(_ line: Line) -> Place {
    let text = line.text
    guard let first = text.first, first.isLetter else { return place }
    if text.equals("Binary Images:") || text.hasPrefix("Binary Images Description:") { return .log }
    if Self.quotingTitles.contains(where: { text.hasPrefix($0) }) { return .quotation }
    if let rest = text.after("Thread "), rest.first?.isDigit == true { return .report }
    if Self.titles.contains(where: { text.hasPrefix($0) }) { return .report }
    return place
  }

  private static let quotingTitles = ["Application Specific Information:", "Filtered syslog:"]
  private static let titles = [
    "Incident Identifier:", "Process: ", "Exception Type:", "Last Exception Backtrace:",
    "Application Specific Backtrace", "Call graph:", "Analysis of ", "Fatal Exception: ", "Crashed: ",
  ]
}

/// The last line of a log in which a runtime says why it stops the program, before it prints a stack.
struct LastMessage {
  private var line: Line?

  /// How many lines may stand between such a line and the stack.
  private static let reach = 8

  /// libc++abi's terminate handler (libcxxabi, src/cxa_default_handlers.cpp), libc's `assert`, and the fatal level of the
  /// logging libraries of Chromium, Abseil and glog.
  private static let marks = [
    "terminating due to uncaught exception", "terminating with uncaught exception",
    "terminate called after throwing", "Assertion failed: (", "Check failed: ", ":FATAL:",
  ]

  /// Looks at a line that belongs to no report.
  mutating func read(_ line: Line) {
    if Self.marks.contains(where: { line.text.firstRange(of: $0) != nil }) { self.line = line }
  }

  /// Puts the message to a report that begins in a line; without one it stays for the next report.
  mutating func complete(_ report: inout CrashReport, beginningIn number: Int) {
    guard let said = line.take(), number - said.number <= Self.reach else { return }
    report.applicationSpecificInformation.append(said.raw.string)
  }
}
