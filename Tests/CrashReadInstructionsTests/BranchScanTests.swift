import Testing

@testable import CrashReadInstructions

@Suite("Branches to an address, found without decoding")
struct BranchScanTests {
  /// Where branches to 0x2000 end in code that begins at 0x1000.
  private func found(_ set: InstructionSet, _ code: [UInt8]) -> [Int] {
    set.branchEnds(to: 0x2000, in: code, at: 0x1000)
  }

  @Test("on x86-64 by their 32 bits")
  func intel() {
    // jae 0x2000; jmp 0x2000; jae 0x2001; call 0x2000
    let code: [UInt8] = [
      0x0f, 0x83, 0xfa, 0x0f, 0, 0, 0xe9, 0xf5, 0x0f, 0, 0, 0x0f, 0x83, 0xf0, 0x0f, 0, 0, 0xe8, 0xea, 0x0f, 0,
      0,
    ]
    #expect(found(.x86_64, code) == [6, 11])
    for count in 0..<6 { #expect(found(.x86_64, Array(code.prefix(count))).isEmpty) }
  }

  @Test("on arm64 by each form's width")
  func arm64() {
    // b.hs, cbz x0, tbnz w1 #0, b, all to 0x2000; b.hs to 0x1010; bl 0x2000
    let words: [UInt32] = [0x5400_8002, 0xb400_7fe0, 0x3700_7fc1, 0x1400_03fd, 0x5400_0002, 0x9400_03fb]
    let code = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    #expect(found(.arm64, code) == [4, 8, 12, 16])
    // And backwards: b to 0x1000 at 0x1004
    #expect(
      InstructionSet.arm64.branchEnds(to: 0x1000, in: [0, 0, 0, 0, 0xff, 0xff, 0xff, 0x17], at: 0x1000) == [8]
    )
  }
}
