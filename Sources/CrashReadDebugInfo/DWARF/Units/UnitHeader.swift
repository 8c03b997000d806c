internal import CCrashReadElfutils

/// The header of a unit in `.debug_info` (DWARF 5, section 7.5.1). Offsets are relative to the section's start.
struct UnitHeader {
  /// The offset of the header.
  var offset: Int
  /// The offset of the root entry.
  var root: Int
  /// The offset after the unit's last byte.
  var end: Int
  var encoding: UnitEncoding
  /// `DW_UT_…`; `DW_UT_compile` before DWARF 5.
  var type: Int
  /// The offset of the unit's table in `.debug_abbrev`.
  var abbreviations: Int
  /// The identifier shared by a skeleton unit and its split unit; nil for others, and before DWARF 5.
  var splitID: UInt64?

  /// Reads all headers, up to the first that is damaged.
  static func all(in info: ByteView) -> [UnitHeader] {
    var headers: [UnitHeader] = []
    var offset = 0
    while let header = UnitHeader(info, at: offset) {
      headers.append(header)
      offset = header.end
    }
    return headers
  }

  private init?(_ info: ByteView, at offset: Int) {
    var cursor = ByteCursor(info, at: offset, end: info.count)
    guard let (length, offsetSize) = cursor.unitLength(), length >= 7 else { return nil }
    self.offset = offset
    end = cursor.offset + length
    let version = Int(cursor.integer(size: 2))
    var addressSize = 0
    type = DW_UT_compile
    if version >= 5 {
      type = Int(cursor.integer(size: 1))
      addressSize = Int(cursor.integer(size: 1))
      abbreviations = Int(clamping: cursor.integer(size: offsetSize))
      switch type {
      case DW_UT_type, DW_UT_split_type: cursor.skip(8 + offsetSize)
      case DW_UT_skeleton, DW_UT_split_compile: splitID = cursor.integer(size: 8)
      default: break
      }
    } else {
      abbreviations = Int(clamping: cursor.integer(size: offsetSize))
      addressSize = Int(cursor.integer(size: 1))
    }
    encoding = UnitEncoding(version: version, addressSize: addressSize, offsetSize: offsetSize)
    root = cursor.offset
  }

  /// Whether it is a split unit; before DWARF 5 any unit of such a file may be.
  var isSplit: Bool { type == DW_UT_split_compile || encoding.version < 5 }

  /// Whether the unit can contain code: it isn't a type or partial unit, and has more than a header, unlike some units
  /// in real dSYMs.
  var canHoldCode: Bool { isReadable && (type == DW_UT_compile || type == DW_UT_skeleton) && root < end }

  /// Whether its version is supported.
  var isReadable: Bool {
    (2...5).contains(encoding.version) && (1...8).contains(encoding.addressSize)
  }
}
