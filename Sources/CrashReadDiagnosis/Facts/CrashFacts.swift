internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The facts of a report about its crash, in the form in which rules require them.
///
/// Formats state a fact in different fields; here each has one. Evidence keeps the report's own wording.
struct CrashFacts {
  var words: [WordFact: [Fact<String>]] = [:]
  var numbers: [NumberFact: Fact<UInt64>] = [:]
  var texts: [TextFact: [FactLine]] = [:]
  /// The values that texts can include: words of the report or of the tables.
  var values: [ValueFact: Fact<String>] = [:]
  /// The report's decoded numbers, and the parts of its messages.
  var decodings: [FactDecoding] = []

  /// The maximum number of lines. Reports can contain megabytes of text; the relevant lines are among the first.
  private static let maximumLines = 400
  /// The maximum depth of the frames that stop a program or report the crash.
  private static let maximumFrames = 16

  /// The crashed process, if it is a program of the system or of Apple's developer tools and ran only their code.
  var appleProgram: Fact<String>?
  /// The test that was running; nil if there was none, or if it is unknown.
  var test: TestName?
  /// The name of the uncaught exception; nil when there was none, or the report doesn't name it.
  var exceptionName: String?
  /// The location of the macro's use if the blamed code is a macro's expansion.
  var macroCall: SourceLocation?
  /// Whether a text names an exception, but doesn't say that it ended the program.
  var isPerhapsCaught = false
  /// Whether the report states another fault address than the CPU's register: somebody edited one of them, or the
  /// registers are those of another fault.
  var isFaultDisputed = false
  /// The names of the crashed thread: its queue's and its own.
  var queueNames: [String] = []
  /// Whether the crashed thread is not the program's first thread, which is the main thread.
  var isOffMain = false
  /// Whether the crashed thread is certainly the main thread.
  var isOnMain = false
  /// The innermost repetition of the crashed thread's longest recursion, as indices of frames; nil without a deep one.
  var recursion: Range<Int>?
  /// The thread that used a locked file when the process was to be suspended, as an index; nil when none is known.
  var lockUser: Int?

  /// The instructions around the crashed thread's program counter; nil if there are none.
  let code: CrashCode?
  /// The reason for which the CPU raised a general protection fault; nil if it raised none, or the instruction doesn't
  /// show it.
  var protection: ProtectionFault?

  /// Collects the facts, and interprets numbers and functions with the knowledge base.
  init(_ symbolicated: SymbolicatedReport, knowledge: Knowledge) {
    let report = symbolicated.report
    let codes = knowledge.codes
    code = CrashCode(symbolicated)
    add(.kind, report.kind.rawValue, Evidence(.field(.kind), report.kind.rawValue))
    addException(report, codes)
    addTermination(report, codes)
    addSender(report)
    addArchitecture(report)
    addTexts(report)
    addUncaughtStatement(report)
    addRefusedPointer()
    exceptionName = report.uncaughtException?.name ?? statedExceptionName
    addOwnAssertion(report, knowledge)
    if let thread = report.crashedThread, report.threads.indices.contains(thread) {
      queueNames = [report.threads[thread].queue, report.threads[thread].name].compactMap(\.self)
      for name in queueNames { add(.queue, name, .queue(thread: thread)) }
      isOnMain =
        queueNames.contains(where: isMain) || report.threads[thread].index == 0 && report.numbersThreads
      // Debuggers number threads from 1, and state the queue.
      let isNumbered =
        report.numbersThreads
        || report.format == .callStackSymbols && report.threads[thread].index > 1 && !queueNames.isEmpty
      isOffMain = !isOnMain && isNumbered
    }
    addNamedLines(report)
    addPanic(report, knowledge.codes)
    addWatchdogTimes()
    addFrames(symbolicated, knowledge)
    addImpliedSignal(report, knowledge)
    addTerminate(symbolicated, knowledge)
    addHandlerThrow(symbolicated)
    addUnwinding(symbolicated)
    addHandlerException(symbolicated)
    addProcessorState(report, codes)
    addStacks(symbolicated)
    addReleaseChain(symbolicated, knowledge)
    addMemoryFault(report, codes)
    addAbortHandler(symbolicated, knowledge)
    isFaultDisputed = disputesFault(report)
    addGuardOrResource(report, codes)
    addLinkerError()
    addNamedCodes(report, codes)
    addRegisters(report)
    addNullArgument(symbolicated)
    addMemberOffset(symbolicated)
    addFreeLink(report)
    addGuardValue()
    addInjectedLibraries(symbolicated, knowledge)
    addAppleProgram(symbolicated, knowledge)
    addProtectionFault()
    addAllocation(report)
    addSwiftMessage(report, knowledge)
    addStatedMessage(knowledge)
    addSearchedTexts(symbolicated)
    addWaits(symbolicated, knowledge)
    addOtherThreads(symbolicated, knowledge)
    addShare(symbolicated, knowledge)
    addBusyThread(symbolicated, knowledge)
    addTruncation(symbolicated)
  }

