internal import CrashRead
internal import CrashReadBatch
internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadSystem
internal import CrashReadVerdict

/// One option.
///
/// The parser, both helps, the manual page and the completions are generated from these values.
struct OptionDefinition: Sendable {
  /// The name after `--`.
  var long: String
  /// The letter after `-`.
  var short: Character?
  /// Its value, and how the option stores it.
  var argument: Argument
  var category: Category
  /// The verbs that take it.
  var verbs: Set<Verb>
  /// Whether every occurrence counts, rather than only the last one.
  var isRepeatable = false
  /// The option's values for a process that runs a tool of `mcp` with the server's settings: one value per occurrence,
  /// any text for a flag that is set. Nil for options that don't concern tools.
  var forTool: (@Sendable (Options) -> [String])?
  /// A one-line summary.
  var summary: String
  /// Paragraphs with the details; literal text is in backquotes.
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

  /// The value of an option.
  struct ValueDefinition: Sendable {
    /// Its name in the help.
    var placeholder: String
    /// The value of the option without an argument; nil when one must follow.
    var implied: String?
    /// The allowed words; empty when the set of values isn't closed.
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

  /// The allowed words for a verb; empty when the set of values isn't closed.
  func choices(for verb: Verb) -> [Choice] {
    value?.choices.filter { $0.verbs.contains(verb) } ?? []
  }
}

extension Options {
  /// The settings that are passed to the process of a tool, as arguments.
  func arguments(for verb: Verb) -> [String] {
    verb.options.flatMap { option in
      (option.forTool?(self) ?? []).map { "--" + option.long + (option.value == nil ? "" : "=" + $0) }
    }
  }
}

/// Every option, in the order of the help within its category.
let optionTable =
  matchingOptions + outputOptions + sourceOptions + batchOptions + limitOptions + generalOptions

private let matchingOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "symbols", argument: .path("PATH") { $0.symbols.append($1) },
    category: .matching, verbs: [.report, .ci, .batch, .mcp], isRepeatable: true,
    forTool: { $0.symbols },
    summary: "Debug file, or directory or archive with debug files",
    details: [
      """
      Like an operand, except that it is never taken for a report. `CRASHREAD_SYMBOL_PATH` lists further paths.
      """,
      """
      A directory may have any layout and size: an .xcarchive, dSYMs by UUID, DerivedData, .build, a .build-id tree. \
      Files are found by identity, reading only their headers; for large directories the result is cached, so that \
      the next search only reads what has changed.
      """,
      """
      An archive is a zip, tar or ar file (so is a Debian package), compressed by gzip, bzip2, xz, zstd or not at \
      all, and nested archives are opened, too, up to three levels deep. In directories only files with such names \
      are opened: .zip, .tar.gz, .tgz and the like. libarchive reads them (Debian package libarchive13). Of an \
      archive no more is taken than \(ArchiveLimits().entries) entries, \(Limits().archiveSize >> 30) GB (--limit), \
      and \(ArchiveLimits().ratio) times its own size.
      """,
    ]),
  OptionDefinition(
    long: "watch-dir", argument: .path("DIRECTORY", .directories) { $0.watchedFolders.append($1) },
    category: .matching, verbs: [.ci], isRepeatable: true,
    summary: "Read the reports that appear in DIRECTORY",
    details: [
      """
      Such as `~/Library/Logs/DiagnosticReports`, or a copy of it. Files without a report are skipped. With a \
      command, so are those written before it started.
      """
    ]),
  OptionDefinition(
    long: "since",
    argument: .text("FILE|TIME") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let time = FileTime(parsing: value) ?? FileTime(fileAt: value) else {
        throw .malformed(expected: "a file, or a time such as 2026-11-21T09:00:00Z or @1795251600")
      }
      options.since = time
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
      An .xcresult, or a zip file of one, as `xcodebuild -resultBundlePath` makes it. Reports in it that are older \
      than the run, which Xcode collects from the whole Mac, are skipped.
      """
    ]),
  OptionDefinition(
    long: "allow-mismatch", argument: .none { $0.allowsMismatch = true },
    category: .matching, verbs: [.report, .ci, .batch, .mcp],
    forTool: { $0.allowsMismatch ? [""] : [] },
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
    details: ["For scripts that need complete reports. The output stays the same."]),
  OptionDefinition(
    long: "addresses", argument: .path("FILE") { $0.addressFiles.append($1) },
    category: .matching, verbs: [.lookup], isRepeatable: true,
    summary: "Read addresses from FILE, one per line",
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
    summary: "Take run-time addresses of an image loaded at ADDRESS",
    details: ["Load addresses are in the report's list of images, and in /proc/PID/maps."]),
  OptionDefinition(
    long: "return-addresses", argument: .none { $0.takesReturnAddresses = true },
    category: .matching, verbs: [.lookup],
    summary: "Take return addresses, and look up the calls before them",
    details: ["All addresses of a backtrace except the first are return addresses."]),
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
      "Hexadecimal digits in either case, with or without dashes. It selects the slice of a universal file."
    ]),
  OptionDefinition(
    long: "root", argument: .path("DIRECTORY", .directories) { $0.roots.append($1) },
    category: .matching, verbs: [.mcp], isRepeatable: true,
    summary: "Let tools read files below DIRECTORY",
    details: [
      """
      Paths from a client must stay below such a directory, with symbolic links resolved, and only regular files are \
      read. Without this option clients can only send reports as text.
      """
    ]),
  OptionDefinition(
    long: "index", argument: .none { $0.makesCaches = true },
    category: .matching, verbs: [.symbols],
    summary: "Create the caches of these debug files now",
    details: ["Whatever their size, and before the first look-up. Existing caches are kept."]),
  OptionDefinition(
    long: "for", argument: .path("REPORT") { $0.checkedReport = $1 },
    category: .matching, verbs: [.symbols],
    summary: "Check whether these are the debug files for REPORT, and say what to do if not",
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
    forTool: { $0.symbolServers.map(\.description) },
    summary: "Request missing debug files from a server",
    details: [
      """
      LAYOUT says how the server names files: `unified` like Sentry, `symstore` like Microsoft (`ssqp` with names in \
      lower case), `breakpad` like Mozilla and Electron. Each image with frames is requested by its UUID or \
      build-id, from one server after the other; a file is used only if it has that identity, and is cached. Servers \
      learn identities and names of images, and nothing else of a report.
      """,
      """
      `CRASHREAD_SYMBOL_SERVERS` does the same, with servers separated by blanks. libcurl is opened at run time \
      (Debian: libcurl4); `DEBUGINFOD_TIMEOUT` and `DEBUGINFOD_MAXTIME` set the time limits.
      """,
    ]),
  OptionDefinition(
    long: "symbol-memory", argument: .path("FILE") { $0.symbolMemory = $1 },
    category: .matching, verbs: [.report, .ci, .batch, .symbols, .mcp],
    forTool: { $0.symbolMemory.map { [$0] } ?? [] },
    summary: "Name system functions as in the reports that FILE was learned from",
    details: [
      """
      Reports from devices often lack names for the system's own code that other reports of the same system have. \
      `crashread symbols learn` and `batch --learn` store in FILE what reports say about system images, by UUID: the \
      start and name of a function, how far it was seen to extend, who says so and since when. A frame without a \
      name is then named if other reports prove that its address belongs to the function, and is marked. Code beyond \
      that isn't named, nor where reports contradict each other. Functions of apps are never learned.
      """,
      """
      `CRASHREAD_SYMBOL_MEMORY` does the same. FILE is an SQLite database; the library (Debian: libsqlite3-0) is \
      opened at run time.
      """,
    ]),
  OptionDefinition(
    long: "learn-quorum",
    argument: .number("NUMBER", 1...FunctionWitnesses.maximumCount) { $0.quorum = $1 },
    category: .matching, verbs: [.report, .ci, .batch, .mcp],
    forTool: { ["\($0.quorum)"] },
    summary: "How many sources must agree on a name before it is used: \(SymbolMemory.defaultQuorum)",
    details: [
      """
      A source is a device, by the key that Apple's reporters give it (`CrashReporter Key`); reports without one \
      count as one source for each version of an app, kind of device and system. What fewer sources say is ignored, \
      both as a name and as a contradiction. Forged keys can remove names, but can't replace a name that others \
      agree on by a wrong one; `--learn-by-folder` takes no notice of them. If all reports are your own, 1 is enough.
      """
    ]),
  OptionDefinition(
    long: "learn-by-folder", argument: .none { $0.learnsByFolder = true },
    category: .matching, verbs: [.batch, .symbols],
    forTool: { $0.learnsByFolder ? [""] : [] },
    summary: "When learning names: the reports in one folder are one source",
    details: [
      """
      A report can state any device, so that one sender could pose as many sources. Where uploads are stored by \
      sender, in a folder for each, a sender counts once, whatever its reports say. An archive counts by the folder \
      it is in, a record by its `id` up to the last slash.
      """
    ]),
  OptionDefinition(
    long: "cache", argument: .path("DIRECTORY", .directories) { $0.cache = $1 },
    category: .matching, verbs: [.report, .ci, .batch, .lookup, .symbols, .mcp],
    forTool: { $0.cache.map { [$0] } ?? [] },
    summary: "Keep caches of large debug files in DIRECTORY; with off, keep none",
    details: [
      """
      The first look-up in a debug file with \(CacheDirectory.minimumSize >> 20) MB of DWARF or more reads the \
      file itself. After its result is printed, a background process with the lowest priority writes a cache about a \
      fifth as large. From then on look-ups in that file, also by other runs, read the cache and give the same \
      answers.
      """,
      """
      A cache is used only for exactly the file it was made from (identity, size, time of change) and by programs \
      with the same cache format; a stale or damaged one is replaced. Only the user can read the directory. When all \
      caches together exceed \(CacheDirectory.defaultLimit >> 30) GB, the least recently used are removed. By \
      default caches are in `$XDG_CACHE_HOME/crashread` or `~/.cache/crashread`. `off` neither reads nor writes any; \
      a directory of that name is `./off`.
      """,
      """
      Extracted debug files of archives are stored there, too, and count like caches; with `off` they are extracted \
      to a directory in `$TMPDIR`, or `/tmp`, which is removed at the end.
      """,
    ]),
]

private let outputOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "format", short: "f", argument: .choice("FORMAT") { $0.format = $1 },
    category: .output, verbs: [.report, .ci, .lookup, .kind, .explain, .symbols],
    summary: "How to print the result",
    details: ["This applies to standard output, and to files whose names don't imply another format."]),
  OptionDefinition(
    long: "array", argument: .none { $0.printsArray = true },
    category: .output, verbs: [.report, .ci],
    summary: "With --format=json: always print an array, even for one report or none",
    details: [
      """
      Without it one report is an object, and several are an array. `--format=ndjson` always has the same shape: one \
      object per line.
      """
    ]),
  OptionDefinition(
    long: "output", short: "o", argument: .path("[FORMAT=]FILE") { $0.outputs.append($1) },
    category: .output, verbs: [.report, .ci, .batch, .lookup, .kind, .explain, .symbols, .anonymize],
    isRepeatable: true,
    forTool: { $0.outputs },
    summary: "Write the result to FILE instead of standard output",
    details: [
      """
      `-` is standard output. If given several times, each file gets the whole result. `sarif=FILE` and the like set \
      the format; otherwise the file's extension does: `.json`, `.ndjson`, `.md`, `.html`, `.sarif`, `.xml` (JUnit), \
      `.crash`, `.ips`, `.tsv`, and the whole name `gl-code-quality-report.json` (GitLab). Other names get the \
      format of `--format`.
      """
    ]),
  OptionDefinition(
    long: "replacements", argument: .path("FILE") { $0.replacements = $1 },
    category: .output, verbs: [.anonymize],
    summary: "List the replacements in FILE, and how often each was made",
    details: [
      "One per line, separated by tabs: its kind, the text, its replacement, and how often it was made. Keep the list private."
    ]),
  OptionDefinition(
    long: "all-threads", short: "a", argument: .none { $0.showsAllThreads = true },
    category: .output, verbs: [.report, .ci],
    summary: "Show every thread, not only the one that crashed",
    details: ["Formats for programs always contain every thread."]),
  OptionDefinition(
    long: "thread",
    argument: .number("NUMBER", 0...Int(Int32.max)) { $0.threads.append($1) },
    category: .output, verbs: [.report], isRepeatable: true,
    summary: "Show the backtrace of this thread, and nothing else",
    details: ["The number is that in the report. For text only; other formats contain every thread."]),
  OptionDefinition(
    long: "why", argument: .none { $0.showsReasoning = true },
    category: .output, verbs: [.report, .ci, .batch],
    forTool: { $0.showsReasoning ? [""] : [] },
    summary: "Show how the verdict was reached",
    details: [
      """
      The rules that match in part, each with the condition that is missing, and the frames before the blamed one, \
      each with the reason why it was skipped. For text and JSON.
      """
    ]),
  OptionDefinition(
    long: "brief", argument: .choice("FOR", implied: .options) { $0.brief = $1 },
    category: .output, verbs: [.report, .ci, .batch],
    forTool: { $0.brief.map { [$0.rawValue] } ?? [] },
    summary: "Print a few lines, or a small JSON object, for an editor or an assistant",
    details: [
      """
      Verdict, evidence, the blamed location with its source, the relevant frames, variables, what is missing, and \
      how to get more, in at most \(BriefShape.maximumBytes) bytes per report. For text and JSON; other formats \
      don't change.
      """
    ]),
  OptionDefinition(
    long: "variables", argument: .none { $0.showsAllVariables = true },
    category: .output, verbs: [.report, .ci],
    summary: "Show every variable of the relevant frames, also those without a value",
    details: [
      """
      Without it, only variables with a value are shown. Formats for programs always contain all of them.
      """
    ]),
  OptionDefinition(
    long: "code", argument: .none { $0.showsCode = true },
    category: .output, verbs: [.report, .ci, .lookup],
    summary: "Show the instructions around the one at which the program stopped, or around each address",
    details: [
      """
      If the report quotes them, or a binary with the right identity contains them; a dSYM doesn't. Intel \
      instructions need libzydis4.1 or 4.0. HTML shows them folded, and JSON always contains them.
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
    summary: "When to link locations to the source files on this machine",
    details: [
      "For text output, with the escape sequence OSC 8. Inside tmux and screen links are off unless requested."
    ]),
  OptionDefinition(
    long: "list", argument: .none { $0.listsSubjects = true },
    category: .output, verbs: [.explain],
    summary: "List the API contracts and the rules, one per line with its headline",
    details: ["Each can be explained by the name in this list."]),
  OptionDefinition(
    long: "lang", argument: .choice("LANGUAGE") { $0.language = $1 },
    category: .output, verbs: [.report, .ci, .batch, .explain, .symbols, .mcp],
    forTool: { $0.language.map { [$0.rawValue] } ?? [] },
    summary: "The language of the result; otherwise that of the locale",
    details: [
      """
      In JSON only titles, explanations, advice and labels are translated. Evidence quotes the report. \
      Messages on standard error and help are in English.
      """
    ]),
]

