import CrashReadCore
import CrashReadReports
import CrashReadSymbolication

private let place = app(function("f()", "/a.swift", 3))

/// Frames as an excerpt numbers them that begins deep in a stack.
private func numbered(from first: Int, _ frames: ResolvedFrame...) -> [ResolvedFrame] {
  frames.enumerated().map { index, frame in
    var captured = frame.captured
    captured.number = first + index
    return ResolvedFrame(captured: captured)
  }
}

func system(_ symbol: String, in image: String) -> ResolvedFrame {
  var captured = system(symbol).captured
  captured.imageName = image
  return ResolvedFrame(captured: captured)
}

/// Parts of reports as people paste them, and samples of programs that don't answer.
/// The frame of a call through a null pointer.
private let nowhere = ResolvedFrame(captured: Frame(kind: .returnAddress, address: RuntimeAddress(0)))

let excerptSamples = [
  RuleSample(
    "stack-deep-cut", "Stack overflow: 8001 frames deep",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 2, 0x7ffe_ef3f_fff8).crashed(
      numbered(from: 8000, system("-[NSArray dealloc]"), system("_objc_rootDealloc")))),
  RuleSample(
    "resource-cpu-kept", "Too much CPU time: 66% over 180 s, the limit is 50%",
    SampleReport().kind(.resource).says("(Limit 50%) Observed 66% over 180 secs")),
  RuleSample(
    "resource-cpu-event", "Too much CPU time: 48 s in 58 s (83%), the limit is 80% over 60 s",
    SampleReport().kind(.resource).says(
      "CPU: 48 seconds cpu time over 58 seconds (83% cpu average), exceeding limit of 80% cpu over 60 seconds"
    )),
  RuleSample(
    "resource-wakes-count", "Too many wakeups: 45005 in 3 s (14497 a second), the limit is 45000 in 300 s",
    SampleReport().kind(.resource).says(
      "process moon[12] caught waking the CPU 45005 times over ~3 seconds, averaging 14497 wakes / second and "
        + "violating a limit of 45000 wakes over 300 seconds.")),
  RuleSample(
    "resource-wakes-rate", "Too many wakeups: 206 a second, the limit is 150 a second over 300 s",
    SampleReport().kind(.resource).says("(Limit 150/sec) Observed 206/sec over 300 secs")),
  // Cut within the last word.
  RuleSample(
    "resource-wakes-rate", "Too many wakeups: 275 a second, the limit is 150 a second",
    SampleReport().kind(.resource).says(
      "Wakeups: 45001 wakeups over the last 164 seconds (275 wakeups per second average), exceeding limit of "
        + "150 wakeups per secon")),
  RuleSample(
    "resource-cpu-burning", "Too much CPU time: more than 50% over 180 s (93% at the end)",
    SampleReport().kind(.resource).says(
      "process moon[12] thread 34 caught burning CPU! It used more than 50% CPU (Actual recent usage: 93%) over "
        + "180 seconds.")),
  RuleSample(
    "resource-cpu-violating", "Too much CPU time: 9.00 s in 9.57 s (94%), the limit is 9.00 s over 15 s",
    SampleReport().kind(.resource).says(
      "moon[12] (/Applications/Moon.app/Moon) used 9.00s of CPU over 9.57 seconds (averaging 94%), violating a CPU "
        + "usage limit of 9.00s over 15 seconds.")),
  RuleSample(
    "resource-writes-event",
    "Too much written to storage: 1073.77 MB in 1318 s; the limit is 12.43 KB a second over 86400 s",
    SampleReport().kind(.resource).says(
      "Writes: 1073.77 MB of file backed memory dirtied over 1318 seconds (814.98 KB per second average), "
        + "exceeding limit of 12.43 KB per second over 86400 seconds")),
  RuleSample(
    "resource-writes-log", "Too much written to storage: 1024 MB; the limit is 1024 MB in 86400 s",
    SampleReport().kind(.resource).says(
      "process [12] caught causing excessive I/O (flavor: 129). Task I/O: 1024 MB. [Limit : 1024 MB per 86400 secs]"
    )),
  RuleSample(
    "resource-memory-log", "More memory than the watermark of 300 MB",
    SampleReport().kind(.resource).says(
      "process moon [12] crossed memory high watermark (300 MB); EXC_RESOURCE")),
  RuleSample(
    "memory-limit-not-fatal", "Not a crash: over its memory limit, which is not fatal (ActiveSoft 50 MB)",
    SampleReport().kind(.resource).says(
      "EXC_RESOURCE -> moon[12] exceeded mem limit: ActiveSoft 50 MB (non-fatal)")),
  RuleSample(
    "launchd-saw-crash", "Crashed with SIGSEGV",
    SampleReport("SIGSEGV").says("exited due to SIGSEGV | sent by exc handler[12], ran for 7ms")),
  RuleSample(
    "launchd-saw-kill", "Not a crash by itself: mds sent SIGKILL",
    SampleReport("SIGKILL").kind(.other).says("Service exited due to SIGKILL | sent by mds[90]")),
  RuleSample(
    "exit-counts", "Not a crash report: how often the app ended, and by what: foreground: 1 BadAccess",
    SampleReport().kind(.other).says("Exits: foreground: 1 BadAccess")),
  RuleSample(
    "code-signature-refused", "Killed at launch: the code signature was not accepted",
    SampleReport("EXC_CRASH", "SIGKILL").termination("CODESIGNING", 1)),
  // How the process ended is inferred from the frames of an excerpt.
  RuleSample(
    "swift-assertion-frames", "Swift assertion or fatal error",
    SampleReport().crashed(system("_assertionFailure(_:_:file:line:flags:)"), place)),
  RuleSample(
    "rust-panic-message", "Rust panic at src/main.rs:12:34: nothing left",
    SampleReport().says("thread 'main' panicked at src/main.rs:12:34:\nnothing left")),
  RuleSample(
    "main-thread-checker",
    "Not a crash: a UI API was called off the main thread: -[UIView moon]",
    SampleReport().kind(.other).says(
      "Main Thread Checker: UI API called on a background thread: -[UIView moon]")),
  RuleSample(
    "v8-jit-refused", "V8 could not change the protection of memory for generated code",
    SampleReport().says("Check failed: 12 == (*__error()).")),
  RuleSample(
    "v8-debug-check-said", "A check inside V8 failed: moons < 2.",
    SampleReport().says("Fatal error in ../../v8/src/moon.h, line 217", "Debug check failed: moons < 2.")),
  RuleSample(
    "v8-fatal-said", "A check inside V8 failed (handles.h, line 217)",
    SampleReport().says(
      "Fatal error in ../../v8/src/handles.h, line 217", "Check failed: (location_) != nullptr.")),
  RuleSample(
    "v8-check-said", "A check inside V8 failed: (location_) != nullptr.",
    SampleReport().says("Check failed: (location_) != nullptr.").crashed(
      system("v8::base::OS::Abort"), system("V8_Fatal(char const*, ...)"), system("v8::Object::Get"))),
  RuleSample(
    "sleep-wake-stuck",
    "Not a crash: the Mac hung during the transition to wake, and someone pressed the power button",
    SampleReport().kind(.other).says("Power button pressed during wake transition after 88661 ms.")),
  RuleSample(
    "locked-files-suspended", "Suspended while it held a lock on a file: ended with 0xdead10cc",
    SampleReport().says("suspended with locked system files:")),
  RuleSample(
    "ended-before-dyld", "The process was ended before it ran any code",
    SampleReport().crashed(system("_dyld_start"))),
  RuleSample(
    "dyld-halt-unstated", "The dynamic linker stopped the launch",
    SampleReport().crashed(
      system("__abort_with_payload"), system("dyld4::halt(char const*)"), system("start"))),
  RuleSample(
    "zombie-frames", "A message was sent to a freed object, which Zombie Objects noticed",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0).crashed(
      system("___forwarding___"), system("_CF_forwarding_prep_0"), place)),
  RuleSample(
    "handler-after-abort", "The program aborted, and its own signal handler ran",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(
      system("HandleSignal"), system("_sigtramp"), system("pthread_kill"), system("abort"), image("Moon"))),
  RuleSample(
    "allocator-faulted", "Memory fault inside malloc: the heap was damaged before",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(
      system("__pthread_kill"), system("abort"), system("HandleSignal"), system("_sigtramp"),
      image("libsystem_malloc.dylib"), place)),
  RuleSample(
    "handler-null-call", "A null function pointer was called, and a signal handler ended the program",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(
      system("__pthread_kill"), system("abort"), system("HandleSignal"), system("_sigtramp"), nowhere, place)),
  RuleSample(
    "handler-aborted", "A signal came, and its handler ended the program",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(
      system("__pthread_kill"), system("abort"), system("HandleSignal"), system("_sigtramp"), image("Moon"))),
  RuleSample(
    "gpu-reset", "Not a crash by itself: the GPU stopped answering and was reset",
    SampleReport().kind(.other).says("Event: GPU Reset")),
  RuleSample(
    "rust-no-unwinding", "A Rust panic could not unwind the stack (error 5), so the program was ended",
    SampleReport().says("fatal runtime error: failed to initiate panic, error 5, aborting")),
  RuleSample(
    "reporter-frames", "The crash reporter crashed while it recorded a crash",
    SampleReport().crashed(system("strcmp"), app(function("ksobjc_isTaggedPointer", "/KSObjC.c", 906)))),
  RuleSample(
    "launch-constraint-said", "Killed: launch constraint violated",
    SampleReport("EXC_CRASH", "SIGKILL").says("CODESIGNING, Launch Constraint Violation")),
  RuleSample(
    "stopped-at-throw", "The debugger stopped where a C++ exception is thrown, which is no crash",
    SampleReport().crashed(system("__cxa_throw"), place)),
  RuleSample(
    "excerpt-waits", "The thread in this excerpt was waiting, which is no crash",
    SampleReport().crashed(system("semaphore_timedwait_trap"), place)),
  RuleSample(
    "privacy-entitlement-missing", "Missing entitlement: com.apple.security.device.audio-input",
    SampleReport("EXC_CRASH", "SIGABRT").says(
      "The app's Info.plist must contain an com.apple.security.device.audio-input key with a string value")),
  RuleSample(
    "recursion-frames", "Recursion without end, as the repeating frames show",
    SampleReport().crashed(Array(repeating: place, count: 120))),
  RuleSample(
    "recursion-frames-cut", "The list is part of a recursion, which probably used up the stack",
    SampleReport().crashed(
      numbered(from: 120, place, system("reload"), place, system("reload"), place, system("reload")))),
  RuleSample(
    "privacy-violation", "Missing privacy description or entitlement",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).termination("TCC", 0)),
  RuleSample(
    "privacy-violation-frames", "Missing privacy description or entitlement",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(
      system("__abort_with_payload"), system("__TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__"), place)),
  RuleSample(
    "privacy-violation-elsewhere", "Missing privacy description or entitlement",
    SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0).crashed(
      system("mach_msg2_trap"), system("__CFRunLoopServiceMachPort"), place
    ).thread(system("__abort_with_payload"), system("__TCC_CRASHING_DUE_TO_PRIVACY_VIOLATION__"))),
  RuleSample(
    "rust-panic", "Rust code panicked",
    SampleReport().crashed(system("core::panicking::panic_fmt"), place)),
  RuleSample(
    "message-selector-said", "Message to a freed object: windowDidResize:",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 1, 0x7f91_49c7_1200)
      .says("objc_msgSend() selector name: windowDidResize:")),
  RuleSample(
    "swift-continuation-leaked", "A continuation was never resumed: tide()",
    SampleReport().says("SWIFT TASK CONTINUATION MISUSE: tide() leaked its continuation!")),
  RuleSample(
    "swift-concurrency-fatal", "Swift's concurrency runtime stopped the program",
    SampleReport().crashed(
      system("swift::swift_Concurrency_fatalError(unsigned int, char const*, ...)"), place)),
  RuleSample(
    "webview-legacy-frames", "Crash in the engine of UIWebView",
    SampleReport().crashed(system("WebCore::FrameView::layout()")).queue("WebThread", of: 0)),
  RuleSample(
    "webkit-frames", "Crash inside WebKit",
    SampleReport().crashed(system("IPC::Connection::send()", in: "WebKit"))),
  RuleSample(
    "jetsam-limit-stated", "Killed: over its memory limit",
    SampleReport().says("The process was terminated for exceeding jetsam memory limits")),
  RuleSample(
    "document-activity-waits", "The thread waited for an earlier activity of the document to end",
    SampleReport().kind(.sample)
      .thread(
        system("semaphore_wait_trap"), system("-[_NSDocumentSerializationSemaphore wait]"),
        system("-[NSDocument(NSDocumentSerializationAPIs) _performActivity:]"), place
      )
      .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100, 100, 100])),
  RuleSample(
    "debugger-stopped-waiting",
    "Not a crash: the debugger stopped the process; its main thread waited for a semaphore",
    SampleReport().kind(.sample).thread(system("semaphore_wait_trap"), place)
      .queue("com.apple.main-thread", of: 0)
      .noted("Text around it", "* thread #1, stop reason = signal SIGSTOP")),
  RuleSample(
    "debugger-stopped", "Not a crash: the debugger stopped the process",
    SampleReport().kind(.sample).thread(place).queue("com.apple.main-thread", of: 0)
      .noted("Text around it", "* thread #1, stop reason = signal SIGSTOP")),
  RuleSample(
    "sampled-main-thread-waits", "The main thread waited all the time: a semaphore",
    SampleReport().kind(.sample).thread(system("semaphore_wait_trap"), place)
      .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100])),
  RuleSample(
    "sampled-main-thread-events", "Not a crash: the main thread waited in kevent",
    SampleReport().kind(.sample).thread(system("kevent"), place)
      .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100])),
  RuleSample(
    "sampled-top", "Where the program ran most often: -[Tide rise]",
    SampleReport().kind(.sample).says("Top of stack: -[Tide rise] (in Moon): 581")),
  RuleSample(
    "sampled-go-parked", "Not a crash: the thread of a Go program was parked",
    SampleReport().kind(.sample).thread(
      system("__psynch_cvwait"), app(function("runtime.pthread_cond_wait_trampoline.abi0"))
    )
    .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100])),
  RuleSample(
    "sampled-main-thread-idle", "Not a crash: the main thread was idle",
    SampleReport().kind(.sample).thread(system("__CFRunLoopServiceMachPort"), place)
      .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100])),
  RuleSample(
    "sampled-main-thread-idle", "Not a crash: the main thread was idle",
    SampleReport().kind(.sample).thread(
      system("__psynch_cvwait"), app(function("runtime.notesleep")), app(function("runtime.stopm"))
    )
    .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100, 100])),
  RuleSample(
    "sampled-main-thread-busy", "The main thread was busy all the time, in f()",
    SampleReport().kind(.sample).thread(system("memmove"), place)
      .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 40])),
  // An occasional wait doesn't make a program unresponsive.
  RuleSample(
    "sampled", "Not a crash",
    SampleReport().kind(.sample).thread(system("semaphore_wait_trap"), place)
      .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 60])),
]
