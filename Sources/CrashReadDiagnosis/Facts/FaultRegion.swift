internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The fault address in a report's excerpt of the memory map: the row that an arrow marks, and the one before.
struct FaultRegion {
  /// The row with the arrow; empty if the address is in no region.
  fileprivate var own = ""
  /// The row before, without the address's own.
  fileprivate var before: Substring?
  /// The row after.
  private var after: Substring?

  init(_ info: String) {
    var isFound = false
    for line in info.lines {
      let row = line.drop { $0 == " " }
      if isFound {
        after = row
        return
      }
      if row.hasPrefix("--") {
        own = row.drop { "->".contains($0) }.trimmed
        isFound = true
      } else if Self.end(of: row) != nil {
        before = row
      }
    }
    if !isFound { before = nil }
  }

  /// The thread whose stack begins where the address's region ends, if that is the rest of the stack's limit, which nobody
  /// may write to: `Stack  7ffeded94000-7ffee2594000 [ 56.0M] r--/rwx SM=PRV`, then `Stack … thread 0`. Newer systems call
  /// it `STACK GUARD`.
  fileprivate var threadBelowLimit: Int? {
    guard own.hasPrefix("Stack "), let protection, !protection.contains("w"), let after,
      after.hasPrefix("Stack "), let end = Self.end(of: Substring(own)), Self.start(of: after) == end,
      let mark = after.range(of: " thread ")
    else { return nil }
    return Int(after[mark.upperBound...].prefix { $0.isNumber })
  }

  /// The address that an excerpt is about: `0x8 is not in any region.`, `0 is not in any region.`; nil when it is not
  /// stated.
  static func address(_ info: String) -> UInt64? {
    // On older systems the title of the excerpt alone states it: `VM Regions Near 0x8:`.
    let title = "VM Regions Near 0x"
    if info.hasPrefix(title) {
      return UInt64(info.dropFirst(title.count).prefix(while: \.isHexDigit), radix: 16)
    }
    let words = info.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[1] == "is" else { return nil }
    return UInt64(words[0].hasPrefix("0x") ? words[0].dropFirst(2) : words[0], radix: 16)
  }

  /// Whether an excerpt was cut before the rows that say what is mapped at the address.
  static func isCut(_ info: String) -> Bool {
    !info.holds(" is not in any region") && !info.lines.contains { $0.drop { $0 == " " }.hasPrefix("--") }
  }

  /// Where a row's region ends: `MALLOC_LARGE  10010000-10020000 [  64K] rw-/rwx SM=PRV`.
  static func end(of row: Substring) -> UInt64? { range(of: row)?.end }

  private static func start(of row: Substring) -> UInt64? { range(of: row)?.start }

  private static func range(of row: Substring) -> (start: UInt64, end: UInt64)? {
    guard let size = row.range(of: " [") else { return nil }
    let range = row[..<size.lowerBound].split(separator: " ").suffix(1).first ?? ""
    let ends = range.split(separator: "-")
    guard ends.count == 2, let start = UInt64(ends[0], radix: 16), let end = UInt64(ends[1], radix: 16) else {
      return nil
    }
    return (start, end)
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
    if let thread = region.threadBelowLimit, let crashed = report.crashedThread,
      report.threads.indices.contains(crashed), report.threads[crashed].index == thread
    {
      addLine(.region, FactLine("STACK GUARD", .field(.vmRegionInfo), quote: region.own))
      return
    }
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
