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
/// The C functions are `posix_spawnp`, `poll`, `read`, `waitpid` and `kill`.
/// - Parameters:
///   - arguments: The program's name, looked up in `PATH`, and its arguments.
///   - seconds: How long it may take.
///   - limit: How many bytes it may write.
/// - Returns: How it ended; it isn't running any more.
func runProgram(_ arguments: [String], seconds: Int, limit: Int) -> ChildOutcome {
  var ends: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0 else { return .failed(.last) }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  defer { Glibc.close(ends[0]) }
  let started = spawn(arguments, output: ends[1])
  Glibc.close(ends[1])
  guard case .success(let child) = started else {
    if case .failure(let error) = started { return .failed(error) }
    return .stopped
  }
  let end = monotonicMilliseconds() + seconds * 1000
  let output = readAll(ends[0], limit: limit, until: end)
  // A program can close its output and stay.
  while output != nil, monotonicMilliseconds() < end {
    if let outcome = reap(child, output ?? []) { return outcome }
    usleep(1000)
  }
  kill(-child, SIGKILL)
  waitpid(child, nil, 0)
  return .stopped
}

/// Starts a program as the leader of a process group of its own, so that its children can be ended with it.
private func spawn(_ arguments: [String], output: Int32) -> Result<pid_t, SystemError> {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
  unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  // This program ignores SIGPIPE, and an ignored signal is inherited.
  var defaults = sigset_t()
  unsafe sigemptyset(&defaults)
  unsafe sigaddset(&defaults, SIGPIPE)
  unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))

  var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
  defer { unsafe words.forEach { unsafe free($0) } }
  var child: pid_t = 0
  guard let name = unsafe words[0] else { return .failure(SystemError(code: ENOENT)) }
  let code = unsafe posix_spawnp(&child, name, &actions, &attributes, &words, environ)
  return code == 0 ? .success(child) : .failure(SystemError(code: code))
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

/// The outcome of a child that has ended; nil while it runs.
private func reap(_ child: pid_t, _ output: [UInt8]) -> ChildOutcome? {
  var status: Int32 = 0
  guard unsafe waitpid(child, &status, WNOHANG) == child else { return nil }
  // What `WIFEXITED`, `WEXITSTATUS` and `WTERMSIG` do; Swift can't import the macros.
  return status & 0x7f == 0 ? .exited(status >> 8 & 0xff, output: output) : .signalled(status & 0x7f)
}

private func monotonicMilliseconds() -> Int {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}
