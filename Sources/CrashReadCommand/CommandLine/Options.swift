internal import CrashRead
internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The parsed command line; nothing has been done yet.
///
/// The defaults are those of an empty command line.
struct Options: Equatable, Sendable {
  /// The job to do.
  var verb = Verb.report
  /// Set by options that print something and exit instead of running the job.
  var printout: Printout?

  /// Files and directories in the order given; `-` is standard input.
  var operands: [String] = []
  /// Debug files and directories given by option; they count like operands.
  var symbols: [String] = []
  /// Files with link-time addresses for `lookup`, besides those on the command line; `-` is standard input.
  var addressFiles: [String] = []
  /// The addresses of `lookup` given on the command line, in their order.
  var addresses: [LinkedAddress] = []
  /// The load address of the image that contains the addresses of `lookup`; nil when they are link-time addresses.
  var loadAddress: LinkedAddress?
  /// Whether the addresses of `lookup` are return addresses.
  var takesReturnAddresses = false
  /// The architecture that `lookup` reads from a universal file.
  var architecture: Architecture?
  /// The identity that the debug file of `lookup` must have.
  var uuid: ImageID?
  /// Folders in which `ci` looks for reports.
  var watchedFolders: [String] = []
  /// Result bundles that `ci` reads.
  var resultBundles: [String] = []
  /// Logs that `ci` reads; `-` is standard input.
  var logs: [String] = []
  /// The time from which `ci` considers files in the folders; nil for the command's start, or for all files without a
  /// command.
  var since: FileTime?

  /// Where the result is written, optionally with `FORMAT=` in front; `-` and an empty list mean standard output.
  var outputs: [String] = []
  /// The format for standard output and for files whose names imply none; nil for text.
  var format: FormatOption?
  var color = ColorChoice.auto
  var hyperlinks = HyperlinkChoice.auto
  /// The language of the result; nil for that of the locale.
  var language: Language?
  var showsAllThreads = false
  /// The numbers of the threads to show; empty for the default selection.
  var threads: [Int] = []
  var showsLinkageNames = false
  var listsSubjects = false
  var showsReasoning = false
  /// Whether JSON is an array even for a single report.
  var printsArray = false
  /// The audience of a brief answer; nil for the whole result.
  var brief: BriefAudience?
  var showsAllVariables = false
  var showsCode = false
  /// Directories in which source files are looked for, first match first.
  var sourceRoots: [String] = []
  /// Whether Git is run to find who last changed the blamed line.
  var showsBlame = false
  /// Replacements of source path prefixes, in the order given.
  var pathMaps: [SourceFinder.PathMap] = []

  /// The cache directory, or the word `off`; nil when not given.
  var cache: String?
  /// The file in which `anonymize` lists its replacements; nil for none.
  var replacements: String?
  /// Directories that the tools of `mcp` may read.
  var roots: [String] = []
  /// Whether `symbols` creates caches.
  var makesCaches = false
  /// The report for which `symbols` checks debug files; `-` is standard input.
  var checkedReport: String?
  /// What `symbols` does with a symbol memory; nil when it lists debug files.
  var symbolAction: SymbolAction?
  /// Servers from which missing debug files are requested.
  var symbolServers: [SymbolServer] = []
  /// The database of system names; nil when not given.
  var symbolMemory: String?
  /// Whether `batch` learns names from the reports.
  var learns = false
  /// Whether the reports in one folder are one source of names.
  var learnsByFolder = false
  /// The number of sources that must agree before a name is used.
  var quorum = SymbolMemory.defaultQuorum

  /// The limits for reports and debug files.
  var limits = Limits()

  var allowsMismatch = false
  var isStrict = false
  /// Debug files not to use; internal.
  var refusals = SymbolStore.Refusals()
  /// Whether standard input holds what `ci` had gathered before a restart; internal.
  var isGathered = false
  var workerLimits = WorkerLimits()

