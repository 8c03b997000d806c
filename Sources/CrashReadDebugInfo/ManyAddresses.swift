internal import CrashReadCore
internal import CrashReadSystem

// Look-ups of many addresses. Units are independent, so each thread can process its own.

extension DebugFileContents {
  /// Functions at each of many addresses.
  ///
  /// - Parameters:
  ///   - addresses: Preferably ascending: those in one function are then looked up in a row.
  ///   - slice: The binary they are in.
  ///   - text: The maximum size of all names and paths together.
  ///   - threads: The maximum number of threads; nil to decide by the amount of work.
  /// - Returns: The result of `frames(at:slice:)` for each, in order; nil when that is too much text.
  func frames(
    at addresses: [LinkedAddress], slice: BinarySlice, _ text: Budget = Budget(.max), threads: Int? = nil
  ) -> [[SourceFrame]]? {
    if let objects = objectFiles(slice) {
      let found = addresses.map { text.left == 0 ? [] : text.spent(on: objects.frames(at: $0)) }
      return text.left == 0 ? nil : found
    }
    let queries = queries(addresses, unitIndex(slice))
    for query in queries { query.unit.openSplit() }
    let threads = threads ?? threadCount(queries)
    // No two threads get the same unit.
    nonisolated(unsafe) let shared = queries
    let answers = concurrentMap(queries.count, threads: threads) { number in
      let query = unsafe shared[number]
      return query.positions.map { position in
        guard text.left > 0 else { return FunctionChain(frames: []) }
        FileInUse.recordLookup(of: addresses[position].rawValue)
        let chain = query.unit.chain(at: addresses[position])
        _ = text.spent(on: chain.frames)
        return chain
      }
    }
    guard text.left > 0 else { return nil }
    var frames = [[SourceFrame]](repeating: [], count: addresses.count)
    for (query, chains) in zip(queries, answers) {
      for (position, chain) in zip(query.positions, chains) {
        frames[position] = self.frames(of: chain, at: addresses[position], slice)
      }
    }
    return frames
  }

  /// The addresses in each unit, those with the most work first: a large unit left for the end would keep one thread
  /// busy while the others wait.
  private func queries(_ addresses: [LinkedAddress], _ index: UnitIndex) -> [UnitQuery] {
    var positions: [Int: [Int]] = [:]
    for (position, address) in addresses.enumerated() {
      if let unit = index.number(at: address) { positions[unit, default: []].append(position) }
    }
    let queries = positions.sorted { $0.key < $1.key }.map { unit, positions in
      UnitQuery(unit: index.units[unit], positions: positions)
    }
    return queries.sorted { $0.work > $1.work }
  }

  /// The number of threads that is worth starting: starting one takes as long as reading a few dozen kilobytes of
  /// entries.
  private func threadCount(_ queries: [UnitQuery]) -> Int {
    let work = queries.reduce(0) { $0 + $1.work }
    return work < 1 << 20 ? 1 : min(processorCount, work >> 19)
  }
}

extension Budget {
  /// Deducts the size of the names and paths of an answer, which it returns.
  func spent(on frames: [SourceFrame]) -> [SourceFrame] {
    spend(frames.reduce(0) { $0 + $1.textSize })
    return frames
  }
}

/// The addresses to look up in one unit.
private struct UnitQuery {
  let unit: DwarfUnit
  /// Indices of the addresses.
  let positions: [Int]
  /// An estimate of the number of bytes that must be read.
  let work: Int

  init(unit: DwarfUnit, positions: [Int]) {
    self.unit = unit
    self.positions = positions
    work = unit.unreadSize + positions.count << 12
  }
}
