internal import CrashReadCore

/// The result of offering a line to a reader.
enum LogStep {
  /// The line was read, or skipped.
  case readMore
  /// The line was the report's last.
  case last
  /// The report had ended before the line.
  case ended
}

/// Reads the lines of one report in a log.
protocol LogReader {
  /// Reads a line; `mark` is what would begin in it if no report were open.
  mutating func read(_ line: Line, begins mark: LogMark?) -> LogStep
  /// The report; nil when the lines contain too little.
  mutating func finish() -> CrashReport?
}

/// Finds the reports that programs write to a log or a terminal, with other lines in between, and Apple's text reports.
///
/// Apple's reports quote such output, so inside them only what can't be a quotation begins another report.
struct LogReports {
  private enum Region {
    case log, report, quotation
  }

  private let bytes: Bytes
  private let format: ReportFormat
  private let jsonDepth: Int
  private let maximum: Int
  private var reports: [CrashReport] = []
  private var reader: (any LogReader)?
  private var region = Region.log
  /// The start of the current part of the log that belongs to no report, and the number of its first line.
  private var rest: (start: Int, line: Int)
  /// The start of the current part of the log; lines before it belong to a report.
  private var logStart: Int
  /// The last `{` before `bracesEnd`, up to which the text has been searched, and its line number.
  private var brace: (start: Int, line: Int)?
  private var bracesEnd: Int
  /// Bytes before this have been read as a JSON document.
  private var documentEnd: Int
  /// The position before which parsing as JSON has failed. Without it, each line of braces would be read to the end of
  /// the input.
  private var failedUntil: Int
  /// The last line in which a runtime states why it stops the program.
  private var lastMessage: Line?
  /// The line in which the open report began.
  private var firstLine = 0
  /// The next position at which a word may begin a report. Most texts have none, so their lines needn't be examined.
  private var nextHint: Int
  private let hasEscapes: Bool
  /// Whether the lines so far are the outer frames of a list whose beginning wasn't copied; nil while all are blank.
  private var isInTail: Bool?

  /// Reads the reports in a part of the input, up to a few more than `maximum`; empty when there is none.
  static func reports(
    in bytes: Bytes, firstLine: Int, format: ReportFormat, isReport: Bool, jsonDepth: Int,
    maximum: Int
  ) -> [CrashReport] {
    var walker = LogReports(bytes, firstLine, format, jsonDepth, maximum)
    if isReport { walker.region = .report }
    for line in LineCursor(bytes, firstLine: firstLine) {
      if walker.reports.count > maximum { return walker.reports }
      walker.read(line)
    }
    walker.close(at: bytes.endIndex)
    walker.readRest(upTo: bytes.endIndex)
    return walker.reports
  }

  private init(_ bytes: Bytes, _ firstLine: Int, _ format: ReportFormat, _ jsonDepth: Int, _ maximum: Int) {
    self.maximum = maximum
    self.bytes = bytes
    self.jsonDepth = jsonDepth
    self.format = format
    rest = (bytes.startIndex, firstLine)
    documentEnd = bytes.startIndex
    failedUntil = bytes.startIndex
    logStart = bytes.startIndex
    bracesEnd = bytes.startIndex
    nextHint = bytes.startIndex - 1
    hasEscapes = bytes.firstPosition(of: escapeCharacter) != nil
    // After an .ips header line, a report begins at the first line.
    region = format == .ipsText ? .report : .log
  }

  private mutating func read(_ original: Line) {
    guard original.raw.startIndex >= documentEnd else {
      rest = (original.raw.endIndex, original.number)
      return
    }
    guard mayMatter(original) else { return }
    let line = hasEscapes ? original.withoutEscapeSequences : original
    let mark = LogMark(
      line, mayContainPhrase: hasHint(original), mayBeFrame: reader != nil || region == .log)
    if Self.beginsAppleReport(line.text) { close(at: original.raw.startIndex, line: original.number) }
    switch reader?.read(line, begins: mark) {
    case .readMore: return
    case .last: return close(at: original.raw.endIndex, line: original.number)
    case .ended: close(at: original.raw.startIndex, line: original.number)
    case nil: break
    }
    if isInTail != nil || !original.raw.allSatisfy(\.isWhitespace) {
      isInTail = continuesTail(mark, original)
    }
    if let mark, isInTail != true, begin(mark, line, original) { return }
    enter(Self.region(after: line, region), at: original)
  }