  /// Adds a word that a rule may ask for.
  mutating func add(_ fact: WordFact, _ value: String, _ evidence: Evidence) {
    words[fact, default: []].append(Fact(value, evidence))
  }

  /// Sets a value that a rule or a text may ask for; nil leaves it unknown.
  mutating func set(_ fact: ValueFact, _ value: String?, _ evidence: Evidence) {
    values[fact] = value.map { Fact($0, evidence) }
  }

  /// Whether another process created threads in this one or changed their state, so that the CPU's state may not be the
  /// program's.
  var isChangedFromOutside: Bool {
    guard isStoppedByCPU, let noted = texts[.noted] else { return false }
    return ["thread_create: ", "thread_set_state: "].contains { call in
      let start = Array("External Modification Summary: \(call)".utf8)
      return noted.contains { $0.bytes.starts(with: start) }
    }
  }

  /// Whether the evidence is only what a library left in the process's memory or printed, and something else stopped the
  /// process: the CPU refused an access to memory or a division, the kernel raised a guard, or the process was ended from
  /// outside. Such messages stay until the end, whatever it is.
  func isStoppedApart(from evidence: [Evidence]) -> Bool {
    let isRefused = isMemoryFault || has(.exception, "EXC_ARITHMETIC") || has(.exception, "SIGFPE")
    let isFault = isRefused && !has(.stopper, "terminate") && !has(.stopper, "abort")
    let isEnded = ["SIGKILL", "EXC_GUARD", "EXC_RESOURCE"].contains { has(.exception, $0) }
    guard isFault || isEnded || isAskedToEnd || has(.stopper, "other") else { return false }
    return !evidence.isEmpty
      && evidence.allSatisfy {
        switch $0.source {
        case .field(.applicationSpecificInformation): true
        // The dynamic linker ends a program by a trap or an abort; a report that says otherwise got its line from a log.
        case .field(.terminationDetail): isFault
        default: false
        }
      }
  }

  /// Whether a process that watches others ended this one, whatever message an earlier failure had left in it.
  var isKilledByWatcher: Bool {
    has(.exception, "SIGKILL")
      && ["SPRINGBOARD", "FRONTBOARD", "RUNNINGBOARD", "ASSERTIOND", "JETSAM"].contains {
        has(.namespace, $0)
      }
  }

  var isStoppedByCPU: Bool {
    isMemoryFault
      || ["EXC_BREAKPOINT", "EXC_BAD_INSTRUCTION", "EXC_ARITHMETIC"].contains { has(.exception, $0) }
  }

  /// Whether the program stopped itself with a trap instruction.
  var isTrap: Bool {
    ["EXC_BREAKPOINT", "EXC_BAD_INSTRUCTION", "SIGTRAP", "SIGILL"].contains { has(.exception, $0) }
  }

  /// Whether another process asked this one to end: the program didn't cause that, unless it sent the signal itself.
  var isAskedToEnd: Bool {
    ["SIGTERM", "SIGINT", "SIGHUP"].contains { has(.exception, $0) }
  }

  func has(_ fact: WordFact, _ value: String) -> Bool {
    words[fact]?.contains { $0.value == value } ?? false
  }
}

