private import Glibc

/// How a program that was started came to its end.
enum ChildOutcome: Equatable, Sendable {
  /// It ended by itself with a status, having written this.
  case exited(Int32, output: [UInt8])
  case signalled(Int32)
  /// It took too long or wrote too much, and was killed with all it had started.
  case stopped
  /// It could not be started.
  case failed(SystemError)
}

/// Runs a program without a shell, with nothing on its standard input, and keeps its standard output.
///
/// The C functions are `poll`, `read` and `kill`.
/// - Parameters:
///   - arguments: The program's name, looked up in `PATH`, and its arguments.
///   - variables: Environment variables it gets besides those of this process.
///   - inherits: Which of this process's variables it gets, by their names.
///   - seconds: How long it may take.
///   - limit: How many bytes it may write.
/// - Returns: How it ended; it isn't running any more.
func runProgram(
  _ arguments: [String], variables: [String: String] = [:], inherits: (Substring) -> Bool = { _ in true },
  seconds: Int, limit: Int
) -> ChildOutcome {
  let pipe: Pipe
  let child: pid_t
  do throws(SystemError) {
    pipe = try Pipe()
    defer { Glibc.close(pipe.writeEnd) }
    child = try spawn(
      arguments, variables: variables, inherits: inherits,
      streams: (.none, .descriptor(pipe.writeEnd), .none), leadsGroup: true)
  } catch {
    return .failed(error)
  }
  defer { Glibc.close(pipe.readEnd) }
  let end = monotonicMilliseconds() + seconds * 1000
  let output = readAll(pipe.readEnd, limit: limit, until: end)
  // A program can close its output and stay.
  while output != nil, monotonicMilliseconds() < end {
    switch processEnd(of: child, waits: false) {
    case .exited(let code)?: return .exited(code, output: output ?? [])
    case .signalled(let signal)?: return .signalled(signal)
    case nil: usleep(1000)
    }
  }
  kill(-child, SIGKILL)
  waitpid(child, nil, 0)
  return .stopped
}

/// Everything that comes until the other end is closed; nil when that is too much or takes too long.
private func readAll(_ descriptor: Int32, limit: Int, until end: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 14)
  while true {
    let left = end - monotonicMilliseconds()
    guard left > 0, bytes.count <= limit else { return nil }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, Int32(clamping: left)) > 0 else { continue }
    let count = unsafe read(descriptor, &chunk, chunk.count)
    if count == 0 { return bytes }
    if count > 0 { bytes += chunk[..<count] } else if errno != EINTR { return nil }
  }
}

/// Milliseconds since some start, which only grow. The C function is `clock_gettime`.
func monotonicMilliseconds() -> Int {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}