  /// Lists of paths that `batch` reads; `-` is standard input.
  var inputLists: [String] = []
  /// Whether paths in such a list end with a zero byte instead of a newline.
  var hasZeroSeparatedLists = false
  /// Whether the lines of standard input are records with reports.
  var readsRecords = false
  /// The number of workers of `batch`; nil for one per processor.
  var jobs: Int?
  /// Whether the workers of `batch` are processes.
  var isolation = Isolation.on
  /// The form in which `batch` prints groups instead of results; nil for the results.
  var summary: SummaryFormat?
  /// The result or state of an earlier batch to compare the groups with; nil for none.
  var against: String?
  /// The file with the number of sessions per version; nil for none.
  var sessions: String?
  /// Whether a new crash makes the run fail.
  var failsOnNew = false
  /// The database in which `batch` records what it has read; nil for none.
  var state: String?
  /// Whether reports that lacked debug files are read again.
  var retriesUnresolved = false
}

extension Options {
  /// Whether `batch` writes a line for each result; not when a summary goes to standard output.
  var printsResults: Bool { summary == nil || !outputs.isEmpty }
}

/// Limits for reading one input, in a worker or in this process; beyond them the input, or a debug file, counts as
/// damaged.
struct WorkerLimits: Equatable, Sendable {
  /// The seconds that one report may take.
  var seconds = 60
  /// Bytes of private memory of a process; nil for the default, which for a worker is that of `InputLimits`.
  var memory: Int?
  /// The default of the main job, in bytes: the largest report needs 2.5 GB.
  static let memoryOfMainJob = 4 << 30
  /// Bytes of the result of one input; nil for the default, which for a worker is that of `InputLimits`.
  var resultSize: Int?
  /// The default of a tool, in bytes: its reader pays by the token.
  static let resultSizeOfTool = 1 << 20
}

/// The values of `--isolate`.
enum Isolation: String, OptionChoice {
  case on, off

  var summary: String {
    switch self {
    case .on: "workers are processes; a crash affects only its own input"
    case .off: "workers are threads, which share open debug files"
    }
  }
}

extension Limits {
  /// Sets the limit given by a text such as `threads=100`; false when it names no limit, or the number isn't positive.
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

/// The first operand of `symbols` when it works on names instead of debug files.
enum SymbolAction: String, Sendable, CaseIterable {
  case learn, export, `import`, pack
}

/// What is printed instead of running a job.
enum Printout: Equatable, Sendable {
  case shortHelp, longHelp, version
  case generated(GeneratedText)
}

extension SourceFinder.PathMap {
  /// Parses `OLD=NEW`, split at the first `=`; nil when there is none, or nothing precedes it.
  init?(parsing text: String) {
    guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { return nil }
    self.init(old: String(text[..<sign]), new: String(text[text.index(after: sign)...]))
  }
}

/// The allowed words of an option.
protocol OptionChoice: RawRepresentable<String>, CaseIterable, Sendable {
  /// The word's meaning, for help and completions.
  var summary: String { get }
  /// The verbs that accept the word.
  var verbs: Set<Verb> { get }
}

extension OptionChoice {
  var verbs: Set<Verb> { Set(Verb.allCases) }
}

/// The values of `--color`.
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

/// The values of `--hyperlinks`.
enum HyperlinkChoice: String, OptionChoice {
  case auto, always, never

  var summary: String {
    switch self {
    case .auto: "on terminals known to support them"
    case .always: "in pipes and files too"
    case .never: "no links at all"
    }
  }
}

/// The values of `--lang`.
extension Language: OptionChoice {
  var summary: String {
    switch self {
    case .english: "English"
    case .japanese: "Japanese"
    }
  }
}

/// The values of `--brief`.
extension BriefAudience: OptionChoice {
  var summary: String {
    switch self {
    case .options: "says which options give more"
    case .tools: "says which tools of crashread mcp give more"
    }
  }
}

/// The values of `--generate`.
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
