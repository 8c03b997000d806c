internal import CElfutils

/// The shapes of a unit's entries: a table of `.debug_abbrev` (DWARF 5, section 7.5.3), decoded once.
struct AbbreviationTable {
  struct Shape {
    var tag: UInt16
    var hasChildren: Bool
    /// Whether it has `DW_AT_low_pc` or `DW_AT_ranges`.
    var hasCode = false
    /// Whether it has `DW_AT_sibling`.
    var hasSibling = false
    /// Bytes of all attributes together; negative when that differs from entry to entry.
    var fixedSize: Int32 = 0
    var firstAttribute: Int32
    var attributeCount: Int32 = 0
  }

  struct Attribute {
    var name: UInt16
    var form: UInt16
    /// The value of `DW_FORM_implicit_const`.
    var constant: Int64
  }

  private(set) var shapes: [Shape] = []
  private(set) var attributes: [Attribute] = []
  /// Code → index into `shapes`, when codes don't simply count from 1.
  private var sparse: [UInt64: Int] = [:]
  private var isDense = true

  init(_ section: ByteView, at offset: Int, encoding: UnitEncoding) {
    var cursor = ByteCursor(section, at: offset, end: section.count)
    while !cursor.isAtEnd {
      let code = cursor.uleb()
      if code == 0 { break }
      add(code: code, readShape(&cursor, encoding))
    }
  }

  private mutating func add(code: UInt64, _ shape: Shape) {
    if isDense, code != UInt64(shapes.count) + 1 {
      isDense = false
      for index in shapes.indices { sparse[UInt64(index) + 1] = index }
    }
    if !isDense { sparse[code] = shapes.count }
    shapes.append(shape)
  }

  private mutating func readShape(_ cursor: inout ByteCursor, _ encoding: UnitEncoding) -> Shape {
    var shape = Shape(
      tag: UInt16(truncatingIfNeeded: cursor.uleb()), hasChildren: cursor.integer(size: 1) != 0,
      firstAttribute: Int32(clamping: attributes.count))
    while !cursor.isAtEnd {
      let name = UInt16(truncatingIfNeeded: cursor.uleb())
      let form = UInt16(truncatingIfNeeded: cursor.uleb())
      let constant = Int(form) == DW_FORM_implicit_const ? cursor.sleb() : 0
      if name == 0, form == 0 { break }
      attributes.append(Attribute(name: name, form: form, constant: constant))
      shape.attributeCount += 1
      if Int(name) == DW_AT_low_pc || Int(name) == DW_AT_ranges { shape.hasCode = true }
      if Int(name) == DW_AT_sibling { shape.hasSibling = true }
      if shape.fixedSize >= 0 {
        let size = encoding.size(of: form)
        shape.fixedSize = size < 0 || shape.fixedSize > 1 << 20 ? -1 : shape.fixedSize + Int32(size)
      }
    }
    return shape
  }

  /// The index of a code's shape in `shapes`; nil when the table has no such code.
  @inline(__always)
  func index(ofCode code: UInt64) -> Int? {
    if isDense { return code &- 1 < UInt64(shapes.count) ? Int(code &- 1) : nil }
    return sparse[code]
  }
}

/// What decides the size of a unit's attributes.
struct UnitEncoding: Hashable {
  var version: Int
  var addressSize: Int
  /// 4, or 8 in 64-bit DWARF.
  var offsetSize: Int

  /// The size of a form's values in bytes (DWARF 5, section 7.5.6); negative when it differs from value to value.
  func size(of form: UInt16) -> Int {
    switch Int(form) {
    case DW_FORM_flag_present, DW_FORM_implicit_const: 0
    case DW_FORM_data1, DW_FORM_flag, DW_FORM_ref1, DW_FORM_strx1, DW_FORM_addrx1: 1
    case DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2: 2
    case DW_FORM_strx3, DW_FORM_addrx3: 3
    case DW_FORM_data4, DW_FORM_ref4, DW_FORM_strx4, DW_FORM_addrx4, DW_FORM_ref_sup4: 4
    case DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup8: 8
    case DW_FORM_data16: 16
    case DW_FORM_addr: addressSize
    case DW_FORM_ref_addr: version == 2 ? addressSize : offsetSize
    case DW_FORM_strp, DW_FORM_sec_offset, DW_FORM_line_strp, DW_FORM_strp_sup, DW_FORM_GNU_ref_alt,
      DW_FORM_GNU_strp_alt:
      offsetSize
    default: -1
    }
  }

  /// Moves behind one value.
  ///
  /// - Returns: false for a form not known here, whose size nobody can tell.
  func skip(_ form: UInt16, in cursor: inout ByteCursor) -> Bool {
    let size = size(of: form)
    if size >= 0 {
      cursor.skip(size)
      return true
    }
    switch Int(form) {
    case DW_FORM_string: cursor.offset = min(cursor.bytes.endOfString(at: cursor.offset), cursor.end)
    case DW_FORM_block1: cursor.skip(cursor.integer(size: 1))
    case DW_FORM_block2: cursor.skip(cursor.integer(size: 2))
    case DW_FORM_block4: cursor.skip(cursor.integer(size: 4))
    case DW_FORM_block, DW_FORM_exprloc: cursor.skip(cursor.uleb())
    case DW_FORM_sdata, DW_FORM_udata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx, DW_FORM_loclistx,
      DW_FORM_rnglistx, DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index:
      _ = cursor.uleb()
    case DW_FORM_indirect:
      let actual = UInt16(truncatingIfNeeded: cursor.uleb())
      // One level is all that makes sense; more would be a way to recurse without end.
      return Int(actual) != DW_FORM_indirect && skip(actual, in: &cursor)
    default: return false
    }
    return true
  }
}
