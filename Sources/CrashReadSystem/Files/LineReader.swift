internal import Glibc

/// Splits a stream into lines as they arrive, without waiting for more.
package struct LineReader {
  package enum Next {
    case line([UInt8])
    /// A line longer than the limit, which was skipped.
    case tooLong
    /// No complete line is available yet.
    case wait
    case end
    case failed(SystemError)
  }

  package let descriptor: Int32
  private let separator: UInt8
  /// Maximum bytes of a line.
  private let limit: Int
  private var buffer: [UInt8] = []
  /// The start of the current line, and the position up to which its end was searched for.
  private var start = 0
  private var position = 0
  private var isSkipping = false
  private var isAtEnd = false
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  package init(descriptor: Int32, separator: UInt8, limit: Int) {
    self.descriptor = descriptor
    self.separator = separator
    self.limit = limit
  }

  /// Opens a file for reading, without blocking on a pipe that has no writer. The C function is `open`.
  package init(path: String, separator: UInt8, limit: Int) throws(SystemError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last("open") }
    self.init(descriptor: descriptor, separator: separator, limit: limit)
  }

  /// Closes the descriptor, unless it is standard input.
  package func close() {
    if descriptor != STDIN_FILENO { closeDescriptor(descriptor) }
  }

  /// The next line, without its separator. The last one may lack it.
  package mutating func next() -> Next {
    while true {
      if let end = buffer[position...].firstIndex(of: separator) { return take(upTo: end, next: end + 1) }
      position = buffer.count
      if position - start > limit { skip() }
      if isAtEnd {
        return start < buffer.count || isSkipping ? take(upTo: buffer.count, next: buffer.count) : .end
      }
      switch fill() {
      case nil: return .wait
      case 0?: break
      case let code?: return .failed(.failed("read", code: code))
      }
    }
  }

  private mutating func take(upTo end: Int, next: Int) -> Next {
    defer {
      (start, position, isSkipping) = (next, next, false)
      if start > 1 << 20 || start == buffer.count { forget() }
    }
    return isSkipping || end - start > limit ? .tooLong : .line(Array(buffer[start..<end]))
  }

  /// Discards the part of an overlong line that was read.
  private mutating func skip() {
    isSkipping = true
    start = buffer.count
    forget()
  }

  private mutating func forget() {
    buffer.removeFirst(start)
    position -= start
    start = 0
  }

  /// Reads what is available; nil when there is nothing yet, otherwise 0 or `errno`. The C functions are `poll` and
  /// `read`.
  private mutating func fill() -> Int32? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, 0) != 0 else { return nil }
    let count = unsafe read(descriptor, &chunk, chunk.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : errno }
    if count == 0 { isAtEnd = true }
    buffer.append(contentsOf: chunk[..<count])
    return 0
  }
}
