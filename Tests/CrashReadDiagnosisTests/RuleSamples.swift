import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

/// A report made for one rule, and the expected headline.
struct RuleSample: Sendable, CustomTestStringConvertible {
  var rule: String
  var title: String
  var report: SampleReport

  init(_ rule: String, _ title: String, _ report: SampleReport) {
    self.rule = rule
    self.title = title
    self.report = report
  }

  var testDescription: String { "\(rule): \(title)" }
}

private let killed = SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0)

/// The frame of an instruction outside all images.
private func outside(_ address: UInt64) -> ResolvedFrame {
  ResolvedFrame(captured: Frame(kind: .programCounter, address: RuntimeAddress(address)))
}

/// A general protection fault at an instruction.
private func refused(_ code: [UInt8], rdi: UInt64) -> SampleReport {
  fault(0, code: 13, cpu: "X86-64").crashed(system("f")).registers(["rip": 0x1_8000_1000, "rdi": rdi])
    .code(bytesBefore: [], at: code)
}

let ruleSamples =
  sanitizerSamples + swiftSamples + exceptionSamples + messageSamples + killSamples + memorySamples
  + trapSamples + fallbackSamples + kindSamples + causeSamples + panicSamples + endedSamples + runtimeSamples
  + excerptSamples + endingSamples + storedPointerSamples

private func sanitizer(_ type: String) -> SampleReport {
  var sample = SampleReport(type)
  sample.report.format = .sanitizer
  return sample
}

private let sanitizerSamples = [
  RuleSample(
    "sanitizer-access", "AddressSanitizer: use-after-poison (READ of size 4)",
    sanitizer("AddressSanitizer: use-after-poison").subtype("READ of size 4 at 0x6020 thread T1")),
  RuleSample(
    "sanitizer-fault", "AddressSanitizer: SEGV (WRITE)",
    sanitizer("AddressSanitizer: SEGV").subtype("WRITE memory access")),
  RuleSample(
    "sanitizer-overflow", "AddressSanitizer: heap-buffer-overflow (READ of size 4)",
    sanitizer("AddressSanitizer: heap-buffer-overflow").subtype("READ of size 4 at 0x6020 thread T1")),
  RuleSample(
    "sanitizer-overflow", "AddressSanitizer: global-buffer-overflow",
    sanitizer("AddressSanitizer: global-buffer-overflow").message(
      "AddressSanitizer: global-buffer-overflow (Moon:x86_64+0xb5030) in rise")),
  RuleSample(
    "sanitizer-container", "AddressSanitizer: container-overflow (READ of size 4)",
    sanitizer("AddressSanitizer: container-overflow").subtype("READ of size 4 at 0x6020 thread T1")),
  RuleSample(
    "sanitizer-after-free", "AddressSanitizer: heap-use-after-free (READ of size 4)",
    sanitizer("AddressSanitizer: heap-use-after-free").subtype("READ of size 4 at 0x6020 thread T1")),
  RuleSample(
    "sanitizer-after-scope", "AddressSanitizer: stack-use-after-scope (READ of size 4)",
    sanitizer("AddressSanitizer: stack-use-after-scope").subtype("READ of size 4 at 0x6020 thread T1")),
  RuleSample(
    "sanitizer-double-free", "AddressSanitizer: double-free",
    sanitizer("AddressSanitizer: double-free").message("AddressSanitizer: double-free")),
  RuleSample(
    "sanitizer-bad-free", "AddressSanitizer: alloc-dealloc-mismatch",
    sanitizer("AddressSanitizer: alloc-dealloc-mismatch").message("AddressSanitizer: alloc-dealloc-mismatch")),
  RuleSample(
    "sanitizer-size", "AddressSanitizer: negative-size-param",
    sanitizer("AddressSanitizer: negative-size-param").message("AddressSanitizer: negative-size-param")),
  RuleSample(
    "sanitizer-overlap", "AddressSanitizer: memcpy-param-overlap",
    sanitizer("AddressSanitizer: memcpy-param-overlap").message("AddressSanitizer: memcpy-param-overlap")),
  RuleSample(
    "sanitizer-mutex", "ThreadSanitizer: double lock of a mutex",
    sanitizer("ThreadSanitizer: double lock of a mutex").message("ThreadSanitizer: double lock of a mutex")),
  RuleSample(
    "sanitizer-lock-order", "ThreadSanitizer: lock-order-inversion",
    sanitizer("ThreadSanitizer: lock-order-inversion").message("ThreadSanitizer: lock-order-inversion")),
  RuleSample(
    "sanitizer-leak-classes", "LeakSanitizer reports memory of the Objective-C runtime",
    sanitizer("LeakSanitizer: detected memory leaks").crashed(system("realizeClassWithoutSwift"))),
  RuleSample(
    "sanitizer-leak", "LeakSanitizer: detected memory leaks",
    sanitizer("LeakSanitizer: detected memory leaks").message("LeakSanitizer: detected memory leaks")),
  RuleSample(
    "sanitizer-race", "ThreadSanitizer: data race (Write of size 8)",
    sanitizer("ThreadSanitizer: data race").subtype("Write of size 8 at 0x7d0c by thread T20")),
  RuleSample("sanitizer", "ThreadSanitizer: data race", sanitizer("ThreadSanitizer: data race")),
  RuleSample(
    "sanitizer-defined", "UndefinedBehaviorSanitizer: unsigned integer overflow: 0 - 1",
    sanitizer("UndefinedBehaviorSanitizer: unsigned integer overflow")
      .message("UndefinedBehaviorSanitizer: moon.c:3:7: runtime error: unsigned integer overflow: 0 - 1")),
  RuleSample(
    "sanitizer-undefined", "UndefinedBehaviorSanitizer: division by zero",
    sanitizer("UndefinedBehaviorSanitizer: division by zero")
      .message("UndefinedBehaviorSanitizer: moon.c:3:7: runtime error: division by zero")),
]

