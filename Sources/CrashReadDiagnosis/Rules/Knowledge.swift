internal import CrashReadReports

/// What the tool knows in no particular language: rules, code tables, and names of functions that only pass a crash on.
final class Knowledge: Sendable {
  /// In order of priority: the first that matches explains the crash.
  let rules: RuleTable
  /// All that match add a statement to the explanation.
  let findings: RuleTable
  /// What APIs demand of their callers.
  let contracts: ContractTable
  /// Numbers and their names.
  let codes: CodeTables
  /// Functions that stop a program or report an error: never where the error is.
  let machinery: PatternSet
  /// Functions the compiler puts between a caller and its callee.
  let thunks: PatternSet
  /// Functions of run loops, queues and threads, which call whatever is next.
  let loops: PatternSet
  /// Files whose code is compiled into an app without being its own: headers of the system and of the toolchain.
  let libraryFiles: PatternSet
  /// Functions of which the same holds.
  let libraryFunctions: PatternSet
  /// Functions of libraries that are built into apps, so that they are in the app's image.
  let vendored: PatternSet
  /// Images whose code only carries out what others ask of it, or stops programs for them.
  let runtimeImages: Set<String>
  /// Functions whose last instruction calls one that doesn't return.
  let lastCalls: [LastCall]
  /// Signals that functions on the stack imply.
  let impliedSignals: [ImpliedSignal]
  /// Functions in which a thread waits, the most telling kinds first.
  let waits: [WaitKind]
  /// What other threads do that can explain a crash.
  let elsewhere: [ElsewhereKind]
  /// Functions that hold a lock on a file while they run.
  let lockUsers: PatternSet
  /// Messages with which Swift's standard library stops programs.
  let swiftMessages: [String]
  /// Lines of a report that say nothing of the cause.
  let boilerplate: PatternSet
  private let document: JSONValue

  /// The knowledge built into the program.
  static let embedded = Knowledge(
    rules: EmbeddedDocuments.rules, codes: EmbeddedDocuments.codes, contracts: .embedded)

  /// Takes the knowledge from its documents.
  init(rules document: JSONValue, codes: JSONValue, contracts: ContractTable = ContractTable([])) {
    self.document = document
    self.contracts = contracts
    self.codes = CodeTables(codes)
    rules = RuleTable(document["rules"])
    findings = RuleTable(document["findings"])
    machinery = PatternSet(document["machinery"])
    thunks = PatternSet(document["thunks"])
    loops = PatternSet(document["loops"])
    libraryFiles = PatternSet(document["libraryFiles"])
    libraryFunctions = PatternSet(document["libraryFunctions"])
    vendored = PatternSet(document["vendored"])
    lockUsers = PatternSet(document["lockUsers"])
    boilerplate = PatternSet(document["boilerplate"])
    runtimeImages = Set(document["runtimeImages"].elements.compactMap(\.string))
    lastCalls = document["lastCalls"].elements.compactMap { LastCall($0) }
    impliedSignals = document["impliedSignals"].members.map { signal, functions in
      ImpliedSignal(signal: signal, functions: PatternSet(functions))
    }
    waits = document["waits"].members.map { kind, functions in
      WaitKind(kind: kind, functions: PatternSet(functions))
    }
    elsewhere = document["elsewhere"].members.map { kind, source in
      ElsewhereKind(
        kind: kind, functions: PatternSet(source["functions"]), isShared: source["shared"].isTrue)
    }
    swiftMessages = document["swiftMessages"].elements.compactMap(\.string)
  }

  /// What people paste that no report has in this form, and the names under which it is explained.
  var pastes: [Paste] {
    document["pastes"].elements.map { source in
      Paste(
        patterns: PatternSet(source["text"]), names: source["means"].elements.compactMap(\.string))
    }
  }

  /// Entries that can't be read and are as if they weren't there; a test sees to it that there are none.
  var problems: [String] {
    let sets =
      [machinery, thunks, loops, libraryFiles, libraryFunctions, vendored, lockUsers, boilerplate]
      + impliedSignals.map(\.functions) + waits.map(\.functions) + elsewhere.map(\.functions)
      + pastes.map(\.patterns)
    let lost = document["lastCalls"].elements.count - lastCalls.count
    return rules.problems + findings.problems + codes.problems + contracts.problems
      + sets.flatMap(\.problems) + (lost == 0 ? [] : ["rules.json: lastCalls"])
  }
}

/// Functions that a program doesn't come back from, and the signal by which it ends there.
struct ImpliedSignal: Sendable {
  var signal: String
  var functions: PatternSet
}

/// A line of a terminal, a console or an alert.
struct Paste: Sendable {
  /// The line, or a part of it.
  var patterns: PatternSet
  /// Names of codes, rules and contracts, the most likely first.
  var names: [String]
}

/// A function whose last instruction calls one that doesn't return: a symbolicator then prints its neighbor's name.
struct LastCall: Sendable, Hashable {
  /// The image both are in.
  var image: String
  /// What it calls.
  var callee: TextPattern
  /// Its name.
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
  /// Reads a rule; a rule with an unknown condition is left out as a whole, since without it it would match too much.
  init?(_ source: JSONValue, problems: inout [String]) {
    let id = source["id"].string ?? "a rule without an id"
    let before = problems.count
    let conditions = source["when"].members.compactMap { name, value in
      Condition(name, value, rule: id, problems: &problems)
    }
    guard let confidence = source["confidence"].string.flatMap(Confidence.init(rawValue:)),
      !conditions.isEmpty,
      problems.count == before
    else {
      problems.append("rules.json: \(id)")
      return nil
    }
    self.init(
      id: id, confidence: confidence, conditions: conditions, source: source["source"].string ?? "",
      overflows: source["overflows"].isTrue, statesCause: source["cause"].isTrue)
  }
}

extension Condition {
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
      self = .patterns(fact, anyOf: readPatterns(value, problems: &problems))
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

private func readPatterns(_ source: JSONValue, problems: inout [String]) -> [TextPattern] {
  source.elements.compactMap { element in
    let text = element.string ?? ""
    let pattern = TextPattern(text)
    if pattern == nil { problems.append("rules.json: \(text) is no pattern") }
    return pattern
  }
}
