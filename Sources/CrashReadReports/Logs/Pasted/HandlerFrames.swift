internal import CrashReadCore

extension Frame {
  /// Whether the function sends its own process a signal.
  fileprivate var sendsSignal: Bool {
    ["abort", "raise", "pthread_kill", "__pthread_kill"].contains(reportedSymbol)
  }
}

extension [Frame] {
  /// The maximum depth of the trampoline that called the printing handler.
  private static let maximumHandlerDepth = 6
  /// Ruby's handlers (signal.c), each of which is called for one signal.
  private static let handlers = ["sigsegv": "SIGSEGV", "sigbus": "SIGBUS", "sigill": "SIGILL"]

  private var rubyHandler: Int? {
    let index = prefix(Self.maximumHandlerDepth).firstIndex { frame in
      frame.reportedSymbol.map { Self.handlers[$0] != nil } ?? false
    }
    return index.flatMap { index in
      self[..<index].contains { $0.reportedSymbol?.hasPrefix("rb_bug") ?? false } ? index : nil
    }
  }

  /// The signal for which the handler at the top of the list was called; nil when it could be any.
  var handledSignal: String? {
    if let ruby = rubyHandler { return self[ruby].reportedSymbol.flatMap { Self.handlers[$0] } }
    let names = prefix(Self.maximumHandlerDepth).compactMap(\.reportedSymbol)
    for (handler, signal) in Self.monoHandlers where names.contains(where: { $0.hasPrefix(handler) }) {
      return signal
    }
    return nil
  }

  /// Mono's handlers (mono/mini/mini-runtime.c), possibly with `_debug`.
  private static let monoHandlers = [
    "mono_sigsegv_signal_handler": "SIGSEGV", "mono_sigill_signal_handler": "SIGILL",
    "mono_sigfpe_signal_handler": "SIGFPE",
  ]

  /// Whether one of the functions is that with which the kernel stops the system.
  var isPanic: Bool {
    contains {
      $0.reportedSymbol == "panic_trap_to_debugger"
        || ["mach_kernel", "kernel"].contains($0.imageName)
          && ["panic", "_panic"].contains($0.reportedSymbol)
    }
  }

  /// Drops what ran after `panic` was called: on Intel the kernel enters its debugger by a trap, whose functions are the
  /// same as those of a trap that leads to a panic.
  mutating func dropDebuggerTrap() {
    guard let panic = firstIndex(where: { ["panic", "_panic"].contains($0.reportedSymbol) }) else { return }
    removeFirst(panic)
  }

  /// Drops the signal handler that printed the stack, up to the kernel's trampoline.
  ///
  /// On devices the trampoline has no name. Below a handler it is the only function of its library, since others there
  /// call only the kernel. On Intel, a walk along frame pointers finds 0 below the trampoline, in place of the
  /// interrupted function. The trampoline stays where nothing else says that a signal came, such as a function that
  /// sends one.
  mutating func dropSignalHandler(keepsTrampoline: Bool = false) {
    let innermost = prefix(Self.maximumHandlerDepth)
    let named = innermost.firstIndex { $0.reportedSymbol == "_sigtramp" }
    let nameless = innermost.firstIndex { $0.imageName?.hasPrefix("libsystem_") ?? false }.flatMap { index in
      index > 0 && self[index].imageName == "libsystem_platform.dylib" && self[index].reportedSymbol == nil
        ? index : nil
    }
    // glibc's has no name either (`__restore_rt`); until version 2.34 it was in this library.
    let onLinux = innermost.indices.dropFirst().first {
      self[$0].imageName == "libpthread.so.0" && self[$0].reportedSymbol == nil
    }
    let afterHandler = rubyHandler.map { handler in
      handler + 1 < count && self[handler + 1].reportedSymbol == nil ? handler + 1 : handler
    }
    guard let trampoline = named ?? nameless ?? onLinux ?? afterHandler, trampoline + 1 < count else {
      return
    }
    let isWalked = trampoline + 2 < count && self[trampoline + 1].address?.rawValue == 0
    if isWalked { remove(at: trampoline + 1) }
    let isOnlySign = keepsTrampoline && trampoline == named && !self[trampoline + 1].sendsSignal
    removeFirst(trampoline + (isOnlySign ? 0 : 1))
  }

  /// Removes the additional underscore of C functions' linkage names, which some reporters print.
  mutating func stripUnderscores() {
    let marks: Set = [
      "___exceptionPreprocess", "_objc_exception_throw", "_mach_msg_trap", "_UIApplicationMain",
      "___ulock_wait", "___psynch_mutexwait", "___psynch_cvwait", "_semaphore_wait_trap",
      "__dispatch_client_callout", "__dispatch_sync_f_slow", "__dispatch_call_block_and_release",
      "__swift_release_dealloc", "_swift_arrayDestroy", "_objc_msgSend", "_objc_retain", "_objc_release",
    ]
    guard contains(where: { $0.reportedSymbol.map(marks.contains) ?? false }) else { return }
    for index in indices where self[index].reportedSymbol?.hasPrefix("_") == true {
      // A block's name begins with two underscores of its own: `__45-[Cart load]_block_invoke`.
      // Those of C++ have one, and types of Swift's library that people demangled.
      if self[index].reportedSymbol?.dropFirst(2).first?.isNumber == true { continue }
      if let name = self[index].reportedSymbol,
        name.hasPrefix("_Z") || name.dropFirst().first?.isUppercase ?? false
      {
        continue
      }
      self[index].reportedSymbol?.removeFirst()
    }
  }

  /// Functions that call no other of the program's: they copy and compare memory, or enter the kernel.
  private static let leaves = [
    "_platform_mem", "_platform_str", "__close_nocancel", "__semwait_signal", "__psynch_", "__ulock_wait",
    "lookUpImpOrForward",
  ]

  /// Sorts a summarised stack with the innermost function first. Summaries begin at either end; the innermost function
  /// is one that stops programs, or one that calls no other.
  mutating func orderInnermostFirst() {
    let stops = [
      "abort", "throw", "raise", "kill", "trap", "fatal", "assert", "terminate", "objc_release",
      "objc_retain",
      "objc_msgsend", "swift_release", "swift_retain", "_arraybuffer", "_consumeandcreatenew",
    ]
    let stopsProgram = { (frame: Frame) in
      let name = (frame.reportedSymbol ?? "").lowercased()
      return stops.contains { name.contains($0) } && !name.contains("bootstrap")
        || Self.leaves.contains { frame.reportedSymbol?.hasPrefix($0) ?? false }
    }
    if let last, let first,
      stopsProgram(last) && !stopsProgram(first) || first.isOutermost && !last.isOutermost
    {
      reverse()
    }
  }
}

extension Frame {
  /// Whether nothing but the start of a thread or a task calls the function: no other frame lies further out.
  fileprivate var isOutermost: Bool {
    guard let name = reportedSymbol else { return false }
    return Self.outermostFunctions.contains { name.drop { $0 == "_" }.hasPrefix($0) }
  }

  /// The first functions of tasks (swiftlang/swift, stdlib/public/Concurrency/Actor.cpp) and of threads (libpthread).
  private static let outermostFunctions = [
    "swift::runJobInEstablishedExecutorContext", "swift_job_run", "completeTaskWithClosure",
    "swift::AsyncTask::runInFullyEstablishedContext", "thread_start", "start_wqthread", "pthread_wqthread",
    "pthread_start",
  ]
}
