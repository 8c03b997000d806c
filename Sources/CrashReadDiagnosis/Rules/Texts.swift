internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadVerdict

/// The texts about crashes in one language.
final class Texts: Sendable {
  /// The texts of a rule.
  struct Entry: Sendable, Hashable {
    var title: Template
    var text: Template
    var advice: [Template]

    var all: [Template] { [title, text] + advice }
  }

  /// The texts for a kind of number.
  struct Kind: Sendable, Hashable {
    var title: String
    /// What such a number states, and what it doesn't.
    var limits: String
    /// What to do next if nothing else is known.
    var advice: String
  }

  let language: Language
  /// The texts of rules, by id.
  let entries: LazyTable<Entry>
  /// Findings, by rule id.
  let findings: LazyTable<Template>
  /// The texts for reports that no rule matches.
  let unmatched: Entry?
  /// The meanings of names in the code tables, by kind of name.
  let meanings: LazyTable<LazyTable<String>>
  /// Statements about the member at a fault address: by `MemoryAccess`, `access` if it is unknown, `several` for
  /// candidates.
  let faultMember: LazyTable<Template>
  /// Statements about the API that stopped the program, and its caller: `raised` for an exception, otherwise `stopped`;
  /// and what sentences call the app's own frame.
  let calls: LazyTable<Template>
  /// Statements about an instruction, by `MemoryOperand.Access` and further keys.
  let code: LazyTable<Template>
  /// The kinds of numbers, by the group of their table.
  let kinds: LazyTable<Kind>
  /// The labels of parts of numbers, by field.
  let fields: LazyTable<String>

  private static let english = Texts(.english, EmbeddedDocuments.english)
  private static let japanese = Texts(.japanese, EmbeddedDocuments.japanese)

  /// The texts embedded in the program.
  static func embedded(_ language: Language) -> Texts {
    switch language {
    case .english: english
    case .japanese: japanese
    }
  }

  /// Reads the texts of one language.
  init(_ language: Language, _ document: JSONValue) {
    self.language = language
    entries = LazyTable(document["rules"]) { Entry($0, advice: $0["advice"]) }
    findings = LazyTable(document["findings"], Template.init)
    unmatched = Entry(document["unmatched"], advice: document["unmatched"]["advice"])
    meanings = LazyTable(document["meanings"]) { LazyTable($0, \.string) }
    faultMember = LazyTable(document["faultMember"], Template.init)
    calls = LazyTable(document["calls"], Template.init)
    code = LazyTable(document["code"], Template.init)
    kinds = LazyTable(document["kinds"]) { value in
      value["title"].string.map {
        Kind(title: $0, limits: value["limits"].string ?? "", advice: value["advice"].string ?? "")
      }
    }
    fields = LazyTable(document["fields"], \.string)
  }

  /// Invalid entries, which are ignored; a test checks that there are none.
  var problems: [String] {
    entries.unreadable + findings.unreadable + faultMember.unreadable + calls.unreadable + code.unreadable
      + kinds.unreadable + fields.unreadable
  }

  /// The texts of a contract; nil when there are none, which a test rules out.
  func contract(_ id: String) -> Entry? {
    EmbeddedDocuments.contractTexts(id, in: language).flatMap { Entry($0, advice: $0["next"]) }
  }

  /// Placeholders for the meaning of a name: the group of names, and the fact with the name.
  static let meaningPlaceholders: [String: (group: String, fact: ValueFact)] = [
    "access": ("access", .accessKind),
    "breakMeaning": ("brk", .breakName),
    "codeMeaning": ("code", .code),
    "endedForCodeMeaning": ("termination", .endedForCode),
    "endedForMeaning": ("namespace", .endedFor),
    "exceptionMeaning": ("exception", .knownException),
    "guardFlavorMeaning": ("guard", .guardFlavor),
    "guardTypeMeaning": ("guard", .guardType),
    "namespaceMeaning": ("namespace", .knownNamespace),
    "resourceMeaning": ("resource", .resourceType),
    "signalMeaning": ("signal", .knownSignal),
    "otherWaitMeaning": ("wait", .otherWaitKind),
    "terminationMeaning": ("termination", .terminationName),
    "waitMeaning": ("wait", .waitKind),
  ]

  /// The fact whose value or meaning fills a placeholder; nil for captures of patterns.
  static func fact(filling placeholder: String) -> ValueFact? {
    ValueFact(rawValue: placeholder) ?? meaningPlaceholders[placeholder]?.fact
  }

  /// The values of placeholders: facts, meanings of names, and captures.
  func values(
    _ facts: [ValueFact: Fact<String>] = [:], _ captures: [String: String] = [:]
  ) -> [String: String] {
    var values = Dictionary(uniqueKeysWithValues: facts.map { ($0.key.rawValue, $0.value.value) })
    for (placeholder, source) in Self.meaningPlaceholders {
      values[placeholder] = facts[source.fact].flatMap { meanings[source.group]?[$0.value] }
    }
    values[ValueFact.ownFrame.rawValue] = ownFrame(facts[.ownFrame]?.value)
    values.merge(captures) { _, captured in captured }
    if let type = values["type"] { values["type"] = cxxType(type) ?? type }
    return values
  }

  /// What a sentence about the app's own frame calls it: its function, or only the app's code when none has a name.
  private func ownFrame(_ function: String?) -> String? {
    guard let function else { return calls["ownCode"]?.filled(with: [:]) }
    return calls["ownFunction"]?.filled(with: ["function": function])
  }

  /// The source name of a type that the report states in the form of `std::type_info::name`: `11MyException`.
  ///
  /// Names of other languages don't begin like this. See the Itanium C++ ABI, 5.1.
  private func cxxType(_ name: String) -> String? {
    let head = name.drop { $0 == "N" || $0 == "S" || $0 == "t" }
    guard let first = head.utf8.first, (0x30...0x39).contains(first) else { return nil }
    guard let text = demangle("_ZTI" + name), text.hasPrefix("typeinfo for ") else { return nil }
    return String(text.dropFirst("typeinfo for ".count))
  }
}

extension Texts.Entry {
  fileprivate init?(_ source: JSONValue, advice: JSONValue) {
    guard let title = Template(source["title"]), let text = Template(source["text"]) else { return nil }
    let advice = advice.elements.map { Template($0) }
    guard !advice.contains(nil) else { return nil }
    self.init(title: title, text: text, advice: advice.compactMap(\.self))
  }
}

extension Template {
  fileprivate init?(_ source: JSONValue) {
    guard let text = source.string else { return nil }
    self.init(text)
  }
}
