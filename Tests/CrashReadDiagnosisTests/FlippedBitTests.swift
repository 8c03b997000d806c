import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite("A fault address that differs in one bit from mapped memory")
struct FlippedBitTests {
  private let image: UInt64 = 0x1_0400_0000
  private let heap: UInt64 = 0x1_2345_6780

  private func findings(fault: UInt64, registers: KeyValuePairs<String, UInt64>) -> [Finding] {
    var frame = system("f")
    frame.captured.address = RuntimeAddress(0x1000)
    var sample = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, fault).crashed(frame).registers(
      registers)
    var image = BinaryImage(start: RuntimeAddress(image))
    image.end = RuntimeAddress(self.image + 0xffff)
    image.name = "App"
    sample.report.images = [image]
    return KnowledgeBase(language: .english).diagnose(sample.symbolicated).explanation.findings
      .filter { $0.rule == "flipped-bit" }
  }

  @Test("names the bit and what is there without it: an image, or what a register points to")
  func found() throws {
    let code = try #require(findings(fault: image + 0x40 ^ 1 << 40, registers: ["pc": 0x1000]).first)
    #expect(code.confidence == .hint)
    #expect(code.text.hasPrefix("The address 0x10104000040 differs in one bit (40) from 0x104000040,"))
    #expect(code.evidence.last?.source == .image(0))
    let object = try #require(
      findings(fault: heap + 0x18 ^ 1 << 35, registers: ["x0": heap, "pc": 0x1000]).first)
    #expect(object.text.contains("one bit (35) from 0x123456798,"))
    #expect(object.evidence.last?.source == .register(thread: 0, name: "x0"))
  }

  @Test(
    "isn't stated if a program makes such addresses itself, or several bits would fit",
    arguments: [
      // Two bits; a low one; one above those of addresses; no bit at all.
      (0x1_0400_0040 ^ 3 << 40, ["x0": 0]), (0x1_0400_0040 ^ 1 << 30, ["x0": 0]),
      (0x1_0400_0040 ^ 1 << 50, ["x0": 0]), (0x1_2345_6798, ["x0": 0x1_2345_6780]),
      // The program counter and the fault address register prove nothing.
      (0x1_2345_6798 ^ 1 << 40, ["pc": 0x1_2345_6780]), (0x1_2345_6798 ^ 1 << 40, ["far": 0x1_2345_6780]),
      // Farther away than members.
      (0x1_2345_8798 ^ 1 << 40, ["x0": 0x1_2345_6780]),
      // A null pointer, and a register with a power of two.
      (0, ["x15": 0x2_0000_0000]), (0x18, ["x15": 0x2_0000_0000]),
      // Either bit leads to where a register points.
      (0x301_2345_6780, ["x0": 0x101_2345_6780, "x1": 0x201_2345_6780]),
    ] as [(UInt64, KeyValuePairs<String, UInt64>)])
  func nothing(_ fault: UInt64, _ registers: KeyValuePairs<String, UInt64>) {
    #expect(findings(fault: fault, registers: registers).isEmpty)
  }
}
