import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// What people paste instead of a report, and the expected headline.
private let pasted: [(text: String, title: String)] = [
  // Foundation logs the method and the place of a check before it raises.
  (
    """
    2026-01-05 10:00:00.000 Moon[12:34] *** Assertion failure in -[TDTide rise:], /Users/moon/Moon/TDTide.m:31
    2026-01-05 10:00:00.001 Moon[12:34] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'The tide is too high'
    *** First throw call stack:
    (0x1a1e84964 0x19ed61814 0x1a1f00000)
    """, "Assertion failed in -[TDTide rise:]: The tide is too high"
  ),
  // The rows of the memory map were cut off.
  (
    """
    Process:             Moon [410]
    OS Version:          macOS 14.5 (23F79)

    Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
    Exception Subtype: KERN_PROTECTION_FAILURE at 0x000000016bb0ffe0
    VM Region Info: 0x16bb0ffe0 is in 0x16bb0c000-0x16bb10000;  bytes after st
    """, "Forbidden access at 0x16bb0ffe0, where stacks lie: mostly a stack overflow"
  ),
  // Some people put the frames above the exception.
  (
    """
    Thread 0 Crashed:
    0   Moon       0x0000000104561234 -[TDTide rise] + 40
    1   UIKitCore  0x0000000184561234 -[UIView layoutIfNeeded] + 40

    Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000010
    """, "Null pointer dereference at 0x10"
  ),
  // Unreal Engine's words, in which Dart writes its own errors, too.
  (
    """
    Unhandled Exception: SIGSEGV: invalid attempt to read memory at address 0x0000000000000010

    [Callstack] 0x0000000108c7b940 Moon!ATide::Tick() [UnknownFile])
    [Callstack] 0x0000000108c7c950 Moon!FEngineLoop::Tick() [/Engine/Launch.cpp:51])
    """, "Null pointer dereference at 0x10"
  ),
  (
    """
    Library not loaded: @rpath/Tide.framework/Tide
    Reason: mapping process and mapped file (non-platform) have different Team IDs
    """, "Library not loaded: @rpath/Tide.framework/Tide"
  ),
  // What the watchdog explains, and a kill's code, alone.
  (
    "scene-update watchdog transgression: app<com.example.moon>:12 exhausted real (wall clock) time allowance of 10.00 seconds",
    "Watchdog: scene update not finished within 10.00 seconds (0x8badf00d)"
  ),
  (
    """
    Termination Reason: FRONTBOARD 2343432205
    scene-create watchdog transgression: exhausted real (wall clock) time allowance of 17.62 seconds
    """, "17.62 seconds"
  ),
  ("The app was killed with 0xdead10cc in the background.", "0xdead10cc"),
  // The mark of a mutex of libpthread's.
  (
    """
    **Error:** EXC_BAD_ACCESS (SIGSEGV) - KERN_INVALID_ADDRESS at 0x000000004d555458

    Thread 0 Crashed:: Main
    0   Tide   tide::Harbour::open + 180
    1   Tide   tide::Moon::rise + 72
    """, "A lock's memory was used as a pointer: 0x4d555458"
  ),
  // Markdown's bold keys, and values as code.
  (
    """
    - **Exception Type**: `EXC_BAD_ACCESS (SIGSEGV)`
    - **Exception Subtype**: KERN_INVALID_ADDRESS at 0x10
    - **Triggered by Thread**: 3
    """, "Null pointer dereference at 0x10"
  ),
  ("EXC_CRASH / SIGKILL, namespace FRONTBOARD, code 0x8BADF00D", "Watchdog"),
  (
    "[app<com.example.moon>:12] Failed to terminate gracefully after 5.0s",
    "Watchdog: did not quit within 5.0 s after being asked to"
  ),
  // The register alone was the address, so the number isn't a member's offset.
  (
    """
    * thread #2, stop reason = EXC_BAD_ACCESS (code=1, address=0x2a)
        frame #0: 0x00000001000039e8 moon`tide::rise() const + 28
    moon`tide::rise() const:
    ->  0x1000039e8 <+28>: ldr    w9, [x8]
        0x1000039ec <+32>: mov    x8, x9
    """, "Pointer that is nearly null: 0x2a"
  ),
  (
    """
    * thread #2, stop reason = EXC_BAD_ACCESS (code=1, address=0x28)
        frame #0: 0x00000001000039e8 moon`tide::rise() const + 28
    moon`tide::rise() const:
    ->  0x1000039e8 <+28>: ldr    x9, [x8, #0x28]
        0x1000039ec <+32>: mov    x8, x9
    """, "Null pointer dereference at 0x28"
  ),
  (
    """
    Thread 4 Crashed:: com.example.tide
    0   libsystem_platform.dylib  0x194b0c1a8 _os_unfair_lock_corruption_abort + 36
    1   libsystem_platform.dylib  0x194b0c2a8 _os_unfair_lock_lock_slow + 44
    2   libobjc.A.dylib           0x194c0c2a8 objc_sync_enter + 52
    3   RunningBoardServices      0x194d0c2a8 -[RBSTarget picoDesc] + 60
    4   Moon                      0x104d0c2a8 -[TDTide rise] + 60

    Exception Type:  EXC_BREAKPOINT (SIGTRAP)
    """, "A lock of RunningBoardServices was damaged"
  ),
  // Mono's handler is that of one signal.
  (
    """
    0   libsystem_c.dylib         0x00007fff6ff81a1c abort + 120
    1   mono                      0x0000000103deecee mono_post_native_crash_handler + 14
    2   mono                      0x0000000103d8781b mono_handle_native_crash + 475
    3   mono                      0x0000000103ce05b1 mono_sigsegv_signal_handler_debug + 769
    4   libsystem_platform.dylib  0x00007fff700abb1d _sigtramp + 29
    5   Tide                      0x000000010426aede tide_rise + 20
    """, "SIGSEGV"
  ),
  // The child of a fork says so; a fragment doesn't list its threads.
  (
    """
      "exception" : {"codes":"0x0000000000000001, 0x0000000103e00abc","rawCodes":[1,4359981756],"type":"EXC_BAD_ACCESS","signal":"SIGABRT","subtype":"KERN_INVALID_ADDRESS at 0x0000000103e00abc"},
      "asi" : {"CoreFoundation":["*** multi-threaded process forked ***"],"libsystem_c.dylib":["crashed on child side of fork pre-exec"]},
    """, "Crash between fork and exec"
  ),
  // Before the guard had a name, the rest of the main thread's limit stood there, without the right to write.
  (
    """
    Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes:       KERN_PROTECTION_FAILURE at 0x00007ffee2593ff8

    VM Regions Near 0x7ffee2593ff8:
        MALLOC_SMALL             7fa9e3700000-7fa9e3800000 [ 1024K] rw-/rwx SM=PRV
    --> Stack                    7ffeded94000-7ffee2594000 [ 56.0M] r--/rwx SM=PRV
        Stack                    7ffee2594000-7ffee2d94000 [ 8192K] rw-/rwx SM=SHM  thread 0

    Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
    0   libtide.dylib                       0x00000001110e1dc1 tide_fill + 1
    """, "Stack overflow: fault in the guard page at 0x7ffee2593ff8"
  ),
  // The excerpt of the memory map tells the kind of failure, and the address.
  (
    """
    VM Regions Near 0x18:
    -->
        __TEXT                 000000010f96f000-0000000110085000 [ 7256K] r-x/rwx SM=COW  /Applications/Moon.app/Contents/MacOS/Moon

    Thread 0 Crashed:: main  Dispatch queue: com.apple.main-thread
    0   com.example.Moon    0x000000010f9be3d4 Tide::HasOneRef() const + 4
    1   com.example.Moon    0x000000010f9bfd4e Tide::GetRef() const + 30
    """, "Null pointer dereference at 0x18"
  ),
  // A call went to a table of Qt's.
  (
    """
    Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
    0   ???                  0x000000010dee9f98 qt_meta_stringdata_Tide + 0
    1   libtide.0.dylib      0x000000010cd2dd3d Tide::~Tide() + 77
    2   libdyld.dylib        0x00007fff6ab733d5 start + 1
    """, "The program jumped into data: qt_meta_stringdata_Tide"
  ),
  // An emulator's translated code.
  (
    """
    Termination Reason:    Namespace SIGNAL, Code 4 Illegal instruction: 4

    Thread 4 Crashed:
    0   ???                  0x34400fb00 ???
    1   tide                 0x100fd74dc moon_exec + 160 (exec.c:441)
    """, "Stopped at 0x34400fb00, in code that is in no image"
  ),
  (
    """
    Exception Type:        EXC_BAD_INSTRUCTION (SIGILL)
    Exception Codes:       0x0000000000000001, 0x0000000000000000

    Thread 2 Crashed:: com.example.tide
    0   libvDSP.dylib        0x00007fff332f1d2d 0x7fff332d6000 + 113965
    1   Tide                 0x0000000100001d2d Tide::mix() + 96
    """, "Accelerate ran an instruction that the CPU refused"
  ),
  // Every function of `stdio.h` locks the stream first.
  (
    """
    Thread 4 Crashed:
    0  flockfile + 28
    1  fseek + 76
    2  tide::File::resize(unsigned long) + 320
    3  tide::Server::setSize(int) + 12

    `KERN_INVALID_ADDRESS at 0x68`
    """, "A null `FILE *` was used, at 0x68"
  ),
  // What runs the app's web pages is Apple's program, whatever the path says.
  (
    """
    Exception Type: EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000000

    Thread 0 Crashed:
    0   WebCore                        0x00000001b0225e78 0x1aef42000 + 19807864
    1   com.apple.WebKit.WebContent    0x00000001049976b4 0x104994000 + 14004
    """, "A defect in com.apple.WebKit.WebContent, which is Apple's own program"
  ),
  // A library's functions without names belong to the named one that called them.
  (
    """
    Process: Moon [8]
    Exception Type: EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000024

    Thread 0 Crashed:
    0   org.qt-project.QtQml   0x000000010757a01b 0x1073fd000 + 1560603
    1   org.qt-project.QtQml   0x000000010757a07b QV4::QObjectWrapper::markObjects(QV4::Heap::Base*, QV4::ExecutionEngine*) + 105
    """, "QML's garbage collector met an object that was deleted or damaged"
  ),
  // A message of several lines above a list of frames.
  (
    """
    -[MTLTextureDescriptorInternal validateWithDevice:]:1405: failed assertion `Texture Descriptor Validation
    MTLTextureDescriptor has height of zero.
    '
    Thread 0 Crashed:: main Dispatch queue: com.apple.main-thread
    0   libsystem_kernel.dylib               0x1810df720 __pthread_kill + 8
    1   libsystem_c.dylib                    0x181024908 abort + 128
    2   Metal                                0x18c13ede4 MTLReportFailure + 448
    """, "A Metal texture has size zero or is too large"
  ),
  // The code of a failed access tells the type that wasn't copied.
  (
    """
    Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010
    Triggered by Thread:  0

    Thread 0 Crashed:
    0   Tide    0x0000000100001000 -[Tide rise] + 12
    """, "Null pointer dereference at 0x10"
  ),
  // The runtime throws exceptions of Objective-C as those of C++.
  (
    """
    0  libobjc.A.dylib       0x0000000184b0b7c8 _objc_terminate() + 132
    1  libc++abi.dylib       0x0000000184f3a2d8 __cxa_throw + 92
    2  libobjc.A.dylib       0x0000000184b0b7d8 objc_exception_throw + 412
    3  Tide                  0x0000000104e5f3e0 -[Tide rise] + 24
    """, "Uncaught Objective-C exception"
  ),
  // The system's log of an app in the background, without a report.
  (
    """
    Moon has active assertions beyond permitted time:
    {(
        <BKProcessAssertion: 0x15531750> identifier: Called by Moon, from -[TideView rise] process: Moon[183] permittedBackgroundDuration: 180.000000 reason: finishTask owner pid:183
    )}
    Forcing crash report of Moon...
    """, "The app held a background assertion for longer than permitted"
  ),
  // The end of a stack doesn't show what stopped.
  (
    """
    Thread 0 Crashed:
    151 WidgetKit       0x00000001af7e4f90 static TideProvider.onMainQueue(block:) + 268 (Tide.swift:148)
    152 WidgetKit       0x00000001af7e54c8 closure #1 in TideProvider.timeline(for:with:completion:) + 536
    """, "No known cause"
  ),
  // What came first is the cause: Rust can't pass the exception on.
  (
    """
    -[TideView rise]: unrecognized selector sent to instance 0x600003e1c0a0
    fatal runtime error: Rust cannot catch foreign exceptions, aborting
    """, "Unrecognized selector -[TideView rise]"
  ),
  (
    """
    2025-03-01 10:00:00.000 moon[12:34] -[TideView rise]: unrecognized selector sent to instance 0x600003e1c0a0
    thread 'main' panicked at src/tide.rs:120:14:
    called `Option::unwrap()` on a `None` value
    """, "Unrecognized selector -[TideView rise]"
  ),
  // A reason that was broken within its sentence, at a blank.
  (
    """
    2023-09-21 14:41:59.642 Moon[90:15] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Modifications to the layout 
    engine must not be performed from a background thread after it has been accessed from the main thread.'
    *** First throw call stack:
    (
    0   CoreFoundation   0x0000000192deb154 __exceptionPreprocess + 176
    """, "Views are changed from a background thread"
  ),
  (
    """
    Fatal NSInvalidArgumentException: *** -[AVCaptureDevice setActiveColorSpace:]
    Not supported - use activeFormat.supportedColorSpaces
    """, "The camera's format doesn't support the color space"
  ),
  (
    """
    2014-11-20 18:27:03.973 Moon[15:43] CRASH: *** -[AVAssetWriterInput appendSampleBuffer:] Cannot call method when status is 0
    2014-11-20 18:27:04.013 Moon[15:43] Stack Trace: (
        0   CoreFoundation                      0x28780d7f <redacted> + 150
        1   libobjc.A.dylib                     0x362f7c77 objc_exception_throw + 38
        2   Moon                                0x000c62b9 -[Tide record] + 848
    """, "appendSampleBuffer: is called in the wrong state of the writer or reader"
  ),
  ("Moon/Tide.swift:33:\n\nFatal error: no tide is set up", "Swift fatal error: no tide is set up"),
  ("Fatal Error: Unexpectedly found nil while unwrapping an Optional value", "Unexpectedly found nil"),
  // The assertion's own words say more than the library that it is in.
  (
    """
    Assertion failed: (_tide != nil), function -[SUUpdateAlert rise:], file SUUpdateAlert.m, line 31.

    Crashed: com.apple.main-thread
    0  libsystem_kernel.dylib         0x7d96 __pthread_kill + 10
    1  libsystem_c.dylib              0x7fa79 abort + 126
    2  libsystem_c.dylib              0x7ed68 __assert_rtn + 312
    3  Sparkle                        0x2d2df -[SUUpdateAlert rise:] + 312 (SUUpdateAlert.m:312)
    4  Sparkle                        0x2d5d1 -[SUUpdateAlert showMoon] + 211 (SUUpdateAlert.m:211)
    """, "Assertion failed: _tide != nil"
  ),
  (
    """
    0   Moon   0x0000000103367ef0 Swift runtime failure: Unexpectedly found nil while unwrapping an Optional value + 0 (Tide.swift:0)
    1   Moon   0x0000000103367ef0 specialized Tide.rise(at:) + 7516 (Tide.swift:275)
    """, "Unexpectedly found nil while unwrapping an Optional"
  ),
  (
    """
    Unable to activate constraint with anchors <NSLayoutXAxisAnchor:0x303e8ca40 "Tide:0x10aa96400.centerX"> and <NSLayoutXAxisAnchor:0x303e8ca00 "UIWindow:0x108c0e540.centerX"> because they have no common ancestor.

    Fatal Exception: NSGenericException
    0  CoreFoundation                 0x83f20 __exceptionPreprocess
    1  libobjc.A.dylib                0x172b8 objc_exception_throw
    2  CoreAutoLayout                 0xc454 -[NSLayoutConstraint isActive]
    3  Moon                           0x1120408 Banner.place(size:) + 116 (Banner.swift:116)
    """, "A constraint joins views of different hierarchies"
  ),
  (
    """
    Crashed: moon queue
    0  libobjc.A.dylib                0x5140 object_getClass + 48
    1  Foundation                     0xadc8 _NSKeyValueObservationInfoGetObservances + 248
    2  Foundation                     0x119f4 NSKeyValueWillChange + 176
    3  Moon                           0x531cec -[Tide setHeight:] + 366 (Tide.m:366)
    """, "A KVO observer was freed while still registered"
  ),
  (
    """
    Crashed: com.apple.main-thread
    0  libsystem_kernel.dylib         0x7578 __pthread_kill + 8
    1  libsystem_c.dylib              0x1d178 abort + 180
    2  libsystem_malloc.dylib         0x1e0e4 malloc_vreport + 908
    3  libsystem_malloc.dylib         0x1e2c8 malloc_report + 64
    4  libsystem_malloc.dylib         0x19b70 find_zone_and_free + 308
    5  CoreFoundation                 0x2130 -[__NSDictionaryM setObject:forKey:] + 512
    6  Shop                           0x32dd4 +[Log add:] + 197 (Log.m:197)
    """, "A mutable collection's storage was freed twice"
  ),
  (
    """
    Thread 0 Crashed::  Dispatch queue: com.apple.main-thread
    0   libsystem_kernel.dylib  0x19c9315b0 __pthread_kill + 8
    1   libsystem_c.dylib       0x19c870850 abort + 124
    2   libc++abi.dylib         0x19c92233c __cxa_throw + 92
    3   libobjc.A.dylib         0x19c52e580 objc_exception_throw + 448
    4   Foundation              0x19eba3754 -[NSAssertionHandler handleFailureInFunction:file:lineNumber:description:] + 272
    5   AppKit                  0x1a1afa668 -[NSWindow _commonInitFrame:styleMask:backing:defer:] + 1612
    6   AppKit                  0x1a1afb28c -[NSWindow _initContent:styleMask:backing:defer:contentView:] + 848
    """, "AppKit could not make a window"
  ),
  (
    """
    kernel[0] : Sandbox: hook..execve() killing pid 964: application requires container but none set
    com.apple.xpc.launchd1 : Service exited due to signal: Killed: 9
    """, "Killed at launch: the app was started without its container"
  ),
  (
    """
    serial output:
    panic: Kernel trap at 0xffffff800bb9bfaf, type 0=divide error
    """, "CPU trap in the kernel"
  ),
  // The tail of a panic whose message was not copied.
  (
    """
    TPIDRx_ELy = {1: 0xfffffe372cc957b0  0: 0x0000000000000000  0ro: 0x00000001702cb0e0 }
    CORE 0 PVH locks held: None
    CORE 0 is the one that panicked. Check the full backtrace for details.
    CORE 1: PC=0xfffffe002e414d9c, LR=0xfffffe002e414d98, FP=0xfffffe701a63b660
    """, "No message of the kernel's is in the report"
  ),
  // The program aborted, and the signal's handler only printed the stack.
  (
    """
    ==59680== ERROR: libFuzzer: deadly signal
        #0 0x109487315 in __sanitizer_print_stack_trace+0x35 (libclang_rt.asan_osx_dynamic.dylib:x86_64+0x4d315)
        #1 0x108d47613 in fuzzer::Fuzzer::CrashCallback() FuzzerLoop.cpp:232
        #2 0x7fff6af535fc in _sigtramp+0x1c (libsystem_platform.dylib:x86_64+0x35fc)
        #3 0x7ffee720f3ef  (<unknown module>)
        #4 0x7fff6ae29807 in abort+0x77 (libsystem_c.dylib:x86_64+0x7f807)
        #5 0x108cf1c4c in moon_rise+0x113c (moon:x86_64+0x100302c4c)
        #6 0x108cf09be in LLVMFuzzerTestOneInput+0x16e (moon:x86_64+0x1003019be)
    """, "The fuzz target crashed: libFuzzer's handler caught the signal"
  ),
  // Each line of launchd's is about one service.
  (
    """
    Jul  8 08:27:16 tide com.apple.xpc.launchd[1] (com.example.moon.12[1033]): Service exited with abnormal code: 74
    Jul  8 08:27:21 tide com.apple.xpc.launchd[1] (com.example.tide.0B[1016]): Service exited due to SIGKILL | sent by mds[114]
    """, "The service ended itself with code 74"
  ),
  (
    """
    Jul  8 08:27:16 tide com.apple.xpc.launchd[1] (com.example.moon.12[1033]): Service exited due to SIGSEGV
    Jul  8 08:27:21 tide com.apple.xpc.launchd[1] (com.example.tide.0B[1016]): Service exited due to SIGKILL | sent by mds[114]
    """, "SIGSEGV"
  ),
  // A sentence with an address in it is no frame.
  (
    """
    NSInternalInconsistencyException

    An instance 0x178201b40 of class Moon was deallocated while key value observers were still registered with it.
    """, "An observed object was freed with observers attached"
  ),
  // Sentry states below the signal's codes what it was raised for.
  (
    """
    OS Version: iOS 16.2 (20C65)
    Exception Type: EXC_BAD_ACCESS (SIGBUS)
    Exception Codes: BUS_NOOP at 0x000000016d3bc958
    Crashed Thread: 5

    Application Specific Information:
    KERN_PROTECTION_FAILURE at 0x16d3bc958.

    Thread 5 Crashed:
    0   Moon                            0x2034bd388         -[TDMoon rise] (TDMoon.m:132)
    """, "Forbidden access at 0x16d3bc958, where stacks lie: mostly a stack overflow"
  ),
  // The task's first function is no caller's innermost one.
  (
    """
    EXC_BREAKPOINT: SIGTRAP

    at swift::runJobInEstablishedExecutorContext (<unknown>)
    at closure in Moon.rise (Moon.swift:161)
    at Tide.pull (Tide.swift:12)
    """, "EXC_BREAKPOINT (SIGTRAP)"
  ),
  (
    """
    Heaviest stack for the main thread of the target process:
      48  start + 4 (libdyld.dylib + 94004) [0x18393df34]
      48  MoonMain (in Moon) (moon.mm:0) [0x1008f90b4]
      48  base::RunLoop::Run(base::Location const&) (in Moon) (run_loop.cc:135) [0x101f5242c]
    """, "Not a crash"
  ),
  (
    """
      Thread 0x1335f47    DispatchQueue "com.apple.main-thread"(1)    Thread name "main"    11 samples (1-11)    priority 47 (base 47)    last ran 1.337s ago
      11  -[Moon rise] + 784 (Moon + 109768) [0x1076a0cc8] 1-11
        11  -[Tide pull] + 1280 (Moon + 8266224) [0x10755d1f0] 1-11
    """, "Not a crash"
  ),
  (
    """
      Thread 0xc0015            DispatchQueue 1           18 samples (1-18)         priority 46 (base 46)     cpu time 0.004s
      18  -[Moon rise] + 784 (Moon + 109768) [0x1076a0cc8] 1-18
        18  -[Tide pull] + 1280 (Moon + 8266224) [0x10755d1f0] 1-18
    """, "Not a crash"
  ),
  (
    """
    fatal: morestack on g0
    SIGTRAP: trace trap
    PC=0x4054f62 m=4 sigcode=1
    signal arrived during cgo execution

    goroutine 5 [syscall, locked to thread]:
    runtime.cgocall(0x4290d30, 0xc42003f5c8, 0x0)
    	/usr/local/go/src/runtime/cgocall.go:128 +0x64 fp=0xc42003f598 sp=0xc42003f560 pc=0x40044b4
    """, "The Go runtime found its stack pointer outside a stack that can't grow"
  ),
  (
    "`panic(cpu 1 caller 0xffffff800cf8099f): userspace watchdog timeout: no successful checkins from remoted since wake\n"
      + "service: remoted, no successful checkins since wake (80 seconds ago)`",
    "Watchdog: remoted did not check in"
  ),
  (
    """
    name = NSInvalidArgumentException
    reason = *** -[__NSArrayM insertObject:atIndex:]: object cannot be nil
    0 CoreFoundation  ___exceptionPreprocess
    1 libobjc.A.dylib  _objc_exception_throw + 56
    3 Shop  -[Map show:] Map.mm:188
    """, "A nil object was put into an array"
  ),
  (
    """
    Exception type: NSRangeException
    Reason: *** -[__NSArrayM objectAtIndexedSubscript:]: index 1 beyond bounds [0 .. 0]
    Call stack:
    0   CoreFoundation       0x0000000184ca2da4 __exceptionPreprocess
    1   libobjc.A.dylib      0x0000000183e5c5ec objc_exception_throw
    2   Shop.dylib           0x000000010562b3e0 Shop.dylib + 46048
    """, "An array is read beyond its end"
  ),
  (
    """
    -[__NSFrozenDictionaryM bytes]: unrecognized selector sent to instance 0x1c4235200
    (
    \t0   CoreFoundation    0x0000000182162da4 <redacted> + 252
    \t1   libobjc.A.dylib   0x000000018131c5ec objc_exception_throw + 56
    \t2   CoreData          0x0000000184a41350 <redacted> + 2476
    """, "An unrecognized selector was sent to an object"
  ),
  (
    """
    Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '*** -[AVCaptureSession addInput:] \
    Multiple audio/video AVCaptureInputs are not currently supported'
    *** First throw call stack:
    (0x186de51b8 0x18581c55c 0x18e5c8c70)
    """, "A second camera or microphone is added to the session"
  ),
  (
    """
    # A fatal error has been detected by the Java Runtime Environment:
    #
    #  SIGSEGV (0xb) at pc=0x00007fff9c2dc4dd, pid=67337, tid=1295
    # Problematic frame:
    # C  [libshop.dylib+0x14dd]  shop_open+0x1d
    """, "Native code crashed inside the Java VM"
  ),
  (
    """
    Fatal Python error: Aborted

    Thread 0x000000016eb4f000 (most recent call first):
      File "/lib/python3.11/threading.py", line 331 in wait

    Current thread 0x000000020534cf40 (most recent call first):
      File "/shop/index.py", line 44 in search
    """, "Python stopped on a fatal error"
  ),
  (
    """
    -[MTLDebugDevice notifyExternalReferencesNonZeroOnDealloc:]:3190: failed assertion `The following Metal object is \
    being destroyed while still required to be alive by the command buffer 0x13dabcc00'
    """, "A Metal resource was freed while the GPU still used it"
  ),
  (
    """
    Fatal Exception: NSInternalInconsistencyException
    0  CoreFoundation                 0x9e38 __exceptionPreprocess
    1  libobjc.A.dylib                0x178d8 objc_exception_throw
    2  Foundation                     0x5458ec _userInfoForFileAndLine
    3  UIKitCore                      0x79eb78 -[_UIQueuingScrollView _didScrollWithAnimation:force:]
    4  Shop                           0x2a3558 Pages.turn() + 12 (Pages.swift:34)
    """, "A page controller's queue of pages broke"
  ),
  (
    """
    Fatal Exception: NSInvalidArgumentException
    0  CoreFoundation   0x83f20 __exceptionPreprocess
    1  libobjc.A.dylib  0x172b8 objc_exception_throw
    2  CoreFoundation   0x18d480 +[NSObject(NSObject) _copyDescription]
    3  CoreFoundation   0x20fb4 ___forwarding___
    4  CoreFoundation   0x208d0 _CF_forwarding_prep_0
    5  libswiftCore.dylib  0xabd5c Dictionary._Variant.setValue(_:forKey:)
    6  Shop             0xbd68 Store.add(id:) + 93 (Store.swift:93)
    """, "A Swift dictionary or set is used by two threads"
  ),
  (
    """
    NSInvalidArgumentException: -[UIView open]: unrecognized selector sent to instance 0x129230410

    0  CoreFoundation   ___exceptionPreprocess
    1  libobjc.A.dylib  _objc_exception_throw
    2  CoreFoundation   -[NSObject(NSObject) doesNotRecognizeSelector:]
    3  CoreFoundation   ____forwarding___
    4  Shop             -[Door swing:] (Door.m:575:18)
    """, "An unrecognized selector was sent to an object"
  ),
  (
    """
    * Terminating app due to uncaught exception ‘NSInternalInconsistencyException’, reason: ‘Modifications to the \
    layout engine must not be performed from a background thread after it has been accessed from the main thread.’
    """, "Views are changed from a background thread"
  ),
  (
    """
    Caught signal: SIGABRT
     0# printStack() in /Applications/Shop.app/Contents/MacOS/shop
     1# _sigtramp in /usr/lib/system/libsystem_platform.dylib
     2# abort in /usr/lib/system/libsystem_c.dylib
     3# objc_exception_throw in /usr/lib/libobjc.A.dylib
     4# -[__NSArrayM objectAtIndexedSubscript:] in /System/Library/Frameworks/CoreFoundation
     5# shop::List::show() in /Applications/Shop.app/Contents/MacOS/shop
    """, "An array is read beyond its end"
  ),
  (
    "Thread 1: Swift runtime failure: arithmetic overflow\n",
    "Swift runtime failure: arithmetic overflow"
  ),
  (
    "objc_exception_throw → -[__NSArrayM objectAtIndex:] → -[List show]\n",
    "An array is read beyond its end"
  ),
  (
    "Fatal Exception: NSInternalInconsistencyException\nInvalid parameter not satisfying: [views count] == 3\n",
    "A page controller's queue of pages broke"
  ),
  (
    """
    0  libdispatch.dylib   0x10 _dispatch_client_callout + 40
    1  libdispatch.dylib   0x20 _dispatch_block_invoke_direct + 284
    2  FrontBoardServices  0x30 __FBSSERIALQUEUE_IS_CALLING_OUT_TO_A_BLOCK__ + 52
    Fatal error: Index out of range
    """, "Index out of range"
  ),
  (
    """
    EXC_BAD_ACCESS: Attempted to dereference garbage pointer at 0x8.
      File "Cart.swift", line 87, in Cart.total.getter
      File "<compiler-generated>", in @callee_guaranteed
    """, "Null pointer dereference at 0x8"
  ),
  (
    """
    thread 'main' panicked at 'assertion failed: !self.active', src/command.rs:60:9
    2018-09-20 15:16:22.682 shop[18872:61323514] -[Lens open]: unrecognized selector sent to instance 0x7faa10c5c4b0
    """, "Rust code panicked"
  ),
  (
    """
    # Platform: apple
    # Date: Mon May 19 2025 22:55:08 GMT+0300 (GMT+03:00)
    com.apple.main-thread
    0  Shop   0x2f5d8cc closure #1 in Cart.remove(_:) + 977 (Cart.swift:977)
    1  Shop   0x2f5d82c Cart.load() + 166 (Cart.swift:166)
    """, "Stopped in Swift code: most likely a runtime check"
  ),
  (
    """
    Exception Type:  SIGSEGV
    Exception Codes: SEGV_ACCERR at 0x10
    Crashed Thread:  5

    Thread 5 Crashed:
    0   UIKit   0x0000000187f2cf70 +[UIViewAnimationState popAnimationState] + 252
    1   UIKit   0x00000001883ae0c8 -[UIButton layoutSubviews] + 968
    2   Shop    0x00000001002ccb78 -[CartButton layoutSubviews] (CartButton.m:110)
    """, "A view is used off the main thread"
  ),
  (
    "[Cart release]: message sent to deallocated instance 0x600000c83160\n",
    "Message to a freed object"
  ),
  (
    """
    Process: Shop
    Exception type: EXC_BAD_ACCESS (SIGSEGV)
    Exception subtype: KERN_INVALID_ADDRESS: 0x10
    Triggered by thread: 0
    Thread name: Dispatch queue: com.apple.main-thread
    Call stack:
    0   libobjc.A.dylib  0x000000018a6abb30 0x18a6aa000 + 6960  // objc_msgSend
    1   Shop             0x0000000104a0c900 0x104a00000 + 51456  // -[Cart total]
    """, "Message to a freed object"
  ),
  (
    """
    (lldb) bt
    * thread #18, queue = 'Shop::Render', stop reason = EXC_BAD_ACCESS (code=1, address=0x40449fa000000008)
      * frame #0: 0x0000000100261880 Shop`ShopBrush::shade(void*, double const*, double*) + 240
        frame #1: 0x00007ff8207f12ff CoreGraphics`CGFunctionEvaluate + 243
    """, "Bad pointer 0x40449fa000000008"
  ),
  (
    """
    `Crashlytics 4d6edf4f`, 3.6.0, crashed thread `com.apple.metrickit.manager.queue`, `EXC_BREAKPOINT`:

    0  _dispatch_assert_queue_fail
    2  dispatch_assert_queue$V2
    4  _swift_task_checkIsolatedSwift
    5  swift_task_isCurrentExecutorWithFlagsImpl(...)
    6  @objc Monitor.didReceive(_:)
    """, "Actor-isolated code ran on another queue"
  ),
  (
    """
    Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
    0  com.apple.AppKit  0x00007fff314c6828 -[NSApplication _crashOnException:] + 109
    1  com.apple.AppKit  0x00007fff31a7b46c __65+[CATransaction(NSCATransaction) NS_setFlushesWithDisplayRefresh]_block_invoke + 849
    """, "Uncaught exception in AppKit's event handling"
  ),
  // A narrow field wraps messages.
  (
    """
    -[AGXG14XFamilyCommandBuffer
    renderCommandEncoderWithDescriptor:]:1015: failed assertion `A command encoder is already
    encoding to this command buffer'
    """, "Two encoders are open on one Metal command buffer"
  ),
  // The debugger's frame of a call through null has no function.
  (
    """
    * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)
      * frame #0: 0x0000000000000000
        frame #1: 0x0000000104a1c0a0 Shop`Cart.load(self=0x0000000281b0c0c0) at Cart.swift:31:7
        frame #2: 0x00000001a8d2c0f0 UIKitCore`-[UIApplication sendAction:to:from:forEvent:] + 96
    """, "Call of a null function pointer"
  ),
  // Libraries insert their own class before the app's.
  (
    """
    *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[GUL_Shop.AppDelegate-7BB01BA2-8A4B-4C6E-9D55-2B0D2A1C1E10 window]: unrecognized selector sent to instance 0x2810b0a80'
    """, "A delegate was asked for a window property that it doesn't have"
  ),
  // Copied without the breaks between frames.
  (
    """
    EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x00000000deadbeef
    0 libobjc.A.dylib objc_release 1 Foundation -[_NSThreadPerformInfo dealloc] 2 Foundation __NSThreadPerformPerform 3 CoreFoundation __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__
    """, "Message to a freed object, in objc_release"
  ),
  (
    """
    ShopCore/resource_bundle_accessor.swift:12: Fatal error: could not load resource bundle: 
    from /Applications/Shop.app/Shop_ShopCore.bundle 
    or /Users/a/.build/release/Shop_ShopCore.bundle
    """, "A Swift package's resource bundle is missing"
  ),
  (
    """
    Object 0x7f5ed8607740 deallocated with retain count 2, reference may have escaped from deinit.
    """, "An object was kept beyond its own deinit"
  ),
  // A list that begins with the assertion, without the function that threw.
  (
    """
    Foundation    -[NSAssertionHandler handleFailureInMethod:object:file:lineNumber:description:]
    UIKitCore    -[UITableView _endCellAnimationsWithContext:]
    Shop    -[CartController remove:]
    """, "A table update does not fit its data source"
  ),
  // In Core Foundation, the part that throws is outlined.
  (
    """
    Fatal Exception: NSInvalidArgumentException
    0  CoreFoundation                 0x9e4c4 __exceptionPreprocess
    1  libobjc.A.dylib                0x17d80 objc_exception_throw
    2  CoreFoundation                 0x1aff84 -[__NSCFString characterAtIndex:].cold.1
    3  CoreFoundation                 0x1bbd3c -[__NSPlaceholderDictionary initWithCapacity:].cold.1
    4  CoreFoundation                 0x11474 -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]
    5  ShopKit                        0xa06c (Missing UUID 5ab1c8b6d6e9353fbb5d6a3a8c6f2f04)
    """, "A nil key or value put into a dictionary"
  ),
  (
    """
    *** Terminating app due to uncaught exception 'NSInternalInconsistencyException',
    reason: 'Invalid update: invalid number of rows in section 0. The number of rows contained
    in an existing section after the update (3) must be equal to the number before the update (3), plus or minus (1 inserted, 0 deleted).'
    """, "The table's rows and its data source disagree"
  ),
  // The debugger's long names of the same check.
  (
    """
    Crash with SIGABRT on Faulting queue: `com.example.work`
    Fatal error: Index out of range
    frame #0: libswiftCore.dylib`closure #1 (Swift.UnsafeBufferPointer<Swift.UInt8>) -> () in Swift._assertionFailure + 104
    frame #1: Shop`Cart.load() + 12
    """, "Index out of range: outside an array or another collection"
  ),
  // Xcode's list, with the long names of the runtime's functions.
  (
    """
    Thread 1 Queue : com.apple.main-thread (serial)
    #0\t0x0000000194dd557c in _swift_runtime_on_report ()
    #1\t0x0000000194e8a41c in _swift_stdlib_reportFatalErrorInFile ()
    #2\t0x0000000194af5b70 in closure #1 (Swift.UnsafeBufferPointer<Swift.UInt8>) -> () in Swift._assertionFailure(_: Swift.StaticString, line: Swift.UInt) -> Swift.Never ()
    #3\t0x0000000194af5440 in Swift._assertionFailure(_: Swift.StaticString, line: Swift.UInt) -> Swift.Never ()
    #4\t0x0000000103dc36c0 in static Cart.current() at /Users/a/Shop/Cart.swift:51
    """, "Swift assertion or fatal error"
  ),
  (
    """
    _dispatch_assert_queue_fail
    dispatch_assert_queue
    swift_task_isCurrentExecutorWithFlagsImpl
    closure #1 in <main.swift top level>
    """, "Actor-isolated code ran on another queue"
  ),
  (
    """
    *** Terminating app due to uncaught exception 'BoatError', reason: 'Can't sail
    'north' without wind'
    *** First throw call stack:
    (
    \t0   CoreFoundation   0x00000001804b757c __exceptionPreprocess + 172
    \t1   libobjc.A.dylib  0x000000018008eda8 objc_exception_throw + 72
    \t2   Harbour          0x00000001039858a8 -[Boat sail] + 88
    )
    """, "Uncaught exception BoatError: Can't sail"
  ),
  (
    """
    reason: 'no tide at this hour'
    *** First throw call stack:
    (
    \t0   CoreFoundation   0x00000001804b757c __exceptionPreprocess + 172
    \t1   libobjc.A.dylib  0x000000018008eda8 objc_exception_throw + 72
    \t2   Harbour          0x00000001039858a8 -[Boat sail] + 88
    )
    """, "Uncaught Objective-C exception: no tide at this hour"
  ),
  (
    """
    10:00:00.1 Harbour[12:34] *** Assertion failure in -[BoatView _validate:], UICollectionView.m:10861
    ObjCRuntime.ObjCException: Objective-C exception thrown.  Name: NSInternalInconsistencyException Reason: attempt to delete item 0 from section 0 which only contains 0 items before the update
    Native stack trace:
    \t0   CoreFoundation   0x00000001804b910c __exceptionPreprocess + 172
    \t1   libobjc.A.dylib  0x0000000180092da8 objc_exception_throw + 72
    \t2   UIKitCore        0x000000018524532c -[UICollectionView deleteItemsAtIndexPaths:] + 48
    """, "A list update names an item or section that is not there"
  ),
  (
    "`Fatal Exception: NSInternalInconsistencyException UICollectionViewLayoutAttributes: -setFrame: requires finite dimensions. new frame: {{0, 0}, {inf, 40}}`",
    "A collection view layout computed an infinite or undefined size"
  ),
  (
    """
    libc++abi: terminating due to uncaught exception of type std::runtime_error:
    [METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)
    """, "The GPU had no memory for a command buffer"
  ),
  (
    """
    libc++abi: terminating due to uncaught exception of type
      std::__1::system_error: mutex lock failed: Invalid argument
    """, "A std::mutex was locked that doesn't exist, or no longer"
  ),
  (
    "EXC_BAD_ACCESS\nLevel: Fatal\nresignFirstResponder > Attempted to dereference null pointer.",
    "Null pointer dereference"
  ),
  (
    """
    Application Specific Information:
    Attempted to dereference garbage pointer 0x5d836c6a0.

    Thread 3 Crashed:
    0   libobjc.A.dylib   0x335914ed0   objc_retain
    1   Harbour           0x10428d398   -[Boat sail]
    """, "Message to a freed object, in objc_retain"
  ),
  (
    """
    archbot crashed: EXC_CRASH (SIGABRT)
    Thread 0 Crashed:
    12  harbour  tokio::runtime::scheduler::Handle::current + 72   ← PANIC HERE
    13  harbour  Boats::list_all + 32
    Application Specific Information: abort() called
    """, "Tokio was used outside a runtime, or in one without its drivers"
  ),
  (
    """
    *** Terminating app due to uncaught
        exception 'NSInvalidArgumentException', reason: "'https' is a URL
        scheme that WKWebView handles natively"
    *** First throw call stack:
    """, "A URL scheme can't get a handler"
  ),
  (
    """
    *** Terminating app due to uncaught exception 'RLMException', reason: 'Realm accessed from incorrect thread.'**
    ***** First throw call stack:**
    **(**
    ** 0   CoreFoundation   0x000000011479f34b __exceptionPreprocess + 171**
    ** 1   libobjc.A.dylib  0x00000001164a321e objc_exception_throw + 48**
    ** 2   Harbour          0x000000010dd4c2b5 -[RLMRealm beginWriteTransaction] + 77**
    """, "A Realm or its object was used on another thread"
  ),
  (
    """
    *** multi-threaded process forked ***
    crashed on child side of fork pre-exec

    Thread 0 Crashed:
    0  libsystem_trace.dylib  _os_log_preferences_refresh + 56
    1  Network  nw_settings_child_has_forked() + 296
    2  libsystem_c.dylib  fork + 112
    """, "Crash between fork and exec"
  ),
  (
    """
    EXC_CRASH (SIGABRT) / abort() called
    RB::precondition_failure(char const*, ...) ← RB::(anonymous namespace)::load_library(NSBundle*, MTLDevice) ← RB::Device::Device()
    """, "SwiftUI's renderer could not load its Metal library"
  ),
  (
    "#1416 NSInternalInconsistencyException\nImpossible to set up layout with view hierarchy unprepared for constraint.",
    "A constraint was added to a view that doesn't hold both of its views"
  ),
  (
    """
    Application Specific Information: stack buffer overflow
    Exception Type: EXC_CRASH (SIGABRT)
    Top app frames: draw_cycle -> shared_draw -> -[BoatRenderer drawInMTKView:]
    """, "A buffer on the stack was overrun"
  ),
  // The reason names the method that raised it; the stack has only numbers.
  (
    """
    *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '*** -[AVAssetExportSession exportAsynchronouslyWithCompletionHandler:] Cannot call it more than once.'
    *** First throw call stack:
    (0x1892b4e04 0x1892b4ea0 0x104c1c2a0)
    """, "export"
  ),
  (
    """
    Crashed: com.example.signals
    EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000000
    0  ???   0x0 (Missing)
    1  Shop  0x3b1c44 static Signals.send() + 44
    2  Shop  0x61104 closure #1 in Signals.start() + 288
    """, "Call of a null function pointer"
  ),
  (
    """
    Thread 3 Crashed:
    0   libsystem_malloc.dylib  0x1920e309c _xzm_xzone_malloc_freelist_outlined + 864
    1   libswiftCore.dylib      0x184030360 swift::swift_slowAllocTyped(unsigned long, unsigned long, unsigned long long) + 56
    2   libswiftCore.dylib      0x184030754 swift_allocObject + 136
    3   Shop                    0x102a1c0f4 Catalog.request(_:) + 220
    """, "Heap corruption: malloc's list of free blocks was overwritten"
  ),
  // An array of frames as the debugger prints it.
  (
    """
    <_NSCallStackArray 0x600001b34810>(
    0   CoreFoundation   0x00007fff2fd2c37d __exceptionPreprocess + 226,
    1   libobjc.A.dylib  0x00007fff5219bb7c objc_exception_throw + 48,
    2   CoreFoundation   0x00007fff22e96eca -[__NSArrayM objectAtIndex:] + 213,
    3   Shop             0x0000000114bd4db5 -[Cart total] + 47
    )
    """, "read beyond its end"
  ),
  // The function in which the stack ended is no evidence.
  (
    """
    Exception Type:    EXC_BAD_ACCESS (SIGBUS)
    Exception Subtype: KERN_PROTECTION_FAILURE at 0x000000016b4c3ff0

    0  libswiftCore.dylib  Hasher.init(_seed:)
    1  SwiftUICore         GlassEntryView.body.getter
    2  AttributeGraph      AG::Graph::UpdateStack::update()
    """, "mostly a stack overflow"
  ),
  (
    """
    Last Exception Backtrace:
    0  CoreFoundation   0x1000 __exceptionPreprocess + 164
    1  libobjc.A.dylib  0x2000 objc_exception_throw + 88
    2  Foundation       0x3000 -[NSRegularExpression(NSMatching) numberOfMatchesInString:options:range:] + 88
    3  Shop             0x4000 Highlighter.count(_:) + 12
    """, "string"
  ),
]

