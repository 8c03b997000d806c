internal import CrashReadCore
package import CrashReadSystem
internal import Glibc

/// Asks the servers in `DEBUGINFOD_URLS` for the debug file of a build-id.
///
/// libdebuginfod does it, as for gdb and elfutils: it caches files, and, for ten minutes, negative answers.
/// `DebuginfodTimeout` limits the time. The C function is `debuginfod_find_debuginfo`.
/// - Parameter buildID: The build-id.
/// - Returns: The servers' answer; the file's identity isn't checked.
/// - Throws: `MissingLibrary` when libdebuginfod is missing.
package func askDebuginfod(_ buildID: [UInt8]) throws(MissingLibrary) -> ServerAnswer {
  let library = try LibDebuginfod.shared.get()
  guard let client = unsafe library.begin() else { return .failed(outOfMemoryMessage) }
  defer { unsafe library.end(client) }
  var path: UnsafeMutablePointer<CChar>?
  var timeout = DebuginfodTimeout(start: monotonicMilliseconds() / 1000)
  let result = unsafe withUnsafeMutablePointer(to: &timeout) { timeout in
    unsafe library.setUserData(client, timeout)
    unsafe library.setProgress(client, isTooLong)
    return unsafe library.find(client, buildID, Int32(clamping: buildID.count), &path)
  }
  defer { unsafe free(path) }
  guard result < 0 else {
    close(result)
    return unsafe copiedString(path).map { .file($0) } ?? .failed("it returned no path")
  }
  // The library reports the same error for an aborted and for an incomplete transfer.
  if let message = timeout.message { return .failed(message) }
  guard result == -ENOENT else { return .failed(systemMessage(-result)) }
  return timeout.hasAnswer ? .failed("the server aborted the transfer") : .unknown
}

/// Time limits for servers, in seconds.
///
/// By default, libdebuginfod tries a server that doesn't answer three times, for 90 seconds each, and has no time limit
/// for a slow one.
private struct DebuginfodTimeout {
  private let start: Int
  /// Whether a server has begun to send the file.
  private(set) var hasAnswer = false
  private(set) var message: String?
  private let silence = ServerTimes.silence
  private let download = ServerTimes.download

  init(start: Int) { self.start = start }

  /// Checks the limits.
  /// - Parameters:
  ///   - now: The time in seconds.
  ///   - progress: The library's counter: bytes received, or, before the first, the number of polls, a few per second.
  ///   - size: The size of the file; 0 when unknown.
  /// - Returns: Whether a limit is reached.
  mutating func isExhausted(at now: Int, progress: Int, size: Int) -> Bool {
    if size > 0 || progress > 100_000 { hasAnswer = true }
    if !hasAnswer, now - start > silence { message = "no answer within \(silence) s" }
    if now - start > download { message = "the transfer took longer than \(download) s" }
    return message != nil
  }
}

/// The progress function of libdebuginfod; anything but 0 aborts.
private func isTooLong(_ client: LibDebuginfod.Client?, _ progress: Int, _ size: Int) -> Int32 {
  guard let library = try? LibDebuginfod.shared.get(), let data = unsafe library.userData(client) else {
    return 1
  }
  let timeout = unsafe data.assumingMemoryBound(to: DebuginfodTimeout.self)
  return unsafe timeout.pointee.isExhausted(
    at: monotonicMilliseconds() / 1000, progress: progress, size: size) ? 1 : 0
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

  /// Opened on first use.
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
