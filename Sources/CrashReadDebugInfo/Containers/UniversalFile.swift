internal import CrashReadCore

/// Reads the slices of a fat file (`mach-o/fat.h`), whose own header is big-endian.
func readUniversal(_ bytes: Span<UInt8>) throws(TruncationError) -> [BinarySlice] {
  let isWide = try bytes.integer(UInt32.self, at: 0) == 0xbfba_feca  // FAT_MAGIC_64
  let count = Int(try bytes.integer(UInt32.self, at: 4).byteSwapped)
  // Java class files share the magic; their version number stands where the count does.
  guard count > 0, count <= 30 else { throw TruncationError(offset: 4) }

  var slices: [BinarySlice] = []
  for index in 0..<count {
    let entry = 8 + index * (isWide ? 32 : 20)
    let offset =
      isWide
      ? try bytes.integer(UInt64.self, at: entry + 8).byteSwapped
      : UInt64(try bytes.integer(UInt32.self, at: entry + 8).byteSwapped)
    guard offset < UInt64(bytes.count) else { continue }
    // A slice that can't be read must not hide the others.
    if let slice = try? readMachO(bytes, at: Int(offset)) { slices.append(slice) }
  }
  guard !slices.isEmpty else { throw TruncationError(offset: 8) }
  return slices
}