extension CrashFacts {
  private mutating func addException(_ report: CrashReport, _ codes: CodeTables) {
    let evidence = exceptionEvidence(report.exception)
    if let type = report.exception?.type {
      add(.exception, type, evidence)
      set(type.hasPrefix("SIG") ? .signal : .exception, type, evidence)
      if let signal = report.reportedSignal {
        add(.exception, signal, evidence)
        set(.signal, signal, evidence)
      } else {
        set(.sanitizer, report.format == .sanitizer ? type : nil, evidence)
      }
      set(.knownException, codes.has(type, in: "exception") ? type : nil, evidence)
    } else if let subtype = report.exception?.subtype,
      ["KERN_INVALID_ADDRESS", "KERN_PROTECTION_FAILURE"].contains(where: subtype.hasPrefix)
    {
      // The line with the type wasn't copied; the kernel gives these codes to failed accesses only.
      add(.exception, "EXC_BAD_ACCESS", Evidence(.field(.exceptionSubtype), subtype))
    } else if report.kind == .crash, report.termination == nil, report.uncaughtException == nil,
      let info = report.vmRegionInfo, FaultRegion.address(info) != nil
    {
      // Reports have the excerpt of the memory map only for a failed access.
      add(.exception, "EXC_BAD_ACCESS", Evidence(.field(.vmRegionInfo), String(info.lines.first ?? "")))
    }
    addSignal(report, codes, evidence)
    addSentSignal(evidence)
    addTrappedException(report)
  }

  /// Adds the exception that the crashed thread's registers show, if the lines that state it were not copied.
  private mutating func addTrappedException(_ report: CrashReport) {
    guard report.kind == .crash, report.exception == nil, report.termination == nil,
      report.uncaughtException == nil, let thread = report.crashedThread,
      let state = report.crashedThreadState
    else { return }
    let call = state.registers.first { $0.name == "x16" }?.value
    for register in state.registers {
      let ending = Self.isEndingCall(register, number: call) ? "EXC_CRASH" : nil
      guard let type = register.trappedException ?? ending else { continue }
      let evidence = Evidence(.register(thread: thread, name: register.name), register.value)
      if words[.architecture] == nil {
        add(.architecture, register.name == "esr" ? "arm64" : "x86", evidence)
      }
      if type == "EXC_CRASH" {
        for fact in [ValueFact.exception, .knownException] { set(fact, type, evidence) }
      }
      return add(.exception, type, evidence)
    }
  }

  /// Whether a syndrome is that of a system call that ends the process; most others are those of threads that didn't
  /// crash. `__pthread_kill` (328) is how `abort` raises its signal; 521 is `abort_with_payload`.
  private static func isEndingCall(_ register: Register, number: UInt64?) -> Bool {
    register.name == "esr" && register.value >> 26 == 0x15 && (number == 328 || number == 521)
  }

  private mutating func addSignal(_ report: CrashReport, _ codes: CodeTables, _ evidence: Evidence) {
    // Some systems add a reason to the signal's name: `SIGKILL - CODESIGNING`.
    let printed = report.exception?.signal?.split(separator: " ").first.map { Fact(String($0), evidence) }
    guard let signal = printed ?? values[.signal] ?? signalOfTermination(report, codes) else { return }
    add(.exception, signal.value, signal.evidence)
    values[.signal] = signal
    values[.knownSignal] = codes.has(signal.value, in: "signal") ? signal : nil
  }

  /// Adds that a signal of the CPU was sent: for a trap of the CPU's own, the report would state its Mach exception.
  private mutating func addSentSignal(_ evidence: Evidence) {
    let signals = ["SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP", "SIGFPE"]
    guard has(.exception, "EXC_CRASH"), signals.contains(where: { has(.exception, $0) }) else { return }
    add(.stopper, "sent", evidence)
  }

  func exceptionEvidence(_ exception: ExceptionRecord?) -> Evidence {
    let signal = exception?.signal.map { exception?.type == nil ? $0 : "(\($0))" }
    return Evidence(
      .field(.exceptionType), [exception?.type, signal].compactMap(\.self).joined(separator: " "))
  }

  /// The signal of `Namespace SIGNAL, Code 11`, for a report without a signal of its own.
  private func signalOfTermination(_ report: CrashReport, _ codes: CodeTables) -> Fact<String>? {
    // From 7 on, signal numbers differ between systems.
    let system = report.header.osVersion?.hasPrefix("Linux") ?? false ? "Linux" : nil
    guard let termination = report.termination, termination.namespace == "SIGNAL",
      let code = termination.code, let name = codes.name(of: code, in: "signal", variant: system)
    else { return nil }
    return Fact(name, Evidence(.field(.termination), terminationText(termination)))
  }