private let sourceOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "source-root", argument: .path("DIRECTORY", .directories) { $0.sourceRoots.append($1) },
    category: .sources, verbs: [.report, .ci], isRepeatable: true,
    forTool: { $0.sourceRoots },
    summary: "Look for source files under DIRECTORY",
    details: [
      """
      Debug files contain paths of the build machine. The tail of such a path is looked up under each directory, in \
      the order given. A whole path is opened if it is below one of them, below `.`, or in a CI system's checkout. \
      No symbolic link is followed out of these directories, and nothing in `.git` is shown.
      """
    ]),
  OptionDefinition(
    long: "blame", argument: .none { $0.showsBlame = true },
    category: .sources, verbs: [.report, .ci],
    summary: "Say who last changed the blamed line, by git-blame(1)",
    details: [
      """
      The line is that of the current file below a source root: check out the version that crashed. Git examines the \
      commit that is checked out in the repository of the source root, without the repository's configuration and \
      attributes, so that no program named there is run.
      """
    ]),
  OptionDefinition(
    long: "path-map",
    argument: .text("OLD=NEW") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard let map = SourceFinder.PathMap(parsing: value) else { throw .malformed(expected: "OLD=NEW") }
      options.pathMaps.append(map)
    },
    category: .sources, verbs: [.report, .ci, .mcp], isRepeatable: true,
    forTool: { $0.pathMaps.map { "\($0.old)=\($0.new)" } },
    summary: "Look for source files whose path begins with OLD below NEW instead",
    details: [
      "Only whole path components match. The first matching map is used. Paths are printed as recorded."
    ]),
]

