internal import CrashReadCore

/// One line of a symbol file in text, read word by word.
struct SymbolRecord {
  private let text: ByteView
  private var position: Int
  private let end: Int

  /// The line that goes on at an offset.
  init(_ text: ByteView, at offset: Int) {
    self.text = text
    position = offset
    end = text.endOfLine(from: offset)
  }

  /// The line behind this one; nil at the end of the text.
  func next() -> SymbolRecord? { end + 1 < text.count ? SymbolRecord(text, at: end + 1) : nil }

  /// Takes a word, if it is the next one.
  mutating func take(_ word: String) -> Bool {
    var rest = self
    let range = rest.wordRange()
    guard range.count == word.utf8.count, zip(range, word.utf8).allSatisfy({ text.byte(at: $0) == $1 }) else {
      return false
    }
    self = rest
    return true
  }

  /// Reads the next word; nil at the end of the line.
  mutating func word() -> String? {
    let range = wordRange()
    return range.isEmpty ? nil : text.text(range)
  }

  /// Reads a word of hexadecimal digits; nil when it is none, or doesn't fit in 64 bits.
  mutating func hexadecimal() -> UInt64? {
    number { value, byte in
      guard let digit = hexDigitValue(byte), value >> 60 == 0 else { return nil }
      return value << 4 | UInt64(digit)
    }
  }

  /// Reads a word of decimal digits; nil when it is none, or is greater than 32 bits.
  mutating func decimal() -> UInt64? {
    number { value, byte in
      guard byte >= 0x30, byte <= 0x39, value <= UInt32.max else { return nil }
      return value * 10 + UInt64(byte - 0x30)
    }
  }

  /// Where the rest of the line stands, without blanks at its ends.
  func rest() -> Range<Int> {
    var (start, end) = (position, end)
    while start < end, text.byte(at: start) == 0x20 { start += 1 }
    while start < end, [0x20, 0x0d].contains(text.byte(at: end - 1)) { end -= 1 }
    return start..<end
  }

  private mutating func number(_ adding: (UInt64, UInt8) -> UInt64?) -> UInt64? {
    let range = wordRange()
    guard !range.isEmpty else { return nil }
    var value: UInt64 = 0
    for offset in range {
      guard let next = adding(value, text.byte(at: offset)) else { return nil }
      value = next
    }
    return value
  }

  private mutating func wordRange() -> Range<Int> {
    while position < end, text.byte(at: position) == 0x20 { position += 1 }
    let start = position
    while position < end, text.byte(at: position) != 0x20, text.byte(at: position) != 0x0d { position += 1 }
    return start..<position
  }
}
