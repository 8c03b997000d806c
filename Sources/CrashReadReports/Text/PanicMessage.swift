/// The message of a panic, from the line that states it.
struct PanicMessage {
  /// Its first line, without quotation marks and the source file.
  let text: String

  /// Reads `panic(cpu 1 caller 0xffffff7f8903c9cf): "one " "text"@file.cpp:127`; firmware omits parts.
  init(line: Bytes) {
    var message = line.after("Debugger message:")?.trimmed ?? line
    if message.hasPrefix("panic(") || message.hasPrefix("Panic("), let start = message.firstRange(of: "): ") {
      message = message[start.upperBound...]
    }
    message = message.first == UInt8(ascii: "\"") ? Self.unquoted(message) : Self.withoutFile(message)
    // Line breaks are escaped as in the source code.
    if let end = message.firstRange(of: "\\n"), end.lowerBound > message.startIndex {
      message = message[..<end.lowerBound]
    }
    // A quotation inside the message, `nvme: "Command timeout.\n"`, ended behind the line break.
    let isOpen = message.count { $0 == UInt8(ascii: "\"") } == 1
    text = message.trimmed.string + (isOpen ? "\"" : "")
  }

  /// Whether a line contains a complete message, which ends with its source file.
  static func isWhole(_ line: Bytes) -> Bool {
    line.firstRange(of: "\"@") != nil || line.firstRange(of: "\" @") != nil
      || withoutFile(line).endIndex < line.endIndex
  }

  /// Joins adjacent literals, which macros leave, as the compiler does.
  private static func unquoted(_ text: Bytes) -> Bytes {
    let end = ["\"@", "\" @"].lazy.compactMap { text.firstRange(of: $0)?.lowerBound }.first
    var whole = replacing("\" \"", by: [], in: text[..<(end ?? text.endIndex)].dropFirst())
    if end == nil, whole.last == UInt8(ascii: "\"") { whole.removeLast() }
    // Quotation marks inside are escaped as in the source, too.
    return replacing("\\\"", by: [UInt8(ascii: "\"")], in: whole[...])[...]
  }

  /// The text with every occurrence of a literal replaced, in one pass.
  private static func replacing(_ literal: StaticString, by other: [UInt8], in text: Bytes) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text
    while let found = rest.firstRange(of: literal) {
      result += rest[..<found.lowerBound] + other
      rest = rest[found.upperBound...]
    }
    return result + rest
  }

  /// Removes `@file.cpp:127` from the end.
  private static func withoutFile(_ text: Bytes) -> Bytes {
    guard let (rest, word) = text.lastWord(), word.first == UInt8(ascii: "@"),
      let colon = word.lastIndex(of: UInt8(ascii: ":")), word[(colon + 1)...].decimalValue != nil
    else { return text }
    return rest
  }
}