  private mutating func addTermination(_ report: CrashReport, _ codes: CodeTables) {
    let termination = report.termination ?? TerminationRecord()
    let evidence = Evidence(.field(.termination), terminationText(termination))
    let namespace = namespaceName(termination, codes)
    if let namespace, namespace != "SIGNAL" {
      add(.namespace, namespace, evidence)
      set(.namespace, namespace, evidence)
      let isKnown = codes.has(namespace, in: "namespace")
      set(.knownNamespace, isKnown ? codes.mainName(namespace, in: "namespace") : nil, evidence)
      // The kernel ends a process for a broken guard under the exception's code (bsd/kern/kern_exit.c,
      // `exit_with_guard_exception`).
      if namespace == "GUARD" { add(.exception, "EXC_GUARD", evidence) }
    }
    guard let code = terminationCode(report, evidence) else { return }
    numbers[.terminationCode] = code
    set(.terminationCode, hexadecimal(code.value), code.evidence)
    let name =
      codes.name(of: code.value, in: "termination." + (namespace ?? "")) ?? codes.killCode(code.value)
    set(.terminationName, name, code.evidence)
  }

  /// Adds the other process that sent the signal, which the system names since iOS 10 and macOS 10.12: `bash [123]`. For
  /// exceptions of the CPU, and what it sent itself, it names a handler in the process, and the process.
  private mutating func addSender(_ report: CrashReport) {
    guard let sender = report.termination?.byProcess, let open = sender.utf8.lastIndex(of: UInt8(ascii: "[")),
      values[.knownNamespace] == nil
    else { return }
    var name = sender[..<open]
    while name.utf8.last == UInt8(ascii: " ") { name.removeLast() }
    let pid = Int(Substring(sender[open...].utf8.dropFirst().prefix(while: \.isDigit)))
    let own = report.header.process ?? ""
    // The kernel cuts names off.
    guard name != "exc handler", !name.isEmpty, !own.isEmpty, !own.hasPrefix(name), pid != report.header.pid
    else { return }
    let evidence = Evidence(.field(.termination), sender)
    add(.stopper, "other", evidence)
    set(.sender, sender, evidence)
  }

  private func namespaceName(_ termination: TerminationRecord, _ codes: CodeTables) -> String? {
    guard let namespace = termination.namespace else { return nil }
    // A system without a name for the namespace prints its number, also as `<0xF>`.
    let number = unsigned(namespace.filter { $0 != "<" && $0 != ">" })
    return number.flatMap { codes.name(of: $0, in: "namespace") } ?? namespace
  }

  /// The code that states why the process was killed; iOS 9 and earlier print it as the exception's code.
  private func terminationCode(_ report: CrashReport, _ evidence: Evidence) -> Fact<UInt64>? {
    if let termination = report.termination, let code = termination.code {
      return termination.namespace == "SIGNAL" ? nil : Fact(code, evidence)
    }
    // Only the watchdogs of FrontBoard and RunningBoard say so, and they give this code.
    if let details = report.termination?.details,
      let line = details.firstIndex(where: { $0.holds(" watchdog transgression: ") })
    {
      return Fact(0x8bad_f00d, Evidence(.field(.terminationDetail(line)), details[line]))
    }
    let type = report.exception?.type ?? ""
    guard type == "EXC_CRASH" || !type.hasPrefix("EXC_"), let code = report.exception?.codes.first,
      code >= 0x0100_0000
    else { return nil }
    return Fact(code, Evidence(.field(.exceptionCodes), code))
  }

  private func terminationText(_ termination: TerminationRecord) -> String {
    [termination.namespace, termination.code.map(hexadecimal), termination.indicator].compactMap(\.self)
      .joined(separator: ", ")
  }
}

extension CrashFacts {
  private mutating func addArchitecture(_ report: CrashReport) {
    guard let architecture = report.architecture, let family = architecture.family else { return }
    if let codeType = report.header.codeType, Architecture(codeType: codeType) != nil {
      add(.architecture, family, Evidence(.field(.codeType), codeType))
      if codeType.holds("Translated") {
        add(.architecture, "translated", Evidence(.field(.codeType), codeType))
      }
    } else if let image = report.images.firstIndex(where: { $0.architecture != nil }) {
      add(.architecture, family, Evidence(.image(image), architecture.rawValue))
    }
    if has(.architecture, "arm64"), let system = report.header.osVersion, system.hasPrefix("macOS") {
      set(.appleSilicon, "Apple silicon", Evidence(.field(.codeType), report.header.codeType ?? system))
    }
  }

