internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadSystem

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
  /// What a worker of `batch` is given of it, so that it reads as the batch would: a value an occurrence, any text for a
  /// flag that is set. nil for options that are no concern of a worker.
  var forWorker: (@Sendable (Options) -> [String])?
  /// One line.
  var summary: String
  /// Paragraphs that say more than the line; words in backquotes are what is typed.
  var details: [String] = []

  /// The headings of help and of the manual page, in their order.
  enum Category: String, CaseIterable, Sendable {
    case matching = "Debug files"
    case output = "Output"
    case sources = "Source files"
    case batch = "Batches"
    case limits = "Limits"
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
    /// What the option's name alone stands for; nil when a value must follow.
    var implied: String?
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

extension Options {
  /// The options among these words that a job of another process takes.
  func words(for verb: Verb) -> [String] {
    verb.options.flatMap { option in
      (option.forWorker?(self) ?? []).map { "--" + option.long + (option.value == nil ? "" : "=" + $0) }
    }
  }
}

/// Every option, in the order help shows them within their category.
let optionTable =
  matchingOptions + outputOptions + sourceOptions + batchOptions + limitOptions + generalOptions

private let matchingOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "symbols", argument: .path("PATH") { $0.symbols.append($1) },
    category: .matching, verbs: [.report, .ci, .batch, .mcp], isRepeatable: true,
    forWorker: { $0.symbols },
    summary: "Debug file, or directory or archive with debug files",
    details: [
      """
      The same as giving it as an operand, except that it is never taken for a report. More places can be in \
      `CRASHREAD_SYMBOL_PATH`.
      """,
      """
      A directory may be of any layout and size: an .xcarchive, dSYMs by UUID, DerivedData, .build, a .build-id tree. Only \
      headers are read to find a file by its identity, and of a directory of many files it is kept among the caches what \
      they are, so that the next search reads what has changed.
      """,
      """
      An archive is a zip, tar or ar file (so is a Debian package), compressed by gzip, bzip2, xz, zstd or not at all, and \
      archives in it are opened too, up to three deep. In directories only files called so are looked into: .zip, .tar.gz, \
      .tgz and the like. libarchive reads them (Debian package libarchive13). Of an archive no more is taken than \
      \(ArchiveLimits().entries) entries, \(Limits().archiveSize >> 30) GB (--limit), and \(ArchiveLimits().ratio) times its own size.
      """,
    ]),
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
    long: "result-bundle", argument: .path("BUNDLE") { $0.resultBundles.append($1) },
    category: .matching, verbs: [.ci], isRepeatable: true,
    summary: "Read the crashes in BUNDLE, Xcode's result of a test run",
    details: [
      """
      An .xcresult, or a zip file of one, as `xcodebuild -resultBundlePath` makes it. Reports in it that are older than \
      the run, which Xcode collects from the whole Mac, are passed over.
      """
    ]),
  OptionDefinition(
    long: "allow-mismatch", argument: .none { $0.allowsMismatch = true },
    category: .matching, verbs: [.report, .ci, .batch, .mcp],
    forWorker: { $0.allowsMismatch ? [""] : [] },
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
    long: "load-address", short: "l",
    argument: .text("ADDRESS") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let address = LinkedAddress(hexadecimal: value) else {
        throw .malformed(expected: "a hexadecimal address")
      }
      options.loadAddress = address
    },
    category: .matching, verbs: [.lookup],
    summary: "Take run-time addresses, of an image that was loaded at ADDRESS",
    details: ["Where an image was loaded is in the report's list of images, and in /proc/PID/maps."]),
  OptionDefinition(
    long: "return-addresses", argument: .none { $0.takesReturnAddresses = true },
    category: .matching, verbs: [.lookup],
    summary: "Take addresses that calls return to, and look up the calls before them",
    details: ["All addresses of a backtrace but the first are such."]),
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
    long: "root", argument: .path("DIRECTORY", .directories) { $0.roots.append($1) },
    category: .matching, verbs: [.mcp], isRepeatable: true,
    summary: "Let tools read files below DIRECTORY",
    details: [
      """
      A path that a client gives is followed only as long as it stays below such a directory, symbolic links on it too, and \
      only regular files are read. Without this option reports can be given as text alone.
      """
    ]),
  OptionDefinition(
    long: "index", argument: .none { $0.makesCaches = true },
    category: .matching, verbs: [.symbols],
    summary: "Make the caches of these debug files now",
    details: ["Of any size, and before the first look-up. A cache that is there already stays."]),
  OptionDefinition(
    long: "for", argument: .path("REPORT") { $0.checkedReport = $1 },
    category: .matching, verbs: [.symbols],
    summary: "Say whether these are the debug files that REPORT wants, and what to do if not",
    details: ["`-` is standard input."]),
  OptionDefinition(
    long: "symbol-server",
    argument: .text("LAYOUT=URL") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let server = SymbolServer(parsing: value) else {
        throw .malformed(expected: "unified=, symstore=, ssqp= or breakpad= and a URL of HTTP")
      }
      options.symbolServers.append(server)
    },
    category: .matching, verbs: [.report, .ci, .batch, .symbols, .mcp], isRepeatable: true,
    forWorker: { $0.symbolServers.map(\.description) },
    summary: "Ask a server for debug files that are not at hand",
    details: [
      """
      LAYOUT says how the server names them: `unified` as Sentry does, `symstore` as Microsoft does (`ssqp` with names in \
      lower case), `breakpad` as Mozilla and Electron do. Each image that frames lie in is asked for by its UUID or \
      build-id, in the servers' order; what comes counts only when it has that identity, and is kept among the caches. \
      Servers learn identities and names of images, and nothing else of a report.
      """,
      """
      `CRASHREAD_SYMBOL_SERVERS` does the same, with blanks between several. libcurl is opened at run time (Debian: \
      libcurl4); `DEBUGINFOD_TIMEOUT` and `DEBUGINFOD_MAXTIME` say how long servers are waited for.
      """,
    ]),
  OptionDefinition(
    long: "symbol-memory", argument: .path("FILE") { $0.symbolMemory = $1 },
    category: .matching, verbs: [.report, .ci, .batch, .symbols, .mcp],
    forWorker: { $0.symbolMemory.map { [$0] } ?? [] },
    summary: "Name the system's functions as the reports did that FILE has learnt from",
    details: [
      """
      Reports from devices often have no names for the system's own code, and others of the same system have them. \
      `crashread symbols learn` and `batch --learn` keep in FILE what reports say of the images of the system, by UUID: \
      where a function begins, how it is called, how far it was seen to reach, who says so and since when. A frame that \
      has no name is then named where other reports prove that its address belongs to the function, and is marked so. \
      Nothing is said of code beyond that, nor where reports contradict each other. Functions of apps are never learnt.
      """,
      """
      `CRASHREAD_SYMBOL_MEMORY` does the same. FILE is a database of SQLite, whose library (Debian: libsqlite3-0) is \
      opened at run time.
      """,
    ]),
  OptionDefinition(
    long: "learn-quorum",
    argument: .number("NUMBER", 1...SymbolMemory.maximumWitnesses) { $0.quorum = $1 },
    category: .matching, verbs: [.report, .ci, .batch, .mcp],
    forWorker: { ["\($0.quorum)"] },
    summary: "How many sources must say the same for a name to be used: \(SymbolMemory.defaultQuorum)",
    details: [
      """
      A source is a device, by the key that Apple's reporters give it (`CrashReporter Key`); reports without one count as \
      one source for each version of an app, kind of device and system. What fewer say counts for nothing, neither as a \
      name nor as a contradiction. Whoever makes up keys can take names away so, but not give wrong ones where \
      others have given the right one. With your own reports alone 1 is enough.
      """
    ]),
  OptionDefinition(
    long: "cache", argument: .path("DIRECTORY", .directories) { $0.cache = $1 },
    category: .matching, verbs: [.report, .ci, .batch, .lookup, .symbols, .mcp],
    forWorker: { $0.cache.map { [$0] } ?? [] },
    summary: "Keep caches of large debug files in DIRECTORY; with off, keep none",
    details: [
      """
      The first look-up in a debug file with \(CacheDirectory.worthwhileSize >> 20) MB of DWARF or more is done in the \
      file itself. When its answer has been printed, a process in the background, at the lowest priority, writes a cache \
      about a fifth as large. From then on look-ups in that file, also by other runs, read the cache and give the same \
      answers.
      """,
      """
      A cache is used only for the very file it was made of (identity, size, time of change) and by programs of the same \
      format; a stale or damaged one is made anew. Only the user can read the directory. When all caches together have more \
      than \(CacheDirectory.defaultLimit >> 30) GB, those not used for longest are removed. Without this option caches are \
      in `$XDG_CACHE_HOME/crashread` or `~/.cache/crashread`. `off` neither reads nor writes any; a directory of that \
      name is `./off`.
      """,
      """
      The debug files of archives are there too, and count like caches; with `off` they are extracted into a directory in \
      `$TMPDIR`, or `/tmp`, which is removed at the end.
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
    long: "array", argument: .none { $0.printsArray = true },
    category: .output, verbs: [.report, .ci],
    summary: "With --format=json: an array also when there is one report, or none",
    details: [
      """
      Without it one report is one object, and several are an array. `--format=ndjson` has one shape, too: an object a line.
      """
    ]),
  OptionDefinition(
    long: "output", short: "o", argument: .path("[FORMAT=]FILE") { $0.outputs.append($1) },
    category: .output, verbs: [.report, .ci, .batch, .lookup, .kind, .explain, .symbols, .anonymize],
    isRepeatable: true,
    forWorker: { $0.outputs },
    summary: "Write the result to FILE instead of standard output",
    details: [
      """
      `-` is standard output. Given several times, each file gets the whole result. `sarif=FILE` and the like say its \
      form; otherwise the name's ending does: `.json`, `.ndjson`, `.md`, `.html`, `.sarif`, `.xml` (JUnit), `.crash`, \
      `.ips`, `.tsv`, and the whole name `gl-code-quality-report.json` (GitLab). Other names mean the form of `--format`.
      """
    ]),
  OptionDefinition(
    long: "replacements", argument: .path("FILE") { $0.replacements = $1 },
    category: .output, verbs: [.anonymize],
    summary: "Write to FILE what was replaced by what, and how often",
    details: [
      "A line each: what it was, the text, what stands for it, and how often, with tabs between them. Keep it to yourself."
    ]),
  OptionDefinition(
    long: "all-threads", short: "a", argument: .none { $0.showsAllThreads = true },
    category: .output, verbs: [.report, .ci],
    summary: "Show every thread, not only the one that crashed",
    details: ["Formats for programs always hold every thread."]),
  OptionDefinition(
    long: "thread",
    argument: .number("NUMBER", 0...Int(Int32.max)) { $0.threads.append($1) },
    category: .output, verbs: [.report], isRepeatable: true,
    summary: "Show the backtrace of this thread, and nothing else",
    details: ["The number is the report's own. In text; other forms hold every thread."]),
  OptionDefinition(
    long: "why", argument: .none { $0.showsReasoning = true },
    category: .output, verbs: [.report, .ci, .batch],
    forWorker: { $0.showsReasoning ? [""] : [] },
    summary: "Show how the verdict was reached",
    details: [
      """
      The rules that hold in part, each with the condition it lacks, and the frames before the blamed one, each with \
      the reason why it was passed over. In text and JSON.
      """
    ]),
  OptionDefinition(
    long: "brief", argument: .choice("FOR", implied: .options) { $0.brief = $1 },
    category: .output, verbs: [.report, .ci, .batch],
    forWorker: { $0.brief.map { [$0.rawValue] } ?? [] },
    summary: "A few lines, or a small JSON object: for an editor or an assistant",
    details: [
      """
      Verdict, evidence, the blamed place with its source, the frames that matter, variables, what is missing, and how to       get more, in \(BriefShape.maximumBytes) bytes at most a report. In text and JSON; other forms hold what they always hold.
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
    long: "code", argument: .none { $0.showsCode = true },
    category: .output, verbs: [.report, .ci, .lookup],
    summary: "Show the instructions around the place where the program stopped, or around each address",
    details: [
      """
      As far as the report quotes them or a binary of its identity holds them; a dSYM holds none. Those of Intel programs \
      take libzydis4.0. Of a report HTML has them folded up, and JSON always.
      """
    ]),
  OptionDefinition(
    long: "mangled", argument: .none { $0.showsLinkageNames = true },
    category: .output, verbs: [.report, .ci, .lookup],
    summary: "Show linkage names instead of demangled ones"),
  OptionDefinition(
    long: "color", argument: .choice("WHEN") { $0.color = $1 },
    category: .output, verbs: [.report, .ci, .lookup, .explain, .symbols],
    summary: "When to use colour"),
  OptionDefinition(
    long: "hyperlinks", argument: .choice("WHEN") { $0.hyperlinks = $1 },
    category: .output, verbs: [.report, .ci],
    summary: "When to link places to the source files of this machine",
    details: [
      "For text output, by the escape sequence OSC 8. Inside tmux and screen links must be asked for."
    ]),
  OptionDefinition(
    long: "list", argument: .none { $0.listsSubjects = true },
    category: .output, verbs: [.explain],
    summary: "List the contracts of APIs and the rules, a line each with its headline",
    details: ["Each can be asked for by the name it has there."]),
  OptionDefinition(
    long: "lang", argument: .choice("LANGUAGE") { $0.language = $1 },
    category: .output, verbs: [.report, .ci, .batch, .explain, .symbols, .mcp],
    forWorker: { $0.language.map { [$0.rawValue] } ?? [] },
    summary: "The language of the result; otherwise that of the locale",
    details: [
      """
      In JSON it is the language of titles, explanations, advice and labels alone. Evidence quotes the report. \
      Messages on standard error and help are in English.
      """
    ]),
]

