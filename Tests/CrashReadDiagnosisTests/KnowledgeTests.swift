import CrashReadReports
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let knowledge = Knowledge.embedded

@Suite struct KnowledgeTests {
  @Test func everythingCouldBeRead() {
    #expect(knowledge.problems == [])
    #expect(knowledge.rules.all.count > 40)
    #expect(knowledge.findings.all.count > 20)
    #expect(!knowledge.waits.names.isEmpty && !knowledge.libraryFiles.isEmpty)
    #expect(!knowledge.systemClasses.isEmpty && knowledge.roles.all.allSatisfy { !$0.isEmpty })
  }

  @Test("A rule that asks for a fact that doesn't exist is left out and reported")
  func misspelledFact() throws {
    func read(_ fact: String) throws -> Knowledge {
      let rule = #"{"id": "a", "confidence": "hint", "when": {"stated": ["\#(fact)"]}}"#
      let document = try #require(JSONValue(document: Array(#"{"rules": [\#(rule)]}"#.utf8)))
      return Knowledge(rules: document, frames: document, codes: document)
    }
    #expect(try read("selector").rules.all.map(\.id) == ["a"])
    let misspelled = try read("selektor")
    #expect(misspelled.rules.all.isEmpty)
    #expect(misspelled.problems.contains { $0.contains("selektor") })
  }

  @Test("Every fact is named by a rule or a text")
  func factsAreUsed() {
    let asked = (knowledge.rules.all + knowledge.findings.all).flatMap(\.conditions).flatMap { condition in
      if case .stated(let facts) = condition { facts } else { [ValueFact]() }
    }
    let texts = Texts.embedded(.english)
    let templates = texts.everyEntry.values.flatMap(\.all) + texts.findings.all.values
    let named = templates.flatMap(\.names).compactMap(Texts.fact(filling:))
    #expect(Set(ValueFact.allCases).subtracting(asked).subtracting(named) == [])
  }

  @Test func ruleIDsAndConditionsAreUnique() {
    let ids = (knowledge.rules.all + knowledge.findings.all).map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(Set(knowledge.rules.all.map { Set($0.conditions) }).count == knowledge.rules.all.count)
  }