  private mutating func addTexts(_ report: CrashReport) {
    let exception = report.exception
    if let uncaught = report.uncaughtException { addUncaught(uncaught) }
    for (index, entry) in report.applicationSpecificInformation.enumerated() {
      add(.text, entry, .applicationSpecificInformation(index))
    }
    add(.text, exception?.message, .exceptionMessage)
    add(.text, report.termination.map(terminationText), .termination)
    for (index, line) in (report.termination?.details ?? []).enumerated() {
      add(.text, line, .terminationDetail(index))
    }
    if let line = report.termination?.details.first(where: { !$0.isEmpty }) {
      set(.terminationMessage, line, Evidence(.field(.terminationDetail(0)), line))
    }
    add(.text, exception?.subtype, .exceptionSubtype)
    if let text = exception?.codesText, let evidence = codesEvidence(report) {
      addLine(.text, FactLine(text, evidence.source, quote: evidence.quote))
    }
    add(.text, exception?.signal, .exceptionType)
    add(isSimulatedException(report) ? .noted : .text, exception?.note, .exceptionNote)
    for (index, remark) in report.systemRemarks.enumerated() {
      let line = "\(remark.heading): \(remark.text)"
      addLine(.noted, FactLine(line, .field(.systemRemark(index))))
      // Libraries write their last message there, too: libGPUSupport that the GPU refused the program's work.
      if remark.heading == SystemRemark.signatures {
        addLine(.text, FactLine(remark.text, .field(.systemRemark(index))))
      }
    }
    if let path = report.header.path, path.holds("/AppTranslocation/") {
      addLine(.noted, FactLine("Notes: Translocated Process", .field(.kind), quote: path))
    }
    joinPanicMessages()
    add(.region, report.vmRegionInfo, .vmRegionInfo)
    addGuardThread(report)
    set(.message, exception?.message, Evidence(.field(.exceptionMessage), exception?.message ?? ""))
  }

