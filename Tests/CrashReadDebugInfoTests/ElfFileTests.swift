import CrashReadCore
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadDebugInfo

private let buildID: [UInt8] = Array(0x30...0x43)

/// A debug file as `objcopy --only-keep-debug` makes them: the code is empty, notes and DWARF are there.
private func example(is64Bit: Bool = true) -> ElfBuilder {
  let beyond: UInt64 = is64Bit ? 1 << 40 : 0x7fff_ffff
  var builder = ElfBuilder()
  builder.is64Bit = is64Bit
  builder.machine = is64Bit ? 183 : 40
  builder.segments = [
    .init(flags: 4, at: 0x40_0123, size: 0x800), .init(flags: 5, at: 0x40_1000, size: 0x1000),
  ]
  builder.sections = [
    .buildID(buildID), .init(".text", type: 8, claimedOffset: beyond, claimedSize: beyond),
    .init(".debug_info", [1, 2, 3, 4]), .init(".gnu_debuglink", Array("app.debug\0\0\0abcd".utf8)),
  ]
  return builder
}

@Suite("ELF files")
struct ElfFileTests {
  @Test("are read by their headers", arguments: [true, false])
  func whole(_ is64Bit: Bool) throws {
    let slice = try #require(try slices(of: example(is64Bit: is64Bit).file()).single)
    #expect(slice.layout == .elf)
    #expect(slice.architecture?.rawValue == (is64Bit ? "arm64" : "arm"))
    #expect(slice.id?.bytes == buildID)
    #expect(slice.linkedBase == LinkedAddress(0x40_0000))
    #expect(slice.codeRanges == [LinkedAddress(0x40_1000)..<LinkedAddress(0x40_2000)])
    #expect(slice.hasDWARF)
    #expect(slice.debugLink == DebugLink(name: "app.debug", checksum: 0x6463_6261))
  }

  @Test("truncated at any byte don't trap", arguments: [true, false])
  func truncation(_ is64Bit: Bool) throws {
    let whole = example(is64Bit: is64Bit).file()
    // Of the last section header, only name, type, offset and size are read.
    let needed = whole.count - (is64Bit ? 24 : 16)
    for length in 0..<needed {
      let result = try slices(of: Array(whole[..<length]))
      switch length {
      case 0: #expect(result.error == .system(.empty))
      case 1..<4: #expect(result.error == .unrecognised)
      default: #expect(result.isDamaged, "cut at \(length)")
      }
    }
  }

  @Test("with any byte changed don't trap", arguments: [true, false])
  func everyByte(_ is64Bit: Bool) throws {
    let whole = example(is64Bit: is64Bit).file()
    for position in whole.indices {
      for value: UInt8 in [0, 0x7f, 0xff] where whole[position] != value {
        var bytes = whole
        bytes[position] = value
        let result = try slices(of: bytes)
        // One file has one binary, or an error that states its location.
        #expect(result.single != nil || result.isDamaged || position < 4)
      }
    }
  }

  @Test func bigEndianIsDamagedNotMisread() throws {
    var builder = example()
    builder.isBigEndian = true
    #expect(try slices(of: builder.file()).isDamaged)
  }

  @Test("with invalid sections lose only those", arguments: [UInt64.max, 1 << 40, 1 << 63])
  func lies(_ number: UInt64) throws {
    var builder = example()
    builder.sections[0].claimedOffset = number
    builder.sections[2].claimedSize = number
    builder.sections[3].claimedOffset = number
    let slice = try #require(try slices(of: builder.file()).single)
    #expect(slice.id == nil)
    #expect(slice.debugLink == nil)
    #expect(slice.hasDWARF)
  }

  @Test(
    "with damaged notes have no identity",
    arguments: [
      [UInt8](repeating: 0xff, count: 32),
      [4, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0, 1, 2],
      [4, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0x47, 0x4e, 0x55, 0], [4, 0, 0, 0, 20, 0],
      [4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0], [UInt8](repeating: 0, count: 64),
    ])
  func notes(_ bytes: [UInt8]) throws {
    var builder = example()
    builder.sections = [.init(".note.gnu.build-id", type: 7, bytes)]
    let slice = try #require(try slices(of: builder.file()).single)
    #expect(slice.id == nil)
    #expect(!slice.hasDWARF)
  }

  @Test func buildIDIsFoundAmongOtherNotes() throws {
    var note = ByteBuilder()
    for field: UInt32 in [4, 16, 1] { note.append(field) }
    note.append("GNU", length: 20)
    var builder = example()
    let id = ElfBuilder.Section.buildID(buildID)
    builder.sections[0] = .init(".note", type: 7, note.bytes + id.bytes)
    #expect(try slices(of: builder.file()).single?.id?.bytes == buildID)
  }

  @Test func emptiedDWARFIsIgnored() throws {
    var builder = example()
    builder.sections[2] = .init(".debug_info", type: 8, claimedSize: 4096)
    #expect(try slices(of: builder.file()).single?.hasDWARF == false)
  }

  @Test func withoutSegmentsTheBaseIsZeroAndCodeIsAnywhere() throws {
    var builder = example()
    builder.segments = []
    let slice = try #require(try slices(of: builder.file()).single)
    #expect(slice.linkedBase == LinkedAddress(0))
    #expect(slice.codeRanges.isEmpty)
  }
}

@Suite("Other files")
struct OtherFileTests {
  @Test(
    "are distinguished from binaries",
    arguments: [
      ("89504e470d0a1a0a", DebugFileError.unrecognised), ("7f454c", .unrecognised), ("", .system(.empty)),
      ("48656c6c6f", .unrecognised),
    ])
  func otherFiles(_ digits: String, _ error: DebugFileError) throws {
    let bytes = ImageID(parsing: digits)?.bytes ?? []
    #expect(try slices(of: bytes).error == error)
    let directory = try TemporaryDirectory()
    try directory.write(bytes, to: "file")
    #expect(!isBinary(directory.path("file")))
  }

  @Test func nonFilesAreReported() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: DebugFileError.system(.notAFile)) { try BinarySlice.all(in: directory.path("")) }
    #expect(throws: DebugFileError.system(.notAFile)) { try BinarySlice.all(in: "/dev/null") }
    let error = #expect(throws: DebugFileError.self) { try BinarySlice.all(in: directory.path("absent")) }
    #expect(error?.description == "stat: No such file or directory")
    #expect(!isBinary(directory.path("absent")))
  }

  @Test(
    "binaries are known by their first bytes",
    arguments: [
      "cefaedfe", "cffaedfe", "feedface", "feedfacf", "cafebabe", "cafebabf", "7f454c46",
    ])
  func magic(_ digits: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write(ImageID(parsing: digits)?.bytes ?? [], to: "file")
    #expect(isBinary(directory.path("file")))
  }
}
