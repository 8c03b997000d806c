/// One entry of `rules.json`: when all its conditions hold, the text of the same id explains the crash.
struct Rule: Sendable, Hashable {
  /// Names the rule and its text in every language; stable, since the JSON output shows it.
  var id: String
  /// How sure the explanation is.
  var confidence: Confidence
  /// All of these must hold.
  var conditions: [Condition]
  /// A link to what the rule rests on.
  var source: String

  /// What the rule finds in a report; nil when a condition doesn't hold.
  func match(_ facts: CrashFacts) -> RuleMatch? {
    var match = RuleMatch(rule: self)
    for condition in conditions {
      guard condition.holds(for: facts, addingTo: &match) else { return nil }
    }
    return match
  }

  /// The first condition that doesn't hold, when another one does; nil when all hold or none.
  func missingCondition(_ facts: CrashFacts) -> Condition? {
    var match = RuleMatch(rule: self)
    let unmet = conditions.filter { !$0.holds(for: facts, addingTo: &match) }
    return unmet.count < conditions.count ? unmet.first : nil
  }
}

/// A rule whose conditions hold, and what they found.
struct RuleMatch {
  /// The rule.
  var rule: Rule
  /// Text captured by its patterns, by name.
  var captures: [String: String] = [:]
  /// Literal strings of the report, each with the name of its field.
  var evidence: [String] = []

  init(rule: Rule) { self.rule = rule }

  mutating func add(evidence line: String) {
    if !line.isEmpty, !evidence.contains(line) { evidence.append(line) }
  }
}

/// One key of a rule's `when`; the raw values of the three fact enumerations are the keys.
enum Condition: Sendable, Hashable {
  /// One of the fact's words is among these.
  case words(WordFact, anyOf: [String])
  /// The fact's number lies in one of these ranges.
  case numbers(NumberFact, anyOf: [ClosedRange<UInt64>])
  /// One of the fact's lines matches one of these; the first pattern that matches anywhere gives the captures.
  case patterns(TextFact, anyOf: [TextPattern])
  /// All these values are known, whatever they are.
  case stated([String])

  /// The key in `when`.
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
      match.add(evidence: word.evidence)
    case .numbers(let fact, let ranges):
      guard let number = facts.numbers[fact], ranges.contains(where: { $0.contains(number.value) }) else {
        return false
      }
      match.add(evidence: number.evidence)
    case .patterns(let fact, let patterns):
      guard let (line, captures) = facts.texts[fact].flatMap({ firstMatch(of: patterns, in: $0) }) else {
        return false
      }
      match.captures.merge(captures) { first, _ in first }
      match.add(evidence: line.evidence)
    case .stated(let names):
      guard names.allSatisfy({ facts.values[$0] != nil }) else { return false }
      for name in names { match.add(evidence: facts.valueEvidence[name] ?? "") }
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

/// What a report says by name.
enum WordFact: String, Sendable, CaseIterable {
  /// The Mach exception and the signal.
  case exception
  /// The name of the first exception code, such as `KERN_INVALID_ADDRESS`.
  case code
  /// The kinds of the fault address: raw values of `AddressKind`.
  case address
  /// The kinds of the program counter's value: raw values of `AddressKind`.
  case programCounter
  /// What the fault address looks like as a value: a raw value of `PointerValue`.
  case pointer
  /// What registers of the crashed thread look like: raw values of `PointerValue`.
  case register
  /// What the thread that didn't answer waits for: a kind of `waits`, or `none`.
  case wait
  /// What the faulting instruction tried: raw values of `MemoryAccess`.
  case access
  /// The CPU family: `arm64`, `arm`, `x86`.
  case architecture
  /// The termination's namespace.
  case namespace
  /// What the report is about: a raw value of `ReportKind`.
  case kind
}

/// What a report says in numbers.
enum NumberFact: String, Sendable, CaseIterable {
  /// The number inside an arm64 `brk` instruction.
  case breakImmediate
  /// The code inside the termination's namespace.
  case terminationCode
  /// How many threads the report lists.
  case threads
  /// How many turns the longest recursion on the crashed thread's stack has.
  case turns
}

/// What a report says in free text and in names of functions.
enum TextFact: String, Sendable, CaseIterable {
  /// Messages of the exception, the termination and the application.
  case text
  /// The region of memory that holds the fault address.
  case region
  /// Functions of the innermost frame of the crashed thread, inlined ones included.
  case topFrame
  /// Functions of the innermost frames of the crashed thread, inlined ones included.
  case frames
}
