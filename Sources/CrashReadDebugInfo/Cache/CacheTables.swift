internal import CrashReadCore

/// The sections of a cache file under construction.
struct CacheTables {
  let base: UInt64
  private var blocks: [(start: UInt32, offset: UInt32)] = []
  private var segments: [UInt8] = []
  private var nodes = [UInt8](repeating: 0, count: Int(CacheFormat.firstNode))
  private var names: [UInt8] = []
  private var files: [UInt8] = []
  private var symbols: [UInt8] = []
  // Offset 0 is reserved for no string.
  private var strings: [UInt8] = [0]

  private var knownStrings: [String: UInt32] = [:]
  private var knownNames: [UInt64: UInt32] = [:]
  private var knownFiles: [UInt32: UInt32] = [:]
  /// Segments of the current block.
  private var pending: [CacheSegment] = []

  /// The maximum size of all strings in bytes: names that overlap in the file could take much more space than the file
  /// itself.
  private let maximumText: Int
  /// Whether that size is exceeded, so that no cache can be created.
  private(set) var isFull = false

  init(base: UInt64, maximumText: Int) {
    self.base = base
    self.maximumText = maximumText
  }

  /// The offset of a string, which is added on first use.
  private mutating func string(_ text: String) -> UInt32 {
    if let known = knownStrings[text] { return known }
    isFull = isFull || strings.count + text.utf8.count > maximumText
    if isFull { return 0 }
    let offset = UInt32(clamping: strings.count)
    strings.append(contentsOf: text.utf8)
    strings.append(0)
    knownStrings[text] = offset
    return offset
  }

  /// The number of a name, which is added on first use; 0 for none.
  mutating func name(_ name: FunctionName) -> UInt32 {
    if name.isUnknown { return 0 }
    let linkage = name.linkage.map { string($0) } ?? 0
    let source = name.source.map { string($0) } ?? 0
    let pair = UInt64(linkage) << 32 | UInt64(source)
    if let known = knownNames[pair] { return known }
    names.append(UInt64(linkage), size: 4)
    names.append(UInt64(source), size: 4)
    let number = UInt32(clamping: names.count / 8)
    knownNames[pair] = number
    return number
  }

  /// The number of a file, which is added on first use; 0 for none.
  mutating func file(_ path: String?) -> UInt32 {
    guard let path else { return 0 }
    let offset = string(path)
    if let known = knownFiles[offset] { return known }
    files.append(UInt64(offset), size: 4)
    let number = UInt32(clamping: files.count / 4)
    knownFiles[offset] = number
    return number
  }

  /// Adds a symbol. Symbols are added in ascending order of address.
  mutating func append(_ symbol: SymbolTable.Symbol, size: UInt64) {
    symbols.append(symbol.address - base, size: 4)
    symbols.append(size, size: 4)
    let name = string(symbol.name)
    symbols.append(UInt64(name), size: 4)
    let file = symbol.file.map { string($0) } ?? 0
    symbols.append(UInt64(file), size: 4)
  }
}

// MARK: - Nodes

extension CacheTables {
  /// Adds a function; returns its node.
  mutating func appendFunction(name: UInt32, entry: LinkedAddress?, isUnnamed: Bool) -> UInt32 {
    let node = UInt32(clamping: nodes.count)
    typealias Flag = CacheFormat.FunctionFlag
    nodes.append(0)
    nodes.appendULEB((entry == nil ? 0 : Flag.hasEntry) | (isUnnamed ? Flag.isUnnamed : 0))
    nodes.appendULEB(UInt64(name))
    if let entry { nodes.appendULEB(UInt64(zigzag: Int64(bitPattern: entry.rawValue &- base))) }
    return node
  }

  /// Adds a call inlined into a node; returns its node.
  mutating func appendCall(
    name: UInt32, in caller: UInt32, file: UInt32, line: UInt64, column: UInt64
  ) -> UInt32 {
    let node = UInt32(clamping: nodes.count)
    nodes.appendULEB(UInt64(node - caller))
    nodes.appendULEB(UInt64(name))
    nodes.appendULEB(UInt64(file))
    if file > 0 {
      nodes.appendULEB(line)
      nodes.appendULEB(column)
    }
    return node
  }
}

// MARK: - Segments

extension CacheTables {
  /// Adds a segment to the current run. Addresses ascend within a run; runs may come in any order.
  mutating func append(_ segment: CacheSegment) {
    if let last = pending.last, last.hasSameContents(as: segment) { return }
    // A slot is left for the segment that ends the run, so that no block holds only that one.
    if pending.count == CacheFormat.segmentsPerBlock - 1 { writeBlock() }
    pending.append(segment)
  }

  /// Ends the current run: from the address on there is no answer until another run begins.
  mutating func endRun(at address: UInt32) {
    if !pending.isEmpty { pending.append(CacheSegment(address: address)) }
    writeBlock()
  }

  private mutating func writeBlock() {
    guard let first = pending.first else { return }
    blocks.append((first.address, UInt32(clamping: segments.count)))
    segments.appendULEB(UInt64(pending.count))
    var previous = CacheSegment(address: first.address)
    for segment in pending {
      segment.append(after: previous, to: &segments)
      previous = segment
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// The sections, in the order of `CacheFormat.Section`; nil when one is too large for offsets of 4 bytes.
  consuming func finished() -> [[UInt8]]? {
    blocks.sort { $0.start < $1.start }
    var starts: [UInt8] = []
    var offsets: [UInt8] = []
    for block in blocks {
      starts.append(UInt64(block.start), size: 4)
      offsets.append(UInt64(block.offset), size: 4)
    }
    let sections = [starts, offsets, segments, nodes, names, files, symbols, strings]
    return !isFull && sections.allSatisfy { $0.count < Int(UInt32.max) } ? sections : nil
  }
}