private let sourceOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "source-root", argument: .path("DIRECTORY", .directories) { $0.sourceRoots.append($1) },
    category: .sources, verbs: [.report, .ci], isRepeatable: true,
    forWorker: { $0.sourceRoots },
    summary: "Look for source files under DIRECTORY",
    details: [
      """
      Debug files hold the paths of the machine that built them. The end of such a path is looked for under each \
      directory, in the order given. A whole path is looked up where it lies below one of them, below `.`, or in a CI \
      system's checkout. No symbolic link is followed out of these directories, and nothing in `.git` is shown.
      """
    ]),
  OptionDefinition(
    long: "blame", argument: .none { $0.showsBlame = true },
    category: .sources, verbs: [.report, .ci],
    summary: "Say who last changed the blamed line, by git-blame(1)",
    details: [
      """
      The line is that of the file found below a source root, as it is there now: check out the version that crashed. \
      The commit that is checked out is asked, in the repository that holds the source root; neither its configuration \
      nor its attributes are read, so that no program they name is run.
      """
    ]),
  OptionDefinition(
    long: "path-map",
    argument: .text("OLD=NEW") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let map = PathMap(parsing: value) else { throw .malformed(expected: "OLD=NEW") }
      options.pathMaps.append(map)
    },
    category: .sources, verbs: [.report, .ci, .mcp], isRepeatable: true,
    forWorker: { $0.pathMaps.map { "\($0.old)=\($0.new)" } },
    summary: "Look for source files whose path begins with OLD below NEW instead",
    details: [
      "Only whole path components count. The first map given that fits is used. What is printed stays as recorded."
    ]),
]

