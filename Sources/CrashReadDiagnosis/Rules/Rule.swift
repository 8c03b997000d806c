internal import CrashReadVerdict

/// One entry of `rules.json`: when all its conditions hold, the text of the same id explains the crash.
struct Rule: Sendable, Hashable {
  /// The name of the rule and its texts. It must not change, since it is part of the JSON output.
  var id: String
  /// The confidence in the explanation.
  var confidence: Confidence
  /// The conditions, all of which must hold.
  var conditions: [Condition]
  /// A link to the source of the rule.
  var source: String
  /// Alternatives of further evidence, one of which must hold as well if the explanation is to be certain: a message may
  /// also be printed without an end, and a number may stand for something else. Empty if the conditions prove it alone.
  var proofs: [[Condition]] = []
  /// The findings that would only repeat it, or that it corrects.
  var replacedFindings: [String] = []
  /// The families of contracts that state what only followed if their message stands below the rule's: a Rust panic after
  /// a selector that nobody takes.
  var precedes: [String] = []
  /// Whether it indicates a stack overflow, caused by recursion or a very large variable.
  var overflows = false
  /// Whether it is a circumstance that a message of what stopped the program goes before: a child of a fork lives on.
  var yieldsToMessage = false
  /// Whether it states why the program stopped, not only how; then a function on the stack adds nothing.
  var statesCause = false
  /// Whether it leaves open how the program stopped: the next rule that matches says that beside it.
  var saysOnlyWhy = false

  /// Whether it is based on a message about the stop, which is valid whatever else is on the stack.
  var readsMessage: Bool {
    conditions.contains { if case .patterns(.text, _) = $0 { true } else { false } }
  }

  /// Applies the rule to a report; nil when a condition doesn't hold.
  func match(_ facts: CrashFacts) -> RuleMatch? {
    var match = RuleMatch(rule: self)
    for condition in conditions {
      guard condition.holds(for: facts, addingTo: &match) else { return nil }
    }
    return match
  }

  /// Whether the report proves the explanation of a rule that matches; the proof becomes evidence.
  func isProven(_ facts: CrashFacts, addingTo match: inout RuleMatch) -> Bool {
    for proof in proofs {
      var proven = match
      guard proof.allSatisfy({ $0.holds(for: facts, addingTo: &proven) }) else { continue }
      match = proven
      return true
    }
    return proofs.isEmpty
  }

  /// The first condition that doesn't hold while another one does; nil when all or none hold.
  func missingCondition(_ facts: CrashFacts) -> Condition? {
    var match = RuleMatch(rule: self)
    let unmet = conditions.filter { !$0.holds(for: facts, addingTo: &match) }
    return unmet.count < conditions.count ? unmet.first : nil
  }
}

/// A rule whose conditions hold, with their captures and evidence.
struct RuleMatch {
  /// The rule.
  var rule: Rule
  /// Text captured by its patterns, by name.
  var captures: [String: String] = [:]
  /// The evidence for the conditions, each location once.
  private(set) var evidence: [Evidence] = []

  init(rule: Rule) { self.rule = rule }

  /// Adds a quote, or the meaning of a quote that was added without it.
  mutating func add(_ new: Evidence) {
    let known = evidence.firstIndex { $0.source == new.source && $0.quote == new.quote }
    guard let known else { return evidence.append(new) }
    evidence[known].meaning = evidence[known].meaning ?? new.meaning
  }
}

/// One key of a rule's `when`; the raw values of the three fact enumerations are the keys.
enum Condition: Sendable, Hashable {
  /// One of the fact's words is among these.
  case words(WordFact, anyOf: [String])
  /// The fact's number is in one of these ranges.
  case numbers(NumberFact, anyOf: [ClosedRange<UInt64>])
  /// One of the fact's lines matches one of these patterns; the first pattern that matches any line gives the captures.
  case patterns(TextFact, anyOf: [TextPattern])
  /// All of these values are known.
  case stated([ValueFact])

  /// The condition's key in `when`.
  var key: String {
    switch self {
    case .words(let fact, _): fact.rawValue
    case .numbers(let fact, _): fact.rawValue
    case .patterns(let fact, _): fact.rawValue
    case .stated: "stated"
    }
  }

  fileprivate func holds(for facts: CrashFacts, addingTo match: inout RuleMatch) -> Bool {
    switch self {
    case .words(let fact, let wanted):
      guard let word = facts.words[fact]?.first(where: { wanted.contains($0.value) }) else { return false }
      match.add(word.evidence)
    case .numbers(let fact, let ranges):
      guard let number = facts.numbers[fact], ranges.contains(where: { $0.contains(number.value) }) else {
        return false
      }
      match.add(number.evidence)
    case .patterns(let fact, let patterns):
      guard let (line, captures) = facts.texts[fact].flatMap({ firstMatch(of: patterns, in: $0) }) else {
        return false
      }
      match.captures.merge(captures) { first, _ in first }
      match.add(line.evidence)
    case .stated(let wanted):
      let values = wanted.compactMap { facts.values[$0] }
      guard values.count == wanted.count else { return false }
      for value in values { match.add(value.evidence) }
    }
    return true
  }

  private func firstMatch(of patterns: [TextPattern], in lines: [FactLine]) -> (FactLine, [String: String])? {
    for pattern in patterns {
      for line in lines {
        if let captures = pattern.match(line.bytes) { return (line, captures) }
      }
    }
    return nil
  }
}
