internal import Glibc

/// The path without symbolic links, `.` and `..`: equal for equal files. The C function is `realpath`.
///
/// Returns the path itself when it can't be resolved.
package func canonicalPath(_ path: String) -> String {
  guard let resolved = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// The length in bytes, terminator included, from which the system rejects paths (`PATH_MAX`).
package let maximumPathLength = Int(PATH_MAX)

/// The path up to and including its last slash.
package func directory(of path: String) -> String {
  path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
}

/// The directory that a file is in, without symbolic links: equal for equal directories.
package func canonicalDirectory(of path: String) -> String {
  let directory = directory(of: path)
  return canonicalPath(directory.isEmpty ? "." : directory)
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
/// Never blocks: opening a FIFO without a writer would wait forever. `-` is a file of that name.
/// - Parameters:
///   - path: The path.
///   - limit: The maximum size in bytes.
/// - Returns: The bytes.
/// - Throws: `SystemError` when the path isn't a regular file, can't be read, or the file is larger than the limit.
package func readFile(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
  let file = try OwnedDescriptor(regularFile: path)
  return try readAll(file.number, size: FileStatus(descriptor: file.number).size, limit: limit)
}

/// The first bytes of a regular file, up to `count`. The C function is `read`.
///
/// For files of which nothing else is wanted: mapping one takes several times as long.
/// - Throws: `SystemError` when the path isn't a regular file, or can't be read.
package func readHead(_ path: String, count: Int) throws(SystemError) -> [UInt8] {
  let file = try OwnedDescriptor(regularFile: path)
  let head = readOnce(file.number, length: count)
  guard head.count >= 0 else { throw .last("read") }
  return head.bytes
}

/// The whole contents of an operand of the command line: a file, standard input (`-`), or a pipe, as shells make for
/// `<(command)`. The C functions are `read` and `poll`.
///
/// Waits for the writer of a pipe; a FIFO without a writer counts as empty after one second.
/// - Parameters:
///   - path: The path; `-` is standard input.
///   - limit: The maximum size in bytes.
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

/// Everything from the current offset of a descriptor to its end; waits for data on non-blocking descriptors.
func readAll(_ descriptor: Int32, size: UInt64 = 0, limit: Int) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  while true {
    // The first read of a regular file gets all of its contents; the second one finds the end.
    let isWhole = bytes.isEmpty && size > 0
    let length = isWhole ? min(limit, Int(clamping: size), .max - 1) + 1 : chunkLength
    let (chunk, count) = readOnce(descriptor, length: length)
    if count < 0, errno == EINTR { continue }
    if count < 0, errno == EAGAIN, isStream(descriptor) {
      waitForBytes(descriptor, milliseconds: -1)
      continue
    }
    guard count >= 0 else { throw .last("read") }
    guard count > 0 else { return bytes }
    guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
    if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
  }
}

private let chunkLength = 1 << 16

/// Calls `read` once, into uninitialised memory.
/// - Returns: The bytes; and their number, or -1 with the reason in `errno`.
func readOnce(_ descriptor: Int32, length: Int) -> (bytes: [UInt8], count: Int) {
  var count = 0
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, initializedCount in
    count = unsafe read(descriptor, buffer.baseAddress, length)
    initializedCount = max(0, count)
  }
  return (bytes, count)
}

/// The file type bits of `st_mode`. The C function is `fstat`.
private func modeOfFile(_ descriptor: Int32) throws(SystemError) -> mode_t {
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { throw .last("fstat") }
  return status.st_mode & S_IFMT
}

/// Whether waiting for data makes sense: some files in `/proc` and `/sys` claim to be regular and never have any.
private func isStream(_ descriptor: Int32) -> Bool {
  (try? modeOfFile(descriptor)).map { $0 != S_IFREG } ?? false
}

/// Waits until a descriptor is readable, or at its end; -1 milliseconds wait indefinitely. The C function is `poll`.
/// - Returns: Whether it is readable.
@discardableResult
package func waitForBytes(_ descriptor: Int32, milliseconds: Int32) -> Bool {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return unsafe poll(&waiting, 1, milliseconds) == 1 && waiting.revents & Int16(POLLIN) != 0
}

// MARK: - Standard input

/// Whether standard input is a pipe, or a file that isn't empty. The C function is `fstat`.
package func hasPipedInput() -> Bool {
  switch try? modeOfFile(STDIN_FILENO) {
  case S_IFIFO, S_IFSOCK: true
  case S_IFREG: (try? FileStatus(descriptor: STDIN_FILENO).size).map { $0 > 0 } ?? false
  default: false
  }
}

/// Whether standard input has data within one second; a service's pipe may be empty and never closed.
package func hasWaitingInput() -> Bool { waitForBytes(STDIN_FILENO, milliseconds: 1000) }

/// The data available on standard input, waiting for the first byte; empty at its end.
package func readSomeInput() -> [UInt8] {
  while true {
    if let bytes = readAvailable(STDIN_FILENO) { return Array(bytes) }
  }
}

// MARK: - Regular files

/// Opens a regular file for reading. The C functions are `stat` and `open`.
///
/// Nothing else is ever opened: a pipe would block, and opening a device may have effects. What replaces the file
/// between the two calls is opened without blocking, and refused.
/// - Returns: The descriptor, which the caller closes.
/// - Throws: `SystemError` when the path isn't a regular file, or can't be read.
func openRegularFile(_ path: String) throws(SystemError) -> Int32 {
  guard try fileKind(path) == .file else { throw .notAFile }
  return try requireRegular(unsafe open(path, O_RDONLY | readingFlags))
}

/// How untrusted files are opened: without blocking, and never making a terminal the controlling terminal.
let readingFlags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY

/// A descriptor that was just opened, if it refers to a regular file; otherwise it is closed.
func requireRegular(_ descriptor: Int32) throws(SystemError) -> Int32 {
  guard descriptor >= 0 else { throw .last("open") }
  if (try? FileStatus(descriptor: descriptor))?.kind == .file { return descriptor }
  close(descriptor)
  throw .notAFile
}

// MARK: - Names of files

/// Creates a directory and its parents, accessible to the user only. The C function is `mkdir`.
/// - Throws: `SystemError` when one can't be created; existing ones are left as they are.
package func makeDirectories(_ path: String) throws(SystemError) {
  var end = path.startIndex
  while end < path.endIndex {
    end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
    guard unsafe mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST else {
      // EACCES and EROFS may also mean that the parent exists but isn't writable; creating the next component decides.
      if end < path.endIndex, errno == EACCES || errno == EROFS { continue }
      throw .last("mkdir")
    }
  }
}

/// Removes a file; errors are ignored. The C function is `unlink`.
package func removeFile(_ path: String) { unsafe unlink(path) }

/// Renames a file or directory within a file system. The C function is `rename`.
/// - Returns: Whether it succeeded.
@discardableResult
package func renameFile(_ path: String, to other: String) -> Bool { unsafe rename(path, other) == 0 }
