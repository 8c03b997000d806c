/// Disjoint half-open address ranges in ascending order, with a value each.
struct AddressPieces {
  typealias Piece = RangeTable.Entry

  private(set) var pieces: [Piece] = []

  /// Adds a range after all others; an empty one is left out.
  mutating func append(low: UInt64, high: UInt64, value: UInt64) {
    if low < high { pieces.append(Piece(low: low, high: high, value: value)) }
  }

  /// The pieces on each of which `table.find` returns the same value.
  init(_ table: RangeTable) {
    // The ranges that contain the address reached, the one that begins last on top.
    var open: [Piece] = []
    var reached: UInt64 = 0
    for entry in table.entries {
      close(&open, &reached, until: entry.low)
      reached = entry.low
      open.append(entry)
    }
    close(&open, &reached, until: .max)
  }

  init() {}

  private mutating func close(_ open: inout [Piece], _ reached: inout UInt64, until end: UInt64) {
    while let top = open.last {
      let high = min(top.high, end)
      append(low: reached, high: high, value: top.value)
      reached = max(reached, high)
      if top.high > end { return }
      open.removeLast()
    }
  }

  /// The parts inside the given ranges, whose values are ignored.
  func clipped(to ranges: [Piece]) -> AddressPieces {
    var result = AddressPieces()
    var index = 0
    for range in ranges {
      while index > 0, pieces[index - 1].high > range.low { index -= 1 }
      while index < pieces.count, pieces[index].high <= range.low { index += 1 }
      while index < pieces.count, pieces[index].low < range.high {
        let piece = pieces[index]
        result.append(low: max(piece.low, range.low), high: min(piece.high, range.high), value: piece.value)
        index += 1
      }
    }
    return result
  }

  /// These pieces, and the parts of the others that lie between them.
  func filled(with others: AddressPieces) -> AddressPieces {
    var gaps: [Piece] = []
    var reached: UInt64 = 0
    for piece in pieces {
      if reached < piece.low { gaps.append(Piece(low: reached, high: piece.low, value: 0)) }
      reached = piece.high
    }
    gaps.append(Piece(low: reached, high: .max, value: 0))
    var result = AddressPieces()
    result.pieces = pieces + others.clipped(to: gaps).pieces
    result.pieces.sort { $0.low < $1.low }
    return result
  }
}
