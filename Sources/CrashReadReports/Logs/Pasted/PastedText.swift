internal import CrashReadCore

/// Finds what a crash left in text that is no report: a debugger's backtrace, lines of a console or of a web page, a
/// few frames with the exception's name.
///
/// It is used last, when no report in a format of its own was found, or only one without frames or messages.
struct PastedText {
  /// The maximum size of a text in bytes; a longer text is a log, whose reports have formats of their own.
  private static let maximumBytes = 1 << 18
  private static let maximumFrames = 2048

  private var report = CrashReport(format: .callStackSymbols)
  /// The number of frames that are certain. In other text, a frame counts only together with another one, or with a
  /// message.
  private var evidentFrames = 0
  private var hasStatement = false
  /// Whether there are frames of virtual machines. They can be anywhere among the lines, and are read together at the
  /// end.
  private var hasManagedFrames = false
  private var dart = DartTrace()
  private var java = JavaFault()
  private var julia = JuliaFault()
  private var r = RFault()
  private var gpu = GPUReset()
  private var handler = FailureHandler()
  private var chromium = ChromiumDump()
  private var valgrind = ValgrindFinding()
  private var sentry = SentryPage()
  private var listed = ListedNames()
  /// The number of frames that stand for repetitions which a line only counts.
  private var copies = 0
  /// Whether the numbers of the current list descend: it was copied from its outer end.
  private var isDescending = false
  private var stop = StoppedInstruction()
  /// What the system's own log states about processes.
  private var logged: [SystemLogLine] = []
  private static let maximumLogged = 64
  private static let thrownType: StaticString = "terminate called after throwing an instance of '"
  /// Whether lines that begin with an address are frames printed by a handler on Linux.
  private var isPrinted = false
  /// The line of the frame that a remark calls the place of the crash: `-> total()   <-- crash`.
  private var markedLine: Int?
  private static let crashMarks: [StaticString] = ["<-- crash", "<- crash", "<--- crash", "← crash"]
  /// The line of the frame that the title of an issue names, which needn't be the innermost one.
  private var issueLine: Int?
  /// The number of a frame that other functions can stand above.
  private static let outerNumber = 2
  /// Whether the stack is summarised with arrows, in either direction.
  private var isChain = false
  /// The number of lines that may still contain the reason of an exception whose name had a line of its own.
  private var reasonLines = 0
  private static let maximumReasonLines = 6
  private var title: (number: Int, name: Bytes)?
  /// Whether a title says that the thread below it crashed.
  private var isTitled = false
  /// Whether no list follows the last such title.
  private var isTitleLast = false
  /// The list of the thread of which a debugger says why it stopped.
  private var stopped: Int?
  /// Whether the next list is the stack of the program that announces it, as Swift does above its own stack.
  private var isOwnStack = false
  /// Whether a heading stands below the current list: names without numbers then begin another one.
  private var isBelowHeading = false
  /// Lines that have no known format, one of which may be the program's message.
  private var others: [String] = []
  private static let maximumOthers = 24
  private static let otherLengths = 16...400
  /// A message that ends on a later line, and the maximum number of further lines.
  private var wrapped: (line: Line, rest: Int)?
  /// A statement made in passing, for a list of frames without an explanation of its own.
  private var passingStatement: Statement?
  /// The preceding line: in Go's stacks the function is on the line before its location.
  private var previous: Bytes = []

  /// Reads a text; nil when it contains nothing about a crash.
  ///
  /// Text around a report is read even then.
  static func report(in bytes: Bytes, around isReport: Bool) -> CrashReport? {
    let text = bytes.prefix(maximumBytes)
    guard !text.contains(0) else { return nil }
    var reader = PastedText()
    let lines = programLines(in: text).map { withoutLevel($0.withoutEscapeSequences) }
    for line in SplitFrames.joined(lines) { reader.readWrapped(line) }
    return reader.finished(text, isReport: isReport)
  }

  /// The lines that aren't blank, without what went wrong in the reporter itself: that is no message of the program's.
  private static func programLines(in text: Bytes) -> [Line] {
    var isOfReporter = false
    return LineCursor(text).filter { line in
      if line.isBlank {
        isOfReporter = false
      } else if line.text.hasPrefix("Error Formulating Crash Report:") {
        isOfReporter = true
      }
      return !line.isBlank && !isOfReporter
    }
  }

  /// The line without the level that build tools put before what a program prints, or the mark of a comment in source.
  private static func withoutLevel(_ line: Line) -> Line {
    if let text = line.text.after("//") {
      return line.with(text: text.drop { $0 == UInt8(ascii: "/") }.trimmed)
    }
    // GDB's `bt full`, of which a copy lost line breaks.
    if let next = line.text.after("No symbol table info available.") { return line.with(text: next.trimmed) }
    for level: StaticString in ["[INFO] ", "[ERROR] ", "[WARNING] "] {
      if let text = line.text.after(level) { return line.with(text: withoutLevelColon(text).trimmed) }
    }
    // A few rows of `log show`; of more, the repair of the text has removed the times.
    if line.text.first?.isDigit ?? false, let frame = withoutTimestamp(line.text),
      frame.first?.isDigit ?? false,
      frame.firstRange(of: " 0x") != nil
    {
      return line.with(text: frame)
    }
    // Julia's number of the process that wrote the line.
    if let rest = line.text.after("From worker "), let (number, text) = rest.split(at: UInt8(ascii: ":")),
      number.decimalValue != nil
    {
      return line.with(text: text.trimmed)
    }
    // Valgrind's number of the process: `==12==    by 0xBD4973: mark (major_gc.c:996)`.
    if let rest = line.text.after("=="), case let number = rest.prefix(while: \.isDigit), !number.isEmpty,
      let text = rest[number.endIndex...].after("== ")
    {
      return line.with(text: text.trimmed)
    }
    return line
  }

