internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
package import CrashReadSymbolication
internal import CrashReadSystem
package import CrashReadVerdict

/// Explains crashes with the rules and texts embedded in the program.
///
/// They are read on first use, and shared by all values of this type.
package struct KnowledgeBase: Sendable {
  let knowledge: Knowledge
  let texts: Texts

  /// Explains in the given language.
  package init(language: Language) {
    self.init(knowledge: .embedded, texts: .embedded(language))
  }

  /// Starts to read the knowledge on other threads, for a program with a single report: reading it takes as long as
  /// everything that precedes the diagnosis. Without threads, it is read on first use.
  package static func readAhead(in language: Language) {
    try? startThread { _ = ContractTable.embedded }
    try? startThread { _ = KnowledgeBase(language: language) }
  }

  /// Explains with knowledge other than the program's own.
  init(knowledge: Knowledge, texts: Texts) {
    self.knowledge = knowledge
    self.texts = texts
  }

  /// Determines what happened, where, and which crash it is; there is always an explanation.
  ///
  /// The reasoning takes a tenth of the time for a report, so it can be omitted.
  package func diagnose(_ symbolicated: SymbolicatedReport, reasons: Bool = true) -> Diagnosis {
    var facts = CrashFacts(symbolicated, knowledge: knowledge)
    let search = BlameSearch(in: symbolicated, facts: facts, knowledge: knowledge)
    facts.addBlamed(search.blamed, symbolicated, knowledge)
    facts.addOwner(search, symbolicated, knowledge)
    var explanation = explain(facts)
    let found = knowledge.findings.candidates(facts).compactMap { finding($0, facts) }
    let rules = [knowledge.rules[explanation.rule]] + found.map { knowledge.findings[$0.rule] }
    let repeated = rules.flatMap { $0?.replacedFindings ?? [] }
    explanation.findings =
      [mechanics(behind: explanation.rule, facts)].compactMap(\.self)
      + found.filter { !repeated.contains($0.rule) }
    let signature = SignatureSearch(
      in: symbolicated, blamed: search.blamed,
      overflows: knowledge.rules[explanation.rule]?.overflows ?? false,
      kind: signatureKind(facts), recordsNames: reasons, knowledge: knowledge)
    var diagnosis = Diagnosis(
      symbolicated: symbolicated, explanation: explanation,
      decoded: facts.decodings.map { texts.describe($0.number, knowledge.codes) }, blamed: search.blamed,
      signature: signature.text,
      reasoning: Reasoning(
        rejected: reasons ? rejected(before: explanation.rule, facts) : [], skipped: search.skipped,
        signature: signature.frames))
    diagnosis.blameConfidence = search.confidence
    diagnosis.statedLocation =
      statedLocation(by: explanation.rule, facts, search.blamed, symbolicated)
      ?? search.blamed.flatMap { $0.frame == 1 ? symbolicated.frames(of: $0.backtrace).failedCheck : nil }
    if let blamed = search.blamed, let frame = diagnosis.frame(blamed) {
      diagnosis.enclosingFunction = symbolicated.function(around: frame)
    }
    var contracts = ContractSearch(in: symbolicated, facts: facts, knowledge: knowledge)
    if contracts.mayFindFault {
      contracts = ContractSearch(in: symbolicated, facts: facts, knowledge: knowledge, belowHandler: true)
    }
    addContract(contracts, facts, to: &diagnosis)
    if contracts.stop == .exception { diagnosis.dropBlamedRaiser() }
    dropRepeatedQuote(from: &diagnosis.explanation)
    dropGuess(from: &diagnosis)
    diagnosis.explanation.dropRepeatedAdvice()
    diagnosis.crashingTest = facts.test
    diagnosis.language = texts.language
    let fault = facts.isMemoryFault ? facts.faultAddress(symbolicated.report) : nil
    diagnosis.variables = symbolicated.variables(blamed: search.blamed, faultAddress: fault?.value)
    diagnosis.faultStatement = FaultStatementBuilder(symbolicated: symbolicated, facts: facts, texts: texts)
      .statement(diagnosis.variables, fault: fault)
    if let reading = InstructionReading(symbolicated, facts, texts) { diagnosis.add(reading) }
    if let fault, let flipped = FlippedBit(symbolicated.report, fault: fault.value)?.finding(fault, texts) {
      diagnosis.explanation.findings.append(flipped)
    }
    if let fault, let cut = CutPointer(symbolicated.report, fault: fault.value)?.finding(fault, texts) {
      diagnosis.explanation.findings.insert(cut, at: 0)
    }
    if let call = InvalidCall(symbolicated, facts)?.finding(texts) {
      diagnosis.explanation.findings.insert(call, at: 0)
    }
    diagnosis.lowerConfidence { symbolicated.usesOtherBuild || $0.contains(where: symbolicated.isLearned) }
    return diagnosis
  }

  /// If an API's contract gives the cause, makes it the headline, with the API and its caller.
  private func addContract(_ search: ContractSearch, _ facts: CrashFacts, to diagnosis: inout Diagnosis) {
    let rule = knowledge.rules[diagnosis.explanation.rule]
    // In a stack overflow, the function that reached the end of the stack is no evidence.
    let isOverflow = rule?.overflows ?? false
    var best = search.best()
    let isRecursion = isOverflow && best.map(search.isRecursion) ?? false
    if isRecursion {
      best?.confidence = .likely
    } else if isOverflow, best.map(search.isOnlyWhereItFaulted) ?? false {
      best = nil
    }
    // The signal that a handler got is mostly that of a fault.
    if search.isBelowHandler, let confidence = best?.confidence { best?.confidence = confidence.atMostLikely }
    // What a signal handler threw came second, whatever its message proves.
    if facts.has(.stopper, "interrupted") { best?.confidence = .hint }
    // What is stated only further on says nothing about where it happened.
    let isConsequence = best.map { self.isConsequence($0, of: rule, in: diagnosis, facts) } ?? false
    let isFurther =
      isConsequence
      || !isRecursion
        && best.map { isFurtherStatement($0, than: rule, in: diagnosis, search, facts) } ?? false
    var call = StoppingCall(
      search.backtrace, broken: isFurther ? nil : best?.frame, knowledge: knowledge)
    if search.stop == .exception { call.takeName(fromReasonIn: facts) }
    // A thread that waits isn't the one that stopped, if nothing says so.
    if search.stop == nil, let raiser = call.raiser, knowledge.isWait(raiser) { call.raiser = nil }
    let sentence = texts.sentence(call, search.stop, in: diagnosis, knowledge)
    if search.stop == .exception || search.stop == .trap { diagnosis.raisedBy = call.raisedBy }
    guard let broken = best, let entry = texts.contract(broken.contract.id) else {
      if search.stop == .exception { diagnosis.explanation.text.addSentence(sentence) }
      return
    }
    diagnosis.contract = broken.contract.id
    if broken.contract.isPlaceless, !isFurther { diagnosis.blamed = nil }
    diagnosis.raisedBy = broken.frame ?? diagnosis.raisedBy
    var cause = Explanation(
      rule: rule?.id, entry, values: texts.values(facts.values, broken.captures),
      confidence: broken.confidence,
      evidence: broken.evidence, sources: [broken.contract.source])
    if isConsequence || broken.isAside { cause.advice = [] }
    if isFurther {
      diagnosis.explanation.add(cause, from: broken.contract.id)
    } else {
      diagnosis.explanation.takeCause(
        cause, keepsTitle: search.stop != .exception || !isBare(diagnosis.explanation))
      if !broken.contract.isOfApple { diagnosis.dropSystemPlace() }
    }
    diagnosis.explanation.text.addSentence(sentence)
  }

  /// Whether a contract doesn't take the place of the headline.
  private func isFurtherStatement(
    _ broken: BrokenContract, than rule: Rule?, in diagnosis: Diagnosis, _ search: ContractSearch,
    _ facts: CrashFacts
  ) -> Bool {
    let isMessage = broken.frame == nil && broken.confidence == .certain
    // The watchdog's code tells only that the main thread was late, and not what it waited for; one that computed didn't.
    let isWait =
      search.stop == .hang && broken.confidence == .likely && broken.contract.isAboutHangs
      && facts.numbers[.busyShare].map { $0.value < Self.leastBusyShare } ?? true
    return broken.isAside
      || rule?.statesCause ?? false && !broken.isCallerSpecific && !isWait
        && !(isMessage && rule?.yieldsToMessage ?? false)
      || isLessInformative(broken, to: diagnosis, search)
  }

  /// The share of the time, in percent, from which a process that used the CPU was busy rather than waiting.
  private static let leastBusyShare: UInt64 = 60

  /// Whether a contract states what only followed: its message stands below that of the rule.
  private func isConsequence(
    _ broken: BrokenContract, of rule: Rule?, in diagnosis: Diagnosis, _ facts: CrashFacts
  ) -> Bool {
    guard let rule, rule.precedes.contains(broken.contract.family) else { return false }
    let lines = facts.texts[.text]?.map(\.evidence) ?? []
    let firstLine = { (evidence: [Evidence]) in lines.firstIndex(where: evidence.contains) }
    guard let cause = firstLine(diagnosis.explanation.evidence), let other = firstLine(broken.evidence) else {
      return false
    }
    return cause < other
  }

  /// Whether a headline names nothing of this crash: `Uncaught exception` adds nothing to the cause of one.
  private func isBare(_ explanation: Explanation) -> Bool {
    let entry = explanation.rule.flatMap { texts.entries[$0] }
    return entry.map { $0.title.filled(with: [:]) == explanation.title } ?? false
  }

  /// Whether a contract that is only a hint is less informative than what is known already: the reason, the program's
  /// own words, or what the fault address shows.
  private func isLessInformative(
    _ broken: BrokenContract, to diagnosis: Diagnosis, _ search: ContractSearch
  ) -> Bool {
    guard broken.confidence == .hint else { return false }
    let isExplained = diagnosis.explanation.confidence != .hint
    return search.statesReason || quotesProgram(diagnosis, search)
      || search.backtrace?.frames.endsCaughtException ?? false
      || search.stop == .trap && isExplained && broken.isOfImageAlone
      || search.stop == .fault
        && (isExplained || search.isNumberUsed || broken.isOfImageAlone && isOfInnermostFunction(diagnosis))
  }

  /// Whether the headline is about the innermost function, such as a message's: that says more than whose code it was.
  private func isOfInnermostFunction(_ diagnosis: Diagnosis) -> Bool {
    diagnosis.explanation.evidence.contains {
      if case .frame(let reference) = $0.source { reference.frame == 0 } else { false }
    }
  }

  /// Whether the headline is proven by the program's own message.
  private func quotesProgram(_ diagnosis: Diagnosis, _ search: ContractSearch) -> Bool {
    diagnosis.explanation.confidence == .certain && search.stop != .exception
      && !isBare(diagnosis.explanation)
      && diagnosis.explanation.evidence.contains {
        if case .field(.applicationSpecificInformation) = $0.source { true } else { false }
      }
  }

  /// Removes quotes of the report that repeat others.
  private func dropRepeatedQuote(from explanation: inout Explanation) {
    let others =
      explanation.findings.filter { $0.rule != Self.quote }.flatMap(\.evidence) + explanation.evidence
    explanation.findings.removeAll { $0.rule == Self.quote && $0.evidence.allSatisfy(others.contains) }
  }

  /// Removes the guess that a stack of the system's code alone shows a defect of the system, if the cause is known.
  private func dropGuess(from diagnosis: inout Diagnosis) {
    let statesCause = knowledge.rules[diagnosis.explanation.rule]?.statesCause ?? false
    guard diagnosis.explanation.confidence != .hint, statesCause || diagnosis.contract != nil else { return }
    diagnosis.explanation.findings.removeAll { $0.rule == Self.systemGuess }
  }

  /// The rule of the finding that says what a stack of the system's code alone can mean.
  private static let systemGuess = "system-code-only"
  /// The rule of the finding that quotes the report.
  private static let quote = "report-says"

  private func rejected(before rule: String?, _ facts: CrashFacts) -> [RejectedRule] {
    knowledge.rules.all.prefix { $0.id != rule }.compactMap { rule in
      rule.missingCondition(facts).map { RejectedRule(rule: rule.id, condition: $0.key) }
    }
  }

  func explain(_ facts: CrashFacts) -> Explanation {
    var earlier: Explanation?
    for rule in knowledge.rules.candidates(facts) {
      guard let match = rule.match(facts), let entry = texts.entries[rule.id] else { continue }
      let found = explanation(entry, facts, match: match)
      guard facts.isKilledByWatcher, facts.isStoppedApart(from: match.evidence) else { return found }
      earlier = earlier ?? found
    }
    return earlier
      ?? Explanation(
        rule: nil, texts.unmatched, values: texts.values(facts.values), confidence: .hint, evidence: [],
        sources: [])
  }

  /// How the program stopped, if the rule in the headline says only why.
  private func mechanics(behind rule: String?, _ facts: CrashFacts) -> Finding? {
    guard knowledge.rules[rule]?.saysOnlyWhy ?? false else { return nil }
    for later in knowledge.rules.candidates(facts).drop(while: { $0.id != rule }).dropFirst() {
      guard let match = later.match(facts), let entry = texts.entries[later.id] else { continue }
      let stop = explanation(entry, facts, match: match)
      return Finding(
        rule: later.id, text: stop.title, confidence: stop.confidence, evidence: stop.evidence)
    }
    return nil
  }

  /// The location stated by the message that a rule is based on.
  ///
  /// Such a message is printed by a callee of the function that it names, so there may be no other frame of the app
  /// between the two.
  private func statedLocation(
    by rule: String?, _ facts: CrashFacts, _ blamed: BlamedFrame?, _ symbolicated: SymbolicatedReport
  ) -> SourceLocation? {
    let captures = knowledge.rules[rule]?.match(facts)?.captures
    guard let file = captures?["file"], let line = captures?["line"].flatMap({ Int($0) }), line > 0,
      !knowledge.libraryFiles.matches(file)
    else { return nil }
    if let blamed, symbolicated.frames(of: blamed.backtrace).prefix(blamed.frame).contains(where: \.isInApp) {
      return nil
    }
    return SourceLocation(file: file, line: line)
  }

  private func finding(_ rule: Rule, _ facts: CrashFacts) -> Finding? {
    guard let match = rule.match(facts), let text = texts.findings[rule.id] else { return nil }
    return Finding(
      rule: rule.id, text: text.filled(with: texts.values(facts.values, match.captures)),
      confidence: rule.confidence, evidence: match.evidence)
  }

  private func explanation(_ entry: Texts.Entry, _ facts: CrashFacts, match: RuleMatch) -> Explanation {
    var match = match
    let confidence = confidence(in: &match, facts)
    // In a message from a macro's expansion, the line number is that in the expansion.
    if let call = facts.macroCall, match.captures["file"].map({ $0.hasSuffix(call.fileName) }) ?? false {
      match.captures["line"] = call.line.map(String.init)
    }
    // Values in the headline need evidence, even if the rule matches without them.
    for name in entry.title.names.sorted() where match.captures[name] == nil {
      if let fact = Texts.fact(filling: name).flatMap({ facts.values[$0] }) { match.add(fact.evidence) }
    }
    for decoding in facts.decodings {
      for var evidence in decoding.evidence {
        evidence.meaning = texts.summary(decoding.number)
        match.add(evidence)
      }
    }
    return Explanation(
      rule: match.rule.id, entry, values: texts.values(facts.values, match.captures), confidence: confidence,
      evidence: match.evidence, sources: [match.rule.source])
  }

  /// The confidence of a rule in this report.
  private func confidence(in match: inout RuleMatch, _ facts: CrashFacts) -> Confidence {
    let rule = match.rule
    let isDoubtful =
      facts.isChangedFromOutside && !rule.readsMessage || facts.isStoppedApart(from: match.evidence)
      || match.evidence.contains(where: \.isRetold) || facts.isFaultDisputed && !rule.readsMessage
    let isProven = rule.isProven(facts, addingTo: &match)
    return isProven && !isDoubtful ? rule.confidence : rule.confidence.atMostLikely
  }
}

