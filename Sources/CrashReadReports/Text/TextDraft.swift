internal import CrashReadCore

/// A report under construction, with statements of earlier lines that belong to later ones.
struct TextDraft {
  var report: CrashReport
  /// The thread that `Triggered by Thread` names.
  var trigger: ThreadTitle?
  /// The contents of `Thread N name:`, which belong to the thread that follows.
  var pendingName: ThreadTitle?
  /// Registers, and the number of the thread to which they belong; nil when the report doesn't state it.
  var states: [(thread: Int?, state: ThreadState)] = []

  /// The syndrome of the exception, on a line of its own.
  var syndrome: Register?

  /// Statements about the program's end on lines outside the report's format.
  private var statements: [Statement] = []
  private static let maximumStatements = 64
  /// How many of them stand above the report's header.
  private var statementsAbove = 0
  /// The line with a message that ends on a later one, its position among the statements, and how many lines may follow.
  private var open: (line: Line, statement: Int, rest: Int)?
  /// Whether the last line was the place of a Rust panic, below which its message stands.
  private var isBelowPanic = false
  /// Whether the text is of a reporter that marks the crashed thread, as its heading tells.
  private var marksCrashedThread = false
  /// Code by the number of the thread that ran it.
  var codes: [Int: CodeBytes] = [:]

  /// Whether the report states that nothing crashed: the main thread didn't respond.
  var isDeadlock = false

  init(format: ReportFormat) { report = CrashReport(format: format) }

  mutating func note(_ line: Line, _ message: String) {
    report.notes.append(ReportNote(line: line.number, message: message))
  }

  /// Keeps the statement of a line outside the report's format, in case the text turns out to be a report.
  mutating func takeStatement(_ line: Line) {
    if line.text.firstRange(of: "Crash due to signal: SIG") != nil { marksCrashedThread = true }
    if continueStatement(line) { return }
    let isPanicMessage = isBelowPanic && !line.text.hasPrefix("note: ")
    isBelowPanic = Statement.isPanicLocation(line.text)
    guard statements.count < Self.maximumStatements,
      let statement = isPanicMessage ? .message(line.text.string) : Statement(line)
    else { return }
    statements.append(statement)
    if WrappedMessage.isOpen(line.text) {
      open = (line, statements.count - 1, WrappedMessage.maximumLines)
    }
  }

  /// Appends a line to the message before it; false when that one is complete, or the line begins something else.
  private mutating func continueStatement(_ line: Line) -> Bool {
    guard let begun = open else { return false }
    open = nil
    guard begun.rest > 0, let whole = WrappedMessage.joined(begun.line, line) else { return false }
    if let statement = Statement(whole) { statements[begun.statement] = statement }
    if WrappedMessage.isOpen(whole.text) { open = (whole, begun.statement, begun.rest - 1) }
    return true
  }

  /// Takes the exception from the program's message if nothing else states it: Sentry writes a minidump as Apple's
  /// text, with `Fatal Error: EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x10` as the message, and KSCrash describes the
  /// pointer.
  mutating func takeStatedFault() {
    if takeAttempt() { return }
    guard report.exception == nil,
      let information = report.applicationSpecificInformation.first(where: { line in
        ["Fatal Error: EXC_", "Attempted to dereference "].contains(where: line.hasPrefix)
      })
    else { return }
    let text = Bytes(Array(information.utf8))
    if let statement = Statement(Line(number: 0, raw: text)) { report.take(statement) }
  }

  /// Takes what KSCrash found out about the pointer, if the report states only a fault without its address.
  private mutating func takeAttempt() -> Bool {
    guard let stated = report.exception, stated.codes.isEmpty,
      ["EXC_BAD_ACCESS", "SIGSEGV", "SIGBUS"].contains(stated.type),
      stated.subtype.map({ $0.hasSuffix("_NOOP") }) ?? true,
      let line = report.applicationSpecificInformation.first(where: {
        $0.hasPrefix("Attempted to dereference ")
      })
    else { return false }
    report.exception?.subtype = Statement.attempt(Bytes(Array(line.utf8)))
    return true
  }

  /// Takes the codes of the Mach exception that Sentry states in a sentence, `Exception 1, Code 1, Subcode 16 >
  /// KERN_INVALID_ADDRESS at 0x10.`: its line of codes has only the signal's, which can be 0 (`SEGV_NOOP at 0x10`).
  mutating func takeMachException() {
    guard let stated = report.exception,
      stated.subtype?.split(separator: " ").first?.hasSuffix("_NOOP") ?? true
    else { return }
    takeKernelCode()
    guard let title = report.applicationSpecificInformation.first(where: { $0.hasPrefix("Exception ") }),
      case .fault(let type?, _, let subtype?, let codes)? = Statement(
        Line(number: 0, raw: Bytes(Array(title.utf8)))),
      stated.type == type
    else { return }
    report.exception?.subtype = subtype
    if stated.codes.isEmpty { report.exception?.codes = codes }
  }

