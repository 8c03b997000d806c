internal import CrashReadCore
internal import CrashReadSystem

/// Identifies the contents of a cache: one binary of one version of a file, read by one version of the program.
///
/// The identity alone isn't sufficient: a file may be stripped or rebuilt with the same UUID. Device, inode, size and
/// times identify its state without reading it. The status-change time can't be set back, unlike the modification time;
/// it also changes when a file is moved, which costs a new cache. The path isn't part of the key.
struct CacheKey {
  /// The name of the cache file: equal for all states of a binary at one inode, so that a new one replaces the old. It
  /// includes the format version, so that two versions of the program don't replace each other's caches.
  let fileName: String
  /// The whole key.
  let bytes: [UInt8]

  /// The key of a binary's cache.
  /// - Returns: Nil when the file can't be reached.
  init?(path: String, slice: BinarySlice.Summary) {
    guard let file = try? FileStatus(path) else { return nil }
    self.init(file, slice)
  }

  init(_ file: FileStatus, _ slice: BinarySlice.Summary, version: UInt64 = CacheFormat.version) {
    var sliceLabel: [UInt8] = []
    for number in [version, file.id.device, file.id.inode, UInt64(slice.fileOffset)] {
      sliceLabel.append(number, size: 8)
    }
    sliceLabel += Array((slice.architecture?.rawValue ?? "").utf8.prefix(32)) + [0]
    sliceLabel += slice.id?.bytes ?? []

    var bytes = sliceLabel
    for number in [file.size, UInt64(bitPattern: file.written), UInt64(bitPattern: file.changed)] {
      bytes.append(number, size: 8)
    }
    self.bytes = bytes
    let digits = unsafe sliceLabel.withUnsafeBytes { String(unsafe checksum($0), radix: 16) }
    fileName = Self.identity(of: slice) + "-" + digits + CacheDirectory.suffix
  }

  /// The common prefix, up to a dash, of the names of all caches of a binary with this identity.
  static func identity(of slice: BinarySlice.Summary) -> String {
    slice.id?.description.filter { $0 != "-" } ?? "unknown"
  }
}
