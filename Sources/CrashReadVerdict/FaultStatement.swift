public import CrashReadDebugInfo

/// The access that failed: which member, through which pointer.
public struct FaultStatement: Sendable, Hashable {
  /// The statement in words: `node->length (offset 24 of struct node) read through node = nil (list.h:12)`.
  public var text: String
  /// The confidence.
  public var confidence: Confidence
  /// The supporting facts in the report and the debug file.
  public var evidence: [Evidence]
  /// The members that may have been accessed; more than one if several fit.
  public var members: [FaultMember]

  /// A statement and what it is based on.
  package init(
    text: String, confidence: Confidence, evidence: [Evidence], members: [FaultMember]
  ) {
    self.text = text
    self.confidence = confidence
    self.evidence = evidence
    self.members = members
  }
}

/// The variables of one frame.
public struct FrameVariables: Sendable, Hashable {
  /// The thread, as an index into the report's threads; nil for the exception backtrace.
  public var thread: Int?
  /// The frame, as an index into that thread's resolved frames.
  public var frame: Int
  /// The variables of each of the frame's `locations`.
  public var locations: [[Variable]]

  /// The frame itself.
  package var reference: FrameReference {
    FrameReference(thread.map { .thread($0) } ?? .lastException, frame)
  }

  /// The variables of a frame.
  package init(
    thread: Int?, frame: Int, locations: [[Variable]]
  ) {
    self.thread = thread
    self.frame = frame
    self.locations = locations
  }
}
