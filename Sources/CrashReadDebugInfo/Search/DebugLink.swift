internal import CrashReadCore
internal import CrashReadSystem

/// A stripped ELF program's reference to its debug file, in `.gnu_debuglink` (GDB's manual, "Separate Debug Files").
package struct DebugLink: Sendable, Hashable {
  /// The debug file's name, without directories.
  package var name: String
  /// The CRC-32 of the debug file's whole contents.
  package var checksum: UInt32

  /// A link to a file by name and checksum.
  package init(name: String, checksum: UInt32) {
    self.name = name
    self.checksum = checksum
  }

  /// Reads the section: a name, a zero byte, padding to a multiple of 4, the checksum. Nil when it is damaged.
  init?(_ bytes: Span<UInt8>, at start: Int, length: Int) {
    guard let path = try? bytes.string(at: start, maximum: min(length, 4096)) else { return nil }
    let offset = (path.utf8.count + 4) & ~3
    // Only a plain file name is accepted; a path could lead anywhere.
    guard let name = path.split(separator: "/").last, name != "..", offset <= length - 4,
      let checksum = try? bytes.integer(UInt32.self, at: start + offset)
    else { return nil }
    self.init(name: String(name), checksum: checksum)
  }
}

/// The maximum size in bytes of a file whose checksum is computed, which would otherwise take more than half a minute.
private let maximumCheckedSize = 8 << 30

/// The checksum of a file as debug links have it: that of `gnu_debuglink_crc32` in GDB's manual, which is also zlib's.
///
/// - Throws: `DebugFileError` when the file can't be read, or is too large to be read for this.
package func debugLinkChecksum(ofFileAt path: String) throws(DebugFileError) -> UInt32 {
  let file = try MappedFile.debugFile(path)
  guard file.fileSize <= maximumCheckedSize else { throw .unsupported("the checksum of so large a file") }
  return file.withBytes { bytes in
    var sum = ~UInt32(0)
    for index in bytes.indices {
      sum = checksumTable[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[index])] ^ sum >> 8
    }
    return ~sum
  }
}

/// The CRC table: the results of 8 steps with the polynomial for each byte.
private let checksumTable: [UInt32] = (0..<256).map { byte in
  (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xedb8_8320 }
}
