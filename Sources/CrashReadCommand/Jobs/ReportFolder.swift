internal import CrashRead
private import Glibc

/// A moment as file systems keep it: nanoseconds since 1970 in UTC.
struct Moment: Comparable, Sendable {
  var nanoseconds: Int64

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The C function is `clock_gettime`, with the clock that file systems read: a file made later is never older.
  static var now: Moment {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return Moment(time)
  }

  /// When a file was last written; nil when there is none. The C function is `stat`.
  init?(fileAt path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status.st_mtim)
  }

  /// Reads a date and time with its offset (ISO 8601: `2026-11-21T09:00:00Z`, `…+09:00`), or `@` and seconds since 1970.
  init?(parsing text: String) {
    if text.hasPrefix("@") {
      guard let seconds = Int64(text.dropFirst()) else { return nil }
      self.init(seconds: seconds)
      return
    }
    guard let seconds = secondsSince1970(text) else { return nil }
    self.init(seconds: seconds)
  }

  private init(_ time: timespec) {
    nanoseconds = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  private init?(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return nil }
    nanoseconds = product
  }
}

/// A folder in which a system leaves its crash reports.
struct ReportFolder {
  let path: String

  /// macOS has one level of folders in its own; the limits are for a root given by mistake.
  private static let maximumDepth = 4
  private static let maximumCount = 10_000

  /// The files in it and in its folders that were written at some moment or later, the oldest first.
  ///
  /// - Parameter start: nil for all files.
  /// - Returns: Their paths. Those to which a symbolic link leads out of the folder, which can be a download, are left out.
  /// - Throws: `DebugFileError` when the folder can't be read; folders in it that can't be are passed over.
  func files(since start: Moment?) throws(DebugFileError) -> [String] {
    guard let folder = ConfinedFolder(path) else {
      _ = try directoryEntries(path)
      return []
    }
    let files = try folder.files(depth: Self.maximumDepth, count: Self.maximumCount)
    let found = files.compactMap { name -> (moment: Moment, path: String)? in
      let file = path + "/" + name
      guard let moment = Moment(fileAt: file), start.map({ moment >= $0 }) ?? true else { return nil }
      return (moment, file)
    }
    return found.sorted { ($0.moment, $0.path) < ($1.moment, $1.path) }.map(\.path)
  }
}

/// A folder that only this user can enter, and that exists as long as it is wanted.
struct PrivateFolder {
  let path: String

  /// Makes one where temporary files go. The C function is `mkdtemp`.
  init(below parent: String) throws(SystemError) {
    var template = Array((parent + "/crashread-XXXXXX").utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw .last }
    path = unsafe String(cString: made)
  }

  /// Makes a folder in it. The C function is `mkdir`.
  func makeFolder(_ name: String) throws(SystemError) {
    guard unsafe mkdir(path + "/" + name, 0o700) == 0 else { throw .last }
  }

  /// Makes a file in it.
  func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
    var file = try OutputStream(path: path + "/" + name)
    file.write(bytes: bytes)
    try file.close()
  }

  /// Removes it and the files and empty folders in it. The C functions are `unlink` and `rmdir`.
  func remove() {
    for name in (try? directoryEntries(path)) ?? [] { unsafe Glibc.remove(path + "/" + name) }
    unsafe rmdir(path)
  }
}
