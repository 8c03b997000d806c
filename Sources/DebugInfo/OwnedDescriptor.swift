internal import Glibc

/// Makes a directory and those it lies in, for the user alone. The corresponding C function is `mkdir`.
/// - Throws: `DebugFileError.system` when one can't be made; those that are there already stay as they are.
func makeDirectories(_ path: String) throws(DebugFileError) {
  var end = path.startIndex
  while end < path.endIndex {
    end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
    guard unsafe mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST else {
      // Which may also be a directory that is there and can't be written to; what lies in it decides.
      if end < path.endIndex, errno == EACCES || errno == EROFS { continue }
      throw .system(operation: "mkdir", code: errno)
    }
  }
}

/// An open file or directory, closed at the end of its life.
struct OwnedDescriptor: ~Copyable {
  let number: Int32

  private init(number: Int32) { self.number = number }

  /// Opens a directory that is the user's own.
  init(directory path: String, followsLinks: Bool = true) throws(DebugFileError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    number = unsafe Glibc.open(path, flags)
    guard number >= 0 else { throw .system(operation: "open", code: errno) }
    guard isOwn(S_IFDIR) else { throw .unsupported("a directory that others can write to") }
  }

  /// Opens what a path names to read it, without waiting for whoever writes into a pipe, and without becoming a
  /// terminal's own process.
  init(reading path: String) throws(DebugFileError) {
    number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard number >= 0 else { throw .system(operation: "open", code: errno) }
  }

  deinit { close(number) }

  /// What the system says of it. The corresponding C function is `fstat`.
  func status() throws(DebugFileError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw .system(operation: "fstat", code: errno) }
    return status
  }

  /// Whether it is of a kind, belongs to the user, and nobody else can write to it.
  func isOwn(_ kind: mode_t) -> Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
      && status.st_mode & 0o022 == 0
  }

  /// Opens a file in the directory; a symbolic link is refused.
  func open(_ name: String, _ flags: Int32) throws(DebugFileError) -> OwnedDescriptor {
    let file = unsafe openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw .system(operation: "open", code: errno) }
    return OwnedDescriptor(number: file)
  }

  /// Writes all of the bytes where the last write ended.
  func write(_ bytes: ArraySlice<UInt8>) throws(DebugFileError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .system(operation: "write", code: errno)
      }
    }
  }

  /// Removes everything in the directory; nothing outside of it, wherever links in it point.
  func removeContents() {
    for name in (try? directoryEntries("/proc/self/fd/\(number)")) ?? [] { remove(name) }
  }

  /// Removes a file of the directory, or a directory with all that is in it. The corresponding C function is `unlinkat`.
  func remove(_ name: String) {
    if unsafe unlinkat(number, name, 0) == 0 { return }
    if let inner = try? open(name, O_RDONLY | O_DIRECTORY) { inner.removeContents() }
    unsafe unlinkat(number, name, AT_REMOVEDIR)
  }
}
