internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A report in the terms that trackers share: an error with a class, a message and a backtrace, in an app on a system.
struct TrackedCrash {
  private let diagnosis: Diagnosis
  private var symbolicated: SymbolicatedReport { diagnosis.symbolicated }
  private var report: CrashReport { symbolicated.report }

  init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }

  /// The uncaught exception's name, else the Mach exception or the signal.
  var errorClass: String {
    let exception = report.exception
    return report.uncaughtException?.name ?? exception?.type ?? exception?.signal ?? report.kind.rawValue
  }

  /// The exception's reason, else the headline.
  var message: String { report.uncaughtException?.reason ?? diagnosis.explanation.title }

  /// Whether it stopped the program or the system.
  var isUnhandled: Bool { [.crash, .hang, .panic].contains(report.kind) }

  /// The index of the thread to which the error's backtrace belongs; nil for none.
  var owner: Int? { report.principalThread }

  /// The frames that trackers show and group by: where the exception was thrown, otherwise where the program stopped.
  var frames: [ResolvedFrame] {
    if hasExceptionBacktrace { return symbolicated.lastExceptionBacktrace }
    return owner.map { symbolicated.threads[$0] } ?? []
  }

  /// Whether `frames` are those of the exception rather than of the thread.
  var hasExceptionBacktrace: Bool { !symbolicated.lastExceptionBacktrace.isEmpty }

  /// `iPhone OS 18.1 (22B83)` split into its parts.
  var system: (name: String?, version: String?, build: String?) {
    guard let text = report.header.osVersion else { return (nil, nil, nil) }
    let parts = text.split(separator: "(", maxSplits: 1)
    let words = (parts.first ?? "").split(separator: " ")
    let numbers = words.drop { $0.first?.isNumber != true }
    let name = words.dropLast(numbers.count).joined(separator: " ")
    let build = parts.count == 2 ? String(parts[1].prefix { $0 != ")" }) : nil
    return (name.isEmpty ? text : name, numbers.isEmpty ? nil : numbers.joined(separator: " "), build)
  }

  /// The path of a frame's image, or else its name; nil when the report states neither.
  func imagePath(of frame: ResolvedFrame) -> String? {
    let image = frame.image.map { report.images[$0] }
    return image?.path ?? image?.name ?? frame.captured.imageName
  }

  /// The last component of that path.
  func imageName(of frame: ResolvedFrame) -> String? {
    imagePath(of: frame).map { path in path.split(separator: "/").last.map(String.init) ?? path }
  }
}

/// Writes the verdict in words, for readers of the event.
func writeVerdict(of analysis: ReportAnalysis, to json: inout JSONWriter) {
  let diagnosis = analysis.diagnosis
  let text = EvidenceText(diagnosis: diagnosis, labels: labels(in: diagnosis.language))
  json.field("explanation", diagnosis.explanation.text)
  json.strings("evidence", diagnosis.explanation.evidence.map(text.line))
  json.strings("advice", diagnosis.explanation.advice)
  json.field("blamed", diagnosis.blamedName)
  json.field("place", diagnosis.blamedLocation?.description)
  if let blame = analysis.blame { json.object("blame") { writeBlame(blame, to: &$0) } }
}
