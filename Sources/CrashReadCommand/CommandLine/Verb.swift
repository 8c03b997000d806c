internal import CrashReadCore

/// The jobs; all but the main one are selected by name, as the first word that isn't an option.
enum Verb: String, CaseIterable, Sendable {
  case report, ci, batch, lookup, kind, explain, symbols, anonymize, mcp, help

  /// The verb that a word stands for; nil for the main job, whose name isn't typed, and for any other word.
  init?(typed word: String) {
    guard let verb = Verb(rawValue: word), verb != .report else { return nil }
    self = verb
  }

  /// The verbs that are selected by name.
  static var named: [Verb] { allCases.filter { $0 != .report } }

  /// How a user starts this job: `crashread lookup`.
  var command: String { self == .report ? "crashread" : "crashread \(rawValue)" }

  /// The options this job takes, in table order.
  var options: [OptionDefinition] { optionTable.filter { $0.verbs.contains(self) } }
}

/// The description of a verb for the parser, the help, the manual page and the completions.
struct VerbDefinition: Sendable {
  /// The operands in the synopsis.
  var operands: String
  /// A one-line summary.
  var summary: String
  /// Paragraphs; literal text is in backquotes.
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
  /// Something is missing: its name in the usage.
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
      Operands are recognised by their content, not by their names, so they can be given in any order: reports, debug \
      files (a dSYM bundle, the Mach-O file in it, an ELF file with DWARF), directories to search for them, and archives \
      of them. `-` is standard input.
      """,
      """
      A debug file is used for an image only if their identities (UUID or build-id) are equal, whatever its name. A \
      frame that can't be resolved is shown as reported, with the reason.
      """,
      """
      Files that a debug file depends on are found automatically: split units in the .dwo file at the compiler's \
      path or beside the debug file, or in the .dwp package beside it; what dwz moved out at the recorded path, or \
      in /usr/lib/debug/.dwz.
      """,
      """
      `--format=crash` and `--format=ips` write a report back in Apple's form: a text report or an .ips file as it \
      came, in which only resolved frames change. Reports of other formats are converted to Apple's text by \
      `--format=crash`. Repairs of damaged reports are kept.
      """,
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty else { throw .missing("report") }
    options.operands = operands
  }

  private static let ciDefinition = VerbDefinition(
    operands: "[COMMAND [ARGUMENT]...]",
    summary: "Run a test command, and report the crash that ended it to the CI system",
    details: [
      """
      Runs the command, passes on what it prints, and exits with its status (128 and the signal's number when a \
      signal ended it). Then it reads the crash logs written by the Swift runtime, new reports in the folders given \
      with `--watch-dir`, and those in the command's output, finds debug files below `.build` and in the paths given \
      with `--symbols`, and names the test that crashed. It prints nothing if nothing crashed.
      """,
      """
      Without a command it reads the results of an earlier step: logs given with `--log`, Xcode's result given with \
      `--result-bundle`, and the folders; the status is then 0 even after a crash. Options precede the command; what \
      follows its name belongs to the command.
      """,
      """
      On GitHub Actions it prints the report in a folded group and an annotation on the blamed line, and adds the \
      report to the step's summary. On GitLab it prints the report in a folded section and writes \
      `gl-code-quality-report.json`, to be kept as the artifact `reports: codequality:`. Elsewhere it prints the \
      report. `--format` and `--output` replace this, and work as for reports.
      """,
      """
      For the command, `SWIFT_BACKTRACE` is set to write crash logs to a temporary folder, unless the variable is \
      set already.
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
      Reads reports on all processors and prints each like `--format=ndjson`, in the order of the inputs and as soon \
      as possible. In directories, reports are found by content, in the order of their names, and other files are \
      skipped. An input that can't be read gets a line that says why. Without operands and lists, the paths of \
      reports are read from standard input, one per line.
      """,
      """
      Debug files among the operands are recognised by content; directories of debug files are given with \
      `--symbols`. Each worker opens them once.
      """,
      """
      Workers are processes. One that crashes or exceeds a limit is replaced, and its input is read again. If it was \
      reading a debug file, a new worker repeats only that look-up. If that ends it, too, this binary of the file \
      isn't used for a day, unless the file changes: it is reported on standard error, and among the attempts of its \
      image. Otherwise only that input is read without the file, or without any when time or memory ran out. If \
      nothing helps, the line of the input is an error.
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
      Without addresses they are read from standard input, one per line, and answered immediately, so that another \
      program can use it as a coprocess.
      """,
      """
      `atos -o FILE -l LOAD ADDRESS` is `lookup -l LOAD FILE ADDRESS`; `atos -arch CPU` is `--arch=CPU`; `atos -i \
      -fullPath` is `--format=atos`; addresses of `atos -offset` and `addr2line` need no option; `addr2line -e FILE \
      -fip` is `lookup --format=addr2line --mangled FILE`; `-C` corresponds to leaving out `--mangled`.
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
    summary: "Show the kind of each report in files",
    details: [
      """
      Prints one line for each report in the files: the file, the report's format, its subject, the process with \
      its version, and the exception. A dash stands for what a report doesn't state. Debug files aren't needed.
      """,
      "A file without a report is named on standard error, and the exit status is 1.",
    ],
    completes: .files
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty else { throw .missing("file") }
    options.operands = operands
  }