  /// Reads a line, or keeps it until the lines that continue it have been read.
  private mutating func readWrapped(_ line: Line) {
    if let begun = wrapped {
      if begun.rest > 0, let whole = WrappedMessage.joined(begun.line, line) {
        wrapped = WrappedMessage.isOpen(whole.text) ? (whole, begun.rest - 1) : nil
        if wrapped == nil { read(whole) }
        return
      }
      wrapped = nil
      read(begun.line)
    }
    if WrappedMessage.isOpen(line.text) {
      wrapped = (line, WrappedMessage.maximumLines)
    } else if let frames = WrappedMessage.joinedFrames(line.text) {
      for frame in frames { read(line.with(text: frame)) }
    } else {
      read(line)
    }
  }

  /// Offers a line to one reader after another, those that know more of its form first.
  private mutating func read(_ line: Line) {
    if let quoted = Self.quotedStart(line) { return append(quoted) }
    // Documents have their own readers, and one or two characters or the rule of a table state nothing.
    if line.text.count < 3 || line.text.first == UInt8(ascii: "{") { return }
    if line.text.allSatisfy({ $0.isAny(of: "-|: ") }) { return }
    defer { previous = line.text }
    if readListed(line) { return }
    if let value = Self.fieldValue(line.text) { return takeField(line.with(text: value)) }
    if Self.crashMarks.contains(where: { line.text.firstRange(of: $0) != nil }) { markedLine = line.number }
    if readBelowMessage(line) || readOfRuntime(line) { return }
    if let frame = labelled(line) { return append(LooseFrame(frame, isEvident: true)) }
    if let frame = nameless(line) { return append(LooseFrame(frame, isEvident: false)) }
    noteTitle(line.text)
    noteProcess(line.text)
    passingStatement = passingStatement ?? Statement(mentionedIn: line.text)
    if isListing(line.text) { return }
    if readLocation(line.text) || readGoLocation(line.text, line.number) || readChain(line) { return }
    if !readStatementOrFrame(line) { readOther(line) }
  }

  /// The value in `mach_code | 0x9`, a row in which a monitoring service prints a field; nil for other lines.
  private static func fieldValue(_ text: Bytes) -> Bytes? {
    let name = text.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_") }
    guard name.count > 3, let value = text[name.endIndex...].after(" | "),
      !value.contains(UInt8(ascii: "|")), !value.beginsWithMethod
    else { return nil }
    return value.trimmed
  }

  /// Takes what a field's value says of a fault; other values are words for it.
  private mutating func takeField(_ value: Line) {
    guard let statement = Statement(value) else { return }
    switch statement {
    case .fault, .faultAddress: take(statement)
    case .exception, .linker, .ended, .message: break
    }
  }

  /// The first frame of a list that begins inside a string: `{"error":"0   libswiftCore.dylib   0x87abb330 f + 40`.
  private static func quotedStart(_ line: Line) -> LooseFrame? {
    guard let mark = line.text.firstRange(of: "\":\"0 "), case let row = line.text[(mark.upperBound - 2)...],
      let frame = LooseFrame(line.with(text: row)), frame.frame.number == 0, frame.frame.address != nil
    else { return nil }
    return frame
  }

  /// Reads a line that belongs to the message above it.
  private mutating func readBelowMessage(_ line: Line) -> Bool {
    if Statement.isPanicLocation(previous) {
      take(.message(line.text.string))
      return true
    }
    if let said = Self.printedReason(previous, above: line.text) {
      take(.exception(name: nil, reason: said))
      return true
    }
    // The GNU library's terminate handler prints what the exception says on a line of its own.
    if let said = line.text.after("what():"), let mark = previous.firstRange(of: Self.thrownType) {
      take(.message(previous[mark.lowerBound...].string + " what(): " + said.trimmed.string))
      return true
    }
    // Python prints a line of source below each place in a script.
    if previous.hasPrefix("File \""), previous.firstRange(of: ".py\", line ") != nil,
      !line.text.hasPrefix("File \"")
    {
      return true
    }
    if line.text.hasPrefix("at "), let thrown = Self.thrown(previous) { take(.message(thrown)) }
    return readInnerException(line.text)
  }

  /// Reads what runtimes, handlers of signals and the system print in forms of their own.
  private mutating func readOfRuntime(_ line: Line) -> Bool {
    if ManagedStack.isFrame(line.text) {
      hasManagedFrames = true
      evidentFrames += 1
      return true
    }
    java.read(line.text)
    if readSentry(line) || readHandler(line) || readChromium(line) { return true }
    if dart.read(line) || gpu.read(line) || readScripted(line) { return true }
    if stop.read(line.text) {
      // Xcode adds why the thread stopped: `->  0x10 <+7>: movq (%rdi), %rax ; Thread 1: EXC_BAD_ACCESS (code=…)`.
      if let mark = line.text.firstRange(of: "; Thread ") ?? line.text.firstRange(of: "# Thread ") {
        take(Statement(line.with(text: line.text[(mark.lowerBound + 2)...])))
      }
      return true
    }
    if readValgrind(line.text) || readSystemLog(line.text) || readPrinted(line) || readDumped(line.text) {
      return true
    }
    // The Dart VM's line in a console, after the location in the engine that printed it.
    guard let mark = line.text.firstRange(of: "] Unhandled Exception: ") else { return false }
    take(Statement(line.with(text: line.text[(mark.lowerBound + 2)...])))
    return true
  }

