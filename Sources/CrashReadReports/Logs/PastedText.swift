internal import CrashReadCore

/// Finds what a program's end left in text that is no report: a debugger's backtrace, lines of a console or of a web
/// page, a few frames with the exception's name.
///
/// It is asked last, when nothing that has a form of its own was found, or what was found lacks frames or words.
struct PastedText {
  /// Longer text is a log, and has reports in it or none.
  private static let mostBytes = 1 << 18
  private static let mostFrames = 2048

  private var report = CrashReport(format: .callStackSymbols)
  /// A frame among other text needs a second one, or a message, to be believed.
  private var evidentFrames = 0
  private var hasStatement = false
  private var title: (number: Int, name: Bytes)?

  /// Reads a text; nil when it tells of no program's end.
  static func report(in bytes: Bytes) -> CrashReport? {
    let text = bytes.prefix(mostBytes)
    guard !text.contains(0) else { return nil }
    var reader = PastedText()
    for line in LineCursor(text) where !line.isBlank { reader.read(line.withoutEscapeSequences) }
    return reader.finished(text)
  }

  private mutating func read(_ line: Line) {
    if let begun = Self.threadTitle(line.text) { title = begun }
    if let loose = LooseFrame(line) {
      append(loose)
    } else if let statement = Statement(line) {
      hasStatement = true
      report.take(statement)
    }
  }

  /// Reads `* thread #3, queue = 'com.apple.main-thread', stop reason = …` of LLDB.
  private static func threadTitle(_ text: Bytes) -> (Int, Bytes)? {
    guard let rest = (text.after("* ") ?? text).after("thread #") else { return nil }
    let digits = rest.prefix { $0.isDigit }
    return digits.decimalValue.flatMap { Int(exactly: $0) }.map { ($0, rest[digits.endIndex...]) }
  }

  /// Each list begins with a number that isn't higher than the last.
  private mutating func append(_ loose: LooseFrame) {
    let last = report.threads.last?.frames.last?.number
    if report.threads.isEmpty || title != nil || last.flatMap({ old in loose.frame.number.map { $0 <= old } }) ?? false {
      beginThread()
    }
    guard let thread = report.threads.indices.last, report.threads[thread].frames.count < Self.mostFrames else { return }
    if loose.isEvident { evidentFrames += 1 }
    report.threads[thread].frames.append(loose.frame)
  }

  /// The first list is the one that shows the end: debuggers print the stopped thread first.
  private mutating func beginThread() {
    guard report.threads.count < 256 else { return }
    var thread = ThreadRecord(index: report.threads.count)
    if let title {
      thread.index = title.number
      thread.queue = Self.quoted("queue = '", in: title.name)
      thread.name = Self.quoted("name = '", in: title.name)
    }
    thread.isCrashed = report.threads.isEmpty
    report.threads.append(thread)
    title = nil
  }

  private static func quoted(_ mark: String, in text: Bytes) -> String? {
    guard let start = text.firstRange(of: mark) else { return nil }
    return text[start.upperBound...].split(at: UInt8(ascii: "'"))?.before.nonEmptyString
  }

  private mutating func finished(_ text: Bytes) -> CrashReport? {
    if evidentFrames < 2, !hasStatement { return nil }
    if report.threads.isEmpty {
      for stack in ManagedStack.backtraces(in: text.string) { report.applicationSpecificBacktraces.append(stack) }
    }
    if report.uncaughtException != nil { report.format = .nsException }
    report.locateFrames(statesKinds: true)
    return report
  }
}

extension CrashReport {
  /// Adds from the text around it what a report lacks.
  fileprivate mutating func complete(fromPasted other: CrashReport) {
    if hasNoFrames, !other.hasNoFrames {
      threads = other.threads
      lastExceptionBacktrace = other.lastExceptionBacktrace
      images += images.isEmpty ? other.images : []
      crashedThread = other.crashedThread
    }
    exception = exception ?? other.exception
    termination = termination ?? other.termination
    uncaughtException = uncaughtException ?? other.uncaughtException
    if applicationSpecificInformation.isEmpty {
      applicationSpecificInformation = other.applicationSpecificInformation
    }
  }

  fileprivate var hasNoFrames: Bool {
    lastExceptionBacktrace.isEmpty && applicationSpecificBacktraces.isEmpty && threads.allSatisfy(\.frames.isEmpty)
  }

  fileprivate var hasNoWords: Bool {
    exception == nil && termination == nil && uncaughtException == nil && applicationSpecificInformation.isEmpty
  }
}

extension [CrashReport] {
  /// The reports, or what an input without any tells of a crash; a lone report is completed by the text around it.
  func completed(from bytes: Bytes) -> [CrashReport] {
    guard count < 2, first.map({ $0.kind == .crash && ($0.hasNoFrames || $0.hasNoWords) }) ?? true else { return self }
    let found = [IPSFragment.report(in: bytes), PastedText.report(in: bytes)].compactMap(\.self)
    guard var report = first ?? found.first else { return self }
    for other in found { report.complete(fromPasted: other) }
    return [report]
  }
}
