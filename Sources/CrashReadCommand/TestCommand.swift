private import Glibc

/// A command that runs while what it prints is passed on, and kept.
struct TestCommand {
  enum Outcome: Equatable {
    case exited(Int32)
    /// Ended by a signal.
    case signalled(Int32)
  }

  /// What it printed on standard output and on standard error, each with whole lines.
  private(set) var output = KeptOutput()
  private(set) var errors = KeptOutput()

  /// Runs a command to its end, with this process's standard input.
  ///
  /// Like `system`, this process leaves the keyboard's signals to the command; SIGTERM is handed on.
  /// The C functions are `posix_spawnp`, `poll` and `waitpid`.
  /// - Parameters:
  ///   - command: The program, looked for in `PATH` when it has no slash, and its arguments; never empty.
  ///   - variables: Environment variables it gets besides those of this process.
  /// - Returns: How it ended.
  /// - Throws: `SystemError` when the program can't be started.
  mutating func run(_ command: [String], variables: [String: String]) throws(SystemError) -> Outcome {
    let outputPipe = try Pipe()
    let errorPipe = try Pipe()
    let child = try spawn(command, variables, outputPipe, errorPipe)
    close(outputPipe.writeEnd)
    close(errorPipe.writeEnd)
    let handlers = SignalHandlers(forwardingTo: child)
    let outcome = passOn(from: outputPipe.readEnd, errorPipe.readEnd, of: child)
    handlers.restore()
    close(outputPipe.readEnd)
    close(errorPipe.readEnd)
    return outcome
  }
}

private struct Pipe {
  let readEnd: Int32
  let writeEnd: Int32

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .last }
    // No other process is started at the same time, so that none inherits them in between.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }
}

private func spawn(
  _ command: [String], _ variables: [String: String], _ output: Pipe, _ errors: Pipe
) throws(SystemError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_adddup2(&actions, output.writeEnd, STDOUT_FILENO)
  unsafe posix_spawn_file_actions_adddup2(&actions, errors.writeEnd, STDERR_FILENO)

  // This process ignores SIGPIPE, and ignoring is inherited: programs expect to be ended by it.
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var defaults = sigset_t()
  unsafe sigemptyset(&defaults)
  unsafe sigaddset(&defaults, SIGPIPE)
  unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

  var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
  var environment = unsafe currentVariables(replacing: variables).map { unsafe strdup($0) } + [nil]
  defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
  var child: pid_t = 0
  let code = unsafe posix_spawnp(&child, command[0], &actions, &attributes, &arguments, &environment)
  guard code == 0 else { throw SystemError(code: code) }
  return child
}

/// This process's variables as `NAME=value`, with some set anew.
private func currentVariables(replacing variables: [String: String]) -> [String] {
  var result = variables.map { "\($0.key)=\($0.value)" }
  var next = unsafe environ
  while let entry = unsafe next.pointee {
    let text = unsafe String(cString: entry)
    let name = text.prefix { $0 != "=" }
    if variables[String(name)] == nil { result.append(text) }
    unsafe next += 1
  }
  return result
}

// MARK: - Passing on

extension TestCommand {
  /// Copies both streams until they end and the child with them.
  ///
  /// A grandchild may keep them open for ever; so the child's end counts, and what is in the pipes then.
  private mutating func passOn(from output: Int32, _ errors: Int32, of child: pid_t) -> Outcome {
    var streams = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    var outcome: Outcome?
    while true {
      let ready = unsafe poll(&streams, nfds_t(streams.count), 100)
      if ready > 0 { for index in streams.indices { copy(&streams[index], isOutput: index == 0) } }
      let isOpen = streams.contains { $0.fd >= 0 }
      if outcome == nil { outcome = end(of: child, waits: !isOpen) }
      if let outcome, ready <= 0 || !isOpen { return outcome }
    }
  }

  private mutating func copy(_ stream: inout pollfd, isOutput: Bool) {
    guard stream.fd >= 0, stream.revents != 0 else { return }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(stream.fd, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      stream.fd = -1  // poll passes it over
      return
    }
    let bytes = chunk[..<count]
    writeAll(bytes, to: isOutput ? STDOUT_FILENO : STDERR_FILENO)
    if isOutput { output.append(bytes) } else { errors.append(bytes) }
  }

  /// How the child ended; nil when it still runs.
  private func end(of child: pid_t, waits: Bool) -> Outcome? {
    var status: Int32 = 0
    var result: pid_t
    repeat { result = unsafe waitpid(child, &status, waits ? 0 : WNOHANG) } while result < 0 && errno == EINTR
    if result == 0 { return nil }
    // As the macros WIFSIGNALED, WTERMSIG and WEXITSTATUS do it.
    let signal = status & 0x7f
    return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
  }
}

/// Writes as long as somebody reads.
private func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
  var rest = bytes
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno != EINTR { return }
    rest = rest.dropFirst(max(0, count))
  }
}

/// The end of what a stream printed.
struct KeptOutput {
  private(set) var bytes: [UInt8] = []
  /// Whether more was printed than is kept.
  private(set) var isCut = false

  /// Bytes kept at least: a crash is at the end of a log, and a log may be endless.
  private static let limit = 64 << 20

  mutating func append(_ more: some Collection<UInt8>) {
    bytes += more
    guard bytes.count > 2 * Self.limit else { return }
    bytes.removeFirst(bytes.count - Self.limit)
    isCut = true
  }
}

// MARK: - Signals

/// The process that SIGTERM is handed on to; 0 for none. A signal handler can reach nothing but a global.
nonisolated(unsafe) private var signalReceiver: pid_t = 0

private struct SignalHandlers {
  private let interrupt: sighandler_t?
  private let quit: sighandler_t?
  private let terminate: sighandler_t?

  typealias sighandler_t = @convention(c) (Int32) -> Void

  init(forwardingTo child: pid_t) {
    unsafe signalReceiver = child
    interrupt = signal(SIGINT, SIG_IGN)
    quit = signal(SIGQUIT, SIG_IGN)
    terminate = signal(SIGTERM) { _ in
      if unsafe signalReceiver > 0 { kill(unsafe signalReceiver, SIGTERM) }
    }
  }

  func restore() {
    unsafe signalReceiver = 0
    signal(SIGINT, interrupt)
    signal(SIGQUIT, quit)
    signal(SIGTERM, terminate)
  }
}
