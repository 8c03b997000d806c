/// The layout of a cache file: a debug file's answer for every address, in a form that is read in place.
///
/// A header page; the sections, each starting on a page; the checksums of their pages. Numbers are little-endian: 8
/// bytes in the header, 4 bytes in tables, and LEB128 in records. Addresses are relative to a base in the header.
///
/// Every page has a checksum, which is verified before the page is first used. So a look-up touches and verifies a few
/// dozen pages of a file that may have hundreds of megabytes, and damage is detected by exactly the look-ups that it
/// affects. The header's checksum also covers that of the table of checksums, so the table can be trusted on first use.
enum CacheFormat {
  static let magic: UInt64 = 0x6863_6163_6461_7263  // "crdacach"
  /// The format's version, raised with every change of the layout, or of what is read from debug files. Caches of other
  /// versions aren't used, and remain until they are the least recently used.
  static let version: UInt64 = 4
  static let pageSize = 4096

  enum Section: Int, CaseIterable {
    /// The address of the first segment of each block, ascending.
    case blockStarts
    /// The offset of each block in `segments`.
    case blockOffsets
    /// Segments; all addresses of a segment have the same answer.
    case segments
    /// Nodes: functions, and calls inlined into another node.
    case nodes
    /// For each name, the offsets in `strings` of the linkage name and of the source name; 0 for none.
    case names
    /// For each file, the offset of its path in `strings`.
    case files
    /// The symbol table: per symbol its address, its size (0 for unknown), and the offsets of its name and of its file.
    case symbols
    /// Null-terminated strings.
    case strings
  }

  /// The offsets of the header's fields.
  enum Field {
    static let magic = 0
    static let version = 8
    /// The size of the file.
    static let size = 16
    static let base = 24
    /// The offset of the table of checksums, one of 8 bytes for each page between it and the header.
    static let table = 32
    static let tableChecksum = 40
    /// Offset and size of each section.
    static let sections = 48
    /// The size of the key, and the key.
    static let keySize = sections + 16 * Section.allCases.count
    static let key = keySize + 8
    /// The checksum of everything before it.
    static let checksum = pageSize - 8
  }

  /// The number of segments in a block. A block has the number of its segments, then for each segment the distance from
  /// the previous one, shifted left over the flags for the fields that follow, and the fields that differ from the
  /// previous one. Small blocks keep the amount that a look-up reads small.
  static let segmentsPerBlock = 32
  /// An upper bound of a block's size in bytes.
  static let maximumBlockSize = 2048
  /// An upper bound of a node's size in bytes.
  static let maximumNodeSize = 64

  /// The fields that differ from the previous segment, and follow its distance.
  enum Change {
    /// The node's offset in `nodes`, as a signed difference.
    static let node: UInt64 = 1
    /// The file: its index plus 1, or 0 for no line.
    static let file: UInt64 = 2
    /// The line, as a signed difference; 0 for none.
    static let line: UInt64 = 4
    /// The column; 0 for none.
    static let column: UInt64 = 8
    static let bits: UInt64 = 4
  }

  /// The node for addresses without a function.
  static let noNode: UInt32 = 0
  /// The node for addresses that aren't in the cache: the debug file itself must be read.
  static let unknownNode: UInt32 = 1
  /// The offset of the first node.
  static let firstNode: UInt32 = 2

  /// A node begins with the distance back to the node it is inlined into, or with 0 for a function.
  ///
  /// A function continues with flags, its name, and its entry if it has one; a call with its name, its file as in
  /// segments, and, if it has a file, line and column. Names count from 1; 0 is a function without a name.
  enum FunctionFlag {
    static let hasEntry: UInt64 = 1
    /// Its linkage name is missing although its language has one.
    static let isUnnamed: UInt64 = 2
  }
}

extension UInt64 {
  /// A signed difference with the sign in the lowest bit (zigzag), so that small ones are short.
  init(zigzag value: Int64) { self = UInt64(bitPattern: value << 1 ^ value >> 63) }

  var unzigzagged: Int64 { Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1) }
}

/// A checksum against accidental damage: any change within 8 aligned bytes, and nearly any other, changes it.
///
/// Four lanes, so that the multiplications overlap: a page takes about half a microsecond.
func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  let prime: UInt64 = 0x9e37_79b1_85eb_ca87
  var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
  var offset = 0
  while offset <= bytes.count - 32 {
    unsafe mix(&lanes.0, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    unsafe mix(&lanes.1, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    unsafe mix(&lanes.2, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
    unsafe mix(&lanes.3, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
    offset += 32
  }
  while offset < bytes.count {
    unsafe mix(&lanes.0, UInt64(bytes[offset]))
    offset += 1
  }
  var sum = UInt64(bytes.count)
  for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
    sum = (sum ^ lane) &* prime
    sum ^= sum >> 29
  }
  return sum
}

/// One step of a lane, which maps different words to different states.
@inline(__always)
private func mix(_ lane: inout UInt64, _ word: UInt64) {
  lane = (lane ^ word) &* 0x9e37_79b1_85eb_ca87
  lane = lane << 31 | lane >> 33
}
