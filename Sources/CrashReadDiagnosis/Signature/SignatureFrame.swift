/// What a frame has to do with the signature.
package struct SignatureFrame: Sendable, Hashable {
  /// The rule that holds for a frame; raw values are those of the JSON output.
  package enum Use: String, Sendable, Hashable, CaseIterable {
    /// Its function is part of the signature.
    case used
    /// An inlined call: reports made on devices don't list them, and every optimiser inlines as it likes.
    case inlined
    /// The report's backtrace lacks it; only a debug file tells that it belongs there.
    case recovered
    /// It belongs to the system or a runtime, or to no image, and the app has functions of its own to name.
    case notApp
    /// It stops the program or reports an error, whatever went wrong.
    case machinery
    /// The compiler put it between a caller and its callee.
    case thunk
    /// Code of the standard library that was compiled into the app.
    case libraryCode
    /// The app's, but nothing names its function.
    case unnamed
    /// Every program or thread begins there: it tells no crash from another.
    case entryPoint
    /// Its function is in the signature already.
    case repeated
    /// The stack overflowed, and the frame is not part of the recursion that filled it.
    case besideRecursion
  }

  /// The backtrace it is in, and its position there.
  package var frame: BlamedFrame
  /// The function as the signature has it, or would have it; nil when nothing names it.
  package var function: String?
  /// The rule.
  package var use: Use

  /// A frame and the rule that holds for it.
  package init(frame: BlamedFrame, function: String?, use: Use) {
    self.frame = frame
    self.function = function
    self.use = use
  }
}
