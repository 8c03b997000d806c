/// How the verdict was reached: what was looked at and not taken.
package struct Reasoning: Sendable, Hashable {
  /// Rules that come before the one that matched and hold in part, in their order.
  package var rejected: [RejectedRule]
  /// Frames that come before the blamed one, innermost first; all frames looked at when none is blamed.
  package var skipped: [SkippedFrame]
  /// Frames looked at for the signature, in its order, each with the rule that held for it.
  package var signature: [SignatureFrame]

  /// Nothing was looked at.
  package init(
    rejected: [RejectedRule] = [], skipped: [SkippedFrame] = [], signature: [SignatureFrame] = []
  ) {
    self.rejected = rejected
    self.skipped = skipped
    self.signature = signature
  }
}

/// A rule of which something held, but not all.
package struct RejectedRule: Sendable, Hashable {
  /// The rule's id.
  package var rule: String
  /// The first condition that didn't hold, by its key in `rules.json`.
  package var condition: String

  /// A rule and what it lacks.
  package init(rule: String, condition: String) {
    self.rule = rule
    self.condition = condition
  }
}

/// A frame that was passed over when looking for the one to blame.
package struct SkippedFrame: Sendable, Hashable {
  /// Why a frame isn't the one to look at; raw values are those of the JSON output.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// It belongs to the system or a runtime, or to no image.
    case notApp
    /// It stops the program or reports an error, and never holds the mistake.
    case machinery
    /// The compiler put it between a caller and its callee.
    case thunk
    /// The compiler made it up; it has no line that a person wrote.
    case generated
    /// It comes from a header of the system or of the toolchain, as the standard library's templates do.
    case libraryCode
    /// The debug file knows better which calls were inlined there.
    case superseded
    /// The program jumped there by mistake: the caller is the one to look at.
    case badJump
  }

  /// The backtrace it is in, and its position there.
  package var frame: BlamedFrame
  /// Why it was passed over.
  package var reason: Reason

  /// A frame and why it was passed over.
  package init(frame: BlamedFrame, reason: Reason) {
    self.frame = frame
    self.reason = reason
  }
}
