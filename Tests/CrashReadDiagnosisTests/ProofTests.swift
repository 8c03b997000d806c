import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// Two reports that differ in what proves the verdict: with it the verdict is certain, without it is not, or another.
struct Proof: Sendable, CustomTestStringConvertible {
  var rule: String
  var proven: SampleReport
  /// The quiet twin.
  var unproven: SampleReport
  /// What proves it, for the test's name.
  var by: String

  init(_ rule: String, by: String, _ proven: SampleReport, without unproven: SampleReport) {
    (self.rule, self.by, self.proven, self.unproven) = (rule, by, proven, unproven)
  }

  var testDescription: String { "\(rule), by \(by)" }
}

private let base = KnowledgeBase(language: .english)

private let killed = SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0)
private let intel = "X86-64 (Native)"

private let exception = "*** Terminating app due to uncaught exception 'TideError', reason: 'no moon'"
private let late =
  "process-exit watchdog transgression: app<moon>:1 exhausted real (wall clock) time allowance of"

private let proofs = [
  // A message that is printed without an end, too.
  Proof(
    "library-misuse", by: "a library that always stops",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: no queue"),
    without: SampleReport().says("BUG IN CLIENT OF UIKIT: no queue")),
  Proof(
    "library-misuse", by: "the same message with a trap",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: no queue"),
    without: swiftTrap.says("BUG IN CLIENT OF libsqlite3.dylib: misuse")),
  Proof(
    "swift-continuation-misuse", by: "the second resumption",
    swiftTrap.says("SWIFT TASK CONTINUATION MISUSE: tide() tried to resume its continuation more than once!"),
    without: swiftTrap.says("SWIFT TASK CONTINUATION MISUSE: tide() leaked its continuation!")),
  Proof(
    "swift-cast-failed", by: "a runtime that prints for itself",
    swiftTrap.says("Could not cast value of type 'Tide' (0x1) to 'Moon' (0x2)."),
    without: swiftTrap.says("caught: Could not cast value of type 'Tide' (0x1) to 'Moon' (0x2).")),
  Proof(
    "swift-fatal-error-unplaced", by: "a runtime that prints for itself",
    swiftTrap.says("Fatal error: no moon"),
    without: SampleReport().says("the last session ended with Fatal error: no moon")),
  Proof(
    "heap-not-allocated", by: "the allocator's own end",
    abort.says("tide(1,0x2) malloc: *** error for object 0x3: pointer being freed was not allocated"),
    without: SampleReport("EXC_ARITHMETIC", "SIGFPE")
      .says("tide(1,0x2) malloc: *** error for object 0x3: pointer being freed was not allocated")),
  Proof(
    "os-assert", by: "a stop", abort.says("assertion failed: 24D60: libxpc.dylib + 7 [AB]: 0x7d"),
    without: SampleReport().says("assertion failed: 24D60: libxpc.dylib + 7 [AB]: 0x7d")),
  Proof(
    "os-assert", by: "the library's identity",
    abort.says("assertion failed: 24D60: libxpc.dylib + 7 [AB]: 0x7d"),
    without: abort.says("assertion failed: tide: height: -3")),
  Proof(
    "check-said", by: "the severity of the log line",
    SampleReport().says("[1:FATAL:tide.cc(4)] Check failed: x"),
    without: SampleReport().says("[1:ERROR:tide.cc(4)] Check failed: x")),
  Proof(
    "check-said", by: "the form of a log line", abort.says("F0603 tide.cc:4] Check failed: x"),
    without: abort.says("Health Check failed: 500")),
  Proof(
    "rust-panic-message", by: "a stop", abort.says("thread 'main' panicked at tide.rs:4:5: no moon"),
    without: SampleReport().says("thread 'worker' panicked at tide.rs:4:5: no moon")),
  Proof(
    "swift-fatal-error-unplaced", by: "a trap", swiftTrap.says("Fatal error: no moon"),
    without: SampleReport().says("PHP Fatal error: no moon")),
  // A message that was left behind, where something else stopped the process.
  Proof(
    "swift-fatal-error", by: "a trap", swiftTrap.says("Tide.swift:4: Fatal error: no moon"),
    without: fault(0x1_2345_6780).says("Tide.swift:4: Fatal error: no moon")),
  Proof(
    "uncaught-exception", by: "an abort", abort.says(exception), without: fault(0x1_2345_6780).says(exception)
  ),
  Proof(
    "recursive-lock", by: "a trap", swiftTrap.says("Trying to recursively lock an os_unfair_lock"),
    without: killed.says("Trying to recursively lock an os_unfair_lock")),
  Proof(
    "zombie-message", by: "a trap",
    swiftTrap.says("*** -[Moon rise]: message sent to deallocated instance 0x10"),
    without: SampleReport("SIGTERM").says("*** -[Moon rise]: message sent to deallocated instance 0x10")),
  Proof(
    "abort-called", by: "an abort", abort.says("abort() called"),
    without: abort.note("NON-FATAL CONDITION (this is NOT a crash)").says("abort() called")),
  Proof(
    "abort-called", by: "the process itself", abort.process("Moon").sender("Moon [7]").says("abort() called"),
    without: abort.process("Moon").sender("tidewatch [7]").says("abort() called")),
  Proof(
    "signal-by-process", by: "another process", abort.process("Moon").sender("tidewatch [7]"),
    without: abort.process("Moon").sender("exc handler [7]")),
  // An exception that a text only names.
  Proof(
    "uncaught-exception", by: "the words of the runtime", SampleReport().uncaught("TideError", "no moon"),
    without: SampleReport().named("TideError", "no moon")),
  Proof(
    "uncaught-exception", by: "the program's end", abort.named("TideError", "no moon"),
    without: SampleReport().named("TideError", "no moon")),
  // A quoted message.
  Proof(
    "swift-unexpected-nil", by: "a file and a line",
    swiftTrap.says("Tide.swift:4: Fatal error: Unexpectedly found nil while unwrapping an Optional value"),
    without: abort.says(
      "*** Terminating app due to uncaught exception 'Server', reason: 'Fatal error: Unexpectedly found nil while'"
    )),
  // An exception that may have been caught.
  Proof(
    "exception-backtrace", by: "the runtime that ended the program",
    abort.thrown(at: system("__exceptionPreprocess")).crashed(
      system("abort"), system("_objc_terminate()"), system("std::terminate()")),
    without: abort.thrown(at: system("__exceptionPreprocess"))),
  Proof(
    "assertion-backtrace", by: "the runtime that ended the program",
    abort.thrown(at: system("-[NSAssertionHandler handleFailureInFunction:file:lineNumber:description:]"))
      .crashed(
        system("abort"), system("_objc_terminate()"), system("std::terminate()")),
    without: abort.thrown(
      at: system("-[NSAssertionHandler handleFailureInFunction:file:lineNumber:description:]"))),
  // A number that can stand for something else.
  Proof(
    "null-dereference", by: "a register that agrees",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0).registers(["far": 0, "pc": 0x1_0000_4000])
      .crashed(app(function("tide()"))),
    without: SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0)
      .registers(["far": 0x4141_0000, "pc": 0x1_0000_4000]).crashed(app(function("tide()")))),
  Proof(
    "null-dereference", by: "a code", SampleReport("SIGSEGV", cpu: intel).subtype("SEGV_MAPERR at 0x0"),
    without: SampleReport("SIGSEGV", cpu: intel).subtype("SEGV_NOOP at 0x0")),
  Proof(
    "null-dereference", by: "a CPU that always gives the address",
    SampleReport("SIGSEGV").message("Bad pointer dereference at 0x0000000000000000"),
    without: SampleReport("SIGSEGV", cpu: intel).message("Bad pointer dereference at 0x0000000000000000")),
  Proof(
    "protected-memory", by: "a CPU whose code tells",
    SampleReport("SIGSEGV", cpu: intel).codesText("SEGV_ACCERR at 0x7f0012345000"),
    without: SampleReport("SIGSEGV", cpu: nil).codesText("SEGV_ACCERR at 0x7f0012345000")),
  Proof(
    "jump-to-null", by: "a return address",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0).crashed(app(function("f()"))).registers([
      "pc": 0, "lr": 0x1_0000_2000,
    ]),
    without: SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0).crashed(app(function("f()"))).registers([
      "pc": 0, "lr": 0,
    ])),
  Proof(
    "misaligned-access", by: "data",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS", codes: 0x101, 0x1_0000_2001).crashed(app(function("f()")))
      .registers(["pc": 0x1_0000_2000]),
    without: SampleReport("EXC_BAD_ACCESS", "SIGBUS", codes: 0x101, 0x1_0000_2001).crashed(
      app(function("f()"))
    )
    .registers(["pc": 0x1_0000_2001])),
  Proof(
    "watchdog-timeout", by: "another event",
    killed.termination(
      "FRONTBOARD", 0x8bad_f00d,
      details:
        "tide watchdog transgression: app<moon>:1 exhausted real (wall clock) time allowance of 5 seconds"),
    without: killed.termination("FRONTBOARD", 0x8bad_f00d, details: late + " 5 seconds")),
]