  /// Whether a line is one of the frames at the input's start that begin further out: what follows, such as the title of the
  /// crashed thread, has the subject.
  private func continuesTail(_ mark: LogMark?, _ line: Line) -> Bool {
    guard case .symbols = mark, line.text.first != UInt8(ascii: "0") else { return false }
    return isInTail ?? true
  }

  /// Whether a line may begin or end something. Inside Apple's reports, which most of the input are, titles begin with a
  /// letter.
  private mutating func mayMatter(_ line: Line) -> Bool {
    if reader != nil || region == .log { return true }
    return line.text.first?.isLetter ?? false || hasHint(line)
  }

  /// Whether a line may contain words that begin a report. Escape sequences can split such words.
  private mutating func hasHint(_ line: Line) -> Bool {
    if nextHint < line.raw.startIndex {
      let offset = LogMark.hints.firstOffset(in: bytes.span, from: line.raw.startIndex - bytes.startIndex)
      nextHint = offset.map { bytes.startIndex + $0 } ?? bytes.endIndex
    }
    return nextHint < line.raw.endIndex || hasEscapes
  }
}

extension LogReports {
  /// Begins a report, unless the line is a quotation; returns whether it did.
  private mutating func begin(_ mark: LogMark, _ line: Line, _ original: Line) -> Bool {
    if region == .quotation { return false }
    let next: any LogReader
    switch mark {
    case .swiftCrash(let column):
      next = SwiftLogReport(startingAt: column, in: line, context(before: original))
    case .sanitizer: next = SanitizerReport()
    case .swiftDocument: return readDocument(original)
    case .moduleFrame, .exception, .throwStack, .symbols:
      guard region == .log else { return false }
      if case .moduleFrame = mark { next = SanitizerReport() } else { next = ExceptionLog() }
    }
    readRest(upTo: original.raw.startIndex)
    enter(.report, at: original)
    var reader = next
    _ = reader.read(line, begins: mark)
    self.reader = reader
    firstLine = original.number
    return true
  }

  /// Enters another region.
  private mutating func enter(_ next: Region, at line: Line) {
    if next != .log { recordMessage(before: line) }
    if region != .log, next == .log { logStart = line.raw.endIndex }
    region = next
  }

  /// Keeps a message among the last lines of the log for a report that may follow.
  private mutating func recordMessage(before line: Line) {
    guard region == .log else { return }
    let lines = LineCursor(
      bytes, count: LastMessage.maximumDistance, before: line, from: max(rest.start, logStart))
    lastMessage = LastMessage.last(in: lines) ?? lastMessage
  }

  /// What the program printed before a Swift crash log; lines that belong to other reports are excluded.
  private func context(before line: Line) -> SwiftLogContext {
    SwiftLogContext(
      LineCursor(bytes, count: SwiftLogContext.maximumDistance + 1, before: line, from: rest.start))
  }

  /// Finds the last `{` before a line: a Swift crash log may begin there.
  private mutating func findBrace(before line: Line) {
    let start = max(bracesEnd, documentEnd)
    bracesEnd = line.raw.startIndex
    guard start < bracesEnd, let index = bytes[start..<bracesEnd].lastIndex(of: UInt8(ascii: "{")) else {
      return
    }
    brace = (index, line.number - LineRanges(bytes[index..<bracesEnd]).reduce(0) { count, _ in count + 1 })
  }

  /// Reads the object that contains the line's `"crashReport"`.
  private mutating func readDocument(_ line: Line) -> Bool {
    let kind = line.raw.firstRange(of: "\"crashReport\"") ?? line.raw.endIndex..<line.raw.endIndex
    // As a member's name, `"crashReport"` doesn't identify a crash log.
    guard line.raw[kind.upperBound...].trimmedStart.first != UInt8(ascii: ":") else { return false }
    let head = line.raw[..<kind.lowerBound]
    let sameLine = head.lastIndex(of: UInt8(ascii: "{")).map { (start: $0, line: line.number) }
    findBrace(before: line)
    guard let open = sameLine ?? brace, open.start >= failedUntil else { return false }
    brace = nil
    var reader = JSONReader(bytes[open.start...], depth: jsonDepth)
    guard let document = reader.readValue(), SwiftJSON.isReport(document) else {
      failedUntil = reader.position
      return false
    }
    if open.start > rest.start { readRest(upTo: open.start) }
    var report = SwiftJSON.read(document)
    context(before: line).complete(&report)
    if let failure = reader.failure {
      let message = "the JSON is invalid: \(failure.message); the part before it was read"
      report.notes.append(ReportNote(line: open.line, message: message))
    }
    reports.append(report)
    recordMessage(before: line)
    documentEnd = reader.position
    rest = (max(reader.position, line.raw.startIndex), line.number)
    return true
  }