  /// Takes `KERN_PROTECTION_FAILURE at 0x10.`, which Sentry prints below the codes of the signal: what it was raised for.
  private mutating func takeKernelCode() {
    guard report.exception?.type == "EXC_BAD_ACCESS", report.exception?.codes.isEmpty ?? false,
      let line = report.applicationSpecificInformation.first(where: {
        $0.hasPrefix("KERN_") && $0.contains(" at 0x")
      })
    else { return }
    report.exception?.subtype = Statement.subtype(Bytes(Array(line.utf8)))
  }

  /// Whether there is a crashed thread of this number with frames: a second one belongs to another excerpt.
  func holdsCrashedThread(_ number: Int) -> Bool {
    report.threads.contains { $0.isCrashed && $0.index == number && !$0.frames.isEmpty }
  }

  /// Marks the begin of a report's header: what stands above was printed by another program, or written about the report.
  mutating func beginHeader() { statementsAbove = statements.count }

  /// Whether the part after the header has begun.
  var hasBody: Bool {
    !report.threads.isEmpty || !report.images.isEmpty || !report.lastExceptionBacktrace.isEmpty
  }

  /// Whether enough was found to consider the text a report: any text may have a line such as `Version: 2`.
  var isReport: Bool {
    let header = report.header
    return report.exception != nil || report.termination != nil || !report.images.isEmpty || !states.isEmpty
      || !report.lastExceptionBacktrace.isEmpty || report.uncaughtException != nil
      || report.threads.contains { !$0.frames.isEmpty }
      || header.process != nil && (header.osVersion != nil || header.codeType != nil)
  }

  /// Reads `0  name  Dispatch queue: label`, also with a comma after the number.
  mutating func readTrigger(_ value: Bytes) {
    let digits = value.prefix { $0.isDigit }
    guard let number = digits.decimalValue, let index = Int(exactly: number) else { return }
    let naming = value[digits.endIndex...].drop { $0 == UInt8(ascii: ",") }
    trigger = ThreadTitle(index: index, naming: naming)
  }

  /// Removes the thread of a heading without frames, such as Crashlytics' `Crashed: QUEUE`, if those of the crashed thread
  /// stand below another title.
  private mutating func dropEmptyHeading() {
    guard let heading = report.threads.firstIndex(where: { $0.isCrashed && $0.frames.isEmpty }),
      let crashed = report.threads.firstIndex(where: { $0.isCrashed && !$0.frames.isEmpty })
    else { return }
    report.threads[crashed].queue = report.threads[crashed].queue ?? report.threads[heading].queue
    report.threads[crashed].name = report.threads[crashed].name ?? report.threads[heading].name
    report.threads.remove(at: heading)
  }

  /// Adds statements of the header and the registers to the threads to which they refer, and links frames to images.
  mutating func finished() -> CrashReport {
    dropEmptyHeading()
    let isMarked = report.threads.contains(where: \.isCrashed)
    if let trigger, let thread = report.threads.firstIndex(where: { $0.index == trigger.index }) {
      if !isMarked { report.threads[thread].isCrashed = true }
      report.threads[thread].name = report.threads[thread].name ?? trigger.name
      report.threads[thread].queue = report.threads[thread].queue ?? trigger.queue
    } else if trigger == nil, !isMarked, report.threads.count == 1, report.header.process == nil,
      !report.isReportedError, !isOfOtherThread(report.threads[0]),
      !states.contains(where: { $0.thread.map { $0 != report.threads[0].index } ?? false })
    {
      // Of an excerpt, people copy the thread that crashed, unless its registers name another one.
      report.threads[0].isCrashed = true
    }
    attachStates()
    keepTrigger()
    addSyndrome()
    // A report that has the reason itself needs none from above it.
    for statement in statements.dropFirst(statesReason ? statementsAbove : 0) { report.take(statement) }
    for index in report.threads.indices where !codes.isEmpty {
      report.threads[index].code = codes[report.threads[index].index]
    }
    report.locateFrames()
    report.kind = kind
    noteOtherProcess()
    return report
  }

  /// Whether the report's own lines state why the program ended, rather than only that it did.
  private var statesReason: Bool {
    report.uncaughtException != nil
      || report.applicationSpecificInformation.contains { line in
        !Self.bareMessages.contains(where: line.hasPrefix)
      }
  }

  private static let bareMessages = [
    "abort() called", "terminating with", "terminating due to", "libc++abi", "dyld", "crashed on child side",
    "objc_msgSend() selector name", "Performing @selector", "*** multi-threaded process forked",
  ]