  /// Joins a Rust panic's message and the line with its location, above which the default hook prints it since 1.73
  /// (library/std/src/panicking.rs).
  private mutating func joinPanicMessages() {
    let lines = texts[.text] ?? []
    for (index, (line, next)) in zip(lines, lines.dropFirst()).enumerated() {
      guard line.bytes.last == UInt8(ascii: ":"), Self.panicPattern?.match(line.bytes) != nil,
        case .field(.applicationSpecificInformation) = next.evidence.source,
        !next.bytes.starts(with: Array("note: ".utf8)), Self.panicPattern?.match(next.bytes) == nil
      else { continue }
      let joined = [line, next].map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " ")
      texts[.text]?[index] = FactLine(joined, line.evidence.source)
    }
  }

  private static let panicPattern = TextPattern("^thread '{thread} panicked at {place}:")

  /// The exception's codes, in words if the report has them, otherwise as numbers.
  func codesEvidence(_ report: CrashReport) -> Evidence? {
    guard let exception = report.exception else { return nil }
    if let words = exception.codesDescription { return Evidence(.field(.exceptionCodesText), words) }
    let numbers = exception.codes.map(hexadecimal).joined(separator: ", ")
    return numbers.isEmpty ? nil : Evidence(.field(.exceptionCodes), numbers)
  }

  /// Facts that reports about resource limits state on separate lines.
  private static let namedLines: [String: ValueFact] = [
    "Action taken: ": .action, "Ended: ": .endedProcess, "Largest process: ": .largestProcess,
  ]

  private mutating func addNamedLines(_ report: CrashReport) {
    guard [.jetsam, .resource].contains(report.kind) else { return }
    for (index, line) in report.applicationSpecificInformation.enumerated() {
      for (prefix, fact) in Self.namedLines where line.hasPrefix(prefix) {
        let evidence = Evidence(.field(.applicationSpecificInformation(index)), line)
        set(fact, String(line.dropFirst(prefix.count)), evidence)
      }
    }
    guard report.kind == .resource, let path = report.header.path, Self.isServiceOfSystem(path) else {
      return
    }
    set(.systemProcess, report.header.process, Evidence(.field(.kind), report.kind.rawValue))
  }

  /// Whether a program is one of the system's own services; its interpreters run the code of others.
  private static func isServiceOfSystem(_ path: String) -> Bool {
    ["/System/Library/", "/usr/libexec/", "/usr/sbin/"].contains(where: path.hasPrefix)
      && !["/Python.framework/", "/Ruby.framework/", "/com.apple.WebKit."].contains(where: path.contains)
  }

  /// Adds an exception that a report states in fields, in the words that the runtime prints.
  private mutating func addUncaught(_ exception: UncaughtException) {
    let stated = [exception.name, exception.reason].compactMap(\.self).joined(separator: ": ")
    for (index, quote) in stated.lines.enumerated() {
      let line = index == 0 ? terminatingLine(exception) : String(quote)
      addLine(.text, FactLine(line, .field(.uncaughtException), quote: String(quote)))
    }
  }

  /// Adds that nothing caught the exception, unless a text only names it.
  private mutating func addUncaughtStatement(_ report: CrashReport) {
    let isEnd = report.exception != nil || report.termination != nil
    isPerhapsCaught =
      isSimulatedException(report) || (report.uncaughtException?.isNamedAlone ?? false) && !isEnd
    let line = texts[.text]?.first { line in Self.uncaughtPatterns.contains { $0.match(line.bytes) != nil } }
    if let line, !isPerhapsCaught { add(.stopper, "exception", line.evidence) }
  }

  /// Whether the system recorded a running process because of an exception, which AppKit's event loop catches and reports:
  /// the report is about the exception, and the program went on.
  private func isSimulatedException(_ report: CrashReport) -> Bool {
    guard let note = report.exception?.note, note.hasPrefix("SIMULATED") else { return false }
    return report.uncaughtException != nil || statedExceptionName != nil
  }

  /// Adds that a failed check of the program's own raised the uncaught exception: `NSAssertionHandler` logs the method and
  /// the place before it raises. The compiler gives the file with its path; Apple's frameworks log only its name.
  private mutating func addOwnAssertion(_ report: CrashReport, _ knowledge: Knowledge) {
    guard exceptionName == "NSInternalInconsistencyException" else { return }
    for line in texts[.text] ?? [] {
      guard let found = Self.assertionPattern?.match(line.bytes), let method = found["method"],
        let place = found["place"], method.isMethodName, place.hasPrefix("/"),
        !place.hasPrefix("/SourceCache/"), !place.holds("com.apple.xbs"), !knowledge.isSystemMethod(method)
      else { continue }
      set(.ownAssertion, method, line.evidence)
      set(.assertionReason, report.uncaughtException?.reason, line.evidence)
      return
    }
  }

  private static let assertionPattern = TextPattern("*** Assertion failure in {method}, {place}$")

  private static let uncaughtPatterns = ["uncaught exception", "Crashing on exception"].compactMap {
    TextPattern($0)
  }
  private static let exceptionPattern = TextPattern("uncaught exception '{name}'")

  private var statedExceptionName: String? {
    texts[.text]?.lazy.compactMap { Self.exceptionPattern?.match($0.bytes)?["name"] }.first
  }

  /// The runtime's sentence with the first line of the reason, which can contain apostrophes.
  private func terminatingLine(_ exception: UncaughtException) -> String {
    let reason = exception.reason?.lines.first.map(String.init)
    guard let name = exception.name else { return "Crashing on exception: " + (reason ?? "") }
    let line = "*** Terminating app due to uncaught exception '\(name)'"
    return reason.map { "\(line), reason: '\($0)'" } ?? line
  }

  private mutating func add(_ fact: TextFact, _ text: String?, _ field: ReportField) {
    for line in (text ?? "").lines {
      let line = String(line)
      let method = fact == .text ? Self.signedMethod(in: line) : nil
      guard addLine(fact, FactLine(method ?? line, .field(field), quote: line)) else { return }
    }
  }

  /// A message about an unrecognized selector whose method lost its sign, as a title or a list has eaten it; nil for any
  /// other line.
  private static func signedMethod(in line: String) -> String? {
    guard line.hasPrefix("["), let end = line.range(of: "]: unrecognized selector sent to ") else {
      return nil
    }
    return (line[end.upperBound...].hasPrefix("class") ? "+" : "-") + line
  }

  /// Adds a line, unless the maximum number is reached.
  @discardableResult mutating func addLine(_ fact: TextFact, _ line: FactLine) -> Bool {
    guard texts[fact, default: []].count < Self.maximumLines else { return false }
    texts[fact, default: []].append(line)
    return true
  }

  private mutating func addFrames(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    addExceptionFrames(symbolicated)
    let count = symbolicated.lastExceptionBacktrace.count
    if count > 0 {
      let evidence = Evidence(.field(.lastExceptionBacktraceCount), String(count))
      set(.exceptionBacktrace, String(count), evidence)
    }
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    // The first frame of a list that begins further out isn't the one that stopped.
    let isCut = symbolicated.threads[thread].isCutAbove
    for (index, frame) in symbolicated.threads[thread].prefix(Self.maximumFrames).enumerated() {
      noteHiddenName(frame, FrameReference(.thread(thread), index))
      let source = EvidenceSource.frame(index, ofThread: thread)
      var lines = frame.functionNames.map { FactLine(function: $0, source) }
      if frame.symbolIsNeighbor, index > 0,
        let name = knowledge.function(calling: symbolicated.threads[thread][index - 1], from: frame)
      {
        lines.append(FactLine(name, source, quote: (frame.captured.reportedSymbol ?? "") + " + 0"))
      }
      texts[.frames, default: []] += lines
      texts[.backtraces, default: []] += lines
      if let image = symbolicated.report.imageName(of: frame) {
        let line = FactLine(image, source)
        texts[.images, default: []].append(line)
        if index == 0, !isCut {
          texts[.topImage] = [line]
          // Swift's libraries stop programs for checks of their callers; other rules know these.
          if isSystemLibrary(image), !image.hasPrefix("libswift") {
            set(.stoppingLibrary, image, line.evidence)
          }
        }
      }
      if index == 0, !isCut {
        addGeneratedCode(frame, in: symbolicated.threads[thread], symbolicated.report, source)
      }
      if texts[.topFrame] == nil, !isCut, frame.reason != .superseded {
        texts[.topFrame] = lines
        if let first = lines.first { set(.function, first.evidence.quote, first.evidence) }
      }
    }
  }
}

