internal import CrashReadReports

/// A language the explanations are written in; raw values are BCP 47 tags and the names of the text files.
public enum Language: String, Sendable, CaseIterable {
  /// English.
  case english = "en"
  /// Japanese.
  case japanese = "ja"
}

/// What is said about a crash in one language.
struct Texts: Sendable {
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
  var entries: [String: Entry] = [:]
  /// Further statements, by the id of their rule.
  var findings: [String: Template] = [:]
  /// For a report that no rule matches.
  var unmatched: Entry?
  /// What names in the code tables mean, by kind of name.
  var meanings: [String: [String: String]] = [:]
  /// Which member a fault address is: by `MemoryAccess`, `access` where it isn't known, `several` for candidates.
  var faultMember: [String: Template] = [:]
  /// Which API stopped the program, and who called it: by `raised` for an exception, `stopped` for all else.
  var calls: [String: Template] = [:]
  /// What an instruction was doing, by `MemoryOperand.Access` and by what else there is to say.
  var code: [String: Template] = [:]
  /// What kinds of numbers are called, by the group of their table.
  var kinds: [String: Kind] = [:]
  /// What parts of numbers are called, by field.
  var fields: [String: String] = [:]
  /// Entries that could not be read and were left out; a test sees to it that there are none.
  var problems: [String] = []

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
    for (id, value) in document["rules"].members {
      entries[id] = entry(id, value)
    }
    for (id, value) in document["findings"].members {
      findings[id] = value.string.flatMap { Template($0) }
      if findings[id] == nil { problems.append(id) }
    }
    unmatched = entry("unmatched", document["unmatched"])
    for (id, value) in document["faultMember"].members {
      faultMember[id] = value.string.flatMap { Template($0) }
      if faultMember[id] == nil { problems.append(id) }
    }
    for (id, value) in document["calls"].members {
      calls[id] = value.string.flatMap { Template($0) }
      if calls[id] == nil { problems.append(id) }
    }
    for (id, value) in document["code"].members {
      code[id] = value.string.flatMap { Template($0) }
      if code[id] == nil { problems.append(id) }
    }
    for (group, names) in document["meanings"].members {
      for (name, meaning) in names.members { meanings[group, default: [:]][name] = meaning.string }
    }
    for (group, value) in document["kinds"].members {
      kinds[group] = value["title"].string.map {
        Kind(title: $0, limits: value["limits"].string ?? "", advice: value["advice"].string ?? "")
      }
    }
    for (field, label) in document["fields"].members { fields[field] = label.string }
  }

  /// The words for a contract; nil when there are none, which a test rules out.
  func contract(_ id: String) -> Entry? {
    guard let value = EmbeddedDocuments.contractTexts(id, in: language),
      let title = value["title"].string.flatMap({ Template($0) }),
      let text = value["text"].string.flatMap({ Template($0) })
    else { return nil }
    return Entry(
      title: title, text: text,
      advice: value["next"].elements.compactMap { $0.string.flatMap { Template($0) } })
  }

  private mutating func entry(_ id: String, _ value: JSONValue) -> Entry? {
    let advice = value["advice"].elements.map { $0.string.flatMap { Template($0) } }
    guard let title = value["title"].string.flatMap({ Template($0) }),
      let text = value["text"].string.flatMap({ Template($0) }), !advice.contains(nil)
    else {
      problems.append(id)
      return nil
    }
    return Entry(title: title, text: text, advice: advice.compactMap(\.self))
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
    return values.merging(captures) { _, captured in captured }
  }
}