/// Texts that resemble those of a rule, but have another meaning.
private let nearMisses: [(text: String, rule: String)] = [
  // A check of the system's own, whose place nobody can read.
  (
    """
    2026-01-05 10:00:00.000 Moon[12:34] *** Assertion failure in -[UITideView _endTides], UITideView.m:31
    2026-01-05 10:00:00.001 Moon[12:34] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'The tide is too high'
    *** First throw call stack:
    (0x1a1e84964 0x19ed61814 0x1a1f00000)
    """, "objc-assertion"
  ),
  // The function that the title of an issue names needn't be the innermost one.
  (
    """
    EXC_BREAKPOINT
    "title": "[Moon] Tide.swift - Tide.rise(by:)",
    """, "trap-in-swift"
  ),
  // A profiler's signal, not one that the program sent itself.
  (
    """
    Exception Type: EXC_BAD_ACCESS (SIGSEGV)
    Exception Subtype: KERN_INVALID_ADDRESS at 0x31
    Thread 0 Crashed:
    0  Shop  0x1000 sample_handler + 22
    1  libsystem_platform.dylib  0x2000 _sigtramp + 52
    2  Shop  0x3000 Cart::load() + 208
    """, "fault-after-abort"
  ),
  // Chromium's own fault isn't a check.
  (
    """
    Exception Type: EXC_BAD_ACCESS (SIGSEGV)
    Exception Subtype: KERN_INVALID_ADDRESS at 0x31
    Thread 0 Crashed:
    0  Electron Framework  0x1000 ElectronMain + 2222
    1  Electron Framework  0x2000 ElectronMain + 84
    """, "chromium-check-nameless"
  ),
  // An exception itself states how the program ended.
  (
    """
    Fatal Exception: NSRangeException
    0  Shop  0x2f5d8cc Cart.remove(_:) + 977 (Cart.swift:977)
    """, "swift-frame-only"
  ),
  // dyld binds lazily in every program; here the function it bound ran, and failed.
  (
    """
    0  libsystem_c.dylib  0x1000 abort + 127
    1  Shop  0x2000 Cart::load() + 208
    2  libdyld.dylib  0x3000 _dyld_fast_stub_entry(void*, long) + 65
    """, "dyld-lazy-symbol"
  ),
  // An app's own words, which are those of an API by chance.
  ("Moon/Jobs.swift:20: Fatal error: task still running", "Swift fatal error: task still running"),
  (
    """
    *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: 'Invalid output file type'
    *** First throw call stack:
    0   CoreFoundation   0x00000001a1a4f0b8 __exceptionPreprocess + 164
    1   libobjc.A.dylib  0x00000001a2a4f0b8 objc_exception_throw + 60
    2   CoreFoundation   0x00000001a3a4f0b8 +[NSException raise:format:] + 172
    3   Moon             0x0000000100a4f0b8 -[TideWriter setFileType:] + 180
    """, "Uncaught exception NSInvalidArgumentException: Invalid output file type"
  ),
  // What is only logged stopped nothing.
  (
    """
    Process:             Moon [123]
    Exception Type:      EXC_CRASH (SIGABRT)
    Application Specific Information:
    Can't end BackgroundTask: no background task exists with identifier 1
    abort() called

    Thread 0 Crashed:
    0   libsystem_kernel.dylib  0x18dc5ea60 __pthread_kill + 8
    1   libsystem_c.dylib       0x18dba3a30 abort + 180
    2   Moon                    0x104dea000 checkTide + 40
    """, "The program called abort()"
  ),
]

