internal import CrashReports

/// What a code, a name or a message means, without a report.
public struct CodeExplanation: Sendable, Hashable {
  /// The number or name taken apart; nil when a rule was asked for, or a message that a rule knows.
  public var code: DecodedCode?
  /// What is asked for in words: a kind of number, or of entry.
  public var title: String
  /// What such a code doesn't say.
  public var limits: String?
  /// What would be said of a report that holds only this; nil when no rule knows it.
  public var explanation: Explanation?
}

extension KnowledgeBase {
  /// Looks up a code, a name, an id of a rule or a line of a report.
  ///
  /// - Parameter query: What to look for, such as `0x8badf00d`, `SIGTRAP`, `esr 0x92000047` or
  ///   `Namespace DYLD, Code 1`. Names are found in upper and lower case.
  /// - Returns: All that it can mean, the most likely first; empty when it is not known.
  public func lookUp(_ query: String) -> [CodeExplanation] {
    let named = explanations(named: query)
    if !named.isEmpty { return named }
    let phrase = Phrase(query)
    if let number = phrase.onlyNumber { return knowledge.codes.readings(of: number).map { explanation($0) } }
    let found = knowledge.codes.readings(of: phrase).flatMap { reading in
      switch reading {
      case .number(let number, let subcode): [explanation(number, subcode: subcode)]
      case .name(let name): explanations(named: name)
      }
    }
    let message = messageExplanation(query).map { [$0] } ?? []
    return message + found
  }

  /// All that can be looked up by name.
  public var names: [String] {
    let codes = knowledge.codes
    return codes.order.flatMap {
      codes.tables[$0].map { $0.numbers.keys.sorted() + $0.aliases.keys.sorted() } ?? []
    }
      + knowledge.rules.map(\.id)
  }

  private func explanations(named name: String) -> [CodeExplanation] {
    let rules = knowledge.rules.filter { $0.id == name.lowercased() }
    return knowledge.codes.readings(ofName: name).map { explanation($0) } + rules.compactMap(explanation)
  }

  private func explanation(_ number: DecodedNumber, subcode: UInt64? = nil) -> CodeExplanation {
    let sketch = CrashReport(showing: number, subcode: subcode, codes: knowledge.codes)
    let found = sketch.map { explain(CrashFacts(.init(unresolved: $0), codes: knowledge.codes)) }
    return CodeExplanation(
      code: texts.describe(number, knowledge.codes), title: texts.title(of: number.kind),
      limits: texts.kinds[group(of: number.kind)]?.limits,
      explanation: found?.rule == nil ? nil : found)
  }

  private func explanation(_ rule: Rule) -> CodeExplanation? {
    guard let entry = texts.entries[rule.id] else { return nil }
    return CodeExplanation(
      title: texts.title(of: "rule"), limits: texts.kinds["rule"]?.limits,
      explanation: Explanation(
        rule: rule.id, entry, values: [:], missing: "…", confidence: rule.confidence, evidence: [],
        sources: [rule.source]))
  }

  /// What a rule that looks at messages says of this one.
  private func messageExplanation(_ message: String) -> CodeExplanation? {
    var report = CrashReport(format: .appleText)
    report.applicationSpecificInformation = [message]
    let explanation = explain(CrashFacts(.init(unresolved: report), codes: knowledge.codes))
    guard let rule = knowledge.rules.first(where: { $0.id == explanation.rule }), rule.readsMessages else {
      return nil
    }
    return CodeExplanation(title: texts.title(of: "rule"), explanation: explanation)
  }
}

extension Rule {
  fileprivate var readsMessages: Bool {
    conditions.contains { if case .patterns(.text, _) = $0 { true } else { false } }
  }
}
