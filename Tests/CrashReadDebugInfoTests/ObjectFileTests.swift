import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// A program without a dSYM: its object files give the results of the dSYM that `dsymutil` makes from them.
@Suite("Object files")
struct ObjectFileTests {
  private static let architectures = ["arm64", "x86_64"]

  /// A copy of the sample, which a test may change.
  private func copy(_ architecture: String) throws -> TemporaryDirectory {
    try TemporaryDirectory(copyOf: "variants/objects-\(architecture)")
  }

  /// Addresses where the dSYM has a function, and its functions there.
  private func truth(
    _ directory: TemporaryDirectory
  ) throws -> [(address: LinkedAddress, frames: [SourceFrame])] {
    let dSYM = try DebugFile(firstIn: directory.path("Scales.dwarf"))
    return dSYM.slice.codeAddresses.map { ($0, dSYM.frames(at: $0)) }.filter { !$0.frames.isEmpty }
  }

  /// Writes the times that the linker would have seen: ours writes zeros.
  private func writeTimes(_ time: UInt64, _ directory: TemporaryDirectory) throws {
    var bytes = try directory.bytes("Scales")
    let table = try #require(BinarySlice.all(in: directory.path("Scales")).first?.symbols)
    var count = 0
    for index in 0..<table.symbolCount where bytes[table.symbolsOffset + 16 * index + 4] == 0x66 {
      for byte in 0..<8 {
        bytes[table.symbolsOffset + 16 * index + 8 + byte] = UInt8(truncatingIfNeeded: time >> (8 * byte))
      }
      count += 1
    }
    try #require(count == 3)
    try directory.write(bytes, to: "Scales")
  }

