internal import CCrashReadLinux
internal import Glibc

/// The path of this program, valid even after its file was replaced.
package let ownProgram = "/proc/self/exe"

/// This process's number. The C function is `getpid`.
package var ownProcess: Int32 { getpid() }

/// Ends the process. The C function is `exit`.
package func exitProcess(_ status: Int32) -> Never { exit(status) }

/// Disables core dumps of this process. The C function is `setrlimit`.
package func disableCoreDumps() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}

/// Changes the working directory to `/`, so that relative paths resolve to nothing useful. The C function is `chdir`.
package func changeToRootDirectory() { unsafe chdir("/") }

/// Whether a path names an executable file. The C function is `access`.
package func isExecutable(_ path: String) -> Bool {
  unsafe access(path, X_OK) == 0 && (try? fileKind(path)) == .file
}

/// Has the kernel kill this process when its parent ends, even by SIGKILL. The C function is `prctl`.
/// - Parameter parent: The process that started this one. If it ended before this call, the kernel would send no
///   signal.
/// - Returns: Whether the parent is still alive.
package func terminateWithParent(_ parent: Int32) -> Bool {
  _ = signal_at_end_of_parent(SIGKILL)
  return getppid() == parent
}

/// Sends SIGTERM. The C function is `kill`.
package func terminate(_ process: Int32) { kill(process, SIGTERM) }

/// Sends SIGKILL. The C function is `kill`.
package func killProcess(_ process: Int32) { kill(process, SIGKILL) }

/// Bytes of private memory of a process; 0 when unknown. See proc(5), `statm`.
package func privateMemory(ofProcess process: String) -> Int {
  guard let text = try? readFile("/proc/\(process)/statm", limit: 4096) else { return 0 }
  let pages = String(decoding: text, as: UTF8.self).split(separator: " ").prefix(3).compactMap { Int($0) }
  return pages.count == 3 ? max(0, pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// The clock ticks of user and system time that a process has used, as text; nil when unknown. See proc(5), `stat`:
/// fields 14 and 15.
package func usedTime(ofProcess process: Int32) -> [Substring]? {
  guard let text = try? readFile("/proc/\(process)/stat", limit: 4096) else { return nil }
  // The command's name, in parentheses, may itself contain parentheses and spaces.
  let fields = String(decoding: text, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
  return Array(fields.dropFirst(11).prefix(2))
}