private let swiftSamples = [
  RuleSample(
    "null-offset-dereference", "Null pointer dereference at 0x8",
    SampleReport("SIGSEGV").message("Bad pointer dereference at 0x0000000000000008")),
  RuleSample(
    "swift-runtime-failure", "Swift runtime failure: Index out of range",
    swiftTrap.crashed(
      app(function("Swift runtime failure: Index out of range", "/a.swift"), function("f()", "/a.swift", 3)))
  ),
  RuleSample(
    "swift-nil-inlined", "Unexpectedly found nil while unwrapping an Optional",
    swiftTrap.crashed(
      app(
        function(
          "Swift runtime failure: Unexpectedly found nil while unwrapping an Optional value", "/a.swift"),
        function("f()", "/a.swift", 3)))),
  RuleSample(
    "swift-unexpected-nil", "Unexpectedly found nil at App/View.swift:45",
    swiftTrap.says(
      "App/View.swift:45: Fatal error: Unexpectedly found nil while unwrapping an Optional value")),
  RuleSample(
    "swift-unexpected-nil", "Unexpectedly found nil at App/View.swift:45",
    swiftTrap.says(
      "Fatal error: Unexpectedly found nil while implicitly unwrapping an Optional value: file App/View.swift, line 45"
    )),
  RuleSample(
    "swift-unexpected-nil", "Unexpectedly found nil at App/View.swift:45",
    swiftTrap.says("Unexpectedly found nil while unwrapping an Optional value: file App/View.swift, line 45")),
  RuleSample(
    "swift-unexpected-nil-unplaced", "Unexpectedly found nil while unwrapping an Optional",
    swiftTrap.says("Fatal error: Unexpectedly found nil while unwrapping an Optional value")),
  RuleSample(
    "swift-try-failed", "`try!` failed: App.E.broken: file a.swift, line 3",
    swiftTrap.says(
      "Fatal error: 'try!' expression unexpectedly raised an error: App.E.broken: file a.swift, line 3")),
  RuleSample(
    "swift-cast-failed", "Cast failed: App.A to App.B",
    abort.says("Could not cast value of type 'App.A' (0x104) to 'App.B' (0x108).")),
  RuleSample(
    "swift-exclusivity", "Overlapping accesses to one variable",
    abort.says("Simultaneous accesses to 0x600000, but modification requires exclusive access.")),
  RuleSample(
    "swift-fatal-error", "Swift fatal error: no luck",
    swiftTrap.says("Performing @selector(x:)", "App/Main.swift:7: Fatal error: no luck")),
  RuleSample(
    "swift-precondition-failed", "Swift assertion failed: too few",
    swiftTrap.says("App/Main.swift:7: Precondition failed: too few")),
  RuleSample(
    "swift-fatal-error-unplaced", "Swift fatal error: no luck", swiftTrap.says("Fatal error: no luck")),
  RuleSample(
    "swift-fatal-error-unplaced", "Swift fatal error at App/Main.swift:7",
    swiftTrap.says("App/Main.swift:7: Fatal error")),
  RuleSample(
    "swift-assertion-frames", "Swift assertion or fatal error",
    swiftTrap.crashed(system("_assertionFailure(_:_:file:line:flags:)"), app(function("f()", "/a.swift", 3)))),
]

private let exceptionSamples = [
  RuleSample(
    "unrecognized-selector", "Unrecognized selector -[Foo bar]",
    abort.says(
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', "
        + "reason: '-[Foo bar]: unrecognized selector sent to instance 0x7c926a50'")),
  RuleSample(
    "unrecognized-selector", "Unrecognized selector -[Foo bar:]",
    swiftTrap.says("Crashing on exception: -[Foo bar:]: unrecognized selector sent to instance 0x60c0")),
  RuleSample(
    "uncaught-exception", "Uncaught exception NSRangeException: index 3 beyond bounds [0 .. 2] of 'it'",
    abort.says(
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds [0 .. 2] of 'it''",
      "terminating with uncaught exception of type NSException")),
  RuleSample(
    "uncaught-exception", "Uncaught exception Mine",
    abort.says("*** Terminating app due to uncaught exception 'Mine', reason: ''")),
  RuleSample("uncaught-exception", "Uncaught exception Mine: why", abort.uncaught("Mine", "why")),
  RuleSample(
    "uncaught-objc-exception", "Uncaught Objective-C exception",
    abort.says("abort() called", "terminating with uncaught exception of type NSException")),
  RuleSample("uncaught-objc-exception", "Uncaught Objective-C exception: why", abort.uncaught(nil, "why")),
  RuleSample(
    "assertion-backtrace", "An assertion failed (NSAssert), and nothing caught its exception",
    abort.thrown(
      at: system("__exceptionPreprocess"),
      system("-[NSAssertionHandler handleFailureInMethod:object:file:lineNumber:description:]"))),
  RuleSample("exception-backtrace", "Uncaught exception", abort.thrown(at: system("__exceptionPreprocess"))),
  RuleSample(
    "uncaught-cpp-exception", "Uncaught C++ exception std::runtime_error: boom: 3",
    abort.says("libc++abi: terminating due to uncaught exception of type std::runtime_error: boom: 3")),
  RuleSample(
    "uncaught-cpp-exception", "Uncaught C++ exception int",
    abort.says("libc++abi.dylib: terminating with uncaught exception of type int")),
  RuleSample(
    "uncaught-cpp-exception", "Uncaught C++ exception shop::OutOfStock",
    abort.says("terminating due to uncaught exception of type N4shop10OutOfStockE")),
  RuleSample(
    "cpp-terminate", "C++ runtime ended the program",
    abort.crashed(system("__pthread_kill"), system("abort"), system("std::__terminate(void (*)())"))),
]

