/// A read beyond the end of the bytes.
@usableFromInline
package struct TruncationError: Error, Hashable, Sendable {
  /// Where the read began, in bytes from the start.
  package var offset: Int

  /// An error for a read that began at an offset.
  @usableFromInline
  package init(offset: Int) { self.offset = offset }
}

extension [UInt8] {
  /// Appends the bytes of an integer, least significant first.
  @inlinable
  package mutating func append(littleEndian number: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// Its bytes, least significant first.
  @inlinable
  package var littleEndianBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: self)
    return bytes
  }
}

extension Span<UInt8> {
  /// Reads a little-endian integer.
  ///
  /// Assembled byte by byte, which needs no unsafe code. Inlinable, since thousands of headers may be read at once and
  /// generic code isn't specialised across modules otherwise.
  /// - Throws: `TruncationError` when it doesn't lie inside the span.
  @inlinable
  package func integer<T: FixedWidthInteger & UnsignedInteger>(
    _ type: T.Type, at offset: Int
  ) throws(TruncationError) -> T {
    let size = T.bitWidth / 8
    guard offset >= 0, size <= count, offset <= count - size else { throw TruncationError(offset: offset) }
    var value: T = 0
    for index in stride(from: size - 1, through: 0, by: -1) {
      value = value << 8 | T(self[offset + index])
    }
    return value
  }

  /// The text, with invalid UTF-8 replaced.
  package var string: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// A copy.
  package var array: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

  /// Copies `length` bytes.
  /// - Throws: `TruncationError` when they don't all lie inside the span.
  package func bytes(at offset: Int, length: Int) throws(TruncationError) -> [UInt8] {
    guard offset >= 0, length >= 0, length <= count, offset <= count - length else {
      throw TruncationError(offset: offset)
    }
    return extracting(offset..<offset + length).array
  }

  /// Reads a C string that ends with a zero byte or after `maximum` bytes, with invalid UTF-8 replaced.
  /// - Throws: `TruncationError` when it begins outside the span.
  package func string(at offset: Int, maximum: Int = .max) throws(TruncationError) -> String {
    guard offset >= 0, offset < count else { throw TruncationError(offset: offset) }
    var end = offset
    while end < count, end - offset < maximum, self[end] != 0 { end += 1 }
    return String(decoding: try bytes(at: offset, length: end - offset), as: UTF8.self)
  }
}
