internal import CCrashReadElfutils
internal import CrashReadCore

/// Reads the functions of one unit over the section's bytes.
///
/// libdw opens and checks every debug file, gives its units, its alternate and split files, and reads what isn't read often:
/// variables, types, locations, names behind references to other files. What each look-up repeats for thousands of
/// entries is read here over the same bytes: entries, inlined calls, lines. libdw would take a lock for a look-up in each
/// entry: through it alone (`lookup --cache off`, medians) 3,000 addresses of a program of 37 MB take 214 ms in place of
/// 141, and 300 of a dSYM of 1.4 MB 17.9 ms in place of 13.0, with the same answers. `LibdwWalk` is that other way: this
/// walk is tested against it, and a unit with a form or a line table with an opcode that isn't known here is read by it.
struct EntryWalk: FunctionSearch {
  let reader: EntryReader
  let units: UnitDirectory
  let libdw: LibdwWalk

  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void) {
    guard reader.unit.end - reader.unit.root <= reader.sections.limits.unitSize else { return }
    reader.rangeCount = 0
    let shapes = reader.shapes
    var cursor = reader.cursor(at: reader.unit.root)
    while !cursor.isAtEnd {
      let entry = cursor.offset
      let code = cursor.uleb()
      if code < UInt64(shapes.strides.count), shapes.strides[Int(code)] >= 0 {
        cursor.skip(Int(shapes.strides[Int(code)]))
        continue
      }
      if code == 0 { continue }
      guard let index = shapes.index(ofCode: code) else { return }  // damaged: the rest can't be read
      let values = cursor.offset
      guard reader.skipAttributes(of: shapes.shapes[index], &cursor) else { return }
      if shapes.shapes[index].isRead {
        visit(shapes.shapes[index], entry, values, &cursor, skipsBodies, body)
      }
    }
  }

  /// Reads an entry that is a function, or can be skipped with its children.
  private func visit(
    _ shape: AbbreviationTable.Shape, _ entry: Int, _ values: Int, _ cursor: inout ByteCursor,
    _ skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void
  ) {
    let isFunction = Int(shape.tag) == DW_TAG_subprogram
    if isFunction { forEachRange(of: shape, at: values) { body(entry, $0, $1) } }
    if !isFunction || skipsBodies { skipChildren(of: shape, values, &cursor) }
  }

  /// Skips the children of an entry, where `DW_AT_sibling` says where they end.
  @discardableResult
  private func skipChildren(
    of shape: AbbreviationTable.Shape, _ values: Int, _ cursor: inout ByteCursor
  ) -> Bool {
    guard shape.hasChildren, let next = reader.sibling(of: shape, at: values), next > cursor.offset else {
      return false
    }
    cursor.move(to: next)
    return true
  }

  private func forEachRange(
    of shape: AbbreviationTable.Shape, at values: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void
  ) {
    switch reader.code(of: shape, at: values) {
    case .none: break
    case .range(let low, let high): body(low, high)
    case .list(let attribute, var cursor): reader.forEachRange(of: attribute, &cursor, body)
    }
  }

  func readScopes(of function: Int, into tree: inout ScopeTree) {
    reader.rangeCount = 0
    var cursor = reader.cursor(at: function)
    guard let shape = reader.nextShape(&cursor), shape.hasChildren,
      reader.skipAttributes(of: shape, &cursor)
    else { return }
    var depth = 1
    var ignoredDepth = Int.max  // the depth of the children of an entry that is skipped
    while depth > 0, !cursor.isAtEnd {
      let entry = cursor.offset
      guard let shape = reader.nextShape(&cursor) else {
        if sectionByte(at: entry) != 0 { break }  // damaged
        if depth < ignoredDepth { tree.close() }
        if depth == ignoredDepth { ignoredDepth = .max }
        depth -= 1
        continue
      }
      let values = cursor.offset
      guard reader.skipAttributes(of: shape, &cursor) else { break }
      if depth < ignoredDepth {
        if isScope(shape) {
          let isCall = Int(shape.tag) == DW_TAG_inlined_subroutine
          tree.append(entry, isCall: isCall, hasChildren: shape.hasChildren)
        } else if shape.hasChildren {
          if skipChildren(of: shape, values, &cursor) { continue }
          ignoredDepth = depth + 1
        }
      }
      if shape.hasChildren { depth += 1 }
    }
    tree.closeAll()
  }

  private func sectionByte(at offset: Int) -> UInt8 { reader.sections.info.byte(at: offset) }

  /// Whether it is a scope with code.
  private func isScope(_ shape: AbbreviationTable.Shape) -> Bool {
    switch Int(shape.tag) {
    case DW_TAG_inlined_subroutine, DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block,
      DW_TAG_with_stmt:
      shape.hasCode
    default: false
    }
  }

  func forEachRange(of entry: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void) {
    var cursor = reader.cursor(at: entry)
    guard let shape = reader.nextShape(&cursor) else { return }
    forEachRange(of: shape, at: cursor.offset, body)
  }
}