  /// Ends the open report; the rest begins where it ended.
  private mutating func close(at end: Int, line: Int = 1) {
    guard var open = reader else { return }
    if var report = open.finish() {
      if let message = lastMessage.take(), firstLine - message.number <= LastMessage.maximumDistance {
        report.takeMessage(message)
      }
      reports.append(report)
    }
    reader = nil
    rest = (end, line)
    (region, logStart) = (.log, end)
  }

  /// Reads Apple's reports in the text before another report.
  private mutating func readRest(upTo end: Int) {
    guard end > rest.start else { return }
    reports += TextReport.reports(
      in: bytes[rest.start..<end], firstLine: rest.line, format: format, maximum: maximum)
  }

  private static func beginsAppleReport(_ text: Bytes) -> Bool {
    text.hasPrefix("Incident Identifier:") || text.hasPrefix("Process: ") && text.last == UInt8(ascii: "]")
  }

  private static func region(after line: Line, _ region: Region) -> Region {
    let text = line.text
    guard let first = text.first, first.isLetter else { return region }
    if text.equals("Binary Images:") || text.hasPrefix("Binary Images Description:") { return .log }
    if quotingTitles.contains(where: { text.hasPrefix($0) }) { return .quotation }
    if let rest = text.after("Thread "), rest.first?.isDigit == true { return .report }
    if titles.contains(where: { text.hasPrefix($0) }) { return .report }
    return region
  }

  private static let quotingTitles: [StaticString] = [
    "Application Specific Information:", "Filtered syslog:",
  ]
  private static let titles: [StaticString] = [
    "Incident Identifier:", "Process: ", "Exception Type:", "Last Exception Backtrace:",
    "Application Specific Backtrace", "Call graph:", "Analysis of ", "Fatal Exception: ",
    "Non-fatal Exception: ", "Crashed: ",
  ]
}

extension CrashReport {
  /// Takes what the program printed before its stack: an exception, if nothing else states it, or a message.
  fileprivate mutating func takeMessage(_ message: Line) {
    let line = message.withoutEscapeSequences
    if uncaughtException == nil, let rest = line.text.after("reason: '") {
      let reason = rest.last == UInt8(ascii: "'") ? rest.dropLast() : rest
      take(.exception(name: nil, reason: reason.nonEmptyString))
    } else if uncaughtException == nil, let found = Statement(line), case .exception = found {
      take(found)
    } else if let signal = ChromiumDump.signal(line.text) {
      take(signal)
    } else {
      applicationSpecificInformation.append(message.raw.string)
    }
  }
}

/// The line in which a runtime states why it stops the program, before it prints a stack.
enum LastMessage {
  /// The maximum number of lines between such a line and the stack.
  static let maximumDistance = 8

  /// libc++abi's terminate handler (libcxxabi, src/cxa_default_handlers.cpp), libc's `assert`, the fatal level of the
  /// logging libraries of Chromium, Abseil and glog, and .NET's bridge to Objective-C.
  private static let marks: [StaticString] = [
    "terminating due to uncaught exception", "terminating with uncaught exception",
    "terminate called after throwing", "Assertion failed: (", "Check failed: ", ":FATAL:",
    "*** Assertion failure in ", "Objective-C exception thrown.  Name: ", "reason: '", "Uncaught exception: ",
    "Received signal ",
  ]

  /// The last such line; nil when there is none.
  static func last(in lines: some Sequence<Line>) -> Line? {
    lines.map(\.withoutEscapeSequences).last { line in marks.contains { line.text.firstRange(of: $0) != nil }
    }
  }
}
