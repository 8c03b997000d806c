internal import CCrashReadLinux
internal import CrashReadCore
internal import CrashReadSystem
internal import Glibc

/// Downloads files from HTTP servers through libcurl (`curl/curl.h`).
@safe
struct Downloader: @unchecked Sendable {
  /// How a transfer ended.
  enum Outcome: Equatable {
    case loaded
    /// The server doesn't have the file.
    case absent
    case failed(String)
  }

  private typealias Handle = UnsafeMutableRawPointer
  private typealias Progress = @convention(c) (UnsafeMutableRawPointer?, Int, Int, Int, Int) -> Int32

  private let begin: @convention(c) @Sendable () -> Handle?
  private let perform: @convention(c) @Sendable (Handle?) -> Int32
  private let end: @convention(c) @Sendable (Handle?) -> Void
  private let message: @convention(c) @Sendable (Int32) -> UnsafePointer<CChar>?
  private let setOption: UnsafeMutableRawPointer
  private let getInfo: UnsafeMutableRawPointer

  /// Opened on first use.
  static let shared = Result { () throws(MissingLibrary) in try Downloader() }

  private init() throws(MissingLibrary) {
    let library = try RuntimeLibrary("libcurl.so.4", package: "libcurl4")
    unsafe begin = try library.function("curl_easy_init")
    unsafe perform = try library.function("curl_easy_perform")
    unsafe end = try library.function("curl_easy_cleanup")
    unsafe message = try library.function("curl_easy_strerror")
    unsafe setOption = try library.function("curl_easy_setopt")
    unsafe getInfo = try library.function("curl_easy_getinfo")
  }

  /// Downloads a URL to a file.
  /// - Parameters:
  ///   - url: The URL; redirections from HTTPS to HTTP aren't followed.
  ///   - path: A file that doesn't exist yet.
  ///   - limit: The maximum size of the file in bytes.
  /// - Returns: How the transfer ended; the file keeps the data of one that failed.
  func load(_ url: String, to path: String, limit: Int) -> Outcome {
    guard let handle = unsafe begin() else { return .failed(outOfMemoryMessage) }
    defer { unsafe end(handle) }
    guard let file = unsafe fopen(path, "wxe") else { return .failed(SystemError.last("fopen").reason) }
    var limit = limit
    let result = unsafe withUnsafeMutablePointer(to: &limit) { limit in
      unsafe setOptions(of: handle, url, file, limit)
      return unsafe perform(handle)
    }
    guard unsafe fclose(file) == 0 else { return .failed(SystemError.last("fclose").reason) }
    if result == 0 { return .loaded }
    // CURLE_HTTP_RETURNED_ERROR: file stores also answer 403 for files that they don't have.
    if result == 22, [403, 404, 410].contains(unsafe status(of: handle)) { return .absent }
    if result == 22 { return .failed("the server responded with \(unsafe status(of: handle))") }
    // CURLE_ABORTED_BY_CALLBACK
    if result == 42 { return .failed("the file has more than \(limit) bytes") }
    return .failed(unsafe copiedString(message(result)) ?? "libcurl failed with \(result)")
  }

  private func setOptions(
    of handle: Handle, _ url: String, _ file: UnsafeMutablePointer<FILE>, _ limit: UnsafeMutablePointer<Int>
  ) {
    let web = url.hasPrefix("https://") ? CurlOption.https : CurlOption.http | CurlOption.https
    let numbers: [(option: Int32, value: Int)] = [
      (CurlOption.noSignal, 1), (CurlOption.failOnError, 1), (CurlOption.noProgress, 0),
      (CurlOption.followLocation, 1), (CurlOption.maxRedirects, 5), (CurlOption.protocols, web),
      (CurlOption.redirectProtocols, web), (CurlOption.connectTimeout, ServerTimes.silence),
      (CurlOption.lowSpeedLimit, 1), (CurlOption.lowSpeedTime, ServerTimes.silence),
      (CurlOption.timeout, ServerTimes.download),
    ]
    for (option, value) in numbers { unsafe _ = curl_set_number(setOption, handle, option, value) }
    // libcurl copies both strings.
    unsafe url.withCString { unsafe _ = curl_set_pointer(setOption, handle, CurlOption.url, $0) }
    unsafe "crashread".withCString {
      unsafe _ = curl_set_pointer(setOption, handle, CurlOption.userAgent, $0)
    }
    unsafe _ = curl_set_pointer(setOption, handle, CurlOption.writeData, file)
    unsafe _ = curl_set_pointer(setOption, handle, CurlOption.progressData, limit)
    let progress: Progress = unsafe isTooLarge
    unsafe _ = curl_set_pointer(
      setOption, handle, CurlOption.progress, unsafeBitCast(progress, to: UnsafeMutableRawPointer.self))
  }

  /// The HTTP status.
  private func status(of handle: Handle) -> Int {
    var status = 0
    unsafe _ = curl_get_number(getInfo, handle, CurlOption.responseCode, &status)
    return status
  }
}

/// The progress function of libcurl; anything but 0 aborts.
private func isTooLarge(_ limit: UnsafeMutableRawPointer?, _ size: Int, _ count: Int, _: Int, _: Int) -> Int32
{
  guard let limit = unsafe limit?.assumingMemoryBound(to: Int.self).pointee else { return 1 }
  return max(size, count) > limit ? 1 : 0
}

/// Values of `CURLoption`, `CURLINFO` and `CURLPROTO_`.
private enum CurlOption {
  static let writeData: Int32 = 10_001
  static let url: Int32 = 10_002
  static let timeout: Int32 = 13
  static let userAgent: Int32 = 10_018
  static let lowSpeedLimit: Int32 = 19
  static let lowSpeedTime: Int32 = 20
  static let noProgress: Int32 = 43
  static let failOnError: Int32 = 45
  static let followLocation: Int32 = 52
  static let progressData: Int32 = 10_057
  static let maxRedirects: Int32 = 68
  static let connectTimeout: Int32 = 78
  static let noSignal: Int32 = 99
  static let protocols: Int32 = 181
  static let redirectProtocols: Int32 = 182
  static let progress: Int32 = 20_219
  static let responseCode: Int32 = 0x20_0002
  static let http = 1
  static let https = 2
}