@Suite("Pasted text")
struct PastedVerdictTests {
  private func diagnosis(_ text: String) throws -> Diagnosis {
    let report = try CrashReport(parsing: Array(text.utf8))
    let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
    return KnowledgeBase(language: .english).diagnose(symbolicated)
  }

  @Test("leads to the expected cause", arguments: pasted.indices)
  func verdict(_ index: Int) throws {
    let title = try diagnosis(pasted[index].text).explanation.title
    #expect(title.contains(pasted[index].title))
  }

  @Test("names the app's method as the place of an exception, and the system's as what raised it")
  func placeOfException() throws {
    let reason =
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'Cannot remove an observer <Cart 0x1a0> "
      + "for the key path \"total\" from <Till 0x2b0> because it is not registered as an observer.'\n\n"
    let frames = "-[Cart dealloc] + 70 at Cart.m:54\n-[UIViewController dealloc]\n_CFAutoreleasePoolPop"
    let own = try diagnosis(reason + frames)
    #expect(own.blamedName == "-[Cart dealloc]" && own.raisedBy == nil)
    let system = try diagnosis(
      """
      Application Specific Information:
      \(reason)Thread 0 Crashed:
      0   CoreFoundation  0x328a19a48  __exceptionPreprocess
      1   libobjc.A.dylib  0x31e252fa0  objc_exception_throw
      2   Foundation  0x34786c650  -[NSObject(NSKeyValueObserverRegistration) removeObserver:forKeyPath:]
      """)
    #expect(system.blamed == nil && system.explanation.text.contains("removeObserver:forKeyPath:] raised it"))
  }

