import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite("The member at a fault address")
struct FaultStatementTests {
  private func pointer(_ name: String, _ value: UInt64, _ members: String..., exact: Bool = true) -> Variable
  {
    var variable = Variable(
      name: name, type: "struct node *",
      value: .known(value == 0 ? "nil" : "0x" + String(value, radix: 16), pointer: value))
    variable.faultMembers = members.map {
      FaultMember(expression: $0, offset: 24, type: "struct node", isExact: exact && members.count == 1)
    }
    return variable
  }

  /// The statement about a read from 0x18 with these variables, by function, innermost first.
  private func statement(
    _ locations: [[Variable]], codes: UInt64 = 0x18, subtype: String? = nil,
    registers: KeyValuePairs<String, UInt64> = ["esr": 0x9200_0006]
  ) -> FaultStatement? {
    var sample = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, codes).registers(registers)
    if let subtype { sample = sample.subtype(subtype) }
    let functions = locations.indices.map { function("f\($0)", "list.c", 40 + $0) }
    var frame = app(function("f", "list.c", 1))
    frame.locations = functions
    let symbolicated = sample.crashed(frame).symbolicated
    let facts = CrashFacts(symbolicated, knowledge: .embedded)
    return FaultStatementBuilder(symbolicated: symbolicated, facts: facts, texts: .embedded(.english))
      .statement(
        [FrameVariables(thread: 0, frame: 0, locations: locations)],
        fault: facts.isMemoryFault ? facts.faultAddress(symbolicated.report) : nil)
  }

  @Test func nonNullPointer() throws {
    let found = try #require(statement([[pointer("p", 0x1234_5000, "p->next")]], codes: 0x1234_5018))
    #expect(found.text == "p->next (offset 24 of struct node) read through p = 0x12345000 (list.c:40)")
    #expect(found.confidence == .certain)
    let frame = FrameReference(.thread(0), 0)
    #expect(
      found.evidence == [
        Evidence(.field(.exceptionCodes), "0x1, 0x12345018"),
        Evidence(.variable(frame, location: 0, index: 0), "0x12345000"),
        Evidence(.memberOffset(0), "24"),
      ])
  }

  @Test func nullPointerIsLikely() throws {
    let found = try #require(statement([[pointer("p", 0, "p->next")]]))
    #expect(found.text == "p->next (offset 24 of struct node) read through p = nil (list.c:40)")
    #expect(found.confidence == .likely)
  }

  @Test func nullPointerOfACallerIsAHint() {
    #expect(statement([[], [pointer("p", 0, "p->next")]])?.confidence == .hint)
  }

  @Test func innermostFunctionHasPriority() {
    let found = statement([[pointer("node", 0, "node->next")], [pointer("p", 0, "p->next")]])
    #expect(found?.text.contains("through node = nil") == true)
  }

  @Test func severalAreAHint() {
    let found = statement([[pointer("p", 0, "p->next"), pointer("q", 0, "q->next")]])
    #expect(found?.text == "the fault address fits p->next, q->next (list.c:40)")
    #expect(found?.confidence == .hint)
    #expect(statement([[pointer("p", 0, "p->count", "p->weight")]])?.confidence == .hint)
    #expect(
      statement([[pointer("p", 0x1234_5000, "p->flag", exact: false)]], codes: 0x1234_5018)?.confidence
        == .hint)
  }

  @Test func aliasesAreOne() {
    let found = statement(
      [[pointer("self", 0x1234_5000, "self->next"), pointer("p", 0x1234_5000, "p->next")]], codes: 0x1234_5018
    )
    #expect(found?.text.hasPrefix("self->next") == true)
    #expect(found?.confidence == .certain)
  }

  @Test func tooManyAreNone() {
    #expect(statement([(0..<5).map { pointer("p\($0)", 0, "p\($0)->next") }]) == nil)
  }

  @Test func nothingFits() {
    #expect(statement([[pointer("p", 0)]]) == nil)
    #expect(statement([]) == nil)
  }

  @Test func jumpIsNotARead() {
    let found = statement([[pointer("p", 0, "p->next")]], registers: ["esr": 0x8200_0006])
    #expect(found == nil)
  }

  @Test func accessIsNamed() {
    let write = statement([[pointer("p", 0, "p->next")]], registers: ["esr": 0x9200_0046])
    #expect(write?.text.contains(" written through ") == true)
    let unknown = statement([[pointer("p", 0, "p->next")]], registers: [:])
    #expect(unknown?.text.contains(" used through ") == true)
  }

  @Test func invalidAddressIsNotUsed() {
    #expect(statement([[pointer("p", 0, "p->next")]], subtype: "EXC_I386_GPFLT") == nil)
  }
}
