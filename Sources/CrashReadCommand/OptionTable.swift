internal import BinaryIdentity
internal import DebugInfo

/// One option.
///
/// The parser, both helps, the manual page and the completions are made from these values alone.
struct OptionDefinition: Sendable {
  /// The name after `--`.
  var long: String
  /// The letter after `-`.
  var short: Character?
  /// What follows the name, and what the option does with it.
  var argument: Argument
  var category: Category
  /// The verbs that take it.
  var verbs: Set<Verb>
  /// Whether each occurrence counts; of an option that isn't repeatable the last one does.
  var isRepeatable = false
  /// One line.
  var summary: String
  /// Paragraphs that say more than the line; words in backquotes are what is typed.
  var details: [String] = []

  /// The headings of help and of the manual page, in their order.
  enum Category: String, CaseIterable, Sendable {
    case matching = "Debug files"
    case output = "Output"
    case sources = "Source files"
    case general = "General"
  }

  enum Argument: Sendable {
    case none(@Sendable (inout Options) -> Void)
    case value(ValueDefinition)
  }

  /// What follows an option's name.
  struct ValueDefinition: Sendable {
    /// How help calls it.
    var placeholder: String
    /// The words allowed; empty when it isn't a closed set.
    var choices: [Choice] = []
    var completes = Completion.nothing
    var store: @Sendable (_ value: String, _ options: inout Options) throws(ValueProblem) -> Void
  }

  /// One allowed word.
  struct Choice: Sendable {
    var word: String
    var summary: String
    var verbs: Set<Verb>
  }

  /// Why a value can't be used; the parser adds the option's name.
  enum ValueProblem: Error, Equatable {
    case malformed(expected: String)
  }

  /// The value's definition; nil for a flag.
  var value: ValueDefinition? {
    if case .value(let definition) = argument { definition } else { nil }
  }

  /// The words a value can be with this verb; empty when it isn't a closed set.
  func choices(for verb: Verb) -> [Choice] {
    value?.choices.filter { $0.verbs.contains(verb) } ?? []
  }
}

/// Every option, in the order help shows them within their category.
let optionTable = matchingOptions + outputOptions + sourceOptions + generalOptions

private let matchingOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "symbols", argument: .path("PATH") { $0.symbols.append($1) },
    category: .matching, verbs: [.report, .ci], isRepeatable: true,
    summary: "Debug file, or directory to search for debug files",
    details: ["The same as giving it as an operand, except that it is never taken for a report."]),
  OptionDefinition(
    long: "watch-dir", argument: .path("DIRECTORY", .directories) { $0.watchedFolders.append($1) },
    category: .matching, verbs: [.ci], isRepeatable: true,
    summary: "Read the reports that appear in DIRECTORY",
    details: [
      """
      Such as `~/Library/Logs/DiagnosticReports`, or a copy of it. Files that hold no report are passed over. Given a \
      command, those written before it began are too.
      """
    ]),
  OptionDefinition(
    long: "since",
    argument: .text("FILE|TIME") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let moment = Moment(parsing: value) ?? Moment(fileAt: value) else {
        throw .malformed(expected: "a file, or a time such as 2026-11-21T09:00:00Z or @1795251600")
      }
      options.since = moment
    },
    category: .matching, verbs: [.ci],
    summary: "Of these directories, read files not older than FILE or TIME",
    details: ["TIME is a date and time with its offset (ISO 8601), or `@` and seconds since 1970."]),
  OptionDefinition(
    long: "log", argument: .path("FILE") { $0.logs.append($1) },
    category: .matching, verbs: [.ci], isRepeatable: true,
    summary: "Read the reports in FILE, the output of a test run",
    details: ["`-` is standard input."]),
  OptionDefinition(
    long: "allow-mismatch", argument: .none { $0.allowsMismatch = true },
    category: .matching, verbs: [.report, .ci],
    summary: "Use a debug file whose identity differs from the report's",
    details: [
      """
      Without it such a file is refused and both identities are shown. With it the lines may be wrong, and every frame \
      resolved that way is marked as a guess.
      """
    ]),
  OptionDefinition(
    long: "strict", argument: .none { $0.isStrict = true },
    category: .matching, verbs: [.report],
    summary: "Exit with status 1 when a frame of the app stays unresolved",
    details: ["For scripts that must not go on with half a report. What is printed stays the same."]),
  OptionDefinition(
    long: "addresses", argument: .path("FILE") { $0.addressFiles.append($1) },
    category: .matching, verbs: [.lookup], isRepeatable: true,
    summary: "Read addresses from FILE, one a line",
    details: ["`-` is standard input. Addresses given as operands come first."]),
  OptionDefinition(
    long: "arch",
    argument: .text("NAME") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard !value.isEmpty else { throw .malformed(expected: "a name such as arm64") }
      options.architecture = Architecture(rawValue: value)
    },
    category: .matching, verbs: [.lookup, .symbols],
    summary: "Read this architecture of a universal file, such as arm64"),
  OptionDefinition(
    long: "uuid",
    argument: .text("UUID") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let uuid = ImageID(parsing: value) else { throw .malformed(expected: "a UUID or a build-id") }
      options.uuid = uuid
    },
    category: .matching, verbs: [.lookup, .symbols],
    summary: "Refuse a debug file that has another identity",
    details: [
      "Hexadecimal digits in either case, with or without dashes. In a universal file it picks the slice."
    ]),
  OptionDefinition(
    long: "index", argument: .none { $0.makesCaches = true },
    category: .matching, verbs: [.symbols],
    summary: "Make the caches of these debug files now",
    details: ["Of any size, and before the first look-up. A cache that is there already stays."]),
  OptionDefinition(
    long: "cache", argument: .path("DIRECTORY", .directories) { $0.cache = $1 },
    category: .matching, verbs: [.report, .ci, .lookup, .symbols],
    summary: "Keep caches of large debug files in DIRECTORY; with off, keep none",
    details: [
      """
      The first look-up in a debug file with \(CacheDirectory.worthwhileSize >> 20) MB of DWARF or more is done in the \
      file itself. When its answer has been printed, a process in the background, at the lowest priority, writes a cache \
      about a fifth as large. From then on look-ups in that file, also by other runs, read the cache and give the same \
      answers.
      """,
      """
      A cache is used only for the very file it was made of (identity, size, time of change) and by the program that made \
      it; a stale or damaged one is made anew. Only the user can read the directory. When all caches together have more \
      than \(CacheDirectory.defaultLimit >> 30) GB, those not used for longest are removed. Without this option caches are \
      in `$XDG_CACHE_HOME/crashread` or `~/.cache/crashread`. `off` neither reads nor writes any; a directory of that \
      name is `./off`.
      """,
    ]),
]

