internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The frames of a signal handler that ran because the program had sent itself a signal, as `abort` does.
///
/// The kernel calls handlers through `_sigtramp`. If the interrupted function sends signals, the program was already
/// ending, and what the handler did came second.
struct AbortHandlerFrames {
  /// The index of the trampoline's frame, or of one without a name below it.
  let outermost: Int

  /// The maximum depth at which a handler is called.
  private static let maximumDepth = 24

  /// Finds them; nil when there are none.
  init?(_ frames: [ResolvedFrame], _ knowledge: Knowledge) {
    guard let trampoline = Self.trampoline(in: frames) else { return nil }
    // A sanitizer's walk finds an address of the handler's own frame between the two.
    let below = frames[(trampoline + 1)...].prefix(2)
    guard let sender = below.firstIndex(where: { !$0.functionNames.isEmpty }),
      frames[sender].hasFunction(in: knowledge.roles.signalSenders)
    else { return nil }
    outermost = sender - 1
  }

  /// The index of the trampoline of a handler that ended the program with a signal of its own, because of a fault in the
  /// function below; nil if that function sends signals or stops programs itself, or no handler ran.
  static func afterFault(_ frames: [ResolvedFrame], _ knowledge: Knowledge) -> Int? {
    guard let first = frames.first, first.hasFunction(in: knowledge.roles.signalSenders),
      let trampoline = trampoline(in: frames), case let frame = frames[trampoline + 1],
      !frame.functionNames.isEmpty,
      frame.hasFunction(in: knowledge.roles.referenceCounting)
        || !frame.hasFunction(in: knowledge.roles.machinery)
    else { return nil }
    return trampoline
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
    let frames = symbolicated.threads[thread]
    if let frame = frames.first, frame.hasFunction(in: knowledge.roles.signalSenders) {
      let isFault =
        isStoppedByCPU && has(.exception, "SIGABRT")
        || isMemoryFault && has(.exception, "EXC_BAD_ACCESS") && words[.code] != nil
      let sender = frame.functionNames.first ?? ""
      add(.stopper, isFault ? "handler" : "raised", Evidence(.frame(0, ofThread: thread), sender))
      addInterrupted(symbolicated, thread, knowledge)
    }
    // Without frames, the two names tell it.
    if frames.isEmpty, isStoppedByCPU, symbolicated.report.exception?.signal == "SIGABRT" {
      add(.stopper, "handler", exceptionEvidence(symbolicated.report.exception))
    }
    guard let handler = AbortHandlerFrames(frames, knowledge) else { return }
    let sender = frames[handler.outermost + 1].functionNames.first ?? ""
    add(.stopper, "abort", Evidence(.frame(handler.outermost + 1, ofThread: thread), sender))
  }

  /// Adds what the handler that aborted had interrupted: malloc, which hadn't stopped the program itself, or a call of a null
  /// pointer. A handler's own walk along frame pointers finds 0 there as well, the system's doesn't.
  private mutating func addInterrupted(
    _ symbolicated: SymbolicatedReport, _ thread: Int, _ knowledge: Knowledge
  ) {
    let frames = symbolicated.threads[thread]
    guard let trampoline = AbortHandlerFrames.trampoline(in: frames) else { return }
    let frame = frames[trampoline + 1]
    let isSystems = [.appleText, .ips, .ipsText].contains(symbolicated.report.format)
    if isSystems, frame.captured.address?.rawValue == 0 {
      add(.stopper, "nullCall", Evidence(.frame(trampoline + 1, ofThread: thread), 0))
    }
    guard symbolicated.report.imageName(of: frame) == "libsystem_malloc.dylib",
      !frame.hasFunction(in: knowledge.roles.heapReporters)
    else { return }
    let function = frame.functionNames.first ?? "libsystem_malloc.dylib"
    add(.stopper, "allocator", Evidence(.frame(trampoline + 1, ofThread: thread), function))
  }

  /// Adds that a signal handler threw the exception: what the signal interrupted failed first.
  mutating func addHandlerException(_ symbolicated: SymbolicatedReport) {
    guard let trampoline = AbortHandlerFrames.trampoline(in: symbolicated.lastExceptionBacktrace) else {
      return
    }
    add(.stopper, "interrupted", Evidence(.frame(FrameReference(.lastException, trampoline)), "_sigtramp"))
  }
}
