internal import Glibc

/// Opens a regular file for reading. The corresponding C functions are `stat` and `open`.
///
/// Nothing else is opened at all: a pipe would be waited for, and opening a device can do something. What takes a file's
/// place between the two calls is opened without waiting, and refused.
/// - Returns: The descriptor, which is the caller's to close.
/// - Throws: `DebugFileError` when the path names no regular file, or one that can't be read.
package func openRegularFile(_ path: String) throws(DebugFileError) -> Int32 {
  guard try fileKind(path) == .file else { throw .notAFile }
  return try requireRegular(unsafe open(path, O_RDONLY | readingFlags))
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
