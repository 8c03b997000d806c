/// Reads `.debug_aranges` (DWARF 5, section 6.1.2): which addresses each unit covers, where a compiler wrote that down.
///
/// Units it doesn't name may cover addresses all the same; clang and swiftc on Linux write none at all.
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
      // The first pair is aligned to a pair's size, counted from the header's start.
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
