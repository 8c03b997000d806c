internal import CrashReadCore

/// A statement of a line about the end of a program, in one of the formats in which runtimes, debuggers and reporters
/// print it.
///
/// `*** Terminating app due to uncaught exception …` and the fields of Apple's reports are read elsewhere.
enum Statement: Equatable {
  /// An exception; one that the text only names may have been caught.
  case exception(name: String?, reason: String?, isNamed: Bool = false)
  /// A Mach exception or signal.
  case fault(type: String?, signal: String?, subtype: String?, codes: [UInt64])
  /// The address of a fault, on a line of its own.
  case faultAddress(UInt64)
  /// A message of the dynamic linker.
  case linker(String)
  /// The process or subsystem that ended the program, and the code it gave.
  case ended(by: String, code: UInt64)
  /// The message of the code that stopped the program.
  case message(String)

  /// Reads a line; nil when it makes no such statement.
  init?(_ line: Line) {
    let text = Self.withoutLogPrefix(Self.unmarked(line.text))
    // A document's members are read as part of the document.
    if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "\"") { return nil }
    // Most lines state nothing: without the filter, that took two hundred searches.
    let pairs = PairFilter(text.span)
    guard let found = Self.linker(text) ?? Self.inXcode(text, pairs) ?? Self.any(text, pairs) else {
      return nil
    }
    self = found
  }

  /// Reads the statement of a sentence about a crash: `It crashes with EXC_BAD_ACCESS in Cart.total`.
  init?(mentionedIn text: Bytes) {
    for mark: StaticString in [" with ", " due to ", " with an ", " with a ", " hit a ", " hit an "] {
      guard let start = text.firstRange(of: mark) else { continue }
      let words = text[start.upperBound...].drop { $0.isAny(of: "`*") }
      let word = words.prefix(while: Self.isCode)
      if word.hasPrefix("EXC_"), word.count > 7 {
        self = .fault(type: word.string, signal: nil, subtype: nil, codes: [])
        return
      }
      if let signal = Self.signalName(word.string) {
        self = .fault(type: nil, signal: signal, subtype: nil, codes: [])
        return
      }
    }
    return nil
  }

  /// Reads what the system ended a program for; nil for other statements.
  init?(endedIn text: Bytes) {
    guard let ended = Self.ended(text) else { return nil }
    self = ended
  }

  /// Whether a line that begins with a method's name continues with the failure of the call.
  static func followsMethod(_ text: Bytes) -> Bool {
    guard text.beginsWithMethod else { return false }
    if statesMethodError(text) { return true }
    return ["]: unrecognized selector sent to ", ": failed assertion `"].contains {
      text.firstRange(of: $0) != nil
    }
  }

  /// Whether a sentence follows a method's name, as frameworks give a reason: `-[Cart open] open may not be called`.
  private static func statesMethodError(_ text: Bytes) -> Bool {
    guard let end = text.firstRange(of: "] ")?.upperBound ?? text.firstRange(of: "]: ")?.upperBound else {
      return false
    }
    let words = text[end...].split(separator: 0x20)
    return words.count > 3 && words.allSatisfy { $0.allSatisfy { $0 != UInt8(ascii: "+") } }
      && words.prefix(3).allSatisfy { $0.first?.isLetter ?? false }
  }

  /// Reads the text after `Thread N:` in Xcode's editor.
  init?(threadStop words: Bytes) {
    let words = words.trimmed
    let isReason = words.first == UInt8(ascii: "\"") && words.count > 2
    let stated: Statement? = .exception(name: nil, reason: Self.unquoted(words))
    guard let found = isReason ? stated : Self.any(words, PairFilter(words.span)) else { return nil }
    self = found
  }

  /// Word processors and web pages replace ASCII quotation marks by typographic ones.
  private static func withPlainQuotes(_ text: Bytes) -> Bytes {
    var plain: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      if rest.starts(with: [0xe2, 0x80]), let mark = rest.dropFirst(2).first, (0x98...0x9d).contains(mark) {
        plain.append(mark < 0x9c ? UInt8(ascii: "'") : UInt8(ascii: "\""))
        rest = rest.dropFirst(3)
      } else {
        plain.append(byte)
        rest = rest.dropFirst()
      }
    }
    return Bytes(plain)
  }

  /// The exception's name in a line with Bugly's number of the issue: `#1416 NSRangeException`.
  static func numbered(_ text: Bytes) -> Bytes? {
    let text = text.after("#") ?? text
    let digits = text.prefix(while: \.isDigit)
    guard !digits.isEmpty, let name = text[digits.endIndex...].after(" "),
      isExceptionName(name), !isTypeName(name)
    else { return nil }
    return name
  }

  /// The text without the marks of lists, quotations, headings and code.
  private static func unmarked(_ text: Bytes) -> Bytes {
    var text = text.trimmed
    text = text.after("• ")?.trimmedStart ?? text
    while let first = text.first, first.isAny(of: "#>|`-"), !text.hasPrefix("-[") {
      text = text.dropFirst().trimmedStart
    }
    while text.last == UInt8(ascii: "`") { text = text.dropLast() }
    text = numbered(text) ?? text
    if text.contains(0xe2) { text = withPlainQuotes(text) }
    if let inside = text.after("**")?.before("**") { text = inside }
    // `**Type:** EXC_BAD_ACCESS`, `**Exception:** …`
    if let end = text.after("**")?.firstRange(of: "**") {
      text = Bytes(Array(text.dropFirst(2)[..<end.lowerBound]) + Array(text[end.upperBound...]))
    }
    return text.trimmed
  }

  /// The text without the prefix of `NSLog`: `2024-05-01 10:00:00.000 Shop[12:34] `.
  private static func withoutLogPrefix(_ text: Bytes) -> Bytes {
    guard text.first?.isDigit ?? false, let mark = text.firstRange(of: "] "),
      let open = text[..<mark.lowerBound].lastIndex(of: UInt8(ascii: "[")),
      text[(open + 1)..<mark.lowerBound].allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ":") }),
      text[..<open].split(separator: 0x20).count >= 3
    else { return fromConsole(text) ?? text }
    return text[mark.upperBound...].trimmedStart
  }

  /// The message of a line copied from Console: type, time, process and message, separated by tabs.
  private static func fromConsole(_ text: Bytes) -> Bytes? {
    guard text.contains(0x09), case let columns = text.split(separator: 0x09), columns.count > 3,
      columns[1].first?.isDigit ?? false, columns[1].contains(UInt8(ascii: ":"))
    else { return nil }
    return text[columns[3].startIndex...].trimmed
  }

  /// Reads `Seen since 8.3: NSInvalidArgumentException -[Cart total]: unrecognized selector sent to instance`, with an
  /// exception's name or other words before the method.
  private static func unrecognized(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    guard let end = text.firstRange(of: "]: unrecognized selector sent to ", pairs),
      let open = text[..<end.lowerBound].lastIndex(of: UInt8(ascii: "[")), open - text.startIndex > 2,
      text[open - 1].isAny(of: "+-"), text[open - 2] == 0x20,
      text.firstRange(of: "Exception caught in ") == nil
    else { return nil }
    let reason = text[(open - 1)...].string
    let name = text[..<(open - 2)].split(separator: 0x20).last?.filter { $0 != UInt8(ascii: ":") } ?? []
    return isExceptionName(Bytes(name))
      ? .exception(name: Bytes(name).string, reason: reason, isNamed: true) : .message(reason)
  }

  /// Reads `Thread 1: …` of Xcode's editor and `* thread #1, …, stop reason = …` of LLDB.
  private static func inXcode(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if let reason = text.firstRange(of: "stop reason = ", pairs) {
      return any(text[reason.upperBound...], pairs)
    }
    guard let rest = text.after("Thread "), let (number, tail) = rest.split(at: UInt8(ascii: ":")),
      number.decimalValue != nil
    else { return nil }
    return Statement(threadStop: tail)
  }

  /// Parts of sentences of the kernel and of XCTest, which are more informative as a whole than the type or signal in
  /// them.
  private static let sentenceMarks: [StaticString] = [
    "exceeded mem limit: ", "Thread stack size exceeded", "operation never finished bootstrapping",
  ]

  private static func any(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if sentenceMarks.contains(where: { text.firstRange(of: $0, pairs) != nil }) {
      return .message(text.string)
    }
    // Python's error of a program that a signal ended is the program's end.
    if text.firstRange(of: " died with <Signals.SIG", pairs) != nil { return exit(text, pairs) }
    let found =
      exception(text, pairs) ?? unrecognized(text, pairs) ?? fault(text, pairs) ?? exit(text, pairs)
      ?? ended(text)
    if let found { return found }
    if text.beginsWithMethod, statesMethodError(text) { return .message(text.string) }
    // Xcode's annotation typed from memory.
    if let words = text.after("Fatal Error: "),
      words.hasPrefix("Unexpectedly found nil") || words.hasPrefix("Index out of range")
    {
      return .message("Fatal error: " + words.string)
    }
    return isFailedCheck(text) || messageMarks.contains { text.hasPrefix($0) } || statesInside(text, pairs)
      ? .message(text.string) : nil
  }

  /// Whether a message follows a file's location, a name or an object. In a sentence, somebody only mentions it.
  private static func statesInside(_ text: Bytes, _ pairs: PairFilter) -> Bool {
    infixes.contains { infix in
      text.firstRange(of: infix, pairs).map { !isSentence(text[..<$0.lowerBound]) } ?? false
    }
  }

  private static func isSentence(_ text: Bytes) -> Bool {
    let words = text.split(separator: 0x20)
    return words.count >= 3
      && words.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isAny(of: "`'\",.:-") } }
  }

  /// Whether it is `../runtime/vm/object.cc: 218: error: unreachable code`, a check of the Dart VM's: compilers leave out
  /// the blanks (dart-lang/sdk, runtime/platform/assert.cc); or GLib's `ERROR:tide.c:12:pour: assertion failed: (low)`.
  private static func isFailedCheck(_ text: Bytes) -> Bool {
    if text.hasPrefix("ERROR:"), text.firstRange(of: ": assertion failed: (") != nil { return true }
    guard let mark = text.firstRange(of: ": error: "), case let location = text[..<mark.lowerBound],
      case let digits = location.suffix(while: \.isDigit), digits.decimalValue != nil,
      let file = location.dropLast(digits.count).before(": ")
    else { return false }
    return file.hasSuffix(".cc") || file.hasSuffix(".h")
  }

  private static func unquoted(_ text: Bytes) -> String? {
    var text = text.trimmed
    for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] where text.count > 1 && text.first == quote {
      // `'https' is handled natively` quotes its first word only.
      if text.last != quote, text.dropFirst().contains(quote) { continue }
      text = text.last == quote ? text.dropFirst().dropLast() : text.dropFirst()
    }
    return text.nonEmptyString
  }
}

