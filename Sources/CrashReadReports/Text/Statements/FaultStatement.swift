internal import CrashReadCore

// Mach exceptions and signals.

extension Statement {
  /// Reads `EXC_BAD_ACCESS (code=1, address=0x0)`, `EXC_BREAKPOINT: SIGTRAP`, `EXC_CRASH (SIGABRT)`, `signal SIGABRT`.
  static func fault(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    let stated =
      summarized(text) ?? labelledFault(text, pairs) ?? faultInSentence(text, pairs)
      ?? numberedException(text) ?? kernelCode(text) ?? signalCode(text) ?? goFault(text, pairs)
      ?? dartFault(text) ?? dereference(text, pairs)
    if let stated { return stated }
    return machException(text) ?? exceptionClass(text) ?? wineFault(text, pairs)
      ?? handledSignal(text, pairs) ?? signalNamed(text, pairs)
  }

  /// Reads `exception: type EXC_BAD_ACCESS, signal SIGKILL, subtype EXC_ARM_MTE_TAGCHECK_FAIL at 0x10`, the members of
  /// an .ips file's `exception` written as a sentence.
  private static func summarized(_ text: Bytes) -> Statement? {
    guard let rest = text.after("exception:")?.trimmed.after("type "), rest.hasPrefix("EXC_") else {
      return nil
    }
    let parts = rest.split(separator: UInt8(ascii: ",")).map(\.trimmed)
    let signal = parts.lazy.compactMap { $0.after("signal ") }.first
    let subtype = parts.lazy.compactMap { $0.after("subtype ") }.first
    return .fault(
      type: parts.first?.nonEmptyString, signal: signal.flatMap { signalName($0.string) },
      subtype: subtype?.nonEmptyString, codes: [])
  }

  private static func labelledFault(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    for mark: StaticString in [
      "Crash reason:", "Fatal Error:", "Caught signal:", "Crash due to signal:",
      "Cause: Crash due to signal:", "Unhandled Exception:", "Exception:", "Exception Type:", "Crash:",
      "Signal:", "Type:",
      "exception:", "Error:",
    ] {
      if let words = text.after(mark)?.trimmed, case let rest = words.after("`") ?? words,
        rest.hasPrefix("EXC_") || rest.hasPrefix("SIG")
      {
        return fault(rest, pairs)
      }
    }
    for mark: StaticString in ["Subtype:", "Exception Subtype:", "Reason:", "subtype:"] {
      guard let rest = text.after(mark)?.trimmed else { continue }
      if rest.hasPrefix("KERN_") { return fault(rest, pairs) }
      // The CPU's own codes.
      if rest.hasPrefix("EXC_ARM_") || rest.hasPrefix("EXC_I386_") {
        return .fault(type: nil, signal: nil, subtype: rest.string, codes: [])
      }
    }
    return nil
  }

  /// Reads a type within other words. Only the next words are read: the line may hold the sentence many times.
  private static func faultInSentence(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    // The messages of Datadog's errors (dd-sdk-ios, `DDCrashReportBuilder`) and of Instabug's.
    for mark: StaticString in ["Application crash: SIG", "Crash due to signal: SIG"] {
      guard let start = text.firstRange(of: mark, pairs) else { continue }
      return fault(text[(start.upperBound - 3)...].prefix(maximumWords), pairs)
    }
    // Apple's GDB: `Program received signal EXC_BAD_ACCESS, Could not access memory.`
    for mark: StaticString in ["crash: EXC_", "received signal EXC_"] {
      guard let start = text.firstRange(of: mark, pairs) else { continue }
      return fault(text[(start.upperBound - 4)...].prefix(maximumWords), pairs)
    }
    // In a title: `Crash in open() -> EXC_BAD_ACCESS 0x9`.
    guard let start = text.firstRange(of: " EXC_BAD_ACCESS ", pairs) else { return nil }
    let next = text[start.upperBound...]
    let continuations: [StaticString] = ["KERN_", "(KERN_", "0x", "(code="]
    return continuations.contains { next.hasPrefix($0) }
      ? fault(text[(start.lowerBound + 1)...], pairs) : nil
  }

