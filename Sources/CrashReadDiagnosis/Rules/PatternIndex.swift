internal import CrashReadReports

/// Maps the lines of a report to the entries of a table whose patterns could match them.
///
/// Trying hundreds of patterns on each line would be too slow. The first fixed bytes of a pattern, which are looked up by
/// hash at each byte of a line, leave the few that can match.
struct PatternIndex: Sendable {
  /// The number of bytes of a pattern that are indexed.
  static let keyLength = 4
  /// The number of bits of a key's hash.
  private static let hashBits: UInt32 = 16

  private struct Link: Sendable {
    var key: UInt32
    /// The fixed bytes that follow the key, since many patterns begin with the same word.
    var next4: UInt32
    var mask4: UInt32
    /// The group of lines that the entry applies to.
    var group: UInt8
    /// Whether a line must begin with the key.
    var startsLine: Bool
    var entry: Int32
    /// The next link of the same bucket; negative at its end.
    var next: Int32
  }

  /// The first link for the hash of a key; negative for nearly all bytes of a report, which begin no pattern.
  private var buckets: [Int32]
  /// A bit for each hash of a key, so that for nearly all bytes a look at a small table suffices.
  private var filled: [UInt64]
  private var links: [Link] = []
  /// Whether a key may be anywhere in a line, and not only at its start.
  private var isFloating = false

  /// An index for about `capacity` patterns.
  init(capacity: Int) {
    var size = 256
    while size < 8 * capacity, size < 1 << 14 { size *= 2 }
    buckets = [Int32](repeating: -1, count: size)
    filled = [UInt64](repeating: 0, count: 1 << Self.hashBits / 64)
    links.reserveCapacity(capacity)
  }

  /// Indexes an entry by its patterns, an array or a single one (see `TextPattern`). False, with none of them indexed,
  /// when there is none or one of them could match nearly anything.
  mutating func add(_ patterns: JSONValue, of entry: Int, group: UInt8 = 0) -> Bool {
    let count = links.count
    let areIndexed = patterns.allTexts { add($0, entry, group) }
    if !areIndexed {
      while links.count > count { removeLast() }
    }
    return links.count > count
  }

  /// Adds the first fixed bytes of a pattern; false when it has too few.
  private mutating func add(_ pattern: Span<UInt8>, _ entry: Int, _ group: UInt8) -> Bool {
    guard let start = Self.firstKey(in: pattern) else { return false }
    let startsLine = start == 1 && pattern[0] == UInt8(ascii: "^")
    let key = Self.word(pattern, at: start)
    let hash = Self.hash(key)
    let bucket = bucket(of: hash)
    let rest = pattern.extracting((start + Self.keyLength)...)
    var (next4, mask4): (UInt32, UInt32) = (0, 0)
    for index in 0..<min(4, rest.count) {
      guard Self.isPlain(rest[index]) else { break }
      next4 |= UInt32(rest[index]) << UInt32(24 - 8 * index)
      mask4 |= 0xff << UInt32(24 - 8 * index)
    }
    links.append(
      Link(
        key: key, next4: next4, mask4: mask4, group: group, startsLine: startsLine, entry: Int32(entry),
        next: buckets[bucket]))
    buckets[bucket] = Int32(links.count - 1)
    if !startsLine { isFloating = true }
    filled[hash >> 6] |= 1 << UInt64(hash & 63)
    return true
  }

  /// The offset of the first bytes of a pattern that can be a key; nil when there are none.
  private static func firstKey(in pattern: Span<UInt8>) -> Int? {
    var (start, index, isCapture) = (0, 0, false)
    while index < pattern.count {
      switch pattern[index] {
      case UInt8(ascii: "^") where index == 0: start = 1
      case UInt8(ascii: "{"): isCapture = true
      case UInt8(ascii: "}"), UInt8(ascii: "$"): (start, isCapture) = (index + 1, false)
      case UInt8(ascii: "\\"):
        // JSON's `\u` has four digits; any other escape is two bytes.
        if index + 1 < pattern.count, pattern[index + 1] == UInt8(ascii: "u") { return nil }
        index += 1
        start = index + 1
      default: if !isCapture, index - start == keyLength - 1 { return start }
      }
      index += 1
    }
    return nil
  }

  private mutating func removeLast() {
    let link = links.removeLast()
    buckets[bucket(of: Self.hash(link.key))] = link.next
  }

  /// Four bytes of a line, padded with zeros at its end.
  private static func word(_ bytes: Span<UInt8>, at start: Int) -> UInt32 {
    var word: UInt32 = 0
    for index in start..<start + 4 { word = word << 8 | (index < bytes.count ? UInt32(bytes[index]) : 0) }
    return word
  }

  /// Whether a byte stands for itself in both a pattern and JSON.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "$"), UInt8(ascii: "\\"): false
    default: true
    }
  }

  private static func hash(_ key: UInt32) -> Int { Int((key &* 0x9e37_79b1) >> (32 - hashBits)) }

  private func bucket(of hash: Int) -> Int { hash & (buckets.count - 1) }

  /// Collects the entries that could match a line of UTF-8, unordered and possibly with duplicates.
  func collect(_ bytes: Span<UInt8>, group: UInt8 = 0, into entries: inout [Int]) {
    guard bytes.count >= Self.keyLength, !links.isEmpty else { return }
    var key: UInt32 = 0
    for index in 0..<Self.keyLength - 1 { key = key << 8 | UInt32(bytes[index]) }
    for start in 0...(isFloating ? bytes.count - Self.keyLength : 0) {
      key = key << 8 | UInt32(bytes[start + Self.keyLength - 1])
      let hash = Self.hash(key)
      guard filled[hash >> 6] >> UInt64(hash & 63) & 1 != 0 else { continue }
      var link = buckets[bucket(of: hash)]
      while link >= 0 {
        let found = links[Int(link)]
        if found.key == key, found.group == group, start == 0 || !found.startsLine,
          Self.word(bytes, at: start + Self.keyLength) & found.mask4 == found.next4
        {
          entries.append(Int(found.entry))
        }
        link = found.next
      }
    }
  }
}

extension [Int] {
  /// The numbers in ascending order, without duplicates.
  var sortedWithoutRepetitions: [Int] {
    var result: [Int] = []
    for number in sorted() where result.last != number { result.append(number) }
    return result
  }
}
