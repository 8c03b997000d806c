import Glibc

/// A file in memory with a path, for code that opens files by path. The C function is `shm_open`.
final class MemoryFile {
  private let descriptor: Int32
  let path: String

  init() {
    let name = "/crashread-fuzz-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    descriptor = unsafe shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    precondition(descriptor >= 0, "shm_open failed")
    unsafe shm_unlink(name)
    path = "/proc/self/fd/\(descriptor)"
  }

  deinit { close(descriptor) }

  /// Replaces the contents.
  func write(_ bytes: [UInt8]) {
    precondition(ftruncate(descriptor, 0) == 0)
    let count = unsafe pwrite(descriptor, bytes, bytes.count, 0)
    precondition(count == bytes.count)
  }
}
