internal import Glibc

/// Handles fatal signals and memory exhaustion while the process reads a debug file: libdw crashes on some damaged
/// ones.
///
/// Until then it costs nothing: the handlers use memory that was allocated beforehand. When no debug file is in use,
/// the program is restarted once without any; if that fails, too, the report is the cause.
package enum CrashRecovery {
  /// The signal for a report that takes too long.
  package static let outOfTime = SIGPROF
  /// Reported instead of a signal when the process used too much memory.
  package static let outOfMemory: Int32 = 98

  private static let fatal = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

  /// How the program is restarted in this process.
  package struct Restart {
    /// The first argument; a signal's number and a debug file's path and identity follow it.
    var argument: String
    /// The arguments after them.
    var otherArguments: [String]
    /// The limit of private memory in bytes; half of `ulimit -v`, where that is less.
    var memory: Int
    /// Whether the program may be restarted without any debug file.
    var mayDropAllFiles: Bool
    /// The exit status when a restart can't leave out anything more.
    var lastStatus: Int32
    /// The message printed before exiting when the memory isn't sufficient; takes the limit in megabytes.
    var memoryMessage: @Sendable (Int) -> String
    /// The message printed when `ulimit -t` is reached.
    var timeMessage: StaticString

    package init(
      argument: String, otherArguments: [String], memory: Int, mayDropAllFiles: Bool, lastStatus: Int32,
      memoryMessage: @escaping @Sendable (Int) -> String, timeMessage: StaticString
    ) {
      (self.argument, self.otherArguments, self.memory) = (argument, otherArguments, memory)
      (self.mayDropAllFiles, self.lastStatus) = (mayDropAllFiles, lastStatus)
      (self.memoryMessage, self.timeMessage) = (memoryMessage, timeMessage)
    }
  }

  /// Has the debug file's path written as a message before the process ends; also when its time is up or it receives
  /// SIGTERM.
  /// - Parameters:
  ///   - descriptor: Where the message is written.
  ///   - kind: The first byte of the message; its length follows in four bytes, little-endian.
  package static func installMessageHandler(writingTo descriptor: Int32, kind: UInt8) {
    unsafe plan = Plan(descriptor: descriptor, kind: kind, arguments: nil)
    watch(fatal + [SIGTERM, SIGPROF])
  }

  /// Installs handlers that restart the program in this process (`execve`) with the same arguments: without the debug
  /// file in use, or without any when the report itself exceeds the time or the memory.
  package static func installRestartHandler(_ restart: Restart) {
    unsafe plan = Plan(descriptor: -1, kind: 0, arguments: arguments(of: restart))
    unsafe statusWithoutResult = restart.lastStatus
    unsafe mayDropAllFiles = restart.mayDropAllFiles
    unsafe timeMessage = restart.timeMessage
    watch(fatal)
    handle(SIGPROF, flags: SA_ONSTACK | Int32(SA_NODEFER))
    let limit = min(restart.memory, addressSpaceLimit().map { $0 / 2 } ?? restart.memory)
    watchMemory(limit: limit, restart.memoryMessage)
  }

  /// Disables restarts without debug files: once output has begun, they would print results twice.
  package static func stopRestarting() { unsafe mayDropAllFiles = false }

  /// Starts the timer for a report: SIGPROF is sent when its time is up, and again a second later.
  ///
  /// Before a restart, a report has at most a third of the time that `ulimit -t` leaves; the rest is reserved for
  /// reading it without debug files.
  /// - Parameter seconds: Nil for no limit except the system's, at which the process prints a message and exits.
  package static func limitTime(to seconds: Int?) {
    unsafe lookupAtTimeout = nil
    unsafe isLastAttempt = seconds == nil
    let left = unsafe plan?.arguments == nil ? nil : microsecondsLeft()
    if let seconds {
      let third = left.map { $0 / 3 } ?? .max
      let (wanted, isTooLong) = seconds.multipliedReportingOverflow(by: second)
      startTimer(microseconds: min(isTooLong ? .max : wanted, third), again: min(second, third))
    } else {
      startTimer(microseconds: left.map { max(timeToEnd, $0 - timeToEnd) } ?? 0, again: second)
    }
  }

  /// The C function is `setitimer`.
  private static func startTimer(microseconds: Int, again: Int) {
    var timer = itimerval()
    timer.it_value = timeval(tv_sec: microseconds / second, tv_usec: microseconds % second)
    timer.it_interval = timeval(tv_sec: again / second, tv_usec: again % second)
    unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  /// Installs the handlers on an alternate stack, since the usual one may have overflowed.
  private static func watch(_ signals: [Int32]) {
    guard let path = unsafe plan?.path else { return }
    unsafe FileInUse.watch(at: path)
    let size = 1 << 16
    var stack = unsafe stack_t(ss_sp: malloc(size), ss_flags: 0, ss_size: size)
    unsafe sigaltstack(&stack, nil)
    // libdw aborts the process when memory can't be allocated.
    atexit { handleFailure(0) }
    for signal in signals {
      handle(signal, flags: SA_ONSTACK | Int32(SA_NODEFER) | Int32(bitPattern: UInt32(SA_RESETHAND)))
    }
    // Installed last, so that it handles SIGBUS first: truncating a file while it is read needn't end the process.
    MappingGuard.install()
  }

  private static func handle(_ signal: Int32, flags: Int32) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handleFailure
    action.sa_flags = flags
    unsafe sigaction(signal, &action, nil)
    // The parent may have blocked it, and the mask is inherited.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, signal)
    unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Checks the private memory of the process twenty times a second. The C function is `pthread_sigmask`.
  private static func watchMemory(limit: Int, _ message: @escaping @Sendable (Int) -> String) {
    try? startThread {
      var signals = sigset_t()
      unsafe sigfillset(&signals)
      unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
      while privateMemory(ofProcess: "self") <= limit { usleep(50_000) }
      exitOutOfMemory(message(limit >> 20))
    }
  }

  private static func exitOutOfMemory(_ message: String) {
    handleFailure(outOfMemory)
    // No debug file is left to leave out.
    var stream = OutputStream(descriptor: STDERR_FILENO)
    stream.write(message)
    stream.flush()
    _exit(unsafe statusWithoutResult)
  }

  /// A command line with these arguments, and room for a signal, a path and an identity before them.
  private static func arguments(
    of restart: Restart
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: restart.otherArguments.count + 6)
    unsafe list.initialize(repeating: nil, count: restart.otherArguments.count + 6)
    unsafe list[0] = strdup(CommandLine.arguments.first ?? "crashread")
    unsafe list[1] = strdup(restart.argument)
    unsafe list[2] = strdup("00")
    for (index, word) in restart.otherArguments.enumerated() { unsafe list[5 + index] = strdup(word) }
    return unsafe list
  }
}

