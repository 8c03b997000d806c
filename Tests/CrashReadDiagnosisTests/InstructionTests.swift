import CrashReadCore
import CrashReadInstructions
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

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

  @Test("states where the value was loaded from")
  func loaded() throws {
    let diagnosis = fault([ldrX8FromX20], at: [ldrX8Indexed])
    #expect(diagnosis.instruction?.origin?.kind == .load)
    let found = try #require(finding("instruction-origin", diagnosis))
    #expect(found.text == "x8 was loaded from x20, by the instruction at 0xffc.")
    #expect(found.confidence == .likely)
  }

  @Test("states an argument that wasn't written since the function began")
  func argument() throws {
    // mov x29, sp; ldr x8, [x0, #8] in a function that begins with the first of them.
    let code: [UInt32] = [0x9100_03fd]
    let registers: KeyValuePairs<String, UInt64> = ["x0": 0, "pc": 0x1000]
    let known = fault(code, at: [0xf940_0408], registers: registers, symbolOffset: 4)
    #expect(
      finding("instruction-origin", known)?.text
        == "x0 still holds what the function was called with: its argument 1.")
    // Without its start nothing is known.
    let unknown = fault(code, at: [0xf940_0408], registers: registers)
    #expect(finding("instruction-origin", unknown) == nil)
    #expect(unknown.instruction?.origin?.kind == .unknown)
  }

  @Test(
    "states a call's result, but no register that a call may have changed",
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
      // ldr x8, [x20] after a jump that goes elsewhere: it doesn't run before
      ([0x1400_0010], 0xf940_0508, nil),
      // ldr x8, [x20, #0x10]; ldr x8, [x8]: the earlier value of x8 is lost
      (
        [0xf940_0a88, 0xf940_0108], 0xf940_0508,
        "x8 was loaded from x8, by the instruction at 0xffc. Before that: x8 was loaded from x20 + 0x10, by the instruction at 0xff8."
      ),
      // add x8, x20, #0x20; add x8, x8, x9, lsl #3 after a call that returned x20
      (
        [0x9400_0010, 0xaa00_03f4, 0x9100_8288, 0x8b09_0d08], 0xf940_0508,
        "x8 - x9 × 8 - 0x20 is what the call at 0xff0 returned."
      ),
      // add x8, x20, x9; mov x9, #0: the addend is lost
      ([0xf940_0a94, 0x8b09_0288, 0xd280_0009], 0xf940_0508, nil),
      // cbz x0, pc: two paths lead here
      ([0xb400_0040, 0xf940_0288], 0xf940_0508, nil),
    ] as [([UInt32], UInt32, String?)])
  func origins(_ before: [UInt32], _ word: UInt32, _ text: String?) {
    let registers: KeyValuePairs<String, UInt64> = ["x0": 0, "x8": 0, "x9": 0, "x19": 0, "pc": 0x1000]
    #expect(finding("instruction-origin", fault(before, at: [word], registers: registers))?.text == text)
  }

  @Test("rejects registers and code that contradict each other")
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

  @Test("ignores pointer tags, and covers wide operands")
  func tagsAndSizes() {
    // ldp x23, x8, [x0, #0xe0]
    let pair = fault(
      [], address: 0x8_1000, at: [0xa94e_2017], registers: ["x0": 0x0a00_0000_0008_0f18, "pc": 0x1000])
    #expect(pair.instruction?.operand?.matchesFault == true)
    let behind = fault([], address: 0x8_1008, at: [0xa94e_2017], registers: ["x0": 0x8_0f18, "pc": 0x1000])
    #expect(behind.instruction?.operand?.matchesFault == false)
  }

  @Test("isn't blamed when no memory access failed")
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
    "that is a trap shows the check before it",
    arguments: [
      // adds x0, x0, x1; b.vs pc; nop
      (
        [0xab01_0000, 0x5400_0046, 0xd503_201f],
        "The code tells which check failed: a signed result that doesn't fit (overflow)."
      ),
      // subs x0, x0, x1; b.lo pc: the difference of two numbers, or the comparison of an index and a count
      (
        [0xeb01_0000, 0x5400_0023],
        "One of the checks that lead to this trap failed: an unsigned result that doesn't fit (overflow); two numbers in the wrong order, compared as unsigned (an index and a count, or a range's ends)."
      ),
      // adds x0, x0, x1; b.mi pc
      (
        [0xab01_0000, 0x5400_0024],
        "One of the checks that lead to this trap failed: a signed result that doesn't fit (overflow); a negative number."
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
      // adds x0, x0, x1; cset w8, vs; tbnz w8, #0, pc
      (
        [0xab01_0000, 0x1a9f_77e8, 0x3700_0028],
        "The code tells which check failed: a signed result that doesn't fit (overflow)."
      ),
      // cmp x0, x1; b.lo around a jump to the trap
      (
        [0xeb01_001f, 0x5400_0043, 0x1400_0003, 0xd503_201f, 0xd503_201f],
        "The code tells which check failed: two numbers in the wrong order, compared as unsigned (an index and a count, or a range's ends)."
      ),
      // tbz w0, #0, pc: the condition is unknown
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

  /// The instruction at 0x1000 of an Intel program, with the code before it.
  private func intel(
    _ type: String, _ codes: (UInt64, UInt64), _ before: [UInt8], at code: [UInt8],
    registers: KeyValuePairs<String, UInt64> = ["rip": 0x1000]
  ) -> Diagnosis {
    var frame = system("f")
    frame.captured.address = RuntimeAddress(0x1000)
    let sample = SampleReport(type, nil, codes: codes.0, codes.1, cpu: "X86-64").crashed(frame)
    let padding = [UInt8](repeating: 0x90, count: 48)
    return KnowledgeBase(language: .english)
      .diagnose(sample.registers(registers).code(bytesBefore: padding + before, at: code).symbolicated)
  }

  private static let needsZydis: Comment = "libzydis4.0 isn't installed"

  @Test("of Intel names operand and origin", .enabled(if: hasZydis, needsZydis))
  func intelOperand() {
    // mov rax, [rdi+0x10]; mov rcx, [rax+0x8]
    let diagnosis = intel(
      "EXC_BAD_ACCESS", (1, 8), [0x48, 0x8b, 0x47, 0x10], at: [0x48, 0x8b, 0x48, 0x08],
      registers: ["rip": 0x1000, "rax": 0, "rdi": 0x6000])
    #expect(
      finding("instruction", diagnosis)?.text
        == "The instruction was reading 8 bytes at rax + 0x8: rax is 0x0.")
    #expect(
      finding("instruction-origin", diagnosis)?.text
        == "rax was loaded from rdi + 0x10, by the instruction at 0xffc.")
    #expect(diagnosis.instruction?.text == "mov rcx, [rax+0x8]")
    // call [rax+8]: the target is read before the return address is written.
    let call = intel(
      "EXC_BAD_ACCESS", (1, 8), [], at: [0xff, 0x50, 0x08],
      registers: ["rip": 0x1000, "rax": 0, "rsp": 0x7000])
    #expect(call.instruction?.operand?.matchesFault == true)
    let other = intel(
      "EXC_BAD_ACCESS", (1, 0x20), [], at: [0xff, 0x50, 0x08],
      registers: ["rip": 0x1000, "rax": 0, "rsp": 0x7000])
    #expect(finding("instruction", other)?.text.hasPrefix("Code, registers and fault address") == true)
  }

  @Test("of Intel that was refused names its operand", .enabled(if: hasZydis, needsZydis))
  func refusedOperand() {
    let diagnosis = intel(
      "EXC_BAD_ACCESS", (13, 0), [], at: [0x0f, 0x28, 0x47, 0x08],
      registers: ["rip": 0x1000, "rdi": 0x6008_0001])
    #expect(diagnosis.explanation.rule == "misaligned-vector")
    #expect(diagnosis.explanation.text.contains("movaps xmm0, [rdi+0x8] works only on addresses"))
    #expect(
      finding("instruction", diagnosis)?.text
        == "The instruction was reading 16 bytes at rdi + 0x8: rdi is 0x60080001.")
    // A register that can't be an address has nothing to do with an instruction that needs none.
    let halted = intel(
      "EXC_BAD_ACCESS", (13, 0), [], at: [0xf4], registers: ["rip": 0x1000, "rdi": 0x1f00_6000_01d5_4120])
    #expect(halted.explanation.rule == "privileged-instruction")
    #expect(finding("non-canonical-register", halted) == nil)
    // What the stack pointer counts raises a stack fault, and a general protection fault has another reason.
    let stack = intel(
      "EXC_BAD_ACCESS", (13, 0), [], at: [0x48, 0x8b, 0x45, 0x08],
      registers: ["rip": 0x1000, "rbp": 0x1f00_6000_01d5_4120])
    #expect(stack.explanation.rule == "general-protection-fault")
  }

  @Test(
    "of Intel that is a trap shows the check before it", .enabled(if: hasZydis, needsZydis),
    arguments: [
      ([0x48, 0x01, 0xd8, 0x70, 0x00], "a signed result that doesn't fit (overflow)."),
      ([0x48, 0x01, 0xd8, 0x72, 0x00], "an unsigned result that doesn't fit (overflow)."),
      (
        [0x48, 0x39, 0xd8, 0x73, 0x00],
        "two numbers in the wrong order, compared as unsigned (an index and a count, or a range's ends)."
      ),
      // test rax, rax; jne around the trap
      ([0x48, 0x85, 0xc0, 0x75, 0x02], "a value that is zero (nil, a divisor or a count)."),
      // bt: the meaning of the bit is unknown.
      ([0x48, 0x0f, 0xa3, 0xd8, 0x72, 0x00], nil),
    ] as [([UInt8], String?)])
  func intelTraps(_ before: [UInt8], _ check: String?) {
    let diagnosis = intel("EXC_BAD_INSTRUCTION", (1, 0), before, at: [0x0f, 0x0b])
    #expect(
      finding("trap-check", diagnosis)?.text == check.map { "The code tells which check failed: " + $0 })
  }

  /// A call through 0 of which the caller's code is known: the words before the return address 0x2000.
  private func lostCall(_ words: [UInt32], _ registers: KeyValuePairs<String, UInt64>) -> Finding? {
    var frame = ResolvedFrame(captured: Frame(kind: .programCounter, address: RuntimeAddress(0)))
    frame.reason = .notInImage
    let caller = ResolvedFrame(captured: Frame(kind: .returnAddress, address: RuntimeAddress(0x2000)))
    let sample = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0).crashed([frame, caller])
    var report = sample.registers(registers).symbolicated
    let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    report.code = [1: ImageCode(start: 0x2000 - UInt64(bytes.count), bytes: bytes, entry: nil)]
    return finding("lost-call", KnowledgeBase(language: .english).diagnose(report))
  }

  @Test("after a call to an invalid address is the caller's")
  func lostCalls() {
    let registers: KeyValuePairs<String, UInt64> = ["x0": 0x6000, "x8": 0, "pc": 0, "lr": 0x2000]
    // ldr x8, [x0]; ldr x8, [x8, #0x18]; blr x8
    let virtual = lostCall([0xf940_0008, 0xf940_0d08, 0xd63f_0100], registers)
    #expect(
      virtual?.text
        == "The call at 0x1ffc went to the address in x8, which is 0x0. x8 was loaded from x8 + 0x18, by the instruction at 0x1ff8. It is the call of a virtual method: the target is at 0x18 in the table that the object's first word points to."
    )
    #expect(virtual?.confidence == .likely)
    // mov x0, x19; ldr x8, [x19, #0x10]; blr x8
    let block = lostCall([0xaa13_03e0, 0xf940_0a68, 0xd63f_0100], registers)
    #expect(
      block?.text.hasSuffix("the call of a block: the target is at 0x10 in its first argument.") == true)
    // ldr x8, [x19, #0x10]; mov x0, x20; blr x8: an arbitrary function pointer
    let member = lostCall([0xf940_0a68, 0xaa14_03e0, 0xd63f_0100], registers)
    #expect(member?.text.hasSuffix("x8 was loaded from x19 + 0x10, by the instruction at 0x1ff4.") == true)
    // The register goes elsewhere; a direct call; a link register of another call.
    #expect(lostCall([0xd63f_0100], ["x8": 0x5000, "pc": 0, "lr": 0x2000]) == nil)
    #expect(lostCall([0x9400_0000], registers) == nil)
    #expect(lostCall([0xd63f_0100], ["x8": 0, "pc": 0, "lr": 0x3000]) == nil)
  }

  @Test("is read from the binary where its bytes agree")
  func binaryCode() {
    var frame = ResolvedFrame(captured: Frame(kind: .programCounter, address: RuntimeAddress(0x1000)))
    frame.reason = .noDebugInfo
    func diagnosis(quoted: Bool, _ bytes: [UInt8]) -> Diagnosis {
      var sample = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 8).crashed([frame])
        .registers(["x8": 0, "x25": 1, "x20": 0x1_0000_8000, "pc": 0x1000])
      if quoted { sample = sample.code([ldrX8FromX20], at: [ldrX8Indexed]) }
      var report = sample.symbolicated
      report.code = [0: ImageCode(start: 0xff8, bytes: bytes, entry: 0xff8)]
      return KnowledgeBase(language: .english).diagnose(report)
    }
    // mov x29, sp; ldr x8, [x20]; ldr x8, [x8, x25, lsl #3]
    let code: [UInt8] = [0xfd, 3, 0, 0x91, 0x88, 2, 0x40, 0xf9, 8, 0x79, 0x79, 0xf8]
    for quoted in [false, true] {
      let found = diagnosis(quoted: quoted, code)
      #expect(found.instruction?.before == ["0xff8: mov x29, sp", "0xffc: ldr x8, [x20]"])
      #expect(finding("instruction", found)?.confidence == .certain)
      #expect(finding("code-difference", found) == nil)
    }
    // Another register in the binary: what the report quotes counts.
    let other = diagnosis(quoted: true, Array(code[..<4]) + [0x88, 3, 0x40, 0xf9] + code[8...])
    #expect(other.instruction?.before == ["0xffc: ldr x8, [x20]"])
    #expect(finding("code-difference", other)?.confidence == .hint)
    #expect(finding("code-difference", other)?.text.contains("from 0xffd on") == true)
  }
}