  private static let symbolsDefinition = VerbDefinition(
    operands: "[learn|export|import|pack] FILE|DIRECTORY...",
    summary: "List the binaries in debug files, check them against a report, learn names",
    details: [
      """
      Prints one line for each binary in the files, dSYM bundles, directories and archives: the file, its identity \
      (UUID or build-id), its CPU, Mach-O or ELF, whether it has DWARF, and whether it has a cache. A dash stands \
      for what it lacks.
      """,
      "`--index` creates the caches ahead of the first report, for example for the archive of a release.",
      """
      `--for` shows for each image of the app with frames in a report: the required identity and CPU, every \
      candidate file and what it is (match, another build, another architecture, stripped, an empty dSYM, the stub \
      of a debug build, damaged), and what to do next. The exit status is 0 if every such image has its debug file. \
      The operands, the paths in `CRASHREAD_SYMBOL_PATH`, and paths in the report are searched.
      """,
      """
      `symbols learn REPORT...` stores in the file given with `--symbol-memory` what reports, and those in \
      directories, say about system functions. `symbols export` prints its contents as text, and `symbols import \
      FILE...` adds such texts, in any order and as often as you like, to merge memories of several machines.
      """,
      """
      `symbols pack -o PACK CACHE...` writes the names and starts of the functions of all images to one file, so \
      that a system's gigabytes are needed only once. The pack is used like any debug file. CACHE is the first file \
      of dyld's shared cache (`dyld_shared_cache_arm64e`), with the others of a split cache beside it, or a \
      directory of binaries.
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
    summary: "Explain a code, a name or a message of a report",
    details: [
      """
      Looks up exception types and their codes, signals, termination codes and namespaces, processor state (`esr`, \
      `trap`, `err`, `brk`), the codes of EXC_GUARD and EXC_RESOURCE, messages, crashread's rules, and what APIs \
      require of their callers: by a message, by a function as in backtraces (`"-[UITableView endUpdates]"`), or by \
      a part of one (`AVAudioEngine`). No report is needed.
      """,
      """
      Numbers can be decimal or hexadecimal. A number after a name belongs to that name: `EXC_BAD_ACCESS 1`, `esr \
      0x92000047`, `brk 1`. A number alone gives all its meanings, the most likely first. Text with blanks is \
      quoted: `"Namespace DYLD, Code 1"`.
      """,
      "Unknown queries are named on standard error, with similar ones, and the exit status is 1.",
    ],
    completes: .nothing
  ) { (operands, options) throws(OperandProblem) in
    guard !operands.isEmpty || options.listsSubjects else { throw .missing("code or name") }
    options.operands = operands
  }

  private static let anonymizeDefinition = VerbDefinition(
    operands: "REPORT...",
    summary: "Write reports without personal data",
    details: [
      """
      User names, folders and documents in paths, keys of devices, identifiers, hosts, mail and network addresses, \
      phone numbers, fields that name a person, passwords and tokens are replaced, and nothing else: the report \
      keeps its format. The same text gets the same pseudonym of the same length in all reports of a run. Names of \
      the program, its files and its images are kept, as are addresses and identities of images, so that debug files \
      still match.
      """,
      """
      Verdict, frames and signature are compared before a report is written; if they differ, it isn't written. \
      Several reports are written to a directory, under their own names. No rule can recognise everything, such as a \
      name in a sentence: read the result before you pass it on.
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
    summary: "Serve the Model Context Protocol on standard input and output",
    details: [
      """
      Answers requests, one JSON object per line, until standard input ends. The tools are `analyze` (a report by \
      path or as text, brief by default), `thread`, `lookup`, `explain`, `symbols`, `list` and `group`; their \
      arguments are options of the corresponding commands.
      """,
      """
      Only caches are written, and only regular files below the directories given with `--root`, debug files in the \
      paths given with `--symbols`, and the files those depend on are read. Each request runs in a process of its \
      own, with the limits of `batch`; one that exceeds them gets an error, and the server continues.
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
  /// Parses up to 16 significant hexadecimal digits, with or without `0x`; nil for anything else.
  init?(hexadecimal text: some StringProtocol) {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard digits.utf8.allSatisfy({ $0.isHexDigit }), let value = UInt64(digits, radix: 16) else {
      return nil
    }
    self.init(value)
  }
}
