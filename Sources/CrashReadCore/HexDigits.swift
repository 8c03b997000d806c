extension UInt64 {
  /// The value of eight hexadecimal digits in either case, the first of them in the lowest byte, as they are loaded from
  /// text; nil when one of the bytes is another character.
  ///
  /// All eight at once and without a branch for each: which digits of an address or a UUID are letters can't be predicted.
  @inlinable
  package var eightHexDigits: UInt32? {
    let lowercase = self | UInt64(repeating: 0x20)
    // In ASCII no sum carries into the next byte; its highest bit says whether a character is at or above a limit.
    let digits = (self &+ UInt64(repeating: 0x80 - 0x30)) & ~(self &+ UInt64(repeating: 0x80 - 0x3a))
    let letters =
      (lowercase &+ UInt64(repeating: 0x80 - 0x61)) & ~(lowercase &+ UInt64(repeating: 0x80 - 0x67))
    guard (digits | letters) & ~self & UInt64(repeating: 0x80) == UInt64(repeating: 0x80) else { return nil }
    let values = (self & UInt64(repeating: 0x0f)) &+ 9 &* (self >> 6 & UInt64(repeating: 1))
    let bytes = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff
    let pairs = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff
    return UInt32(truncatingIfNeeded: pairs | pairs >> 16).byteSwapped
  }
}

extension Span<UInt8> {
  /// The value of hexadecimal digits without `0x`; nil for anything else, and when it doesn't fit in 64 bits.
  package var hexDigitsValue: UInt64? {
    guard count > 0 else { return nil }
    var (value, index): (UInt64, Int) = (0, 0)
    while index + 8 <= count, value >> 32 == 0 {
      guard let digits = word(at: index).eightHexDigits else { return nil }
      value = value << 32 | UInt64(digits)
      index += 8
    }
    while index < count {
      guard let digit = self[index].hexDigitValue, value >> 60 == 0 else { return nil }
      value = value << 4 | UInt64(digit)
      index += 1
    }
    return value
  }

  /// The 32 digits of a UUID, whose dashes stand where Apple prints them; nil for anything else.
  package var uuidDigits: (high: UInt64, low: UInt64)? {
    let dash = UInt8(ascii: "-")
    guard count == 36, self[8] == dash, self[13] == dash, self[18] == dash, self[23] == dash else {
      return nil
    }
    // Groups of 8, 4, 4, 4 and 12 digits. What is loaded of a dash and behind it is shifted out.
    let (second, third) = (word(at: 9) & 0xffff_ffff, word(at: 14) << 32)
    let (fourth, fifth) = (word(at: 19) & 0xffff_ffff, word(at: 24) << 32)
    guard let first = word(at: 0).eightHexDigits, let next = (second | third).eightHexDigits,
      let middle = (fourth | fifth).eightHexDigits, let last = word(at: 28).eightHexDigits
    else { return nil }
    return (UInt64(first) << 32 | UInt64(next), UInt64(middle) << 32 | UInt64(last))
  }

  /// Eight bytes, the first of them in the lowest byte; they must lie inside the span.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    unsafe withUnsafeBytes {
      unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
