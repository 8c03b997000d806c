internal import Glibc

/// What a path names.
package enum FileKind: Sendable, Hashable {
  case file, directory, other
}

extension FileKind {
  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .directory
    default: self = .other
    }
  }
}

/// What a path names, with symbolic links followed. The C function is `stat`.
/// - Throws: `SystemError` when it names nothing that can be reached.
package func fileKind(_ path: String) throws(SystemError) -> FileKind { try FileStatus(path).kind }

/// What a path names and in which state it is.
///
/// Two that are equal mean the same file with the same contents: every write sets the time of change, and no program can
/// set it back.
package struct FileStatus: Hashable, Sendable {
  /// What tells a file from all others there are.
  package struct ID: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }
  }

  package var id: ID
  package var kind: FileKind
  /// In bytes.
  package var size: UInt64
  /// When the contents were written, by what the writer says (`st_mtim`), in nanoseconds since 1970.
  package var written: Int64
  /// When anything about the file was changed (`st_ctim`), in nanoseconds since 1970.
  package var changed: Int64

  package init(id: ID, kind: FileKind, size: UInt64, written: Int64, changed: Int64) {
    self.id = id
    self.kind = kind
    self.size = size
    self.written = written
    self.changed = changed
  }

  /// The status of what a path names, symbolic links followed. The C function is `stat`.
  /// - Throws: `SystemError` when the path names nothing that can be reached.
  package init(_ path: String) throws(SystemError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .last("stat") }
    self.init(status)
  }

  /// The status of an open file. The C function is `fstat`.
  package init(descriptor: Int32) throws(SystemError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat") }
    self.init(status)
  }

  /// The status of what a directory has under a name, symbolic links not followed. The C function is `fstatat`.
  init(_ name: String, in directory: Int32) throws(SystemError) {
    var status = stat()
    guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last("fstatat") }
    self.init(status)
  }

  /// The status of what a path names, a symbolic link at its end not followed. The C function is `lstat`.
  package static func ofLink(_ path: String) throws(SystemError) -> FileStatus {
    try FileStatus(path, in: AT_FDCWD)
  }

  private init(_ status: stat) {
    id = ID(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    kind = FileKind(mode: status.st_mode)
    size = UInt64(clamping: status.st_size)
    written = nanoseconds(status.st_mtim)
    changed = nanoseconds(status.st_ctim)
  }

  /// Whether it is the same file, and nothing of it was changed between the two.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    (id, size, changed) == (earlier.id, earlier.size, earlier.changed)
  }

  /// Whether the file was left alone for a while before a moment. A file that is written twice within one tick of the
  /// file system's clock shows the same times after both; one that was written long ago can't be such.
  package func isSettled(at moment: Int64) -> Bool { changed < moment &- 2_000_000_000 }

  /// The present, in nanoseconds since 1970. The C function is `clock_gettime`.
  package static var now: Int64 { clock(CLOCK_REALTIME) }

  /// The present by the clock that file systems read, in nanoseconds since 1970: a file made later is never older.
  package static var nowOfFiles: Int64 { clock(CLOCK_REALTIME_COARSE) }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    return unsafe clock_gettime(clock, &time) == 0 ? nanoseconds(time) : 0
  }
}

/// A time of the year 3000 makes a wrong number, and no trap.
private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