// MARK: - Exceptions

extension Statement {
  private static func exception(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if let rest = text.after("FAULT: ") { return named(rest) }
    // A handler of uncaught exceptions that is copied into many apps: `NSLog(@"CRASH: %@", exception)`.
    if let rest = text.after("CRASH: ") {
      // Trackers that read Markdown take the asterisks for marks.
      let words = rest.drop { $0.isAny(of: "*\\ ") }
      if words.beginsWithMethod { return .exception(name: nil, reason: "*** " + words.string, isNamed: true) }
    }
    if let rest = text.after("Fatal "), isExceptionName(rest.prefix { $0 != UInt8(ascii: ":") }) {
      return named(rest)
    }
    if let rest = text.after("Exception Name:") ?? text.after("Exception name:") {
      return .exception(name: rest.trimmed.nonEmptyString, reason: nil, isNamed: true)
    }
    if let rest = text.after("Exception Reason:") ?? text.after("Exception reason:") {
      return .exception(name: nil, reason: unquoted(rest), isNamed: true)
    }
    return uncaught(text, pairs) ?? unhandled(text) ?? bridged(text, pairs) ?? field(text) ?? named(text)
      ?? managed(text)
  }

  /// Reads `… uncaught exception 'X', reason: 'Y'`, in the words of a program or a reporter.
  private static func uncaught(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    guard let open = text.firstRange(of: "ncaught exception '", pairs),
      let (name, rest) = text[open.upperBound...].split(at: UInt8(ascii: "'"))
    else { return nil }
    let reason = rest.firstRange(of: "reason: ").map { rest[$0.upperBound...] }
    return .exception(name: name.nonEmptyString, reason: reason.flatMap(unquoted))
  }

