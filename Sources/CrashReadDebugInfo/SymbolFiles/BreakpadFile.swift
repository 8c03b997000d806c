internal import CrashReadCore
internal import CrashReadSystem

/// A Breakpad symbol file (`.sym`), as Electron, Chromium and Firefox publish: text with one record per line.
///
/// Addresses are relative to the load address. Source: Breakpad's `docs/symbol_files.md`.
final class BreakpadFile: NameSource {
  /// A `FUNC` or a `PUBLIC` record.
  private struct Entry {
    var address: UInt64
    /// The size in bytes; nil for `PUBLIC`, which extends to the next entry.
    var size: UInt64?
    /// The range of the name in the text.
    var name: Range<Int>
  }

  static let mark = Array("MODULE ".utf8)

  /// The maximum number of entries: the largest files have about a million.
  private static let maximumEntries = 1 << 23

  private let file: MappedFile
  private let text: ByteView
  private var entries: [Entry] = []
  /// The ranges of the paths of `FILE` and the names of `INLINE_ORIGIN`, by number.
  private var paths: [UInt64: Range<Int>] = [:]
  private var origins: [UInt64: Range<Int>] = [:]
  /// The function that was read last: addresses are looked up in order.
  private var lastBody: (entry: Int, body: BreakpadFunction)?

  /// Reads a file.
  /// - Throws: `DebugFileError` when the file can't be read, or belongs to another build by now.
  init(path: String, slice: BinarySlice) throws(DebugFileError) {
    file = try MappedFile.debugFile(path)
    text = file.view
    guard let own = Self.slice(text), own.id == slice.id else { throw .changedWhileOpen }
    readRecords()
    // At one address, a function is more useful than a public symbol, and otherwise the first one.
    entries.sort {
      ($0.address, $0.size == nil ? 1 : 0, $0.name.lowerBound)
        < ($1.address, $1.size == nil ? 1 : 0, $1.name.lowerBound)
    }
  }

  /// Reads the `MODULE` record and, for ELF, the build-id in `INFO CODE_ID`; nil for other text.
  static func slice(_ text: ByteView) -> BinarySlice? {
    var record = SymbolRecord(text, at: 0)
    guard record.word() == "MODULE", let system = record.word(), let architecture = record.word(),
      let digits = record.word(), (33...40).contains(digits.utf8.count),
      let uuid = ImageID(parsing: digits.prefix(32))
    else { return nil }
    var slice = BinarySlice(layout: .breakpad, fileOffset: 0)
    slice.id = uuid
    slice.architecture = Architecture(rawValue: architecture == "x86" ? "i386" : architecture)
    while let next = record.next() {
      record = next
      guard record.word() == "INFO" else { break }
      guard record.word() == "CODE_ID", let id = record.word() else { continue }
      // It equals a UUID, except on Windows, where it consists of a time and a size.
      if system != "windows", let build = ImageID(parsing: id), build.byteCount >= 16 { slice.id = build }
    }
    return slice
  }

  var isChanged: Bool { file.isChanged }

  // MARK: Reading

  private func readRecords() {
    var record = SymbolRecord(text, at: 0)
    while true {
      read(record)
      guard let next = record.next() else { return }
      record = next
    }
  }

  private func read(_ record: SymbolRecord) {
    var record = record
    if record.take("FUNC") {
      readFunction(record)
    } else if record.take("PUBLIC") {
      readPublic(record)
    } else if record.take("FILE") {
      readName(record, into: &paths)
    } else if record.take("INLINE_ORIGIN") {
      readName(record, into: &origins)
    }
  }

  /// Reads `[m] address size parameter-size name`.
  private func readFunction(_ record: SymbolRecord) {
    var record = record
    _ = record.take("m")
    guard let address = record.hexadecimal(), let size = record.hexadecimal(), record.hexadecimal() != nil
    else { return }
    append(Entry(address: address, size: size, name: record.rest()))
  }

  /// Reads `[m] address parameter-size name`.
  private func readPublic(_ record: SymbolRecord) {
    var record = record
    _ = record.take("m")
    guard let address = record.hexadecimal(), record.hexadecimal() != nil else { return }
    append(Entry(address: address, size: nil, name: record.rest()))
  }

  private func append(_ entry: Entry) {
    if entries.count < Self.maximumEntries, !entry.name.isEmpty { entries.append(entry) }
  }

  /// Reads `number name`.
  private func readName(_ record: SymbolRecord, into names: inout [UInt64: Range<Int>]) {
    var record = record
    guard let number = record.decimal(), names.count < Self.maximumEntries else { return }
    names[number] = record.rest()
  }

  // MARK: Look-up

  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol? {
    index(at: address).map {
      SymbolTable.Symbol(address: entries[$0].address, name: text.text(entries[$0].name), file: nil)
    }
  }

