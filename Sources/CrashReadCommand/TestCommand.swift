private import Glibc

/// A command that runs while what it prints is passed on, and kept.
struct TestCommand {
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
  mutating func run(_ command: [String], variables: [String: String]) throws(SystemError) -> ProcessEnd {
    let outputPipe = try Pipe()
    let errorPipe = try Pipe()
    let streams = (
      ChildStream.inherited, ChildStream.descriptor(outputPipe.writeEnd),
      ChildStream.descriptor(errorPipe.writeEnd)
    )
    let child = try spawn(command, variables: variables, streams: streams, leadsGroup: false)
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

// MARK: - Passing on

extension TestCommand {
  /// Copies both streams until they end and the child with them.
  ///
  /// A grandchild may keep them open for ever, and go on printing; so the child's end counts, and what is in the pipes
  /// then.
  private mutating func passOn(from output: Int32, _ errors: Int32, of child: pid_t) -> ProcessEnd {
    var streams = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let ready = unsafe poll(&streams, nfds_t(streams.count), 100)
      let isOpen = streams.contains { $0.fd >= 0 }
      if let outcome = processEnd(of: child, waits: !isOpen) {
        for index in streams.indices { copyRest(&streams[index], isOutput: index == 0) }
        return outcome
      }
      if ready > 0 { for index in streams.indices { copy(&streams[index], isOutput: index == 0) } }
    }
  }

  /// Copies what is in a pipe at this moment. The C function is `ioctl` with `FIONREAD`.
  private mutating func copyRest(_ stream: inout pollfd, isOutput: Bool) {
    var rest: Int32 = 0
    guard stream.fd >= 0, unsafe ioctl(stream.fd, UInt(FIONREAD), &rest) == 0 else { return }
    while rest > 0, stream.fd >= 0 {
      stream.revents = Int16(POLLIN)
      rest -= copy(&stream, isOutput: isOutput, limit: Int(rest))
    }
  }

  /// Copies what one `read` gives.
  /// - Returns: How many bytes that were.
  @discardableResult
  private mutating func copy(_ stream: inout pollfd, isOutput: Bool, limit: Int = 1 << 16) -> Int32 {
    guard stream.fd >= 0, stream.revents != 0 else { return 0 }
    var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    let count = unsafe read(stream.fd, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return 0 }
    guard count > 0 else {
      stream.fd = -1  // poll passes it over
      return 0
    }
    let bytes = chunk[..<count]
    writeAll(bytes, to: isOutput ? STDOUT_FILENO : STDERR_FILENO)
    if isOutput { output.append(bytes) } else { errors.append(bytes) }
    return Int32(count)
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
