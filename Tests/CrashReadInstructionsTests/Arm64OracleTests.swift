import CrashReadInstructions
import Foundation
import TestSupport
import Testing

/// Compares with the disassembler of the Swift toolchain, which knows the newest extensions.
@Suite("arm64 instructions against llvm-objdump")
struct Arm64OracleTests {
  /// From the compiler's folder: another one in PATH may be years older.
  static let tools = installedProgram("swift").map {
    $0.resolvingSymlinksInPath().deletingLastPathComponent()
  }
  .flatMap { folder in
    let tools = ["llvm-objcopy", "llvm-objdump"].map { folder.appending(path: $0) }
    return tools.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) } ? tools : nil
  }

  /// Names of system registers and operations, not all of which are needed; range prefetches; `umov`, which has an
  /// alias; and 64-byte accesses, of which LLVM rejects some registers.
  private static let shortened = ["mrs", "msr", "sys", "prfm", "umov", "ld64b", "st64b"]

  @Test("print the same, or nothing", .enabled(if: tools != nil, "the toolchain has no llvm-objdump"))
  func sameText() throws {
    let isFull = ProcessInfo.processInfo.environment["CRASHREAD_FULL"] != nil
    let words = Self.words(count: isFull ? 1_000_000 : 20_000)
    let expected = try Self.disassembled(words)
    try #require(expected.count { $0 != nil } * 3 > words.count)
    var (same, silent) = (0, 0)
    var wrong: [String] = []
    for (index, (word, expected)) in zip(words, expected).enumerated() {
      let text = Arm64Decoder.instruction(word, at: UInt64(index * 4)).text
      if text == expected {
        same += 1
      } else if let text {
        if !Self.shortened.contains(where: text.hasPrefix) {
          wrong.append("\(text) | \(expected ?? "unknown")")
        }
      } else {
        silent += 1
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    // What isn't supported: vector arithmetic, SVE, SME, and extensions after Armv9.4.
    #expect(silent * 100 < words.count * 25 && same * 100 > words.count * 35)
  }

  /// Random words, every second one an instruction of a group that compilers use.
  private static func words(count: Int) -> [UInt32] {
    var random = SeededRandom(seed: 21)
    let groups: [UInt32] = [
      0x1100_0000, 0x9100_0000, 0xd100_03e0, 0x910003fd, 0xb900_0000, 0xf940_0000, 0xa940_0000, 0xa9bf_0000,
      0x9400_0000,
      0x5400_0000, 0xb400_0000, 0xaa00_03e0, 0x8b00_0000, 0xeb00_001f, 0x9a9f_07e0, 0xd280_0000, 0xd340_0000,
      0x3880_0000,
      0x1e20_0000, 0xdac1_0000, 0xd503_201f, 0xf820_0000, 0xc85f_7c00, 0xd420_0000, 0x1b00_0000, 0x9ac0_0000,
      0x4e00_1c00,
    ]
    return (0..<count).map { index in
      let word = UInt32(truncatingIfNeeded: random.next())
      guard index % 2 == 0 else { return word }
      return groups[index / 2 % groups.count] ^ (word & 0x001f_ffff)
    }
  }

  /// What llvm-objdump prints for each word; nil for one it doesn't know.
  private static func disassembled(_ words: [UInt32]) throws -> [String?] {
    let tools = try #require(tools)
    let directory = try TemporaryDirectory()
    let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    try directory.write(bytes, to: "words")
    let (raw, object) = (directory.path("words"), directory.path("object"))
    _ = try CommandRun(program: tools[0], ["-I", "binary", "-O", "elf64-littleaarch64", raw, object])
    let run = try CommandRun(program: tools[1], ["-D", "-z", "--mattr=+all", "--no-show-raw-insn", object])
    var texts = [String?](repeating: nil, count: words.count)
    for line in run.output.split(separator: "\n") where line.first == " " {
      guard let colon = line.firstIndex(of: ":"), !line.contains("<unknown>"),
        let address = Int(line[..<colon].drop { $0 == " " }, radix: 16), texts.indices.contains(address / 4)
      else { continue }
      // A comment and the symbol of a target are llvm-objdump's own.
      let text = line[line.index(after: colon)...].prefix { $0 != "<" }.split(separator: "//")[0]
      texts[address / 4] = text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
    return texts
  }
}
