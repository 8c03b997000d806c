/// Messages that a narrow field or an assistant broke into lines: their quotation, or the method they begin with, is open.
enum WrappedMessage {
  static let maximumLines = 3

  /// Whether a message in the line ends on a later one.
  static func isOpen(_ text: Bytes) -> Bool {
    if let said = text.firstRange(of: "failed assertion `") {
      return !text[said.upperBound...].contains { "'`".utf8.contains($0) }
    }
    if let name = text.firstRange(of: "ncaught exception '") { return isOpenException(text[name.upperBound...]) }
    return endsInMethod(text)
  }

  /// What can follow: no frame, no heading, no other message.
  static func canContinue(_ text: Bytes) -> Bool {
    guard let first = text.first, !"*(#[{|".utf8.contains(first) else { return false }
    if first.isDigit, text.drop(while: \.isDigit).first?.isBlank ?? true { return false }
    return !["Thread ", "Last Exception", "Exception ", "libc++abi", "frame #"].contains { text.hasPrefix($0) }
  }

  private static func isOpenException(_ text: Bytes) -> Bool {
    guard let reason = text.firstRange(of: "reason: '") else { return text.last == UInt8(ascii: ",") }
    return text[reason.upperBound...].last != UInt8(ascii: "'")
  }

  /// `'-[AGXG14FamilyCommandBuffer`, the selector being on the next line.
  private static func endsInMethod(_ text: Bytes) -> Bool {
    guard let open = text.firstRange(of: "-[") ?? text.firstRange(of: "+["),
      case let name = text[open.upperBound...], !name.isEmpty, !name.contains(UInt8(ascii: "]")),
      name.allSatisfy({ $0.isLetter || $0.isDigit || "_.".utf8.contains($0) })
    else { return false }
    return open.lowerBound == text.startIndex || "' `".utf8.contains(text[open.lowerBound - 1])
  }
}
