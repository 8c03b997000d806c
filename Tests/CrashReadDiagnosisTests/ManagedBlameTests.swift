import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private func managed(_ symbol: String) -> ResolvedFrame {
  var frame = Frame(kind: .returnAddress, address: nil)
  frame.isManaged = true
  frame.reportedSymbol = symbol
  var resolved = ResolvedFrame(captured: frame)
  resolved.isInApp = true
  return resolved
}

@Suite("The frame to blame") struct ManagedBlameTests {
  private func blamed(_ sample: SampleReport) -> BlamedFrame? {
    KnowledgeBase(language: .english).diagnose(sample.symbolicated).blamed
  }

  @Test("is one of another language's stack, outside its libraries, before all native ones")
  func managedStack() {
    let found = blamed(
      abort.thrown(at: app(function("native()")))
        .noted(at: managed("System.Linq.First"), managed("Tides.Table.Load")))
    #expect(found?.backtrace == .applicationSpecific(0))
    #expect(found?.frame == 1)
  }

  @Test("is none of the handlers that ran because an exception ended the program")
  func terminateHandlers() {
    let found = blamed(
      abort.crashed(
        system("abort"), app(function("Reporter.onTerminate")), system("std::terminate()"),
        system("objc_exception_throw"), app(function("load()"))))
    #expect(found?.frame == 4)
  }
}
