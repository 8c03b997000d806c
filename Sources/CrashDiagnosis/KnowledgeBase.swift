public import Symbolication

/// Explains crashes by the rules and texts built into the program.
///
/// They are read once, when first needed, and shared by all values of this type.
public struct KnowledgeBase: Sendable {
  private let knowledge: Knowledge
  private let texts: Texts

  /// Explains in the given language.
  public init(language: Language) {
    self.init(knowledge: .embedded, texts: .embedded(language))
  }

  /// Explains by other knowledge than the program's own.
  init(knowledge: Knowledge, texts: Texts) {
    self.knowledge = knowledge
    self.texts = texts
  }

  /// Says what happened in a report, where, and which crash it is; there is always an explanation.
  public func diagnose(_ symbolicated: SymbolicatedReport) -> Diagnosis {
    let facts = CrashFacts(symbolicated, codes: knowledge.codes)
    let blamed = BlamedFrame(in: symbolicated, facts: facts, knowledge: knowledge)
    return Diagnosis(
      symbolicated: symbolicated, explanation: explain(facts), blamed: blamed,
      signature: crashSignature(of: symbolicated, blamed: blamed, facts: facts, knowledge: knowledge))
  }

  private func explain(_ facts: CrashFacts) -> Explanation {
    for rule in knowledge.rules {
      guard let match = rule.match(facts), let entry = texts.entries[rule.id] else { continue }
      let values = facts.values.merging(match.captures) { _, captured in captured }
      return explanation(entry, values, match: match)
    }
    return explanation(texts.unmatched, facts.values, match: nil)
  }

  private func explanation(
    _ entry: Texts.Entry?, _ values: [String: String], match: RuleMatch?
  ) -> Explanation {
    let values = texts.withMeanings(values)
    return Explanation(
      rule: match?.rule.id,
      title: entry?.title.filled(with: values) ?? "",
      text: entry?.text.filled(with: values) ?? "",
      confidence: match?.rule.confidence ?? .hint,
      evidence: match?.evidence ?? [],
      advice: entry?.advice.map { $0.filled(with: values) } ?? [],
      sources: [match?.rule.source].compactMap(\.self))
  }
}