extension Diagnosis {
  /// Blames no frame if it is the system's function that raised the exception: that only noticed the mistake, and the text
  /// names it.
  fileprivate mutating func dropBlamedRaiser() {
    guard let blamed, let raisedBy, blamed.backtrace == raisedBy.backtrace, blamed.frame == raisedBy.frame,
      !(frame(blamed)?.isInApp ?? false)
    else { return }
    self.blamed = nil
  }

  /// Leaves out a place in a library of the system where the cause is known: there is nothing to change there.
  fileprivate mutating func dropSystemPlace() {
    guard let blamed, let frame = frame(blamed), !frame.isInApp,
      frame.captured.imageName.map(isSystemLibrary) ?? false
    else { return }
    self.blamed = nil
  }

  /// Adds what the instruction shows. If it can't have failed as the report states, nothing based on that is certain.
  fileprivate mutating func add(_ reading: InstructionReading) {
    instruction = reading.statement
    let findings = [
      reading.finding, reading.originFinding, reading.trapFinding, reading.differenceFinding,
    ].compactMap(\.self)
    explanation.findings.insert(contentsOf: findings, at: 0)
    guard reading.contradicts else { return }
    explanation.confidence = explanation.confidence.lowered
    faultStatement?.confidence = .hint
  }
}

extension Confidence {
  fileprivate var lowered: Confidence { self == .certain ? .likely : .hint }
}

