internal import CrashReadCore

/// The jobs; all but the main one are asked for by name, as the first word that is no option.
enum Verb: String, CaseIterable, Sendable {
  case report, ci, batch, lookup, kind, explain, symbols, anonymize, mcp, help

  /// The verb a word stands for; nil for the main job, whose name is not typed, and for any other word.
  init?(typed word: String) {
    guard let verb = Verb(rawValue: word), verb != .report else { return nil }
    self = verb
  }

  /// Those that are asked for by name.
  static var named: [Verb] { allCases.filter { $0 != .report } }

  /// How a user starts this job: `crashread lookup`.
  var command: String { self == .report ? "crashread" : "crashread \(rawValue)" }

  /// The options this job takes, in table order.
  var options: [OptionDefinition] { optionTable.filter { $0.verbs.contains(self) } }
}

/// What help, the manual page, the completions and the parser need to know of a verb.
struct VerbDefinition: Sendable {
  /// The operands as a synopsis shows them.
  var operands: String
  /// One line.
  var summary: String
  /// Paragraphs; words in backquotes are what is typed, and the manual page sets them in bold.
  var details: [String]
  /// What completion offers for operands.
  var completes: Completion
  /// Stores the operands.
  var take: @Sendable (_ operands: [String], _ options: inout Options) throws(OperandProblem) -> Void
}

/// What a shell offers for a word.
enum Completion: Equatable, Sendable {
  case files, directories, verbs, nothing
}

/// Why operands can't be used; the parser adds the verb.
enum OperandProblem: Error, Equatable {
  /// Something is missing, named as a user would.
  case missing(String)
  case malformed(String, expected: String)
  case unknownVerb(String)
  case unexpected(String)
}

extension Verb {
  var definition: VerbDefinition {
    switch self {
    case .report: Self.reportDefinition
    case .ci: Self.ciDefinition
    case .batch: Self.batchDefinition
    case .lookup: Self.lookupDefinition
    case .kind: Self.kindDefinition
    case .symbols: Self.symbolsDefinition
    case .explain: Self.explainDefinition
    case .mcp: Self.mcpDefinition
    case .anonymize: Self.anonymizeDefinition
    case .help: Self.helpDefinition
    }
  }

