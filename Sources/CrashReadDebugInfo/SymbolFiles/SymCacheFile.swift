internal import CrashReadCore
internal import CrashReadSystem

/// A SymCache, which Sentry's `symbolic` and Symbolicator create from a debug file, with functions, lines and inlined
/// calls.
///
/// Addresses are relative to the load address. Source: getsentry/symbolic, `symbolic-symcache`: `raw.rs`, versions 7 to
/// 9 of the format.
final class SymCacheFile: NameSource {
  /// The magic number of a little-endian file.
  static let mark = Array("SYMC".utf8)

  private let file: MappedFile
  private let tables: SymCacheTables

  /// Reads a file.
  /// - Throws: `DebugFileError` when the file can't be read, or belongs to another build by now.
  init(path: String, slice: BinarySlice) throws(DebugFileError) {
    file = try MappedFile.debugFile(path)
    tables = try SymCacheTables(file.view)
    guard tables.id == slice.id else { throw .changedWhileOpen }
  }

  /// The binary that the file was created from.
  /// - Throws: `DebugFileError` when its tables are incomplete.
  static func slice(_ bytes: ByteView) throws(DebugFileError) -> BinarySlice {
    let tables = try SymCacheTables(bytes)
    var slice = BinarySlice(layout: .symCache, fileOffset: 0)
    slice.id = tables.id
    slice.architecture = tables.architecture
    return slice
  }

  var isChanged: Bool { file.isChanged }

  var functions: [(address: UInt64, name: String?)] {
    (0..<tables.functions.count).compactMap { index in
      tables.function(index).flatMap { function in function.entry.map { ($0, function.name) } }
    }
    .sorted { $0.address < $1.address }
  }

  /// The functions at an address; empty if none of them has a location, as with functions from a symbol table.
  func frames(at address: LinkedAddress) -> [SourceFrame] {
    let chain = tables.chain(at: address)
    return chain.contains { $0.location != nil } ? chain : []
  }

  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol? {
    guard let function = tables.chain(at: address).last, let name = function.name.linkage
    else { return nil }
    // A damaged function can begin after its code.
    let entry = function.entry.flatMap { $0 <= address ? $0 : nil }
    let start = entry ?? tables.rangeStart(at: address) ?? address
    return SymbolTable.Symbol(address: start.rawValue, name: name, file: nil)
  }
}

/// The tables of a SymCache: fixed-size records that refer to one another by index, and to strings by offset.
private struct SymCacheTables {
  struct Table {
    var start: Int
    var count: Int
    var entrySize: Int

    func field(_ field: Int, of index: Int, in bytes: ByteView) -> UInt32 {
      UInt32(bytes.integer(at: start + index * entrySize + 4 * field, size: 4))
    }
  }

  struct Function {
    var name: String
    var entry: UInt64?
  }

  private static let headSize = 80
  /// The value for no string, no address, and no index.
  private static let none = UInt32.max
  /// The maximum nesting depth of calls, and the maximum size of their names and paths together.
  private static let maximumLevels = 1000
  private static let maximumText = 1 << 20

  let bytes: ByteView
  let id: ImageID?
  let architecture: Architecture?
  let functions: Table
  private let version: UInt64
  private let files: Table
  private let locations: Table
  private let ranges: Table
  private let strings: ByteView

  init(_ bytes: ByteView) throws(DebugFileError) {
    self.bytes = bytes
    version = bytes.integer(at: 4, size: 4)
    guard (7...9).contains(version) else { throw .unsupported("version \(version) of SymCache") }
    id = ImageID(bytes: bytes.bytes(at: 8, count: 16))
    architecture = Self.architectures[bytes.integer(at: 40, size: 4)].map { Architecture(rawValue: $0) }
    var end = Self.headSize
    func table(_ field: Int, _ entrySize: Int) -> Table {
      let table = Table(
        start: end, count: Int(bytes.integer(at: 44 + 4 * field, size: 4)), entrySize: entrySize)
      end = (end + table.count * entrySize + 7) & ~7
      return table
    }
    files = table(0, version < 9 ? 12 : 24)
    functions = table(1, 16)
    locations = table(2, 16)
    ranges = table(3, 4)
    strings = bytes.part(from: end, size: Int(bytes.integer(at: 60, size: 4)))
    guard end <= bytes.count, ranges.count <= locations.count else {
      throw .damaged("a truncated SymCache", at: bytes.count)
    }
  }

