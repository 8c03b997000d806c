internal import CrashReadSystem
private import Glibc

/// A section's bytes, borrowed from the `DwarfHandle` that maps them: valid as long as it lives.
///
/// Every read is bounds-checked; bytes beyond the end read as 0.
@safe
struct ByteView {
  private let start: UnsafePointer<UInt8>?
  let count: Int

  /// A view of no bytes.
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

  /// A part of these bytes, truncated at their end.
  func part(from offset: Int, size: Int) -> ByteView {
    guard offset >= 0, offset < count, size > 0, let start = unsafe start else { return ByteView() }
    return unsafe ByteView(UnsafeRawBufferPointer(start: start + offset, count: min(size, count - offset)))
  }

  /// The maximum length of a name in bytes. Without a limit, each of a million names could be the rest of the file.
  static let maximumStringLength = 1 << 16

  /// A C string, with invalid UTF-8 replaced; it ends with the view at the latest. One longer than the maximum is
  /// truncated, and ends with `…`.
  func string(at offset: Int) -> String {
    guard offset >= 0, offset < count, let start = unsafe start else { return "" }
    let bytes = unsafe UnsafeBufferPointer(
      start: start + offset, count: min(count - offset, Self.maximumStringLength))
    let length = unsafe strnlen(
      UnsafeRawPointer(start + offset).assumingMemoryBound(to: CChar.self), bytes.count)
    let text = unsafe String(decoding: bytes.prefix(length), as: UTF8.self)
    return length < Self.maximumStringLength ? text : text + "…"
  }

  /// The text in a range, with invalid UTF-8 replaced; one longer than the maximum is truncated, and ends with `…`.
  func text(_ range: Range<Int>) -> String {
    let bytes = part(from: range.lowerBound, size: min(range.count, Self.maximumStringLength))
    let text = unsafe bytes.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return range.count < Self.maximumStringLength ? text : text + "…"
  }

  /// The end of the line that contains an offset: the next line feed, or the end of the bytes. The C function is
  /// `memchr`.
  func endOfLine(from offset: Int) -> Int {
    guard offset >= 0, offset < count, let start = unsafe start,
      let found = unsafe memchr(start + offset, 0x0a, count - offset)
    else { return count }
    return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }

  /// Passes the bytes to a C function.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A pointer to the bytes; any valid pointer when there are none.
  fileprivate var pointer: UnsafePointer<UInt8> {
    unsafe start ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
  }
}

/// Reads forward through a part of a section. Beyond its end it reads zeros and doesn't advance.
///
/// The walk over a unit's entries spends most of its time here, hence the two raw pointers.
@safe
struct ByteCursor {
  private let start: UnsafePointer<UInt8>
  private var current: UnsafePointer<UInt8>
  private let limit: UnsafePointer<UInt8>

  /// Reads from `offset` to `end`, both in bytes from the view's start and limited to its size.
  init(_ bytes: ByteView, at offset: Int, end: Int) {
    let end = max(0, min(end, bytes.count))
    unsafe start = bytes.pointer
    unsafe limit = start + end
    unsafe current = start + max(0, min(offset, end))
  }

  /// The offset of the next read, in bytes from the view's start.
  @inline(__always)
  var offset: Int { unsafe current - start }

  /// The offset at which reading ends, in bytes from the view's start.
  var end: Int { unsafe limit - start }

  /// Bytes left until the end.
  @inline(__always)
  var remaining: Int { unsafe limit - current }

  @inline(__always)
  var isAtEnd: Bool { unsafe current >= limit }

  /// Moves to an offset from the view's start, limited to the end.
  mutating func move(to offset: Int) { unsafe current = start + max(0, min(offset, end)) }

  @inline(__always)
  mutating func skip(_ size: Int) {
    if size < remaining, size >= 0 { unsafe current += size } else { unsafe current = limit }
  }

  /// Skips a number of bytes that was read from the file, and may be larger than the rest.
  @inline(__always)
  mutating func skip(_ size: UInt64) { skip(size < UInt64(remaining) ? Int(size) : remaining) }

  /// Moves just after the next zero byte.
  mutating func skipString() {
    while unsafe !isAtEnd && current.pointee != 0 { unsafe current += 1 }
    skip(1)
  }

  @inline(__always)
  mutating func byte() -> UInt8 {
    if isAtEnd { return 0 }
    defer { unsafe current += 1 }
    return unsafe current.pointee
  }

  /// A little-endian integer of 1 to 8 bytes.
  @inline(__always)
  mutating func integer(size: Int) -> UInt64 {
    guard size <= remaining else {
      unsafe current = limit
      return 0
    }
    var value: UInt64 = 0
    for index in 0..<size { value |= UInt64(unsafe current[index]) << UInt64(8 &* index) }
    unsafe current += size
    return value
  }

  /// Reads the length at the start of a unit (DWARF 5, section 7.2.2), and with it the size of the unit's offsets: 4,
  /// or 8 in 64-bit DWARF.
  ///
  /// - Returns: Nil when the unit is longer than the remaining bytes.
  mutating func unitLength() -> (length: Int, offsetSize: Int)? {
    var length = integer(size: 4)
    var offsetSize = 4
    if length == 0xffff_ffff {
      length = integer(size: 8)
      offsetSize = 8
    }
    return length <= UInt64(remaining) ? (Int(length), offsetSize) : nil
  }

  /// Reads an unsigned LEB128 number (DWARF 5, section 7.6); bits beyond 64 are lost.
  @inline(__always)
  mutating func uleb() -> UInt64 {
    if !isAtEnd, unsafe current.pointee < 0x80 {
      let value = unsafe UInt64(current.pointee)
      unsafe current += 1
      return value
    }
    return longULEB()
  }

  private mutating func longULEB() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while !isAtEnd {
      let byte = unsafe current.pointee
      unsafe current += 1
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      shift += 7
      if byte < 0x80 { break }
    }
    return value
  }

  /// Reads a signed LEB128 number.
  @inline(__always)
  mutating func sleb() -> Int64 {
    if !isAtEnd, unsafe current.pointee < 0x80 {
      let value = unsafe Int64(Int8(bitPattern: current.pointee << 1) >> 1)
      unsafe current += 1
      return value
    }
    return longSLEB()
  }

  private mutating func longSLEB() -> Int64 {
    let begin = unsafe current
    var value = Int64(bitPattern: uleb())
    let bits = unsafe 7 * (current - begin)
    if bits > 0, bits < 64, unsafe current[-1] & 0x40 != 0 { value |= -1 << Int64(bits) }
    return value
  }
}

extension MappedFile {
  /// Maps a debug file.
  /// - Throws: `DebugFileError.system` when the path isn't a regular file with bytes in it, or can't be read.
  static func debugFile(_ path: String, headSize: Int = 0) throws(DebugFileError) -> MappedFile {
    try DebugFileError.wrap { () throws(SystemError) in try MappedFile(path: path, headSize: headSize) }
  }

  /// The file's bytes. Valid as long as this value lives.
  var view: ByteView { unsafe ByteView(UnsafeRawBufferPointer(rebasing: block[headSize...])) }
}
