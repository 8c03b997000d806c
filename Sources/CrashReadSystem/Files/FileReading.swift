internal import Glibc

/// The path without symbolic links, `.` and `..`: equal for equal files. The C function is `realpath`.
///
/// The path itself when it names nothing that can be reached.
package func canonicalPath(_ path: String) -> String {
  guard let resolved = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// A path of so many bytes, or more, is no file's: nothing opens it.
package let longestPath = Int(PATH_MAX)

/// Everything of a path up to its last slash.
package func directory(of path: String) -> String {
  path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
}

/// The names in a directory, sorted, without `.` and `..`. The C function is `readdir`.
/// - Throws: `SystemError` when the directory can't be opened.
package func directoryEntries(_ path: String) throws(SystemError) -> [String] {
  guard let directory = unsafe opendir(path) else { throw .last("opendir") }
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

/// The whole contents of a regular file. The C function is `read`.
///
/// Nothing is waited for: opening a FIFO without a writer would block for ever. `-` is a file of that name.
/// - Parameters:
///   - path: The path.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `SystemError` when the path names no regular file, can't be read, or holds more bytes than the limit.
package func readFile(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  let file = try OwnedDescriptor(reading: path)
  let status = try FileStatus(descriptor: file.number)
  guard status.kind == .file else { throw .notAFile }
  return try readAll(file.number, size: status.size, limit: limit)
}

/// The whole contents of an operand of a command line: a file, standard input (`-`), or a pipe, as shells make
/// them for `<(command)`. The C functions are `read` and `poll`.
///
/// Waits for the writer of a pipe; a FIFO without a writer counts as empty after a second.
/// - Parameters:
///   - path: The path; `-` is standard input.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `SystemError` when the path is a directory, can't be read, or holds more bytes than the limit.
package func readOperand(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  if path == "-" { return try readAll(STDIN_FILENO, limit: limit) }
  let file = try OwnedDescriptor(reading: path)
  let mode = try modeOfFile(file.number)
  guard [S_IFREG, S_IFIFO, S_IFCHR].contains(mode) else { throw .notAFile }
  if mode == S_IFIFO { waitForBytes(file.number, milliseconds: 1000) }
  return try readAll(file.number, size: FileStatus(descriptor: file.number).size, limit: limit)
}

/// Everything from where a descriptor stands to its end; one that is open without blocking is waited for.
func readAll(_ descriptor: Int32, size: UInt64 = 0, limit: Int) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(min(limit, Int(clamping: size) &+ 1))
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN, isStream(descriptor) {
      waitForBytes(descriptor, milliseconds: -1)
      continue
    }
    guard count >= 0 else { throw .last("read") }
    guard count > 0 else { return bytes }
    guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
    unsafe chunk.withUnsafeBufferPointer {
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[..<count]))
    }
  }
}

/// The kind's bits of `st_mode`. The C function is `fstat`.
private func modeOfFile(_ descriptor: Int32) throws(SystemError) -> mode_t {
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat") }
  return status.st_mode & S_IFMT
}

/// Whether waiting for bytes makes sense: some of the kernel's files call themselves regular and never have any.
private func isStream(_ descriptor: Int32) -> Bool {
  (try? modeOfFile(descriptor)).map { $0 != S_IFREG } ?? false
}

/// Waits until a descriptor has bytes, or has ended; -1 for as long as it takes. The C function is `poll`.
/// - Returns: Whether there are bytes.
@discardableResult
package func waitForBytes(_ descriptor: Int32, milliseconds: Int32) -> Bool {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return unsafe poll(&waiting, 1, milliseconds) == 1 && waiting.revents & Int16(POLLIN) != 0
}

// MARK: - Standard input

/// Whether standard input is a pipe, or a file with something in it. The C function is `fstat`.
package func hasPipedInput() -> Bool {
  switch try? modeOfFile(STDIN_FILENO) {
  case S_IFIFO, S_IFSOCK: true
  case S_IFREG: (try? FileStatus(descriptor: STDIN_FILENO).size).map { $0 > 0 } ?? false
  default: false
  }
}

/// Whether standard input has a byte within a second; a service's pipe can be empty, or never closed.
package func hasWaitingInput() -> Bool { waitForBytes(STDIN_FILENO, milliseconds: 1000) }

/// What standard input has now, waiting for the first byte; empty at its end.
package func readSomeInput() -> [UInt8] {
  while true {
    if let bytes = readAvailable(STDIN_FILENO) { return Array(bytes) }
  }
}

// MARK: - Regular files

/// Opens a regular file for reading. The C functions are `stat` and `open`.
///
/// Nothing else is opened at all: a pipe would be waited for, and opening a device can do something. What takes a file's
/// place between the two calls is opened without waiting, and refused.
/// - Returns: The descriptor, which is the caller's to close.
/// - Throws: `SystemError` when the path names no regular file, or one that can't be read.
func openRegularFile(_ path: String) throws(SystemError) -> Int32 {
  guard try fileKind(path) == .file else { throw .notAFile }
  return try requireRegular(unsafe open(path, O_RDONLY | readingFlags))
}

/// How strangers' files are opened: nothing is waited for, and a terminal doesn't become the process's own.
let readingFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY

/// A descriptor that was opened just now, if it is one of a regular file; else it is closed.
func requireRegular(_ descriptor: Int32) throws(SystemError) -> Int32 {
  guard descriptor >= 0 else { throw .last("open") }
  if (try? FileStatus(descriptor: descriptor))?.kind == .file { return descriptor }
  close(descriptor)
  throw .notAFile
}

// MARK: - Names of files

/// Makes a directory and those it lies in, for the user alone. The C function is `mkdir`.
/// - Throws: `SystemError` when one can't be made; those that are there already stay as they are.
package func makeDirectories(_ path: String) throws(SystemError) {
  var end = path.startIndex
  while end < path.endIndex {
    end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
    guard unsafe mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST else {
      // Which may also be a directory that is there and can't be written to; what lies in it decides.
      if end < path.endIndex, errno == EACCES || errno == EROFS { continue }
      throw .last("mkdir")
    }
  }
}

/// Removes a file's name; nothing happens when it can't be removed. The C function is `unlink`.
package func removeFile(_ path: String) { unsafe unlink(path) }

/// Gives a file or directory another name on the same file system. The C function is `rename`.
/// - Returns: Whether that could be done.
@discardableResult
package func renameFile(_ path: String, to other: String) -> Bool { unsafe rename(path, other) == 0 }