  @Test("Contracts that a rule precedes are of families that exist")
  func precededFamilies() {
    let families = Set(knowledge.contracts.contracts.map(\.family))
    for rule in knowledge.rules.all { #expect(families.isSuperset(of: rule.precedes), "\(rule.id)") }
  }

  @Test("Rules replace findings that exist")
  func replacedFindings() {
    let findings = Set(knowledge.findings.all.map(\.id))
    for rule in knowledge.rules.all { #expect(findings.isSuperset(of: rule.replacedFindings), "\(rule.id)") }
  }

  @Test("Every rule and table links to its source")
  func sources() {
    for rule in knowledge.rules.all + knowledge.findings.all {
      #expect(rule.source.hasPrefix("https://"), "\(rule.id)")
    }
    for (name, table) in knowledge.codes.tables.all {
      #expect(!table.sources.isEmpty && table.sources.allSatisfy { $0.hasPrefix("https://") }, "\(name)")
    }
    for (name, layout) in knowledge.codes.layouts.all {
      #expect(layout.source.hasPrefix("https://"), "\(name)")
    }
  }

  @Test("A list of patterns has each of them once")
  func repeatedPatterns() {
    for (name, list) in EmbeddedDocuments.rules.members {
      let patterns = list.elements.compactMap(\.string)
      let repeated = Dictionary(grouping: patterns, by: \.self).filter { $0.value.count > 1 }.keys.sorted()
      #expect(repeated.isEmpty, "\(name)")
    }
  }

  @Test("Conditions only use words that facts can have")
  func vocabulary() {
    let kinds = Set(AddressKind.allCases.map(\.rawValue))
    let waits = Set(knowledge.waits.names).union(["none", "work"])
    for rule in knowledge.rules.all + knowledge.findings.all {
      for case .words(let fact, let words) in rule.conditions {
        for word in words {
          switch fact {
          case .address, .programCounter: #expect(kinds.contains(word), "\(rule.id): \(word)")
          case .protection: #expect(ProtectionFault.Cause(rawValue: word) != nil, "\(rule.id): \(word)")
          case .machineCheck: #expect(MachineCheck.Part(rawValue: word) != nil, "\(rule.id): \(word)")
          case .pointer, .register: #expect(PointerValue(rawValue: word) != nil, "\(rule.id): \(word)")
          case .wait: #expect(waits.contains(word), "\(rule.id): \(word)")
          case .access: #expect(MemoryAccess(rawValue: word) != nil, "\(rule.id): \(word)")
          case .allocation: #expect(["freed", "live"].contains(word), "\(rule.id): \(word)")
          case .architecture:
            #expect(["arm64", "arm", "x86", "translated"].contains(word), "\(rule.id): \(word)")
          case .receiver: #expect(ReceiverKind(rawValue: word) != nil, "\(rule.id): \(word)")
          case .elsewhere:
            #expect(knowledge.elsewhere.names.contains(word), "\(rule.id): \(word)")
          case .code:
            // Codes without a meaning on ARM.
            let name = word.hasPrefix("ARM_") ? String(word.dropFirst(4)) : word
            #expect(knowledge.codes.isCode(name), "\(rule.id): \(word)")
          case .guard:
            // A type, or a type and its flavor.
            let parts = word.split(separator: ".").map(String.init)
            let table = (["guard"] + parts.dropLast()).joined(separator: ".")
            let isKnown = parts.last.map { knowledge.codes.number(of: $0, in: table) != nil } ?? false
            #expect(isKnown, "\(rule.id): \(word)")
          case .stopper:
            #expect(
              [
                "terminate", "abort", "handler", "raised", "sent", "exception", "other", "interrupted",
                "handlerThrew", "allocator", "nullCall", "unwinding",
              ]
              .contains(word),
              "\(rule.id): \(word)")
          case .kind: #expect(ReportKind(rawValue: word) != nil, "\(rule.id): \(word)")
          case .namespace:
            // Reports state it by name; no published header has its number.
            let isNamed = word == "MTE_FAIL" || knowledge.codes.has(word, in: "namespace")
            #expect(isNamed, "\(rule.id): \(word)")
          case .exception:
            // Sanitizers state theirs as text.
            let isKnown = ["exception", "signal"].contains { knowledge.codes.has(word, in: $0) }
            #expect(isKnown || word.contains("Sanitizer: "), "\(rule.id): \(word)")
          }
        }
      }
    }
  }

  @Test("No pattern occurs twice in a list")
  func patternsAreUnique() {
    for rule in knowledge.rules.all {
      for case .patterns(_, let patterns) in rule.conditions {
        #expect(Set(patterns).count == patterns.count, "\(rule.id)")
      }
    }
  }
}

@Suite struct TextsTests {
  @Test("Each rule has texts, and each text a rule", arguments: Language.allCases)
  func agreement(_ language: Language) {
    let texts = Texts.embedded(language)
    #expect(texts.problems == [])
    #expect(Set(texts.entries.all.keys) == Set(knowledge.rules.all.map(\.id)))
    #expect(Set(texts.findings.all.keys) == Set(knowledge.findings.all.map(\.id)))
    #expect(texts.unmatched != nil)
  }

  @Test("A text uses only values its rule can know", arguments: Language.allCases)
  func placeholders(_ language: Language) {
    let texts = Texts.embedded(language)
    for rule in knowledge.rules.all {
      let captured = captures(of: rule)
      for template in texts.entries[rule.id]?.all ?? [] {
        let unknown = template.names.subtracting(factPlaceholders).subtracting(captured.possible)
        #expect(unknown == [], "\(rule.id)")
        let unsure = template.requiredNames.subtracting(captured.certain).subtracting(stated(by: rule))
        #expect(unsure == [], "\(rule.id) can match without these")
      }
    }
    for rule in knowledge.findings.all {
      guard let template = texts.findings[rule.id] else { continue }
      let captured = captures(of: rule)
      let unknown = template.names.subtracting(factPlaceholders).subtracting(captured.possible)
      #expect(unknown == [], "\(rule.id)")
      let unsure = template.requiredNames.subtracting(captured.certain).subtracting(stated(by: rule))
      #expect(unsure == [], "\(rule.id) can match without these")
    }
    let unmatched = texts.unmatched?.all ?? []
    #expect(unmatched.flatMap(\.requiredNames) == [])
    #expect(Set(unmatched.flatMap(\.names)).isSubset(of: factPlaceholders))
  }

