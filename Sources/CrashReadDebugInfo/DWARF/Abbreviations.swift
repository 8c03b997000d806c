internal import CCrashReadElfutils
internal import Synchronization

/// The shapes of a unit's entries: a table of `.debug_abbrev` (DWARF 5, section 7.5.3), decoded once.
///
/// An immutable class rather than a struct: entries are visited by the million, and each copy of a struct would retain
/// four arrays.
final class AbbreviationTable {
  struct Shape {
    var tag: UInt16
    var hasChildren: Bool
    /// The indices of `DW_AT_low_pc`, `DW_AT_high_pc`, `DW_AT_ranges` and `DW_AT_sibling` in `attributes`; negative for
    /// none.
    var low: Int32 = -1
    var high: Int32 = -1
    var ranges: Int32 = -1
    var sibling: Int32 = -1
    /// Whether the search for functions must examine such entries: functions with code, and entries whose children may
    /// be skipped.
    var isRead = false
    /// The size of all attributes; negative when it varies.
    var fixedSize: Int32 = 0
    var firstAttribute: Int32
    var attributeCount: Int32 = 0
    var firstStep: Int32
    var stepCount: Int32 = 0
  }

  /// A step over attributes that aren't read; adjacent attributes of fixed size are merged.
  struct Step {
    enum Kind: UInt8 {
      /// A number of bytes.
      case bytes
      case leb
      case string
      /// A length field of a number of bytes, 0 for LEB128, followed by as many bytes as it says.
      case block
      /// An unknown form, whose size is unknown.
      case unknown
    }

    var kind: Kind
    /// The size of the attribute, or of its length field, in bytes.
    var value: Int32
  }

  struct Attribute {
    var name: UInt16
    var form: UInt16
    /// The value of `DW_FORM_implicit_const`.
    var constant: Int64
    /// The step over the value.
    var step: Step
    /// The offset of this value from the entry's first; negative when it varies.
    var offset: Int32
  }

  let shapes: [Shape]
  let attributes: [Attribute]
  let steps: [Step]
  /// Whether all forms are known. If not, libdw reads the unit.
  let isKnown: Bool
  /// By code, if codes count from 1: the size of all attributes of entries that are only skipped. Negative when it
  /// varies, and for shapes that are read. Code 0, the null entry, has no attributes.
  let strides: [Int32]
  /// Indices into `shapes` by code, if codes don't count from 1.
  private let sparse: [UInt64: Int]
  private let isDense: Bool

  /// Reads the table at an offset: at most `limit` shapes and attributes together. A hidden form is treated as unknown.
  init(_ section: ByteView, at offset: Int, encoding: UnitEncoding, limit: Int, hiddenForm: UInt16?) {
    var builder = AbbreviationReader(encoding: encoding, limit: limit, hiddenForm: hiddenForm)
    builder.read(section, at: offset)
    shapes = builder.shapes
    attributes = builder.attributes
    steps = builder.steps
    isKnown = builder.isKnown
    strides = builder.isDense ? [0] + builder.shapes.map { $0.isRead ? -1 : $0.fixedSize } : []
    sparse = builder.sparse
    isDense = builder.isDense
  }

  /// The index of a code's shape in `shapes`; nil when the table has no such code.
  @inline(__always)
  func index(ofCode code: UInt64) -> Int? {
    if isDense { return code &- 1 < UInt64(shapes.count) ? Int(code &- 1) : nil }
    return sparse[code]
  }
}

/// Decodes a table.
private struct AbbreviationReader {
  typealias Shape = AbbreviationTable.Shape
  typealias Step = AbbreviationTable.Step

  let encoding: UnitEncoding
  let limit: Int
  let hiddenForm: UInt16?
  var isKnown = true
  var shapes: [Shape] = []
  var attributes: [AbbreviationTable.Attribute] = []
  var steps: [Step] = []
  var sparse: [UInt64: Int] = [:]
  var isDense = true

