internal import CrashReadCore

/// A range of the input; its indices are those of the whole input, and nothing is copied.
typealias Bytes = ArraySlice<UInt8>

extension Bytes {
  /// The text, with invalid UTF-8 replaced.
  var string: String { String(decoding: self, as: UTF8.self) }

  /// The text, or nil when there is none.
  var nonEmptyString: String? { isEmpty ? nil : string }

  /// The bytes without blanks at either end.
  var trimmed: Bytes { trimmedStart.trimmedEnd }

  /// The bytes without blanks at the start.
  var trimmedStart: Bytes { self[(startIndex + span.blanksAtStart)...] }

  /// The bytes without blanks at the end.
  var trimmedEnd: Bytes { self[..<(endIndex - span.blanksAtEnd)] }

  /// Whether the bytes begin with a literal. A report's lines are compared with so many literals that none may become a
  /// `String`.
  @inline(__always)
  func hasPrefix(_ prefix: StaticString) -> Bool { span.begins(with: prefix) }

  /// Whether the name of an Objective-C method comes first: `-[Cart open]`, `+[Cart new]`.
  var beginsWithMethod: Bool { hasPrefix("-[") || hasPrefix("+[") }

  func hasSuffix(_ suffix: StaticString) -> Bool {
    let length = suffix.utf8CodeUnitCount
    return length <= count && span.extracting(last: length).begins(with: suffix)
  }

  @inline(__always)
  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasPrefix(text) }

  /// What follows a prefix; nil without that prefix.
  @inline(__always)
  func after(_ prefix: StaticString) -> Bytes? {
    hasPrefix(prefix) ? self[(startIndex + prefix.utf8CodeUnitCount)...] : nil
  }

  /// What precedes a suffix; nil without that suffix.
  func before(_ suffix: StaticString) -> Bytes? {
    hasSuffix(suffix) ? self[..<(endIndex - suffix.utf8CodeUnitCount)] : nil
  }

  /// The longest suffix all of whose bytes satisfy a condition.
  func suffix(while fits: (UInt8) -> Bool) -> Bytes {
    var start = endIndex
    while start > startIndex, fits(self[start - 1]) { start -= 1 }
    return self[start...]
  }

  /// Removes a byte from the start, up to `limit` times.
  func drop(atMost limit: Int, _ byte: UInt8) -> Bytes {
    dropFirst(prefix(limit).prefix { $0 == byte }.count)
  }

  /// The first occurrence of a text; nil when there is none, or the text is empty.
  func firstRange(of text: StaticString) -> Range<Int>? {
    guard let offset = span.firstOffset(of: text) else { return nil }
    return startIndex + offset..<startIndex + offset + text.utf8CodeUnitCount
  }

  /// The first occurrence of a text in a part of the bytes that `pairs` were made of, for one of many searches.
  func firstRange(of text: StaticString, _ pairs: PairFilter) -> Range<Int>? {
    pairs.mayHold(text) ? firstRange(of: text) : nil
  }

  /// The first occurrence of a byte; nil when there is none.
  func firstPosition(of byte: UInt8) -> Int? { span.firstOffset(of: byte).map { startIndex + $0 } }

  /// The last occurrence of a byte; nil when there is none.
  func lastPosition(of byte: UInt8) -> Int? { span.lastOffset(of: byte).map { startIndex + $0 } }

  /// The line that holds a position, without its line end.
  func line(around position: Int) -> Bytes {
    func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
    let start = self[..<position].lastIndex(where: isLineEnd).map { $0 + 1 } ?? startIndex
    return self[start..<(self[position...].firstIndex(where: isLineEnd) ?? endIndex)]
  }

  /// The first run of bytes that aren't blank, and what follows it.
  func firstWord() -> (word: Bytes, rest: Bytes)? {
    guard let range = firstWordRange else { return nil }
    return (self[range], self[range.upperBound...])
  }

  /// Where the first word lies; nil when there is none. For walks over many words: a slice is a reference to count.
  var firstWordRange: Range<Int>? {
    span.firstWord.map { startIndex + $0.lowerBound..<startIndex + $0.upperBound }
  }

  /// The last run of bytes that aren't blank, and what precedes it.
  func lastWord() -> (rest: Bytes, word: Bytes)? {
    guard let range = span.lastWord else { return nil }
    let start = startIndex + range.lowerBound
    return (self[..<start], self[start..<(startIndex + range.upperBound)])
  }

  /// Splits at the first occurrence of a byte, which belongs to neither side; nil when there is none.
  func split(at byte: UInt8) -> (before: Bytes, after: Bytes)? {
    guard let index = firstPosition(of: byte) else { return nil }
    return (self[..<index], self[(index + 1)...])
  }

  /// The value of an unsigned decimal number; nil when it isn't one, or doesn't fit in 64 bits.
  var decimalValue: UInt64? { span.decimalValue }

  /// The contents of parentheses at the end, and what precedes them without blanks; nil when there are none.
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

  /// The value of hexadecimal digits without `0x`; nil for anything else, and when it doesn't fit in 64 bits.
  var hexDigitsValue: UInt64? { span.hexDigitsValue }

  /// The value of the hexadecimal digits at the start; nil when there are none, or it doesn't fit in 64 bits.
  var leadingHexValue: UInt64? { prefix { $0.isHexDigit }.hexDigitsValue }

  /// The value of a number with `0x`; nil for anything else.
  var prefixedHexValue: UInt64? { span.prefixedHexValue }

  /// The value of a number with `0x`, or of a decimal number; nil for anything else.
  var numberValue: UInt64? { span.prefixedHexValue ?? span.decimalValue }

  /// The value of an address: a number with `0x`, or the row of zeros some reports print for a null pointer; nil for
  /// anything else.
  var addressValue: UInt64? { span.addressValue }
}

extension Span<UInt8> {
  /// The number of blanks before the first other byte.
  var blanksAtStart: Int {
    var start = 0
    while start < count, self[start].isBlank { start += 1 }
    return start
  }

  /// The number of blanks after the last other byte.
  var blanksAtEnd: Int {
    var end = count
    while end > 0, self[end - 1].isBlank { end -= 1 }
    return count - end
  }

  /// The offsets of the first run of bytes that aren't blank; nil when there is none.
  var firstWord: Range<Int>? {
    let start = blanksAtStart
    var end = start
    while end < count, !self[end].isBlank { end += 1 }
    return start < end ? start..<end : nil
  }

  /// The offsets of the last run of bytes that aren't blank; nil when there is none.
  var lastWord: Range<Int>? {
    let end = count - blanksAtEnd
    var start = end
    while start > 0, !self[start - 1].isBlank { start -= 1 }
    return start < end ? start..<end : nil
  }

  /// The value of an unsigned decimal number; nil when it isn't one, or doesn't fit in 64 bits.
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

  /// The value of a number with `0x`; nil for anything else.
  var prefixedHexValue: UInt64? {
    begins(with: "0x") || begins(with: "0X") ? extracting(2...).hexDigitsValue : nil
  }

  /// See `Bytes.addressValue`.
  var addressValue: UInt64? {
    if let value = prefixedHexValue { return value }
    return count >= 16 && indices.allSatisfy { self[$0] == 0x30 } ? 0 : nil
  }
}