  private static let maximumWords = 64

  private static func kernelCode(_ text: Bytes) -> Statement? {
    if text.hasPrefix("KERN_") { return .fault(type: nil, signal: nil, subtype: subtype(text), codes: []) }
    return text.after("Crash address:")?.trimmed.prefixedHexValue.map { .faultAddress($0) }
  }

  /// Reads `SEGV_ACCERR` on a line of its own, the title of an issue on Bugly's pages: the code that the signal came with.
  private static func signalCode(_ text: Bytes) -> Statement? {
    let signal = text.equals("SEGV_ACCERR") || text.equals("SEGV_MAPERR") ? "SIGSEGV" : nil
    let found = signal ?? (text.equals("BUS_ADRALN") || text.equals("BUS_ADRERR") ? "SIGBUS" : nil)
    return found.map { .fault(type: nil, signal: $0, subtype: nil, codes: []) }
  }

  private static func goFault(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    // Go's first line of a fault at an address that isn't in its heap (runtime/signal_unix.go, sigpanic).
    if let address = text.after("unexpected fault address ")?.prefixedHexValue {
      return .faultAddress(address)
    }
    guard let address = goAddress(text, pairs) else { return nil }
    guard text.first == UInt8(ascii: "["), let signal = signal(text) else { return .faultAddress(address) }
    return .fault(type: nil, signal: signal, subtype: "at " + hexadecimal(address), codes: [])
  }

  /// Reads `si_signo=Segmentation fault: 11(11), si_code=SEGV_ACCERR(2), si_addr=0x3f` of Dart's handler
  /// (dart-lang/sdk, runtime/bin/platform_macos.cc, segv_handler).
  private static func dartFault(_ text: Bytes) -> Statement? {
    guard let description = text.after("si_signo="), let (_, code) = description.split(at: UInt8(ascii: "(")),
      let (number, rest) = code.split(at: UInt8(ascii: ")")),
      let signal = number.decimalValue.flatMap(MachNames.signal)
    else { return nil }
    let address = rest.firstRange(of: "si_addr=0x").flatMap { rest[$0.upperBound...].leadingHexValue }
    let subtype = address.map { isProtectionFault(rest, at: $0) ? protectionFault : "at " + hexadecimal($0) }
    return .fault(type: nil, signal: signal, subtype: subtype, codes: [])
  }

  /// The code of a general protection fault, as Apple's reports print it.
  static let protectionFault = "EXC_I386_GPFLT"

  /// Whether a description of a signal is that of a general protection fault: for that, Darwin's kernel sets code and address to
  /// 0, while a failed access to memory has a code of its own (bsd/dev/i386/unix_signal.c, sendsig; ARM's kernel never sets 0).
  static func isProtectionFault(_ description: Bytes, at address: UInt64) -> Bool {
    address == 0
      && ["si_code=0,", "si_code: 0 ", "si_code: 0,"].contains { description.firstRange(of: $0) != nil }
  }

  /// KSCrash and KSCrashDoctor describe only memory faults like this.
  private static func dereference(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    let isStated =
      text.hasPrefix("Attempted to dereference ")
      || text.firstRange(of: " > Attempted to dereference ", pairs) != nil
    return isStated
      ? .fault(type: "EXC_BAD_ACCESS", signal: nil, subtype: attempt(text), codes: []) : nil
  }

  private static func machException(_ text: Bytes) -> Statement? {
    let type = text.prefix(while: isCode)
    let rest = text[type.endIndex...]
    guard type.hasPrefix("EXC_"), type.count > 7 else { return nil }
    let limits = type.equals("EXC_RESOURCE") || type.equals("EXC_GUARD")
    return .fault(
      type: type.string, signal: signal(rest),
      subtype: subtype(rest)
        ?? (limits ? resource(rest) : bareAddress(rest) ?? slashed(rest) ?? namedCode(rest)),
      codes: rest.firstRange(of: "(code=EXC_") == nil ? codes(rest) : [])
  }

