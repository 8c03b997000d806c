internal import Glibc

/// Starts a program without waiting for it.
///
/// It runs in a session of its own, so that it survives the terminal, with idle priority, without output, and without
/// the caller's descriptors. Errors are ignored. The C function is `posix_spawn`.
package func startDetached(_ program: String, _ arguments: [String]) {
  // POSIX_SPAWN_SETSID and SCHED_IDLE, which glibc declares only with `_GNU_SOURCE`
  let setSession: Int16 = 0x80
  let idle: Int32 = 5
  closeDescriptorsOnExec()
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
  var argv = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
  if unsafe posix_spawn(&process, program, &actions, &attributes, &argv, environ) == 0 {
    // `posix_spawnattr_setschedpolicy` doesn't support SCHED_IDLE.
    _ = unsafe sched_setscheduler(process, idle, &priority)
  }
  for index in unsafe argv.indices { unsafe free(argv[index]) }
}

/// Marks inherited descriptors close-on-exec. Otherwise the reader of an inherited pipe would also have to wait for the
/// detached process to end.
private func closeDescriptorsOnExec() {
  for name in (try? directoryEntries("/proc/self/fd")) ?? [] {
    guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
}