  /// Reads `An unhandled exception of type 'X' occurred in Shop.dll: 'Y'` of .NET's debugger.
  private static func unhandled(_ text: Bytes) -> Statement? {
    guard let rest = text.after("An unhandled exception of type '"),
      let (name, place) = rest.split(at: UInt8(ascii: "'")), place.hasPrefix(" occurred in ")
    else { return nil }
    let reason = place.firstRange(of: ": ").flatMap { unquoted(place[$0.upperBound...]) }
    return .exception(name: name.nonEmptyString, reason: reason, isNamed: true)
  }

  /// Reads `Objective-C exception thrown.  Name: X Reason: Y` of .NET.
  private static func bridged(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    guard let name = text.firstRange(of: "Name: ", pairs),
      let reason = text.firstRange(of: " Reason: ", pairs),
      name.upperBound < reason.lowerBound,
      name.lowerBound == text.startIndex || text.firstRange(of: "xception") != nil
    else { return nil }
    return .exception(
      name: text[name.upperBound..<reason.lowerBound].trimmed.nonEmptyString,
      reason: text[reason.upperBound...].trimmed.nonEmptyString, isNamed: true)
  }

  /// Reads `name = NSRangeException` and `reason = …`, as handlers print an exception's members; also
  /// `Exception type: NSRangeException` and `Reason: *** -[…]`.
  private static func field(_ text: Bytes) -> Statement? {
    if let name = (text.after("name = ") ?? text.after("Exception type: "))?.trimmed, isExceptionName(name) {
      return .exception(name: name.nonEmptyString, reason: nil, isNamed: true)
    }
    if let reason = text.after("reason = ") {
      return .exception(name: nil, reason: unquoted(reason), isNamed: true)
    }
    guard let reason = text.after("Reason: "),
      ["*** ", "-[", "+["].contains(where: reason.hasPrefix)
    else { return nil }
    return .exception(name: nil, reason: unquoted(reason), isNamed: true)
  }

