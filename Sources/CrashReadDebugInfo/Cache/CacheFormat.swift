/// The layout of a cache file: what a debug file answers for every address, in a form that is read in place.
///
/// A header page; the sections, each from a page's start on; the checksums of their pages. Numbers are little-endian and
/// of 8 bytes in the header, of 4 bytes in tables, and LEB128 in records. Addresses count from a base in the header.
///
/// Every page has a checksum of its own, which is compared before the first byte is read from that page. So a look-up
/// touches and checks some dozens of pages of a file that may have hundreds of megabytes, and damage anywhere is noticed
/// exactly by those it would mislead. The header's own checksum covers the header, which holds that of the table of
/// checksums, so that the table can be trusted before its first use.
enum CacheFormat {
  static let magic: UInt64 = 0x6863_6163_6461_7263  // "crdacach"
  /// To be raised with every change of the layout, and of what is read from debug files: caches of other versions aren't
  /// used, and stay beside this one's until they are the oldest.
  static let version: UInt64 = 3
  static let pageSize = 4096

  enum Section: Int, CaseIterable {
    /// Per block the address of its first segment, ascending.
    case blockStarts
    /// Per block where it begins in `segments`.
    case blockOffsets
    /// Segments: from an address to the next segment the answer is the same.
    case segments
    /// Nodes: functions, and calls inlined into another node.
    case nodes
    /// Per name the offsets in `strings` of the linker's name and of the source's, 0 for none.
    case names
    /// Per file the offset of its path in `strings`.
    case files
    /// The symbol table: per symbol its address, its size (0 for unknown), and the offsets of its name and of its file.
    case symbols
    /// Strings that end with a zero byte.
    case strings
  }

  /// Where the fields of the header are.
  enum Field {
    static let magic = 0
    static let version = 8
    /// Bytes of the whole file.
    static let size = 16
    static let base = 24
    /// Where the table of checksums begins, one of 8 bytes for each page between it and the header.
    static let table = 32
    static let tableChecksum = 40
    /// Offset and size of each section.
    static let sections = 48
    /// The key's size, and the key.
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

  /// What of a segment differs from the one before: the fields that follow its distance.
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
  /// Not in the cache: the debug file itself is to be asked.
  static let unknownNode: UInt32 = 1
  /// Where real nodes begin.
  static let firstNode: UInt32 = 2

  /// A node begins with the distance back to the node it is inlined into, or with 0 for a function.
  ///
  /// Of a function flags follow, its name, and its entry if it has one; of a call its name, its file as in segments, and
  /// with a file line and column. Names count from 1; 0 is a function that has none.
  enum FunctionFlag {
    static let hasEntry: UInt64 = 1
    /// DWARF should give its linkage name and doesn't.
    static let isUnnamed: UInt64 = 2
  }
}

extension UInt64 {
  /// A signed difference with the sign in the lowest bit, so that small ones are small both ways.
  init(zigzag value: Int64) { self = UInt64(bitPattern: value << 1 ^ value >> 63) }

  var unzigzagged: Int64 { Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1) }
}

/// A checksum against damage: any change inside 8 aligned bytes, and nearly any other, changes it.
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

/// One step of a lane; each word leads to another state.
@inline(__always)
private func mix(_ lane: inout UInt64, _ word: UInt64) {
  lane = (lane ^ word) &* 0x9e37_79b1_85eb_ca87
  lane = lane << 31 | lane >> 33
}
