import CrashReadSystem
import Testing

@testable import CrashReadCommand

@Suite("The inputs gathered by ci")
struct GatheredInputsTests {
  @Test(arguments: [nil, .exited(0), .signalled(11)] as [ProcessEnd?], [true, false])
  func isKept(_ end: ProcessEnd?, _ isFailed: Bool) {
    var gathered = GatheredInputs()
    gathered.inputs = [.init(name: "a.log", bytes: [0, 10, 255]), .init(name: "", bytes: [], isLog: false)]
    (gathered.end, gathered.isFailed) = (end, isFailed)
    #expect(GatheredInputs(gathered.encoded) == gathered)
  }

  @Test(arguments: [[], [1], Array("Process: A".utf8)] as [[UInt8]])
  func rejectsOtherBytes(_ bytes: [UInt8]) {
    #expect(GatheredInputs(bytes) == nil)
  }

  @Test func isInitiallyEmpty() {
    #expect(GatheredInputs(GatheredInputs().encoded) == GatheredInputs())
  }
}
