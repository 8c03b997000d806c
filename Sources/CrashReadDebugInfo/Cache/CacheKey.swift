internal import CrashReadCore
internal import CrashReadSystem

/// What a cache belongs to: one binary of one file in one state, and answers of one version.
///
/// The identity alone isn't enough: a file may be stripped or made anew under the same UUID. Device, inode, size and times
/// tell its states apart without reading it. The time of change can't be set back, as the time of writing can; that it
/// changes when a file is moved costs a new cache. The path doesn't count.
struct CacheKey {
  /// The name of the cache file: equal for all states of one binary at one inode, so that a new one replaces the old. Each
  /// version has its own, so that two programs in use side by side don't replace each other's.
  let fileName: String
  /// All of the key.
  let bytes: [UInt8]

  /// - Returns: nil when the file can't be reached.
  init?(path: String, slice: BinarySlice.Summary) {
    guard let file = try? FileStatus(path) else { return nil }
    self.init(file, slice)
  }

  init(_ file: FileStatus, _ slice: BinarySlice.Summary, version: UInt64 = CacheFormat.version) {
    var place: [UInt8] = []
    for number in [version, file.id.device, file.id.inode, UInt64(slice.fileOffset)] {
      place.append(number, size: 8)
    }
    place += Array((slice.architecture?.rawValue ?? "").utf8.prefix(32)) + [0]
    place += slice.id?.bytes ?? []

    var bytes = place
    for number in [file.size, UInt64(bitPattern: file.written), UInt64(bitPattern: file.changed)] {
      bytes.append(number, size: 8)
    }
    self.bytes = bytes
    let digits = unsafe place.withUnsafeBytes { String(unsafe checksum($0), radix: 16) }
    fileName = Self.identity(of: slice) + "-" + digits + CacheDirectory.suffix
  }

  /// What the names of all caches of a binary with this identity begin with, up to a dash.
  static func identity(of slice: BinarySlice.Summary) -> String {
    slice.id?.description.filter { $0 != "-" } ?? "unknown"
  }
}
