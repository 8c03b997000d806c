import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite("The sentence about the call that stopped the program") struct CallSentenceTests {
  private func text(_ report: SampleReport) -> String {
    KnowledgeBase(language: .english).diagnose(report.symbolicated).explanation.text
  }

  @Test("A guess about a function further out doesn't move the fault there")
  func staysAtTheFault() {
    let report = fault(0x1_6f00_0000).crashed(
      system("objc_release"), system("-[NSActionCell dealloc]"), system("-[NSControl dealloc]"),
      system("-[NSDisplayCycle flush]"), system("CA::Transaction::run_commit_handlers(CATransactionPhase)"))
    #expect(text(report).contains("It happened in -[NSActionCell dealloc]."))
  }

  @Test("What caught an exception hasn't raised it")
  func namesNoCatcher() {
    let report = SampleReport("EXC_BREAKPOINT", "SIGTRAP").crashed(
      system("+[NSApplication _crashOnException:]"), system("-[NSApplication reportException:]"),
      system("__36-[NSView _layoutSubtreeWithOldSize:]_block_invoke"),
      system("-[NSView layoutSubtreeIfNeeded]"))
    #expect(!text(report).contains("raised it"))
  }

  @Test(
    "Whoever sent a message that nobody takes has raised nothing, nor has an engine's caller called the system"
  )
  func namesNoSender() {
    let report = SampleReport("EXC_CRASH", "SIGABRT").uncaught(
      "NSInvalidArgumentException", "-[CBService value]: unrecognized selector sent to instance 0x2823cb880"
    ).crashed(system("-[CBPeripheral(Tide) rise:]"), system("-[CBPeripheral(Tide) fall]"))
    #expect(!text(report).contains("raised it"))
    var engine = image("Electron Framework", isInApp: true)
    engine.captured.reportedSymbol = "tide::run()"
    let call = fault(0x1_6f00_0000).crashed(
      system("CFStringGetCString"), engine, app(function("Tide.rise()", "/Tide.swift", 3)))
    #expect(!text(call).contains("called from"))
  }
}
