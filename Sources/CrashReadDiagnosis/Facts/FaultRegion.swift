internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The fault address in a report's excerpt of the memory map: the row that an arrow marks, and the one before.
struct FaultRegion {
  /// The row with the arrow; empty if the address is in no region.
  fileprivate var own = ""
  /// The row before, without the address's own.
  fileprivate var before: Substring?

  init(_ info: String) {
    for line in info.lines {
      let row = line.drop { $0 == " " }
      if row.hasPrefix("--") {
        own = row.drop { "->".contains($0) }.trimmed
        return
      }
      if Self.end(of: row) != nil { before = row }
    }
    before = nil
  }

  /// The address that an excerpt is about: `0x8 is not in any region.`, `0 is not in any region.`; nil when it is not
  /// stated.
  static func address(_ info: String) -> UInt64? {
    let words = info.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[1] == "is" else { return nil }
    return UInt64(words[0].hasPrefix("0x") ? words[0].dropFirst(2) : words[0], radix: 16)
  }

  /// Where a row's region ends: `MALLOC_LARGE  10010000-10020000 [  64K] rw-/rwx SM=PRV`.
  static func end(of row: Substring) -> UInt64? {
    guard let size = row.range(of: " [") else { return nil }
    let range = row[..<size.lowerBound].split(separator: " ").suffix(1).first ?? ""
    let ends = range.split(separator: "-")
    guard ends.count == 2, UInt64(ends[0], radix: 16) != nil else { return nil }
    return UInt64(ends[1], radix: 16)
  }
}

extension FaultRegion {
  /// What the region's protection allows, as the first half of `rw-/rwx`; nil if the row states none.
  fileprivate var protection: Substring? {
    own.split(separator: " ").first { word in
      word.utf8.count == 7 && word.utf8.dropFirst(3).first == UInt8(ascii: "/")
        && word.allSatisfy { "rwx-/".contains($0) }
    }?.prefix(3)
  }
}

extension CrashFacts {
  /// Adds that the region's protection allows the read or write that failed. What may be both written and run is code
  /// made at run time, which a thread may do only one of at a time.
  mutating func addPermission(_ report: CrashReport) {
    guard let info = report.vmRegionInfo, case let region = FaultRegion(info),
      let protection = region.protection, protection != "rwx"
    else { return }
    let flags: [MemoryAccess: Character] = [.read: "r", .write: "w"]
    let isAllowed = flags.contains { has(.access, $0.key.rawValue) && protection.contains($0.value) }
    guard isAllowed else { return }
    add(.address, AddressKind.permitted.rawValue, Evidence(.field(.vmRegionInfo), region.own))
  }

  /// The maximum distance of one access past the end of a buffer: that of the widest vector instructions, unrolled.
  private static let maximumDistance: UInt64 = 64

  /// Adds whether the address is mapped after all, and whether it is just after a region of the heap.
  ///
  /// A loop that overruns its buffer continues to the last page of the region, and faults at the first byte after it.
  mutating func addRegion(of address: UInt64, _ report: CrashReport) {
    guard let info = report.vmRegionInfo else { return }
    let region = FaultRegion(info)
    let isGuard = region.own.hasPrefix("MALLOC guard page")
    if !region.own.isEmpty, !isGuard, !region.own.lowercased().hasPrefix("stack guard"),
      !region.own.hasPrefix("GAP OF ")
    {
      let evidence = Evidence(.field(.vmRegionInfo), region.own)
      add(.address, AddressKind.mapped.rawValue, evidence)
      let isRead = has(.access, MemoryAccess.read.rawValue) || has(.access, MemoryAccess.execute.rawValue)
      if !isRead { add(.address, AddressKind.mappedUnread.rawValue, evidence) }
    }
    guard let before = region.before, before.hasPrefix("MALLOC"), !before.hasPrefix("MALLOC guard page"),
      let end = FaultRegion.end(of: before), address >= end, address - end < Self.maximumDistance
    else { return }
    add(.address, AddressKind.heapEnd.rawValue, Evidence(.field(.vmRegionInfo), before.trimmed))
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
