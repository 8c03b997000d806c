internal import CCrashReadLinux
internal import Glibc

/// What a new process uses as one of its standard streams.
package enum ChildStream {
  /// Inherited from this process.
  case inherited
  /// `/dev/null`.
  case none
  case descriptor(Int32)
}

/// The two ends of a pipe, which child processes don't inherit.
package struct Pipe {
  package let readEnd: Int32
  package let writeEnd: Int32

  /// The C function is `pipe2`.
  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw .last("pipe2") }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }
}

/// Starts a program without a shell.
///
/// The C function is `posix_spawnp`.
/// - Parameters:
///   - command: The program, looked up in `PATH` unless it has a slash, and its arguments.
///   - variables: Environment variables to set, besides those inherited.
///   - inherits: Which of this process's variables it inherits, by name.
///   - streams: Its standard input, output and error.
///   - leadsGroup: Whether it leads a process group of its own, so that its children can be killed with it.
/// - Returns: The process ID.
/// - Throws: `SystemError` when it can't be started.
package func spawn(
  _ command: [String], variables: [String: String], inherits: (Substring) -> Bool = { _ in true },
  streams: (input: ChildStream, output: ChildStream, errors: ChildStream), leadsGroup: Bool
) throws(SystemError) -> Int32 {
  guard !command.isEmpty else { throw .failed("posix_spawnp", code: ENOENT) }
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  let wanted = [
    (STDIN_FILENO, streams.input), (STDOUT_FILENO, streams.output), (STDERR_FILENO, streams.errors),
  ]
  for (number, stream) in wanted {
    switch stream {
    case .inherited: break
    case .none: unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    case .descriptor(let end): unsafe posix_spawn_file_actions_adddup2(&actions, end, number)
    }
  }
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  // This process may ignore SIGPIPE, and children would inherit that; most programs rely on the default action.
  var defaults = sigset_t()
  unsafe sigemptyset(&defaults)
  unsafe sigaddset(&defaults, SIGPIPE)
  unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
  let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | group))

  var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
  var environment = unsafe currentVariables(replacing: variables, inherits).map { unsafe strdup($0) } + [nil]
  defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
  var child: pid_t = 0
  let code = unsafe posix_spawnp(&child, command[0], &actions, &attributes, &arguments, &environment)
  guard code == 0 else { throw .failed("posix_spawnp", code: code) }
  return child
}

/// The environment as `NAME=value`, with some variables left out and others set.
private func currentVariables(
  replacing variables: [String: String], _ inherits: (Substring) -> Bool
) -> [String] {
  var result = variables.map { "\($0.key)=\($0.value)" }
  var next = unsafe environ
  while let entry = unsafe next.pointee {
    let text = unsafe String(cString: entry)
    let name = text.prefix { $0 != "=" }
    if variables[String(name)] == nil, inherits(name) { result.append(text) }
    unsafe next += 1
  }
  return result
}

/// How a process ended.
package enum ProcessEnd: Equatable, Sendable {
  case exited(Int32)
  /// Ended by a signal.
  case signalled(Int32)

  /// The effect of SIGTERM.
  package static let terminated = ProcessEnd.signalled(SIGTERM)
}

extension ProcessEnd: CustomStringConvertible {
  /// As the end of a sentence about the process: `was killed by SIGKILL`.
  package var description: String {
    switch self {
    case .exited(let code): "ended with status \(code)"
    case .signalled(let signal): "was killed by \(signalNames[signal] ?? "signal \(signal)")"
    }
  }

  /// The exit status that a shell would report.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let code): code
    case .signalled(let signal): 128 + signal
    }
  }
}

private let signalNames: [Int32: String] = [
  SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
  SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV",
  SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGSYS: "SIGSYS",
]

extension SystemError {
  /// The exit status that a shell gives for a program that can't be found (127) or executed (126).
  package var shellStatus: Int32 { code == ENOENT || code == ENOTDIR ? 127 : 126 }
}

/// How a child ended; nil while it runs, unless waited for. The C function is `waitpid`.
package func processEnd(of child: Int32, waits: Bool) -> ProcessEnd? {
  var status: Int32 = 0
  var result: pid_t
  repeat { result = unsafe waitpid(child, &status, waits ? 0 : WNOHANG) } while result < 0 && errno == EINTR
  if result == 0 { return nil }
  // Another waiter has reaped the child: its status is unknown.
  if result < 0 { return .signalled(SIGKILL) }
  // Like the macros WIFSIGNALED, WTERMSIG and WEXITSTATUS, which Swift can't import.
  let signal = status & 0x7f
  return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
}
