internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The words of the text output, one set per language.
protocol Labels: EvidenceLabels, Sendable {
  /// Between the process and the title, after a blank and before a colon.
  func happened(_ kind: ReportKind) -> String
  var unknownProcess: String { get }
  var wholeSystem: String { get }
  /// What happened, and the name of the test that ran.
  func duringTest(_ event: String, _ test: String) -> String
  /// Another report of the same device, and how many seconds later it was written.
  func neighbour(_ path: String, _ kind: String, _ seconds: Int) -> String
  /// Before the blamed function.
  var inFunction: String { get }
  /// Before the blamed file and line.
  var atLocation: String { get }

  var why: String { get }
  var evidence: String { get }
  /// Instead of `evidence` when there is none, before the confidence.
  var sure: String { get }
  var next: String { get }
  /// Before further findings.
  var also: String { get }
  func matched(_ rule: String?) -> String
  /// The rules that hold in part; the missing condition follows in parentheses.
  func rejected(_ rules: String) -> String
  var skippedFrames: String { get }
  func reason(_ reason: SkippedFrame.Reason) -> String
  /// A heading.
  var signatureFrames: String { get }
  func use(_ use: SignatureFrame.Use) -> String
  func sureness(_ confidence: Confidence) -> String

  var means: String { get }
  /// Precedes what a code doesn't say about its cause.
  var limits: String { get }
  var rule: String { get }
  var sources: String { get }
  /// Before a list of all meanings of a query.
  func meanings(_ query: String, _ count: Int) -> String

  func thread(_ thread: ThreadRecord, _ kind: ReportKind) -> String
  var exceptionBacktrace: String { get }
  func applicationBacktrace(_ index: Int) -> String
  /// The instructions around the program counter.
  var code: String { get }
  /// Who allocated and who freed the memory that the fault is blamed on.
  var allocated: String { get }
  var deallocated: String { get }
  /// The omitted turns of a recursion, of so many frames each, up to a frame.
  func repeats(_ turns: Int, _ length: Int, _ last: Int) -> String
  /// No thread has a number; the numbers that exist.
  func noThread(_ number: Int, _ others: [Int]) -> String
  var noCrashedThread: String { get }
  /// A heading.
  func otherThreads(_ count: Int) -> String
  /// Follows the heading of frames that aren't shown.
  var allThreadsHint: String { get }
  /// Threads with equal stacks: how many, and which.
  func alike(_ count: Int, _ numbers: String) -> String
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
  /// A function and the others that have its code.
  func function(_ name: String, foldedWith others: [String]) -> String
  /// Marks a name learned from other reports.
  func learned(_ name: LearnedName) -> String
  func andMore(_ count: Int) -> String
  var otherBuild: String { get }
  var functionStart: String { get }
  var byFileNameOnly: String { get }

  /// Before the member at the fault address.
  var member: String { get }
  /// Why a variable has no value: as texts of their own, and `inMemory` also before an address.
  var inMemory: String { get }
  var notAvailable: String { get }
  var optimizedOut: String { get }
  /// The number of variables that aren't shown.
  func others(known: Int, inMemory: Int, notAvailable: Int, optimizedOut: Int) -> String

  /// Before a list of variables.
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

  /// Before who last changed the blamed line.
  var changed: String { get }
  func lastChange(_ change: LineChange) -> String
  func noChange(_ reason: LineHistory.Reason) -> String

  // Headings and words of the page.
  /// The first link of the page, to the backtraces.
  var skip: String { get }
  /// The title of a page with several reports.
  func reports(_ count: Int) -> String
  var explanation: String { get }
  var registers: String { get }
  /// Before the exception codes.
  var codes: String { get }
  /// Name, value and meaning of a register.
  var registerColumns: [String] { get }
  func images(_ count: Int) -> String
  /// Name, addresses, identity and debug file of an image.
  var imageColumns: [String] { get }
  func status(_ status: ImageStatus) -> String

  // Words of a comparison of two times.
  /// How many reports there are and were, and how many groups are new or gone.
  func comparison(_ comparison: CrashComparison) -> String
  func change(_ change: CrashComparison.Change) -> String
  func firstIn(_ version: String) -> String
  /// The heading of a column.
  var firstVersion: String { get }
  var versionRates: String { get }
  var systemRates: String { get }
  func rate(_ rate: CrashRate) -> String

  // Words of a summary of many reports.
  /// How many reports and groups there are.
  func totals(_ groups: CrashGroups, _ count: Int) -> String
  var groups: String { get }
  /// Count, crash, app, line and last day of a group.
  var groupColumns: [String] { get }
  func moreGroups(_ count: Int) -> String
  /// The first link of the page, to the first group.
  var skipToGroups: String { get }
  func times(_ count: Int) -> String
  var period: String { get }
  /// Two days; the same ones when everything happened on one.
  func seen(_ first: String, _ last: String) -> String
  var exampleLabel: String { get }
  /// Before the command that creates the page of a group's example.
  var examplePage: String { get }
  var stack: String { get }
  // The filters of groups, and the one that shows all.
  var kind: String { get }
  var app: String { get }
  var all: String { get }
  /// Above a list of groups in the order of their last day.
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
  /// In place of frames that are left out; nothing for one that isn't.
  func text(_ row: RepeatedRows.Row) -> String {
    switch row {
    case .frame: ""
    case .repeats(let turns, let length, let last): repeats(turns, length, last)
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

/// A rate with two decimals.
func rounded(_ rate: Double) -> String {
  let hundredths = Int((min(rate, 1e12) * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// Hundreds of functions can have the same code; a person reads a few of their names.
let maximumFoldedNames = 4
