internal import Glibc

/// Reads what a descriptor has now, waiting for the first byte. The C function is `read`.
/// - Returns: The bytes; none at the end, or when it can't be read; nil when a signal came first.
package func readAvailable(_ descriptor: Int32, limit: Int = 1 << 16) -> ArraySlice<UInt8>? {
  var chunk = [UInt8](repeating: 0, count: limit)
  let count = unsafe read(descriptor, &chunk, chunk.count)
  if count < 0, errno == EINTR { return nil }
  return chunk[..<max(0, count)]
}

/// Writes as much as a descriptor takes now.
/// - Returns: How many bytes; nil when it takes none.
package func writeAvailable(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
  let count = unsafe bytes.withUnsafeBytes { unsafe writeWithoutSignal(descriptor, $0) }
  return count < 0 ? nil : count
}

/// `write(2)`, except that a closed pipe is an error and no signal, whatever the process does about SIGPIPE: what that is,
/// a library must not decide. The C functions are `pthread_sigmask` and `sigtimedwait`.
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

/// Has reading and writing never wait. The C function is `fcntl`.
package func setNonBlocking(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

/// Closes a descriptor. The C function is `close`.
package func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

/// Waits until one of some descriptors can be read or written, or has ended. The C function is `poll`.
/// - Parameters:
///   - readable: Those to be read; nil for none in this place.
///   - writable: Those to be written; nil for none in this place.
///   - milliseconds: How long at most; -1 for as long as it takes.
/// - Returns: For each of the places whether something happened to it.
package func waitForAny(
  readable: [Int32?], writable: [Int32?], milliseconds: Int32
) -> (readable: [Bool], writable: [Bool]) {
  var waiting = readable.map { pollfd(fd: $0 ?? -1, events: Int16(POLLIN), revents: 0) }
  waiting += writable.map { pollfd(fd: $0 ?? -1, events: Int16(POLLOUT), revents: 0) }
  unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
  let happened = waiting.map { $0.revents != 0 }
  return (Array(happened.prefix(readable.count)), Array(happened.dropFirst(readable.count)))
}

/// Makes a file that only the user can read, unless it is there already. The C function is `open`.
package func makePrivateFile(_ path: String) throws(SystemError) {
  let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
  guard descriptor >= 0 else { throw .last("open") }
  close(descriptor)
}

/// A regular file that is written at its end.
package final class AppendableFile: Sendable {
  package let descriptor: Int32
  /// What it was when it was opened.
  package let status: FileStatus

  /// Opens a file, or makes it. The C function is `open`.
  package init(path: String) throws(SystemError) {
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
    descriptor = try requireRegular(opened)
    status = try FileStatus(descriptor: descriptor)
  }

  deinit { close(descriptor) }

  /// Cuts off what stands behind a length. The C function is `ftruncate`.
  package func cut(to length: Int64) throws(SystemError) {
    if ftruncate(descriptor, off_t(length)) != 0 { throw .last("ftruncate") }
  }

  /// Waits until the disk has it. The C function is `fdatasync`.
  package func synchronize() throws(SystemError) {
    if fdatasync(descriptor) != 0 { throw .last("fdatasync") }
  }
}
