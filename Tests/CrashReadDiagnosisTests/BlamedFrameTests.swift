import CrashReadDebugInfo
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let base = KnowledgeBase(language: .english)

/// A report, and the location to blame.
struct BlameSample: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var report: SampleReport
  var expected: BlamedFrame?

  init(_ name: String, _ report: SampleReport, _ expected: BlamedFrame) {
    testDescription = name
    self.report = report
    self.expected = expected
  }

  init(_ name: String, _ report: SampleReport, _ expected: (thread: Int?, frame: Int, location: Int?)?) {
    testDescription = name
    self.report = report
    self.expected = expected.map {
      BlamedFrame($0.thread.map { .thread($0) } ?? .lastException, frame: $0.frame, location: $0.location)
    }
  }
}

private let main = app(function("main", "/main.swift", 1))
private let thrower = app(function("-[A f]", "/A.m", 2))
private var jumpedTo: ResolvedFrame {
  var frame = app(function("table"))
  frame.captured.kind = .programCounter
  return frame
}
private func inLinker(_ symbol: String) -> ResolvedFrame { named(symbol, in: image("dyld")) }
private func inTide(_ symbol: String) -> ResolvedFrame { named(symbol, in: image("Tide", isInApp: true)) }
private func named(_ symbol: String, in image: ResolvedFrame) -> ResolvedFrame {
  var frame = image
  frame.captured.reportedSymbol = symbol
  return frame
}
private var appWithoutNames: ResolvedFrame {
  var frame = system(nil)
  frame.isInApp = true
  return frame
}

