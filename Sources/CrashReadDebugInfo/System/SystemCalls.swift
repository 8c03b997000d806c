private import CCrashReadLinux
internal import CrashReadCore
internal import Glibc

/// The text for an `errno` value. The corresponding C function is `strerror`.
func systemMessage(_ code: Int32) -> String {
  unsafe copiedString(strerror(code)) ?? "error \(code)"
}

/// What a path names.
package enum FileKind: Sendable, Hashable {
  case file, directory, other
}

/// What a path names, with symbolic links followed. The corresponding C function is `stat`.
/// - Throws: `DebugFileError.system` when it names nothing that can be reached.
package func fileKind(_ path: String) throws(DebugFileError) -> FileKind {
  try FileStatus(path).kind
}

/// The path without symbolic links, `.` and `..`: equal for equal files. The corresponding C function is `realpath`.
///
/// The path itself when it names nothing that can be reached.
package func canonicalPath(_ path: String) -> String {
  guard let resolved = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// A path of so many bytes, or more, is no file's: nothing opens it.
package let longestPath = Int(PATH_MAX)

/// The names in a directory, sorted, without `.` and `..`. The corresponding C function is `readdir`.
/// - Throws: `DebugFileError.system` when the directory can't be opened.
package func directoryEntries(_ path: String) throws(DebugFileError) -> [String] {
  guard let directory = unsafe opendir(path) else { throw .system(operation: "opendir", code: errno) }
  defer { unsafe closedir(directory) }
  var names: [String] = []
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Has the kernel kill this process when its parent ends, even by SIGKILL. The corresponding C function is `prctl`.
///
/// - Parameter parent: The process that started this one. When it has ended before this call, nothing would come any more.
/// - Returns: Whether it is still there.
package func endWithParent(_ parent: Int32) -> Bool {
  _ = signal_at_end_of_parent(SIGKILL)
  return getppid() == parent
}

/// The whole contents of a regular file. The corresponding C function is `read`.
///
/// Nothing is waited for: a FIFO that nobody writes to would keep whoever opens it for ever. `-` is a file of that name.
/// - Parameters:
///   - path: The path.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `DebugFileError` when the path names no regular file, can't be read, or holds more bytes than the limit.
package func readFile(_ path: String, limit: Int) throws(DebugFileError) -> [UInt8] {
  let file = try OwnedDescriptor(reading: path)
  let status = try file.status()
  guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
  return try readAll(file.number, size: Int(status.st_size), limit: limit)
}

/// The whole contents of what somebody names on a command line: a file, standard input (`-`), or a pipe, as shells make
/// them for `<(command)`. The corresponding C functions are `read` and `poll`.
///
/// Whoever writes into a pipe is waited for; a FIFO that nobody opens for writing is empty after a second.
/// - Parameters:
///   - path: The path; `-` is standard input.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `DebugFileError` when the path is a directory, can't be read, or holds more bytes than the limit.
package func readOperand(_ path: String, limit: Int) throws(DebugFileError) -> [UInt8] {
  if path == "-" { return try readAll(STDIN_FILENO, size: 0, limit: limit) }
  let file = try OwnedDescriptor(reading: path)
  let status = try file.status()
  let kind = status.st_mode & S_IFMT
  guard [S_IFREG, S_IFIFO, S_IFCHR].contains(kind) else { throw .notAFile }
  if kind == S_IFIFO { waitForBytes(file.number, milliseconds: 1000) }
  return try readAll(file.number, size: Int(status.st_size), limit: limit)
}

/// Everything from where a descriptor stands to its end; one that is open without blocking is waited for.
func readAll(_ descriptor: Int32, size: Int, limit: Int) throws(DebugFileError) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(min(limit, max(0, size) + 1))
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN, isStream(descriptor) {
      waitForBytes(descriptor, milliseconds: -1)
      continue
    }
    guard count >= 0 else { throw .system(operation: "read", code: errno) }
    guard count > 0 else { return bytes }
    guard bytes.count + count <= limit else { throw .unsupported("a file of more than \(limit) bytes") }
    unsafe chunk.withUnsafeBufferPointer {
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[..<count]))
    }
  }
}

/// Whether waiting for bytes makes sense: some of the kernel's files call themselves regular and never have any.
private func isStream(_ descriptor: Int32) -> Bool {
  var status = stat()
  return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}

private func waitForBytes(_ descriptor: Int32, milliseconds: Int32) {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  unsafe poll(&waiting, 1, milliseconds)
}
