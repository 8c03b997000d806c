/// How the verdict was reached: the rules and frames that were considered and rejected.
package struct Reasoning: Sendable, Hashable {
  /// Rules of higher priority than the one that matched that hold in part, in their order.
  package var rejected: [RejectedRule]
  /// Frames before the blamed one, innermost first; all frames examined when none is blamed.
  package var skipped: [SkippedFrame]
  /// Frames examined for the signature, in its order, each with the rule that applied.
  package var signature: [SignatureFrame]

  /// Reasoning with the given parts, by default empty.
  package init(
    rejected: [RejectedRule] = [], skipped: [SkippedFrame] = [], signature: [SignatureFrame] = []
  ) {
    self.rejected = rejected
    self.skipped = skipped
    self.signature = signature
  }
}

/// A rule of which some conditions held, but not all.
package struct RejectedRule: Sendable, Hashable {
  /// The rule's id.
  package var rule: String
  /// The first condition that didn't hold, by its key in `rules.json`.
  package var condition: String

  /// A rule and its missing condition.
  package init(rule: String, condition: String) {
    self.rule = rule
    self.condition = condition
  }
}

/// A frame that was skipped when looking for the one to blame.
package struct SkippedFrame: Sendable, Hashable {
  /// Why a frame isn't blamed; raw values are those of the JSON output.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// It belongs to the system or a runtime, or to no image.
    case notApp
    /// It stops the program or reports an error; the bug is never there.
    case machinery
    /// The compiler inserted it between a caller and its callee.
    case thunk
    /// The compiler synthesized it; it has no source line.
    case generated
    /// It comes from a header of the system or of the toolchain, as the standard library's templates do.
    case libraryCode
    /// The debug file has the actual inlined calls.
    case superseded
    /// The program jumped to a bad address: the caller is to be examined.
    case badJump
  }

  /// The backtrace and its position there.
  package var frame: BlamedFrame
  /// Why it was skipped.
  package var reason: Reason

  /// A frame and why it was skipped.
  package init(frame: BlamedFrame, reason: Reason) {
    self.frame = frame
    self.reason = reason
  }
}

/// The role of a frame in the signature.
package struct SignatureFrame: Sendable, Hashable {
  /// The rule that applies to a frame; raw values are those of the JSON output.
  package enum Use: String, Sendable, Hashable, CaseIterable {
    /// Its function is part of the signature.
    case used
    /// An inlined call: device reports don't list them, and inlining varies between optimisers.
    case inlined
    /// The report's backtrace lacks it; only a debug file shows that it belongs there.
    case recovered
    /// It belongs to the system or a runtime, or to no image, and the app has named functions of its own.
    case notApp
    /// It stops the program or reports an error, whatever went wrong.
    case machinery
    /// The compiler inserted it between a caller and its callee.
    case thunk
    /// Standard library code compiled into the app.
    case libraryCode
    /// It belongs to the app, but its function has no name.
    case unnamed
    /// Every program or thread starts in it, so it doesn't distinguish crashes.
    case entryPoint
    /// Its function is in the signature already.
    case repeated
    /// The stack overflowed, and the frame isn't part of the recursion that filled it.
    case besideRecursion
  }

  /// The backtrace and its position there.
  package var frame: BlamedFrame
  /// The function as the signature has it, or would have it; nil when it has no name.
  package var function: String?
  /// The rule that applies.
  package var use: Use

  /// A frame and the rule that applies to it.
  package init(frame: BlamedFrame, function: String?, use: Use) {
    self.frame = frame
    self.function = function
    self.use = use
  }
}
