internal import CrashReadReports

/// Rules in order of priority.
///
/// A report satisfies few of hundreds: rules are indexed by what they require, and parsed on first use.
struct RuleTable: Sendable {
  private let rules: LazyList<Rule>
  /// The position of a rule by its identifier.
  private let positions: [String: Int]
  private let index: PatternIndex
  /// Rules by a word that they require.
  private let words: [Word: [Int]]
  /// Rules that are indexed by neither.
  private let others: [Int]

  private struct Word: Hashable, Sendable {
    var fact: WordFact
    var text: String
  }

  /// Rules in order of priority.
  init(_ list: JSONValue) {
    let sources = list.elements
    var index = PatternIndex(capacity: 2 * sources.count)
    var words: [Word: [Int]] = [:]
    others = sources.indices.filter { rule in
      let conditions = sources[rule]["when"].members
      if Self.add(rule, conditions, to: &index) { return false }
      guard let needed = Self.words(in: conditions) else { return true }
      for word in needed { words[word, default: []].append(rule) }
      return false
    }
    (self.index, self.words) = (index, words)
    positions = Dictionary(
      sources.indices.compactMap { index in sources[index]["id"].string.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
    rules = LazyList(sources) { Rule($0, problems: &$1) }
  }

  private typealias Members = [(name: String, value: JSONValue)]

  /// Indexes a rule by patterns of which one must match; false when none are suitable.
  private static func add(_ rule: Int, _ conditions: Members, to index: inout PatternIndex) -> Bool {
    for (group, name) in textNames.enumerated() {
      guard let patterns = conditions.first(where: { $0.name == name })?.value else { continue }
      if index.add(patterns, of: rule, group: UInt8(group)) { return true }
    }
    return false
  }

  private static let textNames = TextFact.allCases.map(\.rawValue)

  /// The words of which one is required, for the most selective fact; nil when none is.
  private static func words(in conditions: Members) -> [Word]? {
    for (fact, name) in wordNames {
      guard let words = conditions.first(where: { $0.name == name })?.value else { continue }
      return words.elements.map { Word(fact: fact, text: $0.string ?? "") }
    }
    return nil
  }

  /// The kind is last, since nearly all reports are of one kind.
  private static let wordNames =
    (WordFact.allCases.filter { $0 != .kind } + [.kind]).map { (fact: $0, name: $0.rawValue) }

  /// The rules that could explain a report, in order of priority.
  func candidates(_ facts: CrashFacts) -> some Sequence<Rule> {
    var found = others
    for (fact, words) in facts.words {
      for word in words { found += self.words[Word(fact: fact, text: word.value)] ?? [] }
    }
    for (group, fact) in TextFact.allCases.enumerated() {
      for line in facts.texts[fact] ?? [] {
        index.collect(line.bytes.span, group: UInt8(group), into: &found)
      }
    }
    return found.sortedWithoutRepetitions.lazy.compactMap { rules[$0] }
  }

  /// The rule of an identifier; nil when there is none.
  subscript(id: String?) -> Rule? { id.flatMap { positions[$0] }.flatMap { rules[$0] } }

  /// All valid rules.
  var all: [Rule] { rules.all }

  /// Problems with invalid rules, which are ignored; a test checks that there are none.
  var problems: [String] { rules.problems }
}
