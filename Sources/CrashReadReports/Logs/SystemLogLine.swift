internal import CrashReadCore

/// What the kernel, launchd or RunningBoard logs when a process exceeds a limit or has ended.
///
/// The sentences are those of xnu (osfmk/kern/task.c and thread.c, bsd/kern/kern_memorystatus.c); launchd and
/// RunningBoard print exit reasons as in bsd/sys/reason.h.
struct SystemLogLine: Equatable {
  /// The process's name, or launchd's label of it; nil where only its number is stated.
  private(set) var process: String?
  /// The sentence, without the log's prefix.
  private(set) var message: String
  /// `resource` for a limit that doesn't end the process.
  private(set) var kind = ReportKind.crash
  /// The signal that ended it.
  private(set) var signal: String?
  /// Who ended it and why, by name or number.
  private(set) var termination: TerminationRecord?
  /// The code of EXC_GUARD (osfmk/kern/exc_guard.h), which the kernel also raises without ending the process.
  private(set) var guardCode: UInt64?
  /// Whether the process caused its own end, rather than another process.
  private(set) var isSelfInflicted = true
  /// Whether it is about one call that was refused, which ends no process.
  private(set) var isDenial = false

  /// Reads a line; nil when it isn't one of these.
  init?(_ text: Bytes) {
    let logged =
      Self.limit(text) ?? Self.killed(text) ?? Self.guarded(text) ?? Self.launchd(text)
      ?? Self.runningBoard(text) ?? Self.request(text) ?? Self.announced(text) ?? Self.provision(text)
      ?? Self.denied(text)
    guard let found = logged ?? Self.transgression(text) ?? Self.killCode(text) else { return nil }
    self = found
  }

  private init(process: String?, message: Bytes) {
    self.process = process
    self.message = message.trimmed.string
  }

  /// Whether a line is a row that Console copied: a type, a time and a process, with tabs between them.
  static func isRow(_ text: Bytes) -> Bool {
    guard let (type, rest) = text.split(at: 0x09) else { return false }
    return ["default", "info", "error", "fault", "debug"].contains { type.trimmed.equals($0) }
      && rest.trimmedStart.first?.isDigit ?? false
  }

  /// Whether a line continues the sentence about wakeups, which older kernels split, or the list of the files that a process
  /// had locked.
  func isContinued(by text: Bytes) -> Bool {
    if message.hasPrefix("suspended with locked system files:") {
      return text.hasPrefix("/private/var/") || text.hasPrefix("/var/")
    }
    return [
      "Observed wakeups rate", "Maximum permitted wakeups rate", "Observation period", "Task lifetime number",
    ]
    .contains { text.hasPrefix($0) }
  }

  /// Adds a line that continues the sentence.
  mutating func append(_ text: Bytes) { message += " " + text.string }
}

// MARK: - The kernel

extension SystemLogLine {
  private static let limits: [StaticString] = [
    " caught burning CPU", " caught waking the CPU", " caught causing excessive ", " crossed memory ",
    ", violating a CPU ", " caught allocating too many ",
  ]

  /// What symptomsd logs above the sentence if the limit ends the process.
  private static let fatalTrigger: StaticString = "Received (FATAL) CPU usage trigger"

  /// Reads `process Moon[12] caught waking the CPU 45005 times …`, and symptomsd's `Moon[12] () woke the CPU …`.
  private static func limit(_ text: Bytes) -> SystemLogLine? {
    if let mark = text.firstRange(of: " exceeded mem limit: ") {
      var line = named(text, before: mark.lowerBound)
      line.message = text.string
      if text.firstRange(of: "(non-fatal)") != nil { line.kind = .resource }
      return line
    }
    if let mark = text.firstRange(of: fatalTrigger) {
      var line = SystemLogLine(process: nil, message: text[mark.lowerBound...])
      line.kind = .resource
      return line
    }
    guard let mark = limits.lazy.compactMap({ text.firstRange(of: $0) }).first else { return nil }
    var line = named(text, before: mark.lowerBound)
    line.kind = .resource
    return line
  }

