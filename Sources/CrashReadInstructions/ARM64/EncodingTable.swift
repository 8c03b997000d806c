internal import Synchronization

/// Rows of encodings, searched by the instruction word.
final class EncodingTable: Sendable {
  private struct Entry {
    var bits: EncodingBits
    var line: ArraySlice<UInt8>
  }

  /// Rows by bits 28 to 25 of the word, which distinguish the groups of encodings.
  private let groups: [[Entry]]
  /// The parsed rows, by their position in the text. A report's code needs few of the rows, and the next report the
  /// same ones.
  private let rows = Mutex<[Int: EncodingRow]>([:])

  /// Indexes a text with a row per line.
  init(_ text: String) {
    var groups = [[Entry]](repeating: [], count: 16)
    let text = Array(text.utf8)
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      let line = text[start..<end].drop { $0 == UInt8(ascii: " ") }
      start = end + 1
      guard line.count > 32 else { continue }
      let bits = EncodingBits(line)
      for group in groups.indices {
        let fixed = UInt32(group) << 25 & bits.mask
        if fixed == bits.value & 0x1e00_0000 & bits.mask {
          groups[group].append(Entry(bits: bits, line: line))
        }
      }
    }
    self.groups = groups
  }

  /// The first non-nil result of `body` for the rows that match a word, in order.
  func first<Result>(for word: UInt32, _ body: (EncodingRow) -> Result?) -> Result? {
    for entry in groups[Int(word >> 25 & 15)] where word & entry.bits.mask == entry.bits.value {
      let row = row(entry.line)
      if row.matches(word), let result = body(row) { return result }
    }
    return nil
  }

  private func row(_ line: ArraySlice<UInt8>) -> EncodingRow {
    rows.withLock { rows in
      if let known = rows[line.startIndex] { return known }
      let row = EncodingRow(line)
      rows[line.startIndex] = row
      return row
    }
  }
}
