internal import CrashReadCore

/// A stretch of the input; its indices are those of the whole input, and it copies nothing.
typealias Bytes = ArraySlice<UInt8>

extension UInt8 {
  /// Blank or TAB.
  var isBlank: Bool { self == 0x20 || self == 0x09 }
  /// `0` to `9`.
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// `A` to `Z` in either case.
  var isLetter: Bool { (0x41...0x5a).contains(self & 0xdf) }
  /// Blank, TAB, line feed or carriage return.
  var isWhitespace: Bool { isBlank || self == 0x0a || self == 0x0d }
}

extension Bytes {
  /// The text, with invalid UTF-8 replaced.
  var string: String { String(decoding: self, as: UTF8.self) }

  /// The text, or nil when there is none.
  var nonEmptyString: String? { isEmpty ? nil : string }

  /// Without blanks at both ends.
  var trimmed: Bytes { trimmedStart.trimmedEnd }

  /// Without blanks at the start.
  var trimmedStart: Bytes {
    var start = startIndex
    while start < endIndex, self[start].isBlank { start += 1 }
    return self[start...]
  }

  /// Without blanks at the end.
  var trimmedEnd: Bytes {
    var end = endIndex
    while end > startIndex, self[end - 1].isBlank { end -= 1 }
    return self[..<end]
  }

  func hasPrefix(_ prefix: String) -> Bool { span.begins(with: prefix.utf8.span) }

  func hasSuffix(_ suffix: String) -> Bool { self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

  func equals(_ text: String) -> Bool { elementsEqual(text.utf8) }

  /// What follows a prefix; nil when it isn't there.
  func after(_ prefix: String) -> Bytes? { hasPrefix(prefix) ? dropFirst(prefix.utf8.count) : nil }

  /// What stands before a suffix; nil when it isn't there.
  func before(_ suffix: String) -> Bytes? { hasSuffix(suffix) ? dropLast(suffix.utf8.count) : nil }

  /// The longest end of which all bytes fit.
  func suffix(while fits: (UInt8) -> Bool) -> Bytes {
    var start = endIndex
    while start > startIndex, fits(self[start - 1]) { start -= 1 }
    return self[start...]
  }

  /// Without a byte at the start, as often as it stands there up to a limit.
  func drop(atMost limit: Int, _ byte: UInt8) -> Bytes {
    dropFirst(prefix(limit).prefix { $0 == byte }.count)
  }

  /// Where a text first stands; nil when it doesn't, or when it is empty.
  func firstRange(of text: String) -> Range<Int>? {
    guard let offset = span.firstOffset(of: text.utf8.span) else { return nil }
    return startIndex + offset..<startIndex + offset + text.utf8.count
  }

  /// Where a byte first stands; nil when it doesn't.
  func firstPosition(of byte: UInt8) -> Int? { span.firstOffset(of: byte).map { startIndex + $0 } }

  /// The first run of bytes that aren't blank, and what follows it.
  func firstWord() -> (word: Bytes, rest: Bytes)? {
    let text = trimmedStart
    guard !text.isEmpty else { return nil }
    let end = text.firstIndex { $0.isBlank } ?? text.endIndex
    return (text[..<end], text[end...])
  }

  /// The last run of bytes that aren't blank, and what stands before it.
  func lastWord() -> (rest: Bytes, word: Bytes)? {
    let text = trimmedEnd
    guard !text.isEmpty else { return nil }
    let start = text.lastIndex { $0.isBlank }.map { $0 + 1 } ?? text.startIndex
    return (text[..<start], text[start...])
  }

  /// Splits at the first occurrence of a byte, which belongs to neither side; nil when there is none.
  func split(at byte: UInt8) -> (before: Bytes, after: Bytes)? {
    guard let index = firstPosition(of: byte) else { return nil }
    return (self[..<index], self[(index + 1)...])
  }

  /// The whole as an unsigned decimal number; nil when it isn't one or doesn't fit.
  var decimalValue: UInt64? { span.decimalValue }

  /// The last pair of parentheses, which ends the text, and what stands before it and its blanks; nil when none does.
  func splitAtLastParentheses() -> (before: Bytes, inside: Bytes)? {
    guard last == UInt8(ascii: ")") else { return nil }
    var depth = 0
    for index in indices.reversed() {
      if self[index] == UInt8(ascii: ")") { depth += 1 }
      if self[index] == UInt8(ascii: "(") { depth -= 1 }
      if depth == 0 { return (self[..<index].trimmedEnd, self[(index + 1)...].dropLast()) }
    }
    return nil
  }

  /// The whole as hexadecimal digits without `0x`; nil when it isn't such, or doesn't fit in 64 bits.
  var hexDigitsValue: UInt64? { span.hexDigitsValue }

  /// The whole as a number with `0x`; nil for anything else.
  var prefixedHexValue: UInt64? { (after("0x") ?? after("0X"))?.hexDigitsValue }

  /// The whole as `0x` and digits, or as a decimal number.
  var numberValue: UInt64? { prefixedHexValue ?? decimalValue }

  /// The whole as an address: `0x` and digits, or the row of zeros some reports print for a null pointer.
  var addressValue: UInt64? {
    if let value = prefixedHexValue { return value }
    return count >= 16 && allSatisfy { $0 == 0x30 } ? 0 : nil
  }
}

extension Span<UInt8> {
  /// The text, with invalid UTF-8 replaced.
  var string: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The whole as an unsigned decimal number; nil when it isn't one or doesn't fit.
  var decimalValue: UInt64? {
    guard count > 0 else { return nil }
    var value: UInt64 = 0
    for index in indices {
      let byte = self[index]
      guard byte.isDigit else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  /// The whole as hexadecimal digits without `0x`; nil when it isn't such, or doesn't fit in 64 bits.
  var hexDigitsValue: UInt64? {
    guard count > 0 else { return nil }
    var value: UInt64 = 0
    for index in indices {
      guard let digit = hexDigitValue(self[index]), value >> 60 == 0 else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }
}
