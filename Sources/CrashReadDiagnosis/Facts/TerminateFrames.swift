internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The frames of the C++ runtime that end a program because of an uncaught exception.
///
/// libc++abi's `std::terminate` calls the handler that libobjc has installed, `_objc_terminate`, or one that a crash
/// reporter had installed before; both end in libc++abi's `abort_message`. So libobjc between frames of libc++abi
/// identifies them even without function names: before an `abort`, libc++abi calls libobjc for nothing else.
struct TerminateFrames {
  /// The index of the outermost of these frames.
  let outermost: Int

  /// The maximum depth of these frames. Crash reporters add frames of their own, and a signal handler adds those of
  /// another `abort`.
  private static let maximumDepth = 48

  /// Finds them; nil when there are none.
  init?(_ frames: [ResolvedFrame], images: [BinaryImage], _ knowledge: Knowledge) {
    let near = frames.prefix(Self.maximumDepth)
    let named = near.lastIndex { $0.hasFunction(in: knowledge.roles.terminators) }
    guard let found = named ?? Self.byLibraries(near.map { $0.imageName(images) }) else { return nil }
    outermost = found
  }

  private static func byLibraries(_ names: [String?]) -> Int? {
    var found: Int?
    var sawRuntime = false
    var sawHandler = false
    for (index, name) in names.enumerated() {
      switch name {
      case "libc++abi.dylib":
        if sawRuntime, sawHandler { found = index }
        sawRuntime = true
      case "libobjc.A.dylib":
        // The frames below those that end the program are those that threw.
        if found != nil { return found }
        if sawRuntime { sawHandler = true }
      default:
        if found != nil { return found }
      }
    }
    return found
  }
}

extension [ResolvedFrame] {
  /// The number of innermost frames that ran before an exception was thrown.
  ///
  /// `objc_exception_throw` calls the preprocessor of exceptions first. Any library can set one, which calls the one before
  /// it, and Core Foundation's records the backtrace (objc4, runtime/objc-exception.mm, `objc_setExceptionPreprocessor`).
  var preprocessorCount: Int {
    guard first?.hasFunction(where: { $0 == "__exceptionPreprocess" }) ?? false else { return 0 }
    let throwing = prefix(Self.maximumPreprocessors).firstIndex {
      $0.hasFunction { $0 == "objc_exception_throw" }
    }
    return throwing ?? 0
  }

  private static var maximumPreprocessors: Int { 12 }
}

extension ResolvedFrame {
  /// The image's name, which some reporters state only in their list of images.
  fileprivate func imageName(_ images: [BinaryImage]) -> String? {
    captured.imageName ?? image.flatMap { images.indices.contains($0) ? images[$0].name : nil }
  }
}

extension CrashFacts {
  /// Adds what ended the program, if unnamed frames on the stack show it.
  mutating func addTerminate(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread),
      let found = TerminateFrames(
        symbolicated.threads[thread], images: symbolicated.report.images, knowledge)
    else { return }
    let frame = symbolicated.threads[thread][found.outermost]
    let name = frame.functionNames.first ?? frame.imageName(symbolicated.report.images) ?? ""
    let evidence = Evidence(.frame(found.outermost, ofThread: thread), name)
    add(.stopper, "terminate", evidence)
    // An excerpt that doesn't say how the program ended, nor by names: it was the handler's `abort`.
    if isEndUnstated, has(.kind, "crash"), frame.functionNames.isEmpty {
      add(.exception, "SIGABRT", evidence)
    }
  }

  /// Adds that the handler of uncaught exceptions threw one itself: what throws is further in than what calls the handler.
  mutating func addHandlerThrow(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    let frames = symbolicated.threads[thread]
    guard
      let thrown = frames.firstIndex(where: {
        $0.hasFunction { $0 == "objc_exception_throw" || $0 == "__cxa_throw" }
      }),
      frames[thrown...].contains(where: { $0.hasFunction(where: Self.callsHandler) })
    else { return }
    let name = frames[thrown].functionNames.first ?? ""
    add(.stopper, "handlerThrew", Evidence(.frame(thrown, ofThread: thread), name))
  }

  /// Adds that the unwinder faulted below what threw an exception, for which it was looking for a handler.
  mutating func addUnwinding(_ symbolicated: SymbolicatedReport) {
    guard isMemoryFault, let thread = symbolicated.report.crashedThread,
      symbolicated.threads.indices.contains(thread), case let frames = symbolicated.threads[thread],
      let first = frames.first, first.hasFunction(where: Self.unwinds),
      frames.prefix(Self.maximumUnwinding).contains(where: {
        $0.hasFunction { $0 == "objc_exception_throw" || $0 == "__cxa_throw" || $0 == "__cxa_rethrow" }
      })
    else { return }
    add(.stopper, "unwinding", Evidence(.frame(0, ofThread: thread), first.functionNames.first ?? ""))
  }

  /// The maximum number of the unwinder's frames and of those that throw.
  private static let maximumUnwinding = 8

  /// Whether a function is one with which libunwind walks the stack for an exception (llvm-project, libunwind/src/UnwindLevel1.c).
  private static func unwinds(_ function: String) -> Bool {
    [
      "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_ForcedUnwind", "unwind_phase2", "libunwind::",
      "unw_step",
    ]
    .contains(where: function.hasPrefix)
  }

  /// Whether a function calls the handler of uncaught exceptions (NSSetUncaughtExceptionHandler, std::set_terminate).
  private static func callsHandler(_ function: String) -> Bool {
    ["__handleUncaughtException", "_objc_terminate", "std::__terminate", "std::terminate"].contains(
      where: function.hasPrefix)
  }
}
