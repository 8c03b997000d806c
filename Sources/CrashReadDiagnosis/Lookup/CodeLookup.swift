internal import CrashReadReports
package import CrashReadVerdict

extension KnowledgeBase {
  /// Looks up a code, a name, a rule id or a line of a report.
  ///
  /// - Parameter query: What to look for, such as `0x8badf00d`, `SIGTRAP`, `esr 0x92000047` or
  ///   `Namespace DYLD, Code 1`. Names are case-insensitive.
  /// - Returns: All its possible meanings, the most likely first; empty when it is unknown.
  package func lookUp(_ query: String) -> [CodeExplanation] {
    let named = explanations(named: query)
    if !named.isEmpty { return named }
    let pasted = explanations(ofPaste: query)
    if !pasted.isEmpty { return pasted }
    let phrase = Phrase(query)
    if let number = phrase.onlyNumber { return knowledge.codes.readings(of: number).map { explanation($0) } }
    let found = knowledge.codes.readings(of: phrase).flatMap { reading in
      switch reading {
      case .number(let number, let subcode): [explanation(number, subcode: subcode)]
      case .name(let name): explanations(named: name)
      }
    }
    let matched = explanations(ofMessage: query)
    // In a sentence that is known as a whole, numbers aren't codes.
    let isSentence = !matched.isEmpty && phrase.tokens.count > Self.maximumCodeTokens
    return matched + fault(phrase) + (isSentence ? [] : missingType(query)) + (isSentence ? [] : found)
  }

  /// Whether a text is known as a whole, rather than a word in it.
  package func isSentence(_ text: String) -> Bool {
    !explanations(ofPaste: text).isEmpty || !explanations(ofMessage: text).isEmpty
      || !fault(Phrase(text)).isEmpty
  }

  /// What contracts and rules state about a message, or the name of an API.
  private func explanations(ofMessage query: String) -> [CodeExplanation] {
    let message = messageExplanation(query).map { [$0] } ?? []
    let contracts =
      knowledge.contracts.contracts(matching: query) + knowledge.contracts.contracts(about: query)
    return contracts.prefix(Self.maximumContracts).compactMap(explanation) + message
  }

  /// The maximum number of tokens of a code with its name.
  private static let maximumCodeTokens = 5

  /// The explanations of lines that people often paste, and that reports don't contain in this form.
  private func explanations(ofPaste query: String) -> [CodeExplanation] {
    let line = Array(query.trimmingBlanks.utf8)
    let paste = knowledge.pastes.first { $0.patterns.matches(line) }
    return paste?.names.flatMap { explanations(named: $0) } ?? []
  }

  /// The explanation of a bad access at the address stated by a line: `KERN_INVALID_ADDRESS at 0x10`, or
  /// `EXC_BAD_ACCESS (code=1, address=0x10)`.
  private func fault(_ phrase: Phrase) -> [CodeExplanation] {
    let words = phrase.words
    guard
      let name = ["KERN_INVALID_ADDRESS", "KERN_PROTECTION_FAILURE"].first(where: words.contains)
        ?? (words.contains("EXC_BAD_ACCESS") && words.contains("address") ? "KERN_INVALID_ADDRESS" : nil),
      let address = phrase.number(afterWord: ["at", "address"])
    else { return [] }
    var report = CrashReport(format: .appleText)
    report.exception = ExceptionRecord()
    report.exception?.type = "EXC_BAD_ACCESS"
    report.exception?.codes = [name == "KERN_INVALID_ADDRESS" ? 1 : 2, address]
    return explanation(report).map { found in
      [
        CodeExplanation(
          title: texts.title(of: "rule"), advice: found.explanation.advice, explanation: found.explanation)
      ]
    } ?? []
  }

  /// For codes alone, an explanation that their meaning depends on the exception's type.
  private func missingType(_ query: String) -> [CodeExplanation] {
    guard query.trimmingBlanks.hasPrefix("Exception Codes: 0x"), let kind = texts.kinds["codesAlone"] else {
      return []
    }
    return [
      CodeExplanation(
        title: texts.title(of: "codesAlone"), limits: kind.limits, advice: [kind.advice], explanation: nil)
    ]
  }

  /// The maximum number of contracts of a class; more wouldn't answer a question about it.
  private static let maximumContracts = 12

