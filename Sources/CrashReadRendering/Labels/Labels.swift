internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The words of the text output, one set per language.
protocol Labels: EvidenceLabels, Sendable {
  /// What happened to the process, between its name and the title, after a blank and before a colon.
  func event(_ kind: ReportKind) -> String
  var unknownProcess: String { get }
  var wholeSystem: String { get }
  /// An event, and the name of the test that was running.
  func duringTest(_ event: String, _ test: String) -> String
  /// Another report of the same device, and the number of seconds by which it is later.
  func neighbour(_ path: String, _ kind: String, _ seconds: Int) -> String
  /// Precedes the blamed function.
  var inFunction: String { get }
  /// Follows the blamed function if another one is more probably the app's own.
  var perhapsLibrary: String { get }
  /// Precedes the blamed file and line.
  var atLocation: String { get }

  var why: String { get }
  var evidence: String { get }
  /// Replaces `evidence` before the confidence when there is no evidence.
  var confidenceHeading: String { get }
  var next: String { get }
  /// Precedes further findings.
  var also: String { get }
  func matched(_ rule: String?) -> String
  /// The rules that hold in part; each is followed by its missing condition in parentheses.
  func rejected(_ rules: String) -> String
  var skippedFrames: String { get }
  func reason(_ reason: SkippedFrame.Reason) -> String
  /// The heading of the frames examined for the signature.
  var signatureFrames: String { get }
  func use(_ use: SignatureFrame.Use) -> String
  func confidence(_ confidence: Confidence) -> String

  var means: String { get }
  /// Precedes what a code doesn't say about its cause.
  var limits: String { get }
  var rule: String { get }
  var sources: String { get }
  /// Precedes a list of all meanings of a query.
  func meanings(_ query: String, _ count: Int) -> String

  func thread(_ thread: ThreadRecord, _ kind: ReportKind) -> String
  var exceptionBacktrace: String { get }
  func applicationBacktrace(_ index: Int) -> String
  /// The instructions around the program counter.
  var code: String { get }
  /// The headings of the backtraces that allocated and freed the memory to which the fault is attributed.
  var allocated: String { get }
  var deallocated: String { get }
  /// The omitted repetitions of a recursion: how often a number of frames is repeated, up to which frame.
  func repeats(_ repetitions: Int, _ length: Int, _ last: Int) -> String
  /// States that no thread has a number, and which numbers exist.
  func noThread(_ number: Int, _ others: [Int]) -> String
  var noCrashedThread: String { get }
  /// The heading of the other threads.
  func otherThreads(_ count: Int) -> String
  /// Follows the heading of frames that aren't shown, with the option that shows them.
  var allThreadsHint: String { get }
  /// Threads with equal stacks: how many, and their numbers.
  func similarThreads(_ count: Int, _ numbers: String) -> String
  /// The number of threads that aren't listed.
  func moreThreads(_ count: Int) -> String
  var noFrames: String { get }
  var omitted: String { get }
  var truncated: String { get }
  var callTree: String { get }
  /// The number of branches of a call tree that aren't shown.
  func folded(_ count: Int) -> String

  var inlined: String { get }
  var noLine: String { get }
  var recovered: String { get }
  var guess: String { get }
  /// The names of all functions whose identical code the linker has folded into the frame's.
  func folded(_ names: [String]) -> String
  /// A function, with the others that share its code.
  func function(_ name: String, foldedWith others: [String]) -> String
  /// Marks a name learned from other reports.
  func learned(_ name: LearnedName) -> String
  func andMore(_ count: Int) -> String
  var otherBuild: String { get }
  var functionStart: String { get }
  var byFileNameOnly: String { get }

  /// Precedes the member at the fault address.
  var member: String { get }
  /// The reasons for which a variable has no value, each on its own; `inMemory` also before an address.
  var inMemory: String { get }
  var notAvailable: String { get }
  var optimizedOut: String { get }
  /// The number of variables that aren't shown.
  func others(known: Int, inMemory: Int, notAvailable: Int, optimizedOut: Int) -> String

  /// Precedes a list of variables.
  var variables: String { get }
  /// Precedes the command that shows what a brief answer omits.
  var more: String { get }
  var missing: String { get }
  func wanted(_ id: String, _ architecture: String?) -> String
  func given(_ path: String, _ id: String?) -> String
  func unusable(_ path: String, _ message: String) -> String
  func asked(_ server: String, _ message: String) -> String
  func advice(_ status: ImageStatus, hasIdentity: Bool) -> String
  func systemFrames(_ count: Int) -> String

  /// Precedes who last changed the blamed line.
  var changed: String { get }
  func lastChange(_ change: LineChange) -> String
  func noChange(_ reason: LineHistory.Reason) -> String

  // Headings and words of the HTML page.
  /// The first link of the page, to the backtraces.
  var skip: String { get }
  /// The title of a page with several reports.
  func reports(_ count: Int) -> String
  var explanation: String { get }
  var registers: String { get }
  /// Precedes the exception codes.
  var codes: String { get }
  /// The column headings of registers: name, value and meaning.
  var registerColumns: [String] { get }
  func images(_ count: Int) -> String
  /// The column headings of images: name, addresses, identity and debug file.
  var imageColumns: [String] { get }
  func status(_ status: ImageStatus) -> String

  // The words for a comparison of two periods.
  /// The numbers of reports now and before, and of new and gone groups.
  func comparison(_ comparison: CrashComparison) -> String
  func change(_ change: CrashComparison.Change) -> String
  func firstIn(_ version: String) -> String
  /// The heading of the column with the first version.
  var firstVersion: String { get }
  var versionRates: String { get }
  var systemRates: String { get }
  func rate(_ rate: CrashRate) -> String

  // The words for a summary of many reports.
  /// The numbers of reports and groups.
  func totals(_ groups: CrashGroups, _ count: Int) -> String
  var groups: String { get }
  /// The column headings of groups: count, crash, app, line and last day.
  var groupColumns: [String] { get }
  func moreGroups(_ count: Int) -> String
  /// The first link of the page, to the first group.
  var skipToGroups: String { get }
  func times(_ count: Int) -> String
  var period: String { get }
  /// A period of days; of one day when both are equal.
  func seen(_ first: String, _ last: String) -> String
  var exampleLabel: String { get }
  /// Precedes the command that creates the page of a group's example.
  var examplePage: String { get }
  var stack: String { get }
  // The names of the filters of groups, and of the choice that shows all.
  var kind: String { get }
  var app: String { get }
  var all: String { get }
  /// The heading of a list of groups in the order of their last day.
  var newestFirst: String { get }
  func example(_ input: String) -> String
  var signature: String { get }
  var noSignature: String { get }
  var versions: String { get }
  var systems: String { get }
  var devices: String { get }
  var perDay: String { get }
  func perDays(_ count: Int) -> String
  var otherLabel: String { get }
  /// The number of reports whose values aren't shown.
  func otherValues(_ count: Int) -> String
}

extension Labels {
  /// The text in place of omitted frames; nothing for a frame that is shown.
  func text(_ row: RepeatedRows.Row) -> String {
    switch row {
    case .frame: ""
    case .repeats(let repetitions, let length, let last): repeats(repetitions, length, last)
    }
  }
}

/// The labels of a language.
func labels(in language: Language) -> any Labels {
  switch language {
  case .english: EnglishLabels()
  case .japanese: JapaneseLabels()
  }
}

/// A rate with two decimal places.
func rounded(_ rate: Double) -> String {
  let hundredths = Int((min(rate, 1e12) * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// The maximum number of names of folded functions that are shown; hundreds of functions can share the same code.
let maximumFoldedNames = 4
