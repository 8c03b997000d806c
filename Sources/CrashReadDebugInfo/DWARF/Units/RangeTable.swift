internal import CrashReadCore

/// Half-open address ranges with a value each, to find the range that contains an address.
struct RangeTable: Sendable {
  struct Entry: Sendable {
    var low: UInt64
    var high: UInt64
    var value: UInt64
  }

  private(set) var entries: [Entry] = []
  /// For each entry, the last entry before it that ends later, which may contain an address that it doesn't; -1 for
  /// none.
  private var outer: [Int32] = []
  /// For each entry, a more distant one along the chain of `outer` links, or itself at the end of the chain: a search
  /// takes few steps however long the chain is (the jump pointers of Myers, "An applicative random-access stack",
  /// 1983).
  private var farther: [Int32] = []

  /// The maximum number of entries, many times that of the largest programs: only lists that are read repeatedly have
  /// more.
  static let maximumEntries = 1 << 24

  private let limit: Int

  /// Creates an empty table.
  /// - Parameter limit: The maximum number of ranges; further ones are dropped.
  init(limit: Int = maximumEntries) { self.limit = limit }

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a range; empty ones and those beyond the limit are dropped.
  mutating func append(low: UInt64, high: UInt64, value: UInt64) {
    if low < high, entries.count < limit {
      entries.append(Entry(low: low, high: high, value: value))
    }
  }

  /// Makes the table ready for look-ups, after the last `append`.
  mutating func sort() {
    // Compilers write most ranges in order already.
    if zip(entries, entries.dropFirst()).contains(where: { Self.isBefore($1, $0) }) {
      entries.sort(by: Self.isBefore)
    }
    linkOuter()
  }

  private mutating func linkOuter() {
    outer = []
    farther = []
    var depths: [Int32] = []
    for index in entries.indices {
      var next = Int32(index) - 1
      while next >= 0, entries[Int(next)].high <= entries[index].high { next = outer[Int(next)] }
      outer.append(next)
      guard next >= 0 else {
        farther.append(Int32(index))
        depths.append(0)
        continue
      }
      let jump = farther[Int(next)]
      let isDoubled =
        depths[Int(next)] - depths[Int(jump)] == depths[Int(jump)] - depths[Int(farther[Int(jump)])]
      farther.append(isDoubled ? farther[Int(jump)] : next)
      depths.append(depths[Int(next)] + 1)
    }
  }

  /// The order of entries. Of ranges with the same start, the longest comes first, so that the most specific is found
  /// first.
  private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
    (left.low, right.high) < (right.low, left.high)
  }

  /// The range that contains an address; of several, the one that begins last. Nil when there is none.
  func find(_ address: UInt64) -> Entry? {
    var index = entries.partitioningIndex { $0.low > address } - 1
    while index >= 0, entries[index].high <= address {
      let jump = Int(farther[index])
      if entries[jump].high > address {
        index = Int(outer[index])
      } else if jump != index {
        index = jump
      } else {
        return nil
      }
    }
    return index < 0 ? nil : entries[index]
  }
}

/// Reads `.debug_aranges` (DWARF 5, section 6.1.2): the addresses of each unit, if the compiler recorded them.
///
/// Units that aren't listed may cover addresses as well; clang and swiftc on Linux don't write the section.
/// - Parameters:
///   - section: The section's bytes.
///   - body: Called with the offset of a unit's header in `.debug_info`, and one of its ranges, `high` exclusive.
func forEachAddressRange(
  in section: ByteView, _ body: (_ unit: Int, _ low: UInt64, _ high: UInt64) -> Void
) {
  var start = 0
  while start < section.count {
    var cursor = ByteCursor(section, at: start, end: section.count)
    guard let (length, offsetSize) = cursor.unitLength(), length > 0 else { return }
    let end = cursor.offset + length
    cursor.skip(2)  // version
    let unit = Int(clamping: cursor.integer(size: offsetSize))
    let addressSize = Int(cursor.integer(size: 1))
    let segmentSize = Int(cursor.integer(size: 1))
    if addressSize == 4 || addressSize == 8, segmentSize == 0 {
      // The first pair is aligned to a pair's size, relative to the header's start.
      let pair = 2 * addressSize
      cursor.move(to: start + (cursor.offset - start + pair - 1) / pair * pair)
      while cursor.offset + pair <= end {
        let low = cursor.integer(size: addressSize)
        let size = cursor.integer(size: addressSize)
        if low == 0, size == 0 { break }
        let (high, overflow) = low.addingReportingOverflow(size)
        if !overflow { body(unit, low, high) }
      }
    }
    start = end
  }
}