  /// Reads the name and number before a verb: `kernel process Moon Base[12] thread 34`.
  private static func named(_ text: Bytes, before end: Int) -> SystemLogLine {
    let head = text[..<end]
    let start = ["process ", "Coalition "].lazy.compactMap { head.firstRange(of: $0)?.lowerBound }.first
    guard let close = head.lastIndex(of: UInt8(ascii: "]")),
      let open = head[..<close].lastIndex(of: UInt8(ascii: "[")),
      head[(open + 1)..<close].decimalValue != nil
    else { return SystemLogLine(process: nil, message: text[(start ?? text.startIndex)...]) }
    let marks = ["\t", "-> ", ": "].compactMap { last($0, in: head[..<open]) }
    let begin = start.flatMap { $0 <= open ? $0 : nil } ?? marks.max() ?? head.startIndex
    let name = (head[begin..<open].after("process ") ?? head[begin..<open]).trimmed
    let isName = !name.isEmpty && !name.hasPrefix("Coalition")
    return SystemLogLine(process: isName ? name.string : nil, message: text[begin...])
  }

  private static func last(_ mark: StaticString, in text: Bytes) -> Int? {
    var found: Int?
    while let next = text[(found ?? text.startIndex)...].firstRange(of: mark) { found = next.upperBound }
    return found
  }

  /// Reads `killing_specific_process pid 12 [Moon] (per-process-limit 3) 51200KB`. That an idle process was told to exit
  /// (`killing_idle_process`) ends nobody's work.
  private static func killed(_ text: Bytes) -> SystemLogLine? {
    let marks: [StaticString] = [
      "killing_specific_process ", "killing_top_process ", "killing_highwater_process ", "killing process ",
    ]
    guard let mark = marks.lazy.compactMap({ text.firstRange(of: $0) }).first,
      let (number, rest) = text[mark.upperBound...].split(at: UInt8(ascii: "[")),
      // Some people leave the number out.
      number.isEmpty || (number.after("pid ") ?? number).trimmed.decimalValue != nil,
      let (name, after) = rest.split(at: UInt8(ascii: "]"))
    else { return nil }
    var line = SystemLogLine(process: name.nonEmptyString, message: text[mark.lowerBound...])
    if let inside = after.trimmedStart.after("("), let (word, _) = inside.firstWord() {
      let reason = word.prefix { $0.isLetter || $0 == UInt8(ascii: "-") }
      line.kind = .jetsam
      line.termination = TerminationRecord()
      line.termination?.namespace = "JETSAM"
      line.termination?.indicator = reason.nonEmptyString
    }
    return line
  }
}

extension SystemLogLine {
  /// Reads `[Moon:12] EXC_GUARD AST: type=0x1 flavor=0x200 target=0x3029f code=0x200002000003029f subcode=0x0`.
  private static func guarded(_ text: Bytes) -> SystemLogLine? {
    guard let mark = text.firstRange(of: "EXC_GUARD AST: "),
      let code = text.firstRange(of: " code="),
      let number = text[code.upperBound...].firstWord()?.word.prefixedHexValue
    else { return nil }
    let owner = text[..<mark.lowerBound].firstRange(of: "[").map { text[$0.upperBound..<mark.lowerBound] }
    let name = owner?.split(at: UInt8(ascii: ":"))?.before.nonEmptyString
    var line = SystemLogLine(process: name, message: text[mark.lowerBound...])
    line.kind = .other
    line.guardCode = number
    return line
  }
}

