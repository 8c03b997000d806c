// Inlinable, since JSON is written through these functions, hundreds of thousands of calls for a batch.
extension OutputSpan<UInt8> {
  /// Appends all bytes in one step.
  @inlinable
  package mutating func append(_ bytes: Span<UInt8>) {
    precondition(bytes.count <= freeCapacity)
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard let source = bytes.baseAddress, let start = buffer.baseAddress else { return }
        unsafe (start + count).initialize(from: source, count: bytes.count)
        count += bytes.count
      }
    }
  }

  /// Appends a literal.
  @inlinable
  package mutating func append(_ literal: StaticString) {
    append(unsafe Span(_unsafeStart: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Appends a number in decimal, with its sign: at most 20 digits and a sign.
  @inlinable
  package mutating func appendDecimal(_ magnitude: UInt64, isNegative: Bool = false) {
    if isNegative { append(UInt8(ascii: "-")) }
    var (power, rest) = (UInt64(1), magnitude)
    while magnitude / power >= 10 { power *= 10 }
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power))
      (rest, power) = (rest % power, power / 10)
    }
  }

  /// Appends a number in hexadecimal, without leading zeros: at most 16 digits.
  @inlinable
  package mutating func appendHexadecimal(_ value: UInt64) {
    let digits = max(1, (67 - value.leadingZeroBitCount) / 4)
    for shift in stride(from: 4 * (digits - 1), through: 0, by: -4) {
      append(hexDigit(UInt8(truncatingIfNeeded: value >> shift) & 15))
    }
  }
}
