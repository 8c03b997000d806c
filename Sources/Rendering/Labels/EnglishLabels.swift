internal import CrashDiagnosis
internal import CrashReports
internal import Symbolication

struct EnglishLabels: Labels {
  func happened(_ kind: ReportKind) -> String {
    switch kind {
    case .crash: "crashed"
    case .hang: "hung"
    case .resource: "exceeded a resource limit"
    case .jetsam: "was ended to free memory"
    case .panic: "panicked"
    case .sample: "was sampled"
    case .other: "left a report"
    }
  }

  let unknownProcess = "A process"
  let inFunction = "in"
  let atPlace = "at"
  let why = "Why"
  let evidence = "Evidence"
  let sure = "Sure"
  let next = "Next"
  let inlined = "inlined"
  let noLine = "no line"
  let recovered = "not in the report's backtrace; taken from the link register"
  let guess = "a guess: the debug file's identity is not proven"
  let byFileNameOnly = "found by its file name alone"
  let noFrames = "no frames"
  let omitted = "… frames left out by the reporter"
  let truncated = "… the reporter stopped here"
  let exceptionBacktrace = "Exception backtrace (where the exception was thrown)"
  let missing = "Missing debug files"
  let noCrashedThread = "The report names no crashed thread."

  func sureness(_ confidence: Confidence) -> String { confidence.rawValue }

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

  func otherThreads(_ count: Int) -> String {
    count == 1
      ? "1 other thread is not shown; --all-threads shows it."
      : "\(count) other threads are not shown; --all-threads shows them."
  }

  func wanted(_ id: String, _ architecture: String?) -> String {
    "wanted: \(id)" + (architecture.map { " (\($0))" } ?? "")
  }

  func given(_ path: String, _ id: String?) -> String { "given:  \(path) has \(id ?? "no identity")" }

  func unusable(_ path: String, _ message: String) -> String { "given:  \(path): \(message)" }

  func advice(_ status: ImageStatus, hasIdentity: Bool) -> String {
    switch status {
    case .identityMismatch:
      "This is another build's debug file. Every build has its own: take it from the archive of the build that crashed."
    case .unusable: "Take a fresh copy of the debug file."
    case .matched, .missing, .notSearched:
      hasIdentity
        ? "Give the dSYM or .debug file with this identity as a further argument; its name doesn't matter."
        : "The report states no identity for it: give its dSYM or .debug file by the same name."
    }
  }

  func systemFrames(_ count: Int) -> String {
    let frames = count == 1 ? "1 frame of the system has" : "\(count) frames of the system have"
    return "\(frames) no name: the report states none, and no debug file for them is at hand."
  }
}