private let outputOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "format", short: "f", argument: .choice("FORMAT") { $0.format = $1 },
    category: .output, verbs: [.report, .ci, .lookup, .kind, .explain, .symbols],
    summary: "How to print the result",
    details: ["It holds for standard output, and for files whose names don't say something else."]),
  OptionDefinition(
    long: "output", short: "o", argument: .path("[FORMAT=]FILE") { $0.outputs.append($1) },
    category: .output, verbs: [.report, .ci, .lookup, .kind, .explain, .symbols], isRepeatable: true,
    summary: "Write the result to FILE instead of standard output",
    details: [
      """
      `-` is standard output. Given several times, each file gets the whole result. `sarif=FILE` and the like say its \
      form; otherwise the name's ending does: `.json`, `.ndjson`, `.md`, `.html`, `.sarif`, `.xml` (JUnit), `.crash`, \
      `.ips`, `.tsv`, and the whole name `gl-code-quality-report.json` (GitLab). Other names mean the form of `--format`.
      """
    ]),
  OptionDefinition(
    long: "all-threads", short: "a", argument: .none { $0.showsAllThreads = true },
    category: .output, verbs: [.report, .ci],
    summary: "Show every thread, not only the one that crashed",
    details: ["Formats for programs always hold every thread."]),
  OptionDefinition(
    long: "why", argument: .none { $0.showsReasoning = true },
    category: .output, verbs: [.report, .ci],
    summary: "Show how the verdict was reached",
    details: [
      """
      The rules that hold in part, each with the condition it lacks, and the frames before the blamed one, each with \
      the reason why it was passed over. Formats for programs always hold this.
      """
    ]),
  OptionDefinition(
    long: "variables", argument: .none { $0.showsAllVariables = true },
    category: .output, verbs: [.report, .ci],
    summary: "Show every variable of the frames that matter, also those without a value",
    details: [
      """
      Without it, variables that have a value are shown. Formats for programs always hold all of them.
      """
    ]),
  OptionDefinition(
    long: "mangled", argument: .none { $0.showsLinkageNames = true },
    category: .output, verbs: [.report, .ci, .lookup],
    summary: "Show linkage names instead of demangled ones"),
  OptionDefinition(
    long: "color", argument: .choice("WHEN") { $0.color = $1 },
    category: .output, verbs: [.report, .ci, .lookup, .explain],
    summary: "When to use colour"),
  OptionDefinition(
    long: "hyperlinks", argument: .choice("WHEN") { $0.hyperlinks = $1 },
    category: .output, verbs: [.report, .ci],
    summary: "When to link places to the source files of this machine",
    details: [
      "For text output, by the escape sequence OSC 8. Inside tmux and screen links must be asked for."
    ]),
  OptionDefinition(
    long: "lang", argument: .choice("LANGUAGE") { $0.language = $1 },
    category: .output, verbs: [.report, .ci, .explain],
    summary: "The language of the result; otherwise that of the locale",
    details: [
      """
      In JSON it is the language of titles, explanations and advice alone. Evidence is in the report's own \
      words. Messages on standard error and help are in English.
      """
    ]),
]

