internal import CrashReadCore
internal import CrashReadSystem

/// A GSYM file, which `llvm-gsymutil` creates from a debug file, with functions, lines and inlined calls.
///
/// Source: LLVM's `DebugInfo/GSYM`: `Header.h`, `FileWriter.h`, `FunctionInfo.cpp`.
final class GsymFile: NameSource {
  /// The magic number (`GSYM_MAGIC`) of a little-endian file.
  static let mark = Array("MYSG".utf8)

  private let file: MappedFile
  private let tables: GsymTables

  /// Reads a file.
  /// - Throws: `DebugFileError` when the file can't be read, or belongs to another build by now.
  init(path: String, slice: BinarySlice) throws(DebugFileError) {
    file = try MappedFile.debugFile(path)
    tables = try GsymTables(file.view)
    guard tables.id == slice.id else { throw .changedWhileOpen }
  }

  /// The binary that the file was created from.
  /// - Throws: `DebugFileError` when its tables are incomplete, or the start of the binary is unknown.
  static func slice(_ bytes: ByteView) throws(DebugFileError) -> BinarySlice {
    let tables = try GsymTables(bytes)
    var slice = BinarySlice(layout: .gsym, fileOffset: 0)
    slice.id = tables.id
    slice.linkedBase = LinkedAddress(try linkedBase(tables))
    return slice
  }

  /// The base address, which the file doesn't state: Mach-O programs begin at 4 GiB, after `__PAGEZERO`, libraries and
  /// position-independent ELF files at 0.
  private static func linkedBase(_ tables: GsymTables) throws(DebugFileError) -> UInt64 {
    let isMachO = tables.id?.byteCount == 16
    let base = isMachO ? tables.base & ~0xffff_ffff : 0
    guard base <= 1 << 32, isMachO || tables.base < 0x20_0000 else {
      throw .unsupported("a GSYM file of a program that was linked to an unusual address")
    }
    return base
  }

  var isChanged: Bool { file.isChanged }

  var functions: [(address: UInt64, name: String?)] {
    var functions: [(address: UInt64, name: String?)] = []
    for index in 0..<tables.count where functions.last?.address != tables.address(index) {
      functions.append((tables.address(index), tables.function(index)?.name))
    }
    return functions
  }

  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol? {
    function(at: address).map { SymbolTable.Symbol(address: $0.address, name: $0.name, file: nil) }
  }

  func frames(at address: LinkedAddress) -> [SourceFrame] {
    guard let function = function(at: address) else { return [] }
    let line = function.row(at: address.rawValue)
    let calls = function.calls(at: address.rawValue)
    guard line != nil || !calls.isEmpty else { return [] }
    return inlineChain(
      FunctionName(linkage: function.name, source: nil), entry: LinkedAddress(function.address),
      calls: calls.reversed().map { call in
        NamedCall(
          name: FunctionName(linkage: tables.string(call.name), source: nil),
          callSite: location(call.callFile, call.callLine))
      },
      location: line.flatMap { location($0.file, $0.line) })
  }

  private func location(_ file: UInt64, _ line: UInt64) -> SourceLocation? {
    tables.path(file).map { SourceLocation(file: $0, line: line == 0 ? nil : Int(clamping: line)) }
  }

  /// The function that contains an address; of several with the same start, the first one that does.
  private func function(at address: LinkedAddress) -> GsymFunction? {
    let indices = 0..<tables.count
    let upperBound = indices.partitioningIndex { tables.address($0) > address.rawValue }
    guard upperBound > 0 else { return nil }
    let start = tables.address(upperBound - 1)
    let first = indices[..<upperBound].partitioningIndex { tables.address($0) >= start }
    return (first..<min(upperBound, first + Self.maximumAtOneAddress)).lazy.compactMap {
      self.tables.function($0)
    }
    .first { $0.holds(address.rawValue) }
  }

  /// The maximum number of functions with the same start that are examined.
  private static let maximumAtOneAddress = 16
}

/// The header of a GSYM file, and the offsets of the tables.
private struct GsymTables {
  private static let headSize = 48

