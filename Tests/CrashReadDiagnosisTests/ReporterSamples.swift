import CrashReadReports
import CrashReadSymbolication

private func signal(
  _ name: String, _ code: String, at address: String, cpu: String = "ARM-64"
) -> SampleReport {
  SampleReport(name, cpu: cpu).format(.plCrash).codesText("\(code) at \(address)").subtype(
    "\(code) at \(address)")
}

/// Causes that are stated by a crash reporter inside the app, or obscured by how it ends.
let reporterCauses = secondCrashes + witnesses + figures + addresses

private let recrash = "The crash reporter crashed while it recorded another crash"
private let terminated = [
  system("objc_msgSend"), app(function("onCrash")), system("_objc_terminate()"),
  system("std::__terminate(void (*)())"), app(function("load()")),
]

private let handled = [
  app(function("onSignal")), system("_sigtramp"), system("pthread_kill"), system("abort"),
  system("MTLReportFailure"), app(function("draw()")),
]

private let secondCrashes = [
  RuleSample(
    "reporter-crashed-after-exception", "The crash reporter crashed after an uncaught exception",
    fault(0x7000_0000).says(recrash).crashed(terminated)),
  RuleSample(
    "reporter-faulted", "The crash reporter itself crashed",
    fault(0x1d5_b33c).crashed(
      system("_platform_strcmp"), app(function("ksobjc_objectType", "/KSObjC.c", 906)),
      app(function("kscrashreport_writeStandardReport", "/KSCrashReport.c", 1759)))),
  RuleSample(
    "reporter-crashed", "The crash reporter crashed while it recorded a crash",
    fault(0x7000_0000).says(recrash).crashed(system("printf"))),
  RuleSample(
    "exception-in-signal-handler", "A signal handler raised an exception after an earlier fault",
    abort.uncaught(
      "NSInternalInconsistencyException", "NSWindow should only be instantiated on the main thread!"
    )
    .thrown(
      at: system("objc_exception_throw"), system("-[NSAlert init]"), app(function("onSignal")),
      system("_sigtramp"),
      app(function("draw()")))),
  RuleSample(
    "uncaught-exception", "Uncaught exception TideError: no moon",
    abort.uncaught("TideError", "no moon").crashed(handled)
      .thrown(at: system("objc_exception_throw"), app(function("draw()")))),
  RuleSample(
    "fault-after-exception", "A crash handler crashed after an uncaught exception",
    fault(0x7000_0000).crashed(terminated)),
  RuleSample(
    "fault-after-abort", "A crash handler crashed after the program had aborted",
    fault(0x31).crashed(handled)),
  RuleSample(
    "terminate-libraries", "Uncaught exception, ended by `std::terminate`",
    abort.crashed(
      image("libsystem_kernel.dylib"), image("libsystem_c.dylib"), image("libc++abi.dylib"),
      image("libobjc.A.dylib"), image("Tides", isInApp: true), image("libc++abi.dylib"),
      image("libobjc.A.dylib"), image("CoreFoundation"))),
  RuleSample(
    "exception-handler-threw", "The handler of uncaught exceptions threw an exception itself",
    abort.crashed(
      system("abort"), system("__cxa_throw"), system("objc_exception_throw"), app(function("report(_:)")),
      system("__handleUncaughtException"), system("_objc_terminate()"))),
  RuleSample(
    "objc-thrown", "Uncaught Objective-C exception",
    SampleReport().crashed(
      system("_objc_terminate()"), system("std::__terminate(void (*)())"), system("__cxa_throw"),
      system("objc_exception_throw"), app(function("-[Tide load]")))),
  RuleSample(
    "objc-ended", "Uncaught Objective-C exception",
    abort.crashed(
      system("abort"), system("__handleUncaughtException"), system("_objc_terminate()"),
      system("std::__terminate(void (*)())"), app(function("-[Tide load]")))),
  RuleSample(
    "cpp-thrown", "Uncaught C++ exception",
    abort.crashed(
      system("abort"), system("_objc_terminate()"), system("std::__terminate(void (*)())"),
      system("__cxa_throw"),
      app(function("load()")))),
  RuleSample(
    "exception-rethrown", "Uncaught exception, caught on its way and thrown again",
    abort.crashed(
      system("abort"), system("_objc_terminate()"), system("__cxa_rethrow"), system("objc_exception_rethrow"),
      app(function("load()")))),
  RuleSample(
    "exception-unnamed", "Uncaught exception, name and reason not recorded",
    abort.crashed(
      system("abort"), system("_objc_terminate()"), system("std::__terminate(void (*)())"),
      system("_dispatch_client_callout"))),
  RuleSample(
    "trap-in-c-called-by-go", "Native code that Go had called stopped itself",
    SampleReport("SIGTRAP", cpu: nil).says("signal arrived during cgo execution")
      .crashed(app(function("_Cfunc_Run()")))),
  RuleSample(
    "signal-pipe", "Wrote to a pipe or socket that the other side had closed (SIGPIPE)",
    SampleReport("SIGPIPE")),
  RuleSample(
    "system-policy-denied", "The system's policy denied file-read-data: /tide/vault",
    SampleReport().kind(.other).says("Sandbox: Moon(12) System Policy: deny(1) file-read-data /tide/vault")),
  RuleSample(
    "sandbox-denied", "The sandbox denied mach-lookup: com.example.tide",
    SampleReport().kind(.other).says("Sandbox: Moon(12) deny(1) mach-lookup com.example.tide")),
  RuleSample(
    "objc-isa-authentication", "Use of a freed object: its class pointer failed the runtime's check",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0x1_8000_2000)
      .crashed(system("objc_opt_respondsToSelector"), app(function("TabBar.updateLayout()")))),
  RuleSample(
    "trap-in-swift", "A Swift runtime check failed",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", cpu: nil).crashed(app(function("TabBar.updateLayout()")))),
  RuleSample(
    "appkit-exception", "Uncaught exception in AppKit's event handling",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0).crashed(
      system("-[NSApplication _crashOnException:]"), system("-[NSApplication run]"))),
  RuleSample(
    "launch-watchdog-linker",
    "Launch watchdog: the dynamic linker was still loading the program",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination("FRONTBOARD", 0x8bad_f00d)
      .crashed(system("dyld4::Loader::mapSegments(Diagnostics&)"), system("dyld4::start"))),
  RuleSample(
    "stack-of-exception", "An Objective-C exception was thrown",
    SampleReport().crashed(system("objc_exception_throw"), app(function("load()")))),
]