  private static let reportDefinition = VerbDefinition(
    operands: "REPORT... [DEBUGFILE|DIRECTORY]...",
    summary: "Say where a program died, and why",
    details: [
      """
      Reads Apple crash reports, finds the function, file and line of each frame in the debug files given, and says \
      what happened and in whose code.
      """,
      """
      Operands are told apart by their content, not by their names, so they can be given in any order: reports, debug \
      files (a dSYM bundle, the Mach-O file in it, an ELF file with DWARF), directories to search for them, and archives \
      of them. `-` is standard input.
      """,
      """
      A debug file is used for an image only when their identities (UUID or build-id) are equal, whatever the file is \
      called. A frame that can't be resolved is shown as reported, with the reason.
      """,
      """
      Files that a debug file relies on are found by themselves: split units in the .dwo file that the compiler made or \
      that lies beside the debug file, or in the .dwp package beside it; what dwz moved out in the file it names, or in \
      /usr/lib/debug/.dwz.
      """,
      """
      `--format=crash` and `--format=ips` write a report back in Apple's form: a text report or an .ips file as it came, \
      in which only the frames that were resolved change. From reports of other formats `--format=crash` makes Apple's \
      text anew. What was repaired in a damaged report stays repaired.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty else { throw .missing("report") }
    options.operands = operands
  }

  private static let ciDefinition = VerbDefinition(
    operands: "[COMMAND [ARGUMENT]...]",
    summary: "Run a test command, and say in the CI's own form which crash ended it",
    details: [
      """
      Runs the command, passes on what it prints, and exits with its status (128 and the signal's number when a signal \
      ended it). Then it reads the crash logs that the Swift runtime left, the reports that appeared meanwhile in the \
      folders given with `--watch-dir`, and those in the command's output, finds debug files below `.build` and the \
      places given with `--symbols`, names the test that crashed, and prints nothing when nothing crashed.
      """,
      """
      Without a command it reads what an earlier step left: the logs given with `--log`, Xcode's result given with \
      `--result-bundle`, and the folders; the status is then 0 also when there was a crash. The options stand before the command; what follows its name is the command's.
      """,
      """
      On GitHub Actions it prints the report in a folded group and an annotation on the blamed line, and adds the report \
      to the step's summary. On GitLab it prints the report in a folded section and writes \
      `gl-code-quality-report.json`, to be kept as the artifact `reports: codequality:`. Elsewhere it prints the report. \
      `--format` and `--output` do as with reports, instead of that.
      """,
      """
      The command gets `SWIFT_BACKTRACE` with a folder of its own for the crash logs, unless the variable is set.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    options.operands = operands
    let sources = options.logs + options.watchedFolders + options.resultBundles
    guard !operands.isEmpty || !sources.isEmpty else {
      throw .missing("command, --log, --result-bundle or --watch-dir")
    }
  }

  private static let batchDefinition = VerbDefinition(
    operands: "[REPORT|DIRECTORY]... [DEBUGFILE]...",
    summary: "Read many reports, and print one line of JSON for each",
    details: [
      """
      Reads reports on all processors and prints for each what `--format=ndjson` prints, in the order of the inputs, each \
      line as soon as it is there. In directories, reports are found by their content, in the order of their names, and \
      other files are passed over. An input that can't be read has a line that says why. Without operands and lists, \
      standard input is read, which holds the paths of reports, one a line.
      """,
      """
      Debug files among the operands are told by their content; directories of debug files are given with `--symbols`. \
      They are opened once by each worker.
      """,
      """
      Workers are processes. One that dies or takes too much is replaced, and its input is read again. When it died over a \
      debug file, a new worker looks up nothing but the one address. If that ends it too, nobody reads this binary of the \
      file any more for a day, unless the file changes: it is named on standard error and, with what came of it, among the \
      attempts of its image. Otherwise only that input is read without the file, or without all when it was time or memory \
      that ran out. When nothing helps, the line of the input is an error.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    if operands.contains("-") {
      throw .malformed("-", expected: "a path; --files-from=- and --records read standard input")
    }
    if options.outputs.count > 1 { throw .unexpected("--output=\(options.outputs[1])") }
    if options.retriesUnresolved, options.state == nil {
      throw .missing("--state, which remembers what --retry-unresolved reads again,")
    }
    if options.against != nil, options.summary == nil {
      throw .missing("--summary, which --against compares,")
    }
    if options.against == nil, options.sessions != nil || options.failsOnNew { throw .missing("--against") }
    if options.readsRecords, !options.inputLists.isEmpty {
      throw .unexpected("--files-from=\(options.inputLists[0])")
    }
    options.operands = operands
  }

  private static let lookupDefinition = VerbDefinition(
    operands: "DEBUGFILE [ADDRESS]...",
    summary: "Find the functions and lines of addresses in a debug file",
    details: [
      """
      Prints the frames at each address, the innermost inlined call first and the real function last. Addresses are \
      link-time addresses in hexadecimal, with or without 0x: those the debug file itself uses, or with `-l` those of a \
      crashed process.
      """,
      """
      Without addresses they are read from standard input, one a line, and each is answered at once, so that another \
      program can ask and wait for the answer.
      """,
      """
      `atos -o FILE -l LOAD ADDRESS` is `lookup -l LOAD FILE ADDRESS`; `atos -arch CPU` is `--arch=CPU`; `atos -i \
      -fullPath` is `--format=atos`; `atos -offset` and `addr2line` take what `lookup` takes; `addr2line -e FILE -fip` is \
      `lookup --format=addr2line --mangled FILE`, and with `-C` it is so without `--mangled`.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    guard let file = operands.first else { throw .missing("debug file") }
    if !options.outputs.isEmpty, LinkedAddress(hexadecimal: file) != nil, !file.contains("/") {
      throw .malformed(
        file, expected: "a debug file; as the first operand it needs no -o, which names the output")
    }
    options.operands = [file]
    for word in operands.dropFirst() {
      guard let address = LinkedAddress(hexadecimal: word) else {
        throw .malformed(word, expected: "a hexadecimal address")
      }
      options.addresses.append(address)
    }
    if options.addresses.isEmpty, options.addressFiles.isEmpty { options.addressFiles = ["-"] }
  }

  private static let kindDefinition = VerbDefinition(
    operands: "FILE...",
    summary: "Say what kind of report each file holds",
    details: [
      """
      Prints one line for each report in the files: the file, the report's format, what it is about, the process with \
      its version, and the exception. What a report doesn't state is a dash. No debug file is looked for.
      """,
      "A file that holds no report is named on standard error, and the exit status is 1.",
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty else { throw .missing("file") }
    options.operands = operands
  }

  private static let symbolsDefinition = VerbDefinition(
    operands: "[learn|export|import|pack] FILE|DIRECTORY...",
    summary: "Say which binaries debug files hold, and whether a report wants them; learn names",
    details: [
      """
      Prints one line for each binary in the files, dSYM bundles, directories and archives: the file, its identity (UUID \
      or build-id), its CPU, Mach-O or ELF, whether it has DWARF, and whether it has a cache. What it hasn't is a dash.
      """,
      "`--index` makes the caches ahead of the first report, as for the archive of a release.",
      """
      `--for` says of each image of the app in which frames of a report lie: the identity and the CPU wanted, every file \
      seen that might be its debug file and what it is (match, another build, another architecture, stripped, an empty \
      dSYM, the stub of a debug build, damaged), and what to do next. The exit status is 0 when every such image has its \
      debug file. Places are the operands, those in `CRASHREAD_SYMBOL_PATH`, and those that the report itself names.
      """,
      """
      `symbols learn REPORT...` puts into the file given with `--symbol-memory` what reports, and those in directories, say \
      of the system's functions. `symbols export` prints all of it as text, and `symbols import FILE...` takes such texts \
      in, in any order and as often as you like: memories of several machines become one.
      """,
      """
      `symbols pack -o PACK CACHE...` writes the names of the functions of all images, and where they begin, into one file, so that the \
      gigabytes of a system are needed once. The pack is then given like any debug file. CACHE is the first file of dyld's \
      shared cache (`dyld_shared_cache_arm64e`), with the others of a split cache beside it, or a directory of binaries.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    options.symbolAction = operands.first.flatMap { SymbolAction(rawValue: $0) }
    options.operands = options.symbolAction == nil ? operands : Array(operands.dropFirst())
    switch options.symbolAction {
    case nil where options.operands.isEmpty && options.checkedReport == nil: throw .missing("debug file")
    case .learn where options.operands.isEmpty: throw .missing("report")
    case .import where options.operands.isEmpty: throw .missing("file")
    case .pack where options.operands.isEmpty: throw .missing("debug file")
    case .pack where options.targets.count != 1 || options.targets[0].path == "-":
      throw .missing("--output=FILE for the pack")
    case .export where !options.operands.isEmpty: throw .unexpected(options.operands[0])
    case nil, .learn, .import, .export, .pack: break
    }
  }

  private static let explainDefinition = VerbDefinition(
    operands: "CODE|NAME|TEXT...",
    summary: "Say what a code, a name or a message of a report means",
    details: [
      """
      Looks up exception types and their codes, signals, termination codes and namespaces, processor state (`esr`, \
      `trap`, `err`, `brk`), the codes of EXC_GUARD and EXC_RESOURCE, messages, the rules by which crashread explains a \
      report, and what APIs demand of their callers: by a message, by a function as backtraces have it \
      (`"-[UITableView endUpdates]"`), or by a part of one (`AVAudioEngine`). No report is needed.
      """,
      """
      Numbers can be decimal or hexadecimal. A number behind a name is read as that name's: `EXC_BAD_ACCESS 1`, \
      `esr 0x92000047`, `brk 1`. A number alone gives everything it can mean, the most likely first. Text with blanks \
      is quoted: `"Namespace DYLD, Code 1"`.
      """,
      "What is not known is named on standard error, with what is near to it, and the exit status is 1.",
    ],
    completes: .nothing
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty || options.listsSubjects else { throw .missing("code or name") }
    options.operands = operands
  }

  private static let anonymizeDefinition = VerbDefinition(
    operands: "REPORT...",
    summary: "Write reports again without what tells of a person or a device",
    details: [
      """
      User names, folders and documents in paths, keys of devices, identifiers, hosts, mail and network addresses, phone \
      numbers, fields that name a person, passwords and tokens are replaced, and nothing else: the report keeps its format. The same text gets the same pseudonym \
      in all reports of a run, as long as itself. Names of the program, its files and its images stay, and so do addresses \
      and identities of images, so that debug files still fit.
      """,
      """
      Verdict, frames and signature are compared before a report is written; one that would tell something else is not \
      written. Several reports go into a directory, each under its own name. What no rule can know, such as a name in a \
      sentence, stays: read it before you give it away.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty else { throw .missing("report") }
    if options.outputs.count > 1 { throw .unexpected("--output=\(options.outputs[1])") }
    if operands.count > 1, options.outputs.isEmpty { throw .missing("--output with a directory") }
    options.operands = operands
  }

  private static let mcpDefinition = VerbDefinition(
    operands: "",
    summary: "Serve editors and assistants: the Model Context Protocol on standard input and output",
    details: [
      """
      Answers requests, a JSON object a line, until standard input ends. The tools are `analyze` (a report by path or as \
      text, brief unless more is asked for), `thread`, `lookup`, `explain`, `symbols`, `list` and `group`; their arguments are \
      options of the commands behind them.
      """,
      """
      Nothing is written but caches, and nothing is read but regular files below the directories given with `--root`, debug \
      files in the places given with `--symbols`, and what those rely on. Each request is met by a process of its own, with \
      the limits of `batch`; one that takes too much gets an error, and the server goes on.
      """,
    ],
    completes: .nothing
  ) { (operands, _) throws(OperandProblem) in
    if let operand = operands.first { throw .unexpected(operand) }
  }

  private static let helpDefinition = VerbDefinition(
    operands: "[COMMAND]",
    summary: "Print the long help of crashread or of one command",
    details: ["Prints what `--help` prints, for crashread or for the command named."],
    completes: .verbs
  ) { (operands, options) throws(OperandProblem) in
    if operands.count > 1 { throw .unexpected(operands[1]) }
    if let topic = operands.first {
      guard let verb = Verb(typed: topic) else { throw .unknownVerb(topic) }
      options.verb = verb
    } else {
      options.verb = .report
    }
    options.printout = .longHelp
  }
}

extension LinkedAddress {
  /// Reads up to 16 significant hexadecimal digits, with or without `0x`; nil for anything else.
  init?(hexadecimal text: some StringProtocol) {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard digits.utf8.allSatisfy({ hexDigitValue($0) != nil }), let value = UInt64(digits, radix: 16) else {
      return nil
    }
    self.init(value)
  }
}
