public import CrashReadSymbolication

/// Explains crashes by the rules and texts built into the program.
///
/// They are read once, when first needed, and shared by all values of this type.
public struct KnowledgeBase: Sendable {
  let knowledge: Knowledge
  let texts: Texts

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
    let facts = CrashFacts(symbolicated, knowledge: knowledge)
    let search = BlameSearch(in: symbolicated, facts: facts, knowledge: knowledge)
    var explanation = explain(facts)
    explanation.findings = knowledge.findings.compactMap { finding($0, facts) }
    let signature = SignatureSearch(
      in: symbolicated, blamed: search.blamed,
      overflows: explanation.rule.map(overflowRules.contains) ?? false,
      kind: signatureKind(facts), knowledge: knowledge)
    var diagnosis = Diagnosis(
      symbolicated: symbolicated, explanation: explanation,
      decoded: facts.decodings.map { texts.describe($0.number, knowledge.codes) }, blamed: search.blamed,
      signature: signature.text,
      reasoning: Reasoning(
        rejected: rejected(before: explanation.rule, facts), skipped: search.skipped,
        signature: signature.frames))
    let fault = facts.isMemoryFault ? facts.faultAddress(symbolicated.report) : nil
    diagnosis.variables = symbolicated.variables(blamed: search.blamed, faultAddress: fault?.value)
    diagnosis.faultStatement = FaultStatementMaker(symbolicated: symbolicated, facts: facts, texts: texts)
      .statement(diagnosis.variables, fault: fault)
    return diagnosis
  }

  private func rejected(before rule: String?, _ facts: CrashFacts) -> [RejectedRule] {
    knowledge.rules.prefix { $0.id != rule }.compactMap { rule in
      rule.missingCondition(facts).map { RejectedRule(rule: rule.id, condition: $0.key) }
    }
  }

  func explain(_ facts: CrashFacts) -> Explanation {
    for rule in knowledge.rules {
      guard let match = rule.match(facts), let entry = texts.entries[rule.id] else { continue }
      return explanation(entry, facts, match: match)
    }
    return Explanation(
      rule: nil, texts.unmatched, values: texts.withMeanings(facts.values), confidence: .hint, evidence: [],
      sources: [])
  }

  private func finding(_ rule: Rule, _ facts: CrashFacts) -> Finding? {
    guard let match = rule.match(facts), let text = texts.findings[rule.id] else { return nil }
    let values = facts.values.merging(match.captures) { _, captured in captured }
    return Finding(
      rule: rule.id, text: text.filled(with: texts.withMeanings(values)), confidence: rule.confidence,
      evidence: match.evidence)
  }

  private func explanation(_ entry: Texts.Entry, _ facts: CrashFacts, match: RuleMatch) -> Explanation {
    var match = match
    // What the headline names needs evidence too, though the rule matches without it.
    for name in entry.title.names.sorted() where match.captures[name] == nil {
      match.add(evidence: facts.valueEvidence[name] ?? "")
    }
    for decoding in facts.decodings { match.add(evidence: decoding.evidence ?? "") }
    let values = facts.values.merging(match.captures) { _, captured in captured }
    return Explanation(
      rule: match.rule.id, entry, values: texts.withMeanings(values), confidence: match.rule.confidence,
      evidence: match.evidence, sources: [match.rule.source])
  }
}

/// The rules that say that a stack ran over; in a recursion, but for one big variable.
private let overflowRules: Set<String> = [
  "stack-overflow", "stack-guard-region", "stack-guard-page", "stack-limit", "stack-deep-recursion",
]

extension Explanation {
  /// Fills the texts with their values; `missing` stands for a value that a text needs and that isn't there.
  init(
    rule: String?, _ entry: Texts.Entry?, values: [String: String], missing: String = Template.missingValue,
    confidence: Confidence, evidence: [String], sources: [String]
  ) {
    self.init(
      rule: rule,
      title: entry?.title.filled(with: values, missing: missing) ?? "",
      text: entry?.text.filled(with: values, missing: missing) ?? "",
      confidence: confidence,
      evidence: evidence,
      advice: entry?.advice.map { $0.filled(with: values, missing: missing) } ?? [],
      sources: sources)
  }
}