private let batchOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "files-from", argument: .path("FILE") { $0.inputLists.append($1) },
    category: .batch, verbs: [.batch], isRepeatable: true,
    summary: "Read the reports listed in FILE, one per line",
    details: [
      """
      `-` is standard input. Operands are read first. Directories in lists are skipped, since `find` also lists \
      their contents.
      """
    ]),
  OptionDefinition(
    long: "null", short: "0", argument: .none { $0.hasZeroSeparatedLists = true },
    category: .batch, verbs: [.batch],
    summary: "Paths in lists end with a zero byte, as from find -print0"),
  OptionDefinition(
    long: "records", argument: .none { $0.readsRecords = true },
    category: .batch, verbs: [.batch],
    summary: "Read reports instead of paths from standard input: one JSON object per line",
    details: [
      """
      Its member `report` is a report as text, or as an object if the report itself is JSON; or `path` is the path \
      of one. `id` is a text that becomes the result's `input`, which otherwise is `line` and the line's number. \
      Other members are ignored. An invalid line gives an error; one with several reports gives several lines with \
      the same `input`; blank lines are skipped.
      """
    ]),
  OptionDefinition(
    long: "jobs", short: "j",
    argument: .number("NUMBER", 1...1024) { $0.jobs = $1 },
    category: .batch, verbs: [.batch],
    summary: "The number of workers; by default one per processor"),
  OptionDefinition(
    long: "isolate", argument: .choice("WHEN", implied: .on) { $0.isolation = $1 },
    category: .batch, verbs: [.batch],
    summary: "Whether workers are processes with limits, which is the default",
    details: [
      """
      `off` saves a little memory, but `--timeout`, `--memory` and `--max-result-size` have no effect, and a debug \
      file that crashes libdw ends the whole run.
      """
    ]),
  OptionDefinition(
    long: "summary", argument: .choice("FORMAT") { $0.summary = $1 },
    category: .batch, verbs: [.batch],
    forTool: { $0.summary.map { [$0.rawValue] } ?? [] },
    summary: "Print groups of equal crashes, the largest first, instead of results",
    details: [
      """
      Reports belong to the same group if app and signature are equal (crashread-json(5) explains signatures). Each \
      group has the number of reports, versions, systems, devices, the first and the last day, and an example. \
      Results are written only with `--output`. With `--state` the groups include what earlier runs have read.
      """
    ]),
  OptionDefinition(
    long: "against", argument: .path("OLD") { $0.against = $1 },
    category: .batch, verbs: [.batch],
    summary: "With --summary: show which groups are new, gone, grown and shrunk since OLD",
    details: [
      """
      OLD is the result of an earlier batch (its lines of JSON) or its state. Results can also be operands, so that \
      no report needs to be read again. Each group has the oldest version it was seen in.
      """
    ]),
  OptionDefinition(
    long: "sessions", argument: .path("FILE") { $0.sessions = $1 },
    category: .batch, verbs: [.batch],
    summary: "With --against: the number of sessions by version, for rates",
    details: [
      """
      Lines of version, system and number, separated by tabs; an empty field or `*` matches all. A group then counts \
      as grown if it has more reports per session of its versions.
      """
    ]),
  OptionDefinition(
    long: "fail-on-new", argument: .none { $0.failsOnNew = true },
    category: .batch, verbs: [.batch],
    summary: "With --against: exit with status \(ExitStatus.newCrash.code) when a group is new"),
  OptionDefinition(
    long: "learn", argument: .none { $0.learns = true },
    category: .batch, verbs: [.batch],
    forTool: { $0.learns ? [""] : [] },
    summary: "Learn the names of system functions from the reports",
    details: [
      """
      They are stored in the file given with `--symbol-memory`, which is created if necessary, and used from the \
      next run on, so that results don't depend on the order of the reports.
      """
    ]),
  OptionDefinition(
    long: "state", argument: .path("FILE") { $0.state = $1 },
    category: .batch, verbs: [.batch],
    summary: "Skip what was read before, and record in FILE what is read now",
    details: [
      """
      A report is recognised by its content, even under another name; a record by its whole line. FILE is created if \
      necessary. It contains keyed hashes, the paths of the output and of bad debug files, and what `--summary` \
      needs of each report. One process at a time can use it. It is an SQLite database; the library (Debian: \
      libsqlite3-0) is opened at run time.
      """,
      """
      With `--output=FILE`, which is then appended to, each result is written exactly once, even when a run is \
      killed: the next one with the same state and output truncates what wasn't committed (0.2 seconds at most) and \
      writes it again. On a pipe these results appear twice.
      """,
    ]),
  OptionDefinition(
    long: "retry-unresolved", argument: .none { $0.retriesUnresolved = true },
    category: .batch, verbs: [.batch],
    summary: "With --state: read reports again that lacked debug files",
    details: [
      """
      A report that now has more lines of the app's own code gets a second result after the first: the last line of \
      an `input` is valid. Groups count the report once. Other reports get none.
      """
    ]),
]

