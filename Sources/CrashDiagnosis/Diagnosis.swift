public import Symbolication

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
  /// A text that is the same for the same crash.
  public var signature: String?

  /// Puts a verdict beside its report.
  public init(
    symbolicated: SymbolicatedReport, explanation: Explanation, decoded: [DecodedCode] = [],
    blamed: BlamedFrame?, signature: String?
  ) {
    self.symbolicated = symbolicated
    self.explanation = explanation
    self.decoded = decoded
    self.blamed = blamed
    self.signature = signature
  }
}

extension Diagnosis {
  /// The resolved frame that is blamed; nil when the indices name none.
  public func frame(_ blamed: BlamedFrame) -> ResolvedFrame? {
    let frames =
      if let thread = blamed.thread {
        symbolicated.threads.indices.contains(thread) ? symbolicated.threads[thread] : []
      } else {
        symbolicated.lastExceptionBacktrace
      }
    return frames.indices.contains(blamed.frame) ? frames[blamed.frame] : nil
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
  public var evidence: [String]
  /// What to do next.
  public var advice: [String]
  /// Links to what the explanation rests on.
  public var sources: [String]

  /// An explanation.
  public init(
    rule: String?, title: String, text: String, confidence: Confidence, evidence: [String], advice: [String],
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

/// The frame to look at first.
public struct BlamedFrame: Sendable, Hashable {
  /// The thread, as an index into the report's threads; nil for the exception backtrace.
  public var thread: Int?
  /// The frame, as an index into that thread's resolved frames.
  public var frame: Int
  /// The location inside the frame, as an index into its `locations`; nil when it has none.
  public var location: Int?

  /// Points at a frame.
  public init(thread: Int?, frame: Int, location: Int?) {
    self.thread = thread
    self.frame = frame
    self.location = location
  }
}
