internal import CrashReadReports

/// Rules in order of priority.
///
/// A report meets the conditions of a few out of hundreds: what a rule needs most leads to it, and only then it is read.
struct RuleTable: Sendable {
  private let sources: [JSONValue]
  private let index: PatternIndex
  /// Rules by a word that they need.
  private let words: [Word: [Int]]
  /// Those that neither leads to.
  private let others: [Int]
  private let rules: LazyList<Rule>

  private struct Word: Hashable, Sendable {
    var fact: WordFact
    var text: String
  }

  /// Takes rules in order of priority.
  init(_ list: JSONValue) {
    let sources = list.elements
    var index = PatternIndex(capacity: 2 * sources.count)
    var words: [Word: [Int]] = [:]
    others = sources.indices.filter { rule in
      let conditions = sources[rule]["when"]
      if Self.add(rule, conditions, to: &index) { return false }
      guard let needed = Self.words(in: conditions) else { return true }
      for word in needed { words[word, default: []].append(rule) }
      return false
    }
    (self.sources, self.index, self.words) = (sources, index, words)
    rules = LazyList(sources) { source in
      var problems: [String] = []
      return Rule(source, problems: &problems)
    }
  }

  /// Has the patterns of which one has to match lead to a rule; false when there are none that could.
  private static func add(_ rule: Int, _ conditions: JSONValue, to index: inout PatternIndex) -> Bool {
    for (group, fact) in TextFact.allCases.enumerated() {
      if index.add(conditions[fact.rawValue], of: rule, group: UInt8(group)) { return true }
    }
    return false
  }

  /// The words of which one is needed, of the fact that tells most; nil when none is.
  private static func words(in conditions: JSONValue) -> [Word]? {
    // Nearly all reports are of one kind.
    let facts = WordFact.allCases.filter { $0 != .kind } + [.kind]
    guard let fact = facts.first(where: { !conditions[$0.rawValue].isNull }) else { return nil }
    return conditions[fact.rawValue].elements.map { Word(fact: fact, text: $0.string ?? "") }
  }

  /// The rules that could explain a report, in order of priority.
  func candidates(_ facts: CrashFacts) -> some Sequence<Rule> {
    var found = others
    for (fact, words) in facts.words {
      for word in words { found += self.words[Word(fact: fact, text: word.value)] ?? [] }
    }
    for (group, fact) in TextFact.allCases.enumerated() {
      for line in facts.texts[fact] ?? [] { index.collect(line.bytes, group: UInt8(group), into: &found) }
    }
    return found.sortedWithoutRepetitions.lazy.compactMap { rules[$0] }
  }

  /// The rule of an identifier; nil when there is none.
  subscript(id: String?) -> Rule? {
    guard let id else { return nil }
    return sources.firstIndex { $0["id"].string == id }.flatMap { rules[$0] }
  }

  /// All that can be read.
  var all: [Rule] { rules.all }

  /// What can't be read, and is as if it weren't there; a test sees to it that there is none.
  var problems: [String] {
    var problems: [String] = []
    for source in sources { _ = Rule(source, problems: &problems) }
    return problems
  }
}
