import CrashReadCore
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// A debug file like those of dsymutil: a code segment, and sections of DWARF.
private func example(is64Bit: Bool = true) -> MachOBuilder {
  var builder = MachOBuilder()
  builder.is64Bit = is64Bit
  if !is64Bit { (builder.cpuType, builder.cpuSubtype) = (12, 9) }
  builder.segments = [
    .init("__PAGEZERO", at: 0, size: 0x4000),
    .init("__TEXT", at: 0x4000, size: 0x2000, isCode: true),
    .init(
      "__DWARF", at: 0x8000, size: 0x1000,
      sections: [
        .init("__debug_info", [1, 2, 3]), .init("__debug_str_offs", [4]), .init("__apple_names", [5]),
      ]),
  ]
  builder.symbols = [
    .init("_main", at: 0x4100), .init("_helper", at: 0x4200), .init("_data", at: 0x9000),
    .init("_absolute", at: 0x4150, type: 0x02), .init("_stab", at: 0x4150, type: 0x24),
  ]
  return builder
}

@Suite("Mach-O files")
struct MachOFileTests {
  @Test("are read by their headers", arguments: [true, false])
  func thin(_ is64Bit: Bool) throws {
    let slice = try #require(try slices(of: example(is64Bit: is64Bit).file()).single)
    #expect(slice.layout == .machO)
    #expect(slice.architecture == (is64Bit ? .arm64 : .armv7))
    #expect(slice.id == ImageID(bytes: Array(1...16)))
    #expect(slice.fileOffset == 0)
    #expect(slice.linkedBase == LinkedAddress(0x4000))
    #expect(slice.codeRanges == [LinkedAddress(0x4000)..<LinkedAddress(0x6000)])
    #expect(slice.hasDWARF)
    #expect(slice.sections.map(\.name) == [".debug_info", ".debug_str_offsets"])
    #expect(slice.sections.map(\.size) == [3, 1])
  }

  @Test("list functions by their symbols", arguments: [true, false])
  func symbols(_ is64Bit: Bool) throws {
    let directory = try TemporaryDirectory()
    try directory.write(example(is64Bit: is64Bit).file(), to: "file")
    let path = directory.path("file")
    let file = try DebugFile(firstIn: path)
    func name(at address: UInt64) -> String? { file.symbol(at: LinkedAddress(address))?.linkageName }
    #expect(name(at: 0x40ff) == nil)
    #expect(name(at: 0x4100) == "main")
    #expect(name(at: 0x41ff) == "main")
    #expect(file.symbol(at: LinkedAddress(0x41ff))?.symbolOffset == 0xff)
    #expect(name(at: 0x4200) == "helper")
    #expect(name(at: 0x5fff) == "helper")
    #expect(name(at: 0x9000) == nil)
    #expect(file.frames(at: LinkedAddress(0x4100)).isEmpty)
  }

  @Test("of several architectures have a slice for each", arguments: [true, false])
  func universal(_ isWide: Bool) throws {
    var other = example()
    (other.cpuType, other.uuid) = (0x0100_0007, Array(17...32))
    let bytes = universalFile([example(), example(is64Bit: false), other], isWide: isWide)
    let found = try slices(of: bytes).get()
    #expect(found.map(\.architecture) == [.arm64, .armv7, .x86_64])
    #expect(found.map(\.id?.bytes.first) == [1, 1, 17])
    let header = 8 + 3 * (isWide ? 32 : 20)
    try #require(found.count == 3)
    #expect(found[0].fileOffset == header)
    #expect(found[1].fileOffset == header + example().file().count)
    // Section offsets count from the start of the file, so they move along.
    let section = try #require(found[2].sections.first)
    #expect(Array(bytes[section.fileOffset..<section.fileOffset + section.size]) == [1, 2, 3])
  }

  @Test("truncated at any byte don't trap", arguments: ["thin", "32-bit", "fat", "wide"])
  func truncation(_ kind: String) throws {
    let whole =
      switch kind {
      case "thin": example().file()
      case "32-bit": example(is64Bit: false).file()
      case "fat": universalFile([example()])
      default: universalFile([example()], isWide: true)
      }
    // Symbols are at the end; they are read later and may be missing. Before them is a section that isn't read.
    let strings = example().symbols.map { $0.name.utf8.count + 1 }.reduce(1, +)
    let needed = whole.count - strings - 5 * (kind == "32-bit" ? 12 : 16) - 1
    for length in 0..<whole.count {
      let result = try slices(of: Array(whole[..<length]))
      switch length {
      case 0: #expect(result.error == .system(.empty))
      case 1..<4: #expect(result.error == .unrecognised)
      case 4..<needed: #expect(result.isDamaged, "cut at \(length)")
      default: #expect(result.single?.hasDWARF == true, "cut at \(length)")
      }
    }
  }