private let batchOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "files-from", argument: .path("FILE") { $0.inputLists.append($1) },
    category: .batch, verbs: [.batch], isRepeatable: true,
    summary: "Read the reports that FILE lists, one a line",
    details: [
      """
      `-` is standard input. The operands come first. Directories in lists are passed over, since `find` lists what is in \
      them, too.
      """
    ]),
  OptionDefinition(
    long: "null", short: "0", argument: .none { $0.hasZeroSeparatedLists = true },
    category: .batch, verbs: [.batch],
    summary: "Lists have a zero byte behind each path, as from find -print0"),
  OptionDefinition(
    long: "records", argument: .none { $0.readsRecords = true },
    category: .batch, verbs: [.batch],
    summary: "Standard input holds reports, not paths: one JSON object a line",
    details: [
      """
      Its member `report` is a report as text, or as an object where the report is JSON itself; or `path` is the path of \
      one. `id` is a text that becomes the result's `input`; without it that is `line` and the line's number. Other members \
      are passed over. A line that is no record gives an error; one with several reports gives several lines with the same \
      `input`; blank lines give none.
      """
    ]),
  OptionDefinition(
    long: "jobs", short: "j",
    argument: .number("NUMBER", 1...1024) { $0.jobs = $1 },
    category: .batch, verbs: [.batch],
    summary: "How many workers read reports; otherwise one for each processor"),
  OptionDefinition(
    long: "isolate", argument: .choice("WHEN", implied: .on) { $0.isolation = $1 },
    category: .batch, verbs: [.batch],
    summary: "Whether workers are processes with limits, as they are without this option",
    details: [
      """
      With `off` a little memory is saved, `--timeout`, `--memory` and `--max-result-size` mean nothing, and a debug file \
      that crashes libdw ends the whole run.
      """
    ]),
  OptionDefinition(
    long: "summary", argument: .choice("FORMAT") { $0.summary = $1 },
    category: .batch, verbs: [.batch],
    forWorker: { $0.summary.map { [$0.rawValue] } ?? [] },
    summary: "Print groups of the same crash, the largest first, in the place of results",
    details: [
      """
      Reports are the same crash when app and signature are the same (crashread-json(5) says how signatures are made). Of \
      each group come the number of reports, versions, systems, devices, the first and the last day, and one example. \
      Results are written only with `--output`. With `--state` the groups hold what earlier runs have read, too.
      """
    ]),
  OptionDefinition(
    long: "against", argument: .path("OLD") { $0.against = $1 },
    category: .batch, verbs: [.batch],
    summary: "With --summary: say which groups are new, gone, grown and shrunk since OLD",
    details: [
      """
      OLD is the result of an earlier batch (its lines of JSON) or its state. Results can stand among the operands, too: then \
      no report need be read again. Of each group comes the oldest version it was seen in.
      """
    ]),
  OptionDefinition(
    long: "sessions", argument: .path("FILE") { $0.sessions = $1 },
    category: .batch, verbs: [.batch],
    summary: "With --against: how often versions ran, for rates",
    details: [
      """
      Lines of version, system and number, with tabs between them; an empty field or `*` says nothing. Groups have grown, \
      then, when they have more reports for as many sessions of the versions in question.
      """
    ]),
  OptionDefinition(
    long: "fail-on-new", argument: .none { $0.failsOnNew = true },
    category: .batch, verbs: [.batch],
    summary: "With --against: exit with status \(ExitStatus.newCrash.code) when a group is new"),
  OptionDefinition(
    long: "learn", argument: .none { $0.learns = true },
    category: .batch, verbs: [.batch],
    forWorker: { $0.learns ? [""] : [] },
    summary: "Learn the names of the system's functions from what is read",
    details: [
      """
      They go into the file given with `--symbol-memory`, which is made when it isn't there, and are used from the next run \
      on: results don't depend on the order in which reports are read.
      """
    ]),
  OptionDefinition(
    long: "state", argument: .path("FILE") { $0.state = $1 },
    category: .batch, verbs: [.batch],
    summary: "Pass over what was read before, and remember in FILE what is read now",
    details: [
      """
      A report is known by its content, also under another name; a record by its whole line. FILE is made when it isn't \
      there. It holds hashes under a secret key, the paths of the output and of bad debug files, and what `--summary` \
      needs of each report. One process at a time can use it. It is a database of SQLite, whose library (Debian: libsqlite3-0) is opened at run time.
      """,
      """
      With `--output=FILE`, which then is appended to, each result is written exactly once, even when a run is killed: the \
      next one with the same state and output cuts off what the last one had written and not yet committed (0.2 seconds at \
      most) and makes it anew. On a pipe, where nothing can be taken back, these results come a second time.
      """,
    ]),
  OptionDefinition(
    long: "retry-unresolved", argument: .none { $0.retriesUnresolved = true },
    category: .batch, verbs: [.batch],
    summary: "With --state: read again what lacked debug files the last time",
    details: [
      """
      Of a report that now has more lines of the app's own code a second result is written, behind the first one: the later \
      line of an `input` holds. Groups count the report once. Of others nothing is written.
      """
    ]),
]