  private mutating func readSentry(_ line: Line) -> Bool {
    switch sentry.read(line) {
    case .frame:
      guard let frame = LooseFrame(line) else { return false }
      append(frame)
    case .statements(let said): for statement in said { take(statement) }
    case nil: return false
    }
    return true
  }

  /// Keeps what a line says of the list below it.
  private mutating func noteTitle(_ text: Bytes) {
    if Self.isCrashedTitle(text) {
      isTitled = true
      isTitleLast = true
    }
    if Self.isHeading(text), report.threads.last?.frames.isEmpty == false { isBelowHeading = true }
    if let begun = Self.threadTitle(text) {
      title = begun
      if text.firstRange(of: "(TH_STATE_") != nil, text.firstRange(of: "CRASHED") != nil { isOwnStack = true }
    }
    if text.equals("Current stack trace:") { isOwnStack = true }
  }

  /// Whether a line is a heading of Markdown: `## Moon-2026-09-22-134341.ips`.
  private static func isHeading(_ text: Bytes) -> Bool {
    let rest = text.drop { $0 == UInt8(ascii: "#") }
    return rest.startIndex > text.startIndex + 1 && rest.first == 0x20
      && !(rest.trimmedStart.first?.isDigit ?? true)
  }

  private mutating func readStatementOrFrame(_ line: Line) -> Bool {
    // A frame begins with a number or a method's sign; other lines are statements.
    let mayBeFrame =
      (line.text.first.map { $0.isDigit || $0.isAny(of: "#-+*") } ?? false
        || LooseFrame.isAtosRow(line.text))
      && !Statement.followsMethod(line.text) && Statement.numbered(line.text) == nil
    if SystemLogLine.isRow(line.text) {
      take(Statement(line))
    } else if !mayBeFrame, let statement = Statement(line) {
      take(statement)
      readFrame(after: statement, line)
      // Mono's line is also recognised by its words.
      if line.text.hasPrefix("Got a ") { report.take(.message(line.text.string)) }
    } else if let frame = MeasureText.frame(line) {
      append(LooseFrame(frame, isEvident: true))
    } else if let loose = LooseFrame(line) {
      append(loose)
    } else if let statement = Statement(line) {
      take(statement)
      readFrame(after: statement, line)
    } else if let frame = repeated(line) {
      append(frame)
    } else {
      return false
    }
    if report.uncaughtException?.reason != nil { reasonLines = 0 }
    return true
  }

  /// Reads a line of prose: what it quotes, the reason of the exception above it, or what the program may have printed.
  private mutating func readOther(_ line: Line) {
    if readQuoted(line) { return }
    if reasonLines > 0 { return readReason(line) }
    if others.count < Self.maximumOthers, Self.otherLengths.contains(line.text.count),
      !HeaderSection.hasKey(line), SectionTitle(line.text) == nil
    {
      others.append(line.text.string)
    }
    if report.uncaughtException?.reason != nil { reasonLines = 0 }
  }

  /// The exception's reason, as a handler for uncaught exceptions that many apps have prints it: `CRASH: <reason>`, then
  /// `Stack Trace: (` and `callStackSymbols`.
  private static func printedReason(_ text: Bytes, above next: Bytes) -> String? {
    guard next.last == UInt8(ascii: "("), next.firstRange(of: "Stack Trace: (") != nil,
      let mark = text.firstRange(of: "CRASH: ")
    else { return nil }
    return text[mark.upperBound...].trimmed.nonEmptyString
  }

  /// Reads what Julia and R print when a signal ends them.
  private mutating func readScripted(_ line: Line) -> Bool {
    if let signal = julia.signal(line.text) {
      take(.fault(type: nil, signal: signal, subtype: nil, codes: []))
    } else if let frame = julia.frame(line) {
      append(LooseFrame(frame, isEvident: true))
    } else if let part = r.read(line) {
      switch part {
      case .statement(let statement):
        take(statement)
        if line.text.hasPrefix("*** caught ") { report.take(.message(line.text.string)) }
      case .frame(let frame): append(LooseFrame(frame, isEvident: true))
      case .other: break
      }
    } else {
      return false
    }
    return true
  }

  /// Reads a line of a list of names; a list that ended above the line is a stack, or dropped.
  private mutating func readListed(_ line: Line) -> Bool {
    if listed.read(line) { return true }
    takeListed()
    return false
  }

  private mutating func takeListed() {
    let frames = listed.end(isCrash: hasStatement)
    guard !frames.isEmpty, report.threads.allSatisfy(\.frames.isEmpty) else { return }
    for frame in frames { append(LooseFrame(frame, isEvident: true)) }
  }

  /// Reads what handlers of signals print.
  private mutating func readHandler(_ line: Line) -> Bool {
    switch handler.read(line) {
    case .statement(let statement): take(statement)
    case .frame(let frame): append(LooseFrame(frame, isEvident: true))
    case .other: break
    case nil: return false
    }
    return true
  }