private let blameSamples = [
  BlameSample(
    "the app's own code, which called a dependency",
    abort.crashed(
      app(function("Cart.add(_:)", "/Shop/.build/checkouts/swift-cart/Sources/Cart.swift", 3)),
      app(function("Shop.open()", "/Shop/Sources/Shop.swift", 4))), (0, 1, 0)),
  BlameSample(
    "the app's own code, which called a closure of an SDK that is built into it",
    abort.crashed(
      app(function("closure #1 in static PurchasesOrchestrator.load()", "/Sources/Load.swift", 3)),
      app(function("Shop.open()", "/Shop/Sources/Shop.swift", 4))), (0, 1, 0)),
  BlameSample(
    "not the neighbour's name between functions that stop a program, in a list without images",
    abort.crashed(system("abort"), system("err"), system("MTLReportFailure"), system("moonSetTexture")),
    (0, 3, nil)),
  BlameSample(
    "not a neighbour's name among an image's own machinery",
    abort.crashed(
      inTide("node::Abort()"), inTide("node::Compile()"), inTide("v8::Utils::ReportOOMFailure()"),
      inTide("moon::rise()")), (0, 3, nil)),
  BlameSample(
    "nothing below translated code, where a system call's stub can only be left from an earlier call",
    fault(0x1_0000_0000).crashed(
      system(nil), named("swtch_pri", in: image("libsystem_kernel.dylib")), inTide("moon::rise()")), nil),
  BlameSample(
    "nothing in the dynamic linker, whose code didn't hold its signature",
    SampleReport("EXC_BAD_ACCESS", "SIGKILL", codes: 0x32, 0x1_0766_c000).crashed(inLinker("isMachO")), nil),
  BlameSample(
    "not the hook that Rust's runtime calls for a panic, nor the standard library's code for its types",
    abort.crashed(
      app(function("tide::panic_hook", "/src/main.rs", 9)), system("std::panicking::rust_panic_with_hook"),
      system("rust_begin_unwind"), system("core::panicking::panic_bounds_check"),
      app(
        function(
          "<usize as core::slice::index::SliceIndex<[T]>>::index",
          "/rustc/1a/library/core/src/slice/index.rs", 1)),
      app(function("<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index")),
      app(function("<tide::Row<T> as core::ops::index::Index<usize>>::index", "/src/row.rs", 3))), (0, 6, 0)),
  BlameSample(
    "neither a trampoline that was running the system's code, nor the event loop below it",
    fault(0x1_0000_0000).crashed(
      system("objc_retain"), system("-[NSMenuBarWindow update]"),
      app(function("objc_exception::try_no_ret::try_objc_execute_closure")),
      app(function("tao::platform_impl::platform::app::send_event"))), (0, 1, nil)),
  BlameSample(
    "an event loop that failed itself",
    abort.crashed(
      system("rust_begin_unwind"), system("core::panicking::panic_null_pointer_dereference"),
      app(function("tao::platform_impl::platform::app::send_event")),
      app(function("objc_exception::try_no_ret::try_objc_execute_closure"))), (0, 2, 0)),
  BlameSample(
    "not a block that runs others' work",
    fault(0x1_0000_0000).crashed(
      inTide("facebook::react::Tide::rise()"),
      inTide(
        "invocation function for block in facebook::react::RCTMessageThread::runAsync(std::function<void ()>)"
      )),
    (0, 0, nil)),
  BlameSample(
    "nothing in the compiler's import of a system's initializer",
    abort.crashed(
      system("abort"), app(function("@nonobjc AVAudioPCMBuffer.init(pcmFormat:frameCapacity:)"))), nil),
  BlameSample(
    "neither an engine's library nor the small program that starts it",
    fault(0x1_0000_0000).crashed(
      named("CFStringGetCString", in: image("CoreFoundation")), image("Electron Framework", isInApp: true),
      image("Tide", isInApp: true), inLinker("start")), (0, 0, nil)),
  BlameSample(
    "a method of a Rust trait, which isn't the placeholder of a thread",
    abort.crashed(
      system("rust_begin_unwind"), system("<tide::Page as tide::View>::draw::{{closure}}"),
      system("tide::block_on")), (0, 1, nil)),
  BlameSample(
    "not what a crash reporter linked into the app does as an image is loaded",
    fault(0x1_6f00_0000).crashed(
      app(function("binaryImageWasAdded", "/Sources/SentryCrashBinaryImageCache.c", 5)),
      app(function("ksbic_addImage", "/Sources/KSBinaryImageCache.c", 6)), app(function("-[A f]", "/A.m", 2))),
    (0, 2, 0)),
  BlameSample(
    "not Go's standard library",
    abort.crashed(
      app(function("os/exec.(*Cmd).Wait", "/usr/local/go/src/os/exec/exec.go", 4)),
      app(function("tide.org/moon.(*runner).run", "/src/runner.go", 7))), (0, 1, 0)),
  BlameSample(
    "what started the main run loop isn't blamed for what the loop called",
    abort.crashed(system("abort"), system("UIApplicationMain"), thrower), nil),
  BlameSample(
    "neither a symbol of a class, which is data, nor the runtime's look-up of a method",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x10).crashed(
      system("objc_msgSend"), app(function("lookUpImpOrForward")), app(function("OBJC_CLASS_$_Moon")),
      app(function("-[Tide rise]"))),
    (0, 3, 0)),
  BlameSample(
    "in a stack overflow, what repeats rather than what was called last",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 2, 0x1_6f5e_3ff0).crashed(
      [system("token"), system("trait")]
        + [[ResolvedFrame]](repeating: [system("rise"), system("fall")], count: 9).flatMap(\.self)),
    (0, 2, nil)),
  BlameSample("first own frame", abort.crashed(system("abort"), thrower, main), (0, 1, 0)),
  BlameSample(
    "an own frame without a name counts", abort.crashed(system("abort"), appWithoutNames, main), (0, 1, nil)),
  BlameSample(
    "runtime failure and compiler-generated code are passed over",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP").crashed(
      app(
        function("Swift runtime failure: Index out of range", "/a.swift", 0),
        function("Array.subscript.getter", "/<compiler-generated>", 1), function("g()", "/a.swift"),
        function("f()", "/a.swift", 3))),
    (0, 0, 3)),
  BlameSample(
    "without any line, the innermost own function",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP").crashed(
      app(function("Swift runtime failure: x"), function("g()"), function("f()"))),
    (0, 0, 1)),
  BlameSample(
    "machinery and thunks in the app's image",
    abort.crashed(
      app(function("_assertionFailure(_:_:)", "/x", 1)), app(function("partial apply for A.f()", "/x", 1)),
      main),
    (0, 2, 0)),
  BlameSample(
    "a method that was inlined into the thunk by which Objective-C calls it",
    abort.crashed(system("abort"), app(function("@objc A.f()", "/x", 1)), system("UIApplicationMain"), main),
    (0, 1, 0)),
  BlameSample(
    "a closure that was put into what forwards its captured values",
    abort.crashed(
      system("abort"), system("swift_unownedRetainStrong"),
      app(function("partial apply for closure #1 in A.f()")), main),
    (0, 2, nil)),
  BlameSample(
    "no forwarder of a closure that is on the stack",
    abort.crashed(
      system("abort"), app(function("closure #1 in A.f()")),
      app(function("partial apply for closure #1 in A.f()")), main),
    (0, 1, 0)),
  BlameSample(
    "the program itself, where it is the system's own",
    abort.crashed(system("abort"), image("UIKitCore"), image("Tides")).process("Tides"), (0, 2, nil)),
  BlameSample(
    "no function that only calls what is queued",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x7000_0000).crashed(
      system("objc_msgSend"), system("_dispatch_call_block_and_release"), system("GSEventRunModal")),
    (0, 0, nil)),
  BlameSample(
    "class methods of a library that is built into the app are passed over",
    abort.crashed(system("abort"), app(function("+[MTGBidding identifier]", "/x.m", 1)), main), (0, 2, 0)),
  BlameSample(
    "no function of SwiftUI's that runs the app",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x7000_0000).crashed(
      system("objc_release"), system("-[NSApplication run]"), system("specialized runApp(_:)"),
      system("runApp<A>(_:)"), system("static App.main()")),
    (0, 0, nil)),
  BlameSample(
    "only a thunk", abort.crashed(system("abort"), app(function("partial apply for A.f()", "/x", 1))),
    (0, 1, nil)),
  BlameSample(
    "exception backtrace first", abort.crashed(system("abort"), main).thrown(at: thrower, main), (nil, 0, 0)),
  BlameSample(
    "exception backtrace without own frames", abort.crashed(system("abort"), main).thrown(at: system("x")),
    (0, 1, 0)),
  BlameSample(
    "a fault has its own place",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0).crashed(main).thrown(at: thrower), (0, 0, 0)),
  BlameSample(
    "without own frames, the first with a line",
    abort.crashed(system("abort"), library(function("inner"), function("outer", "/lib.c", 9))), (0, 1, 1)),
  BlameSample("nothing to name", abort.crashed(system("abort"), system("start")), nil),
  BlameSample(
    "application specific backtrace before the crashed thread",
    abort.crashed(system("abort"), main).noted(at: system("objc_exception_throw"), thrower),
    BlamedFrame(.applicationSpecific(0), frame: 1, location: 0)),
  BlameSample(
    "what was jumped to by mistake is not blamed, though it lies in the app",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS", codes: 2, 0x1_0000_2000).crashed(jumpedTo, thrower)
      .registers(["pc": 0x1_0000_2000]),
    (0, 1, 0)),
  BlameSample(
    "a thread that waits for events when the system ends the process did nothing wrong",
    SampleReport("EXC_CRASH", "SIGKILL").termination("RUNNINGBOARD", 0xdead_10cc).crashed(
      system("mach_msg_trap"), system("__CFRunLoopServiceMachPort"), main), nil),
  BlameSample(
    "the thread that used a locked file",
    SampleReport("EXC_CRASH", "SIGKILL").termination("RUNNINGBOARD", 0xdead_10cc).crashed(main)
      .thread(system("sqlite3_step"), thrower), (1, 1, 0)),
  BlameSample(
    "templates of the standard library are not the app's code",
    abort.crashed(
      app(function("std::vector<int>::at(unsigned long)", "/usr/include/c++/12/vector", 9)),
      app(function("std::max(int, int)", "/usr/include/c++/12/algorithm", 9), function("f()", "/f.cpp", 2))),
    (0, 1, 1)),
  BlameSample(
    "what only started the main run loop did nothing",
    abort.crashed(system("abort"), thrower, system("UIApplicationMain"), app(function("startLoop()"))),
    (0, 1, 0)),
  BlameSample(
    "a nameless function that machinery called belongs to it",
    abort.crashed(system("abort"), appWithoutNames, app(function("_Py_FatalErrorFunc")), thrower), (0, 3, 0)),
  BlameSample(
    "who drains a pool has not released the object too often",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x10).crashed(
      system("objc_release"), system("AutoreleasePoolPage::releaseUntil(objc_object**)"),
      system("_CFAutoreleasePoolPop"), system("UIApplicationMain")), nil),
  BlameSample(
    "who posts a notification is not the observer",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x10).crashed(
      system("objc_msgSend"), system("__CFNOTIFICATIONCENTER_IS_CALLING_OUT_TO_AN_OBSERVER__"),
      system("-[UIApplication _stopDeactivatingForReason:]"), system("UIApplicationMain")), nil),
  BlameSample(
    "an initializer that only calls that of a system class",
    abort.crashed(
      system("objc_exception_throw"), app(function("@nonobjc AVAudioPCMBuffer.init(pcmFormat:)", "/x", 1)),
      app(function("AVAudioPCMBuffer.__allocating_init(pcmFormat:)", "/x", 1)), main), (0, 3, 0)),
  BlameSample("no crashed thread", abort.thread(main), nil),
  BlameSample(
    "watchdog without a crashed thread",
    SampleReport("EXC_CRASH", "SIGKILL").termination("FRONTBOARD", 0x8bad_f00d).thread(main), (0, 0, 0)),
]