extension SystemLogLine {
  /// Reads `Sandbox: Moon(12) deny(1) mach-lookup com.example.tide`; the words before it differ between releases.
  private static func denied(_ text: Bytes) -> SystemLogLine? {
    let marks: [StaticString] = ["Sandbox: ", "SandboxViolation: ", "(Sandbox) System Policy: "]
    guard let start = marks.lazy.compactMap({ text.firstRange(of: $0)?.upperBound }).first,
      let (name, rest) = text[start...].split(at: UInt8(ascii: "(")),
      let (number, after) = rest.split(at: UInt8(ascii: ")")), number.decimalValue != nil,
      case let tail = after.trimmedStart, case let words = tail.after("System Policy: ") ?? tail,
      words.hasPrefix("deny(") || words.hasPrefix("deny ")
    else { return nil }
    // Newer systems put it before the process.
    let isPolicy = words.count < tail.count || text.firstRange(of: "(Sandbox) System Policy: ") != nil
    let message =
      "Sandbox: \(name.string)(\(number.string)) " + (isPolicy ? "System Policy: " : "") + words.string
    var line = SystemLogLine(process: name.nonEmptyString, message: Bytes(Array(message.utf8)))
    (line.kind, line.isSelfInflicted, line.isDenial) = (.other, false, true)
    return line
  }
}

// MARK: - Daemons

extension SystemLogLine {
  /// Reads `launchd[1] (com.example.moon[12]): Service exited due to SIGILL | sent by exc handler[12]`, and the form of
  /// newer systems, `[system/com.example.moon [12]:] exited due to SIGSEGV | sent by exc handler[12], ran for 7ms`. macOS
  /// before 10.14 doesn't say by whom.
  private static func launchd(_ text: Bytes) -> SystemLogLine? {
    if let line = exited(text) ?? signalled(text) ?? ended(text) { return line }
    guard let mark = text.firstRange(of: "xited due to "),
      let (word, rest) = text[mark.upperBound...].firstWord(),
      let signal = Statement.signalName(word.prefix { $0.isLetter }.string),
      case let sender = rest.firstRange(of: "sent by "), sender != nil || rest.isEmpty
    else { return nil }
    let start = text[..<mark.lowerBound].firstRange(of: "Service e")?.lowerBound ?? mark.lowerBound - 1
    var line = SystemLogLine(process: nil, message: text[max(start, text.startIndex)...])
    let owner = label(text[..<mark.lowerBound])
    line.process = owner.name
    line.signal = signal
    guard let sender else { return line }
    let by = rest[sender.upperBound...]
    let number = by.split(at: UInt8(ascii: "["))?.after.prefix { $0.isDigit }.decimalValue
    line.isSelfInflicted = by.hasPrefix("exc handler") || number != nil && number == owner.number
    if !line.isSelfInflicted { line.kind = .other }
    return line
  }

  /// Reads `launchd[1] (com.example.moon[12]): Service exited with abnormal code: 1`, and `Service could not initialize:
  /// …`: the program ended itself, or was not started.
  private static func exited(_ text: Bytes) -> SystemLogLine? {
    let marks: [StaticString] = [
      "Service exited with abnormal code: ", " Exited with code: ", "Service could not initialize: ",
      "exited due to exit(", "Could not find and/or execute program specified by service: ",
    ]
    guard text.firstRange(of: "launchd") != nil,
      let mark = marks.lazy.compactMap({ text.firstRange(of: $0) }).first
    else { return nil }
    var line = SystemLogLine(process: nil, message: text[mark.lowerBound...])
    line.process = label(text[..<mark.lowerBound]).name
    line.kind = .other
    line.isSelfInflicted = false
    return line
  }

  /// Reads `[gui/501/com.example.moon [12]:] exited with exit reason (namespace: 15 code: 0xbaddd15c) -
  /// OS_REASON_RUNNINGBOARD`.
  private static func ended(_ text: Bytes) -> SystemLogLine? {
    guard let mark = text.firstRange(of: "exited with exit reason (namespace: "),
      let (number, rest) = text[mark.upperBound...].firstWord(), let namespace = number.decimalValue,
      let value = rest.trimmedStart.after("code: ")?.prefix(while: { $0 != UInt8(ascii: ")") }),
      let code = value.numberValue
    else { return nil }
    var line = SystemLogLine(process: label(text[..<mark.lowerBound]).name, message: text[mark.lowerBound...])
    line.end(namespace: namespace, code: code)
    return line
  }

