internal import CrashReadReports

/// Patterns of which one has to match.
///
/// Each is read when a line could match it first: of hundreds a report needs a few.
final class PatternSet: Sendable {
  private let sources: [JSONValue]
  private let index: PatternIndex
  /// Those that the index doesn't lead to.
  private let others: [Int]
  private let patterns: LazyList<TextPattern>

  init(_ list: JSONValue) {
    let sources = list.elements
    var index = PatternIndex(capacity: sources.count)
    others = sources.indices.filter { !index.add(sources[$0], of: $0) }
    (self.sources, self.index) = (sources, index)
    patterns = LazyList(sources) { TextPattern($0.string ?? "") }
  }

  var isEmpty: Bool { sources.isEmpty }

  /// What is no pattern.
  var problems: [String] {
    sources.map { $0.string ?? "" }.filter { TextPattern($0) == nil }.map {
      "rules.json: \($0) is no pattern"
    }
  }

  /// Whether one of the patterns matches a line of UTF-8.
  func matches(_ line: [UInt8]) -> Bool {
    var candidates = others
    index.collect(line, into: &candidates)
    return candidates.contains { patterns[$0]?.match(line) != nil }
  }

  func matches(_ line: String) -> Bool { matches(Array(line.utf8)) }
}
