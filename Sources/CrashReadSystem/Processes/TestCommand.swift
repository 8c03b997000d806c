internal import Glibc

/// Runs a command, passes its output on and keeps a copy of it.
package struct TestCommand {
  /// Its standard output and standard error, each in whole lines.
  package private(set) var output = KeptOutput()
  package private(set) var errors = KeptOutput()

  package init() {}

  /// Runs a command until it ends, on this process's standard input.
  ///
  /// Like `system`, this process ignores signals from the keyboard, which the command receives; SIGTERM is forwarded.
  /// The C functions are `posix_spawnp`, `poll` and `waitpid`.
  /// - Parameters:
  ///   - command: The program, looked up in `PATH` unless it has a slash, and its arguments; never empty.
  ///   - variables: Environment variables to set, besides those of this process.
  /// - Returns: How it ended.
  /// - Throws: `SystemError` when the program can't be started.
  package mutating func run(
    _ command: [String], variables: [String: String]
  ) throws(SystemError) -> ProcessEnd {
    let outputs = try Channel(like: STDOUT_FILENO)
    let errors = try Channel(like: STDERR_FILENO)
    let streams = (
      ChildStream.inherited, ChildStream.descriptor(outputs.writeEnd),
      ChildStream.descriptor(errors.writeEnd)
    )
    let child = try spawn(command, variables: variables, streams: streams, leadsGroup: false)
    close(outputs.writeEnd)
    close(errors.writeEnd)
    let handlers = SignalHandlers(forwardingTo: child)
    let outcome = forward(from: outputs, errors, of: child)
    handlers.restore()
    close(outputs.readEnd)
    close(errors.readEnd)
    return outcome
  }
}

/// The stream that the command writes to in place of this process's: a pseudo-terminal if that is a terminal, so that
/// colours and progress lines work as usual; otherwise a pipe.
private struct Channel {
  let readEnd: Int32
  let writeEnd: Int32
  /// The stream of this process that it stands for.
  private let model: Int32
  private let isTerminal: Bool

  /// The C functions are `openpty` and `tcsetattr`.
  init(like model: Int32) throws(SystemError) {
    self.model = model
    isTerminal = isatty(model) == 1
    if !isTerminal {
      let pipe = try Pipe()
      (readEnd, writeEnd) = (pipe.readEnd, pipe.writeEnd)
      return
    }
    var ends: (read: Int32, write: Int32) = (-1, -1)
    guard unsafe openpty(&ends.read, &ends.write, nil, nil, nil) == 0 else { throw .last("openpty") }
    (readEnd, writeEnd) = ends
    for end in [readEnd, writeEnd] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // This process's terminal translates line ends; the pseudo-terminal passes them on unchanged.
    var settings = termios()
    if unsafe tcgetattr(writeEnd, &settings) == 0 {
      unsafe cfmakeraw(&settings)
      _ = unsafe tcsetattr(writeEnd, TCSANOW, &settings)
    }
    copySize()
  }

  /// Sets its size to that of this process's terminal.
  func copySize() {
    var size = winsize()
    var known = winsize()
    guard isTerminal, unsafe ioctl(model, UInt(TIOCGWINSZ), &size) == 0,
      unsafe ioctl(readEnd, UInt(TIOCGWINSZ), &known) == 0,
      (size.ws_col, size.ws_row) != (known.ws_col, known.ws_row)
    else { return }
    _ = unsafe ioctl(readEnd, UInt(TIOCSWINSZ), &size)
  }
}

// MARK: - Forwarding

extension TestCommand {
  /// Copies both streams until they are closed and the child has ended.
  ///
  /// A grandchild may keep the streams open and continue to print, so copying stops when the child has ended and the
  /// pipes are empty.
  private mutating func forward(from output: Channel, _ errors: Channel, of child: pid_t) -> ProcessEnd {
    var streams = [output, errors].map { pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0) }
    while true {
      output.copySize()
      errors.copySize()
      let ready = unsafe poll(&streams, nfds_t(streams.count), 100)
      let isOpen = streams.contains { $0.fd >= 0 }
      if let outcome = processEnd(of: child, waits: !isOpen) {
        for index in streams.indices { copyRest(&streams[index], isOutput: index == 0) }
        return outcome
      }
      if ready > 0 { for index in streams.indices { copy(&streams[index], isOutput: index == 0) } }
    }
  }

  /// Copies what is in a pipe now, without waiting. The C function is `ioctl` with `FIONREAD`.
  private mutating func copyRest(_ stream: inout pollfd, isOutput: Bool) {
    var rest: Int32 = 0
    guard stream.fd >= 0, unsafe ioctl(stream.fd, UInt(FIONREAD), &rest) == 0 else { return }
    while rest > 0, stream.fd >= 0 {
      stream.revents = Int16(POLLIN)
      rest -= copy(&stream, isOutput: isOutput, limit: Int(rest))
    }
  }

  /// Copies the result of one `read`.
  /// - Returns: The number of bytes copied.
  @discardableResult
  private mutating func copy(_ stream: inout pollfd, isOutput: Bool, limit: Int = 1 << 16) -> Int32 {
    guard stream.fd >= 0, stream.revents != 0 else { return 0 }
    var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    let count = unsafe read(stream.fd, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return 0 }
    guard count > 0 else {
      stream.fd = -1  // poll ignores negative descriptors
      return 0
    }
    let bytes = chunk[..<count]
    writeAll(bytes, to: isOutput ? STDOUT_FILENO : STDERR_FILENO)
    if isOutput { output.append(bytes) } else { errors.append(bytes) }
    return Int32(count)
  }
}

/// Writes all bytes, unless the reader closes the stream.
private func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
  var rest = bytes
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno != EINTR { return }
    rest = rest.dropFirst(max(0, count))
  }
}

/// The last part of a stream's output.
package struct KeptOutput {
  package private(set) var bytes: [UInt8] = []

  /// The minimum number of bytes kept. A crash is at the end of a log, and a log may be of any length.
  private static let limit = 64 << 20

  mutating func append(_ more: some Collection<UInt8>) {
    bytes += more
    guard bytes.count > 2 * Self.limit else { return }
    bytes.removeFirst(bytes.count - Self.limit)
  }
}

// MARK: - Signals

/// The process that receives SIGTERM; 0 for none. A signal handler can only access globals.
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
