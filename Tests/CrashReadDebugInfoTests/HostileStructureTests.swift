import CCrashReadElfutils
import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Files of valid parts, combined so that a few megabytes would take hours, or more memory than there is.
@Suite("Debug files that exceed limits")
struct HostileStructureTests {
  private func slices(_ bytes: [UInt8]) throws -> [BinarySlice] {
    let directory = try TemporaryDirectory()
    try directory.write(bytes, to: "file")
    return try BinarySlice.all(in: directory.path("file"))
  }

  /// Each of many load commands claims the sections after it, which are the next commands.
  @Test func sectionsSharedByLoadCommandsAreLimited() throws {
    var command = ByteBuilder()
    for word in [0x19, 24, 0, 5, 1000, 0] as [UInt32] { command.append(word) }
    var builder = MachOBuilder()
    builder.rawCommands = [[UInt8]](repeating: command.bytes, count: 5000)
    #expect(throws: DebugFileError.self) { try slices(builder.file()) }
  }

  /// A table of headers whose entries have no size: all 65,535 are the same one.
  @Test(arguments: [true, false])
  func headerSizeIsLimited(_ is64Bit: Bool) throws {
    var builder = ElfBuilder()
    builder.is64Bit = is64Bit
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [.init(".debug_info", [0])]
    let whole = builder.file()
    #expect(try slices(whole).count == 1)
    for place in is64Bit ? [54, 58] : [42, 46] {
      var bytes = whole
      bytes.replaceSubrange(place..<place + 2, with: [0, 0])
      #expect(throws: DebugFileError.self) { try slices(bytes) }
    }
  }

  @Test func codeRangeCountIsLimited() throws {
    var builder = ElfBuilder()
    builder.segments = (0..<1025).map { .init(flags: 5, at: 0x1000 * UInt64($0 + 1), size: 0x10) }
    #expect(throws: DebugFileError.self) { try slices(builder.file()) }
    builder.segments.removeLast()
    #expect(try slices(builder.file()).first?.codeRanges.count == 1024)
  }

