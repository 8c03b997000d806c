internal import BinaryIdentity
internal import CElfutils

/// One compilation unit, with what was read of it so far.
@safe
struct DwarfUnit {
  let header: UnitHeader
  private let sections: DebugSections
  private let dwarf: OpaquePointer
  /// Functions by address; nil until the unit is asked for the first time.
  private var functions: RangeTable?
  private var hasNestedFunctions = false

  init(_ header: UnitHeader, _ sections: DebugSections, dwarf: OpaquePointer) {
    self.header = header
    self.sections = sections
    unsafe self.dwarf = dwarf
  }

  /// The unit's own entry: line table, ranges, compilation directory; nil when it is damaged.
  lazy var root: DwarfEntry? = unsafe DwarfEntry(in: dwarf, at: header.root)

  /// The entry whose children are the functions: of the split unit (`.dwo`) where there is one, else `root`.
  private lazy var body: DwarfEntry? = root?.splitUnit ?? root

  /// The unit's lines; nil when the unit is damaged.
  lazy var lines: SourceLines? = {
    guard let root, let body else { return nil }
    return SourceLines(root: root, body: body, isSplit: root.splitUnit != nil, header, sections)
  }()

  /// Whether the unit's language has linkage names that differ from the source's: not C, Objective-C or assembler.
  lazy var manglesNames: Bool = {
    switch root?.number(DW_AT_language).map({ Int(clamping: $0) }) {
    case DW_LANG_C89, DW_LANG_C, DW_LANG_C99, DW_LANG_C11, DW_LANG_ObjC, DW_LANG_Mips_Assembler, nil: false
    default: true
    }
  }()

  /// Finds entries by address: over the bytes, or through libdw where the functions are in another file.
  private lazy var search: (any FunctionSearch)? = {
    guard let root, let body else { return nil }
    if root.splitUnit != nil { return LibdwWalk(unit: body) }
    let shapes = sections.shapes.table(at: header.abbreviations, header.encoding, in: sections.abbreviations)
    return EntryWalk(
      info: sections.info, addresses: sections.addresses, unit: header, shapes: shapes,
      addressBase: Int(clamping: root.number(DW_AT_addr_base) ?? root.number(DW_AT_GNU_addr_base) ?? 8)
    ) { offset, body in
      root.entry(at: offset)?.forEachRange(body)
    }
  }()

  /// The function that covers an address and the calls inlined there: the function first, the innermost call last.
  ///
  /// Empty when no function of the unit covers the address.
  mutating func entries(at address: LinkedAddress, codeRanges: [Range<LinkedAddress>]) -> [DwarfEntry] {
    guard let body, let search else { return [] }
    guard let function = function(at: address, search, codeRanges) else { return [] }
    let offsets = [function] + search.inlinedCalls(in: function, at: address.rawValue)
    return offsets.compactMap { body.entry(at: $0) }
  }

  /// Functions inside functions are looked for only when no other covers the address.
  private mutating func function(
    at address: LinkedAddress, _ search: any FunctionSearch, _ codeRanges: [Range<LinkedAddress>]
  ) -> Int? {
    let table = functions ?? functionTable(search, skipsBodies: true, codeRanges)
    functions = table
    if let found = table.find(address.rawValue) { return Int(found.value) }
    guard !hasNestedFunctions else { return nil }
    hasNestedFunctions = true
    let complete = functionTable(search, skipsBodies: false, codeRanges)
    functions = complete
    return complete.find(address.rawValue).map { Int($0.value) }
  }

  private func functionTable(
    _ search: any FunctionSearch, skipsBodies: Bool, _ codeRanges: [Range<LinkedAddress>]
  ) -> RangeTable {
    var table = RangeTable()
    search.forEachFunction(skipsBodies: skipsBodies) { entry, low, high in
      if isCode(low, in: codeRanges) { table.append(low: low, high: high, value: UInt64(entry)) }
    }
    table.sort()
    return table
  }
}
