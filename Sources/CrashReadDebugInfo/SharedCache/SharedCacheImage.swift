internal import CrashReadCore

/// The functions of an image in a shared cache: from its symbol table, its exports, and the cache's local symbols.
///
/// If the image lists the starts of its functions (`LC_FUNCTION_STARTS`), a name applies only to its own function.
final class SharedCacheImage: NameSource {
  private struct Entry {
    var address: UInt64
    /// The offset of the name in `strings`, or its index in `exported`.
    var name: Int
    var source: Source
  }
  private enum Source: Int { case local, table, exported }

  /// The maximum number of functions of an image: the largest images have several hundred thousand.
  private static let maximumFunctions = 1 << 22

  private let cache: SharedCache
  private var entries: [Entry] = []
  private var strings: [ByteView] = []
  private var exported: [String] = []
  private let starts: [UInt64]
  private let is64Bit: Bool
  /// A mask that clears bit 0, which marks Thumb code in exports and lists of starts.
  private let addressMask: UInt64
  private let code: Range<UInt64>

  /// Reads an image.
  /// - Throws: `DebugFileError` when the cache can't be read, or has no such image.
  init(path: String, slice: BinarySlice) throws(DebugFileError) {
    cache = try SharedCache(path: path)
    let address = slice.linkedBase.rawValue
    guard let image = MappedImage(cache, at: address), image.uuid.flatMap({ ImageID(bytes: $0) }) == slice.id
    else { throw .unsupported("a shared cache without the subcache of this image") }
    code = address..<(address &+ max(image.textSize, 1) > address ? address + max(image.textSize, 1) : .max)
    is64Bit = image.is64Bit
    addressMask = cache.architecture?.isARM32 ?? false ? ~1 : .max
    starts = Self.functionStarts(image, addressMask)
    readLocalSymbols()
    readSymbols(image)
    readExports(image)
    removeDuplicates()
  }

  var isChanged: Bool { cache.isChanged }

  // MARK: Reading

  private static func functionStarts(_ image: MappedImage, _ mask: UInt64) -> [UInt64] {
    let (bytes, count) = image.table(.functionStarts)
    var cursor = ByteCursor(bytes, at: 0, end: min(count, bytes.count))
    var starts: [UInt64] = []
    var address = image.address
    while !cursor.isAtEnd, starts.count < maximumFunctions {
      let step = cursor.uleb()
      if step == 0 { break }
      address &+= step
      starts.append(address & mask)
    }
    return starts.sorted()
  }

  /// Keeps the first of several names at one address.
  private func removeDuplicates() {
    entries.sort { ($0.address, $0.source.rawValue, $0.name) < ($1.address, $1.source.rawValue, $1.name) }
    var kept: [Entry] = []
    for entry in entries where entry.address != kept.last?.address { kept.append(entry) }
    entries = kept
  }

  private func readLocalSymbols() {
    guard let symbols = cache.localSymbols(of: code.lowerBound, entrySize: is64Bit ? 16 : 12) else { return }
    read(symbols.entries, count: .max, names: symbols.names, .local)
  }

  private func readSymbols(_ image: MappedImage) {
    let symbols = image.table(.symbols)
    let names = image.table(.strings)
    read(symbols.bytes, count: symbols.count, names: names.bytes.part(from: 0, size: names.count), .table)
  }

  private func read(_ symbols: ByteView, count: Int, names: ByteView, _ source: Source) {
    let table = MachOSymbolTable(
      symbolsOffset: 0, symbolCount: count, stringsOffset: 0, stringsSize: names.count, is64Bit: is64Bit)
    while strings.count <= source.rawValue { strings.append(ByteView()) }
    strings[source.rawValue] = names
    table.forEachSymbol(in: symbols) { symbol in
      guard entries.count < Self.maximumFunctions, symbol.isDefined, symbol.name > 0,
        symbol.name < names.count,
        code.contains(symbol.value)
      else {
        return
      }
      entries.append(Entry(address: symbol.value, name: symbol.name, source: source))
    }
  }

  private func readExports(_ image: MappedImage) {
    let (bytes, count) = image.table(.exports)
    var trie = ExportTrie(bytes.part(from: 0, size: count))
    trie.forEachExport { name, offset in
      let address = (image.address &+ offset) & addressMask
      guard code.contains(address) else { return }
      entries.append(Entry(address: address, name: exported.count, source: .exported))
      exported.append(name)
    }
  }

  // MARK: Look-up

  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol? {
    let address = address.rawValue
    guard code.contains(address), let entry = entry(at: address) else { return nil }
    // A name before the function's own start belongs to another function; this one's name was removed.
    let start = starts.partitioningIndex { $0 > address }
    if start > 0, starts[start - 1] > entry.address { return nil }
    return SymbolTable.Symbol(address: entry.address, name: name(of: entry), file: nil)
  }

  var functions: [(address: UInt64, name: String?)] {
    var functions: [(address: UInt64, name: String?)] = []
    for entry in entries { functions.append((entry.address, name(of: entry))) }
    let named = Set(functions.map(\.address))
    functions += starts.filter { !named.contains($0) && code.contains($0) }.map { ($0, nil) }
    return functions.sorted { $0.address < $1.address }
  }

  /// The last named address at or before this one.
  private func entry(at address: UInt64) -> Entry? {
    let next = entries.partitioningIndex { $0.address > address }
    return next > 0 ? entries[next - 1] : nil
  }

  private func name(of entry: Entry) -> String {
    let name =
      entry.source == .exported ? exported[entry.name] : strings[entry.source.rawValue].string(at: entry.name)
    // Mach-O puts an underscore in front of every C name.
    return name.hasPrefix("_") ? String(name.dropFirst()) : name
  }
}