private let messageSamples = [
  RuleSample(
    "simulated-guard", "Not a crash: a misuse of a guarded resource was only recorded",
    SampleReport("EXC_GUARD", nil).note("SIMULATED (this is NOT a crash)")),
  RuleSample(
    "simulated", "Not a crash: a snapshot of a running process",
    killed.note("SIMULATED (this is NOT a crash)").termination("FRONTBOARD", 0x8bad_f00d)),
  RuleSample(
    "freed-local-variable", "free() was given a pointer to the thread's own stack",
    abort.says(
      "Moon(7,0x16dc2f000) malloc: *** error for object 0x16dc2e8c0: pointer being freed was not allocated")),
  RuleSample(
    "heap-not-allocated", "free() got a pointer that is not an allocated block",
    abort.says("app(12,0x1) malloc: *** error for object 0x10: pointer being freed was not allocated")),
  RuleSample(
    "heap-corruption", "Heap corruption: memory corruption of free block",
    swiftTrap.says("BUG IN CLIENT OF LIBMALLOC: memory corruption of free block")),
  RuleSample(
    "library-misuse", "Misuse of LIBDISPATCH: Over-resume of an object",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: Over-resume of an object")),
  RuleSample(
    "fault-not-fatal", "Not a crash: a fault was reported, and the process went on",
    abort.note("NON-FATAL CONDITION (this is NOT a crash)").says("no moon")),
  RuleSample(
    "library-misuse-logged", "Misuse of UIKIT: the caller has to move on",
    SampleReport().says("BUG IN CLIENT OF UIKIT: the caller has to move on")),
  RuleSample(
    "library-bug", "Internal failure of LIBDISPATCH: Corrupt thread request",
    swiftTrap.says("BUG IN LIBDISPATCH: Corrupt thread request")),
  RuleSample(
    "after-fork-objc", "Objective-C was used in a forked child",
    abort.termination("OBJC", 1).says("crashed on child side of fork pre-exec")),
  RuleSample(
    "after-fork", "Crash between fork and exec",
    abort.crashed(system("f")).says("crashed on child side of fork pre-exec")),
  RuleSample(
    "after-fork", "Crash between fork and exec",
    swiftTrap.crashed(system("_dispatch_assert_queue_fail")).says(
      "BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was expected to execute on queue [moon]",
      "crashed on child side of fork pre-exec")),
  RuleSample(
    "dyld-library-missing", "Library not loaded: @rpath/A.framework/A",
    abort.termination("DYLD", 1, "Library missing", details: "Library not loaded: @rpath/A.framework/A")),
  RuleSample(
    "dyld-library-missing", "Library not loaded: @rpath/A.framework/A",
    abort.termination(
      "DYLD", nil, nil,
      details: "DYLD, dyld: Using shared cache: 39345251-71FA-31A4-B116-C26BE76BC152",
      "dependent dylib '@rpath/A.framework/A' not found for '/private/Tide.app/Tide', tried but didn't find: ''"
    )),
  RuleSample(
    "dyld-symbol-flat", "No loaded library has the symbol _f",
    abort.termination(
      "DYLD", 4, "Symbol missing", details: "Symbol not found: _f", "Referenced from: /opt/libmoon.dylib",
      "Expected in: flat namespace")),
  RuleSample(
    "dyld-symbol-missing", "Symbol not found: _f",
    abort.termination("DYLD", 4, "Symbol missing", details: "Symbol not found: _f")),
  RuleSample(
    "privacy-key-missing", "Missing privacy description: NSCameraUsageDescription",
    killed.termination(
      "TCC", 0,
      details: "This app has crashed because it attempted to access privacy-sensitive data without a usage "
        + "description. The app's Info.plist must contain an NSCameraUsageDescription key with a string value"
    )),
  RuleSample(
    "objc-assertion", "Assertion failed in -[TDCart total:]: no sum",
    abort.says("*** Assertion failure in -[TDCart total:], /Users/moon/Cart.m:38")
      .uncaught("NSInternalInconsistencyException", "no sum")),
  RuleSample(
    "foundation-assertion", "Assertion failed in -[Cart total:]",
    abort.says("*** Assertion failure in -[Cart total:], Cart.m:38")),
  RuleSample(
    "assertion-failed", "Assertion failed: n != 0",
    abort.says("Assertion failed: (n != 0), function f, file /src/a.c, line 33.")),
  RuleSample(
    "assertion-glibc", "Assertion failed: depth > 0",
    abort.says("tide: /src/lib/Tide.cpp:48: void tide::Chart::draw(int): Assertion `depth > 0' failed.")),
  RuleSample(
    "assertion-message", "Assertion failed: the tide is too low",
    swiftTrap.says("Assertion failed: the tide is too low")),
  RuleSample(
    "trap-handler-aborted", "EXC_BAD_INSTRUCTION first, then a signal handler called abort()",
    SampleReport("EXC_BAD_INSTRUCTION", "SIGABRT", codes: 1, 0).says("abort() called")
      .crashed(system("__pthread_kill"), system("abort"))),
  RuleSample("abort-called", "The program called abort()", abort.says("abort() called")),
  RuleSample(
    "abort-frames", "The program called abort()", abort.crashed(system("__pthread_kill"), system("abort"))),
]

private let killSamples = [
  RuleSample(
    "code-signature", "Killed by the system: invalid code signature",
    SampleReport("EXC_BAD_ACCESS", "SIGKILL - CODESIGNING", codes: 50, 0x1_0000_4000)
      .termination("CODESIGNING", 2, "Invalid Page")),
  RuleSample(
    "watchdog-timeout", "Watchdog: not ready within 19.97 seconds (0x8badf00d)",
    killed.termination(
      "FRONTBOARD", 0x8bad_f00d,
      details: "moon-rise watchdog transgression: application<a.b>:12 exhausted real (wall clock) time "
        + "allowance of 19.97 seconds")),
  RuleSample(
    "watchdog", "Watchdog: took too long to respond (0x8badf00d)", killed.termination("10", 0x8bad_f00d)),
  RuleSample(
    "lock-held-while-suspended", "Held a file lock while being suspended (0xdead10cc)",
    killed.termination("RUNNINGBOARD", 3_735_883_980)),
  RuleSample(
    "system-snapshot", "Not a crash: a snapshot of all processes (0xbaaaaaad)",
    SampleReport(codes: 0xbaaa_aaad)),
  RuleSample(
    "force-quit", "The user forced the app to quit (0xdeadfa11)", SampleReport("00000020", codes: 0xdead_fa11)
  ),
  RuleSample(
    "jetsam-limit-code", "Killed: over its own memory limit", killed.termination("<0x1>", 7)),
  RuleSample(
    "termination-code", "Ended by the system: vnode limit (JETSAM)", abort.termination("JETSAM", 3)),
  RuleSample(
    "termination-namespace", "Ended by TCC, code 0x5", SampleReport().termination("TCC", 5)),
  RuleSample(
    "termination-namespace", "Ended by LIBSYSTEM, code 0x2",
    abort.says("abort() called").termination("LIBSYSTEM", 2)),
  RuleSample("termination-namespace", "Ended by ASSERTIOND", SampleReport().termination("ASSERTIOND", nil)),
  RuleSample(
    "rosetta-error", "Rosetta stopped: mmap_anonymous_rw mmap failed, size=1000",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).termination(
      "ROSETTA", 0, details: "rosetta error: mmap_anonymous_rw mmap failed, size=1000")),
  RuleSample(
    "guard-user-fault", "Not a crash: a library recorded a fault",
    SampleReport("EXC_GUARD", nil, codes: 0x6000_0000_0000_0007, 9).termination("LIBXPC", 9)),
  RuleSample(
    "guard-user-fault", "Not a crash: a library recorded a fault",
    SampleReport("EXC_GUARD", nil).subtype("GUARD_TYPE_USER").message("namespc 7 reason_code 0x9")),
  RuleSample(
    "guard", "Guarded resource violated: FD CLOSE",
    SampleReport("EXC_GUARD", nil, codes: 0x4000_0001_0000_0005, 0)),
  RuleSample(
    "guard-port-right", "Guarded resource violated: MACH_PORT INVALID_NAME",
    SampleReport("EXC_GUARD", nil, codes: 0x2703, 0).termination("GUARD", 2_305_845_208_236_959_491)),
  RuleSample(
    "guard-thread-state", "Guarded resource violated: MACH_PORT THREAD_SET_STATE",
    SampleReport("EXC_GUARD", nil, codes: 0x2000_0005_0000_0000, 0)),
  RuleSample(
    "guard-exception-handler", "Guarded resource violated: MACH_PORT EXCEPTION_BEHAVIOR_ENFORCE",
    SampleReport("EXC_GUARD", nil, codes: 0x2000_0006_0000_0000, 0)),
  RuleSample(
    "guard-reply-port", "Guarded resource violated: MACH_PORT KOBJECT_REPLY_PORT_SEMANTICS",
    SampleReport("EXC_GUARD", nil, codes: 0x2000_0009_0000_0703, 0)),
  RuleSample(
    "guard-port-moved", "Guarded resource violated: MACH_PORT IMMOVABLE",
    SampleReport("EXC_GUARD", nil, codes: 0x2000_0020_0000_0703, 0)),
  RuleSample(
    "guard-message-filtered", "Guarded resource violated: MACH_PORT MSG_FILTERED",
    SampleReport("EXC_GUARD", nil, codes: 0x2000_0080_0000_0703, 0)),
  RuleSample(
    "guard-vnode", "Guarded resource violated: VN UNLINK",
    SampleReport("EXC_GUARD").subtype("GUARD_TYPE_VN").message("UNLINK of tides.db")),
  RuleSample(
    "guard-memory-range", "Guarded resource violated: VIRT_MEMORY DEALLOC_GAP",
    SampleReport("EXC_GUARD").subtype("GUARD_TYPE_VIRT_MEMORY").message("flavor=0x00000001 (DEALLOC_GAP)")),
  RuleSample(
    "resource-not-fatal", "Resource limit passed, process kept running: CPU",
    SampleReport("EXC_RESOURCE").subtype("CPU").note("NON-FATAL CONDITION (this is NOT a crash)")),
  RuleSample(
    "resource", "Resource limit exceeded: WAKEUPS MONITOR",
    SampleReport("EXC_RESOURCE", nil, codes: 0x4400_0000_0000_0000, 0).subtype("WAKEUPS")),
]

