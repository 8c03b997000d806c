import CrashReadCore
import Testing

@Suite("Architectures")
struct ArchitectureTests {
  @Test(
    "by Mach-O type and subtype",
    arguments: [
      (7, 3, "i386"), (0x0100_0007, 3, "x86_64"), (0x0100_0007, 8, "x86_64h"), (12, 6, "armv6"),
      (12, 9, "armv7"),
      (12, 11, "armv7s"), (12, 12, "armv7k"), (12, 0, "arm"), (0x0100_000c, 0, "arm64"),
      (0x0100_000c, 1, "arm64"),
      (0x0100_000c, 2, "arm64e"), (0x0100_000c, 0x8000_0002, "arm64e"),
      (0x0100_000c, 0xc000_000c, "arm64e.x1"), (0x0100_0007, 0x8000_0003, "x86_64"),
      (0x0200_000c, 1, "arm64_32"), (18, 0, "ppc"), (0x0100_0012, 0, "ppc64"),
    ] as [(UInt32, UInt32, String)])
  func machO(_ type: UInt32, _ subtype: UInt32, _ name: String) {
    #expect(Architecture(machOType: type, subtype: subtype)?.rawValue == name)
  }

  @Test(
    "by ELF machine",
    arguments: [(3, "i386"), (40, "arm"), (62, "x86_64"), (183, "arm64")] as [(UInt16, String)])
  func elf(_ machine: UInt16, _ name: String) {
    #expect(Architecture(elfMachine: machine)?.rawValue == name)
  }

  @Test func unknownNumbersAreNil() {
    #expect(Architecture(machOType: 0xdead_beef, subtype: 0) == nil)
    #expect(Architecture(machOType: 0x0100_0000, subtype: .max) == nil)
    #expect(Architecture(elfMachine: 0) == nil)
  }

  @Test(
    "by a report's code type",
    arguments: [
      ("ARM-64 (Native)", "arm64"), ("ARM-64", "arm64"), ("X86-64 (Native)", "x86_64"),
      ("X86-64 (Translated)", "x86_64"),
      ("X86 (Native)", "i386"), ("ARM (Native)", "arm"), ("arm64e", "arm64e"), ("arm64e.x1", "arm64e.x1"),
      ("ARM64E_X1", "arm64e.x1"), ("PPC (Native)", "ppc"),
      ("riscv", nil), ("", nil), (" ARM-64", nil),
    ])
  func codeType(_ text: String, _ name: String?) {
    #expect(Architecture(codeType: text)?.rawValue == name)
  }

  @Test(
    "step back into the call instruction",
    arguments: [
      ("arm64", 4), ("arm64e", 4), ("arm64_32", 4), ("aarch64", 4), ("ppc", 4), ("ppc64", 4), ("armv7", 2),
      ("armv7k", 2), ("arm", 2), ("x86_64", 1), ("x86_64h", 1), ("i386", 1), ("unheard-of", 1),
    ] as [(String, UInt64)])
  func callStep(_ name: String, _ step: UInt64) {
    #expect(Architecture(rawValue: name).callStep == step)
  }

  struct Stripping: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var name = "arm64e"
    var address: UInt64
    var stripped: UInt64
  }

  @Test(
    "remove pointer authentication codes, tags and the Thumb bit",
    arguments: [
      Stripping(testDescription: "a plain address", address: 0x1_0484_4dd4, stripped: 0x1_0484_4dd4),
      Stripping(
        testDescription: "a pointer-authentication code", address: 0xd85c_8001_0484_4dd4 & ~(1 << 55),
        stripped: 0x1_0484_4dd4),
      Stripping(
        testDescription: "a code on arm64", name: "arm64", address: 0x0017_8001_8883_a59c,
        stripped: 0x1_8883_a59c),
      Stripping(testDescription: "a tag byte", address: 0xff00_0001_0484_4dd4, stripped: 0x1_0484_4dd4),
      Stripping(
        testDescription: "the highest user address", address: 0x7fff_ffff_ffff, stripped: 0x7fff_ffff_ffff),
      Stripping(
        testDescription: "a kernel address", address: 0xffff_fff0_1b27_8c3c, stripped: 0xffff_fff0_1b27_8c3c),
      Stripping(testDescription: "bit 55 alone", address: 1 << 55, stripped: 1 << 55),
      Stripping(testDescription: "a Thumb bit", name: "armv7", address: 0x000d_4c2b, stripped: 0x000d_4c2a),
      Stripping(testDescription: "no Thumb bit", name: "armv7s", address: 0x000d_4c2a, stripped: 0x000d_4c2a),
      Stripping(
        testDescription: "Intel, odd", name: "x86_64", address: 0x7fff_0144_ff41, stripped: 0x7fff_0144_ff41),
      Stripping(
        testDescription: "Intel, kernel", name: "x86_64", address: 0xffff_ff80_0021_3457,
        stripped: 0xffff_ff80_0021_3457),
      Stripping(
        testDescription: "an odd address on arm64", name: "arm64", address: 0x1_0000_0001,
        stripped: 0x1_0000_0001),
    ])
  func stripping(_ example: Stripping) {
    #expect(Architecture(rawValue: example.name).strippedCodeAddress(example.address) == example.stripped)
  }
}