extension CrashFacts {
  /// Adds the innermost frame's address if the frame has neither a name nor an image, while its callers have images.
  private mutating func addGeneratedCode(
    _ frame: ResolvedFrame, in frames: [ResolvedFrame], _ report: CrashReport, _ source: EvidenceSource
  ) {
    guard frame.captured.kind == .programCounter, frame.functionNames.isEmpty,
      let address = frame.captured.address?.rawValue, address > 0xffff,
      report.imageName(of: frame) == nil,
      frames.dropFirst().contains(where: { report.imageName(of: $0) != nil })
    else { return }
    set(.generatedCode, hexadecimal(address), Evidence(source, address))
  }

  /// Adds the signal that functions on the stack imply, for an excerpt that consists of frames.
  private mutating func addImpliedSignal(_ report: CrashReport, _ knowledge: Knowledge) {
    guard isEndUnstated, has(.kind, "crash") else { return }
    if let jump = jumpToZero(report) { return add(.exception, "SIGSEGV", jump) }
    let found = (texts[.frames] ?? []).compactMap { line in
      knowledge.impliedSignals.kinds(of: line.bytes.span).min().map { (signal: $0, line) }
    }
    guard let (signal, line) = found.min(by: { $0.signal < $1.signal }) else { return }
    add(.exception, knowledge.impliedSignals.names[signal], line.evidence)
  }

  /// Adds that the report of a crash has only a header: whoever gives such a report has more of it.
  private mutating func addTruncation(_ symbolicated: SymbolicatedReport) {
    let report = symbolicated.report
    guard isEndUnstated, has(.kind, "crash"), [.appleText, .ips, .ipsText].contains(report.format),
      report.header.process != nil, report.applicationSpecificInformation.isEmpty,
      symbolicated.lastExceptionBacktrace.isEmpty, symbolicated.threads.allSatisfy(\.isEmpty)
    else { return }
    set(.truncated, report.kind.rawValue, Evidence(.field(.kind), report.kind.rawValue))
  }