/// An access to memory in a library of Moon's neighbours.
private func inImage(_ name: String, _ symbol: String) -> ResolvedFrame {
  var captured = system(symbol).captured
  captured.imageName = name
  return ResolvedFrame(captured: captured)
}

private let endingSamples = [
  RuleSample(
    "fault-during-exit", "A thread was still running while the process was exiting",
    fault(0x7000_0000).crashed(app(function("f()"))).thread(system("exit"), app(function("g()")))),
  RuleSample(
    "crash-at-exit", "Crash while the program was ending, in what `exit` runs",
    fault(0).crashed(
      app(function("Tide::rise()")), app(function("Tide::~Tide()")), system("__cxa_finalize_ranges"),
      system("exit"))),
  RuleSample(
    "injected-initializer",
    "A library that was put into the process crashed while it was loaded: moonlight.dylib",
    tweaked("/var/jb/usr/lib/moonlight.dylib")),
]

/// A crash in the initializer of a library at a path.
private func tweaked(_ path: String) -> SampleReport {
  var frame = inImage(String(path.split(separator: "/").last ?? ""), "rise_init")
  frame.image = 0
  return fault(0).library(path, "1").crashed(
    frame, system("dyld4::Loader::findAndRunAllInitializers(dyld4::RuntimeState&) const"))
}

