internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication

/// What was typed, and nothing done about it yet.
///
/// The defaults are those of an empty command line.
struct Options: Equatable, Sendable {
  /// Which job to do.
  var verb = Verb.report
  /// Set by the options that print something and end the run; the job is not done then.
  var printout: Printout?

  /// Files and directories in the order given; `-` is standard input.
  var operands: [String] = []
  /// Debug files and directories given by option; they count like operands.
  var symbols: [String] = []
  /// Where the link-time addresses of `lookup` come from besides the command line; `-` is standard input.
  var addressFiles: [String] = []
  /// The addresses of `lookup` given on the command line, in their order.
  var addresses: [LinkedAddress] = []
  /// Where the image of `lookup`'s addresses was loaded; nil when they are link-time addresses.
  var loadAddress: LinkedAddress?
  /// Whether the addresses of `lookup` are those that calls return to.
  var takesReturnAddresses = false
  /// The slice `lookup` reads from a universal file.
  var architecture: Architecture?
  /// The identity the debug file of `lookup` must have.
  var uuid: ImageID?
  /// Folders in which `ci` looks for reports.
  var watchedFolders: [String] = []
  /// Result bundles that `ci` reads.
  var resultBundles: [String] = []
  /// Logs that `ci` reads; `-` is standard input.
  var logs: [String] = []
  /// Older files of the folders are no concern of `ci`; nil for the command's start, or for all without a command.
  var since: Moment?

  /// Where the result goes, perhaps with `FORMAT=` before it; empty means standard output, and `-` among them does too.
  var outputs: [String] = []
  /// The form of what goes to standard output and to files whose names tell none; nil for text.
  var format: Format?
  var color = ColorChoice.auto
  var hyperlinks = HyperlinkChoice.auto
  /// The language of the result; nil for that of the locale.
  var language: Language?
  var showsAllThreads = false
  /// Numbers of the threads that alone are shown; empty for no such choice.
  var threads: [Int] = []
  var showsLinkageNames = false
  var listsSubjects = false
  var showsReasoning = false
  /// Whether JSON is an array also when there is one report.
  var printsArray = false
  /// For whom a few lines are to do; nil for the whole result.
  var brief: BriefAudience?
  var showsAllVariables = false
  var showsCode = false
  /// Directories in which source files are looked for, first match first.
  var sourceRoots: [String] = []
  /// Whether the history of the checkout is asked about the blamed line.
  var showsBlame = false
  /// Replacements at the start of source paths, in the order given.
  var pathMaps: [PathMap] = []

  /// Where caches are kept, or the word `off`; nil when not given.
  var cache: String?
  /// Where `anonymize` says what it has replaced; nil for nowhere.
  var replacements: String?
  /// Directories below which the tools of `mcp` may read.
  var roots: [String] = []
  /// Whether `symbols` makes the caches.
  var makesCaches = false
  /// The report that `symbols` looks for debug files for; `-` is standard input.
  var checkedReport: String?
  /// What `symbols` is to do with a symbol memory; nil when it looks at debug files.
  var symbolAction: SymbolAction?
  /// Servers that are asked for debug files.
  var symbolServers: [SymbolServer] = []
  /// The memory of the system's names; nil when not given.
  var symbolMemory: String?
  /// Whether `batch` learns names from what it reads.
  var learns = false
  /// How many sources must say the same before a name is used.
  var quorum = SymbolMemory.defaultQuorum

  /// What reports and debug files may ask for.
  var limits = Limits()

  var allowsMismatch = false
  var isStrict = false
  /// Debug files not to be used; never typed.
  var refusals = SymbolStore.Refusals()
  /// Whether `ci` finds in standard input what it has gathered before it was started again; never typed.
  var isGathered = false
  var workerLimits = WorkerLimits()

  /// Lists of paths that `batch` reads; `-` is standard input.
  var inputLists: [String] = []
  /// Whether a zero ends each path in such a list, and not a newline.
  var hasZeroSeparatedLists = false
  /// Whether the lines of standard input are records that hold reports.
  var readsRecords = false
  /// How many workers `batch` has; nil for one a processor.
  var jobs: Int?
  /// Whether the workers of `batch` are processes.
  var isolation = Isolation.on
  /// The form in which `batch` prints groups in the place of results; nil for the results themselves.
  var summary: SummaryFormat?
  /// The result or state of an earlier batch, with which the groups are compared; nil for none.
  var against: String?
  /// The file that says how often versions ran; nil for none.
  var sessions: String?
  /// Whether a crash that wasn't there before makes the run fail.
  var failsOnNew = false
  /// The database in which `batch` remembers what it has read; nil for none.
  var state: String?
  /// Whether reports that the state remembers are read again when they lacked debug files.
  var retriesUnresolved = false
}

extension Options {
  /// Whether `batch` writes a line for each result: a summary on standard output leaves no room for them there.
  var printsResults: Bool { summary == nil || !outputs.isEmpty }
}

