internal import Glibc

/// A directory for this object alone, which goes with it, and with the next one made here when this process is killed.
final class ScratchDirectory: Sendable {
  let path: String
  /// Locked as long as the directory is in use.
  private let descriptor: OwnedDescriptor

  /// Nothing else is to be called so: what has such a name, and nobody's lock, is removed.
  private static let prefix = "crashread-extracted."
  private static let template = "XXXXXX"
  private static let attempts = 4

  /// Makes one in another directory, which may be one that everybody can write to. The C function is `mkdtemp`.
  /// - Throws: `DebugFileError` when it can't be made.
  init(in parent: String) throws(DebugFileError) {
    Self.removeAbandoned(in: parent)
    for _ in 0..<Self.attempts {
      var name = Array((parent + "/" + Self.prefix + Self.template).utf8CString)
      guard unsafe mkdtemp(&name) != nil else { throw .system(operation: "mkdtemp", code: errno) }
      let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // Between the two calls another process may take it for abandoned.
      guard let made = try? OwnedDescriptor(directory: path), flock(made.number, LOCK_EX | LOCK_NB) == 0
      else {
        continue
      }
      self.path = path
      descriptor = made
      return
    }
    throw .system(operation: "flock", code: EWOULDBLOCK)
  }

  deinit {
    descriptor.removeContents()
    unsafe rmdir(path)
  }

  /// Removes those of processes that were killed: nobody holds their locks any more.
  private static func removeAbandoned(in parent: String) {
    let names = ((try? directoryEntries(parent)) ?? []).filter {
      $0.hasPrefix(prefix) && $0.utf8.count == prefix.utf8.count + template.utf8.count
    }
    for name in names {
      let path = parent + "/" + name
      guard let found = try? OwnedDescriptor(directory: path, followsLinks: false),
        flock(found.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      found.removeContents()
      unsafe rmdir(path)
    }
  }
}