private let storedPointerSamples = [
  RuleSample(
    "freed-block-link", "Use of an object or block that had been freed",
    fault(0x7fd_9490_2f70, cpu: "X86-64").crashed(system("objc_release")).registers([
      "rax": 0xf000_07fd_9490_2f55, "rdi": 0x7fd9_4901_3960, "rcx": 0x7fd_9490_2f50,
    ])),
  RuleSample(
    "opengl-without-context", "OpenGL was called on a thread without a current context",
    fault(0x30).crashed(inImage("libGL.dylib", "glBindTexture"), app(function("Tide.draw()")))),
  RuleSample(
    "gecko-check", "Gecko stopped itself: a check failed (MOZ_CRASH)",
    fault(0, cpu: "X86-64").registers(["err": 6]).crashed(inImage("XUL", "TideRise"))),
  RuleSample(
    "gecko-lock-check", "Gecko stopped itself: a lock could not be used (MOZ_CRASH)",
    fault(0).crashed(inImage("libmozglue.dylib", "mozilla::detail::MutexImpl::lock()"))),
  RuleSample(
    "swift-metadata-null", "The Swift runtime found no metadata of a type",
    fault(0).crashed(inImage("libswiftCore.dylib", "swift_checkMetadataState"), app(function("f()")))),
  RuleSample(
    "permitted-but-unavailable", "Memory that could not be supplied at 0x1084cb020 (read)",
    fault(0x1_084c_b020, code: 2, cpu: "X86-64").registers(["err": 4]).crashed(app(function("f()"))).region(
      "0x1084cb020 is in 0x10849a000-0x10850a000\n--->  __TEXT  10849a000-10850a000 [  448K] r-x/rwx SM=COW  /t.dylib"
    )),
  RuleSample(
    "jump-to-no-address", "Jump to an address that can't exist: 0xee00000001480094",
    fault(0xee00_0000_0148_0094, cpu: "X86-64").noted(
      "Notes", "RIP register does not match crashing frame (0xEE00000001480094 vs 0x100EE0A38)"
    ).crashed(app(function("f()")))),
  RuleSample(
    "chromium-check-code", "Chromium, V8 or Node.js stopped itself: a check failed",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0x1_8000_1000).crashed(counted("f"))
      .registers(["pc": 0x1_8000_1000]).code([], at: [0xd420_0000, 0xd440_0000])),
  RuleSample(
    "assertion-logged", "Assertion failed in -[Tide rise:]: self.isLow",
    abort.says("Assertion failure in -[Tide rise:] (line 12): self.isLow", "abort() called")),
  RuleSample(
    "release-chain", "A long chain of objects is freed by recursion",
    fault(0x1_6f00_0000).crashed(
      (0..<120).flatMap { _ in
        [system("_swift_release_dealloc"), app(function("Tide.__deallocating_deinit"))]
      })),
  RuleSample(
    "fault-while-unwinding", "The unwinder faulted while an exception was thrown",
    fault(0, code: 13, cpu: "X86-64").crashed(
      system("_Unwind_RaiseException"), system("__cxa_throw"), app(function("Tide.rise()")))),
  RuleSample(
    "malloc-before-main", "The allocator faulted while the system's libraries started the program",
    fault(0x170).crashed(
      inImage("libsystem_malloc.dylib", "_xzm_segment_group_alloc_segment"),
      inImage("libobjc.A.dylib", "realizeClassWithoutSwift"), inImage("libobjc.A.dylib", "map_images"))),
  RuleSample(
    "number-as-reference", "A small number was used as a Swift reference: 0xbad, in swift_retain",
    fault(0xbad).crashed(system("swift_retain"), app(function("Tide.rise()")))),
  RuleSample(
    "swift-collection-changed", "A Swift dictionary or set is changed by another thread at this moment",
    fault(0x8000_0000_0000_0028).crashed(app(function("Tide.rise()")))),
  RuleSample(
    "dyld-ended", "Ended by the dynamic linker: symbol missing",
    abort.termination("DYLD", 4)),
  // No page can lie there, so none was refused.
  RuleSample(
    "impossible-address", "Bad pointer 0x40c5930214010008",
    fault(0x40c5_9302_1401_0008, code: 50).crashed(app(function("Tide.rise()")))),
]

/// A frame at the program counter.
private func counted(_ symbol: String) -> ResolvedFrame {
  var frame = system(symbol)
  frame.captured.kind = .programCounter
  return frame
}

