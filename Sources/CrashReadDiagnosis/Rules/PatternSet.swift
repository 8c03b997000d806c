internal import CrashReadReports

/// A set of alternative patterns.
///
/// Each is parsed when a line could match it for the first time: of hundreds a report needs a few.
final class PatternSet: Sendable {
  private let index: PatternIndex
  /// Patterns that can't be indexed.
  private let others: [Int]
  private let patterns: LazyList<TextPattern>
  let isEmpty: Bool

  init(_ list: JSONValue) {
    let sources = list.elements
    var index = PatternIndex(capacity: sources.count)
    others = sources.indices.filter { !index.add(sources[$0], of: $0) }
    isEmpty = sources.isEmpty
    self.index = index
    patterns = LazyList(sources) { source, problems in
      let text = source.string ?? ""
      let pattern = TextPattern(text)
      if pattern == nil { problems.append("rules.json: \(text) is no pattern") }
      return pattern
    }
  }

  /// The invalid patterns.
  var problems: [String] { patterns.problems }

  /// Whether one of the patterns matches a line of UTF-8.
  func matches(_ line: [UInt8]) -> Bool {
    var candidates = others
    index.collect(line, into: &candidates)
    return candidates.contains { patterns[$0]?.match(line) != nil }
  }

  func matches(_ line: String) -> Bool { matches(Array(line.utf8)) }
}