  /// Reads `ESR_EC_DABORT_EL0 (fault address: 0x8)`, the exception class by which LLDB names the stop of a thread in a core
  /// file (lldb/include/lldb/Target/AppleArm64ExceptionClass.def); the kernel makes its exceptions of the same classes.
  private static func exceptionClass(_ text: Bytes) -> Statement? {
    guard let rest = text.after("ESR_EC_") else { return nil }
    let name = rest.prefix(while: isCode)
    guard let type = exceptionClasses.first(where: { name.hasPrefix($0.name) })?.type else { return nil }
    let address = rest.firstRange(of: "(fault address: ").flatMap { mark in
      rest[mark.upperBound...].prefix { $0 != UInt8(ascii: ")") }.prefixedHexValue
    }
    return .fault(
      type: type, signal: nil, subtype: address.map { "at " + hexadecimal($0) }, codes: [])
  }

  private static let exceptionClasses: [(name: StaticString, type: String)] = [
    ("DABORT_EL", "EXC_BAD_ACCESS"), ("IABORT_EL", "EXC_BAD_ACCESS"), ("PC_ALIGN", "EXC_BAD_ACCESS"),
    ("SP_ALIGN", "EXC_BAD_ACCESS"), ("BRK_AARCH64", "EXC_BREAKPOINT"), ("BKPT_AARCH32", "EXC_BREAKPOINT"),
    ("UNCATEGORIZED", "EXC_BAD_INSTRUCTION"), ("ILLEGAL_INSTR_SET", "EXC_BAD_INSTRUCTION"),
  ]

  /// Reads what handlers of signals print without the signal's name.
  private static func handledSignal(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    // OpenJ9's handler has its own names for signals.
    if text.hasPrefix("Type=Segmentation error") {
      return .fault(type: nil, signal: "SIGSEGV", subtype: nil, codes: [])
    }
    // Emacs: `Fatal error 11: Segmentation fault` (emacs, src/emacs.c, `terminate_due_to_signal`).
    if let rest = text.after("Fatal error "), let (number, words) = rest.split(at: UInt8(ascii: ":")),
      let signal = number.decimalValue.flatMap(MachNames.signal), words.first == 0x20
    {
      return .fault(type: nil, signal: signal, subtype: nil, codes: [])
    }
    // Unreal Engine.
    if text.hasPrefix("SEGV_MAPERR at 0x") || text.hasPrefix("SEGV_ACCERR at 0x") {
      return .fault(type: nil, signal: "SIGSEGV", subtype: text.string, codes: [])
    }
    guard let start = text.firstRange(of: "egmentation fault at address ", pairs) else { return nil }
    // Only the end of the word before it is examined: the first letter may be in either case, or missing.
    let tail = text[max(start.lowerBound - 1, text.startIndex)...].filter { $0 != UInt8(ascii: "`") }
    return .fault(type: "SIGSEGV", signal: nil, subtype: Bytes(tail).trimmed.string, codes: [])
  }

  private static func signalNamed(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if let start = text.firstRange(of: "signal SIG", pairs) {
      return signal(text[start.lowerBound...]).map {
        .fault(type: nil, signal: $0, subtype: nil, codes: [])
      }
    }
    guard text.hasPrefix("SIG"), let signal = signal(text) else { return nil }
    let tail = text.dropFirst(signal.utf8.count)
    if let (code, rest) = codeInParentheses(tail) {
      // All digits of an address that small are printed.
      let isNull = rest.equals(" at 00000000") && !code.isEmpty
      let subtype = isNull ? code + " at 0x0" : code.isEmpty ? nil : code
      return .fault(type: nil, signal: signal, subtype: subtype, codes: [])
    }
    guard tail.first?.isAny(of: ":, ") ?? true else { return nil }
    let number = tail.trimmed.prefixedHexValue == nil ? nil : bareAddress(tail)
    let address =
      tail.after(", fault address ").flatMap { bareAddress($0.prefix { $0 != UInt8(ascii: ",") }) } ?? number
    return .fault(
      type: nil, signal: signal, subtype: address ?? tail.after(": ")?.nonEmptyString, codes: [])
  }

