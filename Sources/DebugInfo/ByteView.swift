/// A section's bytes, lent by the `DwarfHandle` that maps them: valid as long as it lives.
///
/// Every read is checked; what lies beyond the end reads as 0.
@safe
struct ByteView {
  private let start: UnsafePointer<UInt8>?
  let count: Int

  /// No bytes at all.
  init() {
    unsafe start = nil
    count = 0
  }

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    count = bytes.count
  }

  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    guard offset >= 0, offset < count, let start = unsafe start else { return 0 }
    return unsafe start[offset]
  }

  /// A little-endian integer of 1 to 8 bytes.
  @inline(__always)
  func integer(at offset: Int, size: Int) -> UInt64 {
    guard offset >= 0, size <= 8, offset <= count - size, let start = unsafe start else { return 0 }
    var value: UInt64 = 0
    for index in 0..<size { value |= UInt64(unsafe start[offset &+ index]) << UInt64(8 &* index) }
    return value
  }

  /// Where a C string ends: just behind its zero byte.
  func endOfString(at offset: Int) -> Int {
    var end = offset
    while end < count, byte(at: end) != 0 { end += 1 }
    return min(end + 1, count)
  }
}

/// Reads forward through a part of a section. Past its end it reads zeros and stays at the end.
struct ByteCursor {
  let bytes: ByteView
  var offset: Int
  let end: Int

  /// Reads from `offset` to `end`, both in bytes from the section's start and cut to its size.
  init(_ bytes: ByteView, at offset: Int, end: Int) {
    self.bytes = bytes
    self.end = max(0, min(end, bytes.count))
    self.offset = max(0, min(offset, self.end))
  }

  @inline(__always)
  var isAtEnd: Bool { offset >= end }

  @inline(__always)
  mutating func skip(_ size: Int) {
    offset = size >= 0 && size < end &- offset ? offset &+ size : end
  }

  /// Skips a number of bytes that was read from the file.
  @inline(__always)
  mutating func skip(_ size: UInt64) {
    offset = size < UInt64(end &- offset) ? offset &+ Int(size) : end
  }

  @inline(__always)
  mutating func integer(size: Int) -> UInt64 {
    let value = bytes.integer(at: offset, size: size)
    skip(size)
    return value
  }

  /// Reads an unsigned LEB128 number (DWARF 5, section 7.6); bits beyond 64 are lost.
  @inline(__always)
  mutating func uleb() -> UInt64 {
    let first = bytes.byte(at: offset)
    if first < 0x80, offset < end {
      offset &+= 1
      return UInt64(first)
    }
    return longULEB()
  }

  private mutating func longULEB() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = bytes.byte(at: offset)
      offset += 1
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      shift += 7
      if byte < 0x80 { break }
    }
    return value
  }

  /// Reads a signed LEB128 number.
  mutating func sleb() -> Int64 {
    let start = offset
    var value = Int64(bitPattern: uleb())
    let bits = 7 * (offset - start)
    if bits < 64, offset > start, bytes.byte(at: offset - 1) & 0x40 != 0 { value |= -1 << Int64(bits) }
    return value
  }
}
