internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The language-independent knowledge: rules, code tables, and names of functions that only pass a crash on.
final class Knowledge: Sendable {
  /// Rules in order of priority; the first match explains the crash.
  let rules: RuleTable
  /// Rules of which every match adds a statement to the explanation.
  let findings: RuleTable
  /// The preconditions of APIs.
  let contracts: ContractTable
  /// Numbers and their names.
  let codes: CodeTables
  /// Functions by the part that they play on a stack.
  let roles: FunctionRoles
  /// Files whose code is compiled into an app, but belongs to the system or the toolchain: headers.
  let libraryFiles: PatternSet
  /// The source files of dependencies, by the folders of package managers.
  let dependencies: LazyList<TextPattern>
  /// Images of dependencies, by the names that their makers give them.
  let dependencyImages: Set<String>
  /// Files of a jailbreak, by their paths; before a name without one stands a slash.
  let jailbreak: PatternSet
  /// Programs that run the code of other people, in lower case, though they come with the system or with Xcode.
  let interpreters: PatternSet
  /// What the synchronous calls of a library wait for, by its image: kinds of `waits`.
  let waitingImages: [String: String]
  /// Folders in which the system and programs look for other makers' plug-ins.
  let plugInFolders: [String]
  /// Images whose code acts only on behalf of its callers, or stops programs for them.
  let runtimeImages: Set<String>
  /// The prefixes of the classes of those of Apple's frameworks whose methods raise most exceptions.
  let systemClasses: [String]
  /// The families of contracts whose APIs stop programs by a fatal error of Swift's.
  let swiftFamilies: Set<String>
  /// Functions whose last instruction calls a noreturn function.
  let lastCalls: [LastCall]
  /// Signals implied by functions on the stack.
  let impliedSignals: FunctionKinds
  /// Functions in which a thread waits, the most informative kinds first.
  let waits: FunctionKinds
  /// Functions on other threads that can explain a crash.
  let elsewhere: FunctionKinds
  /// The kinds of these that only matter if the crashed thread is in such a function as well: those of runtimes that
  /// allow one thread at a time.
  let sharedKinds: Set<Int>
  /// Fatal error messages of Swift's standard library.
  let swiftMessages: [String]
  /// Lines of reports that are unrelated to the cause.
  let boilerplate: PatternSet
  private let document: JSONValue
  private let frames: JSONValue

  /// The knowledge embedded in the program.
  static let embedded = Knowledge(
    rules: EmbeddedDocuments.rules, frames: EmbeddedDocuments.frames, codes: EmbeddedDocuments.codes,
    contracts: .embedded)