  /// Reads the code of `SIGSEGV(SEGV_MAPERR) at 00002000`, as services that use PLCrashReporter print a signal. Of the
  /// address of a 64-bit program they print eight digits, so it isn't read.
  /// The code is empty if it has only a number: `SIGABRT(#0)`.
  private static func codeInParentheses(_ text: Bytes) -> (code: String, rest: Bytes)? {
    guard let inside = text.after("("), let (code, rest) = inside.split(at: UInt8(ascii: ")")) else {
      return nil
    }
    if code.equals("#0") { return ("", rest) }
    let prefixes: [StaticString] = ["SEGV_", "BUS_", "TRAP_", "ILL_", "FPE_"]
    guard prefixes.contains(where: { code.hasPrefix($0) }), code.allSatisfy(isCode) else { return nil }
    return (code.string, rest)
  }

  /// Reads `Unhandled exception: page fault on read access to 0x00000020 in 64-bit code (0x14065f05a).` of Wine's debugger
  /// and `wine: Unhandled page fault on read access to 0000000000000020 at address …` of its loader: Wine makes the
  /// exceptions of Windows from the host's signals (wine, programs/winedbg/info.c and dlls/kernelbase/debug.c).
  private static func wineFault(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    guard text.firstRange(of: "nhandled ", pairs) != nil,
      let mark = text.firstRange(of: "page fault on ", pairs),
      let access = text[mark.upperBound...].firstRange(of: " access to ")
    else { return nil }
    let rest = text[access.upperBound...]
    let digits = rest.after("0x") ?? rest
    guard digits.prefix(while: { $0.isHexDigit }).count >= 8 || rest.hasPrefix("0x") else { return nil }
    return digits.leadingHexValue.map {
      .fault(type: nil, signal: "SIGSEGV", subtype: "at " + hexadecimal($0), codes: [])
    }
  }

  /// Reads the address of `PC=0x7ff80c143e1d m=0 sigcode=1 addr=0x18`, as Go's runtime prints it below the signal, and of
  /// `[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x1]` (runtime/signal_unix.go); before Go 1.6
  /// `[signal 0xb code=0x1 addr=0x18 pc=0x1]`.
  private static func goAddress(_ text: Bytes, _ pairs: PairFilter) -> UInt64? {
    let isSignal = text.hasPrefix("[signal ") && text.firstRange(of: " pc=0x", pairs) != nil
    guard isSignal || text.hasPrefix("PC=0x") && text.firstRange(of: " sigcode=", pairs) != nil,
      let mark = text.firstRange(of: " addr=0x", pairs)
    else { return nil }
    return text[mark.upperBound...].leadingHexValue
  }

  /// Reads `Exception 1, Code 1, Subcode 4374672656 > KERN_INVALID_ADDRESS at 0x104bff110.`, the title of a Sentry event.
  private static func numberedException(_ text: Bytes) -> Statement? {
    guard let rest = text.after("Exception ") else { return nil }
    let parts = (rest.firstRange(of: " >").map { rest[..<$0.lowerBound] } ?? rest).split(
      separator: UInt8(ascii: ",")
    ).map(\.trimmed)
    guard parts.count == 3, let type = parts[0].decimalValue.flatMap(MachNames.exception),
      let code = parts[1].after("Code ")?.decimalValue, let second = parts[2].after("Subcode ")?.decimalValue
    else { return nil }
    return .fault(type: type, signal: nil, subtype: subtype(rest), codes: [code, second])
  }

  static func isCode(_ byte: UInt8) -> Bool {
    byte.isDigit || byte == UInt8(ascii: "_") || (0x41...0x5a).contains(byte)
  }

