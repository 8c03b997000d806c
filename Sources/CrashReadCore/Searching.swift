internal import CCrashReadLinux
internal import Glibc

extension Span<UInt8> {
  /// The offset of the first occurrence of a byte from the start of these; nil when there is none (`memchr`).
  package func firstOffset(of byte: UInt8) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = unsafe memchr(start, Int32(byte), bytes.count) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// The offset of the last occurrence of a byte; nil when there is none (`memrchr`).
  package func lastOffset(of byte: UInt8) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = unsafe memrchr(start, Int32(byte), bytes.count) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// The first occurrence after a position.
  package func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    extracting(start...).firstOffset(of: byte).map { start + $0 }
  }

  /// The first occurrence of one of two bytes at or after a position; nil when there is none.
  ///
  /// Sixteen bytes at a time: most strings of a report are too short for two calls of `memchr`.
  package func firstOffset(ofEither first: UInt8, or second: UInt8, from start: Int) -> Int? {
    let (firsts, seconds) = (SIMD16(repeating: first), SIMD16(repeating: second))
    var offset = start
    while offset <= count - 16 {
      let block = unsafe withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
      }
      if let lane = MatchingLanes((block .== firsts) .| (block .== seconds)).first { return offset + lane }
      offset += 16
    }
    while offset < count {
      if self[offset] == first || self[offset] == second { return offset }
      offset += 1
    }
    return nil
  }

  /// Whether one of the bytes lies in a range.
  package func holds(byteIn range: ClosedRange<UInt8>) -> Bool {
    let distance = range.upperBound - range.lowerBound
    var found = false
    // No early exit, so that the loop is vectorised.
    for index in indices { found = (self[index] &- range.lowerBound <= distance) || found }
    return found
  }

  /// Whether no byte has its highest bit set.
  package var isASCII: Bool {
    var all: UInt8 = 0
    for index in indices { all |= self[index] }
    return all < 0x80
  }

  /// Whether one of the bytes ends a line (see `lines`).
  fileprivate var holdsLineEnd: Bool {
    var found = false
    // No early exit, so that the loop is vectorised.
    for index in indices { found = (self[index] &- 0x0a < 4) || found }
    return found
  }

  /// The offset of the first occurrence of a byte sequence, from the start of these; nil when there is none, or for an
  /// empty sequence.
  ///
  /// A report's lines are searched for hundreds of short texts, nearly always in vain. `memchr` finds that the first byte
  /// is missing; otherwise, sixteen positions at a time, only those are compared whose first and last byte are right
  /// (http://0x80.pl/articles/simd-strfind.html). `memmem` prepares a table for each search.
  package func firstOffset(of wanted: Span<UInt8>) -> Int? {
    guard wanted.count > 0, let first = firstOffset(of: wanted[0]) else { return nil }
    if wanted.count == 1 { return first }
    // The number of positions, and the distance of the last byte.
    let (end, last) = (count - wanted.count + 1, wanted.count - 1)
    guard end - first >= 16 else { return firstStart(of: wanted, from: first, to: end) }
    let (heads, tails) = (SIMD16(repeating: wanted[0]), SIMD16(repeating: wanted[last]))
    var (offset, tries) = (first, Self.maximumTries)
    while offset < end {
      // The last sixteen can overlap those before them.
      offset = min(offset, end - 16)
      var hits = unsafe withUnsafeBytes { bytes in
        let first = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
        let second = unsafe bytes.loadUnaligned(fromByteOffset: offset + last, as: SIMD16<UInt8>.self)
        return MatchingLanes((first .== heads) .& (second .== tails))
      }
      while let lane = hits.next() {
        if extracting((offset + lane)...).begins(with: wanted) { return offset + lane }
        tries -= 1
        if tries == 0 { return extracting(offset...).searched(for: wanted).map { offset + $0 } }
      }
      offset += 16
    }
    return nil
  }

  private func firstStart(of wanted: Span<UInt8>, from first: Int, to end: Int) -> Int? {
    var offset = first
    while offset < end {
      if self[offset] == wanted[0], extracting(offset...).begins(with: wanted) { return offset }
      offset += 1
    }
    return nil
  }

  /// The number of comparisons after which `memmem` is faster: it never takes more than one pass.
  private static var maximumTries: Int { 64 }

  private func searched(for wanted: Span<UInt8>) -> Int? {
    unsafe withUnsafeBytes { bytes in
      unsafe wanted.withUnsafeBytes { wanted in
        guard let start = bytes.baseAddress, let text = wanted.baseAddress,
          let found = unsafe memmem(start, bytes.count, text, wanted.count)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - start
      }
    }
  }

  /// The offset of the first occurrence of a literal; nil when there is none.
  package func firstOffset(of text: StaticString) -> Int? {
    firstOffset(of: unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether these bytes begin with a literal. Once inlined, it compares with constants.
  @inlinable
  @inline(__always)
  package func begins(with start: StaticString) -> Bool {
    guard start.utf8CodeUnitCount <= count else { return false }
    for index in 0..<start.utf8CodeUnitCount where unsafe self[index] != start.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether these bytes begin with others.
  package func begins(with start: Span<UInt8>) -> Bool {
    guard start.count <= count else { return false }
    for index in start.indices where self[index] != start[index] { return false }
    return true
  }
}

/// The lanes of a vector in which a comparison holds, in ascending order.
private struct MatchingLanes {
  private var words: SIMD2<UInt64>

  init(_ mask: SIMDMask<SIMD16<Int8>>) {
    // Testing two words is faster than testing sixteen lanes.
    words = unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
  }

  /// The lowest lane; nil when there is none.
  @inline(__always)
  var first: Int? {
    if words[0] != 0 { return words[0].trailingZeroBitCount / 8 }
    return words[1] != 0 ? 8 + words[1].trailingZeroBitCount / 8 : nil
  }

  /// Removes the lowest lane; nil when there is none.
  mutating func next() -> Int? {
    for word in 0..<2 where words[word] != 0 {
      let lane = words[word].trailingZeroBitCount / 8
      words[word] &= ~(0xff << UInt64(lane * 8))
      return word * 8 + lane
    }
    return nil
  }
}

extension UInt64 {
  /// Eight times the same byte.
  @inlinable
  @inline(__always)
  package init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Has the highest bit of a byte set if one of the eight is `byte`; the lowest of these bits is in the lowest such byte
  /// (https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord). Other bits mean nothing.
  @inlinable
  @inline(__always)
  package func marks(_ byte: UInt8) -> UInt64 {
    let differences = self ^ UInt64(repeating: byte)
    return (differences &- UInt64(repeating: 1)) & ~differences
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The range of the first occurrence of a text, compared byte by byte in UTF-8; nil when there is none, or for an
  /// empty text.
  ///
  /// The standard library compares characters: that took many times as long, a tenth of the time of a report.
  package func range(of text: String) -> Range<String.Index>? {
    let whole = self[...]
    guard let offset = whole.utf8.span.firstOffset(of: text.utf8.span) else { return nil }
    let found = whole.utf8.index(whole.startIndex, offsetBy: offset)
    return found..<whole.utf8.index(found, offsetBy: text.utf8.count)
  }

  /// The lines that aren't empty, without their line ends: LF, CR, a vertical tab or a form feed.
  ///
  /// Splitting at `Character.isNewline` has to find grapheme boundaries first, which took a twelfth of the time of a
  /// batch.
  package var lines: [Substring] {
    let whole = self[...]
    if !whole.utf8.span.holdsLineEnd { return isEmpty ? [] : [whole] }
    return whole.utf8.split { (0x0a...0x0d).contains($0) }.map { Substring($0) }
  }
}

extension String {
  /// Whether a text occurs in this one.
  package func holds(_ text: String) -> Bool { utf8.span.firstOffset(of: text.utf8.span) != nil }

  /// Whether the text begins with another, compared byte by byte in UTF-8; `hasPrefix` compares characters.
  package func begins(with start: String) -> Bool { utf8.span.begins(with: start.utf8.span) }

  /// The text truncated to a number of Unicode scalars, since a character can consist of any number of them.
  package func truncated(toScalars length: Int) -> String {
    let cut = unicodeScalars.prefix(length)
    return cut.endIndex == endIndex ? self : String(cut) + "…"
  }
}

extension Substring {
  /// Whether the text begins with another, compared byte by byte in UTF-8; `hasPrefix` compares characters.
  package func begins(with start: String) -> Bool { utf8.span.begins(with: start.utf8.span) }
}

/// Pairs of adjacent bytes, one from each of several words: a single vectorised scan finds every position at which one
/// of the words may occur.
package struct BytePairs: Sendable {
  private typealias Block = SIMD16<UInt8>

  private let pairs: [(first: Block, second: Block)]

  /// Takes pairs of ASCII characters. The best pair of a word is one that is rare in other text.
  package init(_ pairs: [String]) {
    self.pairs = pairs.map { pair in
      let bytes = Array(pair.utf8)
      return (Block(repeating: bytes[0]), Block(repeating: bytes[1]))
    }
  }

  /// The offset of the first pair at or after a position; nil when there is none.
  package func firstOffset(in text: Span<UInt8>, from start: Int) -> Int? {
    var offset = start
    while offset + Block.scalarCount < text.count {
      if let found = firstOffset(inBlockAt: offset, of: text) { return found }
      offset += Block.scalarCount
    }
    while offset + 1 < text.count {
      if pairs.contains(where: { $0.first[0] == text[offset] && $0.second[0] == text[offset + 1] }) {
        return offset
      }
      offset += 1
    }
    return nil
  }

  private func firstOffset(inBlockAt offset: Int, of text: Span<UInt8>) -> Int? {
    let (here, next) = unsafe text.withUnsafeBytes {
      unsafe (
        $0.loadUnaligned(fromByteOffset: offset, as: Block.self),
        $0.loadUnaligned(fromByteOffset: offset + 1, as: Block.self)
      )
    }
    var hits = Block()
    for pair in pairs {
      hits.replace(with: .max, where: (here .== pair.first) .& (next .== pair.second))
    }
    // Testing two words is faster than testing sixteen lanes.
    let words = unsafe unsafeBitCast(hits, to: SIMD2<UInt64>.self)
    guard words[0] | words[1] != 0 else { return nil }
    return hits.indices.first { hits[$0] != 0 }.map { offset + $0 }
  }
}

/// Which pairs of adjacent bytes occur in a text, approximately: it ends most searches for one of many literals before they
/// begin. Different pairs can share a bit, so a literal that may occur need not.
package struct PairFilter: Sendable {
  private var bits = InlineArray<8, UInt64>(repeating: 0)

  package init(_ text: Span<UInt8>) {
    guard var last = text.isEmpty ? nil : text[0] else { return }
    for index in 1..<max(text.count, 1) {
      let bit = Self.bit(last, text[index])
      bits[bit >> 6] |= 1 << UInt64(bit & 63)
      last = text[index]
    }
  }

  /// Whether a literal may occur in the text, or in a part of it.
  package func mayHold(_ literal: StaticString) -> Bool {
    let literal = unsafe Span(_unsafeStart: literal.utf8Start, count: literal.utf8CodeUnitCount)
    for index in 1..<max(literal.count, 1) {
      let bit = Self.bit(literal[index - 1], literal[index])
      if bits[bit >> 6] & 1 << UInt64(bit & 63) == 0 { return false }
    }
    return true
  }

  private static func bit(_ first: UInt8, _ second: UInt8) -> Int {
    (Int(first) &* 37 ^ Int(second) &* 5) & 511
  }
}

extension RandomAccessCollection {
  /// The first position whose element belongs to the second part, in a collection partitioned so that elements of the
  /// second part follow those of the first; `endIndex` when there are none. Named as in Swift Algorithms; inlinable, so
  /// that it is specialised in other modules.
  @inlinable
  package func partitioningIndex(where belongsToSecondPart: (Element) -> Bool) -> Index {
    var (start, count) = (startIndex, self.count)
    while count > 0 {
      let half = count / 2
      let middle = index(start, offsetBy: half)
      if belongsToSecondPart(self[middle]) {
        count = half
      } else {
        start = index(after: middle)
        count -= half + 1
      }
    }
    return start
  }
}

/// The last component of a path.
package func fileName(_ path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
  return String(path[path.utf8.index(after: slash)...])
}