private let limitOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "timeout",
    argument: .number("SECONDS", 1...86_400) { $0.workerLimits.seconds = $1 },
    category: .limits, verbs: [.report, .ci, .batch, .mcp],
    forWorker: { ["\($0.workerLimits.seconds)"] },
    summary: "How long one report may take: \(WorkerLimits().seconds) seconds",
    details: [
      """
      In the main job and in `ci` it is the time of the processor at which the debug file is given up that is being read; when it is the \
      report that takes the time, all debug files and the source. A limit of the system on that time (`ulimit -t`) counts \
      as a third of itself, so that the report is still printed.
      """
    ]),
  OptionDefinition(
    long: "memory",
    argument: .size { $0.workerLimits.memory = $1 },
    category: .limits, verbs: [.report, .ci, .batch, .mcp],
    forWorker: { $0.workerLimits.memory.map { ["\($0)"] } ?? [] },
    summary: "How much memory a process may take, besides mapped files",
    details: [
      """
      \(WorkerLimits.memoryAlone >> 30)G in the main job and in `ci`, which then leaves out the debug file that is being read, and \
      \(WorkerLimits.memoryOfWorker >> 30)G for a worker. SIZE is a number of bytes, or one with `K`, `M` or `G` behind it.
      """
    ]),
  OptionDefinition(
    long: "max-result-size",
    argument: .size { $0.workerLimits.resultSize = $1 },
    category: .limits, verbs: [.batch, .mcp],
    summary: "How large the result of one input may be: \(WorkerLimits.resultSizeOfWorker >> 20)M",
    details: ["For `mcp`, that of one request: \(WorkerLimits.resultSizeOfTool >> 10)K without this option."]),
  OptionDefinition(
    long: "limit",
    argument: .text("NAME=VALUE") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard options.limits.set(value) else {
        throw .malformed(expected: Limits.Name.allCases.map { $0.rawValue + "=N" }.joined(separator: ", "))
      }
    },
    category: .limits, verbs: [.report, .ci, .batch, .lookup, .kind, .symbols, .mcp, .anonymize],
    isRepeatable: true,
    forWorker: { options in Limits.Name.allCases.map { "\($0.rawValue)=\(options.limits[$0])" } },
    summary: "Let inputs ask for no more, or for more, of something",
    details: ["What goes beyond a limit is left out, and said."]
      + Limits.Name.allCases.map { "`\($0.rawValue)=\(Limits()[$0])`: \($0.summary)" }),
]

