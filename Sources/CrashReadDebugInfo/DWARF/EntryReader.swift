internal import CCrashReadElfutils

/// Reads the entries of one unit and the values of their attributes (DWARF 5, section 7.5) over the sections' bytes.
///
/// After initialisation, only the counters change, and only by the unit's own thread: other threads may use the reader
/// to resolve references.
final class EntryReader {
  let sections: DebugSections
  let unit: UnitHeader
  let shapes: AbbreviationTable
  /// The base address of the unit's range lists.
  private(set) var baseAddress: UInt64 = 0
  /// The start of the unit's part of `.debug_rnglists`: `DW_AT_rnglists_base`.
  private(set) var rangeListsBase: Int
  private var addressBase = 8
  private var stringOffsetsBase: Int
  /// The base of a split unit's offsets in `.debug_ranges`: `DW_AT_GNU_ranges_base`.
  private(set) var rangesBase = 0
  private var splitRangesBase = 0
  /// The number of ranges read in this pass over the unit, or for this function. Entries may share a long list.
  var rangeCount = 0
  /// The maximum of `rangeCount`; no unit has as many.
  var maximumRanges = 1 << 23

  /// A form that only libdw reads, such as a reference to another file.
  struct ForeignForm: Error {
    /// The entry of dwz's alternate file that the attribute refers to; nil for other forms.
    var alternateEntry: Int?
  }

  /// Reads a unit's root entry.
  /// - Parameters:
  ///   - unit: The unit.
  ///   - sections: The sections its entries refer to.
  ///   - skeleton: For a split unit, the unit in the linked file, which has its addresses.
  init(_ unit: UnitHeader, _ sections: DebugSections, skeleton: EntryReader?) {
    self.unit = unit
    self.sections = sections
    shapes = sections.shapes.table(at: unit.abbreviations, unit.encoding, in: sections.abbreviations)
    // The default for a unit that doesn't state it: after the header of the first table.
    let is64Bit = unit.encoding.offsetSize == 8
    rangeListsBase = is64Bit ? 20 : 12
    stringOffsetsBase = unit.encoding.version < 5 ? 0 : is64Bit ? 16 : 8
    if let skeleton {
      addressBase = skeleton.addressBase
      baseAddress = skeleton.baseAddress
      rangesBase = skeleton.splitRangesBase
    }
    readBases()
  }

  private func readBases() {
    var low: (form: UInt16, cursor: ByteCursor)?
    forEachAttribute(of: unit.root) { attribute, value in
      switch Int(attribute.name) {
      case DW_AT_addr_base, DW_AT_GNU_addr_base: addressBase = offset(attribute, &value) ?? addressBase
      case DW_AT_str_offsets_base: stringOffsetsBase = offset(attribute, &value) ?? stringOffsetsBase
      case DW_AT_GNU_ranges_base: splitRangesBase = offset(attribute, &value) ?? 0
      case DW_AT_rnglists_base: rangeListsBase = offset(attribute, &value) ?? rangeListsBase
      case DW_AT_low_pc: low = (attribute.form, value)
      default: break
      }
    }
    // Its form may be an index relative to `addressBase`.
    if var low { baseAddress = address(low.form, &low.cursor) ?? 0 }
  }
}

// MARK: - Entries

extension EntryReader {
  func cursor(at offset: Int) -> ByteCursor { ByteCursor(sections.info, at: offset, end: unit.end) }

  /// Reads an entry's code and returns its shape; nil for the null entry that ends a list of siblings, and for an
  /// undefined code.
  @inline(__always)
  func nextShape(_ cursor: inout ByteCursor) -> AbbreviationTable.Shape? {
    shapes.index(ofCode: cursor.uleb()).map { shapes.shapes[$0] }
  }

  /// Skips all values of an entry; false when one has an unknown form.
  @inline(__always)
  func skipAttributes(of shape: AbbreviationTable.Shape, _ cursor: inout ByteCursor) -> Bool {
    if shape.fixedSize >= 0 {
      cursor.skip(Int(shape.fixedSize))
      return true
    }
    return takeSteps(of: shape, &cursor)
  }

  private func takeSteps(of shape: AbbreviationTable.Shape, _ cursor: inout ByteCursor) -> Bool {
    var index = Int(shape.firstStep)
    let end = index &+ Int(shape.stepCount)
    while index < end {
      guard unit.encoding.take(shapes.steps[index], in: &cursor) else { return false }
      index &+= 1
    }
    return true
  }

  /// Calls `body` with each attribute of an entry and a cursor at its value.
  @inline(__always)
  func forEachAttribute<Failure: Error>(
    of entry: Int, _ body: (AbbreviationTable.Attribute, inout ByteCursor) throws(Failure) -> Void
  ) throws(Failure) {
    var cursor = cursor(at: entry)
    guard let shape = nextShape(&cursor) else { return }
    let first = Int(shape.firstAttribute)
    for index in first..<first + Int(shape.attributeCount) {
      let attribute = shapes.attributes[index]
      var value = cursor
      guard unit.encoding.take(attribute.step, in: &cursor) else { return }
      try body(attribute, &value)
    }
  }

  /// A cursor at the value of one attribute of the entry whose first value is at an offset; nil when there is none.
  @inline(__always)
  private func value(
    _ index: Int32, of shape: AbbreviationTable.Shape, at start: Int
  ) -> (attribute: AbbreviationTable.Attribute, cursor: ByteCursor)? {
    guard index >= 0 else { return nil }
    let attribute = shapes.attributes[Int(index)]
    if attribute.offset >= 0 { return (attribute, cursor(at: start + Int(attribute.offset))) }
    var cursor = cursor(at: start)
    for earlier in shape.firstAttribute..<index {
      guard unit.encoding.take(shapes.attributes[Int(earlier)].step, in: &cursor) else { return nil }
    }
    return (attribute, cursor)
  }

