internal import CrashReadCore

/// Determines the innermost scope at every address of a function: the result of `ScopeTree.calls(at:)` for all
/// addresses at once.
struct ScopeFlattening {
  /// An address at which another scope becomes the innermost.
  struct Transition {
    var low: UInt64
    /// An index into the tree's scopes; negative for the function itself.
    var scope: Int32
  }

  /// The remaining number of assignments for a file. Real files take a few for each scope.
  private(set) var budget = 200_000_000
  private var borders: [UInt64] = []
  private var owners: [Int32] = []
  private var ranges: [(low: UInt64, high: UInt64, scope: Int32)] = []
  /// The parent of each scope.
  private(set) var parents: [Int32] = []

  /// Visits a function's scopes.
  ///
  /// - Parameters:
  ///   - tree: The scopes.
  ///   - search: Reads the ranges of entries.
  ///   - pieces: The function's code.
  /// - Returns: Where the innermost scope changes, from the start of each piece on, ascending; nil when that would take
  ///   too long, as only in hostile files.
  mutating func flatten(
    _ tree: ScopeTree, of search: any FunctionSearch, on pieces: ArraySlice<AddressPieces.Piece>
  ) -> [Transition]? {
    guard let first = pieces.first?.low, let last = pieces.last?.high else { return [] }
    findParents(tree)
    ranges.removeAll(keepingCapacity: true)
    for (index, scope) in tree.scopes.enumerated() {
      search.forEachRange(of: scope.entry) { low, high in
        guard low < high, low < last, high > first else { return }
        ranges.append((low, high, Int32(truncatingIfNeeded: index)))
      }
      guard ranges.count < budget else { return nil }
    }
    findBorders(pieces)
    owners.removeAll(keepingCapacity: true)
    owners.append(contentsOf: repeatElement(-1, count: borders.count))
    for range in ranges {
      guard assign(range) else { return nil }
    }
    return transitions(on: pieces)
  }

  private mutating func findParents(_ tree: ScopeTree) {
    parents.removeAll(keepingCapacity: true)
    var open: [(index: Int32, end: Int32)] = []
    for (index, scope) in tree.scopes.enumerated() {
      while let top = open.last, Int(top.end) <= index { open.removeLast() }
      parents.append(open.last?.index ?? -1)
      let number = Int32(truncatingIfNeeded: index)
      if scope.end > number + 1 { open.append((number, scope.end)) }
    }
  }

  private mutating func findBorders(_ pieces: ArraySlice<AddressPieces.Piece>) {
    borders.removeAll(keepingCapacity: true)
    for range in ranges { borders += [range.low, range.high] }
    for piece in pieces { borders += [piece.low, piece.high] }
    borders.sort()
    var count = 0
    for border in borders where count == 0 || borders[count - 1] != border {
      borders[count] = border
      count += 1
    }
    borders.removeLast(borders.count - count)
  }

  /// Assigns to a scope those of its addresses that belong to its parent: of overlapping siblings, the first one wins.
  private mutating func assign(_ range: (low: UInt64, high: UInt64, scope: Int32)) -> Bool {
    let parent = parents[Int(range.scope)]
    var index = position(of: range.low)
    while index < borders.count, borders[index] < range.high {
      if owners[index] == parent { owners[index] = range.scope }
      index += 1
      budget -= 1
    }
    return budget > 0
  }

  private func position(of border: UInt64) -> Int { borders.partitioningIndex { $0 >= border } }

  private func transitions(on pieces: ArraySlice<AddressPieces.Piece>) -> [Transition] {
    var transitions: [Transition] = []
    for piece in pieces {
      var index = position(of: piece.low)
      var owner: Int32?
      while index < borders.count, borders[index] < piece.high {
        if owners[index] != owner {
          transitions.append(Transition(low: borders[index], scope: owners[index]))
        }
        owner = owners[index]
        index += 1
      }
    }
    return transitions
  }
}
