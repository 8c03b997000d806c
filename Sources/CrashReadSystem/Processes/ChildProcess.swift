internal import Glibc

/// How a child process ended.
package enum ChildOutcome: Equatable, Sendable {
  /// It exited with a status; its output.
  case exited(Int32, output: [UInt8])
  case signalled(Int32)
  /// It took too long or wrote too much, and was killed with all its children.
  case stopped
  /// It couldn't be started.
  case failed(SystemError)
}

/// Runs a program without a shell, and captures its standard output.
///
/// The C function is `kill`.
/// - Parameters:
///   - arguments: The program's name, looked up in `PATH`, and its arguments.
///   - variables: Environment variables to set, besides those inherited.
///   - inherits: Which of this process's variables it inherits, by name.
///   - input: Its standard input.
///   - errors: Its standard error.
///   - seconds: The time limit.
///   - limit: The maximum number of bytes it may write.
/// - Returns: How it ended; it no longer runs.
package func runProgram(
  _ arguments: [String], variables: [String: String] = [:], inherits: (Substring) -> Bool = { _ in true },
  input: [UInt8] = [], errors: ChildStream = .none, seconds: Int, limit: Int
) -> ChildOutcome {
  let output: Pipe
  let feed: Pipe?
  let child: pid_t
  do throws(SystemError) {
    output = try Pipe()
    feed = input.isEmpty ? nil : try Pipe()
    defer {
      Glibc.close(output.writeEnd)
      if let feed { Glibc.close(feed.readEnd) }
    }
    child = try spawn(
      arguments, variables: variables, inherits: inherits,
      streams: (feed.map { .descriptor($0.readEnd) } ?? .none, .descriptor(output.writeEnd), errors),
      leadsGroup: true)
  } catch {
    return .failed(error)
  }
  let end = monotonicMilliseconds() + seconds * 1000
  let written = exchange(
    input[...], into: feed?.writeEnd, readingFrom: output.readEnd, limit: limit, until: end)
  // A program may close its output and keep running.
  while written != nil, monotonicMilliseconds() < end {
    switch processEnd(of: child, waits: false) {
    case .exited(let code)?: return .exited(code, output: written ?? [])
    case .signalled(let signal)?: return .signalled(signal)
    case nil: usleep(1000)
    }
  }
  kill(-child, SIGKILL)
  waitpid(child, nil, 0)
  return .stopped
}

/// Writes to one pipe and reads from another until its writer closes it, and closes both.
///
/// The C functions are `poll`, `read` and `write`.
/// - Returns: What was read; nil when it is too much or takes too long.
private func exchange(
  _ input: ArraySlice<UInt8>, into feed: Int32?, readingFrom output: Int32, limit: Int, until end: Int
) -> [UInt8]? {
  var rest = input
  var open = feed
  if let feed { _ = fcntl(feed, F_SETFL, O_NONBLOCK) }
  defer {
    if let open { Glibc.close(open) }
    Glibc.close(output)
  }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 14)
  while true {
    let left = end - monotonicMilliseconds()
    guard left > 0, bytes.count <= limit else { return nil }
    var waiting = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: open ?? -1, events: Int16(POLLOUT), revents: 0),
    ]
    guard unsafe poll(&waiting, nfds_t(waiting.count), Int32(clamping: left)) > 0 else { continue }
    if let pipe = open, waiting[1].revents != 0 {
      let count = unsafe rest.withUnsafeBytes { unsafe write(pipe, $0.baseAddress, $0.count) }
      rest = rest.dropFirst(max(0, count))
      if rest.isEmpty || count < 0 && errno != EAGAIN && errno != EINTR {
        Glibc.close(pipe)
        open = nil
      }
    }
    guard waiting[0].revents != 0 else { continue }
    let count = unsafe read(output, &chunk, chunk.count)
    if count == 0 { return bytes }
    if count > 0 { bytes += chunk[..<count] } else if errno != EINTR { return nil }
  }
}

/// An anonymous temporary file for the output of another process. The C functions are `tmpfile` and `dup`.
package struct TemporaryFile {
  private let descriptor: Int32

  package init() {
    guard let file = unsafe tmpfile() else {
      descriptor = -1
      return
    }
    descriptor = unsafe fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
    unsafe fclose(file)
  }

  /// The stream to pass to that process.
  package var stream: ChildStream { descriptor < 0 ? .none : .descriptor(descriptor) }

  /// The beginning of what was written; this closes the file. The C function is `pread`.
  package func take() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    if descriptor >= 0 { close(descriptor) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
