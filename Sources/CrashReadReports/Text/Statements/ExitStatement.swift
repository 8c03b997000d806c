internal import CrashReadCore

extension Statement {
  /// Reads what a shell, a test runner or a program's own handler prints when a signal has terminated a program.
  static func exit(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if let found = linuxTrap(text, pairs) ?? negativeStatus(text, pairs) { return found }
    let message =
      // Go's `os/exec` writes `signal: abort trap`.
      text.after("zsh: ") ?? text.after("signal: ") ?? text.after("last terminating signal = ")
      ?? text.firstRange(of: ": line ", pairs).flatMap { shell(text[$0.upperBound...]) } ?? job(text) ?? text
    if let word = exitDescriptions.first(where: { message.hasPrefix($0.text) }) {
      return .fault(type: nil, signal: word.signal, subtype: nil, codes: [])
    }
    if text.hasPrefix("Got a "), text.firstRange(of: " while executing native code", pairs) == nil {
      return nil
    }
    for mark in exitMarks {
      guard let end = text.firstRange(of: mark, pairs)?.upperBound,
        let (word, _) = text[end...].firstWord()
      else { continue }
      let name = word.prefix { $0.isLetter || $0.isDigit }
      let number = name.decimalValue.flatMap(MachNames.signal)
      let spelled = name.string.uppercased()
      if let signal = number ?? signalName(spelled.hasPrefix("SIG") ? spelled : "SIG" + spelled) {
        return .fault(type: nil, signal: signal, subtype: nil, codes: [])
      }
    }
    return nil
  }

  /// The program in `sh: line 1: 345 Segmentation fault: 11  ./moon -v`, `[1]  12218 abort      ./moon` and `zsh:
  /// segmentation fault  ./moon`; nil for other lines.
  static func endedProgram(_ text: Bytes) -> Bytes? {
    let ofScript = text.firstRange(of: ": line ").flatMap { shell(text[$0.upperBound...]) }
    guard let message = ofScript ?? text.after("zsh: ") ?? job(text), let gap = message.firstRange(of: "  "),
      exitDescriptions.contains(where: { message.hasPrefix($0.text) }),
      let (command, _) = message[gap.upperBound...].trimmedStart.firstWord(),
      !command.contains(where: { $0.isAny(of: "=\"'$`") })
    else { return nil }
    return fileName(command)
  }

  /// Reads what Linux's kernel logs of a fatal signal: `app[12]: segfault at 8 ip 0000… sp 0000… error 4 in app[5581+2000]`,
  /// `traps: app[12] trap invalid opcode ip:5581 sp:7ffe error:0 in libswiftCore.so[7f41+2000]`
  /// (arch/x86/mm/fault.c, arch/x86/kernel/traps.c).
  private static func linuxTrap(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if let mark = text.firstRange(of: "]: segfault at ", pairs),
      let (word, rest) = text[mark.upperBound...].firstWord(),
      let address = word.hexDigitsValue, rest.trimmedStart.hasPrefix("ip ")
    {
      return .fault(type: nil, signal: "SIGSEGV", subtype: "at " + hexadecimal(address), codes: [])
    }
    let trap = text.firstRange(of: "] trap ", pairs) ?? text.firstRange(of: "] general protection", pairs)
    guard let mark = trap,
      text.firstRange(of: " ip:") != nil, text.firstRange(of: " sp:") != nil
    else { return nil }
    let name = text[mark.lowerBound...].dropFirst(2)
    return linuxTraps.first { name.hasPrefix($0.text) }.map {
      .fault(type: nil, signal: $0.signal, subtype: nil, codes: [])
    }
  }

  private static let linuxTraps: [(text: StaticString, signal: String)] = [
    ("trap invalid opcode", "SIGILL"), ("trap int3", "SIGTRAP"), ("trap divide error", "SIGFPE"),
    ("trap stack segment", "SIGBUS"), ("general protection", "SIGSEGV"),
  ]

