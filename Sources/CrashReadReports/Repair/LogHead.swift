internal import CrashReadCore

/// What the system's logs put before a line that a process wrote: `Moon[356:19718] critical: `, `Jul 15 16:51:29
/// Mias-iPad Moon[2233] <Warning>: `.
///
/// Old iOS systems wrote whole reports to the log, as `ReportCrash`; runtimes still write their stacks to it.
struct LogHead {
  /// The process's name and number.
  let owner: Bytes
  let rest: Bytes

  /// Whether it is the process that writes crash reports.
  var isReporter: Bool { owner.hasPrefix("ReportCrash[") }

  private static let maximumName = 64

  /// Reads a line; nil when it has no such head. After a time, a colon may follow the number, as in `syslog`'s lines.
  init?(_ line: Bytes) {
    let line = Self.withoutRow(line)
    let stamped = Self.afterStamp(line)
    let text = stamped ?? line
    guard text.first?.isLetter ?? false,
      let open = text.prefix(Self.maximumName).firstIndex(of: UInt8(ascii: "["))
    else { return nil }
    let name = text[..<open]
    let number = text[(open + 1)...].prefix { $0.isHexDigit || $0 == UInt8(ascii: ":") }
    guard name.allSatisfy({ $0.isLetterOrDigit || $0.isAny(of: ".-_ ") }), number.first?.isDigit ?? false,
      let after = text[number.endIndex...].after("]")
    else { return nil }
    let isColon = stamped != nil && after.hasPrefix(": ")
    guard after.first?.isBlank ?? true || isColon else { return nil }
    owner = text[...number.endIndex]
    rest = Self.withoutLevel(after.drop { $0 == 0x20 || $0 == UInt8(ascii: ":") })
  }

  /// The line without the mark of Appium's copy of a device's log.
  static func withoutRow(_ line: Bytes) -> Bytes {
    guard let text = line.after("info: [IOS_SYSLOG_ROW ]") ?? line.after("[IOS_SYSLOG_ROW ]") else {
      return line
    }
    return text.drop(atMost: 1, 0x20)
  }

  private static let months: [StaticString] = [
    "Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec ",
  ]

  /// Whether a line begins with `Jul 15 16:51:29 Mias-iPad `.
  static func isStamped(_ line: Bytes) -> Bool { afterStamp(line) != nil }

  /// What follows `Jul 15 16:51:29 Mias-iPad `.
  private static func afterStamp(_ line: Bytes) -> Bytes? {
    guard months.contains(where: { line.hasPrefix($0) }), let (day, tail) = line.dropFirst(4).firstWord(),
      day.count < 3, day.decimalValue != nil, let (time, host) = tail.firstWord(), time.count >= 8,
      time.allSatisfy({ $0.isDigit || $0.isAny(of: ":.") }), let (_, rest) = host.firstWord()
    else { return nil }
    return rest.trimmedStart
  }

  private static let levels: [StaticString] = [
    "<Error>: ", "<Warning>: ", "<Notice>: ", "<Critical>: ", "<Info>: ", "<Debug>: ",
  ]

  /// The text without the log's level, and that of Mono's runtime.
  private static func withoutLevel(_ text: Bytes) -> Bytes {
    let rest = levels.lazy.compactMap { text.after($0) }.first ?? text
    return rest.after("critical: ") ?? rest
  }
}
