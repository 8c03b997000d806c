/// Leads from the lines of a report to the entries of a table whose patterns could match them.
///
/// Tables of hundreds of patterns must not be gone through for each line: the first bytes of a pattern, looked for at
/// each byte of a line, leave the few that are worth trying.
struct PatternIndex: Sendable {
  /// How many bytes of a pattern lead to its entry.
  static let keyLength = 4

  private struct Link: Sendable {
    var key: UInt32
    /// What lines the entry is about: those of another group don't lead to it.
    var group: UInt8
    /// Whether a line must begin with the key.
    var startsLine: Bool
    var entry: Int32
    /// The next link of the same bucket; negative at its end.
    var next: Int32
  }

  /// For the hash of a key its first link; negative for nearly all bytes of a report, which begin no pattern.
  private var buckets: [Int32]
  private var links: [Link] = []

  /// An index for about as many patterns.
  init(capacity: Int) {
    var size = 256
    while size < 8 * capacity, size < 1 << 14 { size *= 2 }
    buckets = [Int32](repeating: -1, count: size)
  }

  /// Adds a pattern; false, and nothing is added, when its first bytes aren't sure.
  mutating func add(_ pattern: PatternSource, of entry: Int, group: UInt8 = 0) -> Bool {
    guard let (bytes, startsLine) = pattern.beginning(Self.keyLength) else { return false }
    let key = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let bucket = bucket(of: key)
    links.append(
      Link(key: key, group: group, startsLine: startsLine, entry: Int32(entry), next: buckets[bucket]))
    buckets[bucket] = Int32(links.count - 1)
    return true
  }

  private func bucket(of key: UInt32) -> Int { Int(key &* 0x9e37_79b1 >> 8) & (buckets.count - 1) }

  /// Collects the entries that a line of UTF-8 could be about, in no order, one perhaps several times.
  func collect(_ line: [UInt8], group: UInt8 = 0, into entries: inout [Int]) {
    guard line.count >= Self.keyLength, !links.isEmpty else { return }
    var key: UInt32 = 0
    for index in line.indices {
      key = key << 8 | UInt32(line[index])
      var link = buckets[bucket(of: key)]
      while link >= 0 {
        let found = links[Int(link)]
        if found.key == key, found.group == group, index == Self.keyLength - 1 || !found.startsLine,
          index >= Self.keyLength - 1
        {
          entries.append(Int(found.entry))
        }
        link = found.next
      }
    }
  }
}

extension [Int] {
  /// The same numbers in ascending order, each once.
  var sortedWithoutRepetitions: [Int] {
    var result: [Int] = []
    for number in sorted() where result.last != number { result.append(number) }
    return result
  }
}
