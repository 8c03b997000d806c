/// A range of addresses with the same answer, up to the next segment: the innermost node, and the line.
struct CacheSegment {
  /// Relative to the cache's base.
  var address: UInt32
  /// The innermost function or call, as an offset in `CacheFormat.Section.nodes`.
  var node = CacheFormat.noNode
  /// The file's index plus 1; 0 for no line.
  var file: UInt32 = 0
  var line: UInt64 = 0
  var column: UInt64 = 0

  func hasSameContents(as other: CacheSegment) -> Bool {
    node == other.node && file == other.file && line == other.line && column == other.column
  }

  /// Writes the segment as its differences from the one before.
  func append(after previous: CacheSegment, to bytes: inout [UInt8]) {
    typealias Change = CacheFormat.Change
    var changes: UInt64 = 0
    if node != previous.node { changes |= Change.node }
    if file != previous.file { changes |= Change.file }
    if line != previous.line { changes |= Change.line }
    if column != previous.column { changes |= Change.column }
    bytes.appendULEB(UInt64(address &- previous.address) << Change.bits | changes)
    if node != previous.node { bytes.appendULEB(UInt64(zigzag: Int64(node) - Int64(previous.node))) }
    if file != previous.file { bytes.appendULEB(UInt64(file)) }
    if line != previous.line { bytes.appendULEB(UInt64(zigzag: Int64(bitPattern: line &- previous.line))) }
    if column != previous.column { bytes.appendULEB(column) }
  }

  /// Reads what `append` wrote after the address.
  @inline(__always)
  mutating func apply(_ changes: UInt64, _ cursor: inout ByteCursor) {
    typealias Change = CacheFormat.Change
    if changes & Change.node != 0 {
      node = UInt32(truncatingIfNeeded: Int64(node) &+ cursor.uleb().unzigzagged)
    }
    if changes & Change.file != 0 { file = UInt32(truncatingIfNeeded: cursor.uleb()) }
    if changes & Change.line != 0 { line = line &+ UInt64(bitPattern: cursor.uleb().unzigzagged) }
    if changes & Change.column != 0 { column = cursor.uleb() }
  }
}

extension [UInt8] {
  /// Writes an unsigned LEB128 number.
  @inline(__always)
  mutating func appendULEB(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  mutating func append(_ value: UInt64, size: Int) {
    for index in 0..<size { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }
}