  let bytes: ByteView
  let id: ImageID?
  /// The lowest address.
  let base: UInt64
  /// The number of functions.
  let count: Int
  /// The size in bytes of an entry in the table of addresses, which are relative to the base.
  private let offsetSize: Int
  private let addresses: Int
  private let infos: Int
  private let files: Int
  private let strings: ByteView

  init(_ bytes: ByteView) throws(DebugFileError) {
    self.bytes = bytes
    guard bytes.integer(at: 4, size: 2) == 1 else { throw .unsupported("this version of GSYM") }
    offsetSize = Int(bytes.byte(at: 6))
    guard [1, 2, 4, 8].contains(offsetSize), bytes.byte(at: 7) <= 20 else {
      throw .damaged("a GSYM header", at: 6)
    }
    base = bytes.integer(at: 8, size: 8)
    count = Int(bytes.integer(at: 16, size: 4))
    strings = bytes.part(from: Int(bytes.integer(at: 20, size: 4)), size: Int(bytes.integer(at: 24, size: 4)))
    id = ImageID(bytes: bytes.bytes(at: 28, count: Int(bytes.byte(at: 7))))
    addresses = Self.headSize
    infos = (addresses + count * offsetSize + 3) & ~3
    files = infos + 4 * count
    guard files < bytes.count else { throw .damaged("a truncated GSYM table", at: bytes.count) }
  }

  func address(_ index: Int) -> UInt64 {
    base &+ bytes.integer(at: addresses + index * offsetSize, size: offsetSize)
  }

  /// The data of a function; nil when it isn't in the file.
  func function(_ index: Int) -> GsymFunction? {
    let offset = Int(bytes.integer(at: infos + 4 * index, size: 4))
    let size = bytes.integer(at: offset, size: 4)
    let name = string(bytes.integer(at: offset + 4, size: 4))
    guard offset > 0, offset < bytes.count, !name.isEmpty else { return nil }
    return GsymFunction(address: address(index), size: size, name: name, data: bytes, at: offset + 8)
  }

  func string(_ offset: UInt64) -> String { strings.string(at: Int(clamping: offset)) }

  /// The path of a file: its directory and its name; nil for 0, which means none.
  func path(_ index: UInt64) -> String? {
    guard index > 0, index < bytes.integer(at: files, size: 4) else { return nil }
    let entry = files + 4 + 8 * Int(index)
    let (folder, name) = (
      string(bytes.integer(at: entry, size: 4)), string(bytes.integer(at: entry + 4, size: 4))
    )
    return folder.isEmpty ? name : folder + (folder.hasSuffix("/") ? "" : "/") + name
  }
}

/// A function of a GSYM file: lines and inlined calls are read on demand.
private struct GsymFunction {
  struct Row {
    var address: UInt64
    var file: UInt64
    var line: UInt64
  }
  struct Call {
    var name: UInt64
    var callFile: UInt64
    var callLine: UInt64
  }

  let address: UInt64
  let size: UInt64
  let name: String
  private let bytes: ByteView
  private var lines: Range<Int>?
  private var calls: Range<Int>?

  /// The maximum nesting depth of calls.
  private static let maximumLevels = 1000
  /// The maximum number of parts of a function; there are few kinds.
  private static let maximumParts = 16
  /// The maximum size of a part in bytes. Each look-up reads it, and all functions of a file can share one.
  private static let maximumPartSize = 1 << 18

  /// Finds the parts (`InfoType`) at an offset.
  init(address: UInt64, size: UInt64, name: String, data: ByteView, at offset: Int) {
    (self.address, self.size, self.name) = (address, size, name)
    bytes = data
    var offset = offset
    for _ in 0..<Self.maximumParts where offset <= data.count - 8 {
      let kind = data.integer(at: offset, size: 4)
      let length = Int(data.integer(at: offset + 4, size: 4))
      let part = offset + 8..<min(offset + 8 + length, data.count)
      offset = part.upperBound
      switch kind {
      case 0: return
      case _ where length > Self.maximumPartSize: break
      case 1: lines = part
      case 2: calls = part
      default: break
      }
    }
  }