private let generalOptions: [OptionDefinition] = [
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
    case .reports: "reports of one input; the rest is not read."
    case .threads: "threads of one report."
    case .frames: "frames of one backtrace."
    case .images: "images of one report."
    case .jsonDepth: "arrays and objects inside one another in a JSON report, 1100 at most."
    case .inlineDepth: "functions inlined into one another at one address."
    case .unitSize: "bytes of DWARF entries in one compilation unit; a larger one has no functions."
    case .archiveSize: "bytes that an archive of debug files may expand to."
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

  /// A whole number in a range.
  fileprivate static func number(
    _ placeholder: String, _ range: ClosedRange<Int>,
    store: @escaping @Sendable (inout Options, Int) -> Void
  ) -> Self {
    .text(placeholder) { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let number = Int(value), range.contains(number) else {
        throw .malformed(expected: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
      store(&options, number)
    }
  }

  /// A number of bytes, perhaps in units of 1024 to some power.
  fileprivate static func size(store: @escaping @Sendable (inout Options, Int) -> Void) -> Self {
    .text("SIZE") { (value, options) throws(OptionDefinition.ValueProblem) in
      let unit = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30][value.suffix(1).uppercased()]
      let number = Int(unit == nil ? value[...] : value.dropLast()) ?? 0
      let (size, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
      guard size > 0, !isTooLarge else {
        throw .malformed(expected: "a size such as 65536, 512M or 2G")
      }
      store(&options, size)
    }
  }

  /// The words are the cases of an enum, which is what arrives in the options.
  fileprivate static func choice<Value: OptionChoice>(
    _ placeholder: String, implied: Value? = nil, store: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Self {
    let choices = Value.allCases.map {
      OptionDefinition.Choice(word: $0.rawValue, summary: $0.summary, verbs: $0.verbs)
    }
    return .value(
      .init(placeholder: placeholder, implied: implied?.rawValue, choices: choices) {
        (word, options) throws(OptionDefinition.ValueProblem) in
        guard let value = Value(rawValue: word) else {
          throw .malformed(expected: choices.map(\.word).joined(separator: ", "))
        }
        store(&options, value)
      })
  }
}
