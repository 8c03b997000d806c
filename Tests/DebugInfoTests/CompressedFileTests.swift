import BinaryIdentity
import TestSupport
import Testing

@testable import DebugInfo

/// Debug files of Linux distributions have compressed sections.
@Suite("Compressed debug files")
struct CompressedFileTests {
  /// One unit with one function, `squeezed`, from 0x1010 to 0x1020.
  private static let abbreviations: [UInt8] = [
    1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,  // compile_unit with children: low_pc addr, high_pc data4
    // subprogram: name string, low_pc addr, high_pc data4
    2, 0x2e, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0,
    0,
  ]

  private static var info: [UInt8] {
    var entries = ByteBuilder()
    entries.append(UInt8(1))
    entries.append(UInt64(0x1000))
    entries.append(UInt32(0x1000))
    entries.append(UInt8(2))
    entries.append("squeezed", length: 9)
    entries.append(UInt64(0x1010))
    entries.append(UInt32(0x10))
    entries.append(UInt8(0))
    var unit = ByteBuilder()
    unit.append(UInt32(7 + entries.count))
    unit.append(UInt16(4))
    unit.append(UInt32(0))
    unit.append(UInt8(8))
    return unit.bytes + entries.bytes
  }

  /// An `Elf64_Chdr` and a zlib stream with the bytes as they are (RFC 1950, RFC 1951 section 3.2.4).
  private func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var result = ByteBuilder()
    result.append(UInt64(1))  // ELFCOMPRESS_ZLIB, and padding
    result.append(UInt64(bytes.count))
    result.append(UInt64(1))
    result.append(contentsOf: [0x78, 0x01, 0x01])
    result.append(UInt16(bytes.count))
    result.append(~UInt16(bytes.count))
    result.append(contentsOf: bytes)
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    result.append((high << 16 | low).byteSwapped)
    return result.bytes
  }

  @Test("are read like others", arguments: [false, true])
  func compression(_ isCompressed: Bool) throws {
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      .init(".debug_abbrev", Self.abbreviations),
      .init(".debug_info", isCompressed ? compressed(Self.info) : Self.info),
    ]
    if isCompressed { builder.sections[1].flags = 0x800 }  // SHF_COMPRESSED
    let directory = try TemporaryDirectory()
    let before = builder.file()
    try directory.write(before, to: "file")
    let path = directory.path("file")
    let file = try DebugFile(path: path, slice: #require(BinarySlice.all(in: path).first))
    #expect(file.frames(at: LinkedAddress(0x1010)).map(\.function) == ["squeezed"])
    #expect(file.frames(at: LinkedAddress(0x101f)).map(\.function) == ["squeezed"])
    #expect(file.frames(at: LinkedAddress(0x1020)).isEmpty)
    // Decompression changes headers in memory, never the file.
    #expect(try directory.bytes("file") == before)
  }
}