/// What the reading of one input may cost a worker, or the processor; beyond that it, or a debug file, counts as damaged.
struct WorkerLimits: Equatable, Sendable {
  /// Seconds that one report may take.
  var seconds = 60
  /// Bytes of memory that a process may have for itself; nil for the usual.
  var memory: Int?
  /// The usual for one of several workers.
  static let memoryOfWorker = 2 << 30
  var workerMemory: Int { memory ?? Self.memoryOfWorker }
  /// The usual for the main job: the largest report needs 2.5 GB.
  static let memoryAlone = 4 << 30
  /// Bytes of the result of one input; nil for the usual.
  var resultSize: Int?
  /// The usual for a worker.
  static let resultSizeOfWorker = 256 << 20
  var workerResultSize: Int { resultSize ?? Self.resultSizeOfWorker }
  /// The usual for a tool: its reader pays by the word.
  static let resultSizeOfTool = 1 << 20
}

/// What `--isolate` can be.
enum Isolation: String, OptionChoice {
  case on, off

  var summary: String {
    switch self {
    case .on: "workers are processes, and one that dies takes nothing with it"
    case .off: "workers are threads, and share what they know of debug files"
    }
  }
}

extension Limits {
  /// Sets the limit that a text such as `threads=100` names; false when there is none, or no positive number.
  mutating func set(_ text: String) -> Bool {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let name = Name(rawValue: String(parts[0])), let value = Int(parts[1]), value > 0
    else {
      return false
    }
    self[name] = value
    return true
  }
}

/// The first operand of `symbols` where it is about names and not about debug files.
enum SymbolAction: String, Sendable, CaseIterable {
  case learn, export, `import`, pack
}

/// What is printed instead of doing the job.
enum Printout: Equatable, Sendable {
  case shortHelp, longHelp, version
  case generated(GeneratedText)
}

/// One `OLD=NEW` of `--path-map`.
struct PathMap: Equatable, Sendable {
  var old: String
  var new: String

  /// Splits at the first `=`; nil when there is none or nothing stands before it.
  init?(parsing text: String) {
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { return nil }
    old = String(text[..<sign])
    new = String(text[text.index(after: sign)...])
  }
}

/// A closed set of words an option takes.
protocol OptionChoice: RawRepresentable<String>, CaseIterable, Sendable {
  /// What the word means, for help and completion.
  var summary: String { get }
  /// The verbs with which the word can be used.
  var verbs: Set<Verb> { get }
}

extension OptionChoice {
  var verbs: Set<Verb> { Set(Verb.allCases) }
}

/// What `--format` can be.
enum Format: String, OptionChoice {
  case text, json, ndjson, markdown, html, github, gitlab, sarif, junit, sentry
  case sentryEnvelope = "sentry-envelope"
  case crash, ips, tsv, addr2line, atos

  var summary: String {
    switch self {
    case .text: "for reading"
    case .json: "for programs; crashread-json(5) describes it"
    case .ndjson: "the same, one report a line, and a line for an input that holds none"
    case .markdown: "for an issue, or a CI run's summary page"
    case .html: "one page for a browser, needing nothing else"
    case .github: "annotations of GitHub Actions (workflow commands)"
    case .gitlab: "GitLab's Code Quality report"
    case .sarif: "SARIF 2.1.0, for code scanning and editors"
    case .junit: "a test result, in JUnit's XML"
    case .sentry: "Sentry's events, one a line"
    case .sentryEnvelope: "a Sentry event in its envelope, to be posted as it is"
    case .crash: "Apple's text report, written back with functions and lines"
    case .ips: "an .ips file, written back with functions and lines"
    case .addr2line: "as addr2line -fip prints it"
    case .atos: "as atos -i -fullPath prints it"
    case .tsv: "one line a frame, fields separated by tabs, an empty line after each address"
    }
  }

  var verbs: Set<Verb> {
    switch self {
    case .text, .json: [.report, .ci, .lookup, .kind, .explain, .symbols]
    case .ndjson: [.report, .ci, .batch]
    case .tsv, .addr2line, .atos: [.lookup]
    default: [.report, .ci]
    }
  }
}

/// What `--color` can be.
enum ColorChoice: String, OptionChoice {
  case auto, always, never

  var summary: String {
    switch self {
    case .auto: "on a terminal, unless NO_COLOR is set"
    case .always: "in pipes and files too"
    case .never: "no colour at all"
    }
  }
}

/// What `--hyperlinks` can be.
enum HyperlinkChoice: String, OptionChoice {
  case auto, always, never

  var summary: String {
    switch self {
    case .auto: "on terminals known to follow them"
    case .always: "in pipes and files too"
    case .never: "no links at all"
    }
  }
}

/// What `--lang` can be.
extension Language: OptionChoice {
  var summary: String {
    switch self {
    case .english: "English"
    case .japanese: "Japanese"
    }
  }
}

/// What `--brief` can be.
extension BriefAudience: OptionChoice {
  var summary: String {
    switch self {
    case .options: "says which options give more"
    case .tools: "says which tools of crashread mcp give more"
    }
  }
}

/// What `--generate` can be.
enum GeneratedText: String, OptionChoice {
  case man, bash, zsh, fish

  var summary: String {
    switch self {
    case .man: "the manual page, for man(1)"
    case .bash: "completions for bash"
    case .zsh: "completions for zsh"
    case .fish: "completions for fish"
    }
  }
}