/// A signal in words: `signal 11 (Segmentation fault)`. The C function is `strsignal`.
package func signalDescription(_ signal: Int32) -> String {
  "signal \(signal)" + (unsafe strsignal(signal).map { unsafe " (\(String(cString: $0)))" } ?? "")
}

/// The kind in one byte, the length in four.
private let messageHeadSize = 5

/// The state of the handlers; never freed.
@unsafe
private struct Plan {
  /// Room for the header of a message, followed by the path of the debug file in use.
  let message = UnsafeMutablePointer<UInt8>.allocate(capacity: messageHeadSize + FileInUse.capacity)
  /// Where the message is written; -1 to restart the program instead.
  let descriptor: Int32
  /// The first byte of the message.
  let kind: UInt8
  /// For `execve`: the second argument is the signal's number; the third and fourth become path and identity.
  let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

  var path: UnsafeMutablePointer<CChar> {
    unsafe UnsafeMutableRawPointer(message + messageHeadSize).assumingMemoryBound(to: CChar.self)
  }

  func writeHead(length: Int) {
    unsafe message[0] = kind
    for index in 0..<4 { unsafe message[1 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
  }
}

/// A handler can only access globals.
nonisolated(unsafe) private var plan: Plan?
/// The exit status when a restart can't leave out anything more.
nonisolated(unsafe) private var statusWithoutResult: Int32 = 1
/// The message when the system's time limit is reached.
nonisolated(unsafe) private var timeMessage: StaticString = ""
/// Whether the program may be restarted without any debug file.
nonisolated(unsafe) private var mayDropAllFiles = false

/// The handler; the signal is 0 when the process ends itself. Only async-signal-safe functions (`signal-safety(7)`) are
/// called: `write`, `execve`, `lseek` and `raise`, and `setitimer`, which is a plain system call.
private func handleFailure(_ signal: Int32) {
  guard let plan = unsafe plan else { return }
  let isInFile = unsafe plan.path[0] != 0
  if let arguments = unsafe plan.arguments {
    if signal == SIGPROF { return unsafe handleTimeout(isInFile, arguments, plan) }
    if unsafe isInFile || mayDropAllFiles && signal != 0 { unsafe restart(signal, arguments, plan) }
  } else if isInFile {
    let length = unsafe FileInUse.writeAddress(after: plan.path)
    unsafe plan.writeHead(length: length)
    unsafe write(plan.descriptor, plan.message, messageHeadSize + length)
  }
  // The default action has been restored, so this terminates the process.
  if signal != 0, signal != CrashRecovery.outOfMemory { raise(signal) }
}

/// The look-up in progress when a report's time was up first; nil until then.
nonisolated(unsafe) private var lookupAtTimeout: UInt64?

/// Whether no debug file is left to leave out when the time is up.
nonisolated(unsafe) private var isLastAttempt = false

/// Called when the time is up, and again a second later: if the same look-up is still in progress, the debug file is
/// blamed, otherwise the report.
@unsafe
private func handleTimeout(
  _ isInFile: Bool, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ plan: Plan
) {
  if unsafe isLastAttempt { exitOutOfTime() }
  let lookup = isInFile ? FileInUse.lookups : 0
  guard let last = unsafe lookupAtTimeout else {
    unsafe lookupAtTimeout = lookup
    return
  }
  if lookup != last || !isInFile || (microsecondsLeft() ?? .max) < 2 * second { unsafe plan.path[0] = 0 }
  unsafe restart(SIGPROF, arguments, plan)
}

/// Prints that `ulimit -t` is reached, before the system kills the process without a message.
private func exitOutOfTime() -> Never {
  let text = unsafe timeMessage
  unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  _exit(unsafe statusWithoutResult)
}

/// Restarts the program in this process (`execve`) without the debug file in use, or without any when none is in use.
@unsafe
private func restart(
  _ signal: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ plan: Plan
) {
  guard let number = unsafe arguments[2] else { return }
  unsafe number[0] = CChar(0x30 + signal / 10)
  unsafe number[1] = CChar(0x30 + signal % 10)
  unsafe arguments[3] = plan.path
  unsafe arguments[4] = FileInUse.id(in: plan.path)
  if let start = unsafe inputStart { lseek(STDIN_FILENO, start, SEEK_SET) }
  var none = itimerval()
  unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &none, nil)  // timers survive `execve`
  unsafe execve("/proc/self/exe", arguments, environ)
}

/// The offset of standard input before it was read; nil when it hasn't been read.
nonisolated(unsafe) private var inputStart: off_t?

extension CrashRecovery {
  /// Reads all of standard input so that a restart can read it again: from the same offset, or from a copy of a pipe.
  ///
  /// The C functions are `lseek` and `dup2`.
  /// - Throws: `SystemError` when it can't be read or is larger than the limit.
  package static func readInput(limit: Int) throws(SystemError) -> [UInt8] {
    let start = lseek(STDIN_FILENO, 0, SEEK_CUR)
    let bytes = try readOperand("-", limit: limit)
    if unsafe inputStart == nil {
      if start >= 0 { unsafe inputStart = start } else { _ = keepAsInput(bytes) }
    }
    return bytes
  }