  private func setTime(_ time: Int, of name: String, _ directory: TemporaryDirectory) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: TimeInterval(time))], ofItemAtPath: directory.path(name)
    )
  }

  private func members(of bytes: [UInt8]) -> [StaticArchive.Member]? {
    unsafe bytes.withUnsafeBytes { unsafe StaticArchive(ByteView($0))?.members }
  }

  @Test("give the same answers as the dSYM, marked as unproven", arguments: architectures)
  func answers(_ architecture: String) throws {
    let directory = try copy(architecture)
    let truth = try truth(directory)
    #expect(truth.count > 150)
    #expect(truth.count { $0.frames.count > 1 } > 10)
    let file = try DebugFile(firstIn: directory.path("Scales"))
    #expect(!file.slice.hasDWARF)
    #expect(file.missingParts.isEmpty, "nobody has asked for anything")
    for (address, frames) in truth { #expect(file.frames(at: address) == frames) }
    #expect(file.frames(at: truth.map(\.address)) == truth.map(\.frames))
    #expect(
      file.missingParts.map(\.path)
        == ["main.o", "weigh.o", "libprice.a(price.o)"].map { directory.path($0) })
    #expect(file.missingParts.allSatisfy { $0.error == nil && !$0.isAbsent })
    // Between functions the compiler has lines, and the symbol table the name of the one before.
    let known = Set(truth.map(\.address))
    for range in file.slice.codeRanges {
      for address in (range.lowerBound.rawValue..<range.upperBound.rawValue).map({ LinkedAddress($0) })
      where !known.contains(address) {
        let frames = file.frames(at: address)
        #expect(frames.isEmpty || frames.map(\.function) == [file.symbol(at: address)?.function])
      }
    }
  }

  @Test("are accepted if their modification time is the recorded one", arguments: architectures)
  func times(_ architecture: String) throws {
    let directory = try copy(architecture)
    let time = 1_735_689_600  // that of the archive's member
    try writeTimes(UInt64(time), directory)
    try setTime(time, of: "main.o", directory)
    try setTime(time, of: "weigh.o", directory)
    let file = try DebugFile(firstIn: directory.path("Scales"))
    for (address, frames) in try truth(directory) { #expect(file.frames(at: address) == frames) }
    #expect(file.missingParts.isEmpty)
  }

  @Test("with another modification time aren't used", arguments: architectures)
  func otherTimes(_ architecture: String) throws {
    let directory = try copy(architecture)
    try writeTimes(1_735_689_601, directory)
    try setTime(1_735_689_601, of: "main.o", directory)
    try setTime(1_735_689_602, of: "weigh.o", directory)
    let file = try DebugFile(firstIn: directory.path("Scales"))
    for (address, frames) in try truth(directory) {
      let isMain = frames.last?.location?.file.hasSuffix("main.c") == true
      #expect(file.frames(at: address) == (isMain ? frames : []))
    }
    #expect(
      file.missingParts.map(\.error) == [
        .otherBuild(
          "its modification time is 1735689602, and the linker recorded 1735689601 (seconds since 1970)"),
        .otherBuild(
          "its modification time is 1735689600, and the linker recorded 1735689601 (seconds since 1970)"),
      ])
  }

  @Test("that are missing, invalid or of another build are noted, and the others are used")
  func replaced() throws {
    for (script, reason) in [
      ("rm main.o", "stat: No such file or directory"),
      ("cp weigh.o main.o", "it belongs to another build: _check has 44 bytes in it, and 56 in the program"),
      ("cp Scales main.o", "an object file without debug information is not supported"),
      ("rm main.o && mkdir main.o", "not a regular file"),
      ("echo no object > main.o", "neither a Mach-O nor an ELF file"),
    ] {
      let directory = try copy("arm64")
      let run = try CommandRun(program: URL(filePath: "/bin/sh"), ["-ec", script], in: directory)
      try #require(run.outcome == .exited(0), "\(run.errors)")
      let file = try DebugFile(firstIn: directory.path("Scales"))
      for (address, frames) in try truth(directory) {
        let isMain = frames.last?.location?.file.hasSuffix("main.c") == true
        #expect(file.frames(at: address) == (isMain ? [] : frames), "\(script)")
      }
      let part = try #require(file.missingParts.first { $0.error != nil })
      #expect(part.error?.description == reason)
      #expect(part.path == directory.path("main.o"))
    }
  }

  @Test("in an archive are found by name, and refused if two can't be distinguished")
  func archive() throws {
    let directory = try copy("x86_64")
    let bytes = try directory.bytes("libprice.a")
    let members = try #require(self.members(of: bytes))
    #expect(members.map(\.name) == ["__.SYMDEF", "price.o"])
    #expect(members[1].time == 1_735_689_600)
    #expect(bytes[members[1].offset...].prefix(4) == [0xcf, 0xfa, 0xed, 0xfe])
    // The members a second time, after the first.
    try directory.write(bytes + bytes.dropFirst(8), to: "libprice.a")
    let file = try DebugFile(firstIn: directory.path("Scales"))
    for (address, frames) in try truth(directory) {
      let isPrice = frames.last?.location?.file.hasSuffix("price.c") == true
      #expect(file.frames(at: address) == (isPrice ? [] : frames))
    }
    #expect(file.missingParts.last?.error == .unsupported("an archive with several price.o"))
    try directory.write(Array(bytes.dropLast(members[1].size + 60)), to: "libprice.a")
    let cut = try DebugFile(firstIn: directory.path("Scales"))
    _ = try truth(directory).map { cut.frames(at: $0.address) }
    #expect(cut.missingParts.last?.error?.description == "it belongs to another build: it has no price.o")
  }

  @Test("in archives in GNU's format are found")
  func gnuArchive() throws {
    func member(_ name: String, _ contents: String) -> String {
      let fields = [(name, 16), ("7", 12), ("0", 6), ("0", 6), ("644", 8), ("\(contents.utf8.count)", 10)]
      let head = fields.map { $0.0 + String(repeating: " ", count: $0.1 - $0.0.utf8.count) }.joined()
      return head + "`\n" + contents + (contents.utf8.count % 2 == 1 ? "\n" : "")
    }
    let text =
      "!<arch>\n" + member("//", "a_name_of_more_than_15.o/\n") + member("short.o/", "abc")
      + member("/0", "d")
    let bytes = Array(text.utf8)
    let members = try #require(self.members(of: bytes))
    #expect(members.map(\.name) == ["short.o", "a_name_of_more_than_15.o"])
    #expect(members.map { Character(UnicodeScalar(bytes[$0.offset])) } == ["a", "d"])
    #expect(members.map(\.time) == [7, 7])
    for end in 0..<bytes.count {
      let cut = self.members(of: Array(bytes[..<end])) ?? []
      #expect(cut.allSatisfy { $0.offset + $0.size <= end })
    }
  }

  @Test("with relocations against symbols are refused")
  func relocations() throws {
    let directory = try copy("arm64")
    var bytes = try directory.bytes("main.o")
    let slice = try BinarySlice.first(in: directory.path("main.o"))
    let info = try #require(slice.sections.first { $0.name == ".debug_info" })
    #expect(info.relocationCount == 10)
    bytes[info.relocationsOffset + 7] |= 0x08  // r_extern
    try directory.write(bytes, to: "main.o")
    let file = try DebugFile(firstIn: directory.path("Scales"))
    _ = try truth(directory).map { file.frames(at: $0.address) }
    #expect(
      file.missingParts.first?.error == .unsupported("debug information with relocations by symbol"))
  }

  @Test("of a program that names itself as its object file aren't searched recursively")
  func circle() throws {
    let directory = try copy("arm64")
    try FileManager.default.removeItem(atPath: directory.path("main.o"))
    try directory.link("main.o", to: directory.path("Scales"))
    let file = try DebugFile(firstIn: directory.path("Scales"))
    let main = try #require(truth(directory).first { $0.frames.last?.function == "main" })
    #expect(file.frames(at: main.address).isEmpty)
    #expect(file.symbol(at: main.address)?.function == "main")
  }

  @Test(
    "that are damaged, or whose debug map is, give answers or notes",
    arguments: ["Scales", "main.o", "libprice.a"])
  func damaged(_ name: String) throws {
    let directory = try copy("x86_64")
    let bytes = try directory.bytes(name)
    let addresses = try truth(directory).map { String($0.address.rawValue, radix: 16) }.joined(
      separator: "\n")
    var random = SeededRandom(seed: 12)
    for _ in 0..<40 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...24, using: &random) {
        changed[.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      try directory.write(changed, to: name)
      // The built program reads them, so that a crash inside libdw ends the program and not the tests.
      let run = try CommandRun.crashread(
        ["lookup", directory.path("Scales"), "--addresses", "-"], input: addresses)
      #expect(run.outcome == .exited(0) || run.outcome == .exited(1), "\(run.errors)")
    }
  }
}
