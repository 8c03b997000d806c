internal import CrashReadCore

/// The values of "Exception …" and "Termination …" lines.
enum ExceptionSection {
  /// Reads a value whose key is one of this section's; false when it isn't.
  static func read(_ key: String, _ value: Bytes, into draft: inout TextDraft) -> Bool {
    // JSON's objects, pasted from an .ips file, aren't values.
    if value.equals("{"), ["Exception", "Termination"].contains(key) { return true }
    switch key {
    case "Exception Type", "Exception type", "Exception": draft.exception { readType(value, into: &$0) }
    case "Exception Codes", "Exception codes", "Exception Code", "Codes":
      draft.exception { readCodes(value, into: &$0) }
    // Apple's text of an .ips file has the crashed thread's syndrome here, too.
    case "ESR":
      guard let (word, meaning) = value.firstWord(), let syndrome = word.prefixedHexValue else {
        return false
      }
      draft.syndrome = Register(name: "esr", value: syndrome, meaning: meaning.trimmed.nonEmptyString)
    case "Code[0]": draft.exception { readNumberedCodes(value, into: &$0) }
    case "Code[1]": draft.exception { readSecondCode(value, into: &$0) }
    case "Exception Subtype", "Exception subtype": draft.exception { $0.subtype = subtype(value) }
    case "Exception Message": draft.exception { $0.message = value.nonEmptyString }
    case "Exception Note": draft.exception { $0.note = value.nonEmptyString }
    case "Last Exception": draft.report.uncaughtException = uncaught(value)
    case "Exception Reason":
      let name = draft.report.uncaughtException?.name
      draft.report.uncaughtException = UncaughtException(name: name, reason: value.nonEmptyString)
    case "Termination Reason", "Termination": draft.termination { readReason(value, into: &$0) }
    case "Termination Signal": draft.termination { $0.indicator = $0.indicator ?? value.nonEmptyString }
    case "Terminating Process": draft.termination { $0.byProcess = value.nonEmptyString }
    case "Termination Description":
      draft.termination { $0.details += lines(value) }
    default: return false
    }
    return true
  }

  /// The lines of a value. iOS joins the dynamic linker's lines with bars between them; other values have one line.
  private static func lines(_ value: Bytes) -> [String] {
    guard value.hasPrefix("DYLD, ") else { return value.isEmpty ? [] : [value.string] }
    var rest = value
    var lines: [String] = []
    while let bar = rest.firstRange(of: " | ") {
      lines.append(rest[..<bar.lowerBound].string)
      rest = rest[bar.upperBound...]
    }
    return lines + (rest.isEmpty ? [] : [rest.string])
  }

  /// Whether a line has one of this section's keys.
  static func hasKey(_ line: Line) -> Bool {
    guard let (key, value) = line.keyAndValue else { return false }
    var scratch = TextDraft(format: .appleText)
    return read(key, value, into: &scratch)
  }

  /// Reads `EXC_CRASH (SIGABRT)`.
  private static func readType(_ value: Bytes, into exception: inout ExceptionRecord) {
    guard exception.type == nil else { return }
    // Xcode's message, pasted after a heading, and type, signal and code in one line.
    if value.firstRange(of: "(code=") != nil || isSummary(value),
      case .fault(let type, let signal, let subtype, let codes)? = Statement(threadStop: value)
    {
      exception.type = type
      exception.signal = exception.signal ?? signal
      exception.subtype = exception.subtype ?? subtype
      exception.codes = codes
      return
    }
    // `Exception:` followed by a program's own sentence.
    if let (word, rest) = value.firstWord(), !rest.isEmpty, let first = word.first,
      !first.isLetter, !first.isDigit
    {
      exception.message = exception.message ?? value.string
      return
    }
    exception.type = value.nonEmptyString
    guard value.last == UInt8(ascii: ")"), let (type, rest) = value.split(at: UInt8(ascii: "(")) else {
      return
    }
    exception.type = type.trimmed.nonEmptyString
    // PowerPC reports have the number of the type in this position.
    let signal = rest.dropLast()
    if signal.numberValue == nil { exception.signal = signal.nonEmptyString }
  }

  /// Whether the kernel's code, an address or the signal's description follows the type: `EXC_BAD_ACCESS (SIGSEGV)
  /// KERN_INVALID_ADDRESS at 0x10`, `EXC_BREAKPOINT (SIGTRAP), Trace/BPT trap: 5`.
  private static func isSummary(_ value: Bytes) -> Bool {
    guard value.hasPrefix("EXC_") else { return false }
    return ([" KERN_", ") at 0x", "), "] as [StaticString]).contains { value.firstRange(of: $0) != nil }
  }

