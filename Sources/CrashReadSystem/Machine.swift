internal import Glibc

/// The value of an environment variable; nil when it isn't set. The C function is `getenv`.
package func variable(_ name: String) -> String? { unsafe copiedString(getenv(name)) }

/// `TMPDIR`, else `/tmp`.
package var temporaryDirectory: String {
  variable("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
}

/// The name of this machine; empty when it has none. The C function is `gethostname`.
package func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
  return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// How many processors this process may use. The C function is `sysconf`.
package var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

// MARK: - Clocks

/// Milliseconds on a monotonic clock. The C function is `clock_gettime`.
package func monotonicMilliseconds() -> Int {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}

/// Seconds of processor time that this process has used. The C function is `clock`.
package func processorSeconds() -> Int { clock() / CLOCKS_PER_SEC }
