internal import CrashRead
internal import CrashReadSystem

/// A time of a file system: nanoseconds since 1970 in UTC.
struct FileTime: Comparable, Sendable {
  var nanoseconds: Int64

  static func < (left: FileTime, right: FileTime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The current time by the clock that file systems use: a file created later is never older.
  static var now: FileTime { FileTime(nanoseconds: FileStatus.nowOfFiles) }

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// When a file was last written; nil when it doesn't exist.
  init?(fileAt path: String) {
    guard let status = try? FileStatus(path) else { return nil }
    nanoseconds = status.written
  }

  /// Parses a date and time with offset (ISO 8601: `2026-11-21T09:00:00Z`, `…+09:00`), or `@` and seconds since 1970.
  init?(parsing text: String) {
    if text.hasPrefix("@") {
      guard let seconds = Int64(text.dropFirst()) else { return nil }
      self.init(seconds: seconds)
      return
    }
    guard let seconds = secondsSince1970(text) else { return nil }
    self.init(seconds: seconds)
  }

  private init?(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return nil }
    nanoseconds = product
  }
}

/// A folder in which a system stores crash reports.
struct ReportFolder {
  let path: String

  /// macOS has one level of subfolders. The limits are for a root folder given by mistake.
  private static let maximumDepth = 4
  private static let maximumCount = 10_000

  /// The files in it and its subfolders that were written at or after a time, the oldest first.
  ///
  /// - Parameter start: Nil for all files.
  /// - Returns: Their paths. Symbolic links that lead out of the folder, which may be a download, are omitted.
  /// - Throws: `SystemError` when the folder can't be read; unreadable subfolders are skipped.
  func files(since start: FileTime?) throws(SystemError) -> [String] {
    guard let folder = ConfinedFolder(path) else {
      _ = try directoryEntries(path)
      return []
    }
    let files = try folder.files(depth: Self.maximumDepth, count: Self.maximumCount)
    let found = files.compactMap { name -> (time: FileTime, path: String)? in
      let file = path + "/" + name
      guard let time = FileTime(fileAt: file), start.map({ time >= $0 }) ?? true else { return nil }
      return (time, file)
    }
    return found.sorted { ($0.time, $0.path) < ($1.time, $1.path) }.map(\.path)
  }
}
