internal import CrashDiagnosis
internal import CrashReports
internal import Symbolication

/// The words of the text output: a language is one set of them.
protocol Labels: Sendable {
  /// Stands between the process and the title, after a blank and before a colon.
  func happened(_ kind: ReportKind) -> String
  var unknownProcess: String { get }
  /// Stands before the blamed function.
  var inFunction: String { get }
  /// Stands before the blamed file and line.
  var atPlace: String { get }

  var why: String { get }
  var evidence: String { get }
  /// Stands in the place of `evidence` when there is none, before how sure the explanation is.
  var sure: String { get }
  var next: String { get }
  func sureness(_ confidence: Confidence) -> String

  var means: String { get }
  /// Stands before what a code does not say.
  var limits: String { get }
  var rule: String { get }
  var sources: String { get }
  /// Stands before a list of all that a query can mean.
  func meanings(_ query: String, _ count: Int) -> String

  func thread(_ thread: ThreadRecord, _ kind: ReportKind) -> String
  var exceptionBacktrace: String { get }
  var noCrashedThread: String { get }
  /// A heading.
  func otherThreads(_ count: Int) -> String
  /// Stands behind it where their frames aren't shown.
  var allThreadsHint: String { get }
  /// Stands for threads at the same place: how many, and which.
  func alike(_ count: Int, _ numbers: String) -> String
  /// Stands for threads that aren't listed.
  func moreThreads(_ count: Int) -> String
  var noFrames: String { get }
  var omitted: String { get }
  var truncated: String { get }
  var callTree: String { get }
  /// Stands for as many branches of a call tree.
  func folded(_ count: Int) -> String

  var inlined: String { get }
  var noLine: String { get }
  var recovered: String { get }
  var guess: String { get }
  var byFileNameOnly: String { get }

  var missing: String { get }
  func wanted(_ id: String, _ architecture: String?) -> String
  func given(_ path: String, _ id: String?) -> String
  func unusable(_ path: String, _ message: String) -> String
  func advice(_ status: ImageStatus, hasIdentity: Bool) -> String
  func systemFrames(_ count: Int) -> String

  /// Stands before who last changed the blamed line.
  var changed: String { get }
  func lastChange(_ change: LineChange) -> String
  func noChange(_ reason: LineHistory.Reason) -> String

  // Headings and words of the page.
  /// The first link of the page: to the backtraces.
  var skip: String { get }
  /// The title of a page with several reports.
  func reports(_ count: Int) -> String
  var explanation: String { get }
  var registers: String { get }
  /// Name, value and meaning of a register.
  var registerColumns: [String] { get }
  func images(_ count: Int) -> String
  /// Name, addresses, identity and debug file of an image.
  var imageColumns: [String] { get }
  func status(_ status: ImageStatus) -> String
}

/// The words of a language.
func labels(in language: Language) -> any Labels {
  switch language {
  case .english: EnglishLabels()
  case .japanese: JapaneseLabels()
  }
}