  /// Reads what Valgrind says of an error, or of a signal that ended the program.
  private mutating func readValgrind(_ text: Bytes) -> Bool {
    switch valgrind.read(text) {
    case .ended(let signal):
      (report.threads, report.crashedThread) = ([], nil)
      take(.fault(type: nil, signal: signal, subtype: nil, codes: []))
    case .address(let address): take(.faultAddress(address))
    case .block: if others.count < Self.maximumOthers { others.append(text.string) }
    case .skip: break
    case .open, nil: return false
    }
    return true
  }

  /// Reads what the signal handler of Chromium and V8 prints.
  private mutating func readChromium(_ line: Line) -> Bool {
    switch chromium.read(line) {
    case .statement(let statement): take(statement)
    case .frame(let frame): append(LooseFrame(frame, isEvident: true))
    case .other: break
    case nil: return false
    }
    return true
  }

  private mutating func readSystemLog(_ text: Bytes) -> Bool {
    if let last = logged.last, last.isContinued(by: text) {
      logged[logged.count - 1].append(text)
      return true
    }
    guard logged.count < Self.maximumLogged, let line = SystemLogLine(text) else { return false }
    logged.append(line)
    hasStatement = true
    return true
  }

  private mutating func readPrinted(_ line: Line) -> Bool {
    if let signal = PrintedBacktrace.signal(line.text) {
      isPrinted = true
      take(.fault(type: nil, signal: signal, subtype: nil, codes: []))
      return true
    }
    guard isPrinted, let frame = PrintedBacktrace.frame(line) else { return false }
    append(LooseFrame(frame, isEvident: true))
    return true
  }

  /// Takes the process from a shell's line, and from `moon(31530,0x116e88dc0) malloc: *** error for object 0x7ff4: …`.
  private mutating func noteProcess(_ text: Bytes) {
    if report.header.process == nil, let program = Statement.endedProgram(text) {
      report.header.process = program.nonEmptyString
    }
    guard let mark = text.firstRange(of: ") malloc: "),
      let (name, rest) = text[..<mark.lowerBound].split(at: UInt8(ascii: "(")), !name.contains(0x20),
      let pid = rest.prefix(while: \.isDigit).decimalValue
    else { return }
    report.header.process = report.header.process ?? name.nonEmptyString
    report.header.pid = report.header.pid ?? Int(exactly: pid)
  }

  /// Reads `Process 14362 (moon) of user 1000 dumped core.`, which systemd's `coredumpctl` prints, and `Formulating crash
  /// report for process Moon[410]` of `ReportCrash`.
  private mutating func readDumped(_ text: Bytes) -> Bool {
    if let rest = text.after("Formulating crash report for process "),
      let (name, number) = rest.split(at: UInt8(ascii: "["))
    {
      report.header.process = report.header.process ?? name.nonEmptyString
      report.header.pid = number.prefix(while: \.isDigit).decimalValue.flatMap { Int(exactly: $0) }
      return true
    }
    guard text.firstRange(of: " dumped core") != nil, let rest = text.after("Process "),
      let (number, name) = rest.split(at: UInt8(ascii: "(")),
      let pid = number.trimmed.decimalValue.flatMap({ Int(exactly: $0) }),
      let (process, _) = name.split(at: UInt8(ascii: ")"))
    else { return false }
    report.header.process = process.nonEmptyString
    report.header.pid = pid
    hasStatement = true
    return true
  }

  /// Whether a line is one of the source listing below a frame of LLDB: `-> 656    return size();`, `657  }`. Its number is
  /// near that of the frame's line.
  private func isListing(_ text: Bytes) -> Bool {
    guard let frame = report.threads.last?.frames.last, frame.kind == .programCounter,
      let line = frame.reportedLine,
      let (number, _) = (text.after("-> ")?.trimmedStart ?? text).firstWord(),
      let listed = number.decimalValue.flatMap({ Int(exactly: $0) })
    else { return false }
    return abs(listed - line) <= Self.maximumListed
  }

  /// The maximum distance between the line of a frame and the lines that LLDB lists before and after it.
  private static let maximumListed = 8

  /// The frame of `5   SwiftData`, which names only the image, in the middle of a list: the preceding line is the frame
  /// with the preceding number.
  private func nameless(_ line: Line) -> Frame? {
    guard let last = report.threads.last?.frames.last, last.line == line.number - 1 else { return nil }
    // `backtrace_symbols` of glibc prints only the address of code in no library that it knows.
    if last.number == nil, last.address != nil, line.text.last == UInt8(ascii: "]"),
      let address = line.text.after("[")?.dropLast().prefixedHexValue
    {
      var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
      frame.line = line.number
      return frame
    }
    guard let before = last.number, let (number, rest) = line.text.firstWord(),
      number.decimalValue == UInt64(before + 1),
      case let image = rest.trimmed, !image.contains(0x20), image.first?.isLetter ?? false,
      image.allSatisfy({ $0.isLetter || $0.isDigit || $0.isAny(of: "_-.") })
    else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    (frame.number, frame.line) = (before + 1, line.number)
    // A list that names no images ends in a function: `13 start_wqthread`.
    if last.imageName == nil, last.reportedSymbol != nil, !(0x41...0x5a).contains(image[image.startIndex]) {
      frame.reportedSymbol = image.string
    } else {
      frame.imageName = image.string
    }
    return frame
  }