  @Test("names the app's own function in the advice, or only its code where no frame is the app's")
  func ownFrame() throws {
    let reason =
      "*** -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]: attempt to insert nil object from objects[1]"
    let lead =
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '\(reason)'\n\n"
    let system = "0   CoreFoundation  0x328a19a48  __exceptionPreprocess + 4\n"
    let own = try diagnosis(lead + system + "1   Moon  0x1003  Tide.rise(over:) + 40\n")
    #expect(own.explanation.advice.contains { $0.contains("Tide.rise(over:)") })
    let none = try diagnosis(lead + system + "1   UIKitCore  0x1a3003  -[UIView setNeedsLayout] + 40\n")
    #expect(none.explanation.advice.contains { $0.contains("your code") })
    #expect(!none.explanation.advice.contains { $0.contains("frame") })
  }

  @Test("takes the address from the excerpt of the memory map where nothing else states it")
  func regionAddress() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      VM Region Info: 0x18 is not in any region.  Bytes before following region: 4340039672

      Thread 0 Crashed:
      0   Moon   0x0000000104b8d038 Tide.rise() + 164
      """)
    #expect(found.explanation.title == "Null pointer dereference at 0x18")
  }

  @Test(
    "passes over the C library's streams, Node's wrappers and Apple's plug-ins, whose images may be the program's"
  )
  func wrappers() throws {
    let stream = try diagnosis(
      """
      Thread 4 Crashed:
      0  flockfile + 28
      1  fseek + 76
      2  tide::File::resize(unsigned long) + 320
      3  tide::Server::setSize(int) + 12
      """)
    #expect(stream.blamedName == "tide::File::resize(unsigned long)")
    let addOn = try diagnosis(
      """
      Thread 0 Crashed:: CrBrowserMain Dispatch queue: com.apple.main-thread
      4   Electron Framework   0x121c673bd napi_fatal_error + 237
      5   tide.node            0x178e2963a Napi::Error::Fatal(char const*, char const*) + 26
      6   tide.node            0x178e2b38c bool Napi::Object::Set<Napi::Number>(Napi::Value, Napi::Number const&) const + 60
      7   tide.node            0x178e45fee tide::Statement::AfterRun(napi_env__*, napi_status, void*) + 206
      """)
    #expect(addOn.blamedName == "tide::Statement::AfterRun(napi_env__*, napi_status, void*)")
    let stop = try diagnosis(
      """
      Thread 0 Crashed:: CrBrowserMain Dispatch queue: com.apple.main-thread
      0   libsystem_kernel.dylib   0x00007ff8a4a0ea84 __pthread_kill + 10
      1   libsystem_c.dylib        0x00007ff8a4a0fb84 abort + 126
      2   Electron Framework       0x0000000121c673bd napi_fatal_error + 147
      3   tide.node                0x0000000178e2963a Napi::Error::Fatal(char const*, char const*) + 26
      """)
    #expect(stop.blamedName == nil)
    let plugIn = try diagnosis(
      """
      Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
      Exception Codes:       KERN_INVALID_ADDRESS at 0x00007fccd6362008

