internal import CElfutils

/// Finds which entries of a unit cover an address, through libdw alone: for split units (`.dwo`), whose bytes are in
/// another file. It is also what `EntryWalk` is tested against.
///
/// `dwarf_getscopes` and `dwarf_addrdie` are not used: they lose functions inside namespaces and types, and put the
/// scopes of an inlined function's definition in place of its callers.
@safe
struct LibdwWalk: FunctionSearch {
  let unit: DwarfEntry

  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void) {
    // A stack of its own: the depth of a damaged tree must not become the depth of calls.
    var pending: [DwarfEntry] = []
    if let child = unit.firstChild { pending.append(child) }
    while let entry = pending.popLast() {
      let tag = entry.tag
      if tag == DW_TAG_subprogram {
        let offset = Int(clamping: entry.offset)
        entry.forEachRange { body(offset, $0, $1) }
      }
      let child = mayHoldFunctions(tag, skipsBodies) ? entry.firstChild : nil
      // Siblings stand further on; a `DW_AT_sibling` that points back would make the walk endless.
      if let sibling = entry.nextSibling, sibling.offset > entry.offset { pending.append(sibling) }
      if let child { pending.append(child) }
    }
  }

  /// Whether functions can stand below an entry: gcc nests a lambda's inside the function that makes it.
  private func mayHoldFunctions(_ tag: Int, _ skipsBodies: Bool) -> Bool {
    switch tag {
    case DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type,
      DW_TAG_interface_type, DW_TAG_variant_part, DW_TAG_variant, DW_TAG_common_block:
      true
    case DW_TAG_subprogram, DW_TAG_lexical_block, DW_TAG_inlined_subroutine: !skipsBodies
    default: false
    }
  }

  func inlinedCalls(in function: Int, at address: UInt64) -> [Int] {
    guard var scope = unit.entry(at: function) else { return [] }
    var calls: [Int] = []
    // Each step goes one level down. Real code has a few dozen levels; the limit is for damaged files.
    for _ in 0..<1024 {
      guard let inner = innerScope(scope, at: address) else { break }
      scope = inner
      if scope.tag == DW_TAG_inlined_subroutine { calls.append(Int(clamping: scope.offset)) }
    }
    return calls
  }

  /// The child scope that covers an address; nil when none does.
  private func innerScope(_ scope: DwarfEntry, at address: UInt64) -> DwarfEntry? {
    var next = scope.firstChild
    while let child = next {
      switch child.tag {
      case DW_TAG_inlined_subroutine, DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block,
        DW_TAG_with_stmt:
        if child.holds(address) { return child }
      default: break
      }
      next = child.nextSibling.flatMap { $0.offset > child.offset ? $0 : nil }
    }
    return nil
  }
}