  /// A function's name, possibly with the number of its repetitions.
  private mutating func repeated(_ line: Line) -> LooseFrame? {
    let name = SpelledFrame.repetitions(line.text)
    let plain = name.map { line.with(text: $0.rest) } ?? line
    return named(plain).map { LooseFrame($0, isEvident: false, repetitions: name?.count ?? 1) }
  }

  /// Only a function's name on a line, below a statement about a crash or one of the functions that end programs.
  private mutating func named(_ line: Line) -> Frame? {
    if NamedFrame.terminatesProcess(line.text.trimmed) || Self.isCrashedTitle(previous) {
      hasStatement = true
    }
    // Prose that mentions the exception states it where it announces a list.
    let isAnnounced = report.threads.isEmpty && passingStatement != nil && Self.announcesFrames(previous)
    if isAnnounced { take(passingStatement) }
    guard hasStatement || isTitled, report.uncaughtException == nil,
      report.threads.first?.frames.last?.number == nil
    else { return nil }
    // Below such a title, Sentry's text has nothing but names, each after `at`.
    if isTitled, let name = line.text.after("at "), !name.contains(0x20) {
      var frame = FrameLine.frame(address: nil, tail: name)
      frame.line = line.number
      return frame
    }
    return NamedFrame.read(line, inList: isAnnounced || !(report.threads.first?.frames.isEmpty ?? true))
  }

  /// Whether a line is `Faulting main-thread frames include:` or `The stack:`.
  private static func announcesFrames(_ text: Bytes) -> Bool {
    text.last == UInt8(ascii: ":")
      && ([" frames", " stack", " backtrace"] as [StaticString]).contains { text.firstRange(of: $0) != nil }
  }

  /// Reads the frame in a title, `EXC_BREAKPOINT -[Cart total:] + 80`, and the function in `EXC_BREAKPOINT in
  /// `_assertionFailure``.
  private mutating func readFrame(after statement: Statement, _ line: Line) {
    guard case .fault = statement, report.threads.isEmpty else { return }
    if let (_, rest) = line.text.firstWord(), rest.trimmed.beginsWithMethod,
      let frame = LooseFrame(line.with(text: rest.trimmed))
    {
      return append(frame)
    }
    _ = readQuoted(line)
  }

  /// Reads the functions that a sentence quotes, one of which only programs that end call: `It traps in
  /// `_dispatch_assert_queue_fail` inside `closure #1 in Cart.load()``.
  private mutating func readQuoted(_ line: Line) -> Bool {
    guard report.threads.isEmpty, report.uncaughtException == nil else { return false }
    let parts = line.text.split(separator: UInt8(ascii: "`"), omittingEmptySubsequences: false)
    let quoted = parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
    // `The app crashed due to `libc++abi: terminating with uncaught exception of type tide::Error: low``.
    if line.text.firstRange(of: "rashe") != nil,
      let message = quoted.first(where: { $0.hasPrefix("libc++abi") || $0.hasPrefix("terminating ") })
    {
      take(Statement(line.with(text: message)))
      return true
    }
    // `The launcher shows "Assertion failed: (tide > 0), function rise, file tide.c, line 12"`.
    if let start = line.text.firstRange(of: "\"Assertion failed: (")?.lowerBound {
      let message = line.text[(start + 1)...].prefix { $0 != UInt8(ascii: "\"") }
      let whole = message.last == UInt8(ascii: ".") ? message : Bytes(Array(message) + ".".utf8)
      take(Statement(line.with(text: whole)))
      return true
    }
    // `A TestFlight crash: `RUNNINGBOARD 0xdead10cc`, with a read in flight.`
    if line.text.firstRange(of: "rash") != nil,
      let ended = quoted.lazy.compactMap({ Statement(endedIn: $0) }).first
    {
      take(ended)
      return true
    }
    if let (exception, function) = Self.placeOfException(in: parts),
      let frame = NamedFrame.read(line.with(text: function), inList: true)
    {
      take(Statement(line.with(text: exception)))
      append(LooseFrame(frame, isEvident: false))
      return true
    }
    guard quoted.contains(where: NamedFrame.terminatesProcess) else { return false }
    let frames = quoted.filter { !$0.hasPrefix("com.") }
      .compactMap { NamedFrame.read(line.with(text: $0), inList: true) }
    // Documentation mentions a single one in passing.
    let namesException = quoted.contains { $0.hasPrefix("EXC_") || $0.hasPrefix("SIG") }
    guard hasStatement || namesException || frames.count > 1 else { return false }
    hasStatement = true
    for frame in frames { append(LooseFrame(frame, isEvident: false)) }
    return true
  }

  /// The exception and the function in ``EXC_BAD_ACCESS at 0x0` in `Cart.total``.
  ///
  /// - Parameter parts: The sentence's parts, of which every second is quoted.
  /// - Returns: Both; nil in sentences with other words between.
  private static func placeOfException(in parts: [Bytes]) -> (exception: Bytes, function: Bytes)? {
    let places = stride(from: 1, to: parts.count - 2, by: 2)
    return places.first { parts[$0].hasPrefix("EXC_") && parts[$0 + 1].equals(" in ") }.map {
      (parts[$0], parts[$0 + 2])
    }
  }

