internal import Glibc

/// What the process does when a signal ends it, or it needs too much memory, while it reads a debug file: libdw can't take
/// every damaged one.
///
/// Costs nothing until then: the handlers find all they need in memory that was filled beforehand. At another time the
/// program is started again without any debug file, once; when that ends so, too, the report is the cause.
package enum CrashRecovery {
  /// The signal that comes when a report has taken too long.
  package static let outOfTime = SIGPROF
  /// Stands for a signal when the process needed too much memory.
  package static let outOfMemory: Int32 = 98

  private static let fatal = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

  /// How the program is started again in this process.
  package struct Restart {
    /// The first argument; behind it stand a signal's number and a debug file's path and identity.
    package var argument: String
    /// What stands behind those.
    package var words: [String]
    /// Bytes that the process may have for itself; half of `ulimit -v`, where that is less.
    package var memory: Int
    /// Whether the program may be started again without any debug file.
    package var mayDropAllFiles: Bool
    /// How the process ends when there is nothing left to go without.
    package var lastStatus: Int32
    /// What is said before that, with the limit in megabytes, when the memory doesn't do.
    package var memoryMessage: @Sendable (Int) -> String
    /// What is said before that when `ulimit -t` is reached.
    package var timeMessage: StaticString

    package init(
      argument: String, words: [String], memory: Int, mayDropAllFiles: Bool, lastStatus: Int32,
      memoryMessage: @escaping @Sendable (Int) -> String, timeMessage: StaticString
    ) {
      (self.argument, self.words, self.memory) = (argument, words, memory)
      (self.mayDropAllFiles, self.lastStatus) = (mayDropAllFiles, lastStatus)
      (self.memoryMessage, self.timeMessage) = (memoryMessage, timeMessage)
    }
  }

  /// Has the debug file's path written as a message before the process ends; also when its time is over or SIGTERM asks
  /// for the end.
  /// - Parameters:
  ///   - descriptor: Where the message goes.
  ///   - kind: The message's first byte; its length follows in four bytes, the lowest first.
  package static func installMessageHandler(writingTo descriptor: Int32, kind: UInt8) {
    unsafe plan = Plan(descriptor: descriptor, kind: kind, arguments: nil)
    watch(fatal + [SIGTERM, SIGPROF])
  }

  /// Has the program started again in this process, with the same arguments and without the debug file; without all of
  /// them when it is the report that takes the time or the memory.
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

  /// From here on a restart would print results a second time.
  package static func stopRestarting() { unsafe mayDropAllFiles = false }

  /// Starts the time of a report. When it is over SIGPROF comes, and again a second later.
  ///
  /// Before a restart, a report has no more than a third of the time that `ulimit -t` leaves: what is left is for the
  /// report as it is.
  /// - Parameter seconds: nil for no limit but that of the system any more, at which the process says so and ends.
  package static func limitTime(to seconds: Int?) {
    unsafe lateLookup = nil
    unsafe isLastTime = seconds == nil
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

  /// Has the signals handled from here on, on a stack of their own: there may be no room left on the usual one.
  private static func watch(_ signals: [Int32]) {
    guard let path = unsafe plan?.path else { return }
    unsafe FileInUse.watch(at: path)
    let size = 1 << 16
    var stack = unsafe stack_t(ss_sp: malloc(size), ss_flags: 0, ss_size: size)
    unsafe sigaltstack(&stack, nil)
    // libdw ends the process when it can have no memory.
    atexit { speak(0) }
    for signal in signals {
      handle(signal, flags: SA_ONSTACK | Int32(SA_NODEFER) | Int32(bitPattern: UInt32(SA_RESETHAND)))
    }
    // Over these: a file that is cut while it is read need not end the process.
    MappingGuard.install()
  }

  private static func handle(_ signal: Int32, flags: Int32) {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = speak
    action.sa_flags = flags
    unsafe sigaction(signal, &action, nil)
    // Whoever started this program may have had it blocked, and that is inherited.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, signal)
    unsafe sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Looks twenty times a second at what the process has for itself. The C function is `pthread_sigmask`.
  private static func watchMemory(limit: Int, _ message: @escaping @Sendable (Int) -> String) {
    try? startThread {
      var signals = sigset_t()
      unsafe sigfillset(&signals)
      unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
      while privateMemory(ofProcess: "self") <= limit { usleep(50_000) }
      endOutOfMemory(message(limit >> 20))
    }
  }

  private static func endOutOfMemory(_ message: String) {
    speak(outOfMemory)
    // There was nothing to go without.
    var stream = OutputStream(descriptor: STDERR_FILENO)
    stream.write(message)
    stream.flush()
    _exit(unsafe statusWithoutResult)
  }

  /// A command line with these words, and room for a signal, a path and an identity before them.
  private static func arguments(
    of restart: Restart
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: restart.words.count + 6)
    unsafe list.initialize(repeating: nil, count: restart.words.count + 6)
    unsafe list[0] = strdup(CommandLine.arguments.first ?? "crashread")
    unsafe list[1] = strdup(restart.argument)
    unsafe list[2] = strdup("00")
    for (index, word) in restart.words.enumerated() { unsafe list[5 + index] = strdup(word) }
    return unsafe list
  }
}

/// A signal in words: `signal 11 (Segmentation fault)`. The C function is `strsignal`.
package func signalDescription(_ signal: Int32) -> String {
  "signal \(signal)" + (unsafe strsignal(signal).map { unsafe " (\(String(cString: $0)))" } ?? "")
}

/// The kind in one byte, the length in four.
private let messageHeadSize = 5

/// What a handler needs; never freed.
@unsafe
private struct Plan {
  /// Room for a message's head, and behind it for the path of the debug file in use.
  let message = UnsafeMutablePointer<UInt8>.allocate(capacity: messageHeadSize + FileInUse.capacity)
  /// Where the message goes; -1 when the program is to be started again instead.
  let descriptor: Int32
  /// The message's first byte.
  let kind: UInt8
  /// For `execve`: the second word is the signal's number, the third and fourth become path and identity.
  let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

  var path: UnsafeMutablePointer<CChar> {
    unsafe UnsafeMutableRawPointer(message + messageHeadSize).assumingMemoryBound(to: CChar.self)
  }

  func writeHead(length: Int) {
    unsafe message[0] = kind
    for index in 0..<4 { unsafe message[1 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
  }
}

/// A handler can reach nothing but a global.
nonisolated(unsafe) private var plan: Plan?
/// How the process ends when there is nothing left to go without.
nonisolated(unsafe) private var statusWithoutResult: Int32 = 1
/// What is said when the system's limit of time is reached.
nonisolated(unsafe) private var timeMessage: StaticString = ""
/// Whether the program may be started again without any debug file.
nonisolated(unsafe) private var mayDropAllFiles = false

/// The handler; the signal is 0 when the process ends by itself. Only what `signal-safety(7)` allows is called here:
/// `write`, `execve`, `lseek` and `raise`, and `setitimer`, which is a system call and no more.
private func speak(_ signal: Int32) {
  guard let plan = unsafe plan else { return }
  let isInFile = unsafe plan.path[0] != 0
  if let arguments = unsafe plan.arguments {
    if signal == SIGPROF { return unsafe takeTime(isInFile, arguments, plan) }
    if unsafe isInFile || mayDropAllFiles && signal != 0 { unsafe restart(signal, arguments, plan) }
  } else if isInFile {
    let length = unsafe FileInUse.writeAddress(behind: plan.path)
    unsafe plan.writeHead(length: length)
    unsafe write(plan.descriptor, plan.message, messageHeadSize + length)
  }
  // The default action is back already.
  if signal != 0, signal != CrashRecovery.outOfMemory { raise(signal) }
}

/// The look-up that was going on when a report's time was over; nil until it is.
nonisolated(unsafe) private var lateLookup: UInt64?

/// Whether there is nothing to do without any more when the time is over.
nonisolated(unsafe) private var isLastTime = false

/// The time is over, and a second later it is again: a debug file in which the same look-up goes on is what takes it, else
/// it is the report.
@unsafe
private func takeTime(
  _ isInFile: Bool, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ plan: Plan
) {
  if unsafe isLastTime { endOutOfTime() }
  let lookup = isInFile ? FileInUse.lookups : 0
  guard let last = unsafe lateLookup else {
    unsafe lateLookup = lookup
    return
  }
  if lookup != last || !isInFile || (microsecondsLeft() ?? .max) < 2 * second { unsafe plan.path[0] = 0 }
  unsafe restart(SIGPROF, arguments, plan)
}

/// Says that `ulimit -t` is reached, before the system ends the process without a word.
private func endOutOfTime() -> Never {
  let text = unsafe timeMessage
  unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  _exit(unsafe statusWithoutResult)
}

/// Starts the program again in this process, without the debug file in use, or without all when none is.
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
  unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &none, nil)  // it would go on
  unsafe execve("/proc/self/exe", arguments, environ)
}

/// Where standard input was before it was read; nil when nothing of it was.
nonisolated(unsafe) private var inputStart: off_t?

extension CrashRecovery {
  /// Reads all of standard input, so that a restart can read it again: from the same place, or from a copy of a pipe.
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

  /// Puts a file without a name, with these bytes in it, in place of standard input. The C function is `tmpfile`.
  /// - Returns: Whether that could be done.
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
/// Microseconds that are enough to write a message and end.
private let timeToEnd = second / 4

/// Microseconds of processor time that `ulimit -t` leaves; nil for any. The C functions are `getrlimit` and
/// `clock_gettime`, and a handler may call them.
private func microsecondsLeft() -> Int? {
  var limit = rlimit()
  guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit) == 0, limit.rlim_cur < 1 << 32
  else { return nil }
  var used = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
  return max(0, (Int(limit.rlim_cur) - used.tv_sec) * second - used.tv_nsec / 1000)
}

/// Bytes of `ulimit -v`; nil for any. The C function is `getrlimit`.
private func addressSpaceLimit() -> Int? {
  var limit = rlimit()
  guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
  return Int(exactly: limit.rlim_cur)
}