  mutating func read(_ section: ByteView, at offset: Int) {
    var cursor = ByteCursor(section, at: offset, end: section.count)
    while !cursor.isAtEnd, shapes.count + attributes.count < limit {
      let code = cursor.uleb()
      if code == 0 { break }
      add(code: code, readShape(&cursor))
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

  private mutating func readShape(_ cursor: inout ByteCursor) -> Shape {
    var shape = Shape(
      tag: UInt16(truncatingIfNeeded: cursor.uleb()), hasChildren: cursor.integer(size: 1) != 0,
      firstAttribute: Int32(clamping: attributes.count), firstStep: Int32(clamping: steps.count))
    while !cursor.isAtEnd, attributes.count < limit {
      let name = UInt16(truncatingIfNeeded: cursor.uleb())
      let form = UInt16(truncatingIfNeeded: cursor.uleb())
      let constant = Int(form) == DW_FORM_implicit_const ? cursor.sleb() : 0
      if name == 0, form == 0 { break }
      let step = form == hiddenForm ? Step(kind: .unknown, value: 0) : encoding.step(over: form)
      if step.kind == .unknown { isKnown = false }
      shape.note(name, at: Int32(clamping: attributes.count))
      attributes.append(
        .init(name: name, form: form, constant: constant, step: step, offset: shape.fixedSize))
      append(step, after: Int(shape.firstStep))
      let size = step.kind == .bytes && shape.fixedSize >= 0 && shape.fixedSize < 1 << 24 ? step.value : -1
      shape.fixedSize = size < 0 ? -1 : shape.fixedSize + size
    }
    shape.attributeCount = Int32(clamping: attributes.count) - shape.firstAttribute
    shape.stepCount = Int32(clamping: steps.count) - shape.firstStep
    shape.isRead = Int(shape.tag) == DW_TAG_subprogram ? shape.hasCode || shape.hasSibling : shape.isSkipped
    return shape
  }

  /// Adds a step, or extends the previous one.
  private mutating func append(_ step: Step, after start: Int) {
    let last = steps.count - 1
    if step.kind == .bytes, last >= start, steps[last].kind == .bytes, steps[last].value < 1 << 24 {
      steps[last].value += step.value
    } else {
      steps.append(step)
    }
  }
}

extension AbbreviationTable.Shape {
  /// Whether such entries can have code.
  var hasCode: Bool { low >= 0 || ranges >= 0 }
  var hasSibling: Bool { sibling >= 0 }

  fileprivate mutating func note(_ name: UInt16, at index: Int32) {
    switch Int(name) {
    case DW_AT_low_pc: low = index
    case DW_AT_high_pc: high = index
    case DW_AT_ranges: ranges = index
    case DW_AT_sibling: sibling = index
    default: break
    }
  }

  /// Whether the children of such an entry can't be functions, and it has a reference to its next sibling.
  var isSkipped: Bool {
    switch Int(tag) {
    case DW_TAG_enumeration_type, DW_TAG_subroutine_type, DW_TAG_array_type: hasSibling
    default: false
    }
  }
}

/// The properties of a unit that determine the size of its attributes.
struct UnitEncoding: Hashable {
  var version: Int
  var addressSize: Int
  /// 4, or 8 in 64-bit DWARF.
  var offsetSize: Int

  /// The size of a form's values in bytes (DWARF 5, section 7.5.6); negative when it varies.
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

  /// How to skip a value of a form.
  func step(over form: UInt16) -> AbbreviationTable.Step {
    let size = size(of: form)
    if size >= 0 { return .init(kind: .bytes, value: Int32(size)) }
    switch Int(form) {
    case DW_FORM_string: return .init(kind: .string, value: 0)
    case DW_FORM_block1: return .init(kind: .block, value: 1)
    case DW_FORM_block2: return .init(kind: .block, value: 2)
    case DW_FORM_block4: return .init(kind: .block, value: 4)
    case DW_FORM_block, DW_FORM_exprloc: return .init(kind: .block, value: 0)
    case DW_FORM_sdata, DW_FORM_udata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx, DW_FORM_loclistx,
      DW_FORM_rnglistx, DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index:
      return .init(kind: .leb, value: 0)
    default: return .init(kind: .unknown, value: 0)
    }
  }

  /// Skips the values of a step.
  ///
  /// - Returns: False for an unknown form, whose size is unknown.
  @inline(__always)
  func take(_ step: AbbreviationTable.Step, in cursor: inout ByteCursor) -> Bool {
    switch step.kind {
    case .bytes: cursor.skip(Int(step.value))
    case .leb: _ = cursor.uleb()
    case .block: cursor.skip(step.value == 0 ? cursor.uleb() : cursor.integer(size: Int(step.value)))
    case .string: cursor.skipString()
    case .unknown: return false
    }
    return true
  }
}

/// Abbreviation tables by offset. All units of a dSYM share one, since dsymutil writes one for the whole file.
final class AbbreviationCache {
  private struct Key: Hashable {
    var offset: Int
    var encoding: UnitEncoding
  }

  private let tables = LockedCache<Key, AbbreviationTable>()
  /// The number of shapes and attributes read so far. All tables of a section together have fewer than the section has
  /// bytes, unless units refer to the middle of another unit's table.
  private let size = Mutex(0)
  private static let maximumSize = 1 << 24
  private let hiddenForm: UInt16?

  init(hiddenForm: UInt16? = nil) { self.hiddenForm = hiddenForm }

  func table(at offset: Int, _ encoding: UnitEncoding, in section: ByteView) -> AbbreviationTable {
    tables.value(of: Key(offset: offset, encoding: encoding)) {
      let limit = max(0, min(2 * section.count, Self.maximumSize) - size.withLock { $0 })
      let table = AbbreviationTable(
        section, at: offset, encoding: encoding, limit: limit, hiddenForm: hiddenForm)
      size.withLock { $0 += table.shapes.count + table.attributes.count }
      return table
    }
  }
}
