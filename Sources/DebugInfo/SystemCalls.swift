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