private let witnesses = [
  concluded("memory-limit", "The app was probably ended for using too much memory"),
  concluded("memory-pressure", "The app was probably ended because the device ran out of memory"),
  concluded("cpu", "The app was probably ended for using too much CPU time"),
  concluded("thermal", "The app was probably ended because the device was too hot"),
  concluded("low-battery", "The run probably ended because the battery was empty"),
  concluded("unexplained", "The run ended in an unrecorded way"),
  RuleSample(
    "reported-error", "Error reported by the app: TypeError: no tides",
    SampleReport().kind(.other).says("Error reported by the app: TypeError: no tides")),
  RuleSample(
    "memory-limit-inferred", "Ended while in use, without a crash report",
    SampleReport("WatchdogTermination").message(
      "The OS watchdog terminated your app, possibly because it overused RAM.")),
  RuleSample(
    "memory-limit-inferred", "Ended while in use, without a crash report",
    SampleReport().says(
      "Out Of Memory: The app was likely terminated by the operating system while in the foreground")),
  RuleSample(
    "concluded-thermal", "The app was probably ended because the device was too hot",
    SampleReport().says("Thermal Kill: The operating system ended the app")),
  RuleSample(
    "hang-for", "The main thread did not respond for 2.0 to 2.4 seconds",
    SampleReport().kind(.hang).says("App hanging between 2.0 and 2.4 seconds.")),
  RuleSample(
    "hang-for", "The main thread did not respond for 2000 ms",
    SampleReport().kind(.hang).says(
      "The user or the OS watchdog terminated your app while it blocked the main thread for at least 2000 ms."
    )),
  RuleSample(
    "hang-for", "The main thread did not respond for 6.6 sec",
    SampleReport().kind(.hang).says("MXHangDiagnostic hangDuration:6.6 sec")),
  RuleSample(
    "cpu-time", "Too much CPU time: 2.2 ms within 5.5 ms",
    SampleReport().kind(.resource).says("MXCPUException totalCPUTime:2.2 ms totalSampledTime:5.5 ms")),
  RuleSample(
    "hang-waits", "The main thread did not respond for 2000 milliseconds, waiting: a mutex",
    SampleReport().kind(.hang)
      .says("The app's main thread failed to respond to an event within 2000 milliseconds")
      .thread(system("__psynch_mutexwait"), app(function("f()"))).queue("com.apple.main-thread", of: 0)),
  RuleSample(
    "freed-object-recorded", "Message to a freed TideTable: `reload`",
    fault(0x9000_0000).registers(["x0": 0x6000_0010, "x1": 0x1_0000_9000]).meaning("reload", of: "x1")
      .freed("TideTable", at: "x0").crashed(system("objc_msgSend"))),
  RuleSample(
    "freed-object-class", "Use of a freed TideTable, in objc_release",
    fault(0x9000_0000).registers(["x0": 0x6000_0010]).freed("TideTable", at: "x0")
      .crashed(system("objc_release"))),
  RuleSample(
    "freed-object-witness", "Message to a freed object: `-[TideTable reload]`",
    fault(0x9000_0000).says("CrashDoctor Diagnosis: Possible zombie in call: -[TideTable reload]")
      .crashed(system("objc_msgSend"))),
  RuleSample(
    "stack-overflow-witness", "Stack overflow in -[TideTable reload]",
    fault(0x9000_0000).says("CrashDoctor Diagnosis: Stack overflow in -[TideTable reload]")),
  RuleSample(
    "heap-corruption-witness", "Corrupted memory",
    abort.says("CrashDoctor Diagnosis: Rogue memory write has corrupted memory.")),
  RuleSample(
    "swift-stop-message", "FatalError: no tides (Tides/Table.swift:7)",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0).says("Tides/Table.swift:7: FatalError: no tides")
      .crashed(system("_assertionFailure(_:_:file:line:flags:)"), app(function("load()")))),
]

