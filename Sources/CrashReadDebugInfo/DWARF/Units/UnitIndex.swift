internal import CCrashReadElfutils
internal import CrashReadCore

/// Address → compilation unit, for a whole file.
///
/// Built from `.debug_aranges` for the units that it lists, and from their own ranges for the others: Swift and clang
/// don't write the section on Linux.
struct UnitIndex {
  private(set) var units: [DwarfUnit] = []
  private(set) var ranges = RangeTable()

  /// Reads the header of every unit.
  ///
  /// Ranges outside `codeRanges` are dropped, unless it is empty: linkers that remove a function leave its ranges
  /// behind at address 0.
  init(
    _ handle: borrowing DwarfHandle, splitFiles: SplitFiles, codeRanges: [Range<LinkedAddress>],
    limits: Limits = Limits(), hiding hidden: DebugSections.Hidden? = nil
  ) {
    guard let dwarf = unsafe handle.dwarf else { return }
    let sections = DebugSections(handle, limits: limits, hiding: hidden)
    let directory = UnitDirectory(sections)
    for header in directory.headers where header.canHoldCode {
      unsafe units.append(
        DwarfUnit(
          header, of: directory, sections, splitFiles: splitFiles, dwarf: dwarf, codeRanges: codeRanges))
    }
    var isNamed = [Bool](repeating: false, count: units.count)
    forEachAddressRange(in: sections.addressRanges) { offset, low, high in
      guard let unit = unit(atOffset: offset) else { return }
      isNamed[unit] = true
      append(low, high, unit, codeRanges)
    }
    var count = 0
    // Each of a million units may refer to the same list of a million ranges.
    for unit in units.indices where !isNamed[unit] && count < RangeTable.maximumEntries {
      let root = units[unit].root
      root?.forEachRange {
        append($0, $1, unit, codeRanges)
        count += 1
      }
    }
    ranges.sort()
  }

  private mutating func append(
    _ low: UInt64, _ high: UInt64, _ unit: Int, _ codeRanges: [Range<LinkedAddress>]
  ) {
    if isCode(low, in: codeRanges) { ranges.append(low: low, high: high, value: UInt64(unit)) }
  }

  /// The index of the unit whose header is at an offset; nil when there is none.
  private func unit(atOffset offset: Int) -> Int? {
    let index = units.partitioningIndex { $0.header.offset >= offset }
    return index < units.count && units[index].header.offset == offset ? index : nil
  }

  /// The unit that covers an address; nil when none does.
  func unit(at address: LinkedAddress) -> DwarfUnit? {
    number(at: address).map { units[$0] }
  }

  /// The index in `units` of the one that covers an address; nil when none does.
  func number(at address: LinkedAddress) -> Int? { ranges.find(address.rawValue).map { Int($0.value) } }
}

/// Whether an address can be that of code.
func isCode(_ address: UInt64, in codeRanges: [Range<LinkedAddress>]) -> Bool {
  codeRanges.isEmpty || codeRanges.contains { $0.contains(LinkedAddress(address)) }
}

/// All units of `.debug_info`, including type and partial units: a function's name may be in another unit.
///
/// Several threads may use it at once.
final class UnitDirectory {
  let headers: [UnitHeader]
  /// Held while calling libdw, which isn't thread-safe.
  let libdw = Lock()
  private let sections: DebugSections
  /// For split units, the unit in the linked file.
  private let skeleton: EntryReader?
  private let readers = LockedCache<Int, EntryReader>()

  init(_ sections: DebugSections, skeleton: EntryReader? = nil) {
    self.sections = sections
    self.skeleton = skeleton
    headers = UnitHeader.all(in: sections.info)
  }

  /// The reader for the unit with a header.
  func reader(_ header: UnitHeader) -> EntryReader {
    readers.value(of: header.offset) { EntryReader(header, sections, skeleton: skeleton) }
  }

  /// The reader for the unit that contains an offset; nil when there is none.
  func reader(at offset: Int) -> EntryReader? {
    let index = headers.partitioningIndex { $0.end > offset }
    guard index < headers.count, headers[index].root <= offset, headers[index].isReadable else { return nil }
    return reader(headers[index])
  }
}
