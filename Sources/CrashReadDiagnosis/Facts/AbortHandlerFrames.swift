internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The frames of a signal handler that ran because the program had sent itself a signal, as `abort` does.
///
/// The kernel calls handlers through `_sigtramp`. If the interrupted function sends signals, the program was already
/// ending, and what the handler did came second.
struct AbortHandlerFrames {
  /// The index of the trampoline's frame.
  let outermost: Int

  /// The maximum depth at which a handler is called.
  private static let maximumDepth = 24

  /// Finds them; nil when there are none.
  init?(_ frames: [ResolvedFrame], _ knowledge: Knowledge) {
    guard let trampoline = Self.trampoline(in: frames),
      frames[trampoline + 1].hasFunction(in: knowledge.roles.signalSenders)
    else { return nil }
    outermost = trampoline
  }

  /// The frame through which the kernel called a handler, if the function that it interrupted is known.
  fileprivate static func trampoline(in frames: [ResolvedFrame]) -> Int? {
    frames.dropLast().prefix(maximumDepth).lastIndex(where: \.isSignalTrampoline)
  }
}

extension ResolvedFrame {
  /// Whether the kernel called a handler of signals here: the functions further out were interrupted, and called nothing.
  var isSignalTrampoline: Bool { hasFunction { $0 == "_sigtramp" } }
}

extension CrashFacts {
  /// Adds that the program was ending with a signal of its own when a handler for that signal ran, that it sent itself
  /// a signal, or that a handler of a fault did: then the exception is the fault's, with the kernel's code, and the signal
  /// is SIGABRT or the fault's once more.
  mutating func addAbortHandler(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    if let frame = symbolicated.threads[thread].first, frame.hasFunction(in: knowledge.roles.signalSenders) {
      let isFault =
        isMemoryFault
        && (has(.exception, "SIGABRT") || has(.exception, "EXC_BAD_ACCESS") && words[.code] != nil)
      let sender = frame.functionNames.first ?? ""
      add(.stopper, isFault ? "handler" : "raised", Evidence(.frame(0, ofThread: thread), sender))
    }
    guard let handler = AbortHandlerFrames(symbolicated.threads[thread], knowledge) else { return }
    let sender = symbolicated.threads[thread][handler.outermost + 1].functionNames.first ?? ""
    add(.stopper, "abort", Evidence(.frame(handler.outermost + 1, ofThread: thread), sender))
  }

  /// Adds that a signal handler threw the exception: what the signal interrupted failed first.
  mutating func addHandlerException(_ symbolicated: SymbolicatedReport) {
    guard let trampoline = AbortHandlerFrames.trampoline(in: symbolicated.lastExceptionBacktrace) else {
      return
    }
    add(.stopper, "interrupted", Evidence(.frame(FrameReference(.lastException, trampoline)), "_sigtramp"))
  }
}