private let sourceOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "source-root", argument: .path("DIRECTORY", .directories) { $0.sourceRoots.append($1) },
    category: .sources, verbs: [.report, .ci], isRepeatable: true,
    summary: "Look for source files under DIRECTORY",
    details: [
      """
      Debug files hold the paths of the machine that built them. The end of such a path is looked for under each \
      directory, in the order given.
      """
    ]),
  OptionDefinition(
    long: "blame", argument: .none { $0.showsBlame = true },
    category: .sources, verbs: [.report, .ci],
    summary: "Say who last changed the blamed line, by git-blame(1)",
    details: [
      """
      The line is that of the file found below a source root, as it is there now: check out the version that crashed.
      """
    ]),
  OptionDefinition(
    long: "path-map",
    argument: .text("OLD=NEW") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let map = PathMap(parsing: value) else { throw .malformed(expected: "OLD=NEW") }
      options.pathMaps.append(map)
    },
    category: .sources, verbs: [.report, .ci], isRepeatable: true,
    summary: "Look for source files whose path begins with OLD below NEW instead",
    details: [
      "Only whole path components count. The first map given that fits is used. What is printed stays as recorded."
    ]),
]

private let generalOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "limit",
    argument: .text("NAME=VALUE") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard options.limits.set(value) else {
        throw .malformed(expected: Limits.Name.allCases.map { $0.rawValue + "=N" }.joined(separator: ", "))
      }
    },
    category: .general, verbs: [.report, .ci, .lookup, .kind], isRepeatable: true,
    summary: "Let inputs ask for no more, or for more, of something",
    details: ["What goes beyond a limit is left out, and said."]
      + Limits.Name.allCases.map { "`\($0.rawValue)=\(Limits()[$0])`: \($0.summary)" }),
  OptionDefinition(
    long: "generate", argument: .choice("KIND") { $0.printout = .generated($1) },
    category: .general, verbs: [.report],
    summary: "Print the manual page or a completion script"),
  OptionDefinition(
    long: "help", short: "h", argument: .none { $0.printout = .longHelp },
    category: .general, verbs: Set(Verb.allCases),
    summary: "Print help: -h one line an option, --help all there is to say"),
  OptionDefinition(
    long: "version", short: "V", argument: .none { $0.printout = .version },
    category: .general, verbs: Set(Verb.allCases),
    summary: "Print the version"),
]

extension Limits.Name {
  fileprivate var summary: String {
    switch self {
    case .reportSize: "bytes of a report file; a larger one is an error."
    case .threads: "threads of one report."
    case .frames: "frames of one backtrace."
    case .images: "images of one report."
    case .inlineDepth: "functions inlined into one another at one address."
    case .unitSize: "bytes of DWARF entries in one compilation unit; a larger one has no functions."
    }
  }
}

extension OptionDefinition.Argument {
  fileprivate static func text(
    _ placeholder: String,
    store: @escaping @Sendable (String, inout Options) throws(OptionDefinition.ValueProblem) -> Void
  ) -> Self {
    .value(.init(placeholder: placeholder, store: store))
  }

  fileprivate static func path(
    _ placeholder: String, _ completes: Completion = .files,
    store: @escaping @Sendable (inout Options, String) -> Void
  ) -> Self {
    .value(
      .init(placeholder: placeholder, completes: completes) {
        (value, options) throws(OptionDefinition.ValueProblem) in
        guard !value.isEmpty else { throw .malformed(expected: "a path") }
        store(&options, value)
      })
  }

  /// The words are the cases of an enum, which is what arrives in the options.
  fileprivate static func choice<Value: OptionChoice>(
    _ placeholder: String, store: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Self {
    let choices = Value.allCases.map {
      OptionDefinition.Choice(word: $0.rawValue, summary: $0.summary, verbs: $0.verbs)
    }
    return .value(
      .init(placeholder: placeholder, choices: choices) {
        (word, options) throws(OptionDefinition.ValueProblem) in
        guard let value = Value(rawValue: word) else {
          throw .malformed(expected: choices.map(\.word).joined(separator: ", "))
        }
        store(&options, value)
      })
  }
}
