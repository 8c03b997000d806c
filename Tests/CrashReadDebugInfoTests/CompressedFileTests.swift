import CrashReadCore
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadDebugInfo

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

  /// The encoding of a section's bytes. The streams store the bytes uncompressed.
  enum Form: CaseIterable {
    case plain, zlib, zlibGNU, zstd

    /// A section, which states the size to which it expands.
    func section(_ name: String, _ bytes: [UInt8], claimedSize: Int? = nil) -> ElfBuilder.Section {
      var result = ByteBuilder()
      var section: ElfBuilder.Section
      let size = UInt64(claimedSize ?? bytes.count)
      switch self {
      case .plain: return .init(name, bytes)
      case .zlibGNU:
        result.append(contentsOf: Array("ZLIB".utf8))
        result.append(size.byteSwapped)
        result.append(contentsOf: zlib(bytes))
        return .init(".z" + name.dropFirst(), result.bytes)
      case .zlib, .zstd:
        // `Elf64_Chdr`: the algorithm and padding, the size, the alignment.
        result.append(self == .zlib ? UInt64(1) : 2)
        result.append(size)
        result.append(UInt64(1))
        result.append(contentsOf: self == .zlib ? zlib(bytes) : zstd(bytes))
        section = .init(name, result.bytes)
      }
      section.flags = 0x800  // SHF_COMPRESSED
      return section
    }

    /// RFC 1950, and RFC 1951 section 3.2.4.
    private func zlib(_ bytes: [UInt8]) -> [UInt8] {
      var result = ByteBuilder()
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

    /// RFC 8878, section 3.1.1: one frame of one raw block.
    private func zstd(_ bytes: [UInt8]) -> [UInt8] {
      let block = UInt32(bytes.count) << 3 | 1
      return [0x28, 0xb5, 0x2f, 0xfd, 0x20, UInt8(bytes.count)]
        + (0..<3).map { UInt8(block >> (8 * $0) & 0xff) }
        + bytes
    }
  }

  private func file(_ form: Form, claimedSize: Int? = nil) -> [UInt8] {
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      form.section(".debug_abbrev", Self.abbreviations),
      form.section(".debug_info", Self.info, claimedSize: claimedSize),
    ]
    return builder.file()
  }

  private func checkAnswers(_ bytes: [UInt8]) throws {
    let directory = try TemporaryDirectory()
    try directory.write(bytes, to: "file")
    let path = directory.path("file")
    let file = try DebugFile(firstIn: path)
    #expect(file.frames(at: LinkedAddress(0x1010)).map(\.function) == ["squeezed"])
    #expect(file.frames(at: LinkedAddress(0x101f)).map(\.function) == ["squeezed"])
    #expect(file.frames(at: LinkedAddress(0x1020)).isEmpty)
    // Decompression changes headers in memory, never the file.
    #expect(try directory.bytes("file") == bytes)
  }

  @Test("are read like others", arguments: Form.allCases)
  func compression(_ form: Form) throws {
    if form == .zstd, !hasZstd { try Test.cancel("skipped: no libzstd.so.1") }
    try checkAnswers(file(form))
  }

  @Test("are read in Mach-O as written by Go's linker")
  func machO() throws {
    func section(_ name: String, _ bytes: [UInt8]) -> MachOBuilder.Section {
      .init("__z" + name.dropFirst(2), Form.zlibGNU.section(".debug", bytes).bytes)
    }
    var builder = MachOBuilder()
    builder.segments = [
      .init("__TEXT", at: 0x1000, size: 0x1000, isCode: true),
      .init(
        "__DWARF", at: 0x2000, size: 0x1000,
        sections: [section("__debug_abbrev", Self.abbreviations), section("__debug_info", Self.info)]),
    ]
    try checkAnswers(builder.file())
  }

  /// 63 sections of 60 MB each in a few kilobytes: unused ones aren't expanded, and of two with the same name the first
  /// is used.
  @Test("unused sections aren't expanded", arguments: [Form.zlib, .zstd])
  func unknownSections(_ form: Form) throws {
    if form == .zstd, !hasZstd { try Test.cancel("skipped: no libzstd.so.1") }
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      form.section(".debug_abbrev", Self.abbreviations), form.section(".debug_info", Self.info),
    ]
    for index in 0..<63 {
      builder.sections.append(form.section(".debug_x\(index)", [0], claimedSize: 60 << 20))
      builder.sections.append(form.section(".debug_info", [0], claimedSize: 60 << 20))
    }
    try checkAnswers(builder.file())
  }

  @Test("the size limit is for all sections together", arguments: [Form.zlib, .zlibGNU, .zstd])
  func manyBombs(_ form: Form) throws {
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [".debug_str", ".debug_line", ".debug_loc"].map {
      form.section($0, [0], claimedSize: 40 << 20)
    }
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "file")
    let slice = try BinarySlice.first(in: directory.path("file"))
    let error = #expect(throws: DebugFileError.self) {
      _ = try DwarfHandle(MappedFile(path: directory.path("file")), slice: slice)
    }
    #expect(error?.description.contains("compressed to") == true)
  }

  @Test(
    "an implausible size is refused before memory is allocated",
    arguments: [Form.zlib, .zlibGNU, .zstd], [64 << 20 + 1, 5 << 30, 1 << 60, Int.max])
  func bomb(_ form: Form, _ size: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write(file(form, claimedSize: size), to: "file")
    let slice = try BinarySlice.first(in: directory.path("file"))
    let error = #expect(throws: DebugFileError.self) {
      try DebugFile(path: directory.path("file"), slice: slice)
    }
    #expect(error?.description.contains("debug_info of \(size) bytes, compressed to") == true)
  }

  @Test(
    "with a wrong size give an error or no answers", arguments: Form.allCases, [1, 1000])
  func wrongSize(_ form: Form, _ size: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write(file(form, claimedSize: size), to: "file")
    let slice = try BinarySlice.first(in: directory.path("file"))
    let file = try? DebugFile(path: directory.path("file"), slice: slice)
    let frames = file?.frames(at: LinkedAddress(0x1010)).map(\.function)
    #expect(form == .plain ? frames == ["squeezed"] : frames ?? [] == [])
    if form == .zstd { #expect(file == nil) }
  }

  @Test(
    "made by common tools give the answers of the uncompressed file",
    arguments: ["zlib", "zlib-gnu", "zstd"])
  func samples(_ name: String) throws {
    if name == "zstd", !hasZstd { try Test.cancel("skipped: no libzstd.so.1") }
    let paths = ["symbols/cpp-inline.debug", "variants/cpp-inline-\(name).debug"].map { Samples.path($0) }
    let slices = try paths.map { try BinarySlice.first(in: $0) }
    #expect(slices[1].sizeOfDWARF < slices[0].sizeOfDWARF * 4 / 5)
    let files = try zip(paths, slices).map { try DebugFile(path: $0, slice: $1) }
    let addresses = slices[0].codeAddresses
    let frames = files[0].frames(at: addresses)
    #expect(frames.count { $0.count > 1 } > 50)
    #expect(files[1].frames(at: addresses) == frames)
  }
}

/// Whether zstd's sections can be read here.
private let hasZstd = (try? RuntimeLibrary("libzstd.so.1", package: "libzstd1")) != nil
