internal import CrashReadCore

/// Answers look-ups from a cache file as the debug file would.
///
/// Not thread-safe: `DebugFile` uses it under its lock.
final class CacheReader: SymbolSource {
  private let pages: CheckedPages
  private let base: UInt64
  private let blockCount: Int
  private var names: [UInt32: FunctionName] = [:]
  private var files: [UInt32: String] = [:]

  init(_ pages: CheckedPages) {
    self.pages = pages
    base = pages.bytes.integer(at: CacheFormat.Field.base, size: 8)
    blockCount = pages.range(of: .blockStarts).count / 4
  }

  /// Whether damage was found; answers given since the last check must not be used then.
  var isDamaged: Bool { pages.isDamaged }

  /// Whether the whole file is intact; reads all of it.
  var isWhole: Bool { pages.isWhole }

  /// The functions at an address as `DwarfUnit.chain(at:)` has them; nil if the debug file itself must be read.
  func chain(at address: LinkedAddress) -> FunctionChain? {
    guard address.rawValue >= base, let offset = UInt32(exactly: address.rawValue - base) else {
      return FunctionChain(frames: [])
    }
    guard let segment = segment(at: offset), segment.node != CacheFormat.unknownNode else { return nil }
    let location = location(segment.file, segment.line, segment.column)
    guard segment.node != CacheFormat.noNode else {
      return FunctionChain(frames: location.map { [SourceFrame(location: $0)] } ?? [])
    }
    return chain(from: segment.node, location)
  }

  /// The number of sorted entries at or before an address; nil for damage.
  private func end(
    of count: Int, beginningUpTo address: UInt32, _ start: (Int) -> UInt32?
  ) -> Int? {
    var isDamaged = false
    let end = (0..<count).partitioningIndex { index in
      guard let start = start(index) else {
        isDamaged = true
        return true
      }
      return start > address
    }
    return isDamaged ? nil : end
  }

  // MARK: Segments

  /// The segment that covers an address; an empty one before the first segment. Nil for damage.
  private func segment(at address: UInt32) -> CacheSegment? {
    guard let end = end(of: blockCount, beginningUpTo: address, { pages.number($0, in: .blockStarts) })
    else { return nil }
    guard end > 0 else { return CacheSegment(address: 0) }
    guard let start = pages.number(end - 1, in: .blockStarts),
      let offset = pages.number(end - 1, in: .blockOffsets),
      let block = pages.record(at: Int(offset), in: .segments, limit: CacheFormat.maximumBlockSize)
    else { return nil }
    return segment(at: address, in: block, from: start)
  }

  private func segment(at address: UInt32, in block: ByteCursor, from start: UInt32) -> CacheSegment {
    var cursor = block
    var segment = CacheSegment(address: start)
    for _ in 0..<min(cursor.uleb(), UInt64(CacheFormat.segmentsPerBlock)) {
      let head = cursor.uleb()
      let next = UInt64(segment.address) &+ head >> CacheFormat.Change.bits
      guard next <= UInt64(address) else { break }
      segment.address = UInt32(next)
      segment.apply(head, &cursor)
    }
    return segment
  }

  // MARK: Nodes

  private func chain(from node: UInt32, _ location: SourceLocation?) -> FunctionChain? {
    var frames: [SourceFrame] = []
    var location = location
    var node = Int(node)
    // Each node follows the one it is inlined into, so this terminates.
    while var cursor = pages.record(at: node, in: .nodes, limit: CacheFormat.maximumNodeSize) {
      let distance = cursor.uleb()
      if distance == 0 { return chain(frames, endingWith: &cursor, location) }
      guard distance <= UInt64(node), let name = name(cursor.uleb()) else { return nil }
      frames.append(SourceFrame(name, location: location, isInlined: true))
      let file = cursor.uleb()
      location = file == 0 ? nil : self.location(UInt32(clamping: file), cursor.uleb(), cursor.uleb())
      node -= Int(distance)
    }
    return nil
  }

  private func chain(
    _ frames: [SourceFrame], endingWith cursor: inout ByteCursor, _ location: SourceLocation?
  ) -> FunctionChain? {
    let flags = cursor.uleb()
    guard let name = name(cursor.uleb()) else { return nil }
    var frame = SourceFrame(name, location: location)
    if flags & CacheFormat.FunctionFlag.hasEntry != 0 {
      frame.entry = LinkedAddress(base &+ UInt64(bitPattern: cursor.uleb().unzigzagged))
    }
    let isUnnamed = flags & CacheFormat.FunctionFlag.isUnnamed != 0
    return FunctionChain(frames: frames + [frame], unnamedEntry: isUnnamed ? frame.entry : nil)
  }

  private func name(_ number: UInt64) -> FunctionName? {
    if number == 0 { return .unknown }
    let number = UInt32(clamping: number)
    if let known = names[number] { return known }
    guard let linkage = pages.number(2 * Int(number - 1), in: .names),
      let source = pages.number(2 * Int(number - 1) + 1, in: .names)
    else { return nil }
    let name = FunctionName(
      linkage: linkage == 0 ? nil : pages.string(at: linkage),
      source: source == 0 ? nil : pages.string(at: source))
    names[number] = name
    return name
  }

  private func location(_ file: UInt32, _ line: UInt64, _ column: UInt64) -> SourceLocation? {
    guard file > 0 else { return nil }
    return path(file).map { path in
      SourceLocation(
        file: path, line: line == 0 ? nil : Int(clamping: line),
        column: column == 0 ? nil : Int(clamping: column))
    }
  }

  private func path(_ file: UInt32) -> String? {
    if let known = files[file] { return known }
    let path = pages.number(Int(file - 1), in: .files).flatMap { pages.string(at: $0) }
    files[file] = path
    return path
  }
}

// MARK: - Symbols

extension CacheReader {
  private static let symbolSize = 4

  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol? {
    guard address.rawValue >= base,
      let offset = UInt32(exactly: min(address.rawValue - base, UInt64(UInt32.max)))
    else { return nil }
    guard let end = end(of: symbolCount, beginningUpTo: offset, { field(0, ofSymbol: $0) }), end > 0,
      let start = field(0, ofSymbol: end - 1), let size = field(1, ofSymbol: end - 1),
      size == 0 || address.rawValue - base - UInt64(start) < UInt64(size),
      let name = field(2, ofSymbol: end - 1).flatMap({ pages.string(at: $0) }),
      let file = field(3, ofSymbol: end - 1)
    else { return nil }
    return SymbolTable.Symbol(
      address: base + UInt64(start), name: name, file: file == 0 ? nil : pages.string(at: file))
  }

  func names(beginningAt address: LinkedAddress) -> [String] {
    guard address.rawValue >= base, let offset = UInt32(exactly: address.rawValue - base),
      let end = end(of: symbolCount, beginningUpTo: offset, { field(0, ofSymbol: $0) }), end > 0
    else { return [] }
    let size = field(1, ofSymbol: end - 1)
    return (max(0, end - Self.maximumNames)..<end).reversed()
      .prefix { field(0, ofSymbol: $0) == offset && field(1, ofSymbol: $0) == size }
      .compactMap { field(2, ofSymbol: $0).flatMap { pages.string(at: $0) } }
  }

  private var symbolCount: Int { pages.range(of: .symbols).count / (4 * Self.symbolSize) }

  private func field(_ index: Int, ofSymbol symbol: Int) -> UInt32? {
    pages.number(Self.symbolSize * symbol + index, in: .symbols)
  }
}