// MARK: - Attributes

extension EntryWalk {
  func inlinedCall(at entry: Int) -> InlinedCall {
    var call = InlinedCall(function: entry)
    var isNamed = false
    var function: Int?
    reader.forEachAttribute(of: entry) { attribute, value in
      switch Int(attribute.name) {
      case DW_AT_call_file: call.file = reader.constant(attribute, &value)
      case DW_AT_call_line: call.line = reader.constant(attribute, &value)
      case DW_AT_call_column: call.column = reader.constant(attribute, &value)
      case DW_AT_abstract_origin: function = try? reader.reference(attribute.form, &value)
      case DW_AT_name, DW_AT_linkage_name, DW_AT_MIPS_linkage_name: isNamed = true
      default: break
      }
    }
    if let function, !isNamed { call.function = function }
    return call
  }

  func name(of entry: Int) -> FunctionName {
    do throws(EntryReader.ForeignForm) {
      return try readName(of: entry)
    } catch {
      return units.libdw.withLock {
        error.alternateEntry.map(libdw.name(ofAlternate:)) ?? libdw.name(of: entry)
      }
    }
  }

  private func readName(of entry: Int) throws(EntryReader.ForeignForm) -> FunctionName {
    var entry = entry
    var source: String?
    // Real chains have two or three references; those of a damaged file may form a cycle.
    for _ in 0..<16 {
      let isHere = reader.unit.root <= entry && entry < reader.unit.end
      guard let reader = isHere ? reader : units.reader(at: entry) else { break }
      let own = try reader.names(at: entry)
      source = source ?? own.source
      if let linkage = own.linkage { return FunctionName(linkage: linkage, source: source) }
      guard let next = own.origin else { break }
      entry = next
    }
    return source.map { FunctionName(linkage: nil, source: $0) } ?? .unknown
  }

  func entryAddress(of function: Int) -> LinkedAddress? {
    var low: UInt64?
    var entry: UInt64??
    reader.forEachAttribute(of: function) { attribute, value in
      switch Int(attribute.name) {
      case DW_AT_low_pc: low = reader.address(attribute.form, &value)
      case DW_AT_entry_pc: entry = .some(reader.address(attribute.form, &value))
      default: break
      }
    }
    return (entry ?? low).map { LinkedAddress($0) }
  }
}

extension EntryReader {
  /// The names in an entry itself, and the entry that it is an instance of.
  fileprivate func names(
    at entry: Int
  ) throws(ForeignForm) -> (linkage: String?, source: String?, origin: Int?) {
    var linkage: String?
    var source: String?
    var origin: Int?
    var specification: Int?
    if !shapes.isKnown { throw ForeignForm() }
    try forEachAttribute(of: entry) { (attribute, value) throws(ForeignForm) in
      switch Int(attribute.name) {
      case DW_AT_linkage_name: linkage = try string(attribute.form, &value)
      case DW_AT_MIPS_linkage_name where linkage == nil: linkage = try string(attribute.form, &value)
      case DW_AT_name: source = try string(attribute.form, &value)
      case DW_AT_abstract_origin: origin = try reference(attribute.form, &value)
      case DW_AT_specification: specification = try reference(attribute.form, &value)
      default: break
      }
    }
    return (linkage, source, origin ?? specification)
  }
}