extension String {
  /// The text without any of these characters at its end.
  fileprivate func trimmingSuffix(of characters: String) -> String {
    String(self[..<(lastIndex { !characters.contains($0) }.map(index(after:)) ?? startIndex)])
  }

  /// Appends a sentence.
  mutating func addSentence(_ sentence: String) {
    guard !sentence.isEmpty else { return }
    if last?.isASCII ?? false { append(" ") }
    append(sentence)
  }
}

extension Explanation {
  /// Makes a cause the headline; the previous headline becomes the first finding.
  fileprivate mutating func takeCause(_ cause: Explanation, keepsTitle: Bool) {
    // A finding with the same evidence as the cause repeats it.
    findings.removeAll { !$0.evidence.isEmpty && $0.evidence.allSatisfy(cause.evidence.contains) }
    // A headline that only repeats the exception's type adds nothing to the evidence.
    if keepsTitle, let rule, !title.isEmpty, title != cause.title,
      !evidence.contains(where: { $0.quote == title })
    {
      findings.insert(Finding(rule: rule, text: title, confidence: confidence, evidence: evidence), at: 0)
    }
    let (rule, findings) = (rule, findings)
    let evidence = cause.evidence + evidence.filter { !cause.evidence.contains($0) }
    let sources = cause.sources + sources
    self = cause
    (self.rule, self.findings, self.evidence, self.sources) = (rule, findings, evidence, sources)
  }

