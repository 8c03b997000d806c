internal import Glibc

/// The type of a file.
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

/// The type of the file at a path, following symbolic links. The C function is `stat`.
/// - Throws: `SystemError` when there is none, or it can't be reached.
package func fileKind(_ path: String) throws(SystemError) -> FileKind { try FileStatus(path).kind }

/// The identity and the state of a file.
///
/// Equal values mean the same file with the same contents: every write sets the status-change time, and no program can
/// set it back.
package struct FileStatus: Hashable, Sendable {
  /// Device and inode, which identify a file.
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
  /// When the contents were written according to the writer (`st_mtim`), in nanoseconds since 1970.
  package var written: Int64
  /// When the file or its status changed (`st_ctim`), in nanoseconds since 1970.
  package var changed: Int64

  package init(id: ID, kind: FileKind, size: UInt64, written: Int64, changed: Int64) {
    self.id = id
    self.kind = kind
    self.size = size
    self.written = written
    self.changed = changed
  }

  /// The status of the file at a path, following symbolic links. The C function is `stat`.
  /// - Throws: `SystemError` when there is none, or it can't be reached.
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

  /// The status of a directory entry, without following symbolic links. The C function is `fstatat`.
  init(_ name: String, in directory: Int32) throws(SystemError) {
    var status = stat()
    guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last("fstatat") }
    self.init(status)
  }

  /// The status of the file at a path, without following a symbolic link at its end. The C function is `lstat`.
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

  /// Whether it is the same file, unchanged between the two.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    (id, size, changed) == (earlier.id, earlier.size, earlier.changed)
  }

  /// Whether the file last changed more than two seconds before a time, in nanoseconds since 1970.
  ///
  /// Two writes within one tick of the file system's clock leave equal times, so equal times identify the contents only
  /// of files that haven't changed recently.
  package func isSettled(at time: Int64) -> Bool { changed < time &- 2_000_000_000 }

  /// The current time, in nanoseconds since 1970. The C function is `clock_gettime`.
  package static var now: Int64 { clock(CLOCK_REALTIME) }

  /// The current time by the coarse clock that file systems use, in nanoseconds since 1970: no file created later has
  /// an older time.
  package static var nowOfFiles: Int64 { clock(CLOCK_REALTIME_COARSE) }

  private static func clock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    return unsafe clock_gettime(clock, &time) == 0 ? nanoseconds(time) : 0
  }
}

/// Years after 2262 overflow to a wrong number, without a trap.
private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
