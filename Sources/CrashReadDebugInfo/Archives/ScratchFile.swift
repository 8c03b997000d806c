internal import Glibc

/// Bytes as a file, which goes with this object.
package final class ScratchFile: Sendable {
  /// Where it is.
  package let path: String
  private let directory: ScratchDirectory

  /// Writes the file where temporary ones go.
  /// - Throws: `DebugFileError` when it can't be written.
  package init(_ bytes: [UInt8]) throws(DebugFileError) {
    directory = try ScratchDirectory(in: temporaryDirectory)
    path = directory.path + "/input"
    try OwnedDescriptor(directory: directory.path).open("input", O_WRONLY | O_CREAT | O_EXCL).write(
      bytes[...])
  }
}