  /// Removes advice that another piece contains, as when a rule and a contract both say to run with Address Sanitizer.
  fileprivate mutating func dropRepeatedAdvice() {
    let texts = advice.map { $0.lowercased().trimmingSuffix(of: ".。") }
    let isRepeated = texts.indices.map { index in
      texts.indices.contains { other in
        other != index && texts[other].holds(texts[index])
          && (texts[other] != texts[index] || other < index)
      }
    }
    advice = zip(advice, isRepeated).filter { !$0.1 }.map(\.0)
  }

  /// Adds a contract's statements to an explanation that gives the cause itself.
  fileprivate mutating func add(_ cause: Explanation, from contract: String) {
    // Based on the same text, it can only repeat the cause, or add advice.
    if !cause.evidence.allSatisfy(evidence.contains) {
      findings.insert(
        Finding(rule: contract, text: cause.text, confidence: cause.confidence, evidence: cause.evidence),
        at: 0)
    }
    // Advice about this crash precedes the rule's general advice, unless it is a guess.
    let isGuess = cause.confidence == .hint && confidence != .hint
    let (first, second) =
      isGuess ? (advice[...], cause.advice.prefix(1)) : (cause.advice.prefix(2), advice[...])
    advice = first + second.filter { !first.contains($0) }
    sources += cause.sources
  }