@Suite("Proofs") struct ProofTests {
  @Test("A verdict is certain only with what proves it", arguments: proofs)
  func twins(_ proof: Proof) {
    let proven = base.diagnose(proof.proven.symbolicated).explanation
    #expect(proven.rule == proof.rule && proven.confidence == .certain)
    let unproven = base.diagnose(proof.unproven.symbolicated).explanation
    #expect(unproven.rule != proof.rule || unproven.confidence != .certain)
  }

  /// Stops that no message in the process's memory explains.
  private static let otherStops = [
    ("EXC_BAD_ACCESS", "SIGSEGV"), ("EXC_CRASH", "SIGKILL"), ("EXC_GUARD", nil),
  ]

  @Test("A message beside another kind of stop is never the certain cause", arguments: ruleSamples)
  func otherStop(_ sample: RuleSample) {
    let left = sample.report.report.applicationSpecificInformation
    guard sample.report.report.kind == .crash, !left.isEmpty else { return }
    for (type, signal) in Self.otherStops {
      var report = SampleReport(type, signal)
      report.report.applicationSpecificInformation = left
      if type == "EXC_BAD_ACCESS" { report.report.exception?.codes = [1, 0x1_2345_6780] }
      let diagnosis = base.diagnose(report.symbolicated)
      let isLeft = diagnosis.explanation.evidence.allSatisfy { line in
        if case .field(.applicationSpecificInformation) = line.source { true } else { false }
      }
      #expect(!isLeft || diagnosis.explanation.confidence != .certain, "\(type): \(left)")
    }
  }

