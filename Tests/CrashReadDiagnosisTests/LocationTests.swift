import CrashReadReports
import CrashReadSymbolication
import CrashReadVerdict
import Testing

@testable import CrashReadDiagnosis

private let base = KnowledgeBase(language: .english)
private let nullFault = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0)
private let trap = SampleReport("EXC_BREAKPOINT", "SIGTRAP")
private let own = app(function("f()", "/a.swift", 3))
private let main = app(function("main", "/main.swift", 1))

/// Advice and statements are about the blamed location, and only if there is one.
@Suite struct LocationTests {
  private func diagnosis(_ sample: SampleReport) -> Diagnosis { base.diagnose(sample.symbolicated) }
  private func advice(_ sample: SampleReport) -> [String] { diagnosis(sample).explanation.advice }
  private func findings(_ sample: SampleReport) -> [String] {
    diagnosis(sample).explanation.findings.compactMap(\.rule)
  }

  @Test func adviceNamesTheLine() {
    #expect(
      advice(nullFault.crashed(own)).contains("Find out why the pointer used at a.swift:3 was not set."))
  }

  @Test func adviceNamesNoSystemLocation() {
    let advice = advice(nullFault.crashed(system("CFStringGetLength")))
    #expect(advice.contains("Find out why the pointer was not set."))
  }

  @Test func callerOfAbortIsNamed() {
    let text = { diagnosis(abort.crashed($0).says("abort() called")).explanation.text }
    #expect(text([system("abort"), own]) == "Some code gave up on purpose: f() called `abort`.")
    #expect(text([system("abort"), system("helper"), own]) == "Some code gave up on purpose.")
  }

  @Test func objectiveCHasNoSwiftCheck() {
    let method = app(function("-[Cart check]", "/Cart.m", 3))
    #expect(diagnosis(trap.crashed(method)).explanation.rule == "trap-in-objc")
    #expect(diagnosis(trap.crashed(own)).explanation.rule != "trap-in-objc")
    #expect(diagnosis(trap.crashed(system("-[UIView layout]"), own)).explanation.rule != "trap-in-objc")
  }

  /// The code that runs a run loop doesn't call what is scheduled on it.
  @Test func callersEndAtTheRunLoop() {
    let sample = abort.uncaught(
      "NSInvalidArgumentException", "-[A b]: unrecognized selector sent to instance 0x1"
    )
    .crashed(
      system("abort"), system("objc_exception_rethrow"), system("CFRunLoopRunSpecific"), system("run"), own
    )
    .thrown(
      at: system("objc_exception_throw"), system("-[NSObject(NSObject) doesNotRecognizeSelector:]"),
      system("__NSFireDelayedPerform"),
      system("__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__"), system("CFRunLoopRunSpecific"), own
    )
    #expect(!diagnosis(sample).explanation.text.contains("called from"))
  }

  /// A handler of signals was not called by the function that the signal interrupted.
  @Test func callersEndAtTheSignal() {
    let lock = system("_os_unfair_lock_recursive_abort")
    let message = "BUG IN CLIENT OF LIBPLATFORM: Trying to recursively lock an os_unfair_lock"
    let called = trap.crashed(lock, system("-[NSCache read]"), own).says(message)
    let handler = trap.crashed(lock, system("-[NSCache read]"), system("_sigtramp"), own).says(message)
    let sentence = "-[NSCache read] stopped the program"
    #expect(diagnosis(called).explanation.text.contains(sentence + ", called from f()"))
    #expect(diagnosis(handler).explanation.text.hasSuffix(sentence + "."))
  }

  /// The compiler's parts of a function are named after it.
  @Test func failurePathIsItsFunction() {
    let sample = trap.crashed(
      system("_os_unfair_lock_recursive_abort"), system("-[NSCache take] (.cold.2)"), own
    )
    .says("BUG IN CLIENT OF LIBPLATFORM: Trying to recursively lock an os_unfair_lock")
    #expect(diagnosis(sample).explanation.text.contains("-[NSCache take] stopped the program"))
  }

  @Test func requestedTerminationBlamesNothing() {
    #expect(diagnosis(SampleReport("SIGTERM").crashed(own)).blamed == nil)
    #expect(diagnosis(SampleReport("SIGPIPE").crashed(own)).blamed != nil)
  }

  @Test func nominalPressureIsIgnored() {
    let sample = SampleReport().kind(.hang).thread(own)
    #expect(
      !findings(sample.noted("Thermal Pressure", "ThermalPressureLevelNominal (0)")).contains(
        "thermal-pressure"))
    #expect(
      findings(sample.noted("Thermal Pressure", "ThermalPressureLevelHeavy (2)")).contains("thermal-pressure")
    )
  }

  @Test func causeIsNotRepeated() {
    let sample = trap.crashed(system("_dispatch_semaphore_dispose"), own)
      .says("BUG IN CLIENT OF LIBDISPATCH: Semaphore object deallocated while in use")
    #expect(
      diagnosis(sample).explanation.title == "A semaphore was freed with a lower value than it began with")
    #expect(findings(sample).count == 1)
  }

  @Test func headlineWithoutNameIsNoFinding() {
    let sample = abort.crashed(system("abort"), main).thrown(
      at: system("objc_exception_throw"), system("-[__NSPlaceholderArray initWithObjects:count:]"), own)
    #expect(diagnosis(sample).contract != nil)
    #expect(findings(sample) == [])
  }

  @Test(
    "Descriptions of the simulator and continued stacks aren't messages of the program",
    arguments: [
      "CoreSimulator 802.6 - Device: iPhone 13 - Runtime: iOS 15.4", "Abort Cause 1",
      "Xamarin Exception Stack:",
      "  at Shop.Cart.Pay () [0x00000] in Cart.cs:12", "Originated at or in a subcall of -[Cart pay]",
    ])
  func descriptionIsNotAMessage(_ line: String) {
    #expect(!findings(nullFault.crashed(own).says(line)).contains("report-says"))
  }
}