  /// The frame of `Top frame: strlen`, the only one that a summary tells, or of `Stack: f + 24`, the first of a chain.
  private mutating func labelled(_ line: Line) -> Frame? {
    guard report.threads.isEmpty else { return nil }
    let plain = Bytes(line.text.filter { !$0.isAny(of: "*`") }).trimmed
    let words = plain.after("- ") ?? plain
    if let frame = Self.issueTitle(words, line.number) {
      issueLine = line.number
      return frame
    }
    if let rest = words.after("Stack: "), rest.firstRange(of: " + ") != nil,
      ["→ ", "-> ", "← ", "<- "].allSatisfy({ rest.firstRange(of: $0) == nil })
    {
      return LooseFrame(line.with(text: rest.trimmed))?.frame
    }
    for label: StaticString in [
      "Top frame:", "Crashing frame:", "Faulting frame:", "Top Frame:", "Crash Location:",
    ] {
      guard let rest = words.after(label)?.trimmed else { continue }
      // `Crash Location: libswift_Concurrency.dylib - CheckedContinuation.resume(throwing:)`
      let place = rest.firstRange(of: ".dylib - ").map { rest[$0.upperBound...] } ?? rest
      let name = place.firstRange(of: " from ").map { place[..<$0.lowerBound] } ?? place
      return NamedFrame.read(line.with(text: name), inList: true)
    }
    return nil
  }

  /// The frame in `[Moon] Tide.swift - Tide.rise(by:)`, Crashlytics' title of an issue: that which it blames (Firebase,
  /// `CrashlyticsNewFatalIssuePayload`, in JSON the member `title`).
  private static func issueTitle(_ text: Bytes, _ number: Int) -> Frame? {
    let member = text.after("\"title\": \"").map { $0.prefix { $0 != UInt8(ascii: "\"") } }
    guard let (image, rest) = (member ?? text).after("[")?.split(at: UInt8(ascii: "]")),
      image.first?.isLetter ?? false, let mark = rest.firstRange(of: " - "),
      case let file = rest[..<mark.lowerBound].trimmed, !file.contains(0x20),
      ([".swift", ".m", ".mm", ".cpp", ".cc", ".c"] as [StaticString]).contains(where: { file.hasSuffix($0) }
      ),
      case let words = rest[mark.upperBound...], let name = words.nonEmptyString,
      // A log's line has the same form: `[ERROR] Tide.swift - no answer`.
      member != nil || words.beginsWithMethod || !words.contains(0x20),
      image.contains(where: { !(0x41...0x5a).contains($0) })
    else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    (frame.imageName, frame.reportedSymbol, frame.reportedFile) = (image.string, name, file.string)
    frame.line = number
    return frame
  }

  /// The exception in `NullReferenceException: …` above a frame of a virtual machine, with or without a log's prefix;
  /// nil for other lines.
  private static func thrown(_ text: Bytes) -> String? {
    guard let (name, _) = text.split(at: UInt8(ascii: ":")), name.allSatisfy({ $0.isLetter }),
      name.count > 5, name.hasSuffix("Exception") || name.hasSuffix("Error"),
      name.first.map({ (0x41...0x5a).contains($0) }) ?? false
    else { return nil }
    return text.string
  }

  /// Reads ` ---> System.ArgumentNullException: …`, the exception within the one above: .NET's `Exception.ToString`, of which
  /// Mono has both on one line.
  private mutating func readInnerException(_ text: Bytes) -> Bool {
    guard let reason = report.uncaughtException?.reason, let inner = text.after("---> "),
      Statement.isExceptionName(inner.prefix { $0 != UInt8(ascii: ":") })
    else { return false }
    report.uncaughtException?.reason = reason + " " + text.string
    return true
  }

  /// Reads a reason on a line below the exception's name.
  private mutating func readReason(_ line: Line) {
    // Cr4shed's guess about which tweak is to blame stands below its `Reason: `.
    // A heading begins something else: `stack backtrace:`, `### Link to App Center ###`.
    guard !line.text.hasPrefix("Culprit: "), !line.text.hasPrefix("##"), line.text.last != UInt8(ascii: ":")
    else {
      return reasonLines = 0
    }
    reasonLines -= 1
    report.appendReason(line.text)
  }

  private mutating func take(_ statement: Statement?) {
    guard let statement else { return }
    hasStatement = true
    if case .exception(_, nil, _) = statement { reasonLines = Self.maximumReasonLines }
    report.take(statement)
  }

  /// Reads `f → g → abort()`, possibly with one arrow per line, as people summarise a stack.
  private mutating func readChain(_ line: Line) -> Bool {
    let label = Self.chainLabel(line.text)
    let stop = Self.chainStop(line.text)
    let names = stop?.rest ?? label?.rest ?? line.text
    guard !LooseFrame.isRemark(line.text), let chain = ArrowChain(names) else { return false }
    take(stop?.fault)
    if let label { (title, isOwnStack) = ((label.number, []), label.isCrashed) }
    if chain.names.contains(where: NamedFrame.terminatesProcess) { hasStatement = true }
    for name in chain.endsInCrash ? chain.names.reversed() : chain.names {
      let (function, place) = ArrowChain.columns(name)
      let loose = LooseFrame(line.with(text: function))
      var frame = loose?.frame ?? FrameLine.frame(address: nil, tail: function)
      frame.line = line.number
      if let place, frame.reportedFile == nil { (frame.reportedFile, frame.reportedLine) = place }
      append(LooseFrame(frame, isEvident: chain.isEvident || loose?.isEvident ?? false))
    }
    isChain = true
    return true
  }

