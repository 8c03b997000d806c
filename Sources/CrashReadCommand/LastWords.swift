internal import CrashRead
private import Glibc

/// What the process does when a signal ends it while it reads a debug file: libdw can't take every damaged one.
///
/// Costs nothing until then: the handlers find all they need in memory that was filled beforehand. Signals that come at
/// another time end the process as always.
enum LastWords {
  /// The argument, before all others, behind which a signal's number and a debug file's path stand.
  static let argument = "--after-signal"
  /// After so many signals no debug file is used any more.
  private static let mostRestarts = 8

  private static let fatal = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

  /// Has the debug file's path written as a message before the process ends; also when its time is over or SIGTERM asks
  /// for the end.
  static func areMessages(on descriptor: Int32) {
    unsafe plan = Plan(descriptor: descriptor, arguments: nil)
    watch(fatal + [SIGTERM, SIGPROF])
  }

  /// Has the program started again in this process, with the same arguments and without the debug file.
  ///
  /// - Parameter seconds: Of processor time that one report may take in debug files, and again as much outside of them;
  ///   nil for any. Where that isn't enough it is read without any debug file, and not at all when that takes as long.
  static func areRestart(seconds: Int?) {
    unsafe plan = Plan(descriptor: -1, arguments: restartArguments())
    watch(fatal)
    handle(SIGPROF, flags: SA_ONSTACK | Int32(SA_NODEFER))
    if let seconds { limitTime(to: seconds) }
  }

  /// Starts the time of a report. When it is over SIGPROF comes, and again every second: a debug file is given up while
  /// it is read, and the report after as many seconds more. The C function is `setitimer`.
  ///
  /// - Parameter seconds: Of processor time; 0 for no limit from here on.
  static func limitTime(to seconds: Int) {
    unsafe patience = seconds
    var timer = itimerval()
    timer.it_value.tv_sec = seconds
    timer.it_interval.tv_sec = 1
    unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  /// Takes what a restart has put before the arguments.
  /// - Returns: The files to do without.
  static func refusals(from arguments: inout [String]) -> SymbolStore.Refusals {
    var refusals = SymbolStore.Refusals()
    while arguments.count >= 3, arguments[0] == argument, let signal = Int32(arguments[1]) {
      let isReport = arguments[2].isEmpty
      let reason = "reading \(isReport ? "the report" : "it") " + outcome(of: signal)
      if isReport { unsafe isLastTry = true } else { refusals.reasons[arguments[2]] = reason }
      if isReport || refusals.reasons.count >= mostRestarts { refusals.reasonForAll = reason }
      arguments.removeFirst(3)
    }
    return refusals
  }

  private static func outcome(of signal: Int32) -> String {
    switch signal {
    case SIGPROF: "took too long (--timeout)"
    case 0: "ended crashread"
    default: "ended crashread by \(name(of: signal))"
    }
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

  /// The words of this process's command line, with room for a signal and a path before them.
  private static func restartArguments() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let words = CommandLine.arguments
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 4)
    unsafe list.initialize(repeating: nil, count: words.count + 4)
    unsafe list[0] = strdup(words.first ?? "crashread")
    unsafe list[1] = strdup(argument)
    unsafe list[2] = strdup("00")
    for (index, word) in words.dropFirst().enumerated() { unsafe list[4 + index] = strdup(word) }
    return unsafe list
  }
}

/// A signal in words: `signal 11 (Segmentation fault)`. The C function is `strsignal`.
func name(of signal: Int32) -> String {
  "signal \(signal)" + (unsafe strsignal(signal).map { unsafe " (\(String(cString: $0)))" } ?? "")
}

/// What a handler needs; never freed.
@unsafe
private struct Plan {
  /// Room for a message's head, and behind it for the path of the debug file in use.
  let message = UnsafeMutablePointer<UInt8>.allocate(capacity: Message.headSize + FileInUse.capacity)
  /// Where the message goes; -1 when the program is to be started again instead.
  let descriptor: Int32
  /// For `execve`: the second word is the signal's number, the third becomes the path.
  let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

  var path: UnsafeMutablePointer<CChar> {
    unsafe UnsafeMutableRawPointer(message + Message.headSize).assumingMemoryBound(to: CChar.self)
  }
}

/// A handler can reach nothing but a global.
nonisolated(unsafe) private var plan: Plan?

/// The handler; the signal is 0 when the process ends by itself. Only what `signal-safety(7)` allows is called here: `write`, `execve`, `lseek` and `raise`,
/// and `setitimer`, which is a system call and no more.
private func speak(_ signal: Int32) {
  guard let plan = unsafe plan, unsafe plan.path[0] != 0 || isOver(signal, plan) else {
    // The default action is back already, but where SIGPROF comes again.
    let isRepeated = unsafe signal == SIGPROF && plan?.arguments != nil
    if signal != 0, !isRepeated { raise(signal) }
    return
  }
  if let arguments = unsafe plan.arguments, let number = unsafe arguments[2] {
    unsafe number[0] = CChar(0x30 + signal / 10)
    unsafe number[1] = CChar(0x30 + signal % 10)
    unsafe arguments[3] = plan.path
    if let start = unsafe inputStart { lseek(STDIN_FILENO, start, SEEK_SET) }
    var none = itimerval()
    unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &none, nil)  // it would go on
    unsafe execve("/proc/self/exe", arguments, environ)
  } else {
    var length = 0
    while unsafe plan.path[length] != 0 { length += 1 }
    unsafe Message.writeHead(.dying, length: length, to: plan.message)
    unsafe write(plan.descriptor, plan.message, Message.headSize + length)
  }
  if signal != 0 { raise(signal) }
}

/// How many seconds more a report may take outside of debug files.
nonisolated(unsafe) private var patience = 0
/// Whether this is a report's second try, without debug files.
nonisolated(unsafe) private var isLastTry = false

/// Whether a report's time is over outside of debug files, so that it is to be read again without any.
///
/// The second time the process ends here.
private func isOver(_ signal: Int32, _ plan: Plan) -> Bool {
  guard unsafe signal == SIGPROF && plan.arguments != nil else { return false }
  unsafe patience -= 1
  guard unsafe patience < 0 else { return false }
  if unsafe isLastTry {
    let message: StaticString = "crashread: the report takes longer than --timeout allows\n"
    unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    _exit(1)
  }
  return true
}

/// Where standard input was before it was read; nil when nothing of it was.
nonisolated(unsafe) private var inputStart: off_t?

extension LastWords {
  /// Reads all of standard input, so that a restart can read it again: from the same place, or from a copy of a pipe.
  ///
  /// The C functions are `lseek` and `dup2`.
  /// - Throws: `DebugFileError` when it can't be read or is larger than the limit.
  static func readInput(limit: Int) throws(DebugFileError) -> [UInt8] {
    let start = lseek(STDIN_FILENO, 0, SEEK_CUR)
    let bytes = try readFile("-", limit: limit)
    if unsafe inputStart == nil, start >= 0 || keepAsInput(bytes) { unsafe inputStart = max(0, start) }
    return bytes
  }

  /// Puts a file without a name, with these bytes in it, in place of standard input. The C function is `tmpfile`.
  private static func keepAsInput(_ bytes: [UInt8]) -> Bool {
    guard let file = unsafe tmpfile() else { return false }
    defer { unsafe fclose(file) }
    var stream = unsafe OutputStream(descriptor: fileno(file))
    stream.write(bytes: bytes)
    stream.flush()
    return unsafe stream.failure == nil && dup2(fileno(file), STDIN_FILENO) >= 0
  }
}
