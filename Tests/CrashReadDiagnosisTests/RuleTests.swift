import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let base = KnowledgeBase(language: .english)

@Suite struct RuleTests {
  @Test(
    "Each sample gets the headline of the rule it was made for",
    arguments: ruleSamples.filter(\.report.isReadable))
  func headline(_ sample: RuleSample) {
    let explanation = base.diagnose(sample.report.symbolicated).explanation
    #expect(explanation.rule == sample.rule)
    // A contract that knows the cause provides the headline; that of the rule is then the first finding.
    let own = explanation.findings.first { $0.rule == sample.rule }?.text
    #expect((own ?? explanation.title) == sample.title)
  }

  @Test("An explanation says why and what to do, with every placeholder filled", arguments: ruleSamples)
  func completeness(_ sample: RuleSample) {
    let explanation = base.diagnose(sample.report.symbolicated).explanation
    #expect(!explanation.text.isEmpty)
    #expect(!explanation.evidence.isEmpty)
    // Where nothing is known and nothing is blamed, there is no advice.
    let mayLackAdvice = ["crash-signal", "exception-type", "signal"].contains(sample.rule)
    #expect(!explanation.advice.isEmpty || mayLackAdvice)
    #expect(!explanation.sources.isEmpty)
    let words = [explanation.title, explanation.text] + explanation.advice
    #expect(!words.contains { $0.contains(Template.missingValue) })
  }

  @Test("Where only Apple can load extensions, none of another maker is suspected")
  func extensionsOfPhones() throws {
    var sample = try #require(ruleSamples.first { $0.rule == "panic-data-abort" }).report
    sample.report.applicationSpecificInformation.append("Kernel Extension in backtrace: org.example.Moon")
    let names = { (sample: SampleReport) in
      base.diagnose(sample.symbolicated).explanation.advice.filter {
        $0.contains("extension that is not Apple's")
      }
    }
    #expect(!names(sample).isEmpty)
    sample.report.header.hardwareModel = "iPhone14,2"
    #expect(names(sample).isEmpty)
    sample.report.header.hardwareModel = nil
    sample.report.applicationSpecificInformation.append(
      "Kernel version: Darwin Kernel Version 19.0.0; root:xnu-6153.42.1~1/RELEASE_ARM64_T8010")
    #expect(names(sample).isEmpty)
  }

  @Test("Of frames without images, a method of Apple's is no place, and neither is a wait or dyld's binder")
  func placeWithoutImages() {
    for name in ["-[NSMenuItem setRepresentedObject:]", "__ulock_wait", "dyld_stub_binder"] {
      let report = fault(0x1_6f00_0000).crashed(system(name), system("-[Tide rise]"))
      #expect(base.diagnose(report.symbolicated).blamed?.frame == 1, "\(name)")
    }
  }

  @Test func everyRuleHasASample() {
    let rules = Set(Knowledge.embedded.rules.all.map(\.id))
    #expect(rules.subtracting(ruleSamples.map(\.rule)) == [])
  }

  @Test func faultBeyondTheInnermostFrameIsNoOverflow() {
    let report = fault(0x1_6f01_3ff8, code: 2).crashed(app(function("f()")))
      .registers(["sp": 0x1_6eff_0000, "fp": 0x1_6f00_8000, "esr": 0x9200_0047])
    #expect(base.diagnose(report.symbolicated).explanation.rule != "stack-limit")
  }

  @Test func evidenceQuotesTheReport() throws {
    let sample = try #require(ruleSamples.first { $0.rule == "swift-runtime-failure" })
    #expect(
      base.diagnose(sample.report.symbolicated).explanation.evidence == [
        Evidence(.field(.exceptionType), "EXC_BREAKPOINT (SIGTRAP)"),
        Evidence(.frame(0, ofThread: 0), "Swift runtime failure: Index out of range"),
      ])
  }

  @Test func evidenceCoversWhatTheHeadlineNames() {
    let report = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x18).crashed(system("f"))
      .registers(["esr": 0x9200_0006])
    #expect(
      base.diagnose(report.symbolicated).explanation.evidence == [
        Evidence(.field(.exceptionType), "EXC_BAD_ACCESS (SIGSEGV)"),
        Evidence(.field(.exceptionCodes), "0x1, 0x18"),
        Evidence(
          .register(thread: 0, name: "esr"), "0x92000006",
          meaning: "data abort, read, translation fault, level 2"),
      ])
  }

  @Test func unknownExceptionIsStated() {
    let explanation = base.diagnose(SampleReport("EXC_NEW", "SIGNEW", codes: 7, 9).symbolicated).explanation
    #expect(explanation.rule == nil)
    #expect(explanation.title == "No known cause: EXC_NEW (SIGNEW)")
    #expect(explanation.text == "No rule matches what the report states: exception EXC_NEW, signal SIGNEW.")
    #expect(explanation.confidence == .hint)
  }

  @Test func longValuesAreTruncated() {
    let long = String(repeating: "x", count: 100_000)
    let explanation = base.diagnose(SampleReport("EXC_CRASH", "SIGABRT").uncaught("E", long).symbolicated)
      .explanation
    #expect(explanation.title.count < 600)
    #expect(explanation.evidence.allSatisfy { $0.quote.count < 600 })
  }
}
