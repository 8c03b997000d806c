import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Damaged debug files are read by the built program, so that a crash inside libdw ends the program and not the tests.
@Suite("Damaged debug files")
struct DamagedFileTests {
  struct Original: Sendable, CustomTestStringConvertible {
    var path: String
    var first: UInt64
    var step: UInt64
    var testDescription: String { path.split(separator: "/").last.map(String.init) ?? path }
  }

  static let originals = [
    Original(path: "symbols/c-divide.debug", first: 0x1000, step: 61),
    Original(path: "symbols/swift-trap.debug", first: 0x1000, step: 83),
    Original(path: "symbols/JumpNull.dSYM/Contents/Resources/DWARF/JumpNull", first: 0x1_0000_0400, step: 4),
    Original(
      path: "symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp", first: 0x1_0000_0400, step: 28),
  ]

  /// Some bytes changed, or the file truncated.
  private func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let position = Int.random(in: 0..<result.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: result[position] = 0xff
      case 1: result[position] = 0
      case 2: result[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      default: result[position] = .random(in: 0...255, using: &random)
      }
    }
    let cuts = Int.random(in: 0..<8, using: &random) == 0
    return cuts ? Array(result.prefix(.random(in: 1..<result.count, using: &random))) : result
  }

  @Test("end a run with status 0 or 1", arguments: originals, [1, 2] as [UInt64])
  func variants(_ original: Original, _ seed: UInt64) throws {
    let bytes = try Samples.bytes(original.path)
    let addresses = (0..<60).map { "0x" + String(original.first + $0 * original.step, radix: 16) }
    let directory = try TemporaryDirectory()
    var random = SeededRandom(seed: seed)
    for variant in 0..<40 {
      try directory.write(damaged(bytes, &random), to: "file")
      let run = try CommandRun(
        program: builtProgram("crashread"), ["lookup", "file"] + addresses, in: directory)
      #expect([.exited(0), .exited(1)].contains(run.outcome), "variant \(variant): \(run.errors)")
    }
  }

  /// Every entry has a `DW_AT_sibling` that names its own first child, so that a walk that follows both children and
  /// siblings would visit 2^40 entries.
  @Test func entriesThatAreChildAndSiblingAreVisitedOnce() throws {
    let directory = try TemporaryDirectory()
    try directory.write(fileOfSiblings(depth: 40), to: "file")
    let run = try CommandRun(
      program: builtProgram("crashread"), ["lookup", "file", "0x1010"], in: directory)
    #expect(run.outcome == .exited(0))
  }

  private func fileOfSiblings(depth: Int) -> [UInt8] {
    let abbreviations: [UInt8] = [
      1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,  // compile_unit with children: low_pc addr, high_pc data4
      2, 0x39, 1, 0x01, 0x13, 0, 0,  // namespace with children: sibling ref4
      0,
    ]
    var entries = ByteBuilder()
    entries.append(UInt8(1))
    entries.append(UInt64(0x1000))
    entries.append(UInt32(0x1000))
    let header = 11
    for _ in 0..<depth {
      entries.append(UInt8(2))
      entries.append(UInt32(header + entries.count + 4))
    }
    entries.append(contentsOf: [UInt8](repeating: 0, count: depth + 1))
    var unit = ByteBuilder()
    unit.append(UInt32(7 + entries.count))
    unit.append(UInt16(4))
    unit.append(UInt32(0))
    unit.append(UInt8(8))
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
    builder.sections = [
      .init(".debug_abbrev", abbreviations), .init(".debug_info", unit.bytes + entries.bytes),
    ]
    return builder.file()
  }

  /// Symbols whose names all begin in one unterminated text must not each copy it.
  @Test func overlappingSymbolNamesTakeNoMoreMemoryThanTheFile() throws {
    var builder = MachOBuilder()
    builder.segments = [.init("__TEXT", at: 0x4000, size: 0x10_0000, isCode: true)]
    let count = 20_000
    builder.symbols = (0..<count).map { _ in .init("", at: 0x4100) }
    var bytes = builder.file()
    // The last `count` bytes are the names, each a zero: make one long name of them that each symbol begins inside of.
    bytes.replaceSubrange((bytes.count - count)..., with: repeatElement(0x61, count: count))
    let directory = try TemporaryDirectory()
    try directory.write(bytes, to: "file")
    let run = try CommandRun(
      program: builtProgram("crashread"), ["lookup", "file", "0x4100"], in: directory)
    #expect(run.outcome == .exited(0))
  }
}
