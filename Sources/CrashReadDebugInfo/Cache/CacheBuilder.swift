internal import CrashReadCore
internal import CrashReadSystem

/// Collects the answer to a look-up of every address of a binary.
///
/// It uses the same readers as look-ups, function by function instead of address by address. What they would read from
/// other files, or only through libdw, isn't cached: there the cache refers to the file itself.
struct CacheBuilder {
  private var tables: CacheTables
  private var flattening = ScopeFlattening()
  private var scopes = ScopeTree()
  /// Functions of the current unit by address; values are nodes.
  private var functions: [(low: UInt64, node: UInt32)] = []

  /// The maximum processor time in seconds. No real file takes as long; a hostile one must not occupy a processor for
  /// hours.
  private static let secondsOfWork = 300
  /// The processor time of the process at the start, in seconds.
  private let start = processorSeconds()

  /// - Returns: The base address, and the sections in the order of `CacheFormat.Section`; nil for a file whose code is
  ///   spread too far, or that takes too long.
  static func build(
    _ handle: borrowing DwarfHandle, _ slice: BinarySlice, path: String
  ) -> (base: UInt64, sections: [[UInt8]])? {
    let index = UnitIndex(handle, splitFiles: SplitFiles(of: path), codeRanges: slice.codeRanges)
    let ranges = AddressPieces(index.ranges)
    let symbols = SymbolTable(handle, slice: slice)
    let lowest = [ranges.pieces.first?.low, symbols.bounds?.low].compactMap { $0 }.min() ?? 0
    let highest = max(ranges.pieces.last?.high ?? 0, symbols.bounds?.high ?? 0)
    guard highest - lowest <= UInt64(UInt32.max) else { return nil }

    var builder = CacheBuilder(base: lowest, maximumText: max(1 << 28, 2 * handle.fileView.count))
    guard builder.append(symbols), builder.append(index, ranges, isSupplemented: slice.alternate != nil),
      let sections = builder.tables.finished()
    else {
      return nil
    }
    return (lowest, sections)
  }

  private init(base: UInt64, maximumText: Int) { tables = CacheTables(base: base, maximumText: maximumText) }

  private mutating func append(_ symbols: SymbolTable) -> Bool {
    var fits = true
    symbols.forEachSymbol { symbol, size in
      tables.append(symbol, size: size)
      if size > UInt64(UInt32.max) { fits = false }
    }
    return fits
  }

  private mutating func append(
    _ index: UnitIndex, _ ranges: AddressPieces, isSupplemented: Bool
  ) -> Bool {
    var rangesOfUnit = [[AddressPieces.Piece]](repeating: [], count: index.units.count)
    for piece in ranges.pieces { rangesOfUnit[Int(piece.value)].append(piece) }
    for (number, ranges) in rangesOfUnit.enumerated() where !ranges.isEmpty {
      if isSupplemented {
        for range in ranges { appendUnknown(range) }
      } else {
        append(index.units[number].unread(), ranges)
      }
      if tables.isFull || processorSeconds() - start > Self.secondsOfWork { return false }
    }
    return true
  }

  private mutating func append(_ unit: DwarfUnit, _ ranges: [AddressPieces.Piece]) {
    guard let search = unit.cacheableSearch, let lines = unit.lines, let rows = lines.pieces(in: ranges)
    else {
      for range in ranges { appendUnknown(range) }
      return
    }
    functions.removeAll(keepingCapacity: true)
    appendFunctions(of: unit, search, lines, ranges)
    var files = UnitFiles(lines)
    var nextRow = 0
    var nextFunction = 0
    for range in ranges {
      append(range, rows, &nextRow, &nextFunction, &files)
    }
  }

  private mutating func appendUnknown(_ range: AddressPieces.Piece) {
    tables.append(CacheSegment(address: offset(range.low), node: CacheFormat.unknownNode))
    tables.endRun(at: offset(range.high))
  }

  private func offset(_ address: UInt64) -> UInt32 { UInt32(clamping: address - tables.base) }
}

// MARK: - Functions

extension CacheBuilder {
  /// Collects the starts and ends of functions and of the calls inlined into them.
  private mutating func appendFunctions(
    of unit: DwarfUnit, _ search: any FunctionSearch, _ lines: SourceLines, _ ranges: [AddressPieces.Piece]
  ) {
    var pieces = unit.functionPieces(search).clipped(to: ranges).pieces
    // All parts of a function adjacent, in the order of the file.
    pieces.sort { ($0.value, $0.low) < ($1.value, $1.low) }
    var writer = NodeWriter(unit, search, UnitFiles(lines))
    var rest = pieces[...]
    while let first = rest.first {
      let own = rest.prefix { $0.value == first.value }
      rest = rest[own.endIndex...]
      appendFunction(Int(first.value), own, search, &writer)
      for piece in own { functions.append((piece.high, CacheFormat.noNode)) }
    }
    // Where one ends and another begins, the beginning comes last and wins.
    functions.sort { ($0.low, $0.node == 0 ? 0 : 1) < ($1.low, $1.node == 0 ? 0 : 1) }
  }

  private mutating func appendFunction(
    _ function: Int, _ pieces: ArraySlice<AddressPieces.Piece>, _ search: any FunctionSearch,
    _ writer: inout NodeWriter
  ) {
    scopes.removeAll()
    search.readScopes(of: function, into: &scopes)
    guard let transitions = flattening.flatten(scopes, of: search, on: pieces) else {
      for piece in pieces { functions.append((piece.low, CacheFormat.unknownNode)) }
      return
    }
    writer.begin(function, scopes, &tables)
    for transition in transitions {
      functions.append((transition.low, writer.node(of: transition.scope, flattening.parents, &tables)))
    }
  }
}

// MARK: - Segments

extension CacheBuilder {
  /// Merges functions and lines for one range of a unit.
  private mutating func append(
    _ range: AddressPieces.Piece, _ rows: [LineProgram.Row], _ nextRow: inout Int, _ nextFunction: inout Int,
    _ files: inout UnitFiles
  ) {
    var segment = CacheSegment(address: offset(range.low))
    var address = range.low
    while address < range.high {
      while nextFunction < functions.count, functions[nextFunction].low <= address {
        segment.node = functions[nextFunction].node
        nextFunction += 1
      }
      while nextRow < rows.count, rows[nextRow].address <= address {
        files.add(rows[nextRow], in: &segment, &tables)
        nextRow += 1
      }
      segment.address = offset(address)
      tables.append(segment)
      let function = nextFunction < functions.count ? functions[nextFunction].low : .max
      let row = nextRow < rows.count ? rows[nextRow].address : .max
      address = min(function, row, range.high)
    }
    tables.endRun(at: offset(range.high))
  }
}