  /// Reads the knowledge from its documents.
  init(
    rules document: JSONValue, frames: JSONValue, codes: JSONValue,
    contracts: ContractTable = ContractTable([JSONValue]())
  ) {
    self.document = document
    self.frames = frames
    self.contracts = contracts
    self.codes = CodeTables(codes)
    rules = RuleTable(document["rules"])
    findings = RuleTable(document["findings"])
    boilerplate = PatternSet(document["boilerplate"], in: "rules.json")
    swiftMessages = document["swiftMessages"].elements.compactMap(\.string)
    roles = FunctionRoles(frames)
    libraryFiles = PatternSet(frames["libraryFiles"], in: "frames.json")
    dependencies = LazyList(frames["dependencies"].elements) {
      TextPattern($0, in: "frames.json", problems: &$1)
    }
    dependencyImages = Set(frames["dependencyImages"].elements.compactMap(\.string))
    jailbreak = PatternSet(frames["jailbreak"], in: "frames.json")
    interpreters = PatternSet(frames["interpreters"], in: "frames.json")
    waitingImages = Dictionary(
      frames["waitingImages"].members.map { ($0.name, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    plugInFolders = frames["plugInFolders"].elements.compactMap(\.string)
    runtimeImages = Set(frames["runtimeImages"].elements.compactMap(\.string))
    systemClasses = frames["systemClasses"].elements.compactMap(\.string)
    swiftFamilies = Set(frames["swiftFamilies"].elements.compactMap(\.string))
    lastCalls = frames["lastCalls"].elements.compactMap { LastCall($0) }
    impliedSignals = FunctionKinds(frames["impliedSignals"])
    waits = FunctionKinds(frames["waits"])
    elsewhere = FunctionKinds(frames["elsewhere"]) { $0["functions"] }
    sharedKinds = Set(
      frames["elsewhere"].members.enumerated().filter { $1.value["shared"].isTrue }.map(\.offset))
  }

  /// Lines that people paste and that reports don't contain in this form, and the names under which they are explained.
  var pastes: [Paste] {
    document["pastes"].elements.map { source in
      Paste(
        patterns: PatternSet(source["text"], in: "rules.json"),
        names: source["means"].elements.compactMap(\.string))
    }
  }

  /// Whether a thread waits in this function.
  func isWait(_ function: String) -> Bool { waits.contains(function: function) }

  /// Invalid entries, which are ignored; a test checks that there are none.
  var problems: [String] {
    let sets = roles.all + [libraryFiles, jailbreak, interpreters, boilerplate] + pastes.map(\.patterns)
    let kinds = [impliedSignals, waits, elsewhere]
    let lost = frames["lastCalls"].elements.count - lastCalls.count
    return rules.problems + findings.problems + codes.problems + contracts.problems
      + sets.flatMap(\.problems) + kinds.flatMap(\.problems) + (lost == 0 ? [] : ["frames.json: lastCalls"])
      + dependencies.problems
  }
}

/// A line from a terminal, a console or an alert.
struct Paste: Sendable {
  /// Match the line, or a part of it.
  var patterns: PatternSet
  /// Names of codes, rules and contracts, the most likely first.
  var names: [String]
}

/// A function whose last instruction calls a noreturn function: the return address belongs to the next function, whose
/// name symbolicators print.
struct LastCall: Sendable, Hashable {
  /// The image that contains both.
  var image: String
  /// The noreturn function.
  var callee: TextPattern
  /// The caller's name.
  var function: String

  init?(_ source: JSONValue) {
    guard let image = source["image"].string,
      let callee = source["callee"].string.flatMap({ TextPattern($0) }),
      let function = source["function"].string
    else { return nil }
    (self.image, self.callee, self.function) = (image, callee, function)
  }
}

extension Rule {
  /// Reads a rule. One with an unknown condition is rejected, since it would match too much without it.
  init?(_ source: JSONValue, problems: inout [String]) {
    let id = source["id"].string ?? "a rule without an id"
    let before = problems.count
    let conditions = Condition.all(source["when"], rule: id, problems: &problems)
    let proofs = source["provenBy"].elements.map { Condition.all($0, rule: id, problems: &problems) }
    guard let confidence = source["confidence"].string.flatMap(Confidence.init(rawValue:)),
      !conditions.isEmpty,
      problems.count == before
    else {
      problems.append("rules.json: \(id)")
      return nil
    }
    self.init(
      id: id, confidence: confidence, conditions: conditions, source: source["source"].string ?? "",
      proofs: proofs, replacedFindings: source["replaces"].elements.compactMap(\.string),
      precedes: source["precedes"].elements.compactMap(\.string),
      overflows: source["overflows"].isTrue, yieldsToMessage: source["yieldsToMessage"].isTrue,
      statesCause: source["cause"].isTrue, saysOnlyWhy: source["onlyWhy"].isTrue)
  }
}

extension Condition {
  fileprivate static func all(_ source: JSONValue, rule: String, problems: inout [String]) -> [Condition] {
    source.members.compactMap { name, value in Condition(name, value, rule: rule, problems: &problems) }
  }

  fileprivate init?(_ name: String, _ value: JSONValue, rule: String, problems: inout [String]) {
    let strings = value.elements.compactMap(\.string)
    if strings.isEmpty || strings.count != value.elements.count {
      problems.append("rules.json: \(rule): \(name) is no list of texts")
    }
    if let fact = WordFact(rawValue: name) {
      self = .words(fact, anyOf: strings)
    } else if let fact = NumberFact(rawValue: name) {
      self = .numbers(fact, anyOf: strings.compactMap { readRange($0, problems: &problems) })
    } else if let fact = TextFact(rawValue: name) {
      self = .patterns(fact, anyOf: TextPattern.all(value, in: "rules.json", problems: &problems))
    } else if name == "stated" {
      let facts = strings.compactMap(ValueFact.init)
      if facts.count != strings.count { problems.append("rules.json: \(rule): \(strings) names no fact") }
      self = .stated(facts)
    } else {
      problems.append("rules.json: \(rule): \(name) is no condition")
      return nil
    }
  }
}

/// Reads `5` or `0x10-0x1f`.
private func readRange(_ text: String, problems: inout [String]) -> ClosedRange<UInt64>? {
  let range = closedRange(text)
  if range == nil { problems.append("rules.json: \(text) is no range") }
  return range
}