  /// Reads `NSRangeException: reason`, a reporter's heading of an exception.
  private static func named(_ text: Bytes) -> Statement? {
    guard let (name, rest) = text.split(at: UInt8(ascii: ":")), isExceptionName(name.trimmed) else {
      if let dashed = dashed(text) { return dashed }
      // Alone on its line, with the reason below.
      return isExceptionName(text) && !isTypeName(text)
        ? .exception(name: text.nonEmptyString, reason: nil, isNamed: true) : nil
    }
    // The assertion's file and line, as AppKit's `FAULT:` prints them.
    let end = rest.firstRange(of: "; {")?.lowerBound ?? rest.endIndex
    return .exception(
      name: name.trimmed.nonEmptyString, reason: unquoted(rest[..<end]), isNamed: true)
  }

  /// Reads `NSRangeException` — reason` and `NSRangeException - *** -[NSArray …`, as people and trackers write it.
  private static func dashed(_ text: Bytes) -> Statement? {
    let name = text.prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    let rest = text[name.endIndex...].drop { $0.isAny(of: "`* ") }
    // An ordinary hyphen may also separate the columns of a list.
    let words =
      rest.after("— ") ?? rest.after("– ") ?? rest.after("- ").flatMap { $0.hasPrefix("*** ") ? $0 : nil }
    guard let reason = words, isExceptionName(name) else { return nil }
    return .exception(name: name.nonEmptyString, reason: unquoted(reason), isNamed: true)
  }

  /// Objective-C's exceptions have a prefix in capitals; other languages' names are types, often with dots.
  static func isExceptionName(_ name: Bytes) -> Bool {
    if otherNames.contains(where: { name.equals($0) }) { return true }
    if isTypeName(name) { return true }
    guard name.hasSuffix("Exception"),
      name.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
    else { return false }
    return name.drop { $0 == UInt8(ascii: "_") }.prefix(2).allSatisfy { (0x41...0x5a).contains($0) }
  }
}