  /// Fills in the texts; `missing` replaces required values that are missing.
  init(
    rule: String?, _ entry: Texts.Entry?, values: [String: String], missing: String = Template.missingValue,
    confidence: Confidence, evidence: [Evidence], sources: [String]
  ) {
    self.init(
      rule: rule,
      title: entry?.title.filled(with: values, missing: missing) ?? "",
      text: entry?.text.filled(with: values, missing: missing) ?? "",
      confidence: confidence,
      evidence: evidence,
      // Advice about something that is missing is empty.
      advice: (entry?.advice ?? []).map { $0.filled(with: values, missing: missing) }.filter { !$0.isEmpty },
      sources: sources)
  }
}

extension Diagnosis {
  /// Downgrades statements that are certain, but based on a debug file of another build, or on names from other
  /// reports.
  fileprivate mutating func lowerConfidence(where isUncertain: ([Evidence]) -> Bool) {
    if isUncertain(explanation.evidence) { explanation.confidence = explanation.confidence.atMostLikely }
    for index in explanation.findings.indices where isUncertain(explanation.findings[index].evidence) {
      explanation.findings[index].confidence = explanation.findings[index].confidence.atMostLikely
    }
    if let statement = faultStatement, isUncertain(statement.evidence) {
      faultStatement?.confidence = statement.confidence.atMostLikely
    }
    if let blamed, isUncertain([Evidence(.frame(FrameReference(blamed.backtrace, blamed.frame)), "")]) {
      blameConfidence = blameConfidence?.atMostLikely
    }
  }
}

extension SymbolicatedReport {
  /// Whether evidence is a frame's name that was learned from other reports.
  fileprivate func isLearned(_ evidence: Evidence) -> Bool {
    guard case .frame(let reference) = evidence.source else { return false }
    let frames = frames(of: reference.backtrace)
    return frames.indices.contains(reference.frame) && frames[reference.frame].learned != nil
  }
}

extension Confidence {
  var atMostLikely: Confidence { self == .certain ? .likely : self }
}