  /// Replaces standard input by an anonymous file with these bytes. The C function is `tmpfile`.
  /// - Returns: Whether it succeeded.
  package static func keepAsInput(_ bytes: [UInt8]) -> Bool {
    guard let file = unsafe tmpfile() else { return false }
    defer { unsafe fclose(file) }
    var stream = unsafe OutputStream(descriptor: fileno(file))
    stream.write(bytes: bytes)
    stream.flush()
    guard stream.failure == nil, unsafe dup2(fileno(file), STDIN_FILENO) >= 0 else { return false }
    unsafe inputStart = 0
    return true
  }
}

/// Microseconds.
private let second = 1_000_000
/// The microseconds reserved for writing a message and exiting.
private let timeToEnd = second / 4

/// Microseconds of processor time that `ulimit -t` leaves; nil for no limit. The C functions are `getrlimit` and
/// `clock_gettime`, which are async-signal-safe.
private func microsecondsLeft() -> Int? {
  var limit = rlimit()
  guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit) == 0, limit.rlim_cur < 1 << 32
  else { return nil }
  var used = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
  return max(0, (Int(limit.rlim_cur) - used.tv_sec) * second - used.tv_nsec / 1000)
}

/// The bytes of `ulimit -v`; nil for no limit. The C function is `getrlimit`.
private func addressSpaceLimit() -> Int? {
  var limit = rlimit()
  guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
  return Int(exactly: limit.rlim_cur)
}
