/// Assembles a cache file: header, sections, checksums.
struct CacheWriter {
  /// The parts of the file, in order; each fills whole pages but the last.
  private(set) var parts: [[UInt8]] = []

  init(base: UInt64, sections: [[UInt8]], key: [UInt8]) {
    typealias Field = CacheFormat.Field
    var header: [UInt64] = [CacheFormat.magic, CacheFormat.version]
    var extents: [UInt64] = []
    var checksums: [UInt8] = []
    var offset = CacheFormat.pageSize
    for section in sections {
      extents += [UInt64(offset), UInt64(section.count)]
      let padded = Self.padded(section)
      Self.appendChecksums(of: padded, to: &checksums)
      parts.append(padded)
      offset += padded.count
    }
    header += [UInt64(offset + checksums.count), base, UInt64(offset), Self.sum(checksums)]
    header += extents + [UInt64(key.count)]

    var page: [UInt8] = []
    for number in header { page.append(number, size: 8) }
    page += key
    precondition(page.count <= Field.checksum, "identities and names of CPUs are short")
    page += [UInt8](repeating: 0, count: Field.checksum - page.count)
    page.append(Self.sum(page), size: 8)
    parts = [page] + parts + [checksums]
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    let rest = bytes.count % CacheFormat.pageSize
    return rest == 0 ? bytes : bytes + [UInt8](repeating: 0, count: CacheFormat.pageSize - rest)
  }

  private static func appendChecksums(of pages: [UInt8], to checksums: inout [UInt8]) {
    for start in stride(from: 0, to: pages.count, by: CacheFormat.pageSize) {
      let value = unsafe pages.withUnsafeBytes {
        unsafe checksum(UnsafeRawBufferPointer(rebasing: $0[start..<start + CacheFormat.pageSize]))
      }
      checksums.append(value, size: 8)
    }
  }

  private static func sum(_ bytes: [UInt8]) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe checksum($0) }
  }
}