private let memorySamples = [
  RuleSample(
    "stack-overflow", "Stack overflow",
    fault(0x1_6f00_0000, code: 2).message("Thread stack size exceeded due to excessive recursion")),
  RuleSample(
    "stack-guard-region", "Access to a stack's guard region",
    fault(0x1_6f00_0000, code: 2).message("Could not determine thread index for stack guard region")),
  RuleSample(
    "foreign-guard-page", "Access to the guard page of another thread's stack",
    fault(0x1_6f00_0000, code: 2).crashed(app(function("f()"))).region(
      "0x16f000000 is in 0x16f000000-0x16f004000\n--->  STACK GUARD   16f000000-16f004000 [   16K] ---/rwx SM=NUL  stack guard for thread 7"
    )),
  RuleSample(
    "stack-guard-page", "Stack overflow: fault in the guard page at 0x16f000000",
    fault(0x1_6f00_0000, code: 2).region(
      "0x16f000000 is in 0x16f000000-0x16f004000\n--->  STACK GUARD   16f000000-16f004000")),
  RuleSample(
    "generated-code-written", "Memory for generated code was written while it may only be executed",
    fault(0x1_0166_0000, code: 2).region(
      "0x101660000 is in 0x101660000-0x101680000\n--->  VM_ALLOCATE   101660000-101680000 [  128K] r-x/rwx SM=PRV"
    )),
  RuleSample(
    "buffer-overrun", "A walk over memory ran past what is mapped, at 0x14d460000",
    fault(0x1_4d46_0000).crashed(system("_platform_memmove"), app(function("rise()", "/a.swift", 3)))),
  RuleSample(
    "constants-written", "Write to read-only memory of ...p/Moon at 0x104b8d038",
    fault(0x1_04b8_d038, code: 2).region(
      """
      0x104b8d038 is in 0x104ae8000-0x104c60000;  bytes after start: 675896  bytes before end: 864199
            REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL
      --->  __DATA_CONST             104ae8000-104c60000 [ 1504K] r--/rw- SM=COW  ...p/Moon
      """)),
  RuleSample(
    "behind-heap-region", "Access just past the end of allocated memory at 0x112918000",
    fault(0x1_1291_8000).region(
      """
      0x112918000 is in 0x112918000-0x11291c000;  bytes after start: 0  bytes before end: 16383
            REGION TYPE                      START - END             [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL
            MALLOC_LARGE           00000001128d8000-0000000112918000 [  256K] rw-/rwx SM=PRV
      --->  mapped file            0000000112918000-000000011291c000 [   16K] r--/r-- SM=COW
      """)),
  RuleSample(
    "behind-heap-region", "Access just past the end of allocated memory at 0x112918008",
    fault(0x1_1291_8008, code: 2).region(
      """
      0x112918008 is not in any region.  Bytes after previous region: 9  Bytes before following region: 16384
            MALLOC_SMALL                112800000-112918000    [ 1120K] rw-/rwx SM=PRV
      --->  GAP OF 0x4000 BYTES
            MALLOC_SMALL                11291c000-112a00000    [  912K] rw-/rwx SM=PRV
      """)),
  RuleSample(
    "mapped-but-unavailable", "Access to memory that could not be supplied at 0x112919000",
    fault(0x1_1291_9000).region(
      """
            MALLOC_LARGE                1128d8000-112918000    [  256K] rw-/rwx SM=PRV
      --->  mapped file                 112918000-11291c000    [   16K] r--/r-- SM=COW
      """)),
  RuleSample(
    "invalid-address", "Access to unmapped memory at 0x112919000",
    fault(0x1_1291_9000).region(
      """
            MALLOC_LARGE                1128d8000-112918000    [  256K] rw-/rwx SM=PRV
      --->  GAP OF 0x4000 BYTES
            MALLOC_LARGE                11291c000-112a00000    [  912K] rw-/rwx SM=PRV
      """)),
  RuleSample(
    "deliberate-fault", "Stopped on purpose, by an access to memory that must fail",
    fault(1).crashed(system("gpus_ReturnNotPermittedKillClient"), app(function("draw()")))),
  RuleSample(
    "stack-probe", "Stack overflow",
    fault(0x1_6f00_0000).crashed(system("___chkstk_darwin"), app(function("f()")))),
  RuleSample(
    "stack-limit", "Stack overflow at 0x16efffff8 (write)",
    fault(0x1_6eff_fff8, code: 2).crashed(app(function("f()"))).registers([
      "sp": 0x1_6f00_0000, "esr": 0x9200_0047,
    ])),
  RuleSample(
    "stack-limit", "Stack overflow at 0x16f003ff8 (write)",
    fault(0x1_6f00_3ff8, code: 2).crashed(app(function("f()"))).registers([
      "sp": 0x1_6eff_0000, "fp": 0x1_6f00_8000, "esr": 0x9200_0047,
    ])),
  RuleSample(
    "stack-area", "Forbidden access at 0x16f297fd0, where stacks lie: mostly a stack overflow",
    SampleReport("EXC_BAD_ACCESS", nil, codes: 2, 0x1_6f29_7fd0)),
  RuleSample(
    "stack-area", "Forbidden access at 0x7fff5c937fb8, where stacks lie: mostly a stack overflow",
    SampleReport("EXC_BAD_ACCESS", nil, codes: 2, 0x7fff_5c93_7fb8, cpu: nil)),
  RuleSample(
    "stack-area-recursion", "Stack overflow, as the repeating frames show",
    SampleReport("EXC_BAD_ACCESS", nil, codes: 2, 0x1_6f29_7fd0)
      .crashed(Array(repeating: app(function("f()")), count: 3))),
  RuleSample(
    "jump-to-null", "Call of a null function pointer",
    fault(0).crashed(app(function("f()"))).registers(["pc": 0])),
  RuleSample(
    "jump-to-null-refused", "Call of a null function pointer",
    fault(0).termination("CODESIGNING", 2, "Invalid Page").crashed(app(function("f()"))).registers(["pc": 0])),
  RuleSample(
    "abort-trap", "The program called `abort`",
    swiftTrap.crashed(system("__abort"), system("abort"), app(function("f()")))),
  RuleSample(
    "jump-set-from-outside", "The program counter is 0, and another process had set thread state",
    fault(0).crashed(app(function("f()"))).registers(["pc": 0, "lr": 0x1_0000_2000])
      .noted("External Modification Summary", "thread_set_state: 1")),
  RuleSample(
    "jump-to-null-noted", "Call of a null function pointer",
    fault(0).crashed(app(function("f()")))
      .noted("Notes", "PC register does not match crashing frame (0x0 vs 0x100002000)")),
  RuleSample(
    "return-to-null", "Jump to address 0",
    fault(0).crashed(app(function("f()"))).registers(["pc": 0, "lr": 0])),
  RuleSample(
    "use-after-free-objc", "Message to a freed object, in objc_msgSend",
    fault(0x10).crashed(system("objc_msgSend"), app(function("f()")))),
  RuleSample(
    "use-after-free-swift", "Use of a freed Swift object, in swift_release",
    fault(0x7_7777).crashed(system("swift_release"), app(function("f()")))),
  RuleSample(
    "collection-storage", "A mutable collection changed while it was in use",
    fault(8).crashed(system("-[__NSDictionaryM objectForKey:]"), app(function("f()")))),
  RuleSample("null-dereference", "Null pointer dereference", fault(0)),
  RuleSample(
    "null-dereference", "Null pointer dereference",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS", cpu: "ARM").subtype("KERN_PROTECTION_FAILURE at 0x00000000")),
  RuleSample(
    "null-offset-dereference", "Null pointer dereference at 0x18 (read)",
    fault(0x18).crashed(app(function("f()"))).registers(["pc": 0x1_0000_2000, "esr": 0x9200_0006])),
  RuleSample(
    "null-offset-dereference", "Null pointer dereference at 0x18 (write)",
    fault(0x18, cpu: "X86-64").crashed(app(function("f()"))).registers([
      "rip": 0x1_0000_2000, "err": 6, "trap": 14,
    ])),
  RuleSample("null-offset-dereference", "Null pointer dereference at 0x3ff8", fault(0x3ff8)),
  RuleSample(
    "null-offset-dereference", "Null pointer dereference at 0x8",
    SampleReport("SIGSEGV", codes: 0, 8).subtype("SEGV_MAPERR at 0x8")),
  RuleSample(
    "non-canonical-address", "Access through a pointer that is no valid address",
    fault(0, code: 13, cpu: "X86-64").crashed(system("f")).registers(["rdi": 0x1f00_6000_01d5_4120])),
  // hlt; movaps xmm0, [rdi]; mov rax, [rdi]
  RuleSample(
    "privileged-instruction", "Instruction that programs may not run: hlt", refused([0xf4], rdi: 0x1000)),
  RuleSample(
    "misaligned-vector", "Misaligned access: 0x1008 isn't a multiple of 16",
    refused([0x0f, 0x28, 0x07], rdi: 0x1008)),
  RuleSample(
    "non-canonical-operand", "Access through a pointer that is no valid address: 0x1f00600001d54120",
    refused([0x48, 0x8b, 0x07], rdi: 0x1f00_6000_01d5_4120)),
  // mov rax, [rdi] can't be refused at an address that exists, so the instruction proves nothing.
  RuleSample(
    "general-protection-fault", "General protection fault", refused([0x48, 0x8b, 0x07], rdi: 0x1008)),
  RuleSample("general-protection-fault", "General protection fault", fault(0, code: 13, cpu: "X86-64")),
  RuleSample(
    "general-protection-fault", "General protection fault",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", cpu: "X86-64").codesText("EXC_I386_GPFLT")),
  RuleSample(
    "pointer-authentication", "Pointer with damaged signature or contents at 0x2000000100ae9df8",
    fault(0x2000_0001_00ae_9df8).subtype(
      "KERN_INVALID_ADDRESS at 0x2000000100ae9df8 -> 0x0000000100ae9df8 (possible pointer authentication failure)"
    )),
  RuleSample(
    "non-canonical-translated", "Pointer with impossible contents: 0x70006d00690040",
    fault(0x70_006d_0069_0040, cpu: "X86-64 (Translated)").subtype(
      "KERN_INVALID_ADDRESS at 0x0070006d00690040 -> 0x0000006d00690040 (possible pointer authentication failure)"
    )),
  RuleSample(
    "guard-slot", "Access to an unallocated slot between large blocks at 0xd6514c3d8",
    fault(0xd_6514_c3d8, code: 57)),
  RuleSample(
    "guard-slot-namespace", "Access to an unallocated slot between large blocks",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination("MTE_FAIL", 57)),
  RuleSample(
    "memory-tag", "Memory tag check failed at 0x7000008db020050",
    fault(0x0700_0008_db02_0050, code: 0x106)
      .subtype("EXC_ARM_MTE_TAGCHECK_FAIL at 0x07000008db020050").termination("MTE_FAIL", 262)),
  RuleSample(
    "memory-tag-canonical", "Pointer with a tag to untagged memory, at 0x700000000001000",
    fault(0x0700_0000_0000_1000, code: 0x107)),
  RuleSample(
    "memory-tag-namespace", "Memory tag check failed",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination("MTE_FAIL", 262)),
  RuleSample(
    "blamed-freed-memory", "Use of memory that was freed, at 0x700000100004010",
    fault(0x0700_0001_0000_4010, code: 0x106).blamed(0x1_0000_4000, size: 32, isFreed: true)),
  RuleSample(
    "blamed-live-memory", "Access outside of the memory that a pointer belongs to, at 0x700000100004020",
    fault(0x0700_0001_0000_4020, code: 0x106).blamed(0x1_0000_4000, size: 32, isFreed: false)),
  RuleSample("pointer-authentication-trap", "Pointer authentication failed", fault(0xd65f_03c0, code: 0x105)),
  RuleSample(
    "code-signature-page", "A page does not match its code signature",
    fault(0x1_7e01_2290, code: 50).subtype("UNKNOWN_0x32 at 0x000000017e012290")),
  RuleSample(
    "code-signature-page", "A page does not match its code signature",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS").subtype("UNKNOWN_0x32 at 0x000000017e012290")),
  RuleSample(
    "code-page-lost", "A page of the program's code could not be read at 0x100ae4000",
    fault(0x1_00ae_4000, code: 10).crashed(app(function("f()"))).registers(["pc": 0x1_00ae_4000])),
  RuleSample(
    "backing-store-lost", "Mapped file could not be read at 0x100ae4000", fault(0x1_00ae_4000, code: 10)),
  RuleSample("misaligned-access", "Misaligned access at 0x100ae4001", fault(0x1_00ae_4001, code: 0x101)),
  RuleSample(
    "call-into-vtable", "An object was called as if it were a function",
    fault(0x1_ffb3_d458, code: 2).crashed(system("vtable for tide::Moon"), app(function("f()"))).registers([
      "pc": 0x1_ffb3_d458, "lr": 0x1_0000_2000,
    ])),
  RuleSample(
    "call-into-data", "The program jumped into data: OBJC_CLASS_$_Tide",
    fault(0x1_ffb3_d458).crashed(system("OBJC_CLASS_$_Tide"), app(function("f()")))),
  RuleSample(
    "null-file", "A null `FILE *` was used, at 0x68",
    fault(0x68).crashed(system("flockfile"), system("fputs"), app(function("f()")))),
  RuleSample(
    "trap-outside-images", "Stopped at 0x34400fb00, in code that is in no image",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP").crashed(outside(0x3_4400_fb00), image("Moon"))),
  RuleSample(
    "jump-to-bad-address", "Call of a bad function pointer 0x16f180000",
    fault(0x1_6f18_0000, code: 2).crashed(app(function("f()"))).registers([
      "pc": 0x1_6f18_0000, "esr": 0x8200_000f,
    ])),
  RuleSample(
    "system-data-protected", "Forbidden access to a system library's memory at 0x1ff66d4e0",
    fault(0x1_ff66_d4e0, code: 2).system("iPhone OS 26.2 (23C55)")),
  RuleSample(
    "write-to-protected-memory", "Write to protected memory at 0x100ae9df8",
    fault(0x1_00ae_9df8, code: 2).crashed(app(function("f()"))).registers(["esr": 0x9200_004f])),
  RuleSample(
    "protected-memory", "Forbidden access to memory at 0x1c8c6bec8",
    SampleReport("SIGSEGV", cpu: "X86-64").subtype("SEGV_ACCERR at 0x00000001c8c6bec8")),
  RuleSample(
    "arm-signal-fault", "Bad pointer 0x1c8c6bec8",
    SampleReport("SIGSEGV").subtype("SEGV_ACCERR at 0x00000001c8c6bec8")),
  RuleSample(
    "arm-misaligned-signal", "SIGBUS at 0x1c8c6bec9: misaligned, or memory that could not be used",
    SampleReport("SIGBUS").subtype("BUS_ADRALN at 0x00000001c8c6bec9")),
  RuleSample("low-address", "Bad pointer 0x6c206e75", fault(0x6c20_6e75)),
  RuleSample("invalid-address", "Access to unmapped memory at 0x65a203bb2838", fault(0x65a2_03bb_2838)),
]

private let trapSamples = [
  RuleSample(
    "integer-division", "Integer division failed",
    SampleReport("EXC_ARITHMETIC", "SIGFPE", codes: 1, 0, cpu: "X86-64 (Native)")),
  RuleSample(
    "pointer-authentication-check", "Pointer authentication check failed (brk 0xc470)",
    swiftTrap.crashed(system("f")).registers(["esr": 0xf200_c470])),
  RuleSample(
    "sanitizer-trap", "Undefined behaviour caught (brk 0x5519)",
    swiftTrap.crashed(system("f")).registers(["esr": 0xf200_5519])),
  RuleSample(
    "other-break", "Trap instruction: brk 0xb001",
    swiftTrap.crashed(system("f")).registers(["esr": 0xf200_b001])),
  RuleSample(
    "pagein-failed", "A page of a mapped file could not be read: 22 Invalid argument",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS", codes: 10, 0x1_0000_2000).says(
      "FS pagein error: 22 Invalid argument"
    )
    .crashed(system("mdb_page_search"))),
  RuleSample(
    "trap-in-cpp", "C++ or Rust code stopped itself with a trap instruction",
    swiftTrap.crashed(system("tide::Boat::sail(int)")).registers(["esr": 0xf200_0001])),
  RuleSample(
    "trap-instruction-arm", "The program stopped itself with a trap instruction",
    swiftTrap.crashed(system("f")).registers(["esr": 0xf200_0001])),
  RuleSample(
    "trap-instruction-x86", "The program ran an undefined instruction",
    SampleReport("EXC_BAD_INSTRUCTION", "SIGILL", codes: 1, 0, cpu: "X86-64 (Native)")),
  RuleSample(
    "trap-ud2", "The program stopped itself with a trap instruction (ud2)",
    SampleReport("EXC_BAD_INSTRUCTION", "SIGILL", codes: 1, 0, cpu: "X86-64 (Native)")
      .registers(["rip": 0x1000]).code(bytesBefore: [], at: [0x0f, 0x0b]).crashed(system("f"))),
]

private let fallbackSamples = [
  RuleSample(
    "exception-call-stack", "An exception was thrown",
    SampleReport().thrown(at: system("__exceptionPreprocess"))),
  RuleSample("truncated-report", "The report is incomplete", SampleReport().process("Moon")),
  RuleSample("exception-type", "EXC_GUARD", SampleReport("EXC_GUARD")),
  RuleSample(
    "exception-type", "EXC_ARITHMETIC (SIGFPE): EXC_ARM_FP_DZ",
    SampleReport("EXC_ARITHMETIC", "SIGFPE", codes: 2, 0)),
  RuleSample("crash-signal", "EXC_CRASH (SIGABRT)", abort),
  RuleSample("asked-to-end", "Asked to end (SIGTERM)", SampleReport("SIGTERM")),
  RuleSample(
    "trap-in-objc", "The program stopped itself with a trap instruction",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP").crashed(app(function("-[Cart check]", "/Cart.m", 3)))),
  RuleSample(
    "trap-in-library", "UIKitCore stopped the program on purpose",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP").crashed(image("UIKitCore"), app(function("-[Moon wane]")))),
  RuleSample("signal", "SIGALRM", SampleReport("SIGALRM")),
  RuleSample("signal", "SIGABRT", SampleReport("SIGABRT", codes: 0, 0x3618_da1c)),
  RuleSample("signal", "SIGSEGV", SampleReport().termination("SIGNAL", 11)),
  RuleSample(
    "signal-by-process", "tidewatch [7] sent the process SIGABRT",
    abort.process("Moon").sender("tidewatch [7]")),
  RuleSample(
    "signal-sent", "Ended by a SIGILL that was sent to it",
    SampleReport("EXC_CRASH", "SIGILL", codes: 0, 0).crashed(system("mach_msg2_trap"))),
]

private let kindSamples = [
  RuleSample(
    "panic", "no luck @driver.c:3", SampleReport("").message("no luck @driver.c:3").kind(.panic)
  ),
  RuleSample(
    "panic-without-message", "No message of the kernel's is in the report", SampleReport().kind(.panic)),
  RuleSample(
    "jetsam-process-limit", "Used more memory than its limit allows (per-process-limit)",
    SampleReport().termination("JETSAM", nil, "per-process-limit").kind(.jetsam)),
  RuleSample(
    "jetsam-reason", "Jetsam reason: new-reason",
    SampleReport().termination("JETSAM", nil, "new-reason").kind(.jetsam)),
  RuleSample(
    "restore-failed", "Software update or restore failed (error 78)",
    SampleReport().says("Restore error: 78").kind(.other)),
  RuleSample(
    "stackshot-requested", "Stacks recorded on request: XPC message timeout in -[TideClient fetch:]",
    SampleReport().says("Stackshot reason: XPC message timeout in -[TideClient fetch:]").kind(.hang)),
  RuleSample(
    "no-stack", "The thread had no stack: the stack pointer is almost 0",
    fault(0xffff_ffff_ffff_fff8, cpu: "X86-64 (Native)").crashed(system("_dyld_start"))
      .registers(["rsp": 0, "rip": 0x7fff_5fc0_1028])),
  RuleSample(
    "no-stack", "The thread had no stack: the stack pointer is almost 0",
    fault(0x1f, cpu: "X86-64").crashed(system("f")).registers(["rsp": 0x1f])),
  RuleSample(
    "nearly-null-pointer", "Pointer that is nearly null: 0x1",
    fault(1).crashed(system("tide"))),
  RuleSample(
    "jump-to-bad-address", "Call of a bad function pointer 0x2",
    fault(2).crashed(system("f")).registers(["pc": 2, "lr": 0x1_8000_0000])),
  RuleSample(
    "message-to-number", "Message to 0x1, which is not an object",
    fault(1).crashed(system("objc_retain"), system("f"))),
  RuleSample(
    "reporter-recorded", "An error that the app itself recorded, not a crash",
    SampleReport().crashed(
      system("FIRCLSProcessRecordAllThreads"), system("FIRCLSHandler"), system("FIRCLSExceptionRecordModel"),
      system("report"))),
  RuleSample(
    "unreal-fatal-error", "Unreal stopped on a fatal error: no tide (at Source/Tide.cpp:17)",
    SampleReport().says("Fatal error: [File:Source/Tide.cpp] [Line: 17] no tide")),
  RuleSample(
    "check-said", "Check failed: tide >= 0 (-1 vs. 0) (tide.cc(48))",
    abort.says("[15121:3079:0603/143054:FATAL:tide.cc(48)] Check failed: tide >= 0 (-1 vs. 0)")),
  RuleSample(
    "check-said", "Check failed: !tides.empty()", abort.says("F0603 tide.cc:48] Check failed: !tides.empty()")
  ),
  RuleSample("jetsam", "Memory ran short", SampleReport().kind(.jetsam)),
  RuleSample(
    "resource-event", "90 seconds cpu time over 150 seconds",
    SampleReport().says("Event: cpu usage", "CPU: 90 seconds cpu time over 150 seconds").kind(.resource)),
  RuleSample("resource-limit", "Resource limit exceeded", SampleReport().kind(.resource)),
  RuleSample(
    "main-thread-hang", "The main thread did not answer", SampleReport().says("Event: hang").kind(.hang)),
  RuleSample("hang", "Stopped responding", SampleReport().kind(.hang)),
  RuleSample(
    "sampled-event", "Not a crash, the event was: shutdown stall",
    SampleReport().says("Event: shutdown stall").kind(.sample)),
  RuleSample("sampled", "Not a crash", SampleReport().kind(.sample)),
  RuleSample(
    "leaks", "2 leaks, 64 bytes in all",
    SampleReport().says("Process 14: 2 leaks for 64 total leaked bytes.").kind(.other)),
]