  @Test("Each text uses the values of the English one, and leaves out the same", arguments: Language.allCases)
  func languagesAgree(_ language: Language) {
    let english = Texts.embedded(.english)
    for (id, entry) in Texts.embedded(language).everyEntry {
      let expected = english.everyEntry[id]?.all ?? []
      #expect(entry.all.map(\.names) == expected.map(\.names), "\(id)")
      #expect(entry.all.map(\.requiredNames) == expected.map(\.requiredNames), "\(id)")
    }
  }

  @Test("The sentences about members use the same values in every language", arguments: Language.allCases)
  func faultMembers(_ language: Language) {
    let sentences = Texts.embedded(language).faultMember.all
    #expect(Set(sentences.keys) == ["read", "write", "access", "several"])
    let values: Set = ["member", "offset", "type", "variable", "value", "place"]
    for (id, sentence) in sentences {
      #expect(sentence.names == (id == "several" ? ["members", "place"] : values))
      #expect(sentence.requiredNames == sentence.names.subtracting(["place"]))
    }
  }

  @Test("Every Japanese text has Japanese characters")
  func japanese() {
    let texts = Texts.embedded(.japanese)
    let sentences = texts.everyEntry.values.flatMap { [$0.text] + $0.advice }.map { $0.filled(with: [:]) }
    let meanings = texts.meanings.all.values.flatMap(\.all.values)
    #expect(sentences.count > 150 && meanings.count > 150)
    for text in sentences + meanings where text != Template.missingValue && !text.isEmpty {
      #expect(text.contains(/[\u{3041}-\u{30ff}\u{4e00}-\u{9fff}]/), "\(text)")
      #expect(!text.contains(#/ [,.;:]|[,.;]$/#), "\(text)")
    }
  }

  @Test("The names with a meaning are those of the code tables", arguments: Language.allCases)
  func meanings(_ language: Language) {
    let texts = Texts.embedded(language)
    var names: [String: Set<String>] = ["access": Set(MemoryAccess.allCases.map(\.rawValue))]
    names["wait"] = Set(knowledge.waits.names)
    for (table, content) in knowledge.codes.tables.all {
      names[group(of: table), default: []].formUnion(content.numbers.keys)
    }
    #expect(Set(texts.meanings.all.keys) == Set(names.keys))
    for (group, expected) in names {
      let found = Set(texts.meanings[group]?.all.keys.map(\.self) ?? [])
      #expect(found == expected, "\(group)")
    }
  }

  @Test("Every kind and every part of a number has words", arguments: Language.allCases)
  func kindsAndFields(_ language: Language) {
    let texts = Texts.embedded(language)
    let kinds = Set(
      (knowledge.codes.tables.names + knowledge.codes.layouts.names).map { group(of: $0) }
    ).union([
      "dyld", "rule", "codesAlone",
    ])
    #expect(Set(texts.kinds.all.keys) == kinds)
    for (kind, words) in texts.kinds.all {
      #expect(!words.title.isEmpty && !words.limits.isEmpty && !words.advice.isEmpty, "\(kind)")
    }
    let fields = knowledge.codes.layouts.all.values.flatMap(\.fields).map(\.name)
    let linkerFields = ["library", "symbol", "wantedBy", "expectedIn", "tried"]
    #expect(Set(texts.fields.all.keys) == Set(fields + linkerFields))
  }

