internal import Glibc

/// A file without a name, for what another process writes. The C functions are `tmpfile` and `dup`.
package struct TemporaryFile {
  private let descriptor: Int32

  package init() {
    guard let file = unsafe tmpfile() else {
      descriptor = -1
      return
    }
    descriptor = unsafe fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
    unsafe fclose(file)
  }

  /// The stream that a process gets to write into it.
  package var stream: ChildStream { descriptor < 0 ? .none : .descriptor(descriptor) }

  /// The beginning of what was written; the file is gone then. The C function is `pread`.
  package func take() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    if descriptor >= 0 { close(descriptor) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