  /// `symbolic_common::Arch`.
  private static let architectures: [UInt64: String] = [
    101: "i386", 201: "x86_64", 202: "x86_64h", 301: "arm", 303: "armv6", 305: "armv7", 306: "armv7f",
    307: "armv7s",
    308: "armv7k", 401: "arm64", 402: "arm64", 403: "arm64e", 801: "arm64_32", 802: "arm64_32",
  ]

  // MARK: Look-up

  /// The start of the range that contains an address; ranges have no gaps. Nil before the first range.
  func rangeStart(at address: LinkedAddress) -> LinkedAddress? {
    range(at: address).map { LinkedAddress(UInt64(ranges.field(0, of: $0, in: bytes))) }
  }

  private func range(at address: LinkedAddress) -> Int? {
    let upperBound = (0..<ranges.count).partitioningIndex {
      UInt64(ranges.field(0, of: $0, in: bytes)) > address.rawValue
    }
    return upperBound > 0 && address.rawValue < UInt64(Self.none) ? upperBound - 1 : nil
  }

  /// The functions at an address, innermost first. Each range has a location of its own, at the end of the table.
  func chain(at address: LinkedAddress) -> [SourceFrame] {
    guard let range = range(at: address) else { return [] }
    var chain: [SourceFrame] = []
    var index = locations.count - ranges.count + range
    var room = Self.maximumText
    while index < locations.count, chain.count < Self.maximumLevels, room > 0,
      let function = function(Int(locations.field(2, of: index, in: bytes)))
    {
      var frame = SourceFrame(FunctionName(linkage: function.name, source: nil), location: location(index))
      let caller = locations.field(3, of: index, in: bytes)
      frame.isInlined = caller != Self.none
      frame.entry = frame.isInlined ? nil : function.entry.map { LinkedAddress($0) }
      chain.append(frame)
      room -= frame.textSize
      index = Int(caller)
    }
    return chain
  }

  /// A function; nil for the index of a range without code, and for a damaged one.
  func function(_ index: Int) -> Function? {
    guard index < functions.count, let name = string(functions.field(0, of: index, in: bytes)) else {
      return nil
    }
    let entry = functions.field(2, of: index, in: bytes)
    return Function(name: name, entry: entry == Self.none ? nil : UInt64(entry))
  }

  private func location(_ index: Int) -> SourceLocation? {
    let (file, line) = (locations.field(0, of: index, in: bytes), locations.field(1, of: index, in: bytes))
    guard file < files.count else { return nil }
    let parts = (0..<3).map { string(files.field($0, of: Int(file), in: bytes)) ?? "" }
    let path = parts.reduce("") { path, part in
      if part.isEmpty { return path }
      return path.isEmpty || part.hasPrefix("/") ? part : path + (path.hasSuffix("/") ? "" : "/") + part
    }
    return path.isEmpty ? nil : SourceLocation(file: path, line: line == 0 ? nil : Int(line))
  }

  /// A string, which follows its length: four bytes in version 7, LEB128 later.
  private func string(_ offset: UInt32) -> String? {
    guard offset != Self.none, Int(offset) < strings.count else { return nil }
    var cursor = ByteCursor(strings, at: Int(offset), end: strings.count)
    let length = version == 7 ? cursor.integer(size: 4) : cursor.uleb()
    guard length <= UInt64(cursor.remaining) else { return nil }
    return strings.text(cursor.offset..<cursor.offset + Int(length))
  }
}
