internal import Glibc

/// A private temporary directory, removed with this object; when the process is killed, the next one created here
/// removes it.
package final class ScratchDirectory: Sendable {
  package let path: String
  /// Locked while the directory is in use.
  private let descriptor: OwnedDescriptor

  /// The prefix of the names of these directories; one that isn't locked was abandoned and is removed.
  private static let prefix = "crashread-extracted."
  private static let template = "XXXXXX"
  private static let attempts = 4

  /// Creates one in another directory, which may be world-writable. The C function is `mkdtemp`.
  /// - Throws: `SystemError` when it can't be created.
  package init(in parent: String) throws(SystemError) {
    Self.removeAbandoned(in: parent)
    for _ in 0..<Self.attempts {
      var name = Array((parent + "/" + Self.prefix + Self.template).utf8CString)
      guard unsafe mkdtemp(&name) != nil else { throw .last("mkdtemp") }
      let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // Until it is locked, another process may consider it abandoned and remove it.
      guard let made = try? OwnedDescriptor(directory: path), made.tryLock() else { continue }
      self.path = path
      descriptor = made
      return
    }
    throw .failed("flock", code: EWOULDBLOCK)
  }

  /// Writes a file in it.
  package func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
    try descriptor.open(name, .new).write(bytes[...])
  }

  deinit {
    descriptor.removeContents()
    unsafe rmdir(path)
  }

  /// Removes the directories of processes that were killed: their locks are free.
  private static func removeAbandoned(in parent: String) {
    let names = ((try? directoryEntries(parent)) ?? []).filter {
      $0.hasPrefix(prefix) && $0.utf8.count == prefix.utf8.count + template.utf8.count
    }
    for name in names {
      let path = parent + "/" + name
      guard let found = try? OwnedDescriptor(directory: path, followsLinks: false),
        found.tryLock()
      else { continue }
      found.removeContents()
      unsafe rmdir(path)
    }
  }
}

/// A temporary file with given bytes, removed with this object.
package final class ScratchFile: Sendable {
  /// Its path.
  package let path: String
  private let directory: ScratchDirectory

  /// Writes the file in the directory for temporary files.
  /// - Throws: `SystemError` when it can't be written.
  package init(_ bytes: [UInt8]) throws(SystemError) {
    directory = try ScratchDirectory(in: temporaryDirectory)
    path = directory.path + "/input"
    try directory.write(bytes, to: "input")
  }
}