  /// The stop before its chain, ``SIGTRAP at `f` → `g```; nil for other lines.
  private static func chainStop(_ text: Bytes) -> (fault: Statement, rest: Bytes)? {
    guard let (word, rest) = text.drop(while: { $0.isAny(of: "-*• ") }).firstWord(),
      let chain = rest.trimmedStart.after("at `") ?? rest.trimmedStart.after("in `")
    else { return nil }
    let fault = Statement.signalName(word.string).map {
      Statement.fault(type: nil, signal: $0, subtype: nil, codes: [])
    }
    return fault.map { ($0, Bytes([UInt8(ascii: "`")] + Array(chain))) }
  }

  /// The thread before its chain, `- **Thread 13 (JS, crashed):** `f` → `g``; nil for other lines.
  private static func chainLabel(_ text: Bytes) -> (number: Int, isCrashed: Bool, rest: Bytes)? {
    guard let words = text.drop(while: { $0.isAny(of: "-*• ") }).after("Thread "),
      let (label, rest) = words.split(at: UInt8(ascii: ":")),
      let number = label.prefix(while: \.isDigit).decimalValue.flatMap({ Int(exactly: $0) })
    else { return nil }
    return (number, label.firstRange(of: "rashed") != nil, rest.drop { $0.isAny(of: "* ") })
  }

  /// Rust prints a frame's location on a line of its own: `at /rustc/4d91/library/std/src/panicking.rs:66:9`.
  private mutating func readLocation(_ text: Bytes) -> Bool {
    guard let location = text.after("at "), !location.contains(0x20),
      let thread = report.threads.indices.last,
      let frame = report.threads[thread].frames.indices.last,
      report.threads[thread].frames[frame].reportedFile == nil
    else { return false }
    let parts = location.split(separator: UInt8(ascii: ":"))
    guard parts.count > 1, let number = parts[1].decimalValue else { return false }
    report.threads[thread].frames[frame].reportedFile = parts[0].string
    report.threads[thread].frames[frame].reportedLine = Int(exactly: number)
    return true
  }

  /// Go prints `runtime.cgocall(0x1056, 0x14)` and, on the next line, `/usr/local/go/src/runtime/cgocall.go:157 +0x44`.
  private mutating func readGoLocation(_ text: Bytes, _ number: Int) -> Bool {
    guard text.first == UInt8(ascii: "/"), let mark = text.firstRange(of: ".go:"),
      let open = previous.lastIndex(of: UInt8(ascii: "(")), open > previous.startIndex,
      previous.contains(UInt8(ascii: "."))
    else { return false }
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.reportedSymbol = previous[..<open].string
    frame.reportedFile = text[..<(mark.upperBound - 1)].string
    frame.reportedLine = text[mark.upperBound...].prefix { $0.isDigit }.decimalValue.flatMap {
      Int(exactly: $0)
    }
    frame.line = number
    // The function's line may have been taken for a frame already.
    if let thread = report.threads.indices.last, report.threads[thread].frames.last?.line == number - 1 {
      report.threads[thread].frames.removeLast()
    }
    append(LooseFrame(frame, isEvident: true))
    return true
  }

  /// Adds a frame. A number that isn't higher than the previous one begins another list.
  private mutating func append(_ loose: LooseFrame) {
    // Debuggers print the frame at which the program stopped, and again at the top of the list; LLDB with its thread.
    if loose.frame.number == 0, let shown = report.threads.last, shown.frames.count == 1,
      shown.frames[0].number == 0, let address = shown.frames[0].address, address == loose.frame.address,
      title.map({ $0.number == shown.index }) ?? true
    {
      title = nil
      return
    }
    // The heading of a tracker's page names the function that it blames, above the list that begins with 0.
    if loose.frame.number == 0, let shown = report.threads.last?.frames, shown.count == 1,
      shown[0].number == nil, shown[0].address == nil
    {
      report.threads[report.threads.count - 1].frames = []
    }
    if report.threads.isEmpty || title != nil || isOwnStack || begins(loose.frame) { beginThread() }
    guard let thread = report.threads.indices.last, report.threads[thread].frames.count < Self.maximumFrames
    else { return }
    if loose.isEvident { evidentFrames += 1 }
    if loose.frame.reportedSymbol?.hasPrefix("Swift runtime failure: ") == true { hasStatement = true }
    report.threads[thread].frames.append(loose.frame)
    let rest = Self.maximumFrames - max(report.threads[thread].frames.count, copies)
    let count = max(min(loose.repetitions - 1, rest), 0)
    copies += count
    for _ in 0..<count { report.threads[thread].frames.append(loose.frame) }
  }

  /// Whether a frame begins another list: its number isn't higher than the one above. Some people show a list from its
  /// outer end, with descending numbers.
  private mutating func begins(_ frame: Frame) -> Bool {
    defer { isBelowHeading = false }
    if isBelowHeading, frame.number == nil, report.threads.last?.frames.last?.number == nil {
      return report.threads.last?.frames.isEmpty == false
    }
    guard let frames = report.threads.last?.frames, let old = frames.last?.number, let new = frame.number
    else {
      return false
    }
    if frames.count == 1, old > 1, new == old - 1 { isDescending = true }
    return isDescending ? new >= old : new <= old
  }

