internal import Glibc

/// An open file or directory, closed when it is deinitialised.
package struct OwnedDescriptor: ~Copyable, Sendable {
  package let number: Int32

  private init(number: Int32) { self.number = number }

  /// Opens a directory owned by the user.
  package init(directory path: String, followsLinks: Bool = true) throws(SystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    number = unsafe Glibc.open(path, flags)
    guard number >= 0 else { throw .last("open") }
    guard isOwn(.directory) else { throw .writableByOthers }
  }

  /// Opens a file for reading, without waiting for a pipe's writer, and without making a terminal the controlling
  /// terminal.
  package init(reading path: String) throws(SystemError) {
    number = unsafe Glibc.open(path, O_RDONLY | readingFlags)
    guard number >= 0 else { throw .last("open") }
  }

  /// Opens a regular file; anything else is refused.
  package init(regularFile path: String) throws(SystemError) { number = try openRegularFile(path) }

  deinit { close(number) }

  /// Whether it has a type, belongs to the user, and is writable by the user only. The C function is `fstat`.
  package func isOwn(_ kind: FileKind) -> Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && FileKind(mode: status.st_mode) == kind
      && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }

  /// How a file of a directory is opened.
  package enum Mode {
    /// For reading.
    case reading
    /// For reading and writing an existing file.
    case updating
    /// For reading and writing, created when missing.
    case creating
    /// For writing a new file, which must not exist.
    case new
    /// A directory.
    case directory

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .updating: O_RDWR
      case .creating: O_RDWR | O_CREAT
      case .new: O_WRONLY | O_CREAT | O_EXCL
      case .directory: O_RDONLY | O_DIRECTORY
      }
    }
  }

  /// Opens a file in the directory; a symbolic link is refused. The C function is `openat`.
  package func open(_ name: String, _ mode: Mode) throws(SystemError) -> OwnedDescriptor {
    let flags = mode.flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let file = unsafe openat(number, name, flags, 0o600)
    guard file >= 0 else { throw .last("open") }
    return OwnedDescriptor(number: file)
  }

  /// The status of a directory entry, without following symbolic links; nil when there is none.
  package func status(of name: String) -> FileStatus? { try? FileStatus(name, in: number) }

  /// Writes all of the bytes at the current offset. The C function is `write`.
  package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .last("write")
      }
    }
  }

  /// Sets the times of the file to now, to record that it was used. The C function is `futimens`.
  package func markUsed() { _ = futimens(number, nil) }

  // MARK: Names

  /// Renames a file within the directory. The C function is `renameat`.
  package func rename(_ name: String, to other: String) throws(SystemError) {
    guard unsafe renameat(number, name, number, other) == 0 else { throw .last("rename") }
  }

  /// Removes a file of the directory. The C function is `unlinkat`.
  package func removeFile(_ name: String) { unsafe unlinkat(number, name, 0) }

  /// Removes everything in the directory; symbolic links are removed, not followed.
  func removeContents() {
    for name in (try? directoryEntries("/proc/self/fd/\(number)")) ?? [] { remove(name) }
  }

  /// Removes a file, or a directory with its contents, from the directory. The C function is `unlinkat`.
  package func remove(_ name: String) {
    if unsafe unlinkat(number, name, 0) == 0 { return }
    if let inner = try? open(name, .directory) { inner.removeContents() }
    unsafe unlinkat(number, name, AT_REMOVEDIR)
  }

  // MARK: Locks

  /// Takes the file's exclusive lock if it is free; it is held until the file is closed. The C function is `flock`.
  /// - Returns: Whether it was taken.
  package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

  /// Waits for the file's exclusive lock, which is held until the file is closed. The C function is `flock`.
  package func lock() throws(SystemError) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .last("flock") }
    }
  }

  /// The mode of a lock on one byte of a file.
  package enum ByteLock {
    case shared, exclusive, none

    fileprivate var type: Int32 {
      switch self {
      case .shared: F_RDLCK
      case .exclusive: F_WRLCK
      case .none: F_UNLCK
      }
    }
  }

  /// Locks a byte of the file, which needn't exist; the lock belongs to the open file, not to the process. See "Open
  /// file description locks" in fcntl(2).
  /// - Returns: Whether the lock is held.
  package func setLock(ofByte offset: UInt64, to lock: ByteLock, waits: Bool) -> Bool {
    // F_OFD_SETLK, F_OFD_SETLKW, which glibc declares only with `_GNU_SOURCE`
    let (set, setAndWait): (Int32, Int32) = (37, 38)
    var range = flock(
      l_type: Int16(lock.type), l_whence: Int16(SEEK_SET), l_start: Int(clamping: offset), l_len: 1, l_pid: 0)
    while unsafe fcntl(number, waits ? setAndWait : set, &range) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
