internal import CCrashReadElfutils
internal import CrashReadCore

/// Reads the functions of one unit through libdw alone. `EntryWalk` is tested against it, and uses it for names in
/// dwz's alternate file.
///
/// `dwarf_getscopes` and `dwarf_addrdie` aren't used: they miss functions inside namespaces and types, and replace
/// callers by the scopes of an inlined function's definition.
@safe
struct LibdwWalk: FunctionSearch {
  let unit: DwarfEntry

  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void) {
    guard let first = unit.firstChild else { return }
    forEachEntry(from: first) { entry, tag in
      if tag == DW_TAG_subprogram {
        let offset = Int(clamping: entry.offset)
        entry.forEachRange { body(offset, $0, $1) }
      }
      return mayHoldFunctions(tag, skipsBodies)
    } leave: {
    }
  }

  /// Visits an entry, its siblings and their children, in the order of the file. `visit` returns whether to enter the
  /// entry; `leave` is called after the last child of an entry that was entered.
  private func forEachEntry(
    from first: DwarfEntry, visit: (_ entry: DwarfEntry, _ tag: Int) -> Bool, leave: () -> Void
  ) {
    // An explicit stack, so that the depth of a damaged tree doesn't become recursion depth. Nil marks the end of
    // children.
    var pending: [DwarfEntry?] = [first]
    var farthest: UInt64 = 0
    while let next = pending.popLast() {
      guard let entry = next else {
        leave()
        continue
      }
      // A `DW_AT_sibling` that points back, or to a child, would make entries be visited repeatedly.
      guard entry.offset > farthest else { continue }
      farthest = entry.offset
      let visitsChildren = visit(entry, entry.tag)
      if let sibling = entry.nextSibling { pending.append(sibling) }
      if visitsChildren, let child = entry.firstChild {
        pending.append(nil)
        pending.append(child)
      }
    }
  }

  /// Whether an entry can contain functions. gcc nests the functions of a lambda in the function that creates it.
  private func mayHoldFunctions(_ tag: Int, _ skipsBodies: Bool) -> Bool {
    switch tag {
    case DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type,
      DW_TAG_interface_type, DW_TAG_variant_part, DW_TAG_variant, DW_TAG_common_block:
      true
    case DW_TAG_subprogram, DW_TAG_lexical_block, DW_TAG_inlined_subroutine: !skipsBodies
    default: false
    }
  }

  func readScopes(of function: Int, into tree: inout ScopeTree) {
    guard let first = unit.entry(at: function)?.firstChild else { return }
    forEachEntry(from: first) { entry, tag in
      guard isScope(tag) else { return false }
      let hasChildren = entry.firstChild != nil
      tree.append(
        Int(clamping: entry.offset), isCall: tag == DW_TAG_inlined_subroutine, hasChildren: hasChildren)
      return hasChildren
    } leave: {
      tree.close()
    }
    tree.closeAll()
  }

  private func isScope(_ tag: Int) -> Bool {
    switch tag {
    case DW_TAG_inlined_subroutine, DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block,
      DW_TAG_with_stmt:
      true
    default: false
    }
  }

  func forEachRange(of entry: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void) {
    unit.entry(at: entry)?.forEachRange(body)
  }

  func inlinedCall(at entry: Int) -> InlinedCall {
    let call = unit.entry(at: entry)
    return InlinedCall(
      function: entry, file: call?.number(DW_AT_call_file), line: call?.number(DW_AT_call_line),
      column: call?.number(DW_AT_call_column))
  }

  func name(of entry: Int) -> FunctionName { name(unit.entry(at: entry)) }

  /// The name of a function that dwz moved out of the file.
  func name(ofAlternate entry: Int) -> FunctionName { name(unit.alternateEntry(at: entry)) }

  private func name(_ entry: DwarfEntry?) -> FunctionName {
    guard let names = entry?.functionNames(), names != (nil, nil) else { return .unknown }
    return FunctionName(linkage: names.linkage, source: names.source)
  }

  func entryAddress(of function: Int) -> LinkedAddress? { unit.entry(at: function)?.entryAddress }
}

/// Reads a unit with an unknown form through libdw, holding the lock: other threads may use libdw for other units.
struct ForeignUnitWalk: FunctionSearch {
  let walk: LibdwWalk
  let lock: Lock

  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void) {
    lock.withLock { walk.forEachFunction(skipsBodies: skipsBodies, body) }
  }

  func readScopes(of function: Int, into tree: inout ScopeTree) {
    lock.withLock { walk.readScopes(of: function, into: &tree) }
  }

  func forEachRange(of entry: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void) {
    lock.withLock { walk.forEachRange(of: entry, body) }
  }

  func inlinedCall(at entry: Int) -> InlinedCall { lock.withLock { walk.inlinedCall(at: entry) } }

  func name(of entry: Int) -> FunctionName { lock.withLock { walk.name(of: entry) } }

  func entryAddress(of function: Int) -> LinkedAddress? { lock.withLock { walk.entryAddress(of: function) } }
}