extension Statement {
  /// Whether a name is a type with its package, as in other languages: `kotlin.RuntimeException`,
  /// `System.NullReferenceException`.
  static func isTypeName(_ name: Bytes) -> Bool {
    guard name.hasSuffix("Exception") || name.hasSuffix("Error"), name.contains(UInt8(ascii: ".")),
      let type = name.split(separator: UInt8(ascii: ".")).last?.first, (0x41...0x5a).contains(type)
    else { return false }
    return name.allSatisfy { $0.isLetter || $0.isDigit || $0.isAny(of: "._$") }
      && name.first?.isLetter == true
  }

  /// Names of exceptions that don't have the form of one.
  private static let otherNames: [StaticString] = [
    "com.apple.coreaudio.avfaudio", "UIViewControllerHierarchyInconsistency",
    "UIApplicationInvalidInterfaceOrientation",
    "CALayerInvalid", "CALayerInvalidGeometry", "CALayerInvalidTree", "com.firebase.core",
    "com.firebase.firestore",
  ]
}

// MARK: - Faults

extension Statement {
  /// Reads `EXC_BAD_ACCESS (code=1, address=0x0)`, `EXC_BREAKPOINT: SIGTRAP`, `EXC_CRASH (SIGABRT)`, `signal SIGABRT`.
  private static func fault(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    for mark: StaticString in [
      "Crash reason:", "Fatal Error:", "Caught signal:", "Crash due to signal:",
      "Cause: Crash due to signal:", "Exception:", "Exception Type:", "Crash:", "Signal:", "Type:",
      "exception:",
    ] {
      if let words = text.after(mark)?.trimmed, case let rest = words.after("`") ?? words,
        rest.hasPrefix("EXC_") || rest.hasPrefix("SIG")
      {
        return fault(rest, pairs)
      }
    }
    // The message of Datadog's errors (dd-sdk-ios, `DDCrashReportBuilder`).
    if let start = text.firstRange(of: "Application crash: SIG", pairs) {
      // Only the next words: the line may hold the sentence many times.
      return fault(text[(start.upperBound - 3)...].prefix(64), pairs)
    }
    if let start = text.firstRange(of: "crash: EXC_", pairs) {
      return fault(text[(start.upperBound - 4)...].prefix(64), pairs)
    }
    // Apple's GDB: `Program received signal EXC_BAD_ACCESS, Could not access memory.`
    if let start = text.firstRange(of: "received signal EXC_", pairs) {
      return fault(text[(start.upperBound - 4)...].prefix(64), pairs)
    }
    for mark: StaticString in ["Subtype:", "Exception Subtype:", "Reason:"] {
      if let rest = text.after(mark)?.trimmed, rest.hasPrefix("KERN_") { return fault(rest, pairs) }
    }
    // OpenJ9's handler has its own names for signals.
    if text.hasPrefix("Type=Segmentation error") {
      return .fault(type: nil, signal: "SIGSEGV", subtype: nil, codes: [])
    }
    if let stated = numberedException(text) { return stated }
    if text.hasPrefix("KERN_") { return .fault(type: nil, signal: nil, subtype: subtype(text), codes: []) }
    if let rest = text.after("Crash address:"), let address = rest.trimmed.prefixedHexValue {
      return .faultAddress(address)
    }
    if let address = goFault(text, pairs) {
      guard text.first == UInt8(ascii: "["), let signal = signal(text) else { return .faultAddress(address) }
      return .fault(type: nil, signal: signal, subtype: "at " + hexadecimal(address), codes: [])
    }
    if text.hasPrefix("Attempted to dereference ")
      || text.firstRange(of: " > Attempted to dereference ", pairs) != nil
    {
      // KSCrash and KSCrashDoctor describe only memory faults like this.
      return .fault(type: "EXC_BAD_ACCESS", signal: nil, subtype: attempt(text), codes: [])
    }
    if text.hasPrefix("EXC_") {
      let type = text.prefix(while: isCode)
      let rest = text[type.endIndex...]
      guard type.count > 7 else { return nil }
      let limits = type.equals("EXC_RESOURCE") || type.equals("EXC_GUARD")
      return .fault(
        type: type.string, signal: signal(rest),
        subtype: subtype(rest)
          ?? (limits ? resource(rest) : bareAddress(rest) ?? slashed(rest) ?? namedCode(rest)),
        codes: rest.firstRange(of: "(code=EXC_") == nil ? codes(rest) : [])
    }
    // In a sentence, such as a title: `Crash in open() -> EXC_BAD_ACCESS 0x9`.
    if let start = text.firstRange(of: " EXC_BAD_ACCESS ", pairs) {
      let tail = text[(start.lowerBound + 1)...]
      let next = text[start.upperBound...]
      let continuations: [StaticString] = ["KERN_", "(KERN_", "0x", "(code="]
      if continuations.contains(where: { next.hasPrefix($0) }) { return fault(tail, pairs) }
    }
    if let fault = wineFault(text, pairs) { return fault }
    // A handler's line without the signal's name (Unreal Engine).
    if text.hasPrefix("SEGV_MAPERR at 0x") || text.hasPrefix("SEGV_ACCERR at 0x") {
      return .fault(type: nil, signal: "SIGSEGV", subtype: text.string, codes: [])
    }
    if let start = text.firstRange(of: "egmentation fault at address ", pairs) {
      // Only the end of the word before it is examined: the first letter may be in either case, or missing.
      let tail = text[max(start.lowerBound - 1, text.startIndex)...].filter { $0 != UInt8(ascii: "`") }
      return .fault(type: "SIGSEGV", signal: nil, subtype: Bytes(tail).trimmed.string, codes: [])
    }
    guard let start = text.firstRange(of: "signal SIG", pairs) else {
      guard text.hasPrefix("SIG"), let signal = signal(text) else { return nil }
      let tail = text.dropFirst(signal.utf8.count)
      let address = tail.after(", fault address ").flatMap {
        bareAddress($0.prefix { $0 != UInt8(ascii: ",") })
      }
      return tail.isEmpty || tail.first.map { $0.isAny(of: ":, ") } ?? false
        ? .fault(
          type: nil, signal: signal, subtype: address ?? tail.after(": ")?.nonEmptyString, codes: []) : nil
    }
    return signal(text[start.lowerBound...]).map { .fault(type: nil, signal: $0, subtype: nil, codes: []) }
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
  private static func goFault(_ text: Bytes, _ pairs: PairFilter) -> UInt64? {
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

  private static func isCode(_ byte: UInt8) -> Bool {
    byte.isDigit || byte == UInt8(ascii: "_") || (0x41...0x5a).contains(byte)
  }

  private static func signal(_ text: Bytes) -> String? {
    if let number = text.after("[signal 0x")?.leadingHexValue { return MachNames.signal(number) }
    guard let start = text.firstRange(of: "SIG") else { return nil }
    return signalName(text[start.lowerBound...].prefix(while: isCode).string)
  }

  static func signalName(_ name: String) -> String? { signals.contains(name) ? name : nil }

  private static let signals: Set = [
    "SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP", "SIGFPE", "SIGKILL", "SIGSYS", "SIGPIPE", "SIGTERM",
    "SIGQUIT",
  ]

  /// Reads `KERN_INVALID_ADDRESS 0x10` and `KERN_INVALID_ADDRESS at 0x10`.
  private static func subtype(_ text: Bytes) -> String? {
    guard let start = text.firstRange(of: "KERN_") else { return attempt(text) }
    let name = text[start.lowerBound...].prefix(while: isCode)
    let rest = text[name.endIndex...].trimmedStart
    let place = rest.after("at address: ") ?? rest.after("at ") ?? rest.after("/ ") ?? rest
    guard let (word, _) = place.firstWord() else {
      return name.string
    }
    let address = word.prefix { $0.isHexDigit || $0 == UInt8(ascii: "x") }
    return address.prefixedHexValue == nil ? name.string : name.string + " at " + address.string
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
  private static func attempt(_ text: Bytes) -> String? {
    guard let start = text.firstRange(of: "Attempted to dereference ") else { return nil }
    let tail = text[start.lowerBound...]
    return (tail.last == UInt8(ascii: ".") ? tail.dropLast() : tail).string
  }

  /// The two codes of `(code=1, address=0x0)` or `(code=1, subcode=0x0)`, as the debugger prints them.
  private static func codes(_ text: Bytes) -> [UInt64] {
    guard let open = text.firstRange(of: "(code="),
      let close = text[open.upperBound...].firstIndex(of: UInt8(ascii: ")"))
    else { return [] }
    return text[open.upperBound..<close].split(separator: UInt8(ascii: ",")).compactMap { part in
      (part.split(at: UInt8(ascii: "="))?.after ?? part).trimmed.numberValue
    }
  }
}

// MARK: - Terminations

extension Statement {
  /// Reads `FRONTBOARD domain:10 code:0x8BADF00D` and `RUNNINGBOARD 0xdead10cc`, the reason without its heading.
  private static func ended(_ text: Bytes) -> Statement? {
    guard let (name, rest) = text.firstWord(), terminators.contains(where: { name.equals($0) }),
      let mark = rest.firstRange(of: "0x")
    else { return nil }
    let digits = rest[mark.lowerBound...].prefix { $0.isHexDigit || $0 == UInt8(ascii: "x") }
    return digits.prefixedHexValue.map { .ended(by: name.string, code: $0) }
  }

  private static let terminators: [StaticString] = ["FRONTBOARD", "SPRINGBOARD", "RUNNINGBOARD"]
}

// MARK: - Messages

extension Statement {
  /// Reads dyld's lines, also after `dyld:`, `dyld[123]:` and the path of a program.
  private static func linker(_ text: Bytes) -> Statement? {
    let named = text.hasPrefix("dyld") ? text.split(at: UInt8(ascii: ":"))?.after.trimmed ?? text : text
    let tail = named.after("Dyld Error Message: ") ?? named
    for mark in linkerMarks where tail.hasPrefix(mark) { return .linker(tail.string) }
    // The list below `Did find:` of older systems, a file per line.
    if text.first == UInt8(ascii: "/"), let end = text.firstRange(of: ": "),
      imageFaults.contains(where: { text[end.upperBound...].hasPrefix($0) })
    {
      return .linker(text.string)
    }
    guard let late = tail.after("lazy symbol binding failed: ") else { return nil }
    return .linker(late.string)
  }

  private static let imageFaults: [StaticString] = [
    "mach-o, but", "no matching architecture", "code signature", "required code signature",
    "unknown file type",
    "file too short", "mmap() error", "open() failed", "stat() failed", "not a dylib",
  ]

  private static let linkerMarks: [StaticString] = [
    "Library not loaded: ", "Symbol not found: ", "Symbol missing: ", "Referenced from: ", "Expected in: ",
    "Reason: tried: ", "Reason: image not found", "Reason: no suitable image found", "missing symbol called",
  ]

  /// Prefixes of messages that only a crash causes.
  private static let messageMarks: [StaticString] = [
    "Fatal error", "fatal error", "Precondition failed", "Assertion failed", "Assertion failure in ",
    "App Hang", "Fatal App Hang", "*** Assertion failure in ", "Fatal Python error: ",
    "A fatal error has been detected by the Java Runtime", "Native stacktrace:", "Debug check failed: ",
    "fatal runtime error: ", "fatal: morestack on g", "Deno has panicked. ", "A panic occurred in Deno.",
    "Fatal JavaScript invalid size error",
    "BUG IN CLIENT OF ", "BUG IN LIB", "*** -[", "*** +[", "*** error for object", "libc++abi",
    "terminating due to",
    "terminating with", "terminate called", "Could not cast value of type", "SWIFT TASK CONTINUATION MISUSE",
    "Simultaneous accesses to ", "Fatal access conflict", "Previous access (a ", "Invalid update: ",
    "This app has crashed because it attempted to access privacy-sensitive data", "Unhandled Exception",
    "Unhandled exception", "Uncaught Kotlin exception", "panic: ", "signal arrived during cgo execution",
    "Invariant Violation", "Completion handler passed to ", "objc[",
    "AttributeGraph precondition failure", "Killing app because ", "FATAL ERROR: ", "Check failed: ",
    "Modifications to the layout engine must not be performed", "Application tried to ",
    "Please submit a bug report (https://swift.org", "PLEASE submit a bug report to https://github.com/llvm",
    "Fatal process out of memory: ", "# Fatal process out of memory: ", "rosetta error: ",
    "dyld: warning: ",
    "Pushing the same view controller instance", "CoreData: error: ", "CoreData: fault: ",
    "*** multi-threaded process forked", "crashed on child side of fork pre-exec",
  ]

  /// The parts of a message that follow a file's location, a name or an object.
  private static let infixes: [StaticString] = [
    ": Fatal error: ", ": Fatal error", " > Fatal error: ", ": Precondition failed", ": Assertion failed",
    "malloc: *** error for object",
    " panicked at ", "killed by jetsam reason ", "exceeded mem limit: ", ":FATAL:", "[FATAL:",
    // Without a line break after what the program had printed.
    "Fatal Python error: ", "* Assertion at ", "Driver stopped due to error: \"signal: ",
    "): Library not loaded: ", "): Symbol not found: ", "` on a `None` value", "` on an `Err` value",
    "equired condition is false: ",
    "Illegal attempt to ", "Failed to marshal the Objective-C object",
    "The process was terminated for exceeding jetsam memory limits", ": failed assertion `",
    "_ASSERT(", "Incorrect actor executor assumption", "unrecognized selector sent to ",
    "message sent to deallocated instance ", " deallocated with retain count ",
    " deallocated with non-zero retain count ", "Modifying properties of a view's layer off the main thread",
    "was mutated while being enumerated", "Failed to load AOT module '",
    "BUG IN CLIENT OF LIB", ": application requires container but none set",
    "Main Thread Checker: UI API called on a background thread", "must be used from main thread only",
    "this class is not key value coding-compliant",
    "] Fatal error: ", "] Precondition failed", "] Assertion failed", ".swift, line ",
  ]
}

extension CrashReport {
  /// Adds the statement of a line, unless a more specific one is known.
  mutating func take(_ statement: Statement) {
    switch statement {
    case .exception(let name, let reason, let isNamed):
      uncaughtException = UncaughtException(
        name: uncaughtException?.name ?? name, reason: uncaughtException?.reason ?? reason,
        isNamedAlone: isNamed && uncaughtException?.isNamedAlone ?? true)
    case .fault(let type, let signal, let subtype, let codes):
      var fault = exception ?? ExceptionRecord()
      // If the reporter knew no type, it prints the signal's description in its place.
      fault.type = fault.type ?? type ?? signal
      if type != nil { fault.signal = fault.signal ?? signal }
      fault.subtype = fault.subtype ?? subtype
      if fault.codes.isEmpty { fault.codes = codes }
      exception = fault
    case .faultAddress(let address):
      guard let fault = exception, fault.codes.isEmpty, fault.subtype?.contains("0x") != true else { return }
      exception?.subtype = (fault.subtype.map { $0 + " " } ?? "") + "at " + hexadecimal(address)
    case .linker(let text):
      var ended = termination ?? TerminationRecord()
      // The lines below also follow what `dlopen` only tells its caller, and what dyld only warns of.
      if !Self.linkerDetails.contains(where: text.hasPrefix) { ended.namespace = ended.namespace ?? "DYLD" }
      for detail in Self.linkerLines(text)
      where ended.details.count < Self.maximumStated && !ended.details.contains(detail) {
        ended.details.append(detail)
      }
      termination = ended
    case .ended(let name, let code):
      var ended = termination ?? TerminationRecord()
      (ended.namespace, ended.code) = (ended.namespace ?? name, ended.code ?? code)
      termination = ended
    case .message(let text):
      guard applicationSpecificInformation.count < Self.maximumStated,
        !applicationSpecificInformation.contains(text)
      else { return }
      applicationSpecificInformation.append(text)
    }
  }

  private static let linkerDetails = ["Referenced from: ", "Expected in: ", "Reason: ", "/"]

  /// The lines of a message whose line breaks were lost: `Library not loaded: @rpath/A Referenced from: /B Reason: …`.
  private static func linkerLines(_ text: String) -> [String] {
    var lines = [text[...]]
    for detail in linkerDetails.dropLast() {
      guard let last = lines.last, let mark = last.range(of: " " + detail) else { continue }
      lines[lines.count - 1] = last[..<mark.lowerBound]
      lines.append(last[mark.lowerBound...].dropFirst())
    }
    return lines.map(String.init)
  }

  /// The maximum number of statements: a program makes a few when it ends; a log can repeat one endlessly.
  private static let maximumStated = 64
}
