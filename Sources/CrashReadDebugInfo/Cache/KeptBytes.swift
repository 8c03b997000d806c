internal import CrashReadSystem

// Small records kept among the caches, read and written as a whole, with one checksum.
//
// The rules for caches apply: only the user's own files are read, a file appears complete or not at all, a damaged one
// is ignored, and the least recently used are removed first. Each version has files of its own, so that two versions of
// the program don't replace each other's.
extension CacheDirectory {
  /// The size of the header: magic, version, checksum of the rest.
  private static let headerSize = 24
  private static let mark: UInt64 = 0x7065_656b_6461_7263  // "crdakeep"
  /// The version, raised with every change of the header, of the records, or of what is read from binaries for them.
  private static let version: UInt64 = 4

  /// The record stored under a name; nil when there is no valid one.
  package func kept(_ name: String) -> [UInt8]? {
    let header = Self.header
    guard let directory = try? OwnedDescriptor(directory: path),
      let file = try? directory.open(Self.fileName(name), .reading), file.isOwn(.file),
      let mapping = try? MappedFile(descriptor: file.number), mapping.fileSize > Self.headerSize
    else { return nil }
    // The modification time is that of the last use.
    file.markUsed()
    let bytes = unsafe ByteView(UnsafeRawBufferPointer(mapping.block))
    guard header.indices.allSatisfy({ bytes.byte(at: $0) == header[$0] }) else { return nil }
    let contents = unsafe UnsafeRawBufferPointer(rebasing: mapping.block[Self.headerSize...])
    guard unsafe checksum(contents) == bytes.integer(at: header.count, size: 8) else { return nil }
    return unsafe Array(contents)
  }

  /// Stores a record under a name, replacing the previous one. Does nothing when it can't be written, or another
  /// process is writing to the directory.
  package func keep(_ contents: [UInt8], as name: String) {
    guard contents.count < limit - Self.headerSize, (try? makeDirectories(path)) != nil,
      let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open(Self.lockName, .creating), lock.tryLock()
    else { return }
    var header = Self.header
    header.append(unsafe contents.withUnsafeBytes { unsafe checksum($0) }, size: 8)
    removeHalfWritten(in: directory)
    guard removeOldest(in: directory, toMakeRoomFor: header.count + contents.count) != nil else { return }
    try? write([header, contents], to: Self.fileName(name), in: directory)
  }

  /// The header except the checksum.
  private static var header: [UInt8] {
    var header: [UInt8] = []
    for number in [mark, version] { header.append(number, size: 8) }
    return header
  }

  private static func fileName(_ name: String) -> String { name + "-v\(version)" + suffix }
}

/// A file name derived from a text such as a path: letters and digits that another text is unlikely to give.
package func keptName(_ purpose: String, of text: String) -> String {
  let bytes = Array(text.utf8)
  return purpose + "-" + String(unsafe bytes.withUnsafeBytes { unsafe checksum($0) }, radix: 16)
}