  @Test("with big-endian numbers are refused as unsupported", arguments: [true, false])
  func bigEndian(_ is64Bit: Bool) throws {
    var builder = example(is64Bit: is64Bit)
    builder.isBigEndian = true
    #expect(try slices(of: builder.file()).error == .unsupported("big-endian Mach-O"))
  }

  struct Lie: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var builder: MachOBuilder

    init(_ description: String, _ change: (inout MachOBuilder) -> Void) {
      testDescription = description
      builder = example()
      change(&builder)
    }
  }

  @Test(
    "with inconsistent offsets or sizes are damaged",
    arguments: [
      Lie("a section beyond the end") { $0.segments[2].sections[0].claimedOffset = .max },
      Lie("a section longer than the file") { $0.segments[2].sections[0].claimedSize = .max },
      Lie("a section that ends beyond the end") { $0.segments[2].sections[0].claimedSize = 4096 },
      Lie("a load command without a size") { $0.rawCommands = [[99, 0, 0, 0, 0, 0, 0, 0]] },
      Lie("a load command of 7 bytes") { $0.rawCommands = [[99, 0, 0, 0, 7, 0, 0, 0]] },
      Lie("a load command that leaves the file") {
        $0.rawCommands = [[99, 0, 0, 0, 255, 255, 255, 127]]
        $0.claimedCommandsSize = .max
      },
    ])
  func lies(_ lie: Lie) throws {
    #expect(try slices(of: lie.builder.file()).isDamaged)
  }

  @Test func segmentBeyondTheAddressSpaceHoldsNoCode() throws {
    var builder = example()
    builder.segments[1] = .init("__TEXT", at: .max - 1, size: 16, isCode: true)
    #expect(try slices(of: builder.file()).single?.codeRanges == [])
  }

  @Test func commandCountIsBoundedBySize() throws {
    var builder = example()
    builder.claimedCommandCount = .max
    #expect(try slices(of: builder.file()).single?.hasDWARF == true)
  }

  @Test(
    "without a UUID, or with zeros, have no identity", arguments: [nil, [UInt8](repeating: 0, count: 16)])
  func noIdentity(_ uuid: [UInt8]?) throws {
    var builder = example()
    builder.uuid = uuid
    let slice = try #require(try slices(of: builder.file()).single)
    #expect(slice.id == nil)
  }

  @Test func unknownCPUIsNil() throws {
    var builder = example()
    builder.cpuType = 0x7777
    let slice = try #require(try slices(of: builder.file()).single)
    #expect(slice.architecture == nil)
  }

  @Test func unreadableSliceIsSkipped() throws {
    var other = example()
    other.segments[2].sections[0].claimedSize = .max
    #expect(try slices(of: universalFile([other, example()])).single?.architecture == .arm64)
    #expect(try slices(of: universalFile([other, other])).isDamaged)
    #expect(try slices(of: universalFile([example()], claimedOffset: 0xffff_fff0)).isDamaged)
    #expect(try slices(of: universalFile([example()], isWide: true, claimedOffset: .max)).isDamaged)
  }

  @Test("with an impossible number of slices are damaged", arguments: [0, 31, 52, .max] as [UInt32])
  func sliceCount(_ count: UInt32) throws {
    #expect(try slices(of: universalFile([example()], claimedCount: count)).isDamaged)
  }

  @Test("with more sections than any real file are refused with that reason")
  func manySections() throws {
    var builder = example()
    builder.segments[2].sections = (0..<600).map { .init("__debug_\($0)", [1]) }
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "file")
    let path = directory.path("file")
    let slice = try BinarySlice.first(in: path)
    #expect(slice.sections.count == 600)
    #expect(throws: DebugFileError.unsupported("a file with so many sections")) {
      try DebugFile(path: path, slice: slice)
    }
  }

  @Test(
    "with an inconsistent symbol table give no symbols",
    arguments: [
      [.max, 5, .max, .max], [0, .max, 0, .max], [0x200, 3, .max, 1],
    ] as [[UInt32]])
  func lyingSymbols(_ fields: [UInt32]) throws {
    var command = ByteBuilder()
    for field in [2, 24] + fields { command.append(field) }
    var builder = example()
    builder.symbols = []
    builder.rawCommands = [command.bytes]
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "file")
    let path = directory.path("file")
    let file = try DebugFile(firstIn: path)
    #expect(file.symbol(at: LinkedAddress(0x4000)) == nil)
  }
}
