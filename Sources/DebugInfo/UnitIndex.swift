internal import BinaryIdentity
internal import CElfutils

/// One compilation unit, with what was read of it so far.
@safe
struct DwarfUnit {
  /// The unit's own entry: line table, ranges, compilation directory.
  var entry: DwarfEntry
  /// The entry whose children are the functions: of the split unit (`.dwo`) where there is one, else `entry`.
  var body: DwarfEntry
  /// `DW_AT_comp_dir`.
  lazy var compilationDirectory: String? = entry.string(DW_AT_comp_dir)
  /// Whether the unit's language has linkage names that differ from the source's: not C, Objective-C or assembler.
  lazy var manglesNames: Bool = {
    switch entry.number(DW_AT_language).map({ Int(clamping: $0) }) {
    case DW_LANG_C89, DW_LANG_C, DW_LANG_C99, DW_LANG_C11, DW_LANG_ObjC, DW_LANG_Mips_Assembler, nil: false
    default: true
    }
  }()
  /// Functions by address; nil until the unit is asked for the first time.
  var functions: FunctionTable?
}

/// Address → compilation unit, for a whole file.
///
/// Built from the units' own ranges, so that it needs no `.debug_aranges`, which Swift and clang don't write on Linux.
struct UnitIndex {
  var units: [DwarfUnit] = []
  private var ranges = RangeTable()

  /// Reads the root entry of every unit.
  ///
  /// Ranges outside `codeRanges`, where code can be, are dropped: linkers that remove a function leave its ranges behind
  /// at address 0. Empty means anywhere.
  init(_ handle: borrowing DwarfHandle, codeRanges: [Range<LinkedAddress>]) {
    guard let dwarf = unsafe handle.dwarf else { return }
    var unit: OpaquePointer?
    var version: UInt16 = 0
    var type: UInt8 = 0
    var root = unsafe Dwarf_Die()
    var split = unsafe Dwarf_Die()
    while unsafe dwarf_get_units(dwarf, unit, &unit, &version, &type, &root, &split) == 0 {
      // Real dSYMs hold units that are only a header; type and partial units hold no code of their own.
      guard Int(type) == DW_UT_compile || Int(type) == DW_UT_skeleton, unsafe root.addr != nil else {
        continue
      }
      let hasSplit = unsafe Int(type) == DW_UT_skeleton && split.addr != nil
      append(unsafe DwarfEntry(root), body: unsafe DwarfEntry(hasSplit ? split : root), codeRanges)
    }
    ranges.sort()
  }

  private mutating func append(_ root: DwarfEntry, body: DwarfEntry, _ codeRanges: [Range<LinkedAddress>]) {
    var root = root
    let index = UInt64(units.count)
    root.forEachRange { low, high in
      if isCode(low, in: codeRanges) { ranges.append(low: low, high: high, value: index) }
    }
    units.append(DwarfUnit(entry: root, body: body))
  }

  /// The unit that covers an address, as an index into `units`; nil when none does.
  func unit(at address: LinkedAddress) -> Int? {
    ranges.find(address.rawValue).map { Int($0.value) }
  }
}

/// Whether an address lies where code can be.
func isCode(_ address: UInt64, in codeRanges: [Range<LinkedAddress>]) -> Bool {
  codeRanges.isEmpty || codeRanges.contains { $0.contains(LinkedAddress(address)) }
}