  /// Reads older forms, which have the signal's description: `Service exited due to signal: Killed: 9 sent by tide[3]`,
  /// and in launchd's first years `(com.example.moon[12]): Exited: Killed: 9` and `Job appears to have crashed: Abort
  /// trap: 6`.
  private static func signalled(_ text: Bytes) -> SystemLogLine? {
    let marks: [StaticString] = [
      "Service exited due to signal: ", "]): Exited: ", "]) Exited: ", "]): Exited abnormally: ",
      "]) Exited abnormally: ", "Job appears to have crashed: ",
    ]
    guard text.firstRange(of: "launchd") != nil,
      let mark = marks.lazy.compactMap({ text.firstRange(of: $0) }).first,
      case .fault(_, let signal?, _, _)? = Statement.exit(
        text[mark.upperBound...], PairFilter(text.span))
    else { return nil }
    let owner = label(text[..<(mark.lowerBound + 1)])
    let start = text[mark.lowerBound] == UInt8(ascii: "]") ? mark.lowerBound + 1 : mark.lowerBound
    var line = SystemLogLine(process: owner.name, message: text[start...].drop { $0.isAny(of: "): ") })
    line.signal = signal
    if let sender = text[mark.upperBound...].firstRange(of: " sent by ")?.upperBound {
      let number = text[sender...].split(at: UInt8(ascii: "["))?.after.prefix { $0.isDigit }.decimalValue
      line.isSelfInflicted =
        text[sender...].hasPrefix("exc handler") || number != nil && number == owner.number
    } else {
      line.isSelfInflicted = signal != "SIGKILL" && signal != "SIGTERM"
    }
    if !line.isSelfInflicted { line.kind = .other }
    return line
  }

  /// The label and the process's number in `launchd[1] (LABEL[12]): ` or `[gui/501/LABEL [12]:]`.
  private static func label(_ text: Bytes) -> (name: String?, number: UInt64?) {
    guard let close = text.lastIndex(of: UInt8(ascii: "]")),
      case let last = text[..<close].last == UInt8(ascii: ":") ? text[..<close].dropLast(2) : text[..<close],
      let open = last.lastIndex(of: UInt8(ascii: "[")),
      let number = last[(open + 1)...].decimalValue
    else { return (nil, nil) }
    var head = last[..<open].trimmedEnd
    // A simulator's applications have another number before it: `UIKitApplication:com.example.moon[0x6f85][12]`, newer ones
    // `UIKitApplication:com.example.moon[6f85][rb-legacy] [12]`.
    let isApplication = head.firstRange(of: "UIKitApplication:") != nil
    while head.last == UInt8(ascii: "]"), let inner = head.lastIndex(of: UInt8(ascii: "[")),
      isApplication || head[(inner + 1)...].dropLast().prefixedHexValue != nil
    {
      head = head[..<inner]
    }
    let start = head.lastIndex { $0.isAny(of: " \t([/") }.map { $0 + 1 } ?? head.startIndex
    // Older systems put the launch's numbers before the identifier: `[0x0-0x12012].com.example.moon`.
    let name = head[start...].after("UIKitApplication:") ?? head[start...]
    return ((name.firstRange(of: "].").map { name[$0.upperBound...] } ?? name).nonEmptyString, number)
  }