private let figures = [
  RuleSample(
    "hang-for", "The main thread did not respond for 20 sec",
    SampleReport().kind(.hang).says("Hang duration: 20 sec")),
  RuleSample(
    "hang-waits", "The main thread did not respond for 20 sec, waiting: a lock",
    SampleReport().kind(.hang).says("Hang duration: 20 sec").thread(
      system("__ulock_wait2"), app(function("f()"))
    )
    .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 100])),
  RuleSample(
    "hang-waits", "The main thread did not respond, waiting: a mutex",
    SampleReport().kind(.hang).thread(
      system("__psynch_mutexwait"), system("-[NSLock lock]"), app(function("f()"))
    )
    .queue("com.apple.main-thread", of: 0)),
  RuleSample(
    "hang-for", "The main thread did not respond for 3 sec",
    SampleReport().kind(.hang).says("Hang duration: 3 sec").thread(
      system("__ulock_wait2"), app(function("f()"))
    )
    .queue("com.apple.main-thread", of: 0).sampled(100, depthCounts: [100, 60])),
  RuleSample(
    "hang-calls", "The main thread did not respond, in a synchronous call: waiting for the network",
    SampleReport().kind(.hang).thread(
      system("semaphore_wait_trap"), system("_dispatch_semaphore_wait_slow"),
      system("CFURLConnectionSendSynchronousRequest"), app(function("f()"))
    )
    .queue("com.apple.main-thread", of: 0)),
  RuleSample(
    "hang-for", "The main thread did not respond for 5 sec",
    SampleReport().kind(.hang).says("Hang duration: 5 sec").thread(
      system("-[NSSQLiteConnection execute]"), system("_dispatch_client_callout"),
      system("_dispatch_sync_f_slow"), app(function("f()"))
    )
    .queue("com.apple.main-thread", of: 0)),
  RuleSample(
    "hang-calls",
    "The main thread did not respond for 4 sec, in a synchronous call: waiting for a file, pipe or socket",
    SampleReport().kind(.hang).says("Hang duration: 4 sec").thread(
      system("read"), system("-[NSData initWithContentsOfFile:]"), app(function("f()"))
    )
    .queue("com.apple.main-thread", of: 0)),
  RuleSample(
    "cpu-time", "Too much CPU time: 50 sec within 60 sec",
    SampleReport().kind(.resource).says("CPU time: 50 sec within 60 sec")),
  RuleSample(
    "disk-writes", "Too much written to storage: 1073 MB",
    SampleReport().kind(.resource).says("Writes caused: 1073 MB")),
  RuleSample(
    "launch-duration", "Slow launch: 12 sec", SampleReport().kind(.other).says("Launch duration: 12 sec")),
]

private let addresses = [
  RuleSample(
    "memory-access-unexplained", "Access to a bad address: 0x10385c000",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS", cpu: "X86-64").codesText("at 0x10385c000")
      .crashed(app(function("load()")))),
  RuleSample(
    "null-dereference-swift", "Null pointer dereference at 0x0006",
    SampleReport("Access violation").message("Access violation at 0x0000000000000006")),
  RuleSample(
    "sanitizer-objc-message", "Message to an object that is no longer valid",
    SampleReport("AddressSanitizer: SEGV").format(.sanitizer)
      .message("AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x1 bp 0x2 sp 0x3 T0)")
      .crashed(system("objc_msgSend"), app(function("tide()")))),
  RuleSample(
    "sanitizer-jump-to-null", "Call of a null function pointer",
    SampleReport("AddressSanitizer: SEGV").format(.sanitizer)
      .message(
        "AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x000000000000 bp 0x2 sp 0x3 T0)")),
  RuleSample(
    "sanitizer-null", "Null pointer dereference at 0x530",
    SampleReport("AddressSanitizer: SEGV").format(.sanitizer)
      .message("AddressSanitizer: SEGV on unknown address 0x000000000530 (pc 0x1 bp 0x2 sp 0x3 T0)")),
  RuleSample(
    "sanitizer-address", "Access to a bad address: 0x603000250000",
    SampleReport("AddressSanitizer: BUS").format(.sanitizer)
      .message("AddressSanitizer: BUS on unknown address 0x603000250000 (pc 0x1 bp 0x2 sp 0x3 T0)")),
]

/// What KSCrash infers about the previous launch.
private func concluded(_ reason: String, _ title: String) -> RuleSample {
  let word = reason.split(separator: "-").joined(separator: "_")
  return RuleSample(
    "concluded-" + reason, title, SampleReport().kind(.other).says("Concluded at the next start: " + word))
}