  /// An index into a table that isn't there, counted from a base at the end of all numbers.
  @Test(arguments: [UInt64.max, UInt64(Int.max), 1 << 62])
  func basesMayBeAnyNumber(_ base: UInt64) throws {
    let abbreviations: [UInt8] = [
      1, 0x11, 0, 0x73, 0x07, 0x72, 0x07, 0x74, 0x07, 0x11, 0x1b, 0x12, 0x06, 0x03, 0x26, 0x55, 0x23, 0, 0, 0,
    ]
    var entry = ByteBuilder()
    entry.append(contentsOf: [1])
    for _ in 0..<3 { entry.append(base) }  // addr_base, str_offsets_base, rnglists_base
    entry.append(contentsOf: [0] + [0, 0x10, 0, 0] + [0, 0, 0, 0])  // low_pc, high_pc, name, ranges
    var unit = ByteBuilder()
    unit.append(UInt32(8 + entry.count))
    unit.append(UInt16(5))
    unit.append(contentsOf: [1, 8, 0, 0, 0, 0])
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      .init(".debug_abbrev", abbreviations), .init(".debug_info", unit.bytes + entry.bytes),
    ]
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "file")
    let slice = try BinarySlice.first(in: directory.path("file"))
    let file = try MappedFile(path: directory.path("file"))
    let handle = try DwarfHandle(file, slice: slice)
    let directoryOfUnits = UnitDirectory(DebugSections(handle))
    let header = try #require(directoryOfUnits.headers.first)
    let reader = directoryOfUnits.reader(header)
    #expect(reader.address(atIndex: 0) == nil)
    #expect(reader.entry(0, size: 8, of: ByteView(), from: Int.max) == nil)
  }

  /// All headers may refer to the same notes, so only a limited number of each is examined.
  @Test(arguments: [(60_000, true), (70_000, false)])
  func noteSizeIsLimited(_ size: Int, _ isFound: Bool) throws {
    var note = ByteBuilder()
    for word in [4, 988, 1] as [UInt32] { note.append(word) }
    note.append("GNU", length: 4)
    note.pad(to: 1004)
    let others = [[UInt8]](repeating: note.bytes, count: size / note.count).joined()
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    let id = ElfBuilder.Section.buildID([1, 2, 3, 4])
    builder.sections = [.init(".note", type: 7, others + id.bytes), .init(".debug_info", [0])]
    #expect(try slices(builder.file()).first?.id == (isFound ? ImageID(bytes: [1, 2, 3, 4]) : nil))
  }

  /// A hundred tables at the same offset: together they give no more symbols than fit into the file.
  @Test func overlappingSymbolTablesAreLimited() throws {
    var table = symbolTable([Int](repeating: 1, count: 1000))
    let symbols = table.bytes
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x10000)]
    builder.sections = [.init(".strtab", type: 3, [0, 0x66, 0]), table]
    let offset = try #require(builder.file().firstRange(of: symbols)?.lowerBound)
    table.bytes = []
    (table.claimedOffset, table.claimedSize) = (UInt64(offset), UInt64(symbols.count))
    builder.sections += [ElfBuilder.Section](repeating: table, count: 100)
    let bytes = builder.file()
    let shift = UInt64(bytes.firstRange(of: symbols)?.lowerBound ?? 0)
    #expect(shift == UInt64(offset))
    let slice = try #require(try slices(bytes).first)
    let count = SymbolTable(try handle(bytes), slice: slice).count
    #expect(count >= 1000 && count <= bytes.count / 16, "\(count)")
  }

  /// A program with symbols of one byte each, whose names begin at such places of the string table.
  private func program(names: [UInt8], at places: [Int]) -> [UInt8] {
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: UInt64(places.count))]
    builder.sections = [.init(".strtab", type: 3, names), symbolTable(places)]
    return builder.file()
  }

  private func symbolTable(_ names: [Int]) -> ElfBuilder.Section {
    var symbols = ByteBuilder()
    symbols.append(contentsOf: [UInt8](repeating: 0, count: 24))
    for (index, name) in names.enumerated() {
      symbols.append(UInt32(name))
      symbols.append(contentsOf: [0x12, 0, 1, 0])  // STB_GLOBAL, STT_FUNC
      symbols.append(UInt64(0x1000 + index))
      symbols.append(UInt64(1))
    }
    var table = ElfBuilder.Section(".symtab", type: 2, symbols.bytes)
    table.entrySize = 24
    table.link = 1
    return table
  }

  private func start(ofFunctionAround closure: String, in bytes: [UInt8]) throws -> LinkedAddress? {
    let handle = try handle(bytes)
    let slice = try #require(try slices(bytes).first)
    let start = SymbolTable(handle, slice: slice).start(ofFunctionAround: closure)
    // The table reads from it.
    #expect(handle.fileView.count == bytes.count)
    return start
  }

  @Test func enclosingFunctionHasTheLongestName() throws {
    var names: [UInt8] = [0]
    let places = ["$s3App", "$s3App1fyyF", "$s3App1fyyFyycfU_", "$s3App1gyyF"].map { name in
      defer { names += Array(name.utf8) + [0] }
      return names.count
    }
    let bytes = program(names: names, at: places)
    #expect(try start(ofFunctionAround: "$s3App1fyyFyycfU_", in: bytes) == LinkedAddress(0x1001))
    #expect(try start(ofFunctionAround: "$s3App1fyyFyycfU_yycfU0_", in: bytes) == LinkedAddress(0x1001))
    #expect(try start(ofFunctionAround: "$s3Lib1fyyFyycfU_", in: bytes) == nil)
  }

  /// Names by the hundred thousand that are parts of one another: each begins as the closure's does, for 64 KB.
  @Test(.mustEnd)
  func namesAreComparedUpToABudget() throws {
    let closure = String(repeating: "$s", count: 1 << 15)
    let count = 200_000
    let names = [0] + Array(String(repeating: closure, count: 2 * count >> 16 + 2).utf8) + [0]
    let bytes = program(names: names, at: (0..<count).map { 1 + 2 * $0 })
    #expect(try start(ofFunctionAround: closure, in: bytes) == nil)
  }

  /// Entries that share one list of ranges: all of a unit's together are read until they are too many.
  @Test func rangeCountIsLimited() throws {
    let abbreviations: [UInt8] = [
      1, 0x11, 1, 0, 0,  // compile_unit
      2, 0x2e, 0, 0x55, 0x17, 0, 0,  // subprogram: ranges sec_offset
      0,
    ]
    var unit = ByteBuilder()
    unit.append(UInt32(7 + 1 + 20 * 5 + 1))
    unit.append(UInt16(4))
    unit.append(UInt32(0))
    unit.append(contentsOf: [8, 1])
    for _ in 0..<20 { unit.append(contentsOf: [2, 0, 0, 0, 0]) }
    unit.append(contentsOf: [0])
    var ranges = ByteBuilder()
    for index in 0..<100 as Range<UInt64> {
      ranges.append(0x1000 + index)
      ranges.append(0x1001 + index)
    }
    ranges.append(UInt64(0))
    ranges.append(UInt64(0))
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      .init(".debug_abbrev", abbreviations), .init(".debug_info", unit.bytes),
      .init(".debug_ranges", ranges.bytes),
    ]
    let handle = try handle(builder.file())
    let units = UnitDirectory(DebugSections(handle))
    let header = try #require(units.headers.first)
    for (limit, expected) in [(1 << 26, 2000), (1010, 1000)] {
      let reader = units.reader(header)
      reader.maximumRanges = limit
      guard let dwarf = unsafe handle.dwarf else { throw DebugFileError.unsupported("no DWARF") }
      let root = try #require(unsafe DwarfEntry(in: dwarf, at: header.root))
      let walk = EntryWalk(reader: reader, units: units, libdw: LibdwWalk(unit: root))
      var count = 0
      walk.forEachFunction(skipsBodies: true) { _, _, _ in count += 1 }
      // The end of a list counts, too.
      #expect(count == expected)
    }
  }

  @Test(arguments: [1, 7, 1 << 24]) func rowCountIsLimited(_ limit: Int) throws {
    let path = Samples.path("symbols/cpp-inline.debug")
    let handle = try DwarfHandle(
      MappedFile(path: path), slice: try BinarySlice.first(in: path))
    let program = LineProgram(DebugSections(handle), at: 0, addressSize: 8, maximumRows: limit)
    let count = try #require(program).rows.count
    #expect(limit > 7 ? count > 7 : count == limit)
  }

  /// Sixteen line tables, each with two rows at addresses of its own.
  private func fileOfLineTables() -> [UInt8] {
    // minimum_instruction_length to opcode_base, lengths of opcodes, no directories, one file.
    let header: [UInt8] = [1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0x61, 0, 0, 0, 0, 0]
    var lines = ByteBuilder()
    for index in 0..<16 as Range<UInt64> {
      var program = ByteBuilder()
      program.append(contentsOf: [0, 9, 2])  // DW_LNE_set_address
      program.append(0x1000 + 0x10 * index)
      // copy, advance_pc, copy, advance_pc, end_sequence
      program.append(contentsOf: [1, 2, 8, 1, 2, 8, 0, 1, 1])
      lines.append(UInt32(6 + header.count + program.count))
      lines.append(UInt16(4))
      lines.append(UInt32(header.count))
      lines.append(contentsOf: header + program.bytes)
    }
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [.init(".debug_info", [0]), .init(".debug_line", lines.bytes)]
    return builder.file()
  }

  @Test func unitsShareLineTables() throws {
    let handle = try handle(fileOfLineTables())
    let sections = DebugSections(handle)
    let first = try #require(sections.lineTables.table(at: 0, in: sections, addressSize: 8))
    #expect(sections.lineTables.table(at: 0, in: sections, addressSize: 8) === first)
    #expect(first.program.rows.count == 2)
  }

  /// With memory for one table, each result is the same as with memory for all. When no more may be read, the last table
  /// is truncated, and there is no result.
  @Test(arguments: [(1 << 24, 1 << 30, 16), (3, 1 << 30, 16), (0, 1 << 30, 16), (1 << 24, 6, 2), (0, 6, 2)])
  func lineTableMemoryIsLimited(_ kept: Int, _ read: Int, _ answers: Int) throws {
    let handle = try handle(fileOfLineTables())
    let sections = DebugSections(handle)
    let tables = LineTables(maximumKept: kept, maximumRead: read)
    let size = sections.lines.count / 16
    for _ in 0..<(read == 6 ? 1 : 3) {
      let found = (0..<16).filter { index in
        let table = tables.table(at: index * size, in: sections, addressSize: 8)
        return table?.program.row(at: 0x1004 + 0x10 * UInt64(index)) != nil
      }
      #expect(found.count == answers)
    }
  }

  /// Ranges of all units' functions together are limited.
  @Test func rangeCountOfAllUnitsIsLimited() {
    let budget = Budget(5)
    budget.spend(3)
    #expect(budget.left == 2)
    var table = RangeTable(limit: budget.left)
    for index in 0..<4 as Range<UInt64> { table.append(low: index, high: index + 1, value: 0) }
    #expect(table.entries.count == 2)
    budget.spend(.max)
    #expect(budget.left == 0)
  }

  private func handle(_ bytes: [UInt8]) throws -> DwarfHandle {
    let directory = try TemporaryDirectory()
    try directory.write(bytes, to: "file")
    return try DwarfHandle(
      MappedFile(path: directory.path("file")), slice: try #require(try slices(bytes).first))
  }

  @Test func namesAreTruncated() {
    let bytes = [UInt8](repeating: 0x61, count: 100_000)
    unsafe bytes.withUnsafeBytes { bytes in
      let view = unsafe ByteView(bytes)
      #expect(view.string(at: 10).utf8.count == 65_536 + "…".utf8.count)
      #expect(view.string(at: 99_000).utf8.count == 1000)
    }
  }

  /// libdw gives names of any length, and dwz's alternate file is read through it.
  @Test func libdwNamesAreTruncated() throws {
    let handle = try handle(ElfBuilder.longNames(functions: 1))
    let header = try #require(UnitDirectory(DebugSections(handle)).headers.first)
    guard let dwarf = unsafe handle.dwarf else { throw DebugFileError.unsupported("no DWARF") }
    let function = try #require(unsafe DwarfEntry(in: dwarf, at: header.root)?.firstChild)
    #expect(function.string(DW_AT_name)?.utf8.count == 65_536 + "…".utf8.count)
  }

  /// Each of 20 functions has a name of 64 KB, and they are parts of each other.
  @Test func nameSizeOfManyAddressesIsLimited() throws {
    let directory = try TemporaryDirectory()
    try directory.write(ElfBuilder.longNames(functions: 20), to: "file")
    let slice = try BinarySlice.first(in: directory.path("file"))
    let file = try DebugFile(path: directory.path("file"), slice: slice)
    let addresses = (0..<20 as Range<UInt64>).map { LinkedAddress(0x1008 + 0x10 * $0) }
    #expect(file.frames(at: addresses, maximumText: 2_000_000)?.count == 20)
    #expect(file.frames(at: addresses, maximumText: 1_000_000) == nil)
    #expect(file.frames(at: addresses).allSatisfy { $0.count == 1 })
  }

  @Test func nameSizeInCachesIsLimited() {
    var tables = CacheTables(base: 0, maximumText: 100)
    let name = FunctionName(linkage: String(repeating: "n", count: 60), source: nil)
    #expect(tables.name(name) == 1)
    #expect(tables.name(name) == 1)
    #expect(!tables.isFull)
    _ = tables.name(FunctionName(linkage: String(repeating: "m", count: 60), source: nil))
    #expect(tables.isFull)
    #expect(tables.finished() == nil)
  }

  /// Tables that begin inside one another are read until the cost of one complete table is reached.
  @Test func abbreviationsAreReadOnce() {
    let table = [UInt8]((0..<1000).flatMap { _ in [1, 0x11, 0, 0x03, 0x08, 0, 0] as [UInt8] })
    unsafe table.withUnsafeBytes { bytes in
      let view = unsafe ByteView(bytes)
      let cache = AbbreviationCache()
      let encoding = UnitEncoding(version: 4, addressSize: 8, offsetSize: 4)
      let sizes = (0..<1000).map { cache.table(at: 7 * $0, encoding, in: view).shapes.count }
      #expect(sizes.first == 1000)
      #expect(sizes.reduce(0, +) <= 2 * table.count)
      #expect(sizes.last == 0)
    }
  }

  /// 300 calls inlined into one another.
  @Test(arguments: [300, 5])
  func inlinedCallCountIsLimited(_ depth: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write(fileOfInlinedCalls(depth: 300), to: "file")
    let slice = try BinarySlice.first(in: directory.path("file"))
    var limits = Limits()
    limits.inlineDepth = depth
    let file = try DebugFile(path: directory.path("file"), slice: slice, limits: limits)
    #expect(file.frames(at: LinkedAddress(0x1010)).count == depth + 1)
    limits.unitSize = 100
    let refused = try DebugFile(path: directory.path("file"), slice: slice, limits: limits)
    #expect(refused.frames(at: LinkedAddress(0x1010)).isEmpty)
  }

  private func fileOfInlinedCalls(depth: Int) -> [UInt8] {
    let abbreviations: [UInt8] = [
      1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,  // compile_unit: low_pc addr, high_pc data4
      2, 0x2e, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,  // subprogram
      3, 0x1d, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,  // inlined_subroutine
      0,
    ]
    var entries = ByteBuilder()
    for code in [1, 2] + [UInt8](repeating: 3, count: depth) {
      entries.append(code)
      entries.append(UInt64(0x1000))
      entries.append(UInt32(0x1000))
    }
    entries.append(contentsOf: [UInt8](repeating: 0, count: depth + 2))
    var unit = ByteBuilder()
    unit.append(UInt32(7 + entries.count))
    unit.append(UInt16(4))
    unit.append(UInt32(0))
    unit.append(UInt8(8))
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      .init(".debug_abbrev", abbreviations), .init(".debug_info", unit.bytes + entries.bytes),
    ]
    return builder.file()
  }
}
