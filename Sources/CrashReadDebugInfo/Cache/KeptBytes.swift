internal import CrashReadSystem

// Small things kept among the caches: read and written whole, under one checksum.
//
// The same rules hold as for caches: only the user's own files are read, a file appears whole or not at all, one that is
// damaged isn't there, and those not used for longest go first. Each version has files of its own, so that two programs
// in use side by side don't replace each other's.
extension CacheDirectory {
  /// Bytes of the header: mark, version, checksum of what follows.
  private static let headerSize = 24
  private static let mark: UInt64 = 0x7065_656b_6461_7263  // "crdakeep"
  /// To be raised with every change of the header, of what is kept, and of what is read from binaries to be kept.
  private static let version: UInt64 = 4

  /// What was kept under a name; nil when there is nothing that can be used.
  package func kept(_ name: String) -> [UInt8]? {
    let header = Self.header
    guard let directory = try? OwnedDescriptor(directory: path),
      let file = try? directory.open(Self.fileName(name), .reading), file.isOwn(.file),
      let mapping = try? MappedFile(descriptor: file.number), mapping.fileSize > Self.headerSize
    else { return nil }
    // The time of change says when it was last used.
    file.markUsed()
    let bytes = unsafe ByteView(UnsafeRawBufferPointer(mapping.block))
    guard header.indices.allSatisfy({ bytes.byte(at: $0) == header[$0] }) else { return nil }
    let contents = unsafe UnsafeRawBufferPointer(rebasing: mapping.block[Self.headerSize...])
    guard unsafe checksum(contents) == bytes.integer(at: header.count, size: 8) else { return nil }
    return unsafe Array(contents)
  }

  /// Keeps some bytes in the place of those kept under the name before. When they can't be written, or another process is
  /// writing into the directory just now, nothing happens.
  package func keep(_ contents: [UInt8], as name: String) {
    guard contents.count < limit - Self.headerSize, (try? makeDirectories(path)) != nil,
      let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open(Self.lockName, .making), lock.tryLock()
    else { return }
    var header = Self.header
    header.append(unsafe contents.withUnsafeBytes { unsafe checksum($0) }, size: 8)
    removeHalfWritten(in: directory)
    guard removeOldest(in: directory, toMakeRoomFor: header.count + contents.count) != nil else { return }
    try? write([header, contents], to: Self.fileName(name), in: directory)
  }

  /// All of the header but the checksum.
  private static var header: [UInt8] {
    var header: [UInt8] = []
    for number in [mark, version] { header.append(number, size: 8) }
    return header
  }

  private static func fileName(_ name: String) -> String { name + "-v\(version)" + suffix }
}

/// A name for what belongs to a text, such as a path: letters and digits that no other text is likely to have.
package func keptName(_ purpose: String, of text: String) -> String {
  let bytes = Array(text.utf8)
  return purpose + "-" + String(unsafe bytes.withUnsafeBytes { unsafe checksum($0) }, radix: 16)
}
