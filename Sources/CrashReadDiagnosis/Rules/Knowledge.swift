internal import CrashReadReports

/// What the tool knows in no particular language: rules, code tables, and names of functions that only pass a crash on.
struct Knowledge: Sendable {
  /// In order of priority: the first that matches explains the crash.
  var rules: [Rule]
  /// All that match add a statement to the explanation.
  var findings: [Rule]
  /// What APIs demand of their callers.
  var contracts: ContractTable
  /// Numbers and their names.
  var codes: CodeTables
  /// Functions that stop a program or report an error: never where the error is.
  var machinery: [TextPattern]
  /// Functions the compiler puts between a caller and its callee.
  var thunks: [TextPattern]
  /// Functions of run loops, queues and threads, which call whatever is next.
  var loops: [TextPattern]
  /// Files whose code is compiled into an app without being its own: headers of the system and of the toolchain.
  var libraryFiles: [TextPattern]
  /// Functions of which the same holds.
  var libraryFunctions: [TextPattern]
  /// Functions of libraries that are built into apps, so that they are in the app's image.
  var vendored: [TextPattern]
  /// Images whose code only carries out what others ask of it, or stops programs for them.
  var runtimeImages: Set<String>
  /// Functions whose last instruction calls one that doesn't return.
  var lastCalls: [LastCall]
  /// Signals that functions on the stack imply.
  var impliedSignals: [ImpliedSignal]
  /// Functions in which a thread waits, the most telling kinds first.
  var waits: [WaitKind]
  /// What other threads do that can explain a crash.
  var elsewhere: [ElsewhereKind]
  /// Functions that hold a lock on a file while they run.
  var lockUsers: [TextPattern]
  /// What people paste that no report has in this form, and the names under which it is explained.
  var pastes: [Paste]
  /// Messages with which Swift's standard library stops programs.
  var swiftMessages: [String]
  /// Lines of a report that say nothing of the cause.
  var boilerplate: [TextPattern]
  private var ownProblems: [String]

  /// Entries that could not be read and were left out; a test sees to it that there are none.
  var problems: [String] { ownProblems + contracts.problems }

  /// The knowledge built into the program.
  static let embedded = Knowledge(
    rules: EmbeddedDocuments.rules, codes: EmbeddedDocuments.codes, contracts: .embedded)

  /// Reads the knowledge from its documents.
  init(rules document: JSONValue, codes: JSONValue, contracts: ContractTable = ContractTable([])) {
    var problems: [String] = []
    self.contracts = contracts
    rules = document["rules"].elements.compactMap { Rule($0, problems: &problems) }
    findings = document["findings"].elements.compactMap { Rule($0, problems: &problems) }
    self.codes = CodeTables(codes, problems: &problems)
    machinery = readPatterns(document["machinery"], problems: &problems)
    thunks = readPatterns(document["thunks"], problems: &problems)
    loops = readPatterns(document["loops"], problems: &problems)
    libraryFiles = readPatterns(document["libraryFiles"], problems: &problems)
    libraryFunctions = readPatterns(document["libraryFunctions"], problems: &problems)
    vendored = readPatterns(document["vendored"], problems: &problems)
    runtimeImages = Set(document["runtimeImages"].elements.compactMap(\.string))
    lastCalls = document["lastCalls"].elements.compactMap { LastCall($0, problems: &problems) }
    impliedSignals = document["impliedSignals"].members.map { signal, functions in
      ImpliedSignal(signal: signal, functions: readPatterns(functions, problems: &problems))
    }
    waits = document["waits"].members.map { kind, functions in
      WaitKind(kind: kind, functions: readPatterns(functions, problems: &problems))
    }
    lockUsers = readPatterns(document["lockUsers"], problems: &problems)
    elsewhere = document["elsewhere"].members.map { kind, source in
      ElsewhereKind(
        kind: kind, functions: readPatterns(source["functions"], problems: &problems),
        isShared: source["shared"].isTrue)
    }
    pastes = document["pastes"].elements.map { source in
      Paste(
        patterns: readPatterns(source["text"], problems: &problems),
        names: source["means"].elements.compactMap(\.string))
    }
    swiftMessages = document["swiftMessages"].elements.compactMap(\.string)
    boilerplate = readPatterns(document["boilerplate"], problems: &problems)
    ownProblems = problems
  }
}

/// Functions that a program doesn't come back from, and the signal by which it ends there.
struct ImpliedSignal: Sendable, Hashable {
  var signal: String
  var functions: [TextPattern]
}

/// A line of a terminal, a console or an alert.
struct Paste: Sendable, Hashable {
  /// The line, or a part of it.
  var patterns: [TextPattern]
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

  init?(_ source: JSONValue, problems: inout [String]) {
    guard let image = source["image"].string,
      let callee = source["callee"].string.flatMap({ TextPattern($0) }),
      let function = source["function"].string
    else {
      problems.append("rules.json: lastCalls")
      return nil
    }
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
