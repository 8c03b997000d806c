internal import BinaryIdentity
internal import CElfutils

/// Finds *which* entries of a unit cover an address, over the section's bytes.
///
/// Only that is done here; what the entries say is read through libdw. The search visits every entry of a unit, and
/// libdw pays a look-up under a lock for each: going over the bytes with sizes worked out once is six times as fast.
/// `LibdwWalk` does the same through libdw, and is what this walk is tested against.
struct EntryWalk: FunctionSearch {
  let info: ByteView
  let addresses: ByteView
  let unit: UnitHeader
  let shapes: AbbreviationTable
  /// `DW_AT_addr_base`: where the unit's part of `.debug_addr` begins.
  let addressBase: Int
  /// Calls the second argument with each range of the entry at an offset: range lists are read through libdw.
  let forEachListedRange: (_ entry: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void) -> Void

  /// Where an entry's code is, as its attributes say it.
  private enum Code {
    case none
    case range(low: UInt64, high: UInt64)
    /// `DW_AT_ranges`.
    case listed
  }

  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void) {
    var cursor = ByteCursor(info, at: unit.root, end: unit.end)
    unsafe shapes.shapes.withUnsafeBufferPointer { table in
      while !cursor.isAtEnd {
        let entry = cursor.offset
        let code = cursor.uleb()
        if code == 0 { continue }
        guard let index = shapes.index(ofCode: code) else { return }  // damaged: nothing beyond can be read
        if unsafe !table[index].isRead {
          guard skipAttributes(of: unsafe table[index], &cursor) else { return }
        } else if !visit(unsafe table[index], entry, &cursor, skipsBodies, body) {
          return
        }
      }
    }
  }

  /// Reads an entry that is a function, or can be passed over with all below it; false when it is damaged.
  private func visit(
    _ shape: AbbreviationTable.Shape, _ entry: Int, _ cursor: inout ByteCursor, _ skipsBodies: Bool,
    _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void
  ) -> Bool {
    guard let found = readAttributes(of: shape, &cursor) else { return false }
    let isFunction = Int(shape.tag) == DW_TAG_subprogram
    if isFunction { report(found.code, of: entry, body) }
    if shape.hasChildren, !isFunction || skipsBodies, let next = found.sibling, next > cursor.offset {
      cursor.move(to: next)
    }
    return true
  }

  private func report(_ code: Code, of entry: Int, _ body: (Int, UInt64, UInt64) -> Void) {
    switch code {
    case .none: break
    case .range(let low, let high): body(entry, low, high)
    case .listed: forEachListedRange(entry) { body(entry, $0, $1) }
    }
  }

  func inlinedCalls(in function: Int, at address: UInt64) -> [Int] {
    var cursor = ByteCursor(info, at: function, end: unit.end)
    guard let shape = nextShape(&cursor), shape.hasChildren, skipAttributes(of: shape, &cursor) else {
      return []
    }
    var calls: [Int] = []
    var depth = 1  // below the innermost scope that covers the address
    while depth > 0, !cursor.isAtEnd {
      let entry = cursor.offset
      guard let shape = nextShape(&cursor) else {
        if info.byte(at: entry) != 0 { break }  // damaged
        depth -= 1
        continue
      }
      guard depth == 1, isScope(shape), shape.hasCode || shape.hasSibling else {
        guard skipAttributes(of: shape, &cursor) else { break }
        if shape.hasChildren { depth += 1 }
        continue
      }
      guard let found = readAttributes(of: shape, &cursor) else { break }
      if covers(found.code, entry, address) {
        if Int(shape.tag) == DW_TAG_inlined_subroutine { calls.append(entry) }
        if !shape.hasChildren { break }  // nothing beyond can be inside it
      } else if shape.hasChildren {
        if let next = found.sibling, next > cursor.offset {
          cursor.move(to: next)
        } else {
          depth += 1
        }
      }
    }
    return calls
  }

  private func covers(_ code: Code, _ entry: Int, _ address: UInt64) -> Bool {
    switch code {
    case .none: return false
    case .range(let low, let high): return low <= address && address < high
    case .listed:
      var isInside = false
      forEachListedRange(entry) { if $0 <= address, address < $1 { isInside = true } }
      return isInside
    }
  }

  private func isScope(_ shape: AbbreviationTable.Shape) -> Bool {
    switch Int(shape.tag) {
    case DW_TAG_inlined_subroutine, DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block,
      DW_TAG_with_stmt:
      true
    default: false
    }
  }

  /// Reads an entry's code; nil for the null entry that ends a list of siblings, and for a code that has no shape.
  private func nextShape(_ cursor: inout ByteCursor) -> AbbreviationTable.Shape? {
    shapes.index(ofCode: cursor.uleb()).map { shapes.shapes[$0] }
  }

  @inline(__always)
  private func skipAttributes(of shape: AbbreviationTable.Shape, _ cursor: inout ByteCursor) -> Bool {
    if shape.fixedSize >= 0 {
      cursor.skip(Int(shape.fixedSize))
      return true
    }
    return takeSteps(of: shape, &cursor)
  }

  private func takeSteps(of shape: AbbreviationTable.Shape, _ cursor: inout ByteCursor) -> Bool {
    let first = Int(shape.firstStep)
    return unsafe shapes.steps.withUnsafeBufferPointer { steps in
      for index in first..<first + Int(shape.stepCount) {
        guard unsafe unit.encoding.take(steps[index], in: &cursor) else { return false }
      }
      return true
    }
  }

  /// Reads where an entry's code and its next sibling are, and moves behind it; nil when it is damaged.
  private func readAttributes(
    of shape: AbbreviationTable.Shape, _ cursor: inout ByteCursor
  ) -> (code: Code, sibling: Int?)? {
    var low: UInt64?
    var high: UInt64?
    var isHighOffset = false
    var isListed = false
    var sibling: Int?
    let first = Int(shape.firstAttribute)
    for index in first..<first + Int(shape.attributeCount) {
      let attribute = shapes.attributes[index]
      var value = cursor
      guard unit.encoding.take(unit.encoding.step(over: attribute.form), in: &cursor) else { return nil }
      switch Int(attribute.name) {
      case DW_AT_low_pc: low = readAddress(attribute.form, &value)
      case DW_AT_high_pc:
        isHighOffset = !isAddress(attribute.form)
        high = isHighOffset ? readConstant(attribute, &value) : readAddress(attribute.form, &value)
      case DW_AT_ranges: isListed = true
      case DW_AT_sibling: sibling = readReference(attribute.form, &value)
      default: break
      }
    }
    if isListed { return (.listed, sibling) }
    guard let low, let high else { return (.none, sibling) }
    return (.range(low: low, high: isHighOffset ? low &+ high : high), sibling)
  }

  private func isAddress(_ form: UInt16) -> Bool {
    switch Int(form) {
    case DW_FORM_addr, DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4,
      DW_FORM_GNU_addr_index:
      true
    default: false
    }
  }

  private func readAddress(_ form: UInt16, _ value: inout ByteCursor) -> UInt64? {
    let size = unit.encoding.addressSize
    if Int(form) == DW_FORM_addr { return value.integer(size: size) }
    let fixed = unit.encoding.size(of: form)
    let index = fixed < 0 ? value.uleb() : value.integer(size: fixed)
    let (offset, overflow) = Int(clamping: index).multipliedReportingOverflow(by: size)
    guard isAddress(form), !overflow, offset <= addresses.count - addressBase else { return nil }
    return addresses.integer(at: addressBase + offset, size: size)
  }

  private func readConstant(_ attribute: AbbreviationTable.Attribute, _ value: inout ByteCursor) -> UInt64? {
    switch Int(attribute.form) {
    case DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8:
      value.integer(size: unit.encoding.size(of: attribute.form))
    case DW_FORM_udata: value.uleb()
    case DW_FORM_sdata: UInt64(bitPattern: value.sleb())
    case DW_FORM_implicit_const: UInt64(bitPattern: attribute.constant)
    default: nil
    }
  }

  /// A reference inside the unit, as an offset in the section.
  private func readReference(_ form: UInt16, _ value: inout ByteCursor) -> Int? {
    switch Int(form) {
    case DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8:
      let (offset, overflow) = Int(clamping: value.integer(size: unit.encoding.size(of: form)))
        .addingReportingOverflow(unit.offset)
      return overflow ? nil : offset
    case DW_FORM_ref_udata:
      let (offset, overflow) = Int(clamping: value.uleb()).addingReportingOverflow(unit.offset)
      return overflow ? nil : offset
    default: return nil
    }
  }
}
