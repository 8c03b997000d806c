internal import Glibc

/// Opens a regular file for reading. The corresponding C functions are `stat` and `open`.
///
/// Nothing else is opened at all: a pipe would be waited for, and opening a device can do something. What takes a file's
/// place between the two calls is opened without waiting, and refused.
/// - Returns: The descriptor, which is the caller's to close.
/// - Throws: `DebugFileError` when the path names no regular file, or one that can't be read.
func openRegularFile(_ path: String) throws(DebugFileError) -> Int32 {
  guard try fileKind(path) == .file else { throw .notAFile }
  return try requireRegular(unsafe open(path, O_RDONLY | readingFlags))
}

/// The whole contents of a regular file.
///
/// - Parameters:
///   - path: The path.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `DebugFileError` when the path names no regular file, or one that can't be read or holds more than the limit.
public func readFile(_ path: String, limit: Int) throws(DebugFileError) -> [UInt8] {
  let descriptor = try openRegularFile(path)
  defer { close(descriptor) }
  return try contents(of: descriptor, limit: limit)
}

/// The whole contents of what the user named as input, which can also be a pipe or a terminal.
///
/// A pipe that nobody has open for writing is empty, and isn't waited for.
/// - Parameters:
///   - path: The path; `-` is standard input.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `DebugFileError` when the path is a directory, can't be read, or holds more than the limit.
public func readOperand(_ path: String, limit: Int) throws(DebugFileError) -> [UInt8] {
  if path == "-" { return try contents(of: STDIN_FILENO, limit: limit) }
  let descriptor = unsafe open(path, O_RDONLY | readingFlags)
  guard descriptor >= 0 else { throw .system(operation: "open", code: errno) }
  defer { close(descriptor) }
  // A writer that is there is waited for.
  guard fcntl(descriptor, F_SETFL, 0) == 0 else { throw .system(operation: "fcntl", code: errno) }
  return try contents(of: descriptor, limit: limit)
}

/// How strangers' files are opened: nothing is waited for, and a terminal doesn't become the process's own.
let readingFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY

/// A descriptor that was opened just now, if it is one of a regular file; else it is closed.
func requireRegular(_ descriptor: Int32) throws(DebugFileError) -> Int32 {
  guard descriptor >= 0 else { throw .system(operation: "open", code: errno) }
  var status = stat()
  if unsafe fstat(descriptor, &status) == 0, FileKind(mode: status.st_mode) == .file { return descriptor }
  close(descriptor)
  throw .notAFile
}

/// What can be read from a descriptor. The corresponding C function is `read`.
func contents(of descriptor: Int32, limit: Int) throws(DebugFileError) -> [UInt8] {
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { throw .system(operation: "fstat", code: errno) }
  guard FileKind(mode: status.st_mode) != .directory else { throw .notAFile }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(min(limit, max(0, Int(status.st_size)) + 1))
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw .system(operation: "read", code: errno) }
    guard count > 0 else { return bytes }
    guard bytes.count + count <= limit else { throw .unsupported("a file of more than \(limit) bytes") }
    bytes.append(contentsOf: chunk[..<count])
  }
}