  func holds(_ address: UInt64) -> Bool {
    size == 0 || address &- self.address < size
  }

  /// The last row of the line table up to an address (`LineTable.cpp`); nil when there is none.
  func row(at wanted: UInt64) -> Row? {
    guard let lines else { return nil }
    var cursor = ByteCursor(bytes, at: lines.lowerBound, end: lines.upperBound)
    let minimum = cursor.sleb()
    let range = cursor.sleb() &- minimum &+ 1
    guard range > 0 else { return nil }
    var row = Row(address: address, file: 1, line: cursor.uleb())
    var found: Row?
    while !cursor.isAtEnd, row.address <= wanted {
      var isRow = false
      switch cursor.byte() {
      case 0: return found
      case 1: row.file = cursor.uleb()
      case 2: (row.address, isRow) = (row.address &+ cursor.uleb(), true)
      case 3: row.line = row.line &+ UInt64(bitPattern: cursor.sleb())
      case let code:
        let step = Int64(code) - 4
        row.line = row.line &+ UInt64(bitPattern: minimum &+ step % range)
        (row.address, isRow) = (row.address &+ UInt64(step / range), true)
      }
      if isRow, row.address <= wanted { found = row }
    }
    return found
  }

  /// The calls inlined at an address, outermost first (`InlineInfo.cpp`).
  func calls(at wanted: UInt64) -> [Call] {
    guard let calls else { return [] }
    var cursor = ByteCursor(bytes, at: calls.lowerBound, end: calls.upperBound)
    // The outermost entry is the function itself.
    guard let top = readRanges(&cursor, base: address, holding: wanted), top.holds else { return [] }
    guard let own = readCall(&cursor) else { return [] }
    var chain: [Call] = []
    var base = top.start
    var hasChildren = own.hasChildren
    while hasChildren, chain.count < Self.maximumLevels {
      guard let (call, start, deeper) = readChild(&cursor, base: base, wanted) else { break }
      chain.append(call)
      (base, hasChildren) = (start, deeper)
    }
    return chain
  }

  /// Reads the calls nested in one, up to the one that contains an address; nil when none does.
  private func readChild(
    _ cursor: inout ByteCursor, base: UInt64, _ wanted: UInt64
  ) -> (call: Call, start: UInt64, hasChildren: Bool)? {
    while let ranges = readRanges(&cursor, base: base, holding: wanted), let entry = readCall(&cursor) {
      if ranges.holds { return (entry.call, ranges.start, entry.hasChildren) }
      if entry.hasChildren { skipChildren(&cursor) }
    }
    return nil
  }

  /// Skips all calls nested in one.
  private func skipChildren(_ cursor: inout ByteCursor) {
    var open = 1
    while open > 0, !cursor.isAtEnd {
      guard readRanges(&cursor, base: 0, holding: 0) != nil, let entry = readCall(&cursor) else {
        open -= 1
        continue
      }
      if entry.hasChildren { open += 1 }
    }
  }

  /// Reads the address ranges of an entry; empty at the end of a list of siblings.
  private func readRanges(
    _ cursor: inout ByteCursor, base: UInt64, holding wanted: UInt64
  ) -> (start: UInt64, holds: Bool)? {
    let count = cursor.uleb()
    guard count > 0, !cursor.isAtEnd else { return nil }
    var first: UInt64?
    var holds = false
    for _ in 0..<min(count, UInt64(cursor.remaining)) {
      let start = base &+ cursor.uleb()
      let size = cursor.uleb()
      first = first ?? start
      if wanted >= start, wanted - start < size { holds = true }
    }
    return first.map { ($0, holds) }
  }

  private func readCall(_ cursor: inout ByteCursor) -> (call: Call, hasChildren: Bool)? {
    guard cursor.remaining >= 5 else { return nil }
    let hasChildren = cursor.byte() != 0
    let name = cursor.integer(size: 4)
    let (file, line) = (cursor.uleb(), cursor.uleb())
    return (Call(name: name, callFile: file, callLine: line), hasChildren)
  }
}