  /// Reads `[application<com.example.moon>:12] termination reported by launchd (2, 11, 11)`: an exit reason's
  /// namespace and code, and the status of `wait`; also `<RBSProcessExitStatus| domain:signal(2) code:SIGSEGV(11)>`.
  private static func runningBoard(_ text: Bytes) -> SystemLogLine? {
    if let mark = text.firstRange(of: "Process exited: <RBSProcessExitContext| voluntary>") {
      var line = SystemLogLine(process: bundle(text[..<mark.lowerBound]), message: text[mark.lowerBound...])
      (line.kind, line.isSelfInflicted) = (.other, false)
      return line
    }
    if let mark = text.firstRange(of: "suspended with locked system files:") {
      return SystemLogLine(process: bundle(text[..<mark.lowerBound]), message: text[mark.lowerBound...])
    }
    let numbers: [UInt64]
    let mark: Range<Int>
    if let found = text.firstRange(of: "termination reported by launchd (") {
      mark = found
      let inside = text[found.upperBound...].prefix { $0 != UInt8(ascii: ")") }
      numbers = inside.split(separator: UInt8(ascii: ",")).compactMap { $0.trimmed.numberValue }
    } else if let found = text.firstRange(of: "<RBSProcessExitStatus| domain:")
      ?? text.firstRange(of: "RBSProcessExitStatus domain:")
    {
      mark = found
      numbers = ["domain:", "code:"].compactMap { number($0, in: text[found.lowerBound...]) }
    } else {
      return nil
    }
    guard numbers.count > 1, numbers[0] > 0 else { return nil }
    var line = SystemLogLine(process: bundle(text[..<mark.lowerBound]), message: text[mark.lowerBound...])
    line.end(namespace: numbers[0], code: numbers[1])
    return line
  }

  /// RunningBoard's own namespace, which it leaves out of its contexts (bsd/sys/reason.h).
  private static let runningBoardNamespace: UInt64 = 15

  /// Reads `[app<application.com.example.moon.1.2(501)>:12] Terminating with context: <RBSTerminateContext| domain:10
  /// code:0x8BADF00D explanation:… reportType:CrashLog …>`, and the request before it, `Received termination request from
  /// [osservice<NAME(501)>:7] on <RBSProcessPredicate <RBSProcessBundleIdentifierPredicate "com.example.moon">> with context
  /// <RBSTerminateContext| …>`.
  private static func request(_ text: Bytes) -> SystemLogLine? {
    guard let mark = text.firstRange(of: "<RBSTerminateContext|"),
      let start = text.firstRange(of: "Terminating with context:")
        ?? text.firstRange(of: "Received termination request from "),
      case let context = text[mark.upperBound...], let code = number("code:", in: context)
    else { return nil }
    let named = text.firstRange(of: "BundleIdentifierPredicate \"").map { text[$0.upperBound...] }
    let process =
      named.map { $0.prefix { $0 != UInt8(ascii: "\"") }.string } ?? bundle(text[..<start.lowerBound])
    var line = SystemLogLine(process: process, message: text[start.lowerBound...])
    line.end(namespace: number("domain:", in: context) ?? runningBoardNamespace, code: code)
    // No report is written of an end in which the system sees no fault of the process's.
    if context.firstRange(of: "reportType:None") != nil {
      (line.kind, line.isSelfInflicted) = (.other, false)
    }
    if let mark = context.firstRange(of: "explanation:"), case let rest = context[mark.upperBound...] {
      line.termination?.details = [(rest.before(" reportType:") ?? rest).trimmed.string]
    }
    return line
  }

  /// Reads what others announce: `Formulating fatal 309 report for corpse[12] Moon` of ReportCrash, and `Terminating
  /// com.example.moon[12] because access to the kTCCServiceCamera service changed` of tccd.
  private static func announced(_ text: Bytes) -> SystemLogLine? {
    if let mark = text.firstRange(of: "Formulating fatal "),
      let corpse = text[mark.upperBound...].firstRange(of: "corpse["),
      let (_, name) = text[corpse.upperBound...].split(at: UInt8(ascii: "]"))
    {
      return SystemLogLine(process: name.trimmed.nonEmptyString, message: text[mark.lowerBound...])
    }
    guard let mark = text.firstRange(of: "Terminating "),
      text[mark.upperBound...].firstRange(of: " because access to the ") != nil,
      text[mark.upperBound...].firstRange(of: " service changed") != nil,
      let (name, _) = text[mark.upperBound...].split(at: UInt8(ascii: "["))
    else { return nil }
    var line = SystemLogLine(process: name.nonEmptyString, message: text[mark.lowerBound...])
    (line.kind, line.isSelfInflicted) = (.other, false)
    return line
  }

