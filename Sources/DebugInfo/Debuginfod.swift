internal import Glibc

/// What debuginfod servers say to a build-id.
package enum DebuginfodAnswer: Sendable, Hashable {
  /// The path of a copy of the file, in libdebuginfod's own cache.
  case file(String)
  /// They have none.
  case unknown
  /// No answer, and why.
  case failed(String)
}

/// Asks the servers that `DEBUGINFOD_URLS` names for the debug file of a build-id.
///
/// libdebuginfod does it, as it does for gdb and elfutils: it keeps the files, also remembers for ten minutes that there is
/// none, and gives up on a server that sends too little in `DEBUGINFOD_TIMEOUT` seconds. The C function is
/// `debuginfod_find_debuginfo`.
/// - Parameters:
///   - buildID: The build-id.
///   - seconds: How long a file may take at most, unless `DEBUGINFOD_MAXTIME` says how long.
/// - Returns: What they said; the file's identity is not checked.
/// - Throws: `MissingLibrary` when libdebuginfod isn't there.
package func askDebuginfod(
  _ buildID: [UInt8], seconds: Int
) throws(MissingLibrary) -> DebuginfodAnswer {
  let library = try LibDebuginfod.shared.get()
  guard let client = unsafe library.begin() else { return .failed(systemMessage(ENOMEM)) }
  defer { unsafe library.end(client) }
  var path: UnsafeMutablePointer<CChar>?
  var end = unsafe getenv("DEBUGINFOD_MAXTIME") == nil ? monotonicSeconds() + seconds : Int.max
  let result = unsafe withUnsafeMutablePointer(to: &end) { end in
    unsafe library.setUserData(client, end)
    unsafe library.setProgress(client) { client, _, _ in
      guard let library = try? LibDebuginfod.shared.get(), let end = unsafe library.userData(client) else {
        return 1
      }
      return unsafe monotonicSeconds() > end.load(as: Int.self) ? 1 : 0
    }
    return unsafe library.find(client, buildID, Int32(clamping: buildID.count), &path)
  }
  defer { unsafe free(path) }
  guard result < 0 else {
    close(result)
    return unsafe copiedString(path).map { .file($0) } ?? .failed("it gave no path")
  }
  if result == -ENOENT { return .unknown }
  return .failed(monotonicSeconds() > end ? "the file took longer than \(seconds) s" : systemMessage(-result))
}

private func monotonicSeconds() -> Int {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec
}

/// The functions of libdebuginfod that are used here (`debuginfod.h`).
@safe
private struct LibDebuginfod: Sendable {
  typealias Client = UnsafeMutableRawPointer
  typealias Progress = @convention(c) (Client?, Int, Int) -> Int32
  typealias Path = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  let begin: @convention(c) @Sendable () -> Client?
  let end: @convention(c) @Sendable (Client?) -> Void
  let find: @convention(c) @Sendable (Client?, UnsafePointer<UInt8>?, Int32, Path?) -> Int32
  let setProgress: @convention(c) @Sendable (Client?, Progress?) -> Void
  let setUserData: @convention(c) @Sendable (Client?, UnsafeMutableRawPointer?) -> Void
  let userData: @convention(c) @Sendable (Client?) -> UnsafeMutableRawPointer?

  /// Opened when it is first needed.
  static let shared = Result { () throws(MissingLibrary) in try LibDebuginfod() }

  private init() throws(MissingLibrary) {
    let library = try RuntimeLibrary("libdebuginfod.so.1", package: "libdebuginfod1")
    unsafe begin = try library.function("debuginfod_begin")
    unsafe end = try library.function("debuginfod_end")
    unsafe find = try library.function("debuginfod_find_debuginfo")
    unsafe setProgress = try library.function("debuginfod_set_progressfn")
    unsafe setUserData = try library.function("debuginfod_set_user_data")
    unsafe userData = try library.function("debuginfod_get_user_data")
  }
}