  /// Notes that the process whose handler of exceptions ended it is another one: then parts of two reports stand here.
  private mutating func noteOtherProcess() {
    guard let sender = report.termination?.byProcess, sender.hasPrefix("exc handler ["),
      let ended = Int(sender.dropFirst("exc handler [".count).prefix { $0.isNumber }), ended > 0,
      let pid = report.header.pid, pid != ended
    else { return }
    let message = "the process \(ended) that ended isn't the report's \(pid): parts of two reports stand here"
    report.notes.append(ReportNote(line: nil, message: message))
  }

  /// Whether a thread without a mark isn't the one that crashed: the reporter would have marked it, or it waited in the kernel
  /// while another one used bad memory or ran into a trap.
  private func isOfOtherThread(_ thread: ThreadRecord) -> Bool {
    if marksCrashedThread { return true }
    guard let innermost = thread.frames.first, innermost.number == 0, let name = innermost.reportedSymbol,
      Self.waits.contains(name)
    else { return false }
    var stated = report
    for statement in statements { stated.take(statement) }
    let type = stated.exception?.type ?? stated.exception?.signal ?? ""
    return [
      "EXC_BAD_ACCESS", "EXC_BREAKPOINT", "EXC_BAD_INSTRUCTION", "SIGSEGV", "SIGBUS", "SIGTRAP", "SIGILL",
    ]
    .contains(type)
  }

  /// System calls in which threads wait (apple-oss-distributions, xnu, libsyscall).
  static let waits: Set<String> = [
    "mach_msg_trap", "mach_msg2_trap", "semaphore_wait_trap", "semaphore_timedwait_trap", "__psynch_cvwait",
    "__psynch_mutexwait", "__workq_kernreturn", "kevent", "kevent64", "kevent_id", "kevent_qos", "__select",
    "__semwait_signal", "__ulock_wait", "__ulock_wait2", "poll", "__recvfrom", "read", "__accept",
    "sem_wait", "__sigwait", "__sigsuspend", "__wait4", "__psynch_rw_rdlock", "__psynch_rw_wrlock",
  ]

  /// Assigns registers to the threads whose numbers they state; those of an unknown thread to the crashed one.
  private mutating func attachStates() {
    var positions: [Int: Int] = [:]
    for (position, thread) in report.threads.enumerated().reversed() { positions[thread.index] = position }
    var crashed = report.threads.firstIndex(where: \.isCrashed)
    for (number, state) in states {
      let known = number.map { positions[$0] } ?? crashed
      let position = known ?? appendThreadWithoutFrames(number)
      positions[report.threads[position].index] = position
      if crashed == nil {
        // Registers are printed only of a crashed thread.
        report.threads[position].isCrashed = true
        crashed = position
      }
      if report.threads[position].state == nil { report.threads[position].state = state }
    }
  }

  /// Keeps the header's statements about the crashed thread when the report has no threads.
  private mutating func keepTrigger() {
    guard let trigger, report.threads.isEmpty else { return }
    let index = appendThreadWithoutFrames(trigger.index)
    report.threads[index].isCrashed = true
    (report.threads[index].name, report.threads[index].queue) = (trigger.name, trigger.queue)
  }

  /// Adds the syndrome to the crashed thread's registers, unless they have it.
  private mutating func addSyndrome() {
    guard let syndrome, let crashed = report.threads.firstIndex(where: \.isCrashed),
      report.threads[crashed].state?["esr"] == nil
    else { return }
    var state = report.threads[crashed].state ?? ThreadState(flavor: "")
    state.registers.append(syndrome)
    report.threads[crashed].state = state
  }

  private mutating func appendThreadWithoutFrames(_ number: Int?) -> Int {
    report.threads.append(ThreadRecord(index: number ?? 0))
    let message =
      number.map { "the report names thread \($0), but has no backtrace of it" }
      ?? "the report has registers of a thread that it doesn't name, but no backtrace of it"
    report.notes.append(ReportNote(line: nil, message: message))
    return report.threads.count - 1
  }

  private var kind: ReportKind {
    // This code ('all bad') marks a stackshot.
    if report.exception?.codes.first == 0xbaaa_aaad { return .other }
    if report.exception?.type == "EXC_RESOURCE" { return .resource }
    if report.isReportedError { return .other }
    return isDeadlock || report.describesHang ? .hang : .crash
  }
}

extension CrashReport {
  /// Whether it is about an error that the app recorded and survived.
  fileprivate var isReportedError: Bool {
    exception == nil && uncaughtException == nil
      && applicationSpecificInformation.first?.hasPrefix(Self.reportedErrorMark) ?? false
  }

  /// Whether it states that the main thread didn't respond, in titles and values of Sentry's events (sentry-cocoa,
  /// `SentryANRTracker`).
  var describesHang: Bool {
    applicationSpecificInformation.contains { line in
      ["App Hang", "Fatal App Hang", "App hanging "].contains { line.hasPrefix($0) }
        || [": App hanging for ", ": App hanging between "].contains { line.holds($0) }
    }
  }
}