  /// Reads FrontBoard's `[application<com.example.moon>:12] Provision violated for watchdog process-launch: <…>`.
  private static func provision(_ text: Bytes) -> SystemLogLine? {
    guard let mark = text.firstRange(of: "Provision violated for watchdog ") else { return nil }
    return SystemLogLine(process: bundle(text[..<mark.lowerBound]), message: text[mark.lowerBound...])
  }

  private static let watchdogCode: UInt64 = 0x8bad_f00d

  /// Reads `scene-update watchdog transgression: app<com.example.moon>:12 exhausted real (wall clock) time allowance of 10.00
  /// seconds`, the explanation of a watchdog's kill, without the context around it.
  private static func transgression(_ text: Bytes) -> SystemLogLine? {
    if let line = unfinishedExit(text) { return line }
    guard let mark = text.firstRange(of: " watchdog transgression: "),
      text[mark.upperBound...].firstRange(of: " time allowance of ") != nil,
      text.firstRange(of: "<RBSTerminateContext") == nil, !text.hasPrefix("Termination ")
    else { return nil }
    let event = text[..<mark.lowerBound].suffix { $0.isLetter || $0 == UInt8(ascii: "-") }
    let explanation = text[event.startIndex...].prefix { !$0.isAny(of: "\"`") }
    var line = SystemLogLine(process: bundle(text[mark.upperBound...]), message: explanation)
    var ended = TerminationRecord()
    (ended.namespace, ended.code, ended.details) = ("FRONTBOARD", watchdogCode, [line.message])
    line.termination = ended
    return line
  }

  /// Reads `[app<com.example.moon>:12] Failed to terminate gracefully after 5.0s`, the same for a process that was asked to end.
  private static func unfinishedExit(_ text: Bytes) -> SystemLogLine? {
    guard let mark = text.firstRange(of: "ailed to terminate gracefully after "),
      mark.lowerBound > text.startIndex,
      text.firstRange(of: "<RBSTerminateContext") == nil, !text.hasPrefix("Termination ")
    else { return nil }
    var line = SystemLogLine(
      process: bundle(text[..<mark.lowerBound]), message: text[(mark.lowerBound - 1)...])
    var ended = TerminationRecord()
    (ended.namespace, ended.code, ended.details) = ("FRONTBOARD", watchdogCode, [line.message])
    line.termination = ended
    return line
  }

  /// Reads the code in `It was killed with 0xdead10cc` and `EXC_CRASH (SIGKILL) 0x8badf00d`: a kill's, as nothing else has
  /// these numbers. Who killed it, such a sentence leaves open.
  private static func killCode(_ text: Bytes) -> SystemLogLine? {
    let marks: [StaticString] = [
      "illed with ", "illed by ", "illed by iOS: ", "ermination code ", "xception code ", "(SIGKILL) ",
      "namespace FRONTBOARD, code ", "namespace RUNNINGBOARD, code ",
    ]
    for mark in marks {
      guard let found = text.firstRange(of: mark),
        case let rest = text[found.upperBound...].drop(while: { $0 == UInt8(ascii: "`") }),
        let code = rest.leadingKillCode
      else { continue }
      let start = text[..<found.lowerBound].suffix(while: \.isLetter).startIndex
      let end = rest.prefix { $0.isHexDigit || $0.isAny(of: "xX") }.endIndex
      var line = SystemLogLine(process: nil, message: text[start..<end])
      line.termination = TerminationRecord()
      line.termination?.code = code
      return line
    }
    return nil
  }

  /// The number behind a key in one of RunningBoard's descriptions.
  private static func number(_ key: StaticString, in text: Bytes) -> UInt64? {
    text.firstRange(of: key).flatMap { parenthesized(text[$0.upperBound...]) }
  }