  /// The attributes that state an entry's code ranges.
  enum Code {
    case none
    case range(low: UInt64, high: UInt64)
    /// `DW_AT_ranges`.
    case list(AbbreviationTable.Attribute, ByteCursor)
  }

  /// The code ranges of the entry whose first value is at an offset.
  @inline(__always)
  func code(of shape: AbbreviationTable.Shape, at start: Int) -> Code {
    if let low = value(shape.low, of: shape, at: start), let high = value(shape.high, of: shape, at: start) {
      var (lowCursor, highCursor) = (low.cursor, high.cursor)
      guard let first = address(low.attribute.form, &lowCursor) else { return .none }
      if isAddress(high.attribute.form) {
        return address(high.attribute.form, &highCursor).map { .range(low: first, high: $0) } ?? .none
      }
      return constant(high.attribute, &highCursor).map { .range(low: first, high: first &+ $0) } ?? .none
    }
    return value(shape.ranges, of: shape, at: start).map { .list($0.attribute, $0.cursor) } ?? .none
  }

  /// `DW_AT_sibling` of the entry whose first value is at an offset; nil when there is none.
  @inline(__always)
  func sibling(of shape: AbbreviationTable.Shape, at start: Int) -> Int? {
    guard var found = value(shape.sibling, of: shape, at: start) else { return nil }
    return try? reference(found.attribute.form, &found.cursor)
  }
}

// MARK: - Values

extension EntryReader {
  func isAddress(_ form: UInt16) -> Bool {
    switch Int(form) {
    case DW_FORM_addr, DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
      DW_FORM_GNU_addr_index:
      true
    default: false
    }
  }

  /// An address; nil for a form that isn't one, and for an index beyond the end of `.debug_addr`.
  func address(_ form: UInt16, _ value: inout ByteCursor) -> UInt64? {
    if Int(form) == DW_FORM_addr { return value.integer(size: unit.encoding.addressSize) }
    return isAddress(form) ? address(atIndex: number(form, &value)) : nil
  }

  /// An entry of `.debug_addr`; nil beyond its end.
  func address(atIndex index: UInt64) -> UInt64? {
    entry(index, size: unit.encoding.addressSize, of: sections.addresses, from: addressBase)
  }

  /// An entry of a table of numbers; nil beyond its end.
  func entry(_ index: UInt64, size: Int, of table: ByteView, from base: Int) -> UInt64? {
    let (offset, overflow) = Int(clamping: index).multipliedReportingOverflow(by: size)
    guard !overflow, base >= 0, base <= table.count, offset <= table.count - base - size else { return nil }
    return table.integer(at: base + offset, size: size)
  }

  /// A constant; nil for other forms.
  func constant(_ attribute: AbbreviationTable.Attribute, _ value: inout ByteCursor) -> UInt64? {
    switch Int(attribute.form) {
    case DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8, DW_FORM_udata:
      number(attribute.form, &value)
    case DW_FORM_sdata: UInt64(bitPattern: value.sleb())
    case DW_FORM_implicit_const: UInt64(bitPattern: attribute.constant)
    default: nil
    }
  }

  /// An offset in another section; nil for other forms. DWARF 2 and 3 encode it as a constant.
  func offset(_ attribute: AbbreviationTable.Attribute, _ value: inout ByteCursor) -> Int? {
    if Int(attribute.form) == DW_FORM_sec_offset {
      return Int(clamping: value.integer(size: unit.encoding.offsetSize))
    }
    return constant(attribute, &value).map { Int(clamping: $0) }
  }

  /// The entry of the same file that an attribute refers to, as an offset in `.debug_info`; nil for one outside of it.
  func reference(_ form: UInt16, _ value: inout ByteCursor) throws(ForeignForm) -> Int? {
    switch Int(form) {
    case DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata:
      let (offset, overflow) = Int(clamping: number(form, &value)).addingReportingOverflow(unit.offset)
      return overflow || offset >= unit.end ? nil : offset
    case DW_FORM_ref_addr: return Int(clamping: number(form, &value))
    case DW_FORM_GNU_ref_alt, DW_FORM_ref_sup4, DW_FORM_ref_sup8:
      throw ForeignForm(alternateEntry: Int(clamping: number(form, &value)))
    default: throw ForeignForm()
    }
  }

  /// A string; nil for an offset beyond its section's end.
  func string(_ form: UInt16, _ value: inout ByteCursor) throws(ForeignForm) -> String? {
    switch Int(form) {
    case DW_FORM_string: return sections.info.string(at: value.offset)
    case DW_FORM_strp: return string(number(form, &value), in: sections.strings)
    case DW_FORM_line_strp: return string(number(form, &value), in: sections.lineStrings)
    case DW_FORM_strx, DW_FORM_GNU_str_index, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4:
      let offset = entry(
        number(form, &value), size: unit.encoding.offsetSize, of: sections.stringOffsets,
        from: stringOffsetsBase)
      return offset.flatMap { string($0, in: sections.strings) }
    default: throw ForeignForm()
    }
  }

  private func string(_ offset: UInt64, in section: ByteView) -> String? {
    offset < UInt64(section.count) ? section.string(at: Int(offset)) : nil
  }

  /// An unsigned number of the form's size, or in LEB128 if the form has no size.
  private func number(_ form: UInt16, _ value: inout ByteCursor) -> UInt64 {
    let size = unit.encoding.size(of: form)
    return size < 0 ? value.uleb() : value.integer(size: size)
  }
}
