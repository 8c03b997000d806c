internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

struct EnglishLabels: Labels {
  func event(_ kind: ReportKind) -> String {
    switch kind {
    case .crash: "crashed"
    case .hang: "hung"
    case .resource: "was reported"
    case .jetsam: "was terminated by the system"
    case .panic: "panicked"
    case .sample: "was sampled"
    case .other: "left a report"
    }
  }

  func duringTest(_ event: String, _ test: String) -> String { "\(event) in the test \(test)" }
  func neighbour(_ path: String, _ kind: String, _ seconds: Int) -> String {
    let distance =
      seconds == 0 ? "in the same second" : "\(abs(seconds)) s \(seconds < 0 ? "before" : "after")"
    return "Same device, \(distance): \(path) (\(kind))"
  }
  let unknownProcess = "A process"
  let wholeSystem = "The system"
  let inFunction = "in"
  let perhapsLibrary = " (perhaps a library's)"
  let atLocation = "at"
  let why = "Why"
  let evidence = "Evidence"
  let confidenceHeading = "Certainty"
  let next = "Next"
  let also = "Also"
  let skippedFrames = "Frames skipped"
  let means = "Means"
  let limits = "But"
  let rule = "Rule"
  let sources = "Sources"

  func meanings(_ query: String, _ count: Int) -> String { "\(query) can mean \(count) things:" }

