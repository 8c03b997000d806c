import CrashReadInstructions
import Testing

@Suite("arm64 instructions")
struct Arm64DecoderTests {
  @Test(
    "are printed as LLVM prints them",
    arguments: [
      (0xf879_7908, "ldr x8, [x8, x25, lsl #3]"), (0xa94e_2017, "ldp x23, x8, [x0, #0xe0]"),
      (0xd420_0020, "brk #0x1"),
      (0xd503_237f, "pacibsp"), (0xd65f_0fff, "retab"), (0x9240_0c20, "and x0, x1, #0xf"),
      (0xd37c_ec41, "lsl x1, x2, #4"),
      (0x3862_c820, "ldrb w0, [x1, w2, sxtw]"), (0xf820_0420, "ldraa x0, [x1]"),
      (0x9200_f000, "and x0, x0, #0x5555555555555555"),
      (0xd920_0441, "stg x1, [x2], #0x0"), (0xb8e2_0043, "ldaddal w2, w3, [x2]"),
      (0x4c40_7020, "ld1 { v0.16b }, [x1]"),
      (0x1e60_2008, "fcmp d0, #0.0"), (0x9a9f_17e0, "cset x0, eq"), (0xf940_0be0, "ldr x0, [sp, #0x10]"),
      (0x0000_dead, "udf #0xdead"), (0xd73f_0a11, "blraa x16, x17"),
    ] as [(UInt32, String)])
  func text(_ word: UInt32, _ text: String) {
    #expect(Arm64Decoder.instruction(word, at: 0x1000).text == text)
  }

  @Test("state their memory operands")
  func memory() throws {
    let x8 = MachineRegister(8)
    let indexed = try #require(Arm64Decoder.instruction(0xf879_7908, at: 0).memory.first)
    #expect(indexed.base == x8)
    #expect(indexed.index?.register == MachineRegister(25))
    #expect(indexed.address { $0 == x8 ? 0x1000 : 2 } == 0x1010)
    // ldrb w0, [x1, w2, sxtw]: the index is sign-extended from the register's lower half.
    let narrow = try #require(Arm64Decoder.instruction(0x3862_c820, at: 0).memory.first)
    #expect(narrow.address { $0 == MachineRegister(1) ? 0x1000 : 0x7_ffff_ffff } == 0xfff)
    // ldr x0, [x1], #8 accesses [x1]; str x0, [x1, #-16]! updates x1 first.
    let after = try #require(Arm64Decoder.instruction(0xf840_8420, at: 0).memory.first)
    #expect(after.address { _ in 0x1000 } == 0x1000)
    let before = Arm64Decoder.instruction(0xf81f_0c20, at: 0)
    #expect(before.memory.first?.address { _ in 0x1000 } == 0xff0)
    #expect(before.memory.first?.access == .write)
    #expect(before.written.contains(MachineRegister(1)))
    // ldr x0, 0x1008
    #expect(Arm64Decoder.instruction(0x5800_0040, at: 0x1000).memory.first?.address { _ in nil } == 0x1008)
  }

  @Test("state the registers written; unknown ones may write all")
  func written() {
    #expect(
      Arm64Decoder.instruction(0xa94e_2017, at: 0).written == [
        RegisterSet(MachineRegister(23)), RegisterSet(MachineRegister(8)),
      ])
    // cmp x0, x1; subs xzr
    #expect(Arm64Decoder.instruction(0xeb01_001f, at: 0).written.isEmpty)
    #expect(Arm64Decoder.instruction(0x9400_0000, at: 0).written == RegisterSet(.linkRegister))
    // fmla v0.4s, v1.4s, v2.4s isn't in the table, but writes no general register.
    #expect(Arm64Decoder.instruction(0x4e22_cc20, at: 0).written.isEmpty)
    // An SVE instruction may increment one.
    #expect(Arm64Decoder.instruction(0x0420_e3e0, at: 0).written == .all)
  }

  @Test("state the control flow")
  func flow() {
    let x0 = MachineRegister(0)
    #expect(Arm64Decoder.instruction(0x1400_0002, at: 0x1000).flow == .jump(0x1008))
    #expect(Arm64Decoder.instruction(0x97ff_ffff, at: 0x1000).flow == .call(0xffc))
    #expect(Arm64Decoder.instruction(0xb400_0040, at: 0x1000).flow == .branch(0x1008, .zero(x0)))
    #expect(Arm64Decoder.instruction(0x5400_0042, at: 0x1000).flow == .branch(0x1008, .flags("hs")))
    #expect(Arm64Decoder.instruction(0xd63f_0000, at: 0).flow == .indirectCall(x0))
    #expect(Arm64Decoder.instruction(0xd65f_03c0, at: 0).flow == .return)
    #expect(Arm64Decoder.instruction(0xd420_0020, at: 0).flow == .trap(.breakpoint(1)))
    #expect(Arm64Decoder.instruction(0x0000_0000, at: 0).flow == .trap(.undefined(0)))
  }
}
