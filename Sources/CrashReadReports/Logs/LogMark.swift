internal import CrashReadCore

/// What begins in a line of a log, and in which column.
enum LogMark {
  /// The Swift runtime's `*** Program crashed: …`; the column is that of the mark before the two words.
  case swiftCrash(column: Int)
  /// The kind of a Swift crash log in JSON.
  case swiftDocument
  /// A sanitizer's first line, at the tool's name.
  case sanitizer(column: Int)
  /// A frame as sanitizers and LLVM write it, or the title above the frames.
  case moduleFrame
  /// `*** Terminating app due to uncaught exception`.
  case exception(column: Int)
  /// `*** First throw call stack:` without the line that states the exception.
  case throwStack
  /// A frame as `callStackSymbols` writes it.
  case symbols

  /// Examines a line: for words if it contains one of `hints`, and for a frame only where a frame can begin a report.
  init?(_ line: Line, mayContainPhrase: Bool, mayBeFrame: Bool) {
    let phrase = mayContainPhrase || line.text.first == UInt8(ascii: "T") ? Self.inside(line.text) : nil
    guard let mark = phrase ?? (mayBeFrame ? Self.frame(line) : nil) else { return nil }
    self = mark
  }

  /// A part of each word that `inside` looks for: `crashed: `, `*** `, `Sanitizer`, `"crashReport"`, ` error: `.
  static let hints = BytePairs(["d:", "**", "Sa", "hR", " e"])

  private static func inside(_ text: Bytes) -> LogMark? {
    var isPastSanitizer = false
    let bytes = text.span
    for offset in bytes.indices {
      let index = text.startIndex + offset
      let found: LogMark? =
        switch bytes[offset] {
        case UInt8(ascii: "P"): swiftCrash(text, at: index)
        case UInt8(ascii: "*"): exception(text, at: index)
        // Some people copy the line without the asterisks.
        case UInt8(ascii: "T") where index == text.startIndex:
          text.hasPrefix("Terminating app due to uncaught exception '") ? .exception(column: index) : nil
        case UInt8(ascii: "S"): sanitizer(text, at: index, &isPastSanitizer)
        case UInt8(ascii: "\""): text[index...].hasPrefix("\"crashReport\"") ? .swiftDocument : nil
        case UInt8(ascii: "r"): runtimeError(text, at: index)
        default: nil
        }
      if let found { return found }
    }
    return nil
  }

  /// Finds `*** Program crashed: ` or `💣 Program crashed: `.
  private static func swiftCrash(_ text: Bytes, at index: Int) -> LogMark? {
    guard let rest = text[index...].after("Program crashed: "), !rest.hasPrefix("Signal ") else { return nil }
    for sign: StaticString in ["*** ", "💣 "] where text[..<index].hasSuffix(sign) {
      return .swiftCrash(column: index - sign.utf8CodeUnitCount)
    }
    return nil
  }

  private static func exception(_ text: Bytes, at index: Int) -> LogMark? {
    guard let rest = text[index...].after("*** ") else { return nil }
    if rest.hasPrefix("Terminating app due to uncaught exception '") { return .exception(column: index) }
    return rest.hasPrefix("First throw call stack:") ? .throwStack : nil
  }

  /// Recognises a sanitizer's name; only the first `Sanitizer` in a line can belong to one.
  private static func sanitizer(_ text: Bytes, at index: Int, _ isPast: inout Bool) -> LogMark? {
    guard !isPast, text[index...].hasPrefix("Sanitizer") else { return nil }
    isPast = true
    return sanitizerName(in: text).map { .sanitizer(column: $0.lowerBound) }
  }

  private static func runtimeError(_ text: Bytes, at index: Int) -> LogMark? {
    guard text[index...].hasPrefix("runtime error: "), let location = text[..<index].before(": "),
      SanitizerReport.isLocation(location)
    else { return nil }
    return .sanitizer(column: text.startIndex)
  }

  /// Where a sanitizer's first line names the tool: after `ERROR: `, or after `WARNING: ` and `SUMMARY: `, which can be
  /// all that was copied, with a colon after it.
  static func sanitizerName(in text: Bytes) -> Range<Int>? {
    guard let tail = text.firstRange(of: "Sanitizer") else { return nil }
    let start = text[..<tail.lowerBound].lastIndex { !$0.isLetter }.map { $0 + 1 } ?? text.startIndex
    let name = start..<tail.upperBound
    let before = text[..<start]
    if before.hasSuffix("ERROR: ") { return name }
    let isTitle = before.hasSuffix("WARNING: ") || before.hasSuffix("SUMMARY: ")
    return isTitle && text[name.upperBound...].hasPrefix(": ") ? name : nil
  }

  /// Only unambiguous frames count, since nothing else says what they are.
  private static func frame(_ line: Line) -> LogMark? {
    guard let first = line.text.first else { return nil }
    if SanitizerReport.isAccess(line.text) || SanitizerReport.isEarlierEvent(line.text) {
      return .moduleFrame
    }
    if first == UInt8(ascii: "#") || first == UInt8(ascii: "*") {
      return SanitizerFrame(line)?.module == nil ? nil : .moduleFrame
    }
    guard first.isDigit, let frame = FrameLine(line)?.frame, frame.imageName != nil else { return nil }
    let hasOffset = frame.reportedSymbolOffset != nil || frame.imageOffset != nil
    return hasOffset || line.text.firstRange(of: " <redacted> + ") != nil ? .symbols : nil
  }
}
