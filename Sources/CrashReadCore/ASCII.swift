// Classes of ASCII characters; inlinable, since they are asked for each byte of a report.

extension UInt8 {
  /// Blank or TAB.
  @inlinable
  package var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// Blank, TAB, line feed or carriage return.
  @inlinable
  package var isWhitespace: Bool { isBlank || self == 0x0a || self == 0x0d }

  /// `0` to `9`.
  @inlinable
  package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// `A` to `Z`.
  @inlinable
  package var isUppercase: Bool { self >= 0x41 && self <= 0x5a }

  /// `A` to `Z` in either case.
  @inlinable
  package var isLetter: Bool { (self & 0xdf).isUppercase }

  /// A letter or a digit.
  @inlinable
  package var isLetterOrDigit: Bool { isLetter || isDigit }

  /// A digit, or `A` to `F` in either case.
  @inlinable
  package var isHexDigit: Bool { hexDigitValue != nil }

  /// The value of a hexadecimal digit; nil for any other byte.
  @inlinable
  package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether it is one of the bytes of a literal. Once inlined, it compares with constants.
  @inlinable
  @inline(__always)
  package func isAny(of characters: StaticString) -> Bool {
    for index in 0..<characters.utf8CodeUnitCount where unsafe characters.utf8Start[index] == self {
      return true
    }
    return false
  }

  /// The hexadecimal digit of a value below 16.
  @inlinable
  package init(hexDigitOf value: UInt8, uppercase: Bool) {
    self = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: uppercase ? "A" : "a") - 10 + value
  }
}
