internal import Glibc

/// The text for an `errno` value. The corresponding C function is `strerror`.
func systemMessage(_ code: Int32) -> String {
  unsafe copiedString(strerror(code)) ?? "error \(code)"
}

/// A copy of a C string; nil for a null pointer.
func copiedString(_ pointer: UnsafePointer<CChar>?) -> String? {
  unsafe pointer.map { unsafe String(cString: $0) }
}

/// What a path names.
public enum FileKind: Sendable, Hashable {
  case file, directory, other
}

/// What a path names, with symbolic links followed. The corresponding C function is `stat`.
/// - Throws: `DebugFileError.system` when it names nothing that can be reached.
public func fileKind(_ path: String) throws(DebugFileError) -> FileKind {
  try FileStatus(path).kind
}

/// The path without symbolic links, `.` and `..`: equal for equal files. The corresponding C function is `realpath`.
///
/// The path itself when it names nothing that can be reached.
public func canonicalPath(_ path: String) -> String {
  guard let resolved = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// A path of so many bytes, or more, is no file's: nothing opens it.
package let longestPath = Int(PATH_MAX)

/// The names in a directory, sorted, without `.` and `..`. The corresponding C function is `readdir`.
/// - Throws: `DebugFileError.system` when the directory can't be opened.
public func directoryEntries(_ path: String) throws(DebugFileError) -> [String] {
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

/// The whole contents of a file, pipe or terminal. The corresponding C function is `read`.
///
/// - Parameters:
///   - path: The path; `-` is standard input.
///   - limit: How many bytes to take at most.
/// - Returns: The bytes.
/// - Throws: `DebugFileError` when the path is a directory, can't be read, or holds more bytes than the limit.
public func readFile(_ path: String, limit: Int) throws(DebugFileError) -> [UInt8] {
  let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system(operation: "open", code: errno) }
  defer { if path != "-" { close(descriptor) } }
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { throw .system(operation: "fstat", code: errno) }
  guard status.st_mode & S_IFMT != S_IFDIR else { throw .notAFile }

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
