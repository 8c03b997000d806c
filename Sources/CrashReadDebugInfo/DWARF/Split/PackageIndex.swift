internal import CrashReadCore

/// The index of a package of split units, `.debug_cu_index`: the contributions of each unit to the package's sections.
///
/// DWARF 5, section 7.3.5.3; before that GNU's version 2 (gcc.gnu.org/wiki/DebugFissionDWP).
struct PackageIndex {
  /// A contribution of a unit to a section.
  struct Contribution {
    var section: String
    var offset: Int
    var size: Int
  }

  private let bytes: [UInt8]
  private let version: UInt16
  private let columnCount: Int
  private let unitCount: Int
  private let slotCount: Int
  /// The maximum number of slots examined for one unit. Linkers leave a third of the table empty, so a search ends much
  /// earlier.
  private static let maximumProbes = 1 << 7

  /// Parses an index; nil for an unsupported version, and for a truncated one.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    let header = bytes.span
    do throws(TruncationError) {
      version = try header.integer(UInt16.self, at: 0)  // four bytes long in version 2
      columnCount = Int(try header.integer(UInt32.self, at: 4))
      unitCount = Int(try header.integer(UInt32.self, at: 8))
      slotCount = Int(try header.integer(UInt32.self, at: 12))
    } catch {
      return nil
    }
    guard version == 2 || version == 5, columnCount <= 16, slotCount & (slotCount &- 1) == 0,
      16 + 12 * slotCount + 4 * columnCount * (1 + 2 * unitCount) <= bytes.count
    else { return nil }
  }

  /// The contributions of the unit with an identity; nil when the package doesn't have it.
  func contributions(of id: UInt64) -> [Contribution]? {
    guard let row = row(of: id) else { return nil }
    let columns = 16 + 12 * slotCount
    let offsets = columns + 4 * columnCount * row
    return (0..<columnCount).compactMap { column in
      guard let section = section(number(at: columns + 4 * column)) else { return nil }
      let offset = offsets + 4 * column
      return Contribution(
        section: section, offset: number(at: offset), size: number(at: offset + 4 * columnCount * unitCount))
    }
  }

  /// The 1-based row of a unit in the tables of offsets and sizes, found in an open hash table with double hashing; nil
  /// when there is none.
  private func row(of id: UInt64) -> Int? {
    let mask = UInt64(slotCount) &- 1
    var slot = id & mask
    let step = (id >> 32) & mask | 1
    for _ in 0..<min(slotCount, Self.maximumProbes) {
      let row = number(at: 16 + 8 * slotCount + 4 * Int(slot))
      if row == 0 { return nil }
      if (try? bytes.span.integer(UInt64.self, at: 16 + 8 * Int(slot))) == id {
        return row <= unitCount ? row : nil
      }
      slot = (slot &+ step) & mask
    }
    return nil
  }

  /// A field of 4 bytes inside the index, whose size `init` has checked.
  private func number(at offset: Int) -> Int {
    (try? bytes.span.integer(UInt32.self, at: offset)).map(Int.init) ?? 0
  }

  /// The section of a column (`DW_SECT_…`); nil for those that aren't read here.
  private func section(_ column: Int) -> String? {
    switch (column, version) {
    case (1, _): ".debug_info.dwo"
    case (3, _): ".debug_abbrev.dwo"
    case (4, _): ".debug_line.dwo"
    case (5, 2): ".debug_loc.dwo"
    case (5, _): ".debug_loclists.dwo"
    case (6, _): ".debug_str_offsets.dwo"
    case (8, 5): ".debug_rnglists.dwo"
    default: nil
    }
  }
}
