import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis

@Suite("The instruction that failed")
struct InstructionTests {
  private let ldrX8Indexed: UInt32 = 0xf879_7908  // ldr x8, [x8, x25, lsl #3]
  private let ldrX8FromX20: UInt32 = 0xf940_0288  // ldr x8, [x20]
  private let nop: UInt32 = 0xd503_201f

  /// A read from 8 by the instruction at 0x1000.
  private func fault(
    _ before: [UInt32], address: UInt64 = 8, at words: [UInt32],
    registers: KeyValuePairs<String, UInt64> = ["x8": 0, "x25": 1, "x20": 0x1_0000_8000, "pc": 0x1000],
    symbolOffset: UInt64? = nil
  ) -> Diagnosis {
    var frame = system("f")
    frame.captured.address = RuntimeAddress(0x1000)
    frame.captured.reportedSymbolOffset = symbolOffset
    let sample = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, address).crashed(frame)
    return KnowledgeBase(language: .english)
      .diagnose(sample.registers(registers).code(before, at: words).symbolicated)
  }

  private func finding(_ rule: String, _ diagnosis: Diagnosis) -> Finding? {
    diagnosis.explanation.findings.first { $0.rule == rule }
  }

  @Test("names the operand that gives the fault address")
  func operand() throws {
    let diagnosis = fault([ldrX8FromX20], at: [ldrX8Indexed, nop])
    let found = try #require(finding("instruction", diagnosis))
    #expect(found.text == "The instruction was reading 8 bytes at x8 + x25 × 8: x8 is 0x0.")
    #expect(found.confidence == .certain)
    #expect(
      found.evidence.map(\.source) == [
        .code(thread: 0), .register(thread: 0, name: "x8"), .register(thread: 0, name: "x25"),
      ])
    let statement = try #require(diagnosis.instruction)
    #expect(statement.text == "ldr x8, [x8, x25, lsl #3]")
    #expect(statement.bytes == [0x08, 0x79, 0x79, 0xf8])
    #expect(
      statement.operand
        == OperandStatement(
          text: "x8 + x25 × 8", address: 8, size: 8, access: "read", matchesFault: true))
    #expect(statement.before == ["0xffc: ldr x8, [x20]"])
    #expect(statement.after == ["0x1004: nop"])
    #expect(diagnosis.explanation.confidence == .likely)
  }

  @Test("tells where the value was loaded from")
  func loaded() throws {
    let diagnosis = fault([ldrX8FromX20], at: [ldrX8Indexed])
    #expect(diagnosis.instruction?.origin?.kind == .load)
    let found = try #require(finding("instruction-origin", diagnosis))
    #expect(found.text == "x8 was loaded from x20, by the instruction at 0xffc.")
    #expect(found.confidence == .likely)
  }

  @Test("tells what wasn't written since the function began")
  func argument() throws {
    // mov x29, sp; ldr x8, [x0, #8] in a function that begins with the first of them.
    let code: [UInt32] = [0x9100_03fd]
    let registers: KeyValuePairs<String, UInt64> = ["x0": 0, "pc": 0x1000]
    let known = fault(code, at: [0xf940_0408], registers: registers, symbolOffset: 4)
    #expect(
      finding("instruction-origin", known)?.text
        == "x0 still holds what the function was called with: its argument 1.")
    // Without the place where it begins nothing is known.
    let unknown = fault(code, at: [0xf940_0408], registers: registers)
    #expect(finding("instruction-origin", unknown) == nil)
    #expect(unknown.instruction?.origin?.kind == .unknown)
  }

  @Test(
    "tells a call's result, and not what a call may have changed",
    arguments: [
      // bl; ldr x8, [x0, #8]
      ([0x9400_0010], 0xf940_0408, "x0 is what the call at 0xffc returned."),
      // bl; ldr x8, [x9, #8]
      ([0x9400_0010], 0xf940_0528, nil),
      // ldr x19, [x20, #0x10]; bl; ldr x8, [x19, #8]: functions keep x19
      (
        [0xf940_0a93, 0x9400_0010], 0xf940_0668,
        "x19 was loaded from x20 + 0x10, by the instruction at 0xff8."
      ),
      // mov x8, x9 after mov x9, #0
      ([0xd280_0009, 0xaa09_03e8], 0xf940_0508, "The code itself sets x8 to 0x0."),
      // ldr x8, [x20] behind a jump that goes elsewhere: it doesn't run before
      ([0x1400_0010], 0xf940_0508, nil),
      // cbz x0, pc: two ways lead here
      ([0xb400_0040, 0xf940_0288], 0xf940_0508, nil),
    ] as [([UInt32], UInt32, String?)])
  func origins(_ before: [UInt32], _ word: UInt32, _ text: String?) {
    let registers: KeyValuePairs<String, UInt64> = ["x0": 0, "x8": 0, "x9": 0, "x19": 0, "pc": 0x1000]
    #expect(finding("instruction-origin", fault(before, at: [word], registers: registers))?.text == text)
  }

  @Test("doesn't trust what can't be of one moment")
  func contradiction() throws {
    let diagnosis = fault([], address: 0x20, at: [ldrX8Indexed])
    let found = try #require(finding("instruction", diagnosis))
    #expect(found.text.hasPrefix("Code, registers and fault address don't belong together"))
    #expect(diagnosis.instruction?.operand?.matchesFault == false)
    #expect(diagnosis.explanation.confidence == .hint)
    #expect(finding("instruction-origin", diagnosis) == nil)
    // A register that isn't stated proves nothing.
    #expect(
      finding(
        "instruction", fault([], address: 0x20, at: [ldrX8Indexed], registers: ["x8": 0, "pc": 0x1000]))
        == nil)
  }

  @Test("passes over a tag, and reaches into wide operands")
  func tagsAndSizes() {
    // ldp x23, x8, [x0, #0xe0]
    let pair = fault(
      [], address: 0x8_1000, at: [0xa94e_2017], registers: ["x0": 0x0a00_0000_0008_0f18, "pc": 0x1000])
    #expect(pair.instruction?.operand?.matchesFault == true)
    let behind = fault([], address: 0x8_1008, at: [0xa94e_2017], registers: ["x0": 0x8_0f18, "pc": 0x1000])
    #expect(behind.instruction?.operand?.matchesFault == false)
  }

  @Test("is nothing that failed where no access to memory did")
  func otherExceptions() {
    let frame = system("f")
    let sample = SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(frame)
      .registers(["x8": 0, "x25": 1, "pc": 0x1000]).code([], at: [ldrX8Indexed])
    let diagnosis = KnowledgeBase(language: .english).diagnose(sample.symbolicated)
    #expect(diagnosis.instruction?.text == "ldr x8, [x8, x25, lsl #3]")
    #expect(diagnosis.instruction?.operand == nil)
    #expect(finding("instruction", diagnosis) == nil)
  }

  @Test(
    "that is a trap tells the check before it",
    arguments: [
      // adds x0, x0, x1; b.vs pc; nop
      (
        [0xab01_0000, 0x5400_0046, 0xd503_201f],
        "The code tells which check failed: a signed result that doesn't fit (overflow)."
      ),
      // subs x0, x0, x1; b.lo pc
      (
        [0xeb01_0000, 0x5400_0023],
        "The code tells which check failed: an unsigned result that doesn't fit (overflow)."
      ),
      // cmp x0, x1; b.lo around the trap
      (
        [0xeb01_001f, 0x5400_0043],
        "The code tells which check failed: two numbers in the wrong order, compared as unsigned (an index and a count, or a range's ends)."
      ),
      // cbnz x0, around the trap
      ([0xb500_0040], "The code tells which check failed: a value that is zero (nil, a divisor or a count)."),
      // smulh x2, x0, x1; mul x0, x0, x1; cmp x2, x0, asr #63; b.ne pc
      (
        [0x9b41_7c02, 0x9b01_7c00, 0xeb80_fc5f, 0x5400_0021],
        "The code tells which check failed: a signed result that doesn't fit (overflow)."
      ),
      // cbz x0, pc; adds; b.vs pc
      (
        [0xb400_0060, 0xab01_0000, 0x5400_0026],
        "One of the checks that lead to this trap failed: a signed result that doesn't fit (overflow); a value that is zero (nil, a divisor or a count)."
      ),
      // tbz w0, #0, pc: which condition that is nobody can tell
      ([0x3600_0020], nil), ([0xd503_201f], nil),
    ] as [([UInt32], String?)])
  func trap(_ before: [UInt32], _ text: String?) {
    let sample = SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0x1000).crashed(system("f"))
      .registers(["pc": 0x1000]).code(before, at: [0xd420_0020])
    let diagnosis = KnowledgeBase(language: .english).diagnose(sample.symbolicated)
    #expect(finding("trap-check", diagnosis)?.text == text)
    let named = SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0x1000)
      .crashed(app(function("Swift runtime failure: arithmetic overflow"), function("f()", "/a.swift", 3)))
      .registers(["pc": 0x1000]).code(before, at: [0xd420_0020])
    #expect(finding("trap-check", KnowledgeBase(language: .english).diagnose(named.symbolicated)) == nil)
  }
}
