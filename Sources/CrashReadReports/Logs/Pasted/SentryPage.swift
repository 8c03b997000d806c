internal import CrashReadCore

/// Reads an event as Sentry's pages copy it in Markdown (getsentry/sentry, static/app/views/issueDetails/hooks,
/// `formatEventToMarkdown`): `**Type:** NSRangeException`, `**Value:** reason`, and frames with their place in brackets,
/// below some of which lines of source stand.
struct SentryPage {
  private var type: Bytes?
  /// Whether the last line that was read is a frame or a line of source below it.
  private var isInFrames = false

  /// What a line of the page holds.
  enum Part {
    case frame
    /// None of a line of source.
    case statements([Statement])
  }

  /// Reads a line; nil when it is none of the page's.
  mutating func read(_ line: Line) -> Part? {
    if Self.frame(line.text) != nil {
      isInFrames = true
      return .frame
    }
    if line.text.hasSuffix("<-- SUSPECT LINE") { return isInFrames ? .statements([]) : nil }
    isInFrames = false
    if let name = (line.text.after("Type: ") ?? line.text.after("**Type:** "))?.trimmed, Self.isType(name) {
      type = name
      return .statements([])
    }
    guard let type, let value = (line.text.after("Value: ") ?? line.text.after("**Value:** "))?.trimmed else {
      return nil
    }
    self.type = nil
    return .statements(Self.statements(type, value, line))
  }

  private static func isType(_ name: Bytes) -> Bool {
    name.hasPrefix("EXC_") || Statement.isExceptionName(name) || Statement.signalName(name.string) != nil
  }

  private static func statements(_ type: Bytes, _ value: Bytes, _ line: Line) -> [Statement] {
    if Statement.isExceptionName(type) {
      return [.exception(name: type.string, reason: value.string)]
    }
    let isMach = type.hasPrefix("EXC_")
    let fault = Statement.fault(
      type: isMach ? type.string : nil, signal: isMach ? nil : type.string, subtype: nil, codes: [])
    return [Statement(line.with(text: value)), fault].compactMap(\.self)
  }

  /// Reads `function in File.swift [Line 12, column 8] (In app)`: the function and its source; the line may be `null`.
  static func frame(_ text: Bytes) -> (name: Bytes, file: Bytes, line: UInt64?)? {
    guard let rest = text.before(" (In app)") ?? text.before(" (Not in app)"), rest.last == UInt8(ascii: "]"),
      let open = rest.firstRange(of: " [Line"), let mark = lastIn(rest[..<open.lowerBound])
    else { return nil }
    let number = rest[open.upperBound...].after(" ")?.prefix(while: \.isDigit)
    return (rest[..<mark.lowerBound], rest[mark.upperBound..<open.lowerBound], number?.decimalValue)
  }

  /// The last ` in `, which the file follows: names such as `closure in f` contain one, too.
  private static func lastIn(_ text: Bytes) -> Range<Int>? {
    var last: Range<Int>?
    while let next = text[(last?.upperBound ?? text.startIndex)...].firstRange(of: " in ") { last = next }
    return last
  }
}
