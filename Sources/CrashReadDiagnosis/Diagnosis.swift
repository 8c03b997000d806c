public import CrashReadDebugInfo
public import CrashReadSymbolication

/// What happened, where, and which crash it is.
public struct Diagnosis: Sendable {
  /// The report and all that was resolved of it.
  public var symbolicated: SymbolicatedReport
  /// What happened and why.
  public var explanation: Explanation
  /// The report's numbers and names taken apart: exception, codes, processor state, termination.
  public var decoded: [DecodedCode]
  /// The frame to look at first; nil when there is none to name.
  public var blamed: BlamedFrame?
  /// The id of the contract that was broken: what an API demands of its caller; nil when none is known.
  public var contract: String?
  /// The frame of the API that raised the exception or stopped the program; nil when none is known, or the app did.
  public var raisedBy: FrameReference?
  /// A text that is the same for the same crash.
  public var signature: String?
  /// How the verdict was reached.
  package var reasoning: Reasoning
  /// Variables where the crashed thread stopped and in the blamed frame, as far as debug files name them.
  public var variables: [FrameVariables] = []
  /// Which member of what the fault address is; nil when no variable accounts for it.
  public var faultStatement: FaultStatement?
  /// The test in which the program crashed, told by its framework's frames; nil when it was in none.
  public var crashingTest: TestName?
  /// The language of the explanation.
  public var language = Language.english

  /// Puts a verdict beside its report.
  package init(
    symbolicated: SymbolicatedReport, explanation: Explanation, decoded: [DecodedCode] = [],
    blamed: BlamedFrame?, signature: String?, reasoning: Reasoning = Reasoning()
  ) {
    self.symbolicated = symbolicated
    self.explanation = explanation
    self.decoded = decoded
    self.blamed = blamed
    self.signature = signature
    self.reasoning = reasoning
  }
}

extension Diagnosis {
  /// The app's frame that called the API which stopped the program; nil when no API is known, or nothing of the app's
  /// called it.
  public var calledFrom: BlamedFrame? {
    guard let raisedBy, let blamed, blamed.backtrace == raisedBy.backtrace, blamed.frame > raisedBy.frame
    else {
      return nil
    }
    return blamed
  }

  /// The variables of a thread's frames, by the frame's index and then by location; nil for the exception backtrace.
  public func variables(ofThread thread: Int?) -> [Int: [[Variable]]] {
    let own = variables.filter { $0.thread == thread }
    return Dictionary(own.map { ($0.frame, $0.locations) }) { first, _ in first }
  }

  /// The resolved frame that is blamed; nil when the indices name none.
  public func frame(_ blamed: BlamedFrame) -> ResolvedFrame? {
    let frames = symbolicated.frames(of: blamed.backtrace)
    return frames.indices.contains(blamed.frame) ? frames[blamed.frame] : nil
  }
}

extension SymbolicatedReport {
  /// The frames of a backtrace; empty when the index names none.
  package func frames(of backtrace: BacktraceReference) -> [ResolvedFrame] {
    switch backtrace {
    case .thread(let index): threads.indices.contains(index) ? threads[index] : []
    case .lastException: lastExceptionBacktrace
    case .applicationSpecific(let index):
      applicationSpecificBacktraces.indices.contains(index) ? applicationSpecificBacktraces[index] : []
    }
  }
}

/// How sure a statement is; raw values are those of the JSON output.
public enum Confidence: String, Sendable, Hashable {
  /// Decoded from bits, or stated literally.
  case certain
  /// One strong sign.
  case likely
  /// A pattern.
  case hint
}

/// What happened, in words.
public struct Explanation: Sendable, Hashable {
  /// The id of the rule that matched; nil when none did.
  public var rule: String?
  /// One line without a full stop: what happened.
  public var title: String
  /// One to three sentences: what that means.
  public var text: String
  /// How sure it is.
  public var confidence: Confidence
  /// What in the report or the debug files says so.
  public var evidence: [Evidence]
  /// What to do next.
  public var advice: [String]
  /// Links to what the explanation rests on.
  public var sources: [String]
  /// Further statements, each with a confidence of its own.
  public var findings: [Finding] = []

  /// An explanation.
  package init(
    rule: String?, title: String, text: String, confidence: Confidence, evidence: [Evidence],
    advice: [String],
    sources: [String] = []
  ) {
    self.rule = rule
    self.title = title
    self.text = text
    self.confidence = confidence
    self.evidence = evidence
    self.advice = advice
    self.sources = sources
  }
}

/// A further statement about the crash, beside its explanation.
public struct Finding: Sendable, Hashable {
  /// The id of the rule that made it.
  public var rule: String
  /// One or two sentences.
  public var text: String
  /// How sure it is.
  public var confidence: Confidence
  /// What in the report or the debug files says so.
  public var evidence: [Evidence]

  /// A statement.
  package init(rule: String, text: String, confidence: Confidence, evidence: [Evidence]) {
    self.rule = rule
    self.text = text
    self.confidence = confidence
    self.evidence = evidence
  }
}

/// The frame to look at first.
public struct BlamedFrame: Sendable, Hashable {
  /// The thread, as an index into the report's threads; nil for a backtrace that stands by itself.
  public var thread: Int?
  /// The application specific backtrace, as an index into the report's; nil for the exception backtrace, or a thread.
  public var applicationBacktrace: Int?
  /// The frame, as an index into that thread's resolved frames.
  public var frame: Int
  /// The location inside the frame, as an index into its `locations`; nil when it has none.
  public var location: Int?

  /// Points at a frame.
  package init(thread: Int?, frame: Int, location: Int?) {
    self.thread = thread
    self.frame = frame
    self.location = location
  }
}

extension BlamedFrame {
  /// The backtrace it is in.
  package var backtrace: BacktraceReference {
    if let thread { return .thread(thread) }
    return applicationBacktrace.map { .applicationSpecific($0) } ?? .lastException
  }

  /// Points at a frame as a whole.
  package init(_ reference: FrameReference) {
    self.init(reference.backtrace, frame: reference.frame, location: nil)
  }

  init(_ backtrace: BacktraceReference, frame: Int, location: Int?) {
    self.init(thread: nil, frame: frame, location: location)
    switch backtrace {
    case .lastException: break
    case .applicationSpecific(let index): applicationBacktrace = index
    case .thread(let index): thread = index
    }
  }
}
