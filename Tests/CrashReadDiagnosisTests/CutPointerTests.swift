import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite("A fault address that is the lower half of a pointer")
struct CutPointerTests {
  private func finding(
    _ fault: UInt64, _ registers: KeyValuePairs<String, UInt64>, cpu: String = "ARM-64"
  ) -> Finding? {
    var sample = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, fault, cpu: cpu).crashed(system("f"))
      .registers(registers)
    var image = BinaryImage(start: RuntimeAddress(0x1_08cf_e000))
    image.end = RuntimeAddress(0x1_08cf_ffff)
    image.name = "Moon"
    sample.report.images = [image]
    return KnowledgeBase(language: .english).diagnose(sample.symbolicated).explanation.findings
      .first { $0.rule == "cut-pointer" }
  }

  @Test("names the pointer: likely by a register, a hint by an image of the program")
  func found() throws {
    let register = try #require(finding(0x1234_5678, ["x3": 0x1_1234_5678, "pc": 0x1_0000_1000]))
    #expect(register.confidence == .likely)
    #expect(register.text.hasPrefix("The address 0x12345678 is the lower half of 0x112345678,"))
    let image = try #require(finding(0x8cf_e004, ["x3": 0]))
    #expect(image.confidence == .hint)
    #expect(image.text.contains("0x108cfe004"))
  }

  @Test(
    "isn't stated of small numbers, whole pointers, tags, the fault's own registers and 32-bit programs",
    arguments: [
      (0x10, ["x3": 0x1_0000_0010]), (0x1_1234_5678, ["x3": 0x2_1234_5678]),
      (0x1234_5678, ["x3": 0xff00_0000_1234_5678]),
      (0x1234_5678, ["far": 0x1_1234_5678]), (0x8cf_0004, ["x3": 0]),
    ] as [(UInt64, KeyValuePairs<String, UInt64>)])
  func nothing(_ fault: UInt64, _ registers: KeyValuePairs<String, UInt64>) {
    #expect(finding(fault, registers) == nil)
  }

  @Test func addressesOf32Bits() { #expect(finding(0x8cf_e004, ["r3": 0], cpu: "ARM") == nil) }
}
