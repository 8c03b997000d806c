internal import CCrashReadElfutils
internal import CrashReadCore
internal import CrashReadSystem
private import Glibc

/// A debugging information entry (DIE). Valid as long as its `DwarfHandle` lives.
///
/// libdw takes entries by pointer and caches their abbreviation in them, hence the copies.
@safe
struct DwarfEntry {
  private let die: Dwarf_Die

  init(_ die: Dwarf_Die) { unsafe self.die = die }

  /// The entry at an offset of `.debug_info`; nil when there is none. The corresponding C function is `dwarf_offdie`.
  init?(in dwarf: OpaquePointer, at offset: Int) {
    var die = unsafe Dwarf_Die()
    guard unsafe dwarf_offdie(dwarf, UInt64(offset), &die) != nil else { return nil }
    unsafe self.die = die
  }

  /// Calls a libdw function with a copy of the entry.
  @inline(__always)
  func with<Result>(_ body: (UnsafeMutablePointer<Dwarf_Die>) -> Result) -> Result {
    var copy = unsafe die
    return unsafe body(&copy)
  }

  /// Another entry of the same file. The corresponding C functions are `dwarf_cu_getdwarf` and `dwarf_offdie`.
  func entry(at offset: Int) -> DwarfEntry? {
    guard let dwarf = unsafe dwarf_cu_getdwarf(die.cu) else { return nil }
    return unsafe DwarfEntry(in: dwarf, at: offset)
  }

  /// An entry of dwz's alternate file that this entry refers to. The corresponding C function is `dwarf_getalt`.
  func alternateEntry(at offset: Int) -> DwarfEntry? {
    guard let dwarf = unsafe dwarf_cu_getdwarf(die.cu), let alternate = unsafe dwarf_getalt(dwarf) else {
      return nil
    }
    return unsafe DwarfEntry(in: alternate, at: offset)
  }

  /// `DW_TAG_…`. The corresponding C function is `dwarf_tag`.
  var tag: Int { unsafe with { unsafe Int(dwarf_tag($0)) } }

  /// The offset in `.debug_info`, in bytes. The corresponding C function is `dwarf_dieoffset`.
  var offset: UInt64 { unsafe with { unsafe dwarf_dieoffset($0) } }

  /// The first child; nil when there is none or it is damaged. The corresponding C function is `dwarf_child`.
  var firstChild: DwarfEntry? {
    var child = unsafe Dwarf_Die()
    return unsafe with { unsafe dwarf_child($0, &child) } == 0 ? unsafe DwarfEntry(child) : nil
  }

  /// The next entry of the same parent; nil at the end. The corresponding C function is `dwarf_siblingof`.
  var nextSibling: DwarfEntry? {
    var sibling = unsafe Dwarf_Die()
    return unsafe with { unsafe dwarf_siblingof($0, &sibling) } == 0 ? unsafe DwarfEntry(sibling) : nil
  }

  /// Whether the entry's ranges hold an address. The corresponding C function is `dwarf_haspc`.
  func holds(_ address: UInt64) -> Bool { unsafe with { unsafe dwarf_haspc($0, address) } > 0 }

  /// The start of the entry's code; nil when it has none. The corresponding C function is `dwarf_entrypc`.
  var entryAddress: LinkedAddress? {
    var address: UInt64 = 0
    return unsafe with { unsafe dwarf_entrypc($0, &address) } == 0 ? LinkedAddress(address) : nil
  }

  /// Calls `body` with every address range, low and high (exclusive). The corresponding C function is `dwarf_ranges`.
  func forEachRange(_ body: (_ low: UInt64, _ high: UInt64) -> Void) {
    var base: UInt64 = 0
    var low: UInt64 = 0
    var high: UInt64 = 0
    var position = 0
    var copy = unsafe die
    repeat {
      position = unsafe dwarf_ranges(&copy, position, &base, &low, &high)
      if position > 0 { body(low, high) }
    } while position > 0
  }

  /// The row of the unit's line table for an address, 0 for no line or column; nil when no row covers it.
  ///
  /// The corresponding C functions are `dwarf_getsrc_die`, `dwarf_linesrc`, `dwarf_lineno` and `dwarf_linecol`.
  func lineRow(at address: LinkedAddress) -> (file: String, line: Int32, column: Int32)? {
    guard let row = unsafe with({ unsafe dwarf_getsrc_die($0, address.rawValue) }),
      let file = unsafe copiedString(dwarf_linesrc(row, nil, nil))
    else { return nil }
    var line: Int32 = 0
    var column: Int32 = 0
    unsafe dwarf_lineno(row, &line)
    unsafe dwarf_linecol(row, &column)
    return (file, line, column)
  }

  /// A name of the unit's file table. The corresponding C functions are `dwarf_getsrcfiles` and `dwarf_filesrc`.
  func fileName(_ index: UInt64) -> String? {
    var files: OpaquePointer?
    var count = 0
    guard unsafe with({ unsafe dwarf_getsrcfiles($0, &files, &count) }) == 0, index < UInt64(count) else {
      return nil
    }
    return unsafe copiedString(dwarf_filesrc(files, Int(index), nil, nil))
  }
}

// MARK: - Attributes

extension DwarfEntry {
  /// An attribute's text, truncated if it is too long; nil when absent. The corresponding C function is
  /// `dwarf_formstring`.
  func string(_ name: Int) -> String? {
    var attribute = unsafe Dwarf_Attribute()
    guard unsafe with({ unsafe dwarf_attr($0, UInt32(name), &attribute) }) != nil,
      let text = unsafe dwarf_formstring(&attribute)
    else { return nil }
    // One byte more than the maximum shows that there is more.
    return unsafe ByteView(
      UnsafeRawBufferPointer(start: text, count: strnlen(text, ByteView.maximumStringLength + 1))
    ).string(at: 0)
  }

  /// An attribute's unsigned number; nil when absent. The corresponding C function is `dwarf_formudata`.
  func number(_ name: Int) -> UInt64? {
    var attribute = unsafe Dwarf_Attribute()
    var value: UInt64 = 0
    guard unsafe with({ unsafe dwarf_attr($0, UInt32(name), &attribute) }) != nil,
      unsafe dwarf_formudata(&attribute, &value) == 0
    else { return nil }
    return value
  }

  /// The entry an attribute refers to; nil when absent or damaged. The corresponding C function is `dwarf_formref_die`.
  func reference(_ name: Int) -> DwarfEntry? {
    var attribute = unsafe Dwarf_Attribute()
    var target = unsafe Dwarf_Die()
    guard unsafe with({ unsafe dwarf_attr($0, UInt32(name), &attribute) }) != nil,
      // libdw 0.188 resolves these forms in the wrong file.
      unsafe attribute.form != DW_FORM_ref_sup4, unsafe attribute.form != DW_FORM_ref_sup8,
      unsafe dwarf_formref_die(&attribute, &target) != nil
    else { return nil }
    return unsafe DwarfEntry(target)
  }

  /// A function's linkage name and source name. Each is taken from the first entry that has it, following references
  /// from an inlined call to its abstract instance, and from a definition to its declaration.
  func functionNames() -> (linkage: String?, source: String?) {
    var entry = self
    var source: String?
    // Real chains have two or three references; those of a damaged file may form a cycle.
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
