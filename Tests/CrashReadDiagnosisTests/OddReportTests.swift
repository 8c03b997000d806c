import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import TestSupport
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let base = KnowledgeBase(language: .english)
private let types: [String?] = [
  nil, "", "NaN", "EXC_BAD_ACCESS", "EXC_CRASH", "EXC_GUARD", "EXC_RESOURCE", "EXC_BREAKPOINT", "SIGSEGV",
  "\u{0}{}[]",
]
private let numbers: [UInt64] = [0, 1, 0x101, 0x3fff, 1 << 32, 1 << 63, .max - 1, .max]

@Suite struct OddReportTests {
  @Test("No number traps", arguments: types, ["ARM-64", "X86-64", nil])
  func oddNumbers(_ type: String?, _ cpu: String?) {
    for number in numbers {
      let report = SampleReport(type, "SIG", codes: number, .max, cpu: cpu)
        .subtype("KERN at 0x\(String(number, radix: 16)) at").termination("GUARD", number)
        .crashed(system("f")).registers([
          "pc": number, "sp": .max - number, "esr": number, "far": number, "err": number, "trap": number,
        ])
      #expect(!base.diagnose(report.symbolicated).explanation.title.isEmpty)
    }
  }

  @Test(
    "No text traps",
    arguments: [
      "", " ", "at", "at 0x", "at 0xffffffffffffffffff", "UNKNOWN_", "UNKNOWN_0x", "'", "reason: ''",
      "*** Terminating app due to uncaught exception '', reason: ''", "Fatal error:",
      "malloc: *** error for object : ",
      "\u{fffd}\u{202e}\n\r\n\u{1b}[31m", "Swift runtime failure: ", "{address}[",
    ])
  func texts(_ text: String) {
    let report = SampleReport("EXC_BAD_ACCESS", text, codes: 1).subtype(text).codesText(text).message(text)
      .note(text)
      .says(text).region(text).uncaught(text, text).termination(text, nil, text, details: text)
      .crashed(system(text), app(function(text, text, 1)))
    #expect(!base.diagnose(report.symbolicated).explanation.title.isEmpty)
  }

  @Test("A crashed thread out of range is ignored", arguments: [-1, 1, .max, .min])
  func threadOutOfRange(_ index: Int) {
    var report = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0).crashed(
      app(function("f()", "/f.c", 1)))
    report.report.crashedThread = index
    let diagnosis = base.diagnose(report.symbolicated)
    #expect(diagnosis.explanation.rule == "null-dereference")
    #expect(diagnosis.blamed == nil)
  }

  @Test func resolvedThreadsCanBeMissing() {
    var symbolicated = SampleReport("EXC_CRASH", "SIGABRT").crashed(system("abort")).symbolicated
    symbolicated.threads = []
    #expect(base.diagnose(symbolicated).blamed == nil)
  }

  @Test func hugeReportsAreFast() {
    let frames = [ResolvedFrame](
      repeating: app(function(String(repeating: "a<", count: 500), "/f", 1)), count: 20_000)
    var report = SampleReport("EXC_CRASH", "SIGABRT").crashed(frames)
    report.report.applicationSpecificInformation = [String](repeating: "a'b: c (", count: 20_000)
    #expect(processorTime { _ = base.diagnose(report.symbolicated) } < .seconds(20))
  }

  @Test(
    "Damaged knowledge is left out",
    arguments: ["{}", "[]", "{\"rules\": [3, {}, {\"id\": \"x\", \"when\": {\"y\": 1}}]}"])
  func damagedKnowledge(_ text: String) throws {
    let document = try #require(JSONValue(document: Array(text.utf8)))
    let base = KnowledgeBase(
      knowledge: Knowledge(rules: document, frames: document, codes: document),
      texts: Texts(.english, document))
    let explanation = base.diagnose(SampleReport("EXC_BAD_ACCESS").symbolicated).explanation
    #expect(explanation.rule == nil)
  }
}