  /// The subjects with names of their own, contracts and rules, each with its headline, in the table's order.
  package var subjects: [(name: String, title: String)] {
    let contracts = knowledge.contracts.contracts.map { ($0.id, texts.contract($0.id)) }
    let rules = knowledge.rules.all.map { ($0.id, texts.entries[$0.id]) }
    return (contracts + rules).compactMap { id, entry in
      entry.map { (id, $0.title.filled(with: [:], missing: "…")) }
    }
  }

  /// Everything that can be looked up by name.
  package var names: [String] {
    let codes = knowledge.codes
    return codes.order.flatMap {
      codes.tables[$0].map { $0.numbers.keys.sorted() + $0.aliases.keys.sorted() } ?? []
    }
      + knowledge.rules.all.map(\.id) + knowledge.contracts.contracts.map(\.id)
  }

  private func explanations(named name: String) -> [CodeExplanation] {
    let rules = knowledge.rules[name.lowercased()].map { [$0] } ?? []
    let contracts = knowledge.contracts.contracts.filter { $0.id == name.lowercased() }
    return knowledge.codes.readings(ofName: name).map { explanation($0) } + rules.compactMap(explanation)
      + contracts.compactMap(explanation)
  }

  private func explanation(_ number: DecodedNumber, subcode: UInt64? = nil) -> CodeExplanation {
    let sketch = CrashReport(showing: number, subcode: subcode, codes: knowledge.codes)
    let found = sketch.flatMap { explanation($0) }.flatMap { $0.rule.isSpecific ? $0.explanation : nil }
    let kind = texts.kinds[group(of: number.kind)]
    return CodeExplanation(
      code: texts.describe(number, knowledge.codes), title: texts.title(of: number.kind),
      limits: kind?.limits, advice: found?.advice ?? kind.map { [$0.advice] } ?? [], explanation: found)
  }

  private func explanation(_ rule: Rule) -> CodeExplanation? {
    guard let entry = texts.entries[rule.id] else { return nil }
    let explanation = Explanation(
      rule: rule.id, entry, values: texts.values(), missing: "…", confidence: rule.confidence, evidence: [],
      sources: [rule.source])
    return CodeExplanation(
      title: texts.title(of: "rule"), limits: texts.kinds["rule"]?.limits, advice: explanation.advice,
      explanation: explanation)
  }

  private func explanation(_ contract: Contract) -> CodeExplanation? {
    guard let entry = texts.contract(contract.id) else { return nil }
    let confidence = contract.alternatives.map(\.confidence).max { $0.rank < $1.rank } ?? .hint
    let explanation = Explanation(
      rule: contract.id, entry, values: texts.values(), missing: "…", confidence: confidence, evidence: [],
      sources: [contract.source])
    return CodeExplanation(title: contract.family, advice: explanation.advice, explanation: explanation)
  }

  /// The explanation of a message by a rule about messages; nil when no rule matches.
  private func messageExplanation(_ message: String) -> CodeExplanation? {
    var report = CrashReport(format: .appleText)
    report.applicationSpecificInformation = [message]
    guard let found = explanation(report), found.rule.readsMessages else { return nil }
    let number = CrashFacts(.init(unresolved: report), knowledge: knowledge).decodings.first?.number
    return CodeExplanation(
      code: number.map { texts.describe($0, knowledge.codes) }, title: texts.title(of: "rule"),
      advice: found.explanation.advice, explanation: found.explanation)
  }

  /// The explanation of a report, and its rule; nil when no rule matches.
  private func explanation(_ report: CrashReport) -> (rule: Rule, explanation: Explanation)? {
    let explanation = explain(CrashFacts(.init(unresolved: report), knowledge: knowledge))
    return knowledge.rules[explanation.rule].map { ($0, explanation) }
  }
}

extension Rule {
  /// Whether it requires more than that the report states a fact.
  fileprivate var isSpecific: Bool {
    conditions.contains { if case .stated = $0 { false } else { true } }
  }

  fileprivate var readsMessages: Bool {
    conditions.contains { if case .patterns(.text, _) = $0 { true } else { false } }
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    let text = drop(while: \.isWhitespace)
    return text.prefix(
      upTo: text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex)
  }
}
