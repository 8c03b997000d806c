internal import Glibc

/// The process's standard streams, by their descriptors.
package let standardInput = STDIN_FILENO
package let standardOutput = STDOUT_FILENO
package let standardError = STDERR_FILENO

/// Ignores SIGPIPE: writing to a closed pipe then fails with EPIPE instead of terminating the process. The C function
/// is `signal`.
package func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

/// Whether standard input is a terminal. The C function is `isatty`.
package var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

/// Buffered text for a file descriptor.
///
/// The first error is kept and stops all writing.
package struct OutputStream: TextOutputStream {
  private let descriptor: Int32
  package private(set) var pending: [UInt8] = []
  package private(set) var failure: SystemError?

  /// The size at which the buffer is written.
  private static let limit = 1 << 16

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates or truncates a file, or opens it for appending.
  ///
  /// The C function is `open`.
  package init(path: String, appends: Bool = false) throws(SystemError) {
    let start = appends ? O_APPEND : O_TRUNC
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | start | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw .last("open") }
  }

  package mutating func write(_ text: String) { write(bytes: Array(text.utf8)) }

  /// Not generic: a collection's bytes would be copied one at a time.
  package mutating func write(bytes: [UInt8]) {
    guard failure == nil else { return }
    pending.append(contentsOf: bytes)
    if pending.count >= Self.limit { flush() }
  }

  /// Writes the buffer.
  ///
  /// The C function is `write`.
  package mutating func flush() {
    guard failure == nil else { return }
    var written = 0
    // By index rather than with a slice: while a slice exists, `removeAll` allocates a new buffer, a page larger each
    // time.
    while written < pending.count {
      let count = unsafe pending.withUnsafeBytes {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[written...])
        return unsafe writeWithoutSignal(descriptor, rest)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        failure = .last("write")
        break
      }
    }
    // A buffer that grew for one large result isn't kept.
    pending.removeAll(keepingCapacity: pending.count <= 16 * Self.limit)
  }

  /// Writes the buffer and closes the descriptor.
  ///
  /// The C function is `close`.
  package mutating func close() throws(SystemError) {
    flush()
    if Glibc.close(descriptor) != 0, failure == nil { failure = .last("close") }
    if let failure { throw failure }
  }

  /// The C function is `isatty`.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The C function is `ioctl` with `TIOCGWINSZ`.
  package var terminalColumns: Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