private let limitOptions: [OptionDefinition] = [
  OptionDefinition(
    long: "timeout",
    argument: .number("SECONDS", 1...86_400) { $0.workerLimits.seconds = $1 },
    category: .limits, verbs: [.report, .ci, .batch, .mcp],
    forTool: { ["\($0.workerLimits.seconds)"] },
    summary: "The time limit for one report: \(WorkerLimits().seconds) seconds",
    details: [
      """
      In the main job and in `ci` it is the processor time after which the debug file being read is given up, or all \
      debug files and the source if the report itself takes the time. A system limit (`ulimit -t`) is divided by \
      three, so that the report can still be printed.
      """
    ]),
  OptionDefinition(
    long: "memory",
    argument: .size { $0.workerLimits.memory = $1 },
    category: .limits, verbs: [.report, .ci, .batch, .mcp],
    forTool: { $0.workerLimits.memory.map { ["\($0)"] } ?? [] },
    summary: "The memory limit of a process, not counting mapped files",
    details: [
      """
      \(WorkerLimits.memoryOfMainJob >> 30)G in the main job and in `ci`, which then leaves out the debug file that is \
      being read, and \(InputLimits().memory >> 30)G for a worker. SIZE is a number of bytes, or one followed by `K`, `M` \
      or `G`.
      """
    ]),
  OptionDefinition(
    long: "max-result-size",
    argument: .size { $0.workerLimits.resultSize = $1 },
    category: .limits, verbs: [.batch, .mcp],
    summary: "The maximum size of one input's result: \(InputLimits().resultSize >> 20)M",
    details: ["For `mcp`, of one request's: \(WorkerLimits.resultSizeOfTool >> 10)K without this option."]),
  OptionDefinition(
    long: "limit",
    argument: .text("NAME=VALUE") { (value, options) throws(OptionDefinition.ValueProblem) in
      guard options.limits.set(value) else {
        throw .malformed(expected: Limits.Name.allCases.map { $0.rawValue + "=N" }.joined(separator: ", "))
      }
    },
    category: .limits, verbs: [.report, .ci, .batch, .lookup, .kind, .symbols, .mcp, .anonymize],
    isRepeatable: true,
    forTool: { options in Limits.Name.allCases.map { "\($0.rawValue)=\(options.limits[$0])" } },
    summary: "Set a limit for inputs",
    details: ["What exceeds a limit is left out, and reported."]
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
    summary: "Print help: -h with one line per option, --help with all details"),
  OptionDefinition(
    long: "version", short: "V", argument: .none { $0.printout = .version },
    category: .general, verbs: Set(Verb.allCases),
    summary: "Print the version"),
]

extension Limits.Name {
  fileprivate var summary: String {
    switch self {
    case .reportSize: "bytes of a report file; a larger one is an error."
    case .reports: "reports of one input; the rest isn't read."
    case .threads: "threads of one report."
    case .frames: "frames of one backtrace."
    case .images: "images of one report."
    case .jsonDepth: "the nesting depth of a JSON report, at most 1100."
    case .inlineDepth: "nested inlined functions at one address."
    case .unitSize:
      "bytes of DWARF entries in one compilation unit; the functions of larger ones aren't found."
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

  /// A whole number within a range.
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

  /// A number of bytes, optionally with a unit, which is a power of 1024.
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

  /// One of the cases of an enum, which is what is stored in the options.
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
