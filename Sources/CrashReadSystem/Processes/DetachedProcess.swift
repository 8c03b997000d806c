internal import Glibc

/// Starts a program without waiting for it.
///
/// It runs in a session of its own, so that closing the terminal doesn't end it, prints nothing, inherits no pipe of
/// the caller, and has idle priority. Errors are ignored. The C function is `posix_spawn`.
package func startDetached(_ program: String, _ arguments: [String]) {
  let setSession: Int16 = 0x80  // POSIX_SPAWN_SETSID and SCHED_IDLE, which Glibc shows to GNU sources only
  let idle: Int32 = 5
  keepDescriptorsToOurselves()
  var attributes = posix_spawnattr_t()
  var actions = unsafe posix_spawn_file_actions_t()
  var priority = sched_param()
  var process: pid_t = 0
  unsafe posix_spawnattr_init(&attributes)
  unsafe posix_spawn_file_actions_init(&actions)
  defer {
    unsafe posix_spawnattr_destroy(&attributes)
    unsafe posix_spawn_file_actions_destroy(&actions)
  }
  unsafe posix_spawnattr_setflags(&attributes, setSession)
  for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
    unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
  }
  let name = program == ownProgram ? CommandLine.arguments.first ?? program : program
  var words = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
  if unsafe posix_spawn(&process, program, &actions, &attributes, &words, environ) == 0 {
    // `posix_spawnattr_setschedpolicy` knows no such policy.
    _ = unsafe sched_setscheduler(process, idle, &priority)
  }
  for index in unsafe words.indices { unsafe free(words[index]) }
}

/// The reader of a pipe that this process inherited must not have to wait for another process.
private func keepDescriptorsToOurselves() {
  for name in (try? directoryEntries("/proc/self/fd")) ?? [] {
    guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
}
