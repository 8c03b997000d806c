internal import CCrashReadElfutils
internal import CrashReadCore

/// A compilation unit, with the parts of it that were read so far. Only one thread at a time may use it; other threads
/// may use other units.
@safe
final class DwarfUnit {
  let header: UnitHeader
  let units: UnitDirectory
  let sections: DebugSections
  let splitFiles: SplitFiles
  let dwarf: OpaquePointer
  /// The ranges of code; when empty, code may be anywhere.
  let codeRanges: [Range<LinkedAddress>]
  /// Functions by address; nil until the first look-up.
  private var functions: RangeTable?
  private var hasNestedFunctions = false
  /// The function that was looked up last: neighbouring addresses are looked up in succession.
  private var recent: Function?
  /// The scopes of `recent`.
  private var scopes = ScopeTree()
  /// Names of inlined functions, by the offset of the entry that has the name.
  private var names: [Int: FunctionName] = [:]

  /// A function with code, and what is common to all of its addresses.
  struct Function {
    /// Its offset in `.debug_info`.
    var offset: Int
    var name: FunctionName
    /// The start of its code.
    var entry: LinkedAddress?
  }

  init(
    _ header: UnitHeader, of units: UnitDirectory, _ sections: DebugSections, splitFiles: SplitFiles,
    dwarf: OpaquePointer, codeRanges: [Range<LinkedAddress>]
  ) {
    self.header = header
    self.units = units
    self.sections = sections
    self.splitFiles = splitFiles
    self.codeRanges = codeRanges
    unsafe self.dwarf = dwarf
  }

  /// The unit's own entry: line table, ranges, compilation directory; nil when it is damaged.
  lazy var root: DwarfEntry? = units.libdw.withLock { unsafe DwarfEntry(in: dwarf, at: header.root) }

  /// The split unit with the functions, if this one is only its skeleton; otherwise nil.
  private lazy var split: SplitUnit? = root.flatMap { root in
    units.libdw.withLock { splitFiles.unit(of: root, header) }
  }

  /// Opens the split unit's file in advance, so that missing files are noted in the order of units.
  func openSplit() { _ = split }

  /// The size in bytes of the entries that the first look-up visits.
  var unreadSize: Int { functions == nil ? header.end - header.offset : 0 }

  /// The unit's lines; nil when the unit is damaged.
  lazy var lines: SourceLines? = {
    root.map { SourceLines(root: $0, header, sections, units.libdw) }
  }()

  /// Whether linkage names of the unit's language differ from source names: not in C, Objective-C or assembler.
  lazy var manglesNames: Bool = {
    let root = split?.root ?? root
    let language = units.libdw.withLock { root?.number(DW_AT_language) }
    return switch language.map({ Int(clamping: $0) }) {
    case DW_LANG_C89, DW_LANG_C, DW_LANG_C99, DW_LANG_C11, DW_LANG_ObjC, DW_LANG_Mips_Assembler, nil: false
    default: true
    }
  }()

  /// The reader of the unit's functions in their file; one through libdw if a form is unknown.
  lazy var search: (any FunctionSearch)? = {
    guard let root else { return nil }
    guard let split else { return Self.search(header, of: units, LibdwWalk(unit: root)) }
    let units = UnitDirectory(split.sections.completed(by: sections), skeleton: units.reader(header))
    return Self.search(split.header, of: units, LibdwWalk(unit: split.root))
  }()

  private static func search(
    _ header: UnitHeader, of units: UnitDirectory, _ libdw: LibdwWalk
  ) -> any FunctionSearch {
    let reader = units.reader(header)
    if reader.shapes.isKnown { return EntryWalk(reader: reader, units: units, libdw: libdw) }
    return ForeignUnitWalk(walk: libdw, lock: units.libdw)
  }

  /// The function that contains an address, and the calls inlined there, innermost first; nil when there is none.
  func function(at address: LinkedAddress) -> (function: Function, calls: [InlinedCall])? {
    guard let search, let offset = functionOffset(at: address, search) else { return nil }
    if recent?.offset != offset { readFunction(offset, search) }
    guard let function = recent else { return nil }
    return (function, calls(at: address, search).map { search.inlinedCall(at: $0) })
  }

  /// The entries of the functions at an address: the innermost call first, the real function last.
  ///
  /// Empty for a split unit, whose locations need data that libdw doesn't have when it reads the split file alone.
  func entries(at address: LinkedAddress) -> [DwarfEntry] {
    guard let root, split == nil, let search, let (function, _) = function(at: address) else { return [] }
    return (calls(at: address, search) + [function.offset]).compactMap { root.entry(at: $0) }
  }

  /// The calls inlined into `recent` at an address, innermost first; beyond the limit the innermost are omitted.
  private func calls(at address: LinkedAddress, _ search: some FunctionSearch) -> [Int] {
    scopes.calls(at: address.rawValue, in: search).prefix(sections.limits.inlineDepth).reversed()
  }

  private func readFunction(_ offset: Int, _ search: any FunctionSearch) {
    recent = Function(offset: offset, name: search.name(of: offset), entry: search.entryAddress(of: offset))
    scopes.removeAll()
    search.readScopes(of: offset, into: &scopes)
  }

  /// The name of an inlined function.
  func name(of call: InlinedCall) -> FunctionName {
    if let known = names[call.function] { return known }
    let name = search?.name(of: call.function) ?? .unknown
    if sections.keptText.left > 0 {
      sections.keptText.spend(name.size)
      names[call.function] = name
    }
    return name
  }

  /// The function at an address, as an offset in `.debug_info`. Nested functions are searched only if no other covers
  /// the address.
  private func functionOffset(at address: LinkedAddress, _ search: any FunctionSearch) -> Int? {
    if functions == nil { functions = functionTable(search, skipsBodies: true) }
    if let found = functions?.find(address.rawValue) { return Int(found.value) }
    guard !hasNestedFunctions else { return nil }
    hasNestedFunctions = true
    functions = functionTable(search, skipsBodies: false)
    return functions?.find(address.rawValue).map { Int($0.value) }
  }

  func functionTable(_ search: any FunctionSearch, skipsBodies: Bool) -> RangeTable {
    var table = RangeTable(limit: sections.functionRanges.left)
    search.forEachFunction(skipsBodies: skipsBodies) { entry, low, high in
      if isCode(low, in: codeRanges) { table.append(low: low, high: high, value: UInt64(entry)) }
    }
    table.sort()
    sections.functionRanges.spend(table.entries.count)
    return table
  }
}
