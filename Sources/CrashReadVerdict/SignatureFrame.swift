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
    /// Every program or thread begins there, so it doesn't distinguish crashes.
    case entryPoint
    /// Its function is in the signature already.
    case repeated
    /// The stack overflowed, and the frame is not part of the recursion that filled it.
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
