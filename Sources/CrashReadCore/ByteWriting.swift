/// Bytes written one after another.
///
/// Unlike an array's, the storage has a single owner, so that an append doesn't check whether it is shared: JSON is written
/// by a million appends a second. Inlinable, since an append takes a few instructions.
@safe
package struct ByteBuffer: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// The number of bytes written.
  @usableFromInline var count = 0

  /// An empty buffer.
  package init() {
    capacity = 1 << 10
    unsafe start = .allocate(capacity: capacity)
  }

  deinit { unsafe start.deallocate() }

  /// Whether nothing was written.
  package var isEmpty: Bool { count == 0 }

  /// What was written, copied.
  package var array: [UInt8] { unsafe Array(UnsafeBufferPointer(start: start, count: count)) }

  /// What was written as text, with invalid UTF-8 replaced.
  package var text: String {
    unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Makes room for more bytes. The capacity is doubled, so that all appends together take linear time.
  @inlinable
  @inline(__always)
  package mutating func reserve(_ additional: Int) {
    if capacity - count < additional { grow(additional) }
  }

  @usableFromInline
  mutating func grow(_ additional: Int) {
    capacity = max(2 * capacity, count + additional)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe larger.moveInitialize(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = larger
  }

  /// Appends a byte.
  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe (start + count).initialize(to: byte)
    count += 1
  }

  /// Appends bytes at once.
  @inlinable
  package mutating func append(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe (start + count).initialize(from: source, count: bytes.count)
    }
    count += bytes.count
  }

  /// Appends a literal.
  @inlinable
  @inline(__always)
  package mutating func append(_ literal: StaticString) {
    let length = literal.utf8CodeUnitCount
    reserve(length)
    unsafe (start + count).initialize(from: literal.utf8Start, count: length)
    count += length
  }

  /// Appends a text in UTF-8.
  @inlinable
  package mutating func append(utf8Of text: String) { append(text.utf8.span) }

  /// Appends a number in decimal, with its sign.
  @inlinable
  package mutating func appendDecimal(_ magnitude: UInt64, isNegative: Bool) {
    if isNegative { append(UInt8(ascii: "-")) }
    var (power, rest) = (UInt64(1), magnitude)
    while magnitude / power >= 10 { power *= 10 }
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power))
      (rest, power) = (rest % power, power / 10)
    }
  }

  /// Appends a number in hexadecimal, without leading zeros.
  @inlinable
  package mutating func appendHexadecimal(_ value: UInt64) {
    appendDigits(of: value, from: max(0, (63 - value.leadingZeroBitCount) / 4))
  }

  /// Appends the hexadecimal digits of a value from one of its 16 digits to the last, which is number 0.
  @inlinable
  package mutating func appendDigits(of value: UInt64, from first: Int, uppercase: Bool = false) {
    reserve(first + 1)
    for digit in 0...first {
      let nibble = UInt8(truncatingIfNeeded: value >> UInt64(4 * (first - digit))) & 15
      unsafe (start + count + digit).initialize(to: UInt8(hexDigitOf: nibble, uppercase: uppercase))
    }
    count += first + 1
  }
}
