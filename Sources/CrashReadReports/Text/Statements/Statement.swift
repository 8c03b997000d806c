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
    for mark: StaticString in [
      " with ", " due to ", " with an ", " with a ", " hit a ", " hit an ", " shows ",
    ] {
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
    for bullet: StaticString in ["•", "‣", "◦", "– "] { text = text.after(bullet)?.trimmedStart ?? text }
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
  static func withoutLogPrefix(_ text: Bytes) -> Bytes {
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
  static func unrecognized(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
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
    if isFailedCheck(text) || messageMarks.contains(where: { text.hasPrefix($0) }) {
      return .message(text.string)
    }
    return statesInside(text, pairs) ? .message((quotedMessage(text, pairs) ?? text).string) : nil
  }

  /// The message that a sentence quotes as code: `It ended with `Shop/Cart.swift:16: Fatal error: empty cart`.`; nil for one
  /// without such marks.
  private static func quotedMessage(_ text: Bytes, _ pairs: PairFilter) -> Bytes? {
    let tick = UInt8(ascii: "`")
    guard let mark = text.firstRange(of: ": Fatal error", pairs),
      let open = text[..<mark.lowerBound].lastIndex(of: tick), open > text.startIndex
    else { return nil }
    return text[(open + 1)...].prefix { $0 != tick }
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

  static func unquoted(_ text: Bytes) -> String? {
    var text = text.trimmed
    for quote in [UInt8(ascii: "\""), UInt8(ascii: "'")] where text.count > 1 && text.first == quote {
      // `'https' is handled natively` quotes its first word only.
      if text.last != quote, text.dropFirst().contains(quote) { continue }
      text = text.last == quote ? text.dropFirst().dropLast() : text.dropFirst()
    }
    return text.nonEmptyString
  }
}