  var functions: [(address: UInt64, name: String?)] {
    var functions: [(address: UInt64, name: String?)] = []
    for entry in entries where functions.last?.address != entry.address {
      functions.append((entry.address, text.text(entry.name)))
    }
    return functions
  }

  func frames(at address: LinkedAddress) -> [SourceFrame] {
    guard let index = index(at: address), entries[index].size != nil else { return [] }
    let body = body(of: index)
    let line = body.line(at: address.rawValue)
    let calls = body.calls(at: address.rawValue)
    guard line != nil || !calls.isEmpty else { return [] }
    // Calls of the same function share one name.
    let names = Dictionary(grouping: calls, by: \.origin).mapValues {
      origins[$0[0].origin].map(name) ?? .unknown
    }
    return inlineChain(
      name(in: entries[index].name), entry: LinkedAddress(entries[index].address),
      calls: calls.reversed().map { call in
        NamedCall(
          name: names[call.origin] ?? .unknown, callSite: location(call.callFile, call.callLine))
      },
      location: line.flatMap { location($0.file, $0.line) })
  }

  /// The index of the first entry at the last address up to the given one; nil when that function ends before the
  /// address.
  private func index(at address: LinkedAddress) -> Int? {
    let upperBound = entries.partitioningIndex { $0.address > address.rawValue }
    guard upperBound > 0 else { return nil }
    let start = entries[upperBound - 1].address
    let index = entries[..<upperBound].partitioningIndex { $0.address >= start }
    guard let size = entries[index].size else { return index }
    return address.rawValue - start < size ? index : nil
  }

  private func body(of index: Int) -> BreakpadFunction {
    if let lastBody, lastBody.entry == index { return lastBody.body }
    let body = BreakpadFunction(text, after: entries[index].name.upperBound)
    lastBody = (index, body)
    return body
  }

  private func name(in range: Range<Int>) -> FunctionName {
    FunctionName(linkage: text.text(range), source: nil)
  }

  private func location(_ file: UInt64, _ line: UInt64) -> SourceLocation? {
    paths[file].map { SourceLocation(file: text.text($0), line: line == 0 ? nil : Int(clamping: line)) }
  }
}

/// The line and `INLINE` records after a `FUNC` record.
private struct BreakpadFunction {
  struct Line {
    var address: UInt64
    var size: UInt64
    var line: UInt64
    var file: UInt64
  }
  struct Call {
    var level: UInt64
    var callLine: UInt64
    var callFile: UInt64
    var origin: UInt64
    var range: Range<UInt64>
  }

  /// The maximum number of records of a function.
  private static let maximumLines = 1 << 20
  private static let maximumCalls = 1 << 14
  /// The maximum nesting depth of calls.
  private static let maximumLevels: UInt64 = 1000

  private var lines: [Line] = []
  private var calls: [Call] = []

  init(_ text: ByteView, after offset: Int) {
    var record = SymbolRecord(text, at: offset)
    while let next = record.next() {
      record = next
      if record.take("INLINE") {
        readCall(record)
      } else if let line = Self.line(record) {
        if lines.count < Self.maximumLines { lines.append(line) }
      } else {
        break
      }
    }
    lines.sort { $0.address < $1.address }
  }

  private static func line(_ record: SymbolRecord) -> Line? {
    var record = record
    guard let address = record.hexadecimal(), let size = record.hexadecimal(), let line = record.decimal(),
      let file = record.decimal()
    else { return nil }
    return Line(address: address, size: size, line: line, file: file)
  }

  /// Reads `level line file origin [address size]…`.
  private mutating func readCall(_ record: SymbolRecord) {
    var record = record
    guard let level = record.decimal(), let line = record.decimal(), let file = record.decimal(),
      let origin = record.decimal()
    else { return }
    while calls.count < Self.maximumCalls, let start = record.hexadecimal(), let size = record.hexadecimal() {
      let (end, overflow) = start.addingReportingOverflow(size)
      if !overflow {
        calls.append(Call(level: level, callLine: line, callFile: file, origin: origin, range: start..<end))
      }
    }
  }

  func line(at address: UInt64) -> Line? {
    let upperBound = lines.partitioningIndex { $0.address > address }
    guard upperBound > 0, address - lines[upperBound - 1].address < lines[upperBound - 1].size else {
      return nil
    }
    return lines[upperBound - 1]
  }

  /// The calls inlined at an address, outermost first, without gaps between levels.
  func calls(at address: UInt64) -> [Call] {
    var found: [UInt64: Call] = [:]
    for call in calls where call.level < Self.maximumLevels && call.range.contains(address) {
      found[call.level] = found[call.level] ?? call
    }
    var chain: [Call] = []
    while let call = found[UInt64(chain.count)] { chain.append(call) }
    return chain
  }
}
