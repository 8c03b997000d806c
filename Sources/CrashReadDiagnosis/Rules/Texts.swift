internal import CrashReadDebugInfo
internal import CrashReadReports

/// A language the explanations are written in; raw values are BCP 47 tags and the names of the text files.
public enum Language: String, Sendable, CaseIterable {
  /// English.
  case english = "en"
  /// Japanese.
  case japanese = "ja"
}

/// What is said about a crash in one language.
final class Texts: Sendable {
  /// The words for one rule.
  struct Entry: Sendable, Hashable {
    var title: Template
    var text: Template
    var advice: [Template]

    var all: [Template] { [title, text] + advice }
  }

  /// The words for one kind of number.
  struct Kind: Sendable, Hashable {
    var title: String
    /// What such a number says and what it doesn't.
    var limits: String
    /// What to do next when nothing more is known.
    var advice: String
  }

  let language: Language
  /// By the rule's id.
  let entries: LazyTable<Entry>
  /// Further statements, by the id of their rule.
  let findings: LazyTable<Template>
  /// For a report that no rule matches.
  let unmatched: Entry?
  /// What names in the code tables mean, by kind of name.
  let meanings: LazyTable<LazyTable<String>>
  /// Which member a fault address is: by `MemoryAccess`, `access` where it isn't known, `several` for candidates.
  let faultMember: LazyTable<Template>
  /// Which API stopped the program, and who called it: by `raised` for an exception, `stopped` for all else.
  let calls: LazyTable<Template>
  /// What an instruction was doing, by `MemoryOperand.Access` and by what else there is to say.
  let code: LazyTable<Template>
  /// What kinds of numbers are called, by the group of their table.
  let kinds: LazyTable<Kind>
  /// What parts of numbers are called, by field.
  let fields: LazyTable<String>

  private static let english = Texts(.english, EmbeddedDocuments.english)
  private static let japanese = Texts(.japanese, EmbeddedDocuments.japanese)

  /// The texts built into the program.
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

  /// Entries that can't be read and so are as if they weren't there; a test sees to it that there are none.
  var problems: [String] {
    entries.unreadable + findings.unreadable + faultMember.unreadable + calls.unreadable + code.unreadable
      + kinds.unreadable + fields.unreadable
  }

  /// The words for a contract; nil when there are none, which a test rules out.
  func contract(_ id: String) -> Entry? {
    EmbeddedDocuments.contractTexts(id, in: language).flatMap { Entry($0, advice: $0["next"]) }
  }

  /// Placeholders whose value is a name's meaning: the group of names, and the fact that holds the name.
  static let meaningPlaceholders: [String: (group: String, fact: ValueFact)] = [
    "access": ("access", .accessKind),
    "breakMeaning": ("brk", .breakName),
    "codeMeaning": ("code", .code),
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

  /// The fact that fills a placeholder, by itself or by its meaning; nil for what only a pattern captures.
  static func fact(filling placeholder: String) -> ValueFact? {
    ValueFact(rawValue: placeholder) ?? meaningPlaceholders[placeholder]?.fact
  }

  /// What fills the placeholders: facts, the meanings of the names among them, and what patterns captured.
  func values(_ facts: [ValueFact: Fact<String>], _ captures: [String: String] = [:]) -> [String: String] {
    var values = Dictionary(uniqueKeysWithValues: facts.map { ($0.key.rawValue, $0.value.value) })
    for (placeholder, source) in Self.meaningPlaceholders {
      values[placeholder] = facts[source.fact].flatMap { meanings[source.group]?[$0.value] }
    }
    values.merge(captures) { _, captured in captured }
    if let type = values["type"] { values["type"] = cxxType(type) ?? type }
    return values
  }

  /// A type's name as a person writes it, where a report has it as `std::type_info::name` says it: `11MyException`.
  ///
  /// Names of other languages don't begin so. See the Itanium C++ ABI, 5.1.
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