  /// The number of `signal(2)`, or of `10` and `0x8BADF00D` where no name is known.
  private static func parenthesized(_ text: Bytes) -> UInt64? {
    guard let (word, _) = text.firstWord() else { return nil }
    let value = word.split(at: UInt8(ascii: "("))?.after ?? word
    return value.prefix { $0.isHexDigit || $0 == UInt8(ascii: "x") }.numberValue
  }

  /// Signals are a namespace of their own, `OS_REASON_SIGNAL`.
  private mutating func end(namespace: UInt64, code: UInt64) {
    if namespace == 2 {
      signal = MachNames.signal(code)
      return
    }
    var ended = TerminationRecord()
    (ended.namespace, ended.code) = (String(namespace), code)
    termination = ended
  }

  /// The identifier in `[app<application.com.example.moon.1234.5678(501)>:12]` or `[application<com.example.moon>:12]`.
  private static func bundle(_ text: Bytes) -> String? {
    // A log may have `<Error>:` before it.
    let start = text.firstRange(of: "[app")?.lowerBound ?? text.startIndex
    guard let open = text[start...].firstIndex(of: UInt8(ascii: "<")) else { return nil }
    let inside = text[(open + 1)...].prefix { !$0.isAny(of: ">(") }
    var name = inside.after("application.") ?? inside
    while let dot = name.lastIndex(of: UInt8(ascii: ".")), name[(dot + 1)...].decimalValue != nil {
      name = name[..<dot]
    }
    return name.contains(where: { $0.isAny(of: " |") }) ? nil : name.nonEmptyString
  }
}

extension Bytes {
  /// The code of a kill at the start: the watchdog's, or that for a file kept locked while suspended.
  fileprivate var leadingKillCode: UInt64? {
    let digits = prefix { $0.isHexDigit || $0.isAny(of: "xX") }
    return digits.prefixedHexValue.flatMap { [0x8bad_f00d, 0xdead_10cc].contains($0) ? $0 : nil }
  }
}

extension SystemLogLine {
  /// Whether the other line only notes the limit for which this one says that the process was killed.
  fileprivate func outweighs(_ other: SystemLogLine) -> Bool {
    kind == .jetsam && other.kind == .resource && (other.process ?? process) == process
  }

  /// Whether the other line tells how another of launchd's services ended; launchd logs such a line for each of them.
  fileprivate func isApart(from other: SystemLogLine) -> Bool {
    guard let process, isServiceEnd, other.isServiceEnd else { return false }
    // The label can stand on a line of its own; one process ends by one signal.
    return other.process.map { $0 != process } ?? (other.signal != signal)
  }

  private var isServiceEnd: Bool {
    ["Service exited ", "exited due to ", "Service could not "].contains { message.hasPrefix($0) }
  }
}

extension CrashReport {
  /// Adds what the system's log states about a process: of several lines, the first about an end that the process
  /// caused itself, otherwise the first about an end.
  mutating func take(_ lines: [SystemLogLine]) {
    guard
      let line = lines.first(where: { $0.kind == .jetsam }) ?? lines.first(where: \.isSelfInflicted)
        ?? lines.first(where: { !$0.isDenial }) ?? lines.first
    else { return }
    for other in lines.prefix(Self.maximumLogLines)
    where (!other.isDenial || line.isDenial) && !line.outweighs(other) && !line.isApart(from: other) {
      take(.message(other.message))
    }
    header.process = header.process ?? line.process ?? lines.lazy.compactMap(\.process).first
    if line.kind != .crash { kind = line.kind }
    if let signal = line.signal { take(.fault(type: nil, signal: signal, subtype: nil, codes: [])) }
    if let code = line.guardCode {
      take(.fault(type: "EXC_GUARD", signal: nil, subtype: nil, codes: [code]))
    }
    termination = termination ?? line.termination
  }

  private static let maximumLogLines = 8
}