  /// Reads `"rc": -9` of Ansible and `returned non-zero exit status -11` of Python, whose `subprocess` gives the signal that
  /// ended a program as a negative number.
  private static func negativeStatus(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    let marks: [StaticString] = [
      "\"rc\": -", "rc: -", "rc=-", "returncode -", "returncode=-", "exit status -",
    ]
    for mark in marks {
      guard let end = text.firstRange(of: mark, pairs)?.upperBound else { continue }
      let number = text[end...].prefix(while: \.isDigit).decimalValue
      // A program can also return a small negative number of its own.
      guard let number, number > 3, let signal = MachNames.signal(number), signalName(signal) != nil else {
        continue
      }
      return .fault(type: nil, signal: signal, subtype: nil, codes: [])
    }
    return nil
  }

  /// Reads `line 12:  345 Segmentation fault: 11  ./app`, from after `line `.
  private static func shell(_ text: Bytes) -> Bytes? {
    guard let (line, rest) = text.split(at: UInt8(ascii: ":")), line.decimalValue != nil else { return nil }
    return rest.trimmed.drop { $0.isDigit }.trimmedStart
  }

  /// Reads `[1]    12218 abort      ./app`, as shells report a job's end, from after the process's number.
  private static func job(_ text: Bytes) -> Bytes? {
    guard let (number, rest) = text.after("[")?.split(at: UInt8(ascii: "]")), number.decimalValue != nil
    else { return nil }
    let words = rest.drop { $0.isAny(of: " +-") }
    guard let (pid, status) = words.firstWord(), pid.decimalValue != nil else { return nil }
    return status.trimmedStart
  }

  /// The descriptions of signals that the system (`strsignal`) and zsh print.
  private static let exitDescriptions: [(text: StaticString, signal: String)] = [
    ("Segmentation fault", "SIGSEGV"), ("segmentation fault", "SIGSEGV"), ("Bus error", "SIGBUS"),
    ("bus error", "SIGBUS"), ("Abort trap", "SIGABRT"), ("abort trap", "SIGABRT"), ("abort  ", "SIGABRT"),
    ("Killed: 9", "SIGKILL"),
    ("killed  ", "SIGKILL"), ("Trace/BPT trap", "SIGTRAP"), ("trace trap", "SIGTRAP"),
    ("Illegal instruction", "SIGILL"), ("illegal hardware", "SIGILL"),
    ("Floating point exception", "SIGFPE"), ("floating point exception", "SIGFPE"),
  ]

  private static let exitMarks: [StaticString] = [
    "xited with unexpected signal code ", "xited with signal code ", "crashed with signal ",
    "Terminated due to signal ", "Terminating due to signal ", "died with <Signals.", "was killed by signal ",
    "terminated by signal ",
    // Xournal++'s handler.
    "Crashed 1 time(s) with signal ",
    // Mono's handler, mono/utils/mono-signal-handler and mini-exceptions.c.
    "Got a ",
  ]

  /// Reads `message (System.ArgumentException)`, as .NET prints an exception that reached native code.
  static func managed(_ text: Bytes) -> Statement? {
    guard text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")) else { return nil }
    let name = text[(open + 1)...].dropLast()
    guard name.hasSuffix("Exception"), isTypeName(name) else { return nil }
    return .exception(name: name.string, reason: text[..<open].trimmed.nonEmptyString, isNamed: true)
  }

  /// What debuggers and Crashlytics print after the type of a guard or resource exception: `(RESOURCE_TYPE_MEMORY: high
  /// watermark memory limit exceeded) (limit=30 MB)`, `0x08fd4dbfade2dead`.
  static func resource(_ text: Bytes) -> String? {
    if let start = text.firstRange(of: "RESOURCE_TYPE_") {
      let type = text[start.upperBound...].prefix { $0.isLetter || $0 == UInt8(ascii: "_") }
      let limit = text.firstRange(of: "(limit=").flatMap { open in
        text[open.upperBound...].split(at: UInt8(ascii: ")"))?.before.prefix { $0 != UInt8(ascii: ",") }
      }
      return limit.map { type.string + " (limit=" + $0.string + ")" } ?? type.string
    }
    guard let (word, _) = text.firstWord(), word.prefixedHexValue != nil else { return nil }
    return "guarded with " + word.string
  }
}
