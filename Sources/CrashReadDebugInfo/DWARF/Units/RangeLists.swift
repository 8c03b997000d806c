internal import CCrashReadElfutils

extension EntryReader {
  /// Calls `body` with each range of the list that `DW_AT_ranges` refers to, `high` exclusive.
  func forEachRange(
    of attribute: AbbreviationTable.Attribute, _ value: inout ByteCursor,
    _ body: (_ low: UInt64, _ high: UInt64) -> Void
  ) {
    if unit.encoding.version >= 5 {
      let start =
        Int(attribute.form) == DW_FORM_rnglistx ? list(atIndex: value.uleb()) : offset(attribute, &value)
      if let start { readList(at: start, body) }
    } else if let start = offset(attribute, &value), start <= sections.ranges.count {
      readOldList(at: start &+ rangesBase, body)
    }
  }

  /// The offset of the list with an index, from the table of offsets after the header of `.debug_rnglists`.
  private func list(atIndex index: UInt64) -> Int? {
    entry(index, size: unit.encoding.offsetSize, of: sections.rangeLists, from: rangeListsBase).flatMap {
      let (start, overflow) = Int(clamping: $0).addingReportingOverflow(rangeListsBase)
      return overflow ? nil : start
    }
  }

  /// `.debug_ranges` (DWARF 4, section 2.17.3): pairs of addresses relative to a base.
  private func readOldList(at start: Int, _ body: (UInt64, UInt64) -> Void) {
    guard start < sections.ranges.count else { return }
    let size = unit.encoding.addressSize
    let newBase = UInt64.max >> UInt64(64 - 8 * size)
    var cursor = ByteCursor(sections.ranges, at: start, end: sections.ranges.count)
    var base = baseAddress
    while !cursor.isAtEnd, rangeCount < maximumRanges {
      rangeCount += 1
      let low = cursor.integer(size: size)
      let high = cursor.integer(size: size)
      if low == 0, high == 0 { return }
      if low == newBase { base = high } else { body(base &+ low, base &+ high) }
    }
  }

  /// `.debug_rnglists` (DWARF 5, section 7.25).
  private func readList(at start: Int, _ body: (UInt64, UInt64) -> Void) {
    guard start < sections.rangeLists.count else { return }
    let size = unit.encoding.addressSize
    var cursor = ByteCursor(sections.rangeLists, at: start, end: sections.rangeLists.count)
    var base = baseAddress
    while !cursor.isAtEnd, rangeCount < maximumRanges {
      rangeCount += 1
      switch Int(cursor.integer(size: 1)) {
      case DW_RLE_base_addressx:
        guard let new = address(atIndex: cursor.uleb()) else { return }
        base = new
      case DW_RLE_startx_endx:
        guard let low = address(atIndex: cursor.uleb()), let high = address(atIndex: cursor.uleb()) else {
          return
        }
        body(low, high)
      case DW_RLE_startx_length:
        guard let low = address(atIndex: cursor.uleb()) else { return }
        body(low, low &+ cursor.uleb())
      case DW_RLE_offset_pair:
        let low = base &+ cursor.uleb()
        body(low, base &+ cursor.uleb())
      case DW_RLE_base_address: base = cursor.integer(size: size)
      case DW_RLE_start_end:
        let low = cursor.integer(size: size)
        body(low, cursor.integer(size: size))
      case DW_RLE_start_length:
        let low = cursor.integer(size: size)
        body(low, low &+ cursor.uleb())
      default: return  // the end of the list, or an unknown kind of entry
      }
    }
  }
}
