import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let timeout = SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination("FRONTBOARD", 0x8bad_f00d)
private let lockKill = SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination(
  "RUNNINGBOARD", 0xdead_10cc)
private let crash = fault(0x1_6f00_0000)
private let f = app(function("f()", "/a.swift", 3))
private let g = app(function("g()", "/a.swift", 9))

/// Reports that resemble those of the rules about other threads, and lack the condition that makes the rule true.
private let quietTwins: [(rule: String, report: SampleReport)] = [
  ("exit-elsewhere", crash.crashed(f).thread(system("exit_handler_wait"), g)),
  ("exit-elsewhere", crash.crashed(system("exit"), f).thread(system("mach_msg2_trap"), g)),
  ("exception-elsewhere", crash.crashed(system("objc_exception_throw"), f).thread(system("kevent_id"), g)),
  (
    "module-exception-elsewhere",
    abort.crashed(f).thread(system("facebook::react::ObjCTurboModule::performVoidMethodInvocation(id)"), g)
  ),
  ("script-elsewhere", crash.crashed(f).thread(system("JSEvaluateScript"), g)),
  ("script-elsewhere", crash.crashed(system("JSObjectCallAsFunction"), f).thread(system("kevent_id"), g)),
  ("context-elsewhere", crash.crashed(f).thread(system("-[NSManagedObjectContext save:]"), g)),
  ("database-elsewhere", crash.crashed(system("sqlite3_step"), f).thread(system("mach_msg2_trap"), g)),
  ("collection-elsewhere", crash.crashed(f).thread(system("Dictionary.subscript.setter"), g)),
  (
    "deadlock-cycle",
    timeout.crashed(system("__psynch_mutexwait"), f).registers(["x3": 1001]).thread(system("kevent_id"), g)
  ),
  ("mutex-owner", timeout.crashed(system("__psynch_mutexwait"), f).registers(["x3": 7777]).thread(g)),
  ("threads-wait", timeout.crashed(system("__psynch_mutexwait"), f).thread(system("__workq_kernreturn"), g)),
  ("main-thread-waits", timeout.crashed(system("mach_msg2_trap"), system("__CFRunLoopServiceMachPort"), f)),
  (
    "watchdog-swiftui",
    timeout.crashed(system("__psynch_mutexwait"), system("GraphHost.flushTransactions()"), f)
  ),
  ("file-lock-user", lockKill.crashed(system("mach_msg2_trap")).thread(system("__workq_kernreturn"), g)),
  (
    "thread-crowd",
    (0..<20).reduce(crash.crashed(f)) { report, _ in report.thread(system("__ulock_wait"), f) }
  ),
]

@Suite("Rules about other threads") struct ThreadRuleTests {
  @Test("don't match similar reports", arguments: quietTwins)
  func quiet(_ rule: String, _ report: SampleReport) {
    let findings = KnowledgeBase(language: .english).diagnose(report.symbolicated).explanation.findings
    #expect(!findings.contains { $0.rule == rule })
  }

  @Test("each have a counterexample") func complete() {
    let rules = Set(Knowledge.embedded.findings.all.map(\.id))
    let twins = Set(quietTwins.map(\.rule))
    #expect(twins.isSubset(of: rules))
    #expect(rules.filter { $0.hasSuffix("-elsewhere") }.subtracting(twins) == [])
  }
}