  @Test("Fields and layouts name tables that exist")
  func layouts() {
    for (name, layout) in knowledge.codes.layouts.all {
      for field in layout.fields {
        #expect(field.table.map { knowledge.codes.tables[$0] != nil } ?? true, "\(name): \(field.name)")
      }
      // A layout without a word that selects it is reached by the name of a table's entry.
      let parent = knowledge.codes.tables.all.filter { name.hasPrefix($0.key + ".") }.max {
        $0.key.count < $1.key.count
      }
      let entry = parent.map { String(name.dropFirst($0.key.count + 1)) }
      let isNamed = entry.map { parent?.value.numbers[$0] != nil } ?? false
      let isSubcode = name.hasSuffix(".subcode") && knowledge.codes.layouts[String(name.dropLast(8))] != nil
      #expect(!layout.words.isEmpty || isNamed || isSubcode, "\(name)")
    }
  }

  private func captures(of rule: Rule) -> (possible: Set<String>, certain: Set<String>) {
    var possible: Set<String> = []
    var certain: Set<String> = []
    for case .patterns(_, let patterns) in rule.conditions {
      let names = patterns.map(\.captureNames)
      possible.formUnion(names.joined())
      certain.formUnion(names.dropFirst().reduce(names.first ?? []) { $0.intersection($1) })
    }
    return (possible, certain)
  }
}

extension Texts {
  /// Those of the rules and the one for a report that no rule matches.
  fileprivate var everyEntry: [String: Entry] {
    entries.all.merging(unmatched.map { ["unmatched": $0] } ?? [:]) { first, _ in first }
  }
}

/// The placeholders of facts, for any rule.
private let factPlaceholders = Set(Texts.meaningPlaceholders.keys).union(ValueFact.allCases.map(\.rawValue))

/// What is certainly known when the rule's conditions hold.
private func stated(by rule: Rule) -> Set<String> {
  // Without a frame of the app it stands for the app's code.
  var names: Set = ["ownFrame"]
  for condition in rule.conditions {
    switch condition {
    case .words(.address, _): names.formUnion(["address", "offset"])
    case .words(.access, _): names.insert("access")
    case .words(.code, _): names.insert("code")
    case .words(.pointer, _): names.insert("address")
    case .words(.register, let kinds):
      if kinds.contains(where: { $0 == "text" || $0 == "shortText" }) { names.insert("spelled") }
      names.formUnion(kinds.flatMap { [$0 + "Register", $0 + "Value"] })
    case .words(.wait, let kinds): names.insert(kinds == ["none"] ? "busyFunction" : "waitKind")
    case .numbers(.repetitions, _): names.insert("turns")
    case .numbers(.threads, _): names.insert("threads")
    case .numbers(.breakImmediate, _): names.insert("breakImmediate")
    case .numbers(.terminationCode, _): names.insert("terminationCode")
    case .patterns(.topFrame, _): names.insert("function")
    case .stated(let stated): names.formUnion(stated.map(\.rawValue))
    case .words, .numbers, .patterns: break
    }
  }
  let known = ["knownException": "exception", "knownSignal": "signal", "knownNamespace": "namespace"]
  names.formUnion(names.compactMap { known[$0] })
  // Set together with what the rule asks for.
  let companions = [
    "crowdedFunction": ["alike"], "otherThread": ["otherFunction", "otherWaitKind"],
    "receiver": ["receiverRegister"],
  ]
  names.formUnion(names.flatMap { companions[$0] ?? [] })
  for (placeholder, source) in Texts.meaningPlaceholders where names.contains(source.fact.rawValue) {
    names.insert(placeholder)
  }
  return names
}

extension Template {
  /// The names of the mandatory values.
  fileprivate var requiredNames: Set<String> {
    Set(
      parts.lazy.filter { !$0.isOptional }.flatMap(\.pieces).compactMap {
        if case .value(let name) = $0 { name } else { nil }
      })
  }
}

extension TextPattern {
  /// The names of its captures.
  fileprivate var captureNames: Set<String> {
    Set(pieces.compactMap { if case .capture(let name) = $0 { name } else { nil } })
  }
}