/// A frame with debug information that isn't the app's own.
private func library(_ locations: SourceFrame...) -> ResolvedFrame {
  var frame = app()
  frame.locations = locations
  frame.isInApp = false
  return frame
}

@Suite struct BlamedFrameTests {
  @Test("The frame to look at first", arguments: blameSamples)
  func blamed(_ sample: BlameSample) {
    #expect(base.diagnose(sample.report.symbolicated).blamed == sample.expected)
  }
}

@Suite struct SkippedFrameTests {
  @Test("Each frame before the blamed one has its reason")
  func reasons() {
    var superseded = app(function("f"))
    superseded.reason = .superseded
    var generated = app()
    generated.captured.reportedFile = "/<compiler-generated>"
    let report = abort.crashed(
      system("abort"), system("_platform_memmove"), system("-[UIView layoutSubviews]"), superseded, generated,
      app(function("std::sort(int*)")), app(function("partial apply for A.f()", "/x", 1)), main)
    let diagnosis = base.diagnose(report.symbolicated)
    #expect(diagnosis.blamed?.frame == 7)
    #expect(
      diagnosis.reasoning.skipped.map(\.reason) == [
        .machinery, .machinery, .notApp, .superseded, .generated, .libraryCode, .thunk,
      ])
    #expect(diagnosis.reasoning.skipped.map(\.frame.frame) == Array(0..<7))
  }

  @Test("Rules that hold in part name what they lack")
  func rejected() {
    let report = SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0)
    let reasoning = base.diagnose(report.symbolicated).reasoning
    #expect(reasoning.rejected.contains(RejectedRule(rule: "stack-limit", condition: "address")))
    #expect(!reasoning.rejected.contains { $0.rule == "null-dereference" || $0.rule == "panic" })
  }
}