  /// The innermost frame, if the program counter was 0 there: nothing can run at that address.
  private func jumpToZero(_ report: CrashReport) -> Evidence? {
    guard let thread = report.crashedThread, report.threads.indices.contains(thread),
      report.threads[thread].isCrashed, report.threads[thread].frames.count > 1,
      let frame = report.threads[thread].frames.first, frame.kind == .programCounter,
      frame.address?.rawValue == 0
    else { return nil }
    return Evidence(.frame(0, ofThread: thread), 0)
  }

  /// Whether the report doesn't state how the program ended.
  var isEndUnstated: Bool {
    words[.exception] == nil && words[.namespace] == nil && numbers[.terminationCode] == nil
  }
}

extension CrashFacts {
  /// Adds a name that Apple put in place of a function's.
  private mutating func noteHiddenName(_ frame: ResolvedFrame, _ place: FrameReference) {
    guard values[.hiddenName] == nil, frame.locations.isEmpty, let name = frame.captured.reportedSymbol,
      name.isHiddenName
    else { return }
    set(.hiddenName, name, Evidence(.frame(place), name))
  }

  /// Adds the functions that threw an exception.
  private mutating func addExceptionFrames(_ symbolicated: SymbolicatedReport) {
    let backtraces =
      [BacktraceReference.lastException]
      + symbolicated.applicationSpecificBacktraces.indices.map { .applicationSpecific($0) }
    for backtrace in backtraces {
      for (index, frame) in symbolicated.frames(of: backtrace).prefix(Self.maximumFrames).enumerated() {
        noteHiddenName(frame, FrameReference(backtrace, index))
        let source = EvidenceSource.frame(FrameReference(backtrace, index))
        texts[.backtraces, default: []] += frame.functionNames.map { FactLine(function: $0, source) }
      }
    }
  }
}

/// Whether a queue or thread stands for the main thread: UIKit's legacy web thread holds a lock in its place.
private func isMain(_ name: String) -> Bool { name == "com.apple.main-thread" || name == "WebThread" }

extension CrashReport {
  /// Whether its threads are numbered from 0, so that thread 0 is the main thread.
  fileprivate var numbersThreads: Bool {
    [.appleText, .ips, .ipsText, .ksCrashJSON, .plCrash].contains(format)
  }

  /// The signal that a sanitizer only passes on, since it has found no error of its own: `AddressSanitizer: ABRT`.
  fileprivate var reportedSignal: String? {
    let signals = ["ABRT": "SIGABRT", "ILL": "SIGILL", "TRAP": "SIGTRAP", "FPE": "SIGFPE"]
    guard format == .sanitizer, let name = exception?.type?.split(separator: " ").last else { return nil }
    return signals[String(name)]
  }

  /// The name of a frame's image: from the frame, otherwise from the list of images, of which some have only paths.
  func imageName(of frame: ResolvedFrame) -> String? {
    if let name = frame.captured.imageName { return name }
    guard let index = frame.image, images.indices.contains(index) else { return nil }
    return images[index].name ?? images[index].path?.split(separator: "/").last.map(String.init)
  }
}

extension CrashReport {
  /// Whether a frame is in the main executable, judged by the path, or by the name if the report has no paths.
  func isMainExecutable(_ frame: ResolvedFrame) -> Bool {
    guard kind != .panic else { return false }
    if let index = frame.image, images.indices.contains(index), let path = images[index].path,
      let own = header.path
    {
      return path == own
    }
    return header.process != nil && imageName(of: frame) == header.process
  }
}

extension Knowledge {
  /// The function that ends with a call to another one, if the report names the function after it instead.
  fileprivate func function(calling callee: ResolvedFrame, from caller: ResolvedFrame) -> String? {
    lastCalls.first { last in
      last.image == caller.captured.imageName
        && callee.functionNames.contains { last.callee.match(Array($0.utf8)) != nil }
    }?.function
  }
}

extension Architecture {
  /// The CPU family, as rules name it; nil for one that no rule mentions.
  fileprivate var family: String? {
    if isARM64 { return "arm64" }
    if isARM32 { return "arm" }
    return rawValue.hasPrefix("x86") || rawValue == "i386" ? "x86" : nil
  }
}
