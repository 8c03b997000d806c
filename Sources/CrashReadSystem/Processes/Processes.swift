internal import CCrashReadLinux
internal import Glibc

/// The program that this process runs, as a path that works even when its file was replaced.
package let ownProgram = "/proc/self/exe"

/// This process's number. The C function is `getpid`.
package var ownProcess: Int32 { getpid() }

/// Ends the process. The C function is `exit`.
package func exitProcess(_ status: Int32) -> Never { exit(status) }

/// Has no file of memory written when this process crashes. The C function is `setrlimit`.
package func forbidCoreFile() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}

/// Goes to the root of the file system, from which no relative path leads anywhere. The C function is `chdir`.
package func leaveWorkingDirectory() { unsafe chdir("/") }

/// Whether a path names a file that this user can run. The C function is `access`.
package func isExecutable(_ path: String) -> Bool {
  unsafe access(path, X_OK) == 0 && (try? fileKind(path)) == .file
}

/// Has the kernel kill this process when its parent ends, even by SIGKILL. The C function is `prctl`.
///
/// - Parameter parent: The process that started this one. When it has ended before this call, nothing would come any more.
/// - Returns: Whether it is still there.
package func endWithParent(_ parent: Int32) -> Bool {
  _ = signal_at_end_of_parent(SIGKILL)
  return getppid() == parent
}

/// Asks a process to end: SIGTERM. The C function is `kill`.
package func terminate(_ process: Int32) { kill(process, SIGTERM) }

/// Ends a process at once: SIGKILL. The C function is `kill`.
package func killProcess(_ process: Int32) { kill(process, SIGKILL) }

/// Bytes of memory that a process shares with no file and no other; 0 when that can't be known. See proc(5), `statm`.
package func privateMemory(ofProcess process: String) -> Int {
  guard let text = try? readFile("/proc/\(process)/statm", limit: 4096) else { return 0 }
  let pages = String(decoding: text, as: UTF8.self).split(separator: " ").prefix(3).compactMap { Int($0) }
  return pages.count == 3 ? max(0, pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// The clock ticks of processor time that a process has used, by itself and in the kernel, as text; nil when that can't be
/// known. See proc(5), `stat`: they are the 14th and 15th fields.
package func usedTime(ofProcess process: Int32) -> [Substring]? {
  guard let text = try? readFile("/proc/\(process)/stat", limit: 4096) else { return nil }
  // The name, in parentheses, can hold anything.
  let fields = String(decoding: text, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
  return Array(fields.dropFirst(11).prefix(2))
}