      Thread 58 Crashed::  Dispatch queue: com.apple.root.default-qos
      0   CMIOBaseUnits        0x135078d63 0x135046000 + 208227
      1   CMIOBaseUnits        0x1350f5d5d 0x135046000 + 720221
      2   tide-virtualcam      0x14c17a97e -[TideStream fillFrame] + 526
      """)
    #expect(plugIn.blamedName == "-[TideStream fillFrame]")
  }

  @Test("blames a plain method whose line is the compiler's, but not a function that it has made itself")
  func generatedPlace() throws {
    let text = { (name: String) in
      """
      Fatal Exception: NSInvalidArgumentException
      0  CoreFoundation  0x1a2b30 __exceptionPreprocess
      1  libobjc.A.dylib  0x1a2c31 objc_exception_throw
      2  Moon  0x1a2d32 \(name) + 4 (<compiler-generated>)
      3  Moon  0x1a2e33 Harbour.open() + 20 (Harbour.swift:20)
      """
    }
    #expect(try diagnosis(text("Tide.rise(over:)")).blamedName == "Tide.rise(over:)")
    #expect(try diagnosis(text("Tide.encode(to:)")).blamedName == "Harbour.open()")
  }

  @Test(
    "takes the line of a check that failed from its own frame where the function has been put into a witness")
  func checkedLine() throws {
    let found = try diagnosis(
      """
      Crashed: com.tide.queue
      EXC_BREAKPOINT 0x0000000100a3b2c4
      0  Moon  0x1a3b2c4 Swift runtime failure: arithmetic overflow + 24 (TideReader.swift:24)
      1  Moon  0x1a3b2c4 protocol witness for Reading.read() in conformance Tide + 12 (<compiler-generated>)
      2  Moon  0x1a3c2c4 Sampler.takeSample() + 86 (Sampler.swift:86)
      """)
    #expect(found.blamed?.frame == 1)
    #expect(found.blamedLocation?.fileName == "TideReader.swift" && found.blamedLocation?.line == 24)
  }

  @Test("doesn't call the system's class an SDK's for its prefix")
  func systemClass() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_CRASH (SIGABRT)
      Thread 0 Crashed:
      0  CoreFoundation   0x1a2b30 __exceptionPreprocess + 164
      1  libobjc.A.dylib  0x1a2c31 objc_exception_throw + 60
      2  DataDetectorsUI  0x1a2d32 -[DDContextMenuAction initWithItem:] + 100
      3  UIKitCore        0x1a2e33 -[UIView addInteraction:] + 100
      """)
    #expect(!found.explanation.findings.contains { $0.text.contains("SDK") })
  }

  @Test("names no entry point as the caller of what waits in a turn of the run loop")
  func callerInTurn() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_CRASH (SIGKILL)
      Termination Reason: FRONTBOARD 2343432205

      Thread 0 Crashed:
      0   libsystem_kernel.dylib  0x1c1e84964 swtch_pri + 8
      1   JavaScriptCore          0x1b1e84964 JSC::JSLock::grabAllLocks(JSC::JSLock::DropAllLocks*, unsigned int) + 164
      2   CoreFoundation          0x1a1e84964 __CFRunLoopRun + 164
      3   CoreFoundation          0x1a1e84a64 CFRunLoopRunSpecific + 164
      4   UIKitCore               0x1a2e84a64 UIApplicationMain + 164
      5   Moon                    0x104e84a64 main + 64
      """)
    let waits = found.explanation.findings.filter { $0.rule == "main-thread-waits" }
    #expect(waits.count == 1 && !waits[0].text.contains("main."))
  }

  @Test("blames no preprocessor of exceptions, which runs before the throw")
  func preprocessor() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_CRASH (SIGABRT)

      Last Exception Backtrace:
      0   CoreFoundation   0x1a1e84964 __exceptionPreprocess + 164
      1   Moon             0x100100000 tide::ObjcExceptionPreprocessor(objc_object*) + 400
      2   libobjc.A.dylib  0x19ed61814 objc_exception_throw + 88
      3   CoreFoundation   0x1a1f00000 -[__NSArrayM insertObject:atIndex:] + 1200
      4   Moon             0x100200400 -[TDTide rise] + 60
      """)
    #expect(found.blamedName == "-[TDTide rise]")
    #expect(found.contract == "array-insert")
  }

  @Test("takes the place from the title of Crashlytics' issue, which a list replaces")
  func issueTitle() throws {
    let title = """
      EXC_BREAKPOINT
      "title": "[Moon] Tide.swift - Tide.rise(by:)",

      """
    #expect(try diagnosis(title).blamedName == "Tide.rise(by:)")
    let list = """
      0  libswiftCore.dylib  0x1a2b30 _assertionFailure(_:_:file:line:flags:) + 24
      1  Moon  0x1a2d32 Harbour.open() + 20 (Harbour.swift:20)
      """
    #expect(try diagnosis(title + list).blamedName == "Harbour.open()")
  }

  @Test("doesn't lead to a cause with similar text", arguments: nearMisses.indices)
  func nearMiss(_ index: Int) throws {
    #expect(try diagnosis(nearMisses[index].text).explanation.rule != nearMisses[index].rule)
  }
}
