internal import Glibc

/// What a path names and in which state it is, symbolic links followed. The corresponding C function is `stat`.
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

  /// - Throws: `DebugFileError.system` when the path names nothing that can be reached.
  package init(_ path: String) throws(DebugFileError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .system(operation: "stat", code: errno) }
    id = ID(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    kind = FileKind(mode: status.st_mode)
    size = UInt64(clamping: status.st_size)
    written = nanoseconds(status.st_mtim)
    changed = nanoseconds(status.st_ctim)
  }

  /// Whether the file was left alone for a while before a moment. A file that is written twice within one tick of the
  /// file system's clock shows the same times after both; one that was written long ago can't be such.
  package func isSettled(at moment: Int64) -> Bool { changed < moment &- 2_000_000_000 }

  /// The present, in nanoseconds since 1970. The corresponding C function is `clock_gettime`.
  package static var now: Int64 {
    var time = timespec()
    return unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 ? nanoseconds(time) : 0
  }
}

/// A time of the year 3000 makes a wrong number, and no trap.
private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
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