  let inlined = "inlined"
  let noLine = "no line"
  let recovered = "not in the report's backtrace; taken from the link register"
  let guess = "a guess: the debug file's identity is not proven"
  func folded(_ names: [String]) -> String {
    "identical code, folded by the linker: it may be any of \(listed(names))"
  }
  func function(_ name: String, foldedWith others: [String]) -> String {
    "\(name), or with identical code \(listed(others))"
  }
  private func listed(_ names: [String]) -> String {
    let rest = names.count - maximumFoldedNames
    return names.prefix(maximumFoldedNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
  func learned(_ name: LearnedName) -> String {
    let sources = name.sightings == 1 ? "1 source" : "\(name.sightings) sources"
    return "named by other reports: \(sources)" + (name.since.map { " since \($0)" } ?? "")
  }
  func andMore(_ count: Int) -> String { "… and \(count) more" }
  let otherBuild = "lines of another build"
  let functionStart = "the start of the function"
  let byFileNameOnly = "found by its file name only"
  let noFrames = "no frames"
  let omitted = "… frames left out by the reporter"
  let truncated = "… the reporter stopped here"
  let exceptionBacktrace = "Exception backtrace (where the exception was thrown)"

  let code = "Code around the program counter"
  let allocated = "Backtrace of the allocation"
  let deallocated = "Backtrace of the deallocation"
  func applicationBacktrace(_ index: Int) -> String { "Application specific backtrace \(index)" }

  func matched(_ rule: String?) -> String {
    rule.map { "\($0) is the first rule whose conditions all hold" } ?? "no rule's conditions all hold"
  }

  func rejected(_ rules: String) -> String {
    "rules before it that match in part, with the missing condition: \(rules)"
  }

  func reason(_ reason: SkippedFrame.Reason) -> String {
    switch reason {
    case .notApp: "not the app's code"
    case .machinery: "only stops the program or reports the error"
    case .thunk: "inserted by the compiler between caller and callee"
    case .generated: "compiler-generated, without a line of its own"
    case .libraryCode: "from a header of the system or of the toolchain"
    case .superseded: "the debug file lists other inlined calls"
    case .badJump: "no code: the target of an invalid jump"
    }
  }

  let signatureFrames = "Frames examined for the signature"

  func use(_ use: SignatureFrame.Use) -> String {
    switch use {
    case .used: "used"
    case .inlined: "inlined; not every report lists such calls"
    case .recovered: "not in the report's backtrace"
    case .notApp: reason(.notApp)
    case .machinery: reason(.machinery)
    case .thunk: reason(.thunk)
    case .libraryCode: "the standard library's"
    case .unnamed: "the app's, but unnamed"
    case .entryPoint: "the entry point of a program or thread"
    case .repeated: "used already"
    case .besideRecursion: "not part of the recursion that filled the stack"
    }
  }

  func repeats(_ repetitions: Int, _ length: Int, _ last: Int) -> String {
    let frames = length == 1 ? "the frame above repeats" : "the \(length) frames above repeat"
    return "… \(frames) \(repetitions) more \(repetitions == 1 ? "time" : "times"), up to frame \(last)"
  }

  let variables = "Variables"
  let more = "More"
  let missing = "Missing debug files"
  let member = "Member"
  let inMemory = "in memory not in the report"
  let notAvailable = "not available"
  let optimizedOut = "optimised out"
  func noThread(_ number: Int, _ others: [Int]) -> String {
    "The report has no thread \(number)" + (others.isEmpty ? "." : ", only \(numberList(others)).")
  }
  let noCrashedThread = "No backtrace of the crashed thread was found in the report."

  func others(known: Int, inMemory: Int, notAvailable: Int, optimizedOut: Int) -> String {
    let words = ["with a value", "in memory", self.notAvailable, self.optimizedOut]
    let counts = zip([known, inMemory, notAvailable, optimizedOut], words).filter { $0.0 > 0 }
    guard let first = counts.first else { return "" }
    let noun = (known > 0 ? "more " : "") + (first.0 == 1 ? "variable" : "variables")
    let head = "\(first.0) \(noun) \(first.1)"
    return "(" + ([head] + counts.dropFirst().map { "\($0) \($1)" }).joined(separator: ", ") + ")"
  }

  func confidence(_ confidence: Confidence) -> String { confidence.rawValue }

  func thread(_ thread: ThreadRecord, _ kind: ReportKind) -> String {
    var text = "Thread \(thread.index)" + (thread.isCrashed && kind == .crash ? " crashed" : "")
    let names = [thread.name, thread.queue].compactMap { $0 }.filter { !$0.isEmpty }
    if !names.isEmpty { text += ": " + names.joined(separator: ", ") }
    var remarks = thread.sampleCount.map { [$0 == 1 ? "1 sample" : "\($0) samples"] } ?? []
    if !thread.callTree.isEmpty { remarks.append("heaviest path") }
    return remarks.isEmpty ? text : text + " (\(remarks.joined(separator: ", ")))"
  }

  let callTree = "Call tree"

  func folded(_ count: Int) -> String {
    count == 1 ? "… 1 branch below 2 % is folded" : "… \(count) branches below 2 % are folded"
  }

  func otherThreads(_ count: Int) -> String { count == 1 ? "1 other thread" : "\(count) other threads" }

  let allThreadsHint = "--all-threads shows their frames"

  func similarThreads(_ count: Int, _ numbers: String) -> String { "\(count) threads like this: \(numbers)" }

  func moreThreads(_ count: Int) -> String { count == 1 ? "… and 1 more" : "… and \(count) more" }

  func wanted(_ id: String, _ architecture: String?) -> String {
    "wanted: \(id)" + (architecture.map { " (\($0))" } ?? "")
  }

  func given(_ path: String, _ id: String?) -> String { "given:  \(path) has \(id ?? "no identity")" }

  func unusable(_ path: String, _ message: String) -> String { "given:  \(path): \(message)" }

  func asked(_ server: String, _ message: String) -> String { "asked:  \(server): \(message)" }

  func advice(_ status: ImageStatus, hasIdentity: Bool) -> String {
    switch status {
    case .identityMismatch:
      "This is another build's debug file. Every build has its own: take it from the archive of the build that crashed."
    case .unusable: "Copy the debug file again."
    case .matched, .missing, .notSearched:
      hasIdentity
        ? "Give the dSYM or .debug file with this identity as a further argument; its name doesn't matter."
        : "The report states no identity for it: give its dSYM or .debug file by the same name."
    }
  }

  func systemFrames(_ count: Int) -> String {
    let frames = count == 1 ? "1 frame of the system has" : "\(count) frames of the system have"
    return "\(frames) no name: the report states none, and no debug file for them is available."
  }

  let changed = "Changed"

  func lastChange(_ change: LineChange) -> String {
    let end = change.isOldest ? " (the history here ends with it, so it may be older)" : ""
    return "\(change.commit.prefix(10)) \(change.date.prefix(10)) \(change.author): \(change.summary)\(end)"
  }

  func noChange(_ reason: LineHistory.Reason) -> String {
    switch reason {
    case .noSource: "unknown: the source of the blamed line isn't available."
    case .notInCheckout: "unknown: the source file isn't certain to be in a directory given by --source-root."
    case .untracked: "unknown: Git has no history of the file."
    case .notCommitted: "not committed yet."
    case .noGit: "unknown: git can't be started."
    case .timedOut: "unknown: git took too long."
    }
  }

  let skip = "Skip to the backtrace"
  func reports(_ count: Int) -> String { count == 1 ? "1 report" : "\(count) reports" }
  let explanation = "Explanation"
  let registers = "Registers"
  let codes = "Codes"
  let registerColumns = ["Register", "Value", "Meaning"]
  func images(_ count: Int) -> String { count == 1 ? "1 image" : "\(count) images" }
  let imageColumns = ["Name", "Addresses", "Identity", "Debug file"]

  func status(_ status: ImageStatus) -> String {
    switch status {
    case .matched: "found"
    case .notSearched: "not needed"
    case .missing: "missing"
    case .identityMismatch: "of another build"
    case .unusable: "unusable"
    }
  }

}

// The words for a summary of many reports.
extension EnglishLabels {
  func comparison(_ comparison: CrashComparison) -> String {
    let counts = [
      "\(comparison.count(.new)) new", "\(comparison.count(.grown)) grown",
      "\(comparison.count(.same)) as before",
      "\(comparison.count(.shrunk)) shrunk", "\(comparison.count(.gone)) gone",
    ]
    return "\(times(comparison.now.count)), \(comparison.before.count) before; groups: "
      + counts.joined(separator: ", ")
  }
  func change(_ change: CrashComparison.Change) -> String {
    switch change {
    case .new: "New"
    case .grown: "Grown"
    case .same: "As before"
    case .shrunk: "Shrunk"
    case .gone: "Gone"
    }
  }
  func firstIn(_ version: String) -> String { "first seen in \(version)" }
  var firstVersion: String { "First seen in" }
  var versionRates: String { "Reports per 1,000 sessions, by version" }
  var systemRates: String { "Reports per 1,000 sessions, by system" }
  func rate(_ rate: CrashRate) -> String {
    "\(rate.name): \(rounded(rate.perThousand)) (\(times(rate.reports)), \(rate.sessions) sessions)"
  }

  func totals(_ groups: CrashGroups, _ count: Int) -> String {
    let reports = groups.count == 1 ? "1 report" : "\(groups.count) reports"
    let unread = groups.unreadCount == 0 ? "" : ", \(groups.unreadCount) unreadable"
    let ungrouped = groups.ungroupedCount == 0 ? "" : ", \(groups.ungroupedCount) beyond the limit of groups"
    return "\(reports) in \(count == 1 ? "1 group" : "\(count) groups")" + unread + ungrouped
  }

  var groups: String { "Groups" }
  var groupColumns: [String] { ["Reports", "Crash", "App", "Line", "Last"] }
  func moreGroups(_ count: Int) -> String {
    count == 1 ? "1 smaller group is not shown" : "\(count) smaller groups are not shown"
  }
  var skipToGroups: String { "Skip to the first group" }
  func times(_ count: Int) -> String { count == 1 ? "1 report" : "\(count) reports" }
  var period: String { "when" }
  func seen(_ first: String, _ last: String) -> String { first == last ? first : "\(first) to \(last)" }
  var exampleLabel: String { "example" }
  var examplePage: String { "its page" }
  var stack: String { "Stack of the example" }
  var kind: String { "Kind" }
  var app: String { "App" }
  var all: String { "all" }
  var newestFirst: String { "By last day, the latest first" }
  func example(_ input: String) -> String { "for example \(input)" }
  var signature: String { "signature" }
  var noSignature: String { "no signature: the app's functions have no names; add the debug files" }
  var versions: String { "Versions" }
  var systems: String { "Systems" }
  var devices: String { "Devices" }
  var perDay: String { "Reports per day" }
  func perDays(_ count: Int) -> String { "Reports per \(count) days" }
  var otherLabel: String { "others" }
  func otherValues(_ count: Int) -> String { "others (\(count))" }
}