  /// Begins a thread. The first list is that of the crashed thread, since debuggers print the stopped thread first.
  private mutating func beginThread() {
    orderDescending()
    guard report.threads.count < 256 else { return }
    var thread = ThreadRecord(index: report.threads.count)
    if let title {
      thread.index = title.number
      if stopped == nil, title.name.firstRange(of: "stop reason = ") != nil { stopped = report.threads.count }
      thread.queue = Self.quoted("queue = '", in: title.name)
      thread.name = Self.quoted("name = '", in: title.name)
    }
    thread.isCrashed = report.threads.isEmpty || isOwnStack
    if isOwnStack { for index in report.threads.indices { report.threads[index].isCrashed = false } }
    report.threads.append(thread)
    title = nil
    isOwnStack = false
    isTitleLast = false
  }

  private mutating func orderDescending() {
    guard isDescending, let thread = report.threads.indices.last else { return }
    report.threads[thread].frames.reverse()
    isDescending = false
  }

  /// Takes the list of a debugger's stopped thread for that of the crashed one, rather than a shorter one without addresses
  /// that the program's runtime had printed.
  private mutating func preferStopped() {
    guard let stopped, stopped > 0, let first = report.threads.first, first.isCrashed,
      first.frames.allSatisfy({ $0.address == nil }),
      report.threads[stopped].frames.count > first.frames.count
    else { return }
    report.threads[0].isCrashed = false
    report.threads[stopped].isCrashed = true
  }

  private mutating func finished(_ text: Bytes, isReport: Bool) -> CrashReport? {
    if let begun = wrapped { read(begun.line) }
    takeListed()
    orderDescending()
    preferStopped()
    if evidentFrames > 1, report.exception == nil, let passingStatement { report.take(passingStatement) }
    let isCrash = hasStatement || isTitled && !report.threads.isEmpty
    if !isReport, evidentFrames < 2, !isCrash, dart.frames.isEmpty, !gpu.isFound, !java.isFault {
      return nil
    }
    // The list above the title of the crashed thread is another one's.
    if isTitleLast, report.threads.first?.frames.first?.number != nil { report.threads[0].isCrashed = false }
    if let issueLine, let frames = report.threads.first?.frames, frames.count == 1,
      frames[0].line == issueLine
    {
      report.threads[0].frames[0].number = Self.outerNumber
    }
    dart.add(to: &report)
    report.take(logged)
    java.add(to: &report)
    gpu.add(to: &report)
    stop.add(to: &report)
    // Where a debugger stopped the process, a signal's handler is what the thread did.
    let isStopped = text.firstRange(of: "stop reason = signal SIGSTOP") != nil
    for thread in report.threads.indices {
      CrashlyticsSection.settle(&report.threads[thread].frames)
      if report.exception == nil, let signal = report.threads[thread].frames.handledSignal {
        report.take(.fault(type: nil, signal: signal, subtype: nil, codes: []))
      }
      let isUnstated = report.exception == nil && report.uncaughtException == nil
      if !isUnstated || !isStopped {
        report.threads[thread].frames.dropSignalHandler(keepsTrampoline: isUnstated)
      }
      if isPrinted { report.threads[thread].frames.dropSwiftHandler() }
      if thread == 0 { handler.finish(&report.threads[thread].frames) }
      ChromiumDump.dropHandler(&report.threads[thread].frames)
      report.threads[thread].frames.stripUnderscores()
      let isUnnumbered = report.threads[thread].frames.allSatisfy { $0.number == nil && $0.address == nil }
      if isUnnumbered, let markedLine, report.threads[thread].frames.last?.line == markedLine {
        report.threads[thread].frames.reverse()
      } else if isChain || isUnnumbered {
        report.threads[thread].frames.orderInnermostFirst()
      }
    }
    let isLogged = report.threads.count == 1 && report.threads[0].frames.areOfUnityLog
    if report.threads.isEmpty || hasManagedFrames || isLogged {
      // Python lists the other threads first.
      let current = text.firstRange(of: "Current thread 0x")?.lowerBound
      // Without it, the list was cut off above the thread that got the signal.
      let isCut = current == nil && text.firstRange(of: "(most recent call first):") != nil
      let first = current ?? (isCut ? text.endIndex : text.startIndex)
      for stack in ManagedStack.backtraces(in: text[first...].string) {
        report.applicationSpecificBacktraces.append(stack)
      }
      // Where an exception was logged says nothing beside the exception's own stack.
      if isLogged, !report.applicationSpecificBacktraces.isEmpty {
        (report.threads, report.crashedThread) = ([], nil)
      }
    }
    if report.uncaughtException != nil { report.format = .nsException }
    if report.hasNoDetails || report.lacksReason {
      for text in others { report.addRemark(SystemRemark.surroundings, text) }
    }
    if report.describesHang { report.kind = .hang }
    if valgrind.isFinding, !valgrind.hasEnded, report.exception == nil { report.kind = .other }
    if report.threads.first?.frames.isPanic ?? false {
      report.kind = .panic
      report.threads[0].frames.dropDebuggerTrap()
    }
    report.locateFrames(statesKinds: true)
    return report
  }
}

extension [Frame] {
  /// Whether all are rows of the stack that Unity prints below what it logs: `Moon.Tides:LogException(Exception)`.
  fileprivate var areOfUnityLog: Bool {
    !isEmpty
      && allSatisfy { frame in
        guard frame.address == nil, frame.imageName == nil, let name = frame.reportedSymbol else {
          return false
        }
        return name.hasSuffix(")") && name.contains(":") && !name.contains("::") && !name.contains("[")
      }
  }
}