  static func signal(_ text: Bytes) -> String? {
    if let number = text.after("[signal 0x")?.leadingHexValue { return MachNames.signal(number) }
    guard let start = text.firstRange(of: "SIG") else { return nil }
    return signalName(text[start.lowerBound...].prefix(while: isCode).string)
  }

  static func signalName(_ name: String) -> String? { signals.contains(name) ? name : nil }

  static let signals: Set = [
    "SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP", "SIGFPE", "SIGKILL", "SIGSYS", "SIGPIPE", "SIGTERM",
    "SIGQUIT",
  ]

  /// Reads `KERN_INVALID_ADDRESS 0x10` and `KERN_INVALID_ADDRESS at 0x10`.
  static func subtype(_ text: Bytes) -> String? {
    guard let start = text.firstRange(of: "KERN_") else { return attempt(text) }
    let name = text[start.lowerBound...].prefix(while: isCode)
    let rest = text[name.endIndex...].trimmedStart
    let place = rest.after("at address: ") ?? rest.after("at ") ?? rest.after("/ ") ?? rest
    guard let (word, _) = place.firstWord() else {
      return name.string
    }
    let address = word.prefix { $0.isHexDigit || $0 == UInt8(ascii: "x") }
    guard address.prefixedHexValue != nil else { return name.string }
    // The kernel's guess of the address without its signature: `at 0x20000001a68a9490 -> 0x00000001a68a9490 (possible …)`.
    let guess = place[word.endIndex...]
    return name.string + " at " + address.string + (guess.hasPrefix(" -> 0x") ? guess.string : "")
  }

  /// Reads the code's name of `EXC_BAD_ACCESS / EXC_I386_GPFLT`, as Breakpad's processor and Sentry after it write the
  /// exception of a minidump (google/breakpad, `minidump_processor.cc`; getsentry/symbolicator).
  private static func slashed(_ text: Bytes) -> String? {
    guard let (word, _) = text.trimmedStart.after("/ ")?.firstWord(), word.allSatisfy(isCode),
      signalName(word.string) == nil
    else {
      return nil
    }
    return word.nonEmptyString
  }

  /// Reads `(code=EXC_I386_GPFLT)` and `(code=EXC_ARM_DA_ALIGN, address=0x10)`: LLDB names these codes.
  private static func namedCode(_ text: Bytes) -> String? {
    guard let open = text.firstRange(of: "(code=EXC_") else { return nil }
    let name = text[(open.upperBound - 4)...].prefix(while: isCode)
    let address = codes(text).first.map { " at " + hexadecimal($0) }
    return name.string + (address ?? "")
  }

  /// Reads the address of `EXC_BAD_ACCESS 0x10` and `EXC_BAD_ACCESS (SIGSEGV) at 0x10`.
  private static func bareAddress(_ text: Bytes) -> String? {
    let words = (text.trimmedStart.after("(SIG")?.split(at: UInt8(ascii: ")"))?.after ?? text).trimmedStart
    guard let (word, _) = (words.after("at ") ?? words).firstWord(), word.prefixedHexValue != nil else {
      return nil
    }
    return "at " + word.string
  }

  /// Reads the description of a pointer by KSCrash and Sentry: `Attempted to dereference garbage pointer at 0x10.`
  static func attempt(_ text: Bytes) -> String? {
    guard let start = text.firstRange(of: "Attempted to dereference ") else { return nil }
    let tail = text[start.lowerBound...]
    return (tail.last == UInt8(ascii: ".") ? tail.dropLast() : tail).string
  }

  /// The two codes of `(code=1, address=0x0)` or `(code=1, subcode=0x0)`, as the debugger prints them.
  static func codes(_ text: Bytes) -> [UInt64] {
    guard let open = text.firstRange(of: "(code="),
      let close = text[open.upperBound...].firstIndex(of: UInt8(ascii: ")"))
    else { return [] }
    return text[open.upperBound..<close].split(separator: UInt8(ascii: ",")).compactMap { part in
      (part.split(at: UInt8(ascii: "="))?.after ?? part).trimmed.numberValue
    }
  }
}