@Suite struct BlameConfidenceTests {
  private func confidence(_ frames: ResolvedFrame...) -> Confidence? {
    base.diagnose(SampleReport("SIGTRAP").crashed(frames).symbolicated).blameConfidence
  }

  @Test("A source line shows whose code a frame is, unless it is a dependency's")
  func source() {
    let own = app(function("Tide.rise()", "/moon/Tide.swift", 3))
    let dependency = "/u/.cargo/registry/src/index-1/tide-2.1.0/src/lib.rs"
    #expect(confidence(system("abort"), own) == .certain)
    #expect(confidence(app(function("tide::rise", dependency, 7))) == .likely)
  }

  @Test("A function that could be a static library's is a guess where another one is more probably the app's")
  func library() {
    let (plain, method) = (app(function("tide_rise")), app(function("-[Moon shine]")))
    let source = app(function("Tide.rise()", "/moon/Tide.swift", 3))
    #expect(confidence(plain, method) == .hint)
    #expect(confidence(plain, source) == .hint)
    #expect(confidence(method, source) == .hint)
    #expect(confidence(plain, app(function("moon_shine"))) == .likely)
    #expect(confidence(method, plain) == .likely)
    // Entry points call everything.
    #expect(confidence(plain, app(function("main", "/moon/main.swift", 1))) == .likely)
    #expect(confidence(plain, app(function("-[SentryTide rise]"))) == .likely)
  }

  @Test("The system's functions are a guess")
  func systemFunction() {
    #expect(confidence(system("-[UIView layoutSubviews]")) == .hint)
  }
}

@Suite struct BlamedFrameOfLogTests {
  private func reported(_ symbol: String, _ file: String?, _ line: Int?) -> ResolvedFrame {
    var frame = Frame(kind: .programCounter, address: nil)
    frame.reportedSymbol = symbol
    frame.reportedFile = file
    frame.reportedLine = line
    return ResolvedFrame(captured: frame)
  }

  @Test("A frame without an image that has a line comes before a later one of the app")
  func lineInReport() {
    let report = SampleReport("AddressSanitizer: SEGV")
      .crashed(system("memcpy"), reported("free", "a.c", 1), reported("use", "a.c", 4), app(function("main")))
    let blamed = KnowledgeBase(language: .english).diagnose(report.symbolicated).blamed
    #expect(blamed?.frame == 2)
  }

  @Test("Compiler-generated code and superseded frames are skipped")
  func generated() {
    var superseded = app(function("f"))
    superseded.reason = .superseded
    let report = SampleReport("SIGILL").crashed(
      superseded, reported("getter", "/<compiler-generated>", nil), app(function("g", "/a.swift", 3)))
    let blamed = KnowledgeBase(language: .english).diagnose(report.symbolicated).blamed
    #expect(blamed?.frame == 2)
  }

  @Test("An accessor that a macro wrote is skipped, a function that uses a macro isn't")
  func accessorOfMacro() {
    let file = "@__swiftmacro_5Moons4TideC4riseMa_.swift"
    let accessor = SampleReport("SIGTRAP").crashed(
      reported("Tide.rise.getter", file, 8), app(function("TideRow.body.getter", "/TideRow.swift", 14)))
    #expect(base.diagnose(accessor.symbolicated).blamed?.frame == 1)
    let function = SampleReport("SIGTRAP").crashed(
      reported("Tide.rise()", file, 8), app(function("TideRow.body.getter", "/TideRow.swift", 14)))
    #expect(base.diagnose(function.symbolicated).blamed?.frame == 0)
  }
}
