internal import Glibc

/// Reads what is available, waiting for the first byte. The C function is `read`.
/// - Returns: The bytes; empty at the end of file and on errors; nil when a signal interrupted the call.
package func readAvailable(_ descriptor: Int32) -> ArraySlice<UInt8>? {
  let (bytes, count) = readOnce(descriptor, length: 1 << 16)
  return count < 0 && errno == EINTR ? nil : bytes[...]
}

/// Writes as much as the descriptor accepts now.
/// - Returns: How many bytes were written; nil when it accepts none.
package func writeAvailable(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
  let count = unsafe bytes.withUnsafeBytes { unsafe writeWithoutSignal(descriptor, $0) }
  return count < 0 ? nil : count
}

/// `write(2)`, except that a closed pipe gives an error and never a signal: how the process handles SIGPIPE isn't for a
/// library to decide. The C functions are `pthread_sigmask` and `sigtimedwait`.
@unsafe
func writeWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  var pipeSignal = sigset_t()
  var (former, pending) = (sigset_t(), sigset_t())
  unsafe sigemptyset(&pipeSignal)
  unsafe sigaddset(&pipeSignal, SIGPIPE)
  unsafe sigpending(&pending)
  let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
  unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, &former)
  let count = unsafe write(descriptor, bytes.baseAddress, bytes.count)
  let code = errno
  if count < 0, code == EPIPE, !wasPending {
    var none = timespec()
    while unsafe sigtimedwait(&pipeSignal, nil, &none) < 0, errno == EINTR {}
  }
  unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
  errno = code
  return count
}

/// Makes a descriptor non-blocking. The C function is `fcntl`.
package func setNonBlocking(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

/// Closes a descriptor. The C function is `close`.
package func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// Waits until one of some descriptors can be read or written, or is closed at the other end. The C function is `poll`.
/// - Parameters:
///   - readable: Descriptors to read; nil entries are ignored.
///   - writable: Descriptors to write; nil entries are ignored.
///   - milliseconds: The maximum time to wait; -1 for no limit.
/// - Returns: For each entry, whether it is ready.
package func waitForAny(
  readable: [Int32?], writable: [Int32?], milliseconds: Int32
) -> (readable: [Bool], writable: [Bool]) {
  var waiting = readable.map { pollfd(fd: $0 ?? -1, events: Int16(POLLIN), revents: 0) }
  waiting += writable.map { pollfd(fd: $0 ?? -1, events: Int16(POLLOUT), revents: 0) }
  unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
  let happened = waiting.map { $0.revents != 0 }
  return (Array(happened.prefix(readable.count)), Array(happened.dropFirst(readable.count)))
}

/// Creates a file that only the user can read, unless it exists. The C function is `open`.
package func makePrivateFile(_ path: String) throws(SystemError) {
  let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
  guard descriptor >= 0 else { throw .last("open") }
  close(descriptor)
}

/// A regular file that is appended to.
package final class AppendableFile: Sendable {
  package let descriptor: Int32
  /// Its status when it was opened.
  package let status: FileStatus

  /// Opens a file, or creates it. The C function is `open`.
  package init(path: String) throws(SystemError) {
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
    descriptor = try requireRegular(opened)
    status = try FileStatus(descriptor: descriptor)
  }

  deinit { close(descriptor) }

  /// Truncates the file. The C function is `ftruncate`.
  package func truncate(to length: Int64) throws(SystemError) {
    if ftruncate(descriptor, off_t(length)) != 0 { throw .last("ftruncate") }
  }

  /// Waits until the data is on disk. The C function is `fdatasync`.
  package func synchronize() throws(SystemError) {
    if fdatasync(descriptor) != 0 { throw .last("fdatasync") }
  }
}
