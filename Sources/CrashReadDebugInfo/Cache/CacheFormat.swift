/// The layout of a cache file: a debug file's answer for every address, in a form that is read in place.
///
/// A header page; the sections, each starting on a page; the checksums of their pages. Numbers are little-endian: 8
/// bytes in the header, 4 bytes in tables, and LEB128 in records. Addresses are relative to a base in the header.
///
/// Every page has a checksum, which is verified before the page is first used. So a look-up touches and verifies some
/// dozens of pages of a file that may have hundreds of megabytes, and damage is noticed exactly by the look-ups it
/// affects. The header's checksum covers the header, which includes that of the table of checksums, so that the table
/// can be trusted before its first use.
enum CacheFormat {
  static let magic: UInt64 = 0x6863_6163_6461_7263  // "crdacach"
  /// Raised with every change of the layout, or of what is read from debug files: caches of other versions aren't used,
  /// and remain until they are the least recently used.
  static let version: UInt64 = 4
  static let pageSize = 4096

  enum Section: Int, CaseIterable {
    /// The address of the first segment of each block, ascending.
    case blockStarts
    /// The offset of each block in `segments`.
    case blockOffsets
    /// Segments: the answer is the same from an address to the next segment.
    case segments
    /// Nodes: functions, and calls inlined into another node.
    case nodes
    /// For each name the offsets in `strings` of the linkage name and of the source name, 0 for none.
    case names
    /// For each file the offset of its path in `strings`.
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
    /// Of everything before it.
    static let checksum = pageSize - 8
  }

  /// A block: the number of segments, then per segment the distance to the one before shifted over the flags of what
  /// follows, and what differs from the one before. Many small blocks make a look-up read little.
  static let segmentsPerBlock = 32
  /// More bytes than the largest block can have.
  static let largestBlock = 2048
  /// More bytes than the largest node can have.
  static let largestNode = 64

  /// What differs from the previous segment: the fields that follow its distance.
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

  /// No function.
  static let noNode: UInt32 = 0
  /// Not in the cache: the debug file itself must be read.
  static let unknownNode: UInt32 = 1
  /// Where real nodes begin.
  static let firstNode: UInt32 = 2

  /// A node begins with the distance back to the node it is inlined into, or with 0 for a function.
  ///
  /// Of a function flags follow, its name, and its entry if it has one; of a call its name, its file as in segments, and
  /// with a file line and column. Names count from 1; 0 is a function that has none.
  enum FunctionFlag {
    static let hasEntry: UInt64 = 1
    /// DWARF should give its linkage name, but doesn't.
    static let isUnnamed: UInt64 = 2
  }
}

extension UInt64 {
  /// A signed difference with the sign in the lowest bit (zigzag), so that small ones are short.
  init(zigzag value: Int64) { self = UInt64(bitPattern: value << 1 ^ value >> 63) }

  var unzigzagged: Int64 { Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1) }
}

/// A checksum against accidental damage: any change inside 8 aligned bytes, and nearly any other, changes it.
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

/// One step of a lane; different words lead to different states.
@inline(__always)
private func mix(_ lane: inout UInt64, _ word: UInt64) {
  lane = (lane ^ word) &* 0x9e37_79b1_85eb_ca87
  lane = lane << 31 | lane >> 33
}