  @Test(
    "A message that a sentence mentions is not certain",
    arguments: [
      "If the tide is low we get `BUG IN CLIENT OF LIBDISPATCH: Unbalanced call to dispatch_group_leave()`",
      "- Fixed a crash: Fatal error: Index out of range, where there is no moon",
      "ImportError: dlopen(/moon.so, 0x2): Library not loaded: @rpath/libtide.dylib",
      "java.net.TideException: no moon\n\tat java.base/Moon.rise(Moon.java:3)",
    ])
  func mentioned(_ text: String) throws {
    let frames = "0   Moon   0x0000000100001234 -[Moon rise] + 20\n1   Moon   0x0000000100001334 main + 12\n"
    for text in [text + "\n", text + "\n\n" + frames] {
      for report in (try? CrashReport.parse(Array(text.utf8))) ?? [] {
        let diagnosis = base.diagnose(Symbolicator(store: SymbolStore(searching: [])).symbolicate(report))
        let isEnd = ["uncaught-exception", "library-misuse", "termination-namespace"].contains(
          diagnosis.explanation.rule)
        #expect(!isEnd || diagnosis.explanation.confidence != .certain, "\(text)")
      }
    }
  }

  @Test("What dlopen told its caller need not have ended anything")
  func loadError() throws {
    let line = "Library not loaded: @rpath/Tide.framework/Tide"
    let told = swiftTrap.says("[moon] no tides: dlopen(/moon.bundle/moon, 0x1): " + line)
    #expect(base.diagnose(told.symbolicated).explanation.confidence != .certain)
    let ended = SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).termination("DYLD", 1, details: line)
    #expect(base.diagnose(ended.symbolicated).explanation.confidence == .certain)
  }

  @Test("A function that only runs queued work isn't said to have stopped the program")
  func queueHelper() {
    let report = swiftTrap.says("Moon/Tide.swift:3: Fatal error: Index out of range").crashed(
      system("_assertionFailure(_:_:file:line:flags:)"),
      system("OS_dispatch_queue._syncHelper<A>(fn:execute:rescue:)"),
      system("_dispatch_lane_barrier_sync_invoke_and_complete"))
    let explanation = base.diagnose(report.symbolicated).explanation
    #expect(explanation.confidence == .certain && !explanation.text.contains("_syncHelper"))
  }

  @Test("What proves a verdict is part of its evidence")
  func evidence() {
    let report = swiftTrap.says("Fatal error: no moon")
    #expect(
      base.diagnose(report.symbolicated).explanation.evidence == [
        Evidence(.field(.applicationSpecificInformation(0)), "Fatal error: no moon"),
        Evidence(.field(.exceptionType), "EXC_BREAKPOINT (SIGTRAP)"),
      ])
  }

  @Test("A proof that asks for a fact that doesn't exist is reported")
  func misspelledProof() throws {
    let rule =
      #"{"id": "a", "confidence": "certain", "when": {"text": ["moon"]}, "provenBy": [{"tide": ["x"]}]}"#
    let document = try #require(JSONValue(document: Array(#"{"rules": [\#(rule)]}"#.utf8)))
    let knowledge = Knowledge(rules: document, frames: document, codes: document)
    #expect(knowledge.rules.all.isEmpty)
    #expect(knowledge.problems.contains { $0.contains("tide") })
  }
}
