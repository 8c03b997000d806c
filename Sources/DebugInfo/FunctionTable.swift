internal import BinaryIdentity
internal import CElfutils

/// Address → `DW_TAG_subprogram`, for one unit.
@safe
struct FunctionTable {
  private var ranges = RangeTable()
  private var functions: [DwarfEntry] = []

  /// Visits every entry of a unit that can hold a function, once.
  init(unit: DwarfEntry, codeRanges: [Range<LinkedAddress>]) {
    var unit = unit
    // A stack of its own: the depth of a damaged tree must not become the depth of calls.
    var pending: [DwarfEntry] = []
    if let child = unit.firstChild { pending.append(child) }
    var last: UInt64 = 0
    while var entry = pending.popLast() {
      // In a sound tree offsets only grow. In a damaged one a child can be the next sibling too: once is enough.
      guard entry.offset > last else { continue }
      last = entry.offset
      let tag = entry.tag
      if tag == DW_TAG_subprogram { append(&entry, codeRanges) }
      let child = mayHoldFunctions(tag) ? entry.firstChild : nil
      if let sibling = entry.nextSibling { pending.append(sibling) }
      if let child { pending.append(child) }
    }
    ranges.sort()
  }

  private mutating func append(_ entry: inout DwarfEntry, _ codeRanges: [Range<LinkedAddress>]) {
    let index = UInt64(functions.count)
    var hasCode = false
    entry.forEachRange { low, high in
      guard isCode(low, in: codeRanges) else { return }
      ranges.append(low: low, high: high, value: index)
      hasCode = true
    }
    if hasCode { functions.append(entry) }
  }

  /// The function that covers an address; nil when none does.
  func function(at address: LinkedAddress) -> DwarfEntry? {
    ranges.find(address.rawValue).map { functions[Int($0.value)] }
  }
}

/// Whether functions can stand below an entry: gcc nests a lambda's inside the function that makes it.
private func mayHoldFunctions(_ tag: Int) -> Bool {
  switch tag {
  case DW_TAG_namespace, DW_TAG_module, DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type,
    DW_TAG_interface_type, DW_TAG_enumeration_type, DW_TAG_subprogram, DW_TAG_lexical_block,
    DW_TAG_inlined_subroutine, DW_TAG_variant_part, DW_TAG_variant, DW_TAG_common_block:
    true
  default: false
  }
}
