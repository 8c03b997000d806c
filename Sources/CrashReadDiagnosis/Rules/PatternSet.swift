internal import CrashReadReports
internal import Synchronization

/// A pattern as it stands in a document of the knowledge; see `TextPattern`.
struct PatternSource: Sendable {
  private let source: JSONValue

  init(_ source: JSONValue) { self.source = source }

  /// The pattern as it is written.
  var text: String { source.string ?? "" }

  /// The first bytes that a line must hold, and whether it must begin with them; nil when fewer are sure.
  func beginning(_ count: Int) -> (bytes: ArraySlice<UInt8>, startsLine: Bool)? {
    var text = source.bytes.dropFirst()
    let startsLine = text.first == UInt8(ascii: "^")
    text = text.dropFirst(startsLine ? 1 : 0).prefix(count)
    return text.count == count && text.allSatisfy(Self.isPlain) ? (text, startsLine) : nil
  }

  /// Whether a byte means no more than itself, in a pattern and in JSON.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "$"), UInt8(ascii: "\\"), UInt8(ascii: "\""): false
    default: true
    }
  }
}

/// Patterns of which one has to match.
///
/// Each is read when a line could match it first: of hundreds a report needs a few.
final class PatternSet: Sendable {
  private let sources: [PatternSource]
  private let index: PatternIndex
  /// Those that the index doesn't lead to.
  private let others: [Int]
  private let known = Mutex<[Int: TextPattern?]>([:])

  init(_ list: JSONValue) {
    let sources = list.elements.map { PatternSource($0) }
    var index = PatternIndex(capacity: sources.count)
    others = sources.indices.filter { !index.add(sources[$0], of: $0) }
    (self.sources, self.index) = (sources, index)
  }

  var isEmpty: Bool { sources.isEmpty }

  /// What is no pattern.
  var problems: [String] {
    sources.map(\.text).filter { TextPattern($0) == nil }.map { "rules.json: \($0) is no pattern" }
  }

  /// Whether one of the patterns matches a line of UTF-8.
  func matches(_ line: [UInt8]) -> Bool {
    var candidates = others
    index.collect(line, into: &candidates)
    return candidates.contains { pattern(at: $0)?.match(line) != nil }
  }

  func matches(_ line: String) -> Bool { matches(Array(line.utf8)) }

  private func pattern(at index: Int) -> TextPattern? {
    known.withLock { known in
      if let pattern = known[index] { return pattern }
      let pattern = TextPattern(sources[index].text)
      known[index] = .some(pattern)
      return pattern
    }
  }
}
