internal import CrashReadCore
internal import Glibc

/// What a cache belongs to: one binary of one file in one state, read by one program.
///
/// The identity alone isn't enough: a file may be stripped or made anew under the same UUID. Size, time of change and
/// inode tell its states apart without reading it; its path doesn't count, so a file that was moved keeps its cache.
/// The program counts too: a new release may answer otherwise.
struct CacheKey {
  /// The name of the cache file: equal for all states of one binary at one inode, so that a new one replaces the old.
  let fileName: String
  /// All of the key.
  let bytes: [UInt8]

  /// - Returns: nil when the file can't be reached.
  init?(path: String, slice: BinarySlice.Summary) {
    var file = stat()
    var program = stat()
    guard unsafe stat(path, &file) == 0, unsafe stat("/proc/self/exe", &program) == 0 else { return nil }

    var place: [UInt8] = []
    place.append(UInt64(file.st_ino), size: 8)
    place.append(UInt64(slice.fileOffset), size: 8)
    place += Array((slice.architecture?.rawValue ?? "").utf8.prefix(32)) + [0]
    place += slice.id?.bytes ?? []

    var bytes = place
    for status in [file, program] {
      bytes.append(UInt64(bitPattern: Int64(status.st_size)), size: 8)
      bytes.append(UInt64(bitPattern: Int64(status.st_mtim.tv_sec)), size: 8)
      bytes.append(UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)), size: 8)
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