  /// The subtype in Apple's spelling: Cr4shed writes `KERN_INVALID_ADDRESS: 0x10` for `KERN_INVALID_ADDRESS at 0x10`.
  private static func subtype(_ value: Bytes) -> String? {
    guard value.hasPrefix("KERN_"), let (name, address) = value.split(at: UInt8(ascii: ":")),
      address.trimmed.prefixedHexValue != nil
    else { return value.nonEmptyString }
    return name.string + " at " + address.trimmed.string
  }

  /// Reads `0x1, 0x10`, or text such as `KERN_INVALID_ADDRESS at 0x10`.
  ///
  /// A report can have a line of each kind.
  static func readCodes(_ value: Bytes, into exception: inout ExceptionRecord) {
    let codes = codes(value)
    if codes.isEmpty {
      exception.codesText = exception.codesText ?? value.nonEmptyString
      if let first = value.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") {
        exception.subtype = exception.subtype ?? value.string
      }
    } else {
      exception.codesText = value.string
      exception.codes = codes
    }
  }

  /// Reads numbers separated by commas; empty when the text contains anything else.
  static func codes(_ text: Bytes) -> [UInt64] {
    let codes = text.split(separator: UInt8(ascii: ",")).map { $0.trimmed.numberValue }
    let known = codes.compactMap { $0 }
    return known.count == codes.count ? known : []
  }

  /// Mac OS X 10.1 prints `Code[0]:    0x00000001Code[1]:    0x8fe01280`.
  private static func readNumberedCodes(_ value: Bytes, into exception: inout ExceptionRecord) {
    let second = value.firstRange(of: "Code[1]:")
    exception.codes = value[..<(second?.lowerBound ?? value.endIndex)].trimmed.numberValue.map { [$0] } ?? []
    exception.codes += second.flatMap { value[$0.upperBound...].trimmed.numberValue }.map { [$0] } ?? []
    exception.codesText = value.nonEmptyString
  }

  private static func readSecondCode(_ value: Bytes, into exception: inout ExceptionRecord) {
    exception.codes += value.numberValue.map { [$0] } ?? []
    exception.codesText?.append(", " + value.string)
  }

  /// Reads `Name: reason`.
  private static func uncaught(_ value: Bytes) -> UncaughtException {
    guard let (name, reason) = value.split(at: UInt8(ascii: ":")) else {
      return UncaughtException(name: value.nonEmptyString, reason: nil)
    }
    return UncaughtException(name: name.trimmed.nonEmptyString, reason: reason.trimmed.nonEmptyString)
  }

  /// Reads `Namespace SIGNAL, Code 11 Segmentation fault: 11`; words and punctuation differ by system version.
  static func readReason(_ value: Bytes, into termination: inout TerminationRecord) {
    guard let (name, rest) = (value.after("Namespace ") ?? value).firstWord() else { return }
    termination.namespace = name.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }.nonEmptyString
    let separators: (UInt8) -> Bool = { $0.isBlank || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "]") }
    let text = rest.drop { separators($0) || $0 == UInt8(ascii: "|") }
    var code = text.after("Code ") ?? text
    if code.first == UInt8(ascii: "[") { code = code.dropFirst() }
    let number = code.trimmedStart.prefix { !separators($0) }
    if let value = signedNumber(number) {
      termination.code = value
      termination.indicator =
        code[number.endIndex...].drop(while: separators).trimmed.nonEmptyString ?? termination.indicator
    } else {
      termination.indicator = text.nonEmptyString ?? termination.indicator
    }
  }

  /// Codes are unsigned; some systems print those with the highest bit set as negative numbers.
  private static func signedNumber(_ text: Bytes) -> UInt64? {
    guard text.first == UInt8(ascii: "-") else { return text.numberValue }
    return text.dropFirst().numberValue.map { 0 &- $0 }
  }
}

extension TextDraft {
  fileprivate mutating func exception(_ change: (inout ExceptionRecord) -> Void) {
    // Moved out, so that its lists are uniquely referenced and a change doesn't copy them.
    var record = report.exception.take() ?? ExceptionRecord()
    change(&record)
    report.exception = record
  }

  mutating func termination(_ change: (inout TerminationRecord) -> Void) {
    var record = report.termination.take() ?? TerminationRecord()
    change(&record)
    report.termination = record
  }
}
