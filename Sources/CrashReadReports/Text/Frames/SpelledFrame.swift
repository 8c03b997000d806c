internal import CrashReadCore

/// Ways in which people and tools write a frame's offset or its repetitions that differ from those of reports.
enum SpelledFrame {
  /// The text with an ordinary offset in place of `objc_release (offset 16)`, `Moon image offset 1402256` and `_xpc_api_misuse+ 64`.
  static func withPlainOffset(_ text: Bytes) -> Bytes {
    if text.last == UInt8(ascii: ")"), let (name, inside) = text.splitAtLastParentheses(),
      let number = inside.after("offset "), number.trimmed.numberValue != nil
    {
      return Bytes(Array(name.trimmed) + Array(" + ".utf8) + Array(number.trimmed))
    }
    if let mark = text.firstRange(of: " image offset "), text[mark.upperBound...].numberValue != nil {
      return Bytes(Array(text[..<mark.lowerBound]) + Array(" + ".utf8) + Array(text[mark.upperBound...]))
    }
    guard text.last?.isHexDigit ?? false, let (rest, word) = text.lastWord(), word.numberValue != nil,
      let name = rest.trimmedEnd.before("+"), let last = name.last, !last.isBlank, last != UInt8(ascii: "+")
    else { return text }
    return Bytes(Array(name) + Array(" + ".utf8) + Array(word))
  }

  /// The frame and the number of its repetitions in `Tide.rise() × 14+`, `Tide.rise() x14` and `Tide.rise() (× 14)`; nil
  /// when none are stated.
  static func repetitions(_ text: Bytes) -> (rest: Bytes, count: Int)? {
    guard let last = text.last, last.isDigit || last.isAny(of: "+)") else { return nil }
    var tail = text
    let isEnclosed = last == UInt8(ascii: ")")
    if isEnclosed { tail = tail.dropLast() }
    if tail.last == UInt8(ascii: "+") { tail = tail.dropLast() }
    let digits = tail.suffix(while: \.isDigit)
    guard digits.count <= 6, let count = digits.decimalValue, count > 1 else { return nil }
    let head = tail[..<digits.startIndex].trimmedEnd
    guard let name = head.before("×") ?? (digits.startIndex == head.endIndex ? head.before(" x") : nil) else {
      return nil
    }
    let rest = (isEnclosed ? name.trimmedEnd.before("(") : name)?.trimmedEnd
    return rest.flatMap { $0.isEmpty ? nil : ($0, Int(count)) }
  }
}
