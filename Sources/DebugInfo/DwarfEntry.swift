internal import BinaryIdentity
internal import CElfutils

/// A debugging information entry (DIE). Valid as long as its `DwarfHandle` lives.
@safe
struct DwarfEntry {
  var die: Dwarf_Die

  init(_ die: Dwarf_Die) { unsafe self.die = die }

  /// `DW_TAG_…`. The corresponding C function is `dwarf_tag`.
  var tag: Int { mutating get { unsafe Int(dwarf_tag(&die)) } }

  /// The offset in `.debug_info`. The corresponding C function is `dwarf_dieoffset`.
  var offset: UInt64 { mutating get { unsafe dwarf_dieoffset(&die) } }

  /// The first child; nil when there is none or it is damaged. The corresponding C function is `dwarf_child`.
  var firstChild: DwarfEntry? {
    mutating get {
      var child = unsafe Dwarf_Die()
      return unsafe dwarf_child(&die, &child) == 0 ? DwarfEntry(child) : nil
    }
  }

  /// The next entry of the same parent; nil at the end. The corresponding C function is `dwarf_siblingof`.
  var nextSibling: DwarfEntry? {
    mutating get {
      var sibling = unsafe Dwarf_Die()
      return unsafe dwarf_siblingof(&die, &sibling) == 0 ? DwarfEntry(sibling) : nil
    }
  }

  /// Whether the entry's ranges hold an address. The corresponding C function is `dwarf_haspc`.
  mutating func holds(_ address: UInt64) -> Bool { unsafe dwarf_haspc(&die, address) > 0 }

  /// Calls `body` with every address range, low and high (exclusive). The corresponding C function is `dwarf_ranges`.
  mutating func forEachRange(_ body: (_ low: UInt64, _ high: UInt64) -> Void) {
    var base: UInt64 = 0
    var low: UInt64 = 0
    var high: UInt64 = 0
    var position = 0
    repeat {
      position = unsafe dwarf_ranges(&die, position, &base, &low, &high)
      if position > 0 { body(low, high) }
    } while position > 0
  }

  /// Where the entry's code begins; nil when it has none. The corresponding C function is `dwarf_entrypc`.
  var entryAddress: LinkedAddress? {
    mutating get {
      var address: UInt64 = 0
      return unsafe dwarf_entrypc(&die, &address) == 0 ? LinkedAddress(address) : nil
    }
  }

  /// An attribute's text; nil when absent. The corresponding C function is `dwarf_formstring`.
  mutating func string(_ name: Int) -> String? {
    var attribute = unsafe Dwarf_Attribute()
    guard unsafe dwarf_attr(&die, UInt32(name), &attribute) != nil else { return nil }
    return unsafe copiedString(dwarf_formstring(&attribute))
  }

  /// An attribute's unsigned number; nil when absent. The corresponding C function is `dwarf_formudata`.
  mutating func number(_ name: Int) -> UInt64? {
    var attribute = unsafe Dwarf_Attribute()
    var value: UInt64 = 0
    guard unsafe dwarf_attr(&die, UInt32(name), &attribute) != nil,
      unsafe dwarf_formudata(&attribute, &value) == 0
    else { return nil }
    return value
  }

  /// The entry an attribute refers to; nil when absent or damaged. The corresponding C function is `dwarf_formref_die`.
  mutating func reference(_ name: Int) -> DwarfEntry? {
    var attribute = unsafe Dwarf_Attribute()
    var target = unsafe Dwarf_Die()
    guard unsafe dwarf_attr(&die, UInt32(name), &attribute) != nil,
      unsafe dwarf_formref_die(&attribute, &target) != nil
    else { return nil }
    return unsafe DwarfEntry(target)
  }

  /// A function's names: the linker's, and the source's. Each is taken from the first entry that has it, going from an
  /// inlined call or a definition to what it is an instance of.
  mutating func functionNames() -> (linkage: String?, source: String?) {
    var entry = self
    var source: String?
    // Real chains have two or three links; a damaged file may have a circle.
    for _ in 0..<16 {
      if let linkage = entry.string(DW_AT_linkage_name) ?? entry.string(DW_AT_MIPS_linkage_name) {
        return (linkage, source ?? entry.string(DW_AT_name))
      }
      if source == nil { source = entry.string(DW_AT_name) }
      guard
        let next = entry.reference(DW_AT_abstract_origin) ?? entry.reference(DW_AT_specification)
      else { break }
      entry = next
    }
    return (nil, source)
  }
}
