public import CrashReadDebugInfo
public import CrashReadSymbolication

/// What happened, where, and which crash it is.
public struct Diagnosis: Sendable {
  /// The report with its resolved frames.
  public var symbolicated: SymbolicatedReport
  /// What happened and why.
  public var explanation: Explanation
  /// The report's decoded numbers and names: exception, codes, processor state, termination.
  public var decoded: [DecodedCode]
  /// The blamed frame; nil when there is none.
  public var blamed: BlamedFrame? { didSet { if blamed == nil { blameConfidence = nil } } }
  /// How certain it is that the blamed frame is the developer's own code; nil when no frame is blamed.
  ///
  /// `certain` with a source line, unless that is a dependency's; `hint` if it is the system's, or if another frame
  /// further out is more probably the app's own.
  public package(set) var blameConfidence: Confidence?
  /// The location stated by the program's own message, if it is in the blamed frame; nil when there is none.
  package var statedLocation: SourceLocation?
  /// The function that contains the blamed closure, if debug files have no line for the closure itself; its location is
  /// the function's first line.
  package var enclosingFunction: SourceFrame?
  /// The id of the broken contract: what an API requires of its caller; nil when unknown.
  public var contract: String?
  /// The frame of the API that raised the exception or stopped the program; nil when unknown, or when the app did.
  public var raisedBy: FrameReference?
  /// A text that is equal for equal crashes.
  public var signature: String?
  /// How the verdict was reached.
  package var reasoning: Reasoning
  /// Variables of the frame where the crashed thread stopped and of the blamed one, from debug files.
  public var variables: [FrameVariables] = []
  /// The member at the fault address; nil when no variable explains it.
  public var faultStatement: FaultStatement?
  /// The instruction at the program counter; nil when the report quotes none.
  public var instruction: InstructionStatement?
  /// The test in which the program crashed, recognised by its framework's frames; nil when it was in none.
  public var crashingTest: TestName?
  /// The language of the explanation.
  public var language = Language.english

  /// A verdict and its report.
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
  /// The app's frame that called the API that stopped the program; nil when no API is known, or the app didn't call it.
  public var calledFrom: BlamedFrame? {
    guard let raisedBy, let blamed, blamed.backtrace == raisedBy.backtrace, blamed.frame > raisedBy.frame
    else {
      return nil
    }
    return blamed
  }

  /// The variables of a thread's frames, by the index of the frame and then of the location; nil for the exception
  /// backtrace.
  public func variables(ofThread thread: Int?) -> [Int: [[Variable]]] {
    let own = variables.filter { $0.thread == thread }
    return Dictionary(own.map { ($0.frame, $0.locations) }) { first, _ in first }
  }

  /// The resolved blamed frame; nil when the indices are invalid.
  public func frame(_ blamed: BlamedFrame) -> ResolvedFrame? {
    let frames = symbolicated.frames(of: blamed.backtrace)
    return frames.indices.contains(blamed.frame) ? frames[blamed.frame] : nil
  }
}

extension SymbolicatedReport {
  /// The frames of a backtrace; empty when the indices are invalid.
  package func frames(of backtrace: BacktraceReference) -> [ResolvedFrame] {
    switch backtrace {
    case .thread(let index): threads.indices.contains(index) ? threads[index] : []
    case .lastException: lastExceptionBacktrace
    case .applicationSpecific(let index):
      applicationSpecificBacktraces.indices.contains(index) ? applicationSpecificBacktraces[index] : []
    }
  }
}

/// The confidence of a statement; raw values are those of the JSON output.
public enum Confidence: String, Sendable, Hashable {
  /// Decoded from bits, or stated literally by the report.
  case certain
  /// Based on one strong indication.
  case likely
  /// Based on a pattern that can have other causes.
  case hint
}

/// The explanation of a crash, in words.
public struct Explanation: Sendable, Hashable {
  /// The id of the matching rule; nil when none did.
  public var rule: String?
  /// One line without a full stop: what happened.
  public var title: String
  /// One to three sentences that explain it.
  public var text: String
  /// The confidence.
  public var confidence: Confidence
  /// The supporting facts in the report or the debug files.
  public var evidence: [Evidence]
  /// What to do next.
  public var advice: [String]
  /// Links to the sources of the explanation.
  public var sources: [String]
  /// Further findings, each with its own confidence.
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

/// A further finding about the crash, beside its explanation.
public struct Finding: Sendable, Hashable {
  /// The id of the rule that made it.
  public var rule: String
  /// One or two sentences.
  public var text: String
  /// The confidence.
  public var confidence: Confidence
  /// The supporting facts in the report or the debug files.
  public var evidence: [Evidence]

  /// A statement.
  package init(rule: String, text: String, confidence: Confidence, evidence: [Evidence]) {
    self.rule = rule
    self.text = text
    self.confidence = confidence
    self.evidence = evidence
  }
}

/// The blamed frame.
public struct BlamedFrame: Sendable, Hashable {
  /// The backtrace that contains it.
  public var backtrace: BacktraceReference
  /// The frame, as an index into that backtrace's resolved frames.
  public var frame: Int
  /// The location inside the frame, as an index into its `locations`; nil when it has none.
  public var location: Int?

  /// A frame, or one of the functions in it.
  package init(_ backtrace: BacktraceReference, frame: Int, location: Int? = nil) {
    self.backtrace = backtrace
    self.frame = frame
    self.location = location
  }

  /// A frame as a whole.
  package init(_ reference: FrameReference) { self.init(reference.backtrace, frame: reference.frame) }

  /// The thread, as an index into the report's threads; nil for a backtrace that belongs to none.
  public var thread: Int? { if case .thread(let index) = backtrace { index } else { nil } }
}
