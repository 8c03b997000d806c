import CrashReadCore
import CrashReadReports
import Testing

/// A text as people paste it, and the expected statements.
struct Paste: Sendable, CustomTestStringConvertible {
  var name: String
  var text: String
  var exception: String?
  var reason: String?
  var type: String?
  var signal: String?
  var subtype: String?
  var codes: [UInt64] = []
  /// Lines of "Application Specific Information".
  var says: [String] = []
  var linker: [String] = []
  /// `image|symbol|file:line` of the frames of the exception's backtrace, else of the crashed thread.
  var frames: [String] = []
  var queue: String?
  var testDescription: String { name }
}

private let pastes = [
  Paste(
    name: "A table of a report's fields above a list",
    text: """
      | Field | Value |
      |-------|-------|
      | Exception Type | `EXC_BAD_ACCESS (SIGSEGV)` |
      | **Exception Subtype** | `KERN_INVALID_ADDRESS at 0x0000145a342d9fe8` |
      | Termination | `Namespace SIGNAL, Code 11, Segmentation fault: 11` |
      | VM region | `0x145a342d9fe8 is not in any region` (unmapped memory) |

      0   libobjc.A.dylib        objc_release + 16
      1   Moon                   Tide::rise(int) + 32
      """,
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV", subtype: "KERN_INVALID_ADDRESS at 0x0000145a342d9fe8",
    frames: ["libobjc.A.dylib|objc_release|", "Moon|Tide::rise(int)|"]),
  Paste(
    name: "Columns below the written-out name of the number",
    text: """
      EXC_BAD_ACCESS (SIGSEGV)
      Frame 0  libtide.6.dylib  Tide::Wave::cppPointer()   ← CRASH HERE
      Frame 2  libtide.6.dylib  Tide_GetAttr
      Frame 10 QtCore           QCoreApplicationPrivate::sendPostedEvents()   ← entry point
      """,
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV",
    frames: [
      "libtide.6.dylib|Tide::Wave::cppPointer()|", "libtide.6.dylib|Tide_GetAttr|",
      "QtCore|QCoreApplicationPrivate::sendPostedEvents()|",
    ]),
  Paste(
    name: "A handler that prints the images of `dladdr`",
    text: """
      [Crash Handler] Crashed 1 time(s) with signal 11
      #0  0x0000000104886bcb in Trace::print(std::ostream&) at /Applications/High Tide.app/Contents/MacOS/tide
      #1  0x00000001047353bb in crashHandler at /Applications/High Tide.app/Contents/MacOS/tide
      #2  0x0000000189893743 in _sigtramp at /usr/lib/system/libsystem_platform.dylib
      #3  0x0000000104ef42ef in moon_rise at /Applications/High Tide.app/Contents/Frameworks/libmoon.3.dylib
      #4  0x0000000104735111 in Tide::run() at /src/tide.cpp:12
      #5  0x0000000104735222 in tide::Basin::Basin() at /usr/bin/../include/c++/v1
      """,
    type: "SIGSEGV",
    frames: [
      "libmoon.3.dylib|moon_rise|", "|Tide::run()|/src/tide.cpp:12",
      "|tide::Basin::Basin()|",
    ]),
  Paste(
    name: "The crashed thread on one line",
    text: #"""
      Thread 2 Crashed:: Dispatch queue: TideQueue :: NSOperation 0x7cab7510 (QOS: USER_INITIATED) 0 com.apple.CoreFoundation 0x917b45f7 \_\_raiseError + 7 1 libobjc.A.dylib 0x95c7aa2a objc_exception_throw + 276 2 com.apple.CoreFoundation 0x917b3b7d +[NSException raise:format:] + 141 3 com.example.Moon 0x9b8761e2 MoonRaise + 67
      """#,
    frames: [
      "com.apple.CoreFoundation|__raiseError|", "libobjc.A.dylib|objc_exception_throw|",
      "com.apple.CoreFoundation|+[NSException raise:format:]|", "com.example.Moon|MoonRaise|",
    ]),
  Paste(
    name: "Names below prose that mentions the exception and announces them",
    text: """
      Observed result:

      * Command exits with code `134`
      * Crash report shows `EXC_CRASH (SIGABRT)` / `Abort trap: 6`
      * Faulting main-thread frames include:

      ```text
      abort
      ___MoonRise_block_invoke
      _dispatch_once_callout
      _MoonRise
      ```
      """,
    type: "EXC_CRASH",
    frames: ["|abort|", "|___MoonRise_block_invoke|", "|_dispatch_once_callout|", "|_MoonRise|"]),
  Paste(
    name: "Names and places in columns",
    text: """
      Thread 11 Crashed:: QThread
      0  Tide::iterator::isUnused() const  (tide.h:791)
      1  Tide::begin() const               (tide.h:631)
      2  Moon::scanWorker()                (Moon.cpp:649)
      """,
    frames: [
      "|Tide::iterator::isUnused() const|tide.h:791", "|Tide::begin() const|tide.h:631",
      "|Moon::scanWorker()|Moon.cpp:649",
    ]),
  Paste(
    name: "Keys with colons of full width",
    text: """
      Exception Type：  EXC_BAD_ACCESS (SIGSEGV)
      Crashed：com.apple.main-thread
      0   Moon                           0x46020 Tide.rise() + 52
      1   libdispatch.dylib              0x213c _dispatch_call_block_and_release + 32
      """,
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV",
    frames: ["Moon|Tide.rise()|", "libdispatch.dylib|_dispatch_call_block_and_release|"],
    queue: "com.apple.main-thread"),
  Paste(
    name: "RTF's line breaks",
    text: #"""
      Crashed Thread:        0  Dispatch queue: com.apple.main-thread\
      \
      Exception Type:        EXC_CRASH (SIGABRT)\
      \
      Application Specific Information:\
      abort() called\
      \
      Thread 0 Crashed:: Dispatch queue: com.apple.main-thread\
      0   libsystem_kernel.dylib        0x00007fff2071692e __pthread_kill + 10\
      1   Moon                          0x0000000100001000 rise() + 26\
      """#,
    type: "EXC_CRASH", signal: "SIGABRT", says: ["abort() called"],
    frames: ["libsystem_kernel.dylib|__pthread_kill|", "Moon|rise()|"]),
  Paste(
    name: "Frames of Node without a name",
    text: """
      FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal.
       1: 0x100bc9ae7 node::Abort() (.cold.1) [/usr/local/bin/node]
       2: 0x1068135b5  [/opt/moon/build/Release/tide.node]
       3: 0x10680eafa  [/opt/moon/build/Release/tide.node]
      """,
    says: ["FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal."],
    frames: ["node|node::Abort() (.cold.1)|", "tide.node||", "tide.node||"]),
  Paste(
    name: "Rows with the image and its offset first",
    text: """
      (libobjc.A.dylib + 0x00008558 ) objc_exception_throw
      (Foundation + 0x0012f090 ) -[Tide rise:]
      (libdispatch.dylib + 0x000011fc ) _dispatch_call_block_and_release
      """,
    frames: [
      "libobjc.A.dylib|objc_exception_throw|", "Foundation|-[Tide rise:]|",
      "libdispatch.dylib|_dispatch_call_block_and_release|",
    ]),
  Paste(
    name: "A list that begins inside a string",
    text: """
      {"_error":"0   libswiftCore.dylib                  0x0000000087abb330 swift_getObjectType + 40
      1   moon_plugin                         0x0000000002832ba4 Tide.register(with:) + 116
      2   Moon                                0x0000000000ce80b8 -[Shore load:] + 184
      """,
    frames: [
      "libswiftCore.dylib|swift_getObjectType|", "moon_plugin|Tide.register(with:)|", "Moon|-[Shore load:]|",
    ]),
  Paste(
    name: "A chain in prose that ends in a signal",
    text: """
      Reading a deleted model calls `Tide_rise()` → `_assertionFailure` → SIGTRAP. Found in build 12 (App Store).
      """,
    frames: ["|_assertionFailure|", "|Tide_rise()|"]),
  Paste(
    name: "Two exclamation marks are no function",
    text: """
      Connected!!!
      moon(4561,0x7ffff1eed3c0) malloc: *** error for object 0x7f911e007600: incorrect checksum for freed object
      """,
    says: [
      "moon(4561,0x7ffff1eed3c0) malloc: *** error for object 0x7f911e007600: incorrect checksum for freed object"
    ]),
  Paste(
    name: "The line of Wine's debugger",
    text: "Unhandled exception: page fault on read access to 0x00000020 in 64-bit code (0x14065f05a).",
    type: "SIGSEGV", subtype: "at 0x20"),
  Paste(
    name: "The line of Wine's loader",
    text:
      "wine: Unhandled page fault on write access to 0000000000000000 at address 00007FFF342DFBA7 (thread 0024), starting debugger...",
    type: "SIGSEGV", subtype: "at 0x0"),
  Paste(
    name: "The older line of Wine's loader",
    text: "wine: Unhandled page fault on write access to 0x8 at address 0x7fff342dfba7 (thread 001a)",
    type: "SIGSEGV", subtype: "at 0x8"),
  Paste(
    name: "A title with one function",
    text: "# Moon 0.3 crashes: `EXC_BREAKPOINT` in `_swift_task_checkIsolatedSwift` at high tide",
    type: "EXC_BREAKPOINT", frames: ["|_swift_task_checkIsolatedSwift|"]),
  Paste(
    name: "A thread without marks, the only one of an excerpt",
    text: """
      The logs have two lines on that thread:
      Thread 15
      0    libswiftCore.dylib        _swift_getObjectType
      1    Moon                      closure #1 in Tide.init(height:)
      """,
    frames: ["libswiftCore.dylib|_swift_getObjectType|", "Moon|closure #1 in Tide.init(height:)|"]),
  Paste(
    name: "A message quoted in a sentence about a crash",
    text:
      "It crashed due to `libc++abi.dylib: terminating with uncaught exception of type tide::Error: Bad height`.",
    says: ["libc++abi.dylib: terminating with uncaught exception of type tide::Error: Bad height"]),
  Paste(
    name: "A name and a method's failure in a title",
    text: """
      # NSInvalidArgumentException -[__NSCFString moon]: unrecognized selector sent to instance

      It began with version 8 of the tides.
      """,
    exception: "NSInvalidArgumentException",
    reason: "-[__NSCFString moon]: unrecognized selector sent to instance"),
  Paste(
    name: "The rule of a table among frames",
    text: """
      NSRangeException
      *** -[__NSArrayM objectAtIndex:]: index 4 beyond bounds for empty array

      0 CoreFoundation | ___exceptionPreprocess + 124
      -- | --
      1 libobjc.A.dylib | objc_exception_throw + 56
      2 Moon | -[Tide heights:] + 52
      """,
    exception: "NSRangeException",
    says: ["*** -[__NSArrayM objectAtIndex:]: index 4 beyond bounds for empty array"],
    frames: [
      "CoreFoundation|__exceptionPreprocess|", "libobjc.A.dylib|objc_exception_throw|",
      "Moon|-[Tide heights:]|",
    ]),
  Paste(
    name: "Console's columns",
    text: "error\t10:00:00.123456+0000\tMoon\tMoon/Tide.swift:12: Fatal error: The moon is down",
    says: ["Moon/Tide.swift:12: Fatal error: The moon is down"]),
  Paste(
    name: "A labelled chain with a function per line",
    text: """
      EXC_BAD_ACCESS (SIGSEGV)
      Stack: tide::Runtime::run(int) + 24
          → tide::Moon::rise()
          → tide::Sky::commit()
      """,
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV",
    frames: ["|tide::Runtime::run(int)|", "|tide::Moon::rise()|", "|tide::Sky::commit()|"]),
  Paste(
    name: "abort in a chain",
    text: """
      EXC_CRASH (SIGABRT)
      tide::Moon::rise() → abort()
      """,
    type: "EXC_CRASH", signal: "SIGABRT", frames: ["|abort|", "|tide::Moon::rise()|"]),
  Paste(
    name: "Rust's closures end with a brace, as lines of source do",
    text: """
      thread 'main' panicked at src/moon.rs:4:5:
      index out of bounds: the len is 3 but the index is 7
      stack backtrace:
         0: rust_begin_unwind
         1: core::panicking::panic_bounds_check
         2: tide::moon::rise::{{closure}}
         3: <tide::Moon as tide::Rise>::rise::{closure#0}
      """,
    says: [
      "thread 'main' panicked at src/moon.rs:4:5:", "index out of bounds: the len is 3 but the index is 7",
    ],
    frames: [
      "|rust_begin_unwind|", "|core::panicking::panic_bounds_check|", "|tide::moon::rise::{{closure}}|",
      "|<tide::Moon as tide::Rise>::rise::{closure#0}|",
    ]),
  Paste(
    name: "A chain of each thread, labelled with its number",
    text: """
      `EXC_BAD_ACCESS (SIGSEGV)` at `0x11`.
      - **Thread 0 (UI):** `MoonLink tick` → `tide::Runtime::run` → `Sky::commit` (`inlined`)
      - **Thread 4 (JS, crashed):** `tide::Loop::run` → `tide::Call::execute` → `tide::Handle::get()` ← faults here
      """,
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV",
    frames: ["|tide::Handle::get()|", "|tide::Call::execute|", "|tide::Loop::run|"]),
  Paste(
    name: "A list from the outermost function to one that a remark calls the place",
    text: """
      EXC_BAD_ACCESS (KERN_INVALID_ADDRESS)
      -> -[MoonQueue execute:]
      -> tide::Batch::flush()
      -> -[TideManager perform]   <-- crash
      """,
    type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS",
    frames: ["|-[TideManager perform]|", "|tide::Batch::flush()|", "|-[MoonQueue execute:]|"]),
  Paste(
    name: "A title with the stack on one line",
    text: "[Bug]: Crashed: com.example.work 0 libdispatch.dylib 0x20e4 _os_object_release + 76 "
      + "1 Shop 0x8a4134 -[Cart loader] + 185 (Cart.m:185)",
    frames: ["libdispatch.dylib|_os_object_release|", "Shop|-[Cart loader]|Cart.m:185"],
    queue: "com.example.work"),
  Paste(
    name: "A title of the type and the function",
    text: "EXC_BREAKPOINT -[MoonView load:with:] + 80", type: "EXC_BREAKPOINT",
    frames: ["|-[MoonView load:with:]|"]),
  Paste(
    name: "Functions that a sentence quotes",
    text:
      "The top crash: `_dispatch_assert_queue_fail` inside `closure #1 in Tide.start()` on `com.example.work`.",
    frames: ["|_dispatch_assert_queue_fail|", "|closure #1 in Tide.start()|"]),
  Paste(
    name: "A dash between an exception's name and its reason",
    text: "> `NSInternalInconsistencyException` — The moon's data source returned no tide.",
    exception: "NSInternalInconsistencyException", reason: "The moon's data source returned no tide."),
  Paste(
    name: "A tracker's heading is no frame",
    text: """
      Crash Item	:	Flutter
      Crashed: tide.io
      0  libc++abi.dylib                0x12e10 __cxa_rethrow + 144
      1  libobjc.A.dylib                0x169b8 objc_exception_rethrow + 40
      2  Flutter                        0x1dd1c tide::Loop::Run() + 548
      """,
    frames: [
      "libc++abi.dylib|__cxa_rethrow|", "libobjc.A.dylib|objc_exception_rethrow|",
      "Flutter|tide::Loop::Run()|",
    ], queue: "tide.io"),
  Paste(
    name: "Callers behind arrows, one per line",
    text: """
      Crashed: com.apple.main-thread
      TideProcessRecordAllThreads <- TideHandler
      <- TideExceptionRecord
      <- -[MoonPlugin record:withResult:]
      """,
    frames: [
      "|TideProcessRecordAllThreads|", "|TideHandler|", "|TideExceptionRecord|",
      "|-[MoonPlugin record:withResult:]|",
    ], queue: "com.apple.main-thread"),
  Paste(
    name: "Crashlytics' thread on one line",
    text: "Crashed: com.apple.root.default-qos EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000000 "
      + "0  tideBridge                   0x588308 kfun:tide.Moon.rise#internal + 972 "
      + "1  tideBridge                   0x72cc88 kfun:tide.Cart$3.invoke#internal + 492 "
      + "2  tideBridge                   0x36b8d0 kfun:tide.Store#write#suspend + 196",
    type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x0000000000000000",
    frames: [
      "tideBridge|kfun:tide.Moon.rise#internal|", "tideBridge|kfun:tide.Cart$3.invoke#internal|",
      "tideBridge|kfun:tide.Store#write#suspend|",
    ], queue: "com.apple.root.default-qos"),
  Paste(
    name: "A remark behind a frame is no name",
    text: """
      0  _dispatch_assert_queue_fail
      4  _swift_task_checkIsolatedSwift
      6  @objc Cart.didReceive(_:)   <- traps on ENTRY
      7  -[MXMetricManager deliverDiagnosticPayload:]_block_invoke
      """,
    frames: [
      "|_dispatch_assert_queue_fail|", "|_swift_task_checkIsolatedSwift|", "|@objc Cart.didReceive(_:)|",
      "|-[MXMetricManager deliverDiagnosticPayload:]_block_invoke|",
    ]),
  Paste(
    name: "Names with the symbol table's underscore, of a thread that waits",
    text: """
      Thread 0 name: com.apple.main-thread  (cpu_usage: 0.00%)
      libsystem_kernel.dylib    ___ulock_wait (in libsystem_kernel.dylib)
      libdispatch.dylib    __dispatch_sync_f_slow (in libdispatch.dylib)
      Tide    Moon.rise() (in Tide)
      """,
    frames: [
      "libsystem_kernel.dylib|__ulock_wait|", "libdispatch.dylib|_dispatch_sync_f_slow|", "Tide|Moon.rise()|",
    ]),
  Paste(
    name: "Frames in code without an image stay in their places",
    text: """
      handle_crash: Program crashed with signal 11
      [1] handler(int)
      [2] 2   libsystem_platform.dylib            0x00000001836a9a24 _sigtramp + 56
      [3] Moon* Creator::rise<Tide>()
      [4] 4   ???                                 0x0000000281051a00 0x0 + 10754529792
      """, type: "SIGSEGV", frames: ["|Moon* Creator::rise<Tide>()|", "||"]),
  Paste(
    name: "Rows of memory regions that a mail program has wrapped are no frames",
    text: """
      Exception Type:  EXC_BAD_ACCESS (SIGKILL - CODESIGNING)
      Exception Subtype: UNKNOWN_0x32 at 0x0000000112981960
      VM Region Info: 0x112981960 is in 0x112980000-0x112a00000;  bytes after
      start: 6496  bytes before end: 517791
            REGION TYPE                      START - END             [ VSIZE]
      PRT/MAX SHRMOD  REGION DETAIL
            VM_ALLOCATE            0000000112900000-0000000112980000 [  512K]
      r--/rwx SM=PRV
      --->  VM_ALLOCATE            0000000112980000-0000000112a00000 [  512K]
      r-x/rwx SM=COW

      Termination Reason: Namespace CODESIGNING, Code 0x2
      """, type: "EXC_BAD_ACCESS", signal: "SIGKILL - CODESIGNING",
    subtype: "UNKNOWN_0x32 at 0x0000000112981960"),
  Paste(
    name: "A handler's own frames, and the 0 that Intel's stack walks show below them",
    text: """
      Plugin Crash File
      0   Plugin                   0x000000011408c335 _ZN6Plugin12crashHandlerEPv + 5381
      1   libsystem_platform.dylib 0x00007ff80ab5a5ed _sigtramp + 29
      2   ???                      0x0000000000000000 0x0 + 0
      3   Host                     0x0000000106bea3ce _ZN4HostC1EPv + 3262
      """,
    frames: ["libsystem_platform.dylib|_sigtramp|", "Host|_ZN4HostC1EPv|"]),
  Paste(
    name: "Go's runtime prints the address below the signal",
    text: """
      SIGSEGV: segmentation violation
      PC=0x7ff80c143e1d m=0 sigcode=1 addr=0x18
      signal arrived during cgo execution
      """, type: "SIGSEGV", subtype: "segmentation violation at 0x18",
    says: ["signal arrived during cgo execution"]),
  Paste(
    name: "Names with addresses behind them, but no fields",
    text: """
      far: 0x0000000104b0a3c8
      _os_object_retain 0x0000000188dcee24
      Moon::rise(float*, float*) 0x0000000104b0a3c8
      """, frames: ["|_os_object_retain|", "|Moon::rise(float*, float*)|"]),
  Paste(
    name: "The exception of a minidump stands in the message alone",
    text: """
      OS Version: Mac OS X 10.13.6 (17G14042)
      Report Version: 104

      Application Specific Information:
      Fatal Error: EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x10

      Thread 7 Crashed:
      0   Tide                            0x1063af031         tide::Moon::rise (moon.cc:39)
      """, type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x10",
    says: ["Fatal Error: EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x10"],
    frames: ["Tide|tide::Moon::rise|moon.cc:39"]),
  Paste(
    name: "A module that was compiled from a pipe has no line, and the number beside it is no offset",
    text: """
      Crashed: com.apple.main-thread
      0  Tide                           0xd0ca04 closure #1 in TabBar.body(proxy:) + 3100912 (<stdin>:3100912)
      1  Tide                           0xd0cb04 TabBar.show() + 44 (TabBar.swift:44)
      """,
    frames: ["Tide|closure #1 in TabBar.body(proxy:)|<stdin>", "Tide|TabBar.show()|TabBar.swift:44"]),
  Paste(
    name: "Rows of the table of memory are no frames",
    text: """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
            REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD  REGION DETAIL
            GAP OF 0x53334000 BYTES
      """, type: "EXC_BAD_ACCESS", signal: "SIGSEGV"),
  Paste(
    name: "A sentence above a list is no frame, though it has a gap, a colon and brackets",
    text: """
      Thanks all. I did what  "debug = false" says but it fails on something else:

      thread 'main' panicked at src/cart.rs:12:5:
      empty cart
      stack backtrace:
         0: rust_begin_unwind
         1: shop::Cart::total
      """, says: ["thread 'main' panicked at src/cart.rs:12:5:", "empty cart"],
    frames: ["|rust_begin_unwind|", "|shop::Cart::total|"]),
  Paste(
    name: "A sentence with an arrow says what it says, and its functions stand below",
    text: """
      The app crashes with EXC_BAD_ACCESS (KERN_INVALID_ADDRESS) on the render thread, inside Mixer() → Source.

      shop::Mixer::pull
      shop::Source::read
      """, type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS",
    frames: ["|shop::Mixer::pull|", "|shop::Source::read|"]),
  Paste(
    name: "Frames by image and qualified name, without addresses",
    text: """
      Thread 18 (worker), at that time:
      0  hermesvm      hermes::vm::JSError::constructStackTraceString
      1  Shop          facebook::react::ObjCTurboModule::performVoidMethodInvocation
      """,
    frames: [
      "hermesvm|hermes::vm::JSError::constructStackTraceString|",
      "Shop|facebook::react::ObjCTurboModule::performVoidMethodInvocation|",
    ]),
  Paste(
    name: "Arrows that point back to the caller",
    text: """
      @objc Player.setUp(id:) + 60
        <- _RenderEventFunction + 88
        <- GfxDeviceWorker::RunCommand(...)
      """,
    frames: [
      "|@objc Player.setUp(id:)|", "|_RenderEventFunction|", "|GfxDeviceWorker::RunCommand(...)|",
    ]),
  Paste(
    name: "A page of Crashlytics, whose columns run together",
    text: """
      Crashed: com.apple.main-threadEXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x00000000010f0210
      0 | libobjc.A.dylib | objc_msgSend + 16
      1 | Shop | NSObject+Guard.m line 200-[Observers clean] + 200
      """, type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x00000000010f0210",
    frames: ["libobjc.A.dylib|objc_msgSend|", "Shop|-[Observers clean]|NSObject+Guard.m:200"],
    queue: "com.apple.main-thread"),
  Paste(
    name: "An exception's name alone, and the reason below it",
    text: """
      What Bugly shows:
      NSInternalInconsistencyException
      No view controller matches the item 'Cart'.
      0  UIKitCore  -[UITabBar _select:] + 12
      1  UIKitCore  -[UIControl sendAction:to:forEvent:] + 108
      """,
    exception: "NSInternalInconsistencyException", reason: "No view controller matches the item 'Cart'.",
    frames: [
      "UIKitCore|-[UITabBar _select:]|", "UIKitCore|-[UIControl sendAction:to:forEvent:]|",
    ]),
  Paste(
    name: "A shortened list whose images have no ending",
    text: """
      The crash, in short:
      3  libsystem_malloc  malloc_report
      6  libswiftCore      _swift_release_dealloc
      20 Shop              Cart.total()
      """,
    frames: ["libsystem_malloc|malloc_report|", "libswiftCore|_swift_release_dealloc|", "Shop|Cart.total()|"]),
  Paste(
    name: "A title with Xcode's words, and figures with an arrow",
    text: """
      # Thread 1 on iOS 27: EXC_BAD_ACCESS (code=2, address=0x16f297fd0)
      **37.89 → 50 MB in 360 ms**
      """, type: "EXC_BAD_ACCESS", codes: [2, 0x1_6f29_7fd0]),
  Paste(
    name: "A list of what happened, with the stack in one line",
    text: """
      - Exception: EXC_BAD_ACCESS — Thread stack size exceeded (SIGBUS)
      - Stack: ___chkstk_darwin → shop_index_links → shop_index_run → index_thread
      """,
    says: ["Exception: EXC_BAD_ACCESS — Thread stack size exceeded (SIGBUS)"],
    frames: [
      "|___chkstk_darwin|", "|shop_index_links|", "|shop_index_run|", "|index_thread|",
    ]),
  Paste(
    name: "Names with their libraries below the title of a crashed thread",
    text: """
      exception: EXC_BREAKPOINT (SIGTRAP)
      Thread 0 crashed:
        pthread_jit_write_protect_np    (libsystem_pthread.dylib)
        shop::Cart::total()
        shop_start(int, char**)
      """, type: "EXC_BREAKPOINT", signal: "SIGTRAP",
    frames: [
      "libsystem_pthread.dylib|pthread_jit_write_protect_np|", "|shop::Cart::total()|",
      "|shop_start(int, char**)|",
    ]),
  Paste(
    name: "A fault's address in a sentence",
    text: """
      EXC_BAD_ACCESS (SIGSEGV) at 0x1e0 on the main thread
      0  Shop  shop::Cart::total
      1  Shop  shop::Cart::add (cart.cpp:5155)
      """, type: "EXC_BAD_ACCESS", signal: "SIGSEGV", subtype: "at 0x1e0",
    frames: ["Shop|shop::Cart::total|", "Shop|shop::Cart::add|cart.cpp:5155"]),
  Paste(
    name: "A mention of the exception with marks, above the stack",
    text: """
      The app is crashing during startup with `EXC_BREAKPOINT (SIGTRAP)` in the cart.

      Thread 0 Crashed:
      0   Shop  shop::Cart::total() + 940
      1   Shop  shop::Cart::add() + 94
      """, type: "EXC_BREAKPOINT", frames: ["Shop|shop::Cart::total()|", "Shop|shop::Cart::add()|"]),
  Paste(
    name: "Arrows between a method without its sign, functions and a signal",
    text: """
      RCTExceptionsManager reportFatal: -> RCTFatal -> objc_exception_throw -> abort (SIGABRT)
      """,
    frames: ["|RCTExceptionsManager reportFatal:|", "|RCTFatal|", "|objc_exception_throw|", "|abort|"]),
  Paste(
    name: "Arrows of ASCII that point back to the caller, in one line",
    text: """
      EXC_CRASH (SIGABRT) / abort() called
      faulting stack: RB::precondition_failure <- RB::load_library(NSBundle*) <- RB::Device::Device(...)
      """, type: "EXC_CRASH", signal: "SIGABRT",
    frames: ["|RB::precondition_failure|", "|RB::load_library(NSBundle*)|", "|RB::Device::Device(...)|"]),
  Paste(
    name: "A summary with only the top frame",
    text: """
      **Signal:** EXC_BAD_ACCESS KERN_INVALID_ADDRESS at 0x0
      **Top frame:** `_platform_strlen` from `NSString stringWithUTF8String:`
      """, type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x0", frames: ["|_platform_strlen|"]),
  Paste(
    name: "Type, signal and code in one line",
    text: """
      Exception: EXC_BAD_ACCESS (SIGSEGV) KERN_INVALID_ADDRESS at 0x10
      0  Shop  shop::Cart::total() + 20
      1  Shop  shop::Cart::add() + 20
      """, type: "EXC_BAD_ACCESS", signal: "SIGSEGV", subtype: "KERN_INVALID_ADDRESS at 0x10",
    frames: ["Shop|shop::Cart::total()|", "Shop|shop::Cart::add()|"]),
  Paste(
    name: "Frames with paths, as Instabug lists them",
    text: """
      NSRangeException Cannot remove an observer for the key path
          Frameworks/CoreFoundation.framework/CoreFoundation __exceptionPreprocess
          /usr/lib/libobjc.A.dylib objc_exception_throw
          Shop/Cart/Cart.m:50:9 __45-[Cart add:]_block_invoke
          Frameworks/Extras.framework/Extras -[Extras dealloc]
      """,
    frames: [
      "CoreFoundation|__exceptionPreprocess|", "libobjc.A.dylib|objc_exception_throw|",
      "|__45-[Cart add:]_block_invoke|Shop/Cart/Cart.m:50", "Extras|-[Extras dealloc]|",
    ]),
  Paste(
    name: "Names of the symbol table, with the underscore of C",
    text: """
      0  libsystem_kernel.dylib  ___pthread_kill
      1  libsystem_pthread.dylib _pthread_kill
      2  libsystem_c.dylib       _abort
      3  Shop                    konan::abort() (Shop)
      """,
    frames: [
      "libsystem_kernel.dylib|__pthread_kill|", "libsystem_pthread.dylib|pthread_kill|",
      "libsystem_c.dylib|abort|", "Shop|konan::abort()|",
    ]),
  Paste(
    name: "App Center's issue, whose link is no frame",
    text: """
      ### Version 2.1.0(2780) ###

      ### Stacktrace ###

      Cart.total() (Cart.swift:12);Shop

      main (AppDelegate.swift:21);Shop

      ### Reason ###

      SIGABRT

      ### Link to App Center ###

      * [https://appcenter.ms/orgs/A/errors/36u](https://appcenter.ms/orgs/A/errors/36u)
      """, type: "SIGABRT", frames: ["Shop|Cart.total()|Cart.swift:12", "Shop|main|AppDelegate.swift:21"]),
  Paste(
    name: "Lists of addresses and names, without numbers",
    text: """
      - Application Specific Information: abort() called
      - Thread 1 Crashed:: io.flutter.ui
        - 0x1a8aeb224 __pthread_kill + 8
        - 0x103bbf324 dart::Assert::Fail(char const*, ...) const + 48
      """, says: ["abort() called"],
    frames: ["|__pthread_kill|", "|dart::Assert::Fail(char const*, ...) const|"]),
  Paste(
    name: "Sentry's page, the words of a frame in another order",
    text: """
      a [Line 5] in b (In app)
      f in Cart.swift [Line 12] (In app)
      EXC_BAD_ACCESS (code=1, address=0x0)
      """,
    type: "EXC_BAD_ACCESS", codes: [1, 0], frames: ["|f|Cart.swift:12"]),
  Paste(
    name: "Crashlytics, exception with reason, offsets for addresses, other threads",
    text: """
      # Crashlytics - Stack trace
      # Application: com.example.shop
      # Platform: apple
      # Version: 1.2 (3)
      # Issue: 0123
      # Date: 2025-01-01T10:00:00Z

      Fatal Exception: NSInternalInconsistencyException
      The cart has no rows

      0  CoreFoundation                 0x83f20 __exceptionPreprocess
      1  libobjc.A.dylib                0x16018 objc_exception_throw
      2  Shop                           0x166288 (Missing UUID 2070c7a26aaf39f1b5c7abc26fbcaeb7)
      3  Shop                           0x1234 +[Cart check:] + 12 (Cart.m:34)

      Crashed: com.google.firebase.crashlytics.ios.exception
      0  Shop                           0x10 FIRCLSProcessRecordAllThreads + 4315880872
      com.apple.uikit.eventfetch-thread
      0  libsystem_kernel.dylib         0x1788 mach_msg2_trap + 8
      Thread
      0  libsystem_pthread.dylib        0x10cc start_wqthread + 8
      """,
    exception: "NSInternalInconsistencyException", reason: "The cart has no rows",
    frames: [
      "CoreFoundation|__exceptionPreprocess|", "libobjc.A.dylib|objc_exception_throw|", "Shop||",
      "Shop|+[Cart check:]|Cart.m:34",
    ]),
  Paste(
    name: "Crashlytics, fault, threads before the crashed one",
    text: """
      com.apple.main-thread
      0  libsystem_kernel.dylib         0x1788 mach_msg2_trap + 8
      1  Shop                           0x44fb94 main + 4337335188 (AppDelegate.swift:4337335188)

      Crashed: com.example.draw
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000031

      Crashed: com.example.draw
      0  Shop                           0x496d8 Canvas.draw() + 221 (Canvas.swift:221)
      """,
    type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x0000000000000031",
    frames: ["Shop|Canvas.draw()|Canvas.swift:221"], queue: "com.example.draw"),
  Paste(
    name: "Apple's text without addresses",
    text: """
      Exception Type: EXC_BREAKPOINT (SIGTRAP)

      BUG IN CLIENT OF LIBDISPATCH: dispatch_sync called on queue already owned by current thread

      Thread 20 Crashed:: Dispatch queue: com.example.keys
      0  libdispatch.dylib       __DISPATCH_WAIT_FOR_QUEUE__ +44
      1  libswiftDispatch.dylib  OS_dispatch_queue.sync
      2  Keys                    + 58940
      """,
    type: "EXC_BREAKPOINT", signal: "SIGTRAP",
    says: ["BUG IN CLIENT OF LIBDISPATCH: dispatch_sync called on queue already owned by current thread"],
    frames: [
      "libdispatch.dylib|__DISPATCH_WAIT_FOR_QUEUE__|", "libswiftDispatch.dylib|OS_dispatch_queue.sync|",
      "Keys||",
    ],
    queue: "com.example.keys"),
  Paste(
    name: "LLDB",
    text: """
      * thread #11, queue = 'com.example.draw', stop reason = EXC_BAD_ACCESS (code=1, address=0x10)
        * frame #0: 0x000000010ec76ff1 Draw`draw::Canvas::setup(draw::Surface*) + 91 at canvas.cc:70:3
          frame #1: 0x000000010ec7d4da Draw`closure #1 in Sheet.body.getter [opt]
          frame #2: 0x000000010ec7d5da Draw`Sheet.draw(self=Draw.Sheet @ 0x16b2c2f10, at=(x = 1, y = 2)) at Sheet.swift:14:27
          frame #3: 0x000000010ec7d6da Draw`Draw.Sheet.clear() -> () at Sheet.swift:20:5
      """,
    type: "EXC_BAD_ACCESS", codes: [1, 0x10],
    frames: [
      "Draw|draw::Canvas::setup(draw::Surface*)|canvas.cc:70", "Draw|closure #1 in Sheet.body.getter|",
      "Draw|Sheet.draw|Sheet.swift:14", "Draw|Draw.Sheet.clear() -> ()|Sheet.swift:20",
    ],
    queue: "com.example.draw"),
  Paste(
    name: "LLDB at code without an image, and a register below it",
    text: """
      * thread #1, stop reason = EXC_BAD_ACCESS (code=2, address=0x13c8a4010)
        * frame #0: 0x000000013c8a4010
          frame #1: 0x0000000102f3e1bc Tide`tide_go + 444
        lr: tide_run + 328
      """,
    type: "EXC_BAD_ACCESS", codes: [2, 0x1_3c8a_4010],
    frames: ["||", "Tide|tide_go|"]),
  Paste(
    name: "LLDB's stop and the same thread's whole list",
    text: """
      Process 319 stopped
      * thread #9, stop reason = signal SIGABRT
          frame #0: 0x00007fff6787e2c2 libsystem_kernel.dylib`__pthread_kill + 10
      (lldb) bt
      * thread #9, stop reason = signal SIGABRT
        * frame #0: 0x00007fff6787e2c2 libsystem_kernel.dylib`__pthread_kill + 10
          frame #1: 0x00007fff677e8ff3 libsystem_c.dylib`__stack_chk_fail + 205
          frame #2: 0x0000000100073138 Draw`draw::fill() at fill.cc:3:4
      """,
    type: "SIGABRT",
    frames: [
      "libsystem_kernel.dylib|__pthread_kill|", "libsystem_c.dylib|__stack_chk_fail|",
      "Draw|draw::fill()|fill.cc:3",
    ]),
  Paste(
    name: "LLDB's names of codes, and the source below a frame",
    text: """
      * thread #1: tid = 0x793cbc, 0x0000000100011abf, stop reason = EXC_BAD_ACCESS (code=EXC_I386_GPFLT)
          frame #0: 0x0000000100011abf Draw`draw::size() at size.cc:65:4
         64  
         65   {return end - begin;}
      -> 66   size_type capacity() const noexcept
      (lldb) bt
          frame #1: 0x0000000100011a00 Draw`draw::fill() at fill.cc:3:4
      """,
    type: "EXC_BAD_ACCESS", subtype: "EXC_I386_GPFLT",
    frames: ["Draw|draw::size()|size.cc:65", "Draw|draw::fill()|fill.cc:3"]),
  Paste(
    name: "LLDB's names of codes with an address",
    text: """
      * thread #1, queue = 'com.example.draw', stop reason = EXC_BAD_ACCESS (code=EXC_ARM_DA_ALIGN, address=0x1001)
          frame #0: 0x0000000100011abf Draw`draw::load(char const*) + 8
          frame #1: 0x0000000100011a00 Draw`draw::fill() + 40
      """,
    type: "EXC_BAD_ACCESS", subtype: "EXC_ARM_DA_ALIGN at 0x1001",
    frames: ["Draw|draw::load(char const*)|", "Draw|draw::fill()|"], queue: "com.example.draw"),
  Paste(
    name: "a reason below the exception's name",
    text: """
      *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason:
      '<TideController: 0x1> is pushing the same view controller instance (<Moon: 0x2>)
      more than once'
      """,
    exception: "NSInvalidArgumentException",
    reason: "<TideController: 0x1> is pushing the same view controller instance (<Moon: 0x2>) more than once"),
  Paste(
    name: "Xcode",
    text: """
      Thread 1: Fatal error: Unexpectedly found nil while unwrapping an Optional value
      #0\t0x0000000104c0e000 in closure #1 in Sheet.body.getter at /Users/dev/Sheet.swift:12
      #1\t0x00000001a4c0e100 in UIApplicationMain ()
      """,
    says: ["Fatal error: Unexpectedly found nil while unwrapping an Optional value"],
    frames: ["|closure #1 in Sheet.body.getter|/Users/dev/Sheet.swift:12", "|UIApplicationMain|"]),
  Paste(
    name: "Xcode's editor",
    text: "Thread 1: \"*** -[NSConcreteTextStorage attribute:atIndex:]: Range or index out of bounds\"",
    reason: "*** -[NSConcreteTextStorage attribute:atIndex:]: Range or index out of bounds"),
  Paste(name: "Xcode's signal", text: "Thread 5: signal SIGABRT\n", type: "SIGABRT"),
  Paste(
    name: "Sentry",
    text: """
      EXC_BREAKPOINT: SIGTRAP

      at swift::runJobInEstablishedExecutorContext (<unknown>)
      at closure in Core.status (Core.swift:161)
      """,
    type: "EXC_BREAKPOINT", signal: "SIGTRAP",
    frames: ["|closure in Core.status|Core.swift:161", "|swift::runJobInEstablishedExecutorContext|"]),
  Paste(
    name: "Sentry's columns",
    text: """
      EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x6c8.
        Shop             0x105057418  TraceScope
        libobjc.A +0x003c20 objc_msgSend
      """,
    type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x6c8",
    frames: ["Shop|TraceScope|", "libobjc.A|objc_msgSend|"]),
  Paste(
    name: "names alone",
    text: """
      *** Terminating app due to uncaught exception 'NSInvalidArgumentException'
      -[HKHealthStoreImplementation _throwIfAuthorizationDisallowedForSharing:types:]
      +[Shop start] + 260
      """,
    exception: "NSInvalidArgumentException",
    frames: [
      "|-[HKHealthStoreImplementation _throwIfAuthorizationDisallowedForSharing:types:]|", "|+[Shop start]|",
    ]),
  Paste(
    name: "AppKit's fault",
    text: "FAULT: NSInternalInconsistencyException: No toolbar; {\n    NSAssertLine = 1;\n}",
    exception: "NSInternalInconsistencyException", reason: "No toolbar"),
  Paste(
    name: ".NET",
    text:
      "ObjCRuntime.ObjCException: Objective-C exception thrown.  Name: NSRangeException Reason: beyond bounds",
    exception: "NSRangeException", reason: "beyond bounds"),
  Paste(
    name: "fields", text: "Exception Name: NSRangeException\nException Reason: beyond bounds\n",
    exception: "NSRangeException", reason: "beyond bounds"),
  Paste(
    name: "a reporter's headline and Bugsnag's frames",
    text: """
      NSRangeException: index 0 beyond bounds

      0  CoreFoundation   -[__NSArray0 objectAtIndex:]
      1  [redacted]       +[Header update:] (Header.m:580:14)
      """,
    exception: "NSRangeException", reason: "index 0 beyond bounds",
    frames: ["CoreFoundation|-[__NSArray0 objectAtIndex:]|", "[redacted]|+[Header update:]|Header.m:580"]),
  Paste(
    name: "dyld",
    text: """
      dyld[123]: Symbol not found: _NewThing
        Referenced from: <0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0> /Applications/Shop.app/Shop
        Expected in:     /usr/lib/libthing.dylib
      """,
    linker: [
      "Symbol not found: _NewThing",
      "Referenced from: <0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0> /Applications/Shop.app/Shop",
      "Expected in:     /usr/lib/libthing.dylib",
    ]),
  Paste(
    name: "dyld's late binding", text: "dyld: lazy symbol binding failed: Symbol not found: _NewThing\n",
    linker: ["Symbol not found: _NewThing"]),
  Paste(
    name: "Breakpad",
    text: """
      Crash reason:  EXC_BAD_ACCESS / KERN_INVALID_ADDRESS
      Crash address: 0x10

      Thread 0 (crashed)
       0  Shop Framework!base::Break() [break.cc : 267 + 0x0]
          rax = 0x0000000000000000   rdx = 0xfffffffffffffff1
          Found by: given as instruction pointer in context
       1  Shop Framework + 0x227900
      """,
    type: "EXC_BAD_ACCESS", subtype: "KERN_INVALID_ADDRESS at 0x10",
    frames: ["Shop Framework|base::Break()|break.cc:267", "Shop Framework||"]),
  Paste(
    name: "Boost",
    text: """
      Caught signal: SIGSEGV
       0# getStacktrace() in /Applications/Shop.app/Contents/MacOS/shop
      10# AutoreleasePoolPage::releaseUntil(objc_object**) in /usr/lib/libobjc.A.dylib
      """,
    type: "SIGSEGV",
    frames: ["shop|getStacktrace()|", "libobjc.A.dylib|AutoreleasePoolPage::releaseUntil(objc_object**)|"]),
  Paste(
    name: "a stack with arrows",
    text: """
      EXC_BAD_ACCESS
      main → -[Cart remove:] → objc_release
      """,
    type: "EXC_BAD_ACCESS", frames: ["|objc_release|", "|-[Cart remove:]|", "|main|"]),
  Paste(
    name: "prose with an arrow",
    text: """
      EXC_BAD_ACCESS
      - Stack: App code → SwiftUI
      """,
    type: "EXC_BAD_ACCESS"),
  Paste(
    name: "Mono's native stacktrace",
    text: """
      =================================================================
      \tNative stacktrace:
      =================================================================
      \t0x10e120392 - /Apps/Shop.app/libmonosgen-2.0.dylib : sigabrt_signal_handler
      \t0x4e2e74666f736f72 - Unknown
      \t0x11f6576b7 - /usr/lib/system/libsystem_c.dylib : abort
      """,
    says: ["Native stacktrace:"],
    frames: ["libmonosgen-2.0.dylib|sigabrt_signal_handler|", "||", "libsystem_c.dylib|abort|"]),
  Paste(
    name: "Crashlytics' heading in bold type",
    text: """
      **Fatal Exception: NSRangeException
      -[__NSCFArray objectAtIndex:]: index (0) beyond bounds (0)**
      0  CoreFoundation                 0x1b68d65f0 __exceptionPreprocess
      1  libobjc.A.dylib                0x1b65f8bcc objc_exception_throw
      """,
    exception: "NSRangeException", reason: "-[__NSCFArray objectAtIndex:]: index (0) beyond bounds (0)",
    frames: ["CoreFoundation|__exceptionPreprocess|", "libobjc.A.dylib|objc_exception_throw|"]),
  Paste(
    name: "Apple's headings in bold type",
    text: """
      **Exception Type:** EXC_BAD_ACCESS (SIGSEGV)
      **Exception Subtype:** KERN_INVALID_ADDRESS at 0x0000000000000031

      **Thread 0 Crashed:**
      0   Shop    0x0000000104003000 Cart.total.getter + 24
      """,
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV", subtype: "KERN_INVALID_ADDRESS at 0x0000000000000031",
    frames: ["Shop|Cart.total.getter|"]),
  Paste(
    name: "Rust",
    text: """
      thread 'main' panicked at src/window.rs:288:12:
      called `Option::unwrap()` on a `None` value
      stack backtrace:
         0:        0x10508791c - shop::window::open::h43235ac629484ce8
                                     at /src/window.rs:116:5
      """,
    says: ["thread 'main' panicked at src/window.rs:288:12:", "called `Option::unwrap()` on a `None` value"],
    frames: ["|shop::window::open|/src/window.rs:116"]),
  Paste(
    name: "Kotlin",
    text: """
      Uncaught Kotlin exception: kotlin.IllegalStateException: no cart
          at 0   shared                              0x1072e119b        kfun:kotlin.Throwable#<init>(kotlin.String?){} + 99
      """,
    says: ["Uncaught Kotlin exception: kotlin.IllegalStateException: no cart"],
    frames: ["shared|kfun:kotlin.Throwable#<init>(kotlin.String?){}|"]),
  Paste(
    name: "Go",
    text: """
      SIGSEGV: segmentation violation
      signal arrived during cgo execution

      goroutine 1 gp=0x140000021c0 m=0 [syscall]:
      runtime.cgocall(0x1056fc848, 0x1400004d1a8)
      \t/opt/go/src/runtime/cgocall.go:157 +0x44 fp=0x1400004d160
      example.com/shop.Open(...)
      \t/src/shop/open.go:12 +0x34
      """,
    type: "SIGSEGV", subtype: "segmentation violation", says: ["signal arrived during cgo execution"],
    frames: [
      "|runtime.cgocall|/opt/go/src/runtime/cgocall.go:157", "|example.com/shop.Open|/src/shop/open.go:12",
    ]),
  Paste(
    name: "Godot",
    text: """
      ================================================================
      handle_crash: Program crashed with signal 11
      Engine version: Godot Engine v4.2.1.stable
      Dumping the backtrace. Please include this when reporting the bug to the project developer.
      [1] 1   libsystem_platform.dylib            0x00000001836a9a24 _sigtramp + 56
      [2] Cart::total(Item*)
      [3] 3   Shop                                0x0000000104851a00 main + 36
      """,
    type: "SIGSEGV", frames: ["|Cart::total(Item*)|", "Shop|main|"]),
  Paste(
    name: "a list of frames with the image before a colon",
    text: """
      - 0: Shop: Cart.total.getter
      - 1: Shop: Shop.Store.open()
      - 2: UIKitCore: -[UIViewController viewDidLoad]
      - 3: UIKitCore: -[UIViewController loadViewIfRequired]
      """,
    frames: [
      "Shop|Cart.total.getter|", "Shop|Shop.Store.open()|", "UIKitCore|-[UIViewController viewDidLoad]|",
      "UIKitCore|-[UIViewController loadViewIfRequired]|",
    ]),
  Paste(
    name: ".NET, the type behind the message",
    text:
      "No such cart (System.ArgumentException)\n   at Shop.Cart.Open(String name)\n   at Shop.Page.Load()",
    exception: "System.ArgumentException", reason: "No such cart"),
  Paste(
    name: "a console's line",
    text: "2025-07-06 14:34:52.81+0200 Shop[990:54] Fatal error: No cart: file Shop/Cart.swift, line 34",
    says: ["Fatal error: No cart: file Shop/Cart.swift, line 34"]),
  Paste(
    name: "a message with its place alone", text: "Index out of range: file Shop/Cart.swift, line 4",
    says: ["Index out of range: file Shop/Cart.swift, line 4"]),
  Paste(
    name: "a limit in Xcode",
    text: "Thread 3: EXC_RESOURCE (RESOURCE_TYPE_MEMORY: high watermark memory limit exceeded) (limit=30 MB)",
    type: "EXC_RESOURCE", subtype: "MEMORY (limit=30 MB)"),
  Paste(
    name: "a limit in LLDB",
    text: "* thread #7, stop reason = EXC_RESOURCE RESOURCE_TYPE_MEMORY (limit=50 MB, unused=0x0)",
    type: "EXC_RESOURCE", subtype: "MEMORY (limit=50 MB)"),
  Paste(
    name: "a guard of Crashlytics",
    text: "Crashed: Net\nEXC_GUARD 0x08fd4dbfade2dead\n0  libsystem_kernel.dylib  0x27c4 close + 8",
    type: "EXC_GUARD", subtype: "guarded with 0x08fd4dbfade2dead", frames: ["libsystem_kernel.dylib|close|"]),
  Paste(
    name: "A word whose first letter was cut", text: "egmentation fault at address 0x10", type: "SIGSEGV",
    subtype: "egmentation fault at address 0x10"),
  Paste(
    name: "A process's name and number before the kernel's word for it",
    text: "Moon[12] process Tide caught burning CPU 5 seconds",
    says: ["Moon[12] process Tide caught burning CPU 5 seconds"]),
  Paste(name: "zsh", text: "zsh: segmentation fault  ./shop", type: "SIGSEGV"),
  Paste(name: "a shell", text: "./run.sh: line 12:  3456 Abort trap: 6           ./shop", type: "SIGABRT"),
  Paste(name: "SwiftPM", text: "error: Exited with unexpected signal code 5", type: "SIGTRAP"),
  Paste(
    name: "Xcode's tests", text: "Test crashed with signal trap before establishing connection.",
    type: "SIGTRAP"),
  Paste(
    name: "a limit of memory", text: "EXC_RESOURCE -> Shop[478] exceeded mem limit: ActiveHard 24 MB (fatal)",
    says: ["EXC_RESOURCE -> Shop[478] exceeded mem limit: ActiveHard 24 MB (fatal)"]),
  Paste(
    name: "a list's subtype",
    text: "- Exception: EXC_BAD_ACCESS (SIGSEGV)\n- Subtype: KERN_INVALID_ADDRESS at 0x0000000000000002",
    type: "EXC_BAD_ACCESS", signal: "SIGSEGV", subtype: "KERN_INVALID_ADDRESS at 0x0000000000000002"),
  Paste(
    name: "Xcode's words behind a heading", text: "Exception: EXC_BREAKPOINT (code=1, subcode=0x1e69a83e4)",
    type: "EXC_BREAKPOINT", codes: [1, 0x1_e69a_83e4]),
  Paste(name: "a bullet", text: "• SIGSEGV, fault address: 0x10", type: "SIGSEGV"),
]

@Suite("Pasted text")
struct PastedTextTests {
  @Test("gives its statements about a program's end", arguments: pastes)
  func isRead(_ paste: Paste) throws {
    let report = try CrashReport(parsing: Array(paste.text.utf8))
    #expect(report.uncaughtException?.name == paste.exception)
    #expect(report.uncaughtException?.reason == paste.reason)
    #expect(report.exception?.type == paste.type)
    #expect(report.exception?.signal == paste.signal)
    #expect(report.exception?.subtype == paste.subtype)
    #expect(report.exception?.codes ?? [] == paste.codes)
    #expect(report.applicationSpecificInformation == paste.says)
    #expect(report.termination?.details ?? [] == paste.linker)
    let crashed = report.crashedThread.map { report.threads[$0] }
    let frames = report.lastExceptionBacktrace.isEmpty ? crashed?.frames ?? [] : report.lastExceptionBacktrace
    #expect(frames.map(Self.words) == paste.frames)
    if let queue = paste.queue { #expect(crashed?.queue == queue) }
  }

  private static func words(_ frame: Frame) -> String {
    let place = frame.reportedFile.map { file in file + (frame.reportedLine.map { ":\($0)" } ?? "") }
    return [frame.imageName, frame.reportedSymbol, place].map { $0 ?? "" }.joined(separator: "|")
  }

  @Test("of a page have no tags around words, and two short reports are two")
  func pageWithTwoReports() throws {
    let report = """
      <p>Process:               moon [X]<br>
      Date/Time:             X</p>
      <p>Exception Type:        EXC_BREAKPOINT (SIGTRAP)</p>
      <p>Dyld Error Message:<br>
      Library not loaded: <span class="mention">@rpath</span>/libtide.dylib</p>
      <p>Binary Images:<br>
      0x7fff62672000 -     0x7fff626a8887  dyld (353.2.3)  /usr/lib/dyld</p>
      """
    let reports = try CrashReport.parse(Array((report + "\n\n" + report).utf8))
    #expect(reports.count == 2)
    for report in reports {
      #expect(report.header.process == "moon" && report.header.date == nil)
      #expect(report.termination?.details == ["Library not loaded: @rpath/libtide.dylib"])
      #expect(report.images.map(\.name) == ["dyld"])
    }
  }

  @Test("of a hang's head with the path below it is no crash")
  func hangHead() throws {
    let text = """
      Command: Moon
      Duration: 10.01s (process was unresponsive for 518 seconds before sampling)
       1001 -[Moon rise] + 270 (Moon + 8115710)
       1001 +[NSThread sleepForTimeInterval:]
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.kind == .hang && report.threads.count == 1 && report.threads[0].callTree.count == 2)
  }

  @Test(
    "of the system's log name the process and who ended it",
    arguments: [
      (
        "launchd [gui/501/com.example.moon [12]:] exited with exit reason (namespace: 15 code: 0xbaddd15c) - OS_REASON_RUNNINGBOARD",
        "com.example.moon", "15", 0xbadd_d15c
      ),
      (
        "runningboardd [app<application.com.example.moon.1.2(501)>:12] Terminating with context: <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:too slow reportType:CrashLog>",
        "com.example.moon", "10", 0x8bad_f00d
      ),
      (
        "runningboardd Received termination request from [osservice<com.apple.cache_delete(501)>:7] on <RBSProcessPredicate <RBSProcessBundleIdentifierPredicate \"com.example.moon\">> with context <RBSTerminateContext| code:0xBADDD15C explanation:no space reportType:None>",
        "com.example.moon", "15", 0xbadd_d15c
      ),
      ("ReportCrash Formulating fatal 309 report for corpse[12] Moon", "Moon", nil, nil),
    ] as [(String, String, String?, UInt64?)])
  func ends(_ line: String, _ process: String, _ namespace: String?, _ code: UInt64?) throws {
    let report = try CrashReport(parsing: Array(line.utf8))
    #expect(report.header.process == process)
    #expect(report.termination?.namespace == namespace && report.termination?.code == code)
  }

  @Test("of a debugger that has attached is a snapshot, in which no thread crashed")
  func debuggerStop() throws {
    let text = """
      Process 12 stopped
      * thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP
        * frame #0: 0x0000000191dabf14 libsystem_kernel.dylib`mach_msg2_trap + 8
          frame #1: 0x0000000100dbe240 Moon`main + 80
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.kind == .sample && report.threads.count == 1 && !report.threads[0].isCrashed)
    let fault = text.replacing("signal SIGSTOP", with: "EXC_BAD_ACCESS (code=1, address=0x8)")
    #expect(try CrashReport(parsing: Array(fault.utf8)).kind == .crash)
  }

  @Test("of a call tree that ends in the middle of a name leaves that out")
  func cutTree() throws {
    let text = """
      Call graph:
          20 Thread_12   DispatchQueue_1: com.apple.main-thread  (serial)
            20 start  (in dyld) + 2432  [0x18c3c0274]
              20 main  (in Moon) + 52  [0x100001bb4]
                20 -[Tide deep
      """
    let thread = try CrashReport(parsing: Array(text.utf8)).threads[0]
    #expect(thread.isTreeCut && thread.frames.map(\.reportedSymbol) == ["main", "start"])
  }

  @Test("of a panic may have something before it")
  func panic() throws {
    let text = """
      macpanic(cpu 10 caller 0xffffff800dcd7941): userspace watchdog timeout: no successful checkins from logd in 120 seconds
      service returned not alive with context : unresponsive dispatch queue(s): com.apple.firehose.io-wl
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.kind == .panic)
    #expect(
      report.exception?.message
        == "userspace watchdog timeout: no successful checkins from logd in 120 seconds")
  }

  @Test("of a handler's log is no crash")
  func caught() throws {
    let text =
      "[TIDE] Exception NSRangeException caught in Tide method rise:: -[Moon tide]: unrecognized selector sent to "
      + "instance 0x107773ab0"
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.kind == .other)
    #expect(report.uncaughtException == nil)
  }

  @Test("after `Exception:` is a message if it is a sentence")
  func sentence() throws {
    let text = """
      Exception: <NSXPCDecoder: 0x131836200> received a message that is not in the interface.
      0   CoreFoundation                      0x000000019bac5138 __exceptionPreprocess + 240
      1   libobjc.A.dylib                     0x000000019b80fe04 objc_exception_throw + 60
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.exception?.type == nil)
    #expect(
      report.exception?.message
        == "<NSXPCDecoder: 0x131836200> received a message that is not in the interface.")
  }

  @Test("of Crashlytics keeps threads, offsets and the text above them")
  func crashlytics() throws {
    let paste = try #require(pastes.first { $0.name.hasPrefix("Crashlytics, exception") })
    let report = try CrashReport(parsing: Array(paste.text.utf8))
    try #require(report.threads.count == 3)
    #expect(report.header.bundleID == "com.example.shop")
    #expect(report.header.version == "1.2 (3)")
    #expect(report.threads.map(\.isCrashed) == [true, false, false])
    #expect(report.threads[1].queue == "com.apple.uikit.eventfetch-thread")
    #expect(
      report.lastExceptionBacktrace.map(\.imageOffset?.rawValue) == [0x83f20, 0x16018, 0x166288, 0x1234])
    #expect(report.lastExceptionBacktrace.allSatisfy { $0.address == nil })
  }

  @Test(
    "about no crash is no report",
    arguments: [
      "Steps:\n1 Open the app\n2 Tap the button\n3 Look", "The app uses -[UIView layoutSubviews].",
      "| a | b |\n| 1 | 2 |", "at home (yes)\nat work (no)", "0: none\n1: one\n2: two", "#1 first\n#2 second",
      "[1] first\n[2] second", "Killed by a bug (see notes)", "The signal was lost: signal 3 of 5",
      "- one: two\n- three: four",
      "| `moon.crash` | Swift `-Onone` | the trap is inside `_assertionFailure` |",
    ])
  func isNone(_ text: String) {
    #expect(throws: ReportError.unrecognised) { try CrashReport(parsing: Array(text.utf8)) }
  }
}

@Suite("Parts of .ips files")
struct IPSFragmentTests {
  @Test("give the exception and the thread although text between them is missing")
  func leftOut() throws {
    let text = """
      "exception" : {"type":"EXC_CRASH","signal":"SIGABRT"},
      "asi" : {"libsystem_c.dylib":["stack buffer overflow"]},
      ...
      "id":7,"name":"worker","threadState":{ ... },
      "frames":[{"imageOffset":8,"symbol":"__stack_chk_fail","symbolLocation":96,"imageIndex":1},
      {"imageOffset":16,"symbol":"read_tides","symbolLocation":4,"imageIndex":0}]}
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.exception?.type == "EXC_CRASH" && report.exception?.signal == "SIGABRT")
    #expect(report.applicationSpecificInformation == ["stack buffer overflow"])
    #expect(report.crashedThread == 0)
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["__stack_chk_fail", "read_tides"])
  }

  @Test("without their beginning, truncated, and inside other text give a report")
  func parts() throws {
    let middle = """
      My app dies:
      "symbolLocation":4,"imageIndex":1},{"imageOffset":16,"symbol":"abort","symbolLocation":8,"imageIndex":0},
      {"imageOffset":32,"symbol":"Cart.remove(_:)","symbolLocation":4,"imageIndex":1}],"queue":"com.example.cart"},
      {"id":7,"frames":[]}],
      "exception" : {"type":"EXC_CRASH","signal":"SIGABRT"},
      "usedImages" : [{"base":4096,"size":4096,"uuid":"0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0","name":"libsystem_c.dylib"},
      {"base":65536,"size":4096,"uuid":"1F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0","name":"Shop"}
      """
    let report = try CrashReport(parsing: Array(middle.utf8))
    #expect(report.format == .ips)
    #expect(report.kind == .crash)
    #expect(report.exception?.type == "EXC_CRASH")
    #expect(report.threads.first?.frames.compactMap(\.reportedSymbol) == ["abort", "Cart.remove(_:)"])
    #expect(report.threads.first?.queue == "com.example.cart")
    #expect(report.images.map(\.name) == ["libsystem_c.dylib", "Shop"])
  }

  @Test("the beginning can be inside a string, and the crashed thread known by its program counter")
  func cutString() throws {
    let text = """
      akpoint) brk 1"},"pc":{"value":16,"matchesCrashFrame":1}},"queue":"com.example.cart","frames":[
      {"imageOffset":16,"symbol":"swift_unexpectedError","imageIndex":6},{"imageOffset":32,"symbol":"f","imageIndex":7}]}
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.crashedThread == 0)
    #expect(report.threads.first?.queue == "com.example.cart")
  }

  @Test("one thread's frames alone are the crashed thread's")
  func oneThread() throws {
    let text =
      "{\"imageOffset\":16,\"symbol\":\"abort\",\"imageIndex\":6},{\"imageOffset\":32,\"symbol\":\"f\",\"imageIndex\":7},"
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.crashedThread == 0)
    #expect(report.threads.map { $0.frames.map(\.reportedSymbol) } == [["abort", "f"]])
  }

  @Test(
    "other documents aren't parts of one",
    arguments: ["{\"exception\":{\"values\":[]}}", "{\"threads\":[1,2]}", "[\"asi\"]"])
  func none(_ text: String) {
    #expect(throws: ReportError.unrecognised) { try CrashReport(parsing: Array(text.utf8)) }
  }
}

@Suite("Markup around reports")
struct MarkupTests {
  private static let report = """
    Process: Shop [1]
    Exception Type: EXC_CRASH (SIGABRT)
    Thread 0 Crashed:
    0 libsystem_kernel.dylib 0x000000024f3f90cc __pthread_kill + 8
    1 libobjc.A.dylib 0x000000019e813f88 _objc_terminate() + 172
    2 libc++abi.dylib 0x000000019e913bdc std::__terminate(void (*)()) + 16
    3 Shop 0x0000000102ec44a8 Cart<Int>::remove(int&) + 16
    """

  @Test(
    "is taken out",
    arguments: [
      report.replacing("__", with: "**").replacing(" _", with: " \\_").replacing("(*)", with: "(\\*)"),
      report.replacing("_", with: "\\_"),
      "```" + report + "```", "<details>\n<pre>" + report + "</pre>\n</details>",
      "<details>\n\n"
        + report.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        + "\n</details>",
      report.split(separator: "\n").map { "2025-01-01 10:00:00.123+0900 \($0)" }.joined(separator: "\n"),
      report.split(separator: "\n").map { "[10:00:00.123] \($0)" }.joined(separator: "\n"),
      report.split(separator: "\n").map { "> \($0)" }.joined(separator: "\n"),
    ])
  func isTakenOut(_ text: String) throws {
    let expected = try CrashReport(parsing: Array(Self.report.utf8))
    let found = try CrashReport(parsing: Array(text.utf8))
    #expect(found.header.process == "Shop")
    #expect(
      found.threads.first?.frames.map(\.reportedSymbol)
        == expected.threads.first?.frames.map(\.reportedSymbol))
    #expect(!found.notes.isEmpty)
  }

  @Test("measure.sh's text has the function's type in a column of its own")
  func measureText() throws {
    let text = """
      SIGTRAP
      0  HogeApp          integer(_:)           JSON         Fuga.swift:17
      1  HogeApp          init(json:)           Fuga         Fuga.swift:10
      2\tHogeApp\t\t\t\t-[Cart load]\tCart\tCart.m:4
      3  HogeApp          main                  0x1022e0000  App.swift:13
      4  UIKitCore        0x18f840c24           0x18f4a0000 + 3804196

      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    let frames = try #require(report.threads.first?.frames)
    #expect(
      frames.map(\.reportedSymbol) == ["JSON.integer(_:)", "Fuga.init(json:)", "-[Cart load]", "main", nil])
    #expect(frames.map(\.reportedLine) == [17, 10, 4, 13, nil])
    #expect(frames.map(\.imageName).prefix(4).allSatisfy { $0 == "HogeApp" })
    #expect(report.exception?.signal == "SIGTRAP" || report.exception?.type == "SIGTRAP")
  }

  @Test("A logger's tag before each line is removed")
  func loggerTags() throws {
    let lines = [
      "LOG ::  report: Incident Identifier: 1", "Process: Moon [12]", "Exception Type:  SIGSEGV",
      "Exception Codes: SEGV_MAPERR at 0x18", "Crashed Thread:  0", "Thread 0 Crashed:",
      "0   Moon   0x0000000100c8a15c rise + 12",
    ]
    let text = lines.map { "[trace] " + $0 }.joined(separator: "\n")
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.header.process == "Moon")
    #expect(report.exception?.subtype == "SEGV_MAPERR at 0x18")
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["rise"])
  }

  @Test("The elapsed time that Flutter's tool puts before each line is removed")
  func elapsedTimes() throws {
    let text = """
      [ +970 ms] * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)
      [        ]   * frame #0: 0x00000001d05f5c38 libobjc.A.dylib`objc_msgSend + 56
      [        ]     frame #1: 0x000000010075ff94 Moon`-[Tide rise] + 12 at Tide.m:148:51
      [   +2 ms]     frame #2: 0x00000001007600c8 Moon`-[Tide fall] + 24 at Tide.m:159:38
      [        ]     frame #3: 0x00000001ebf51b2c Photos`-[PHImageManager load] + 128
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(
      report.threads.first?.frames.map(\.reportedSymbol)
        == ["objc_msgSend", "-[Tide rise]", "-[Tide fall]", "-[PHImageManager load]"])
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
  }

  @Test("A tracker's heading without frames gives the crashed thread below its queue")
  func emptyHeading() throws {
    let text = """
      Crashed: com.apple.main-thread

      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Codes: 0x0000000000000001, 0x91003d0891000409

      Thread 0 Crashed:
      0   libobjc.A.dylib   0x000000018d0b0a4c class_conformsToProtocol + 104
      1   Moon              0x0000000104fa9ad0 Tide.rise() + 356 (Tide.swift:289)
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.threads.count == 1)
    #expect(report.threads.first?.queue == "com.apple.main-thread")
    #expect(
      report.threads.first?.frames.map(\.reportedSymbol) == ["class_conformsToProtocol", "Tide.rise()"])
  }

  @Test("The reason that a handler prints above the stack is the exception's")
  func printedReason() throws {
    let text = """
      CRASH: The tide is not allowed to rise here.
      Stack Trace: (
      \t0   CoreFoundation                      0x00000001983be754 __exceptionPreprocess + 176
      \t1   libobjc.A.dylib                     0x0000000197e1c654 objc_exception_throw + 88
      \t2   Moon                                0x0000000103cc06c0 -[Tide rise] + 112
      )
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.uncaughtException?.reason == "The tide is not allowed to rise here.")
    #expect(report.threads.first?.frames.count == 3 || report.lastExceptionBacktrace.count == 3)
  }

  @Test("The name of a service that Docker Compose puts before each line is removed")
  func serviceTags() throws {
    let lines = [
      "*** Signal 4: Backtracing from 0x5c76c4306a32... done ***", "",
      "*** Program crashed: Illegal instruction at 0x00005c76c4306a32 ***", "", "Thread 3 crashed:", "",
      "0 0x00005c76c4306a32 Moon.rise() + 12 in moon at /src/Moon.swift:7:3",
    ]
    let report = try CrashReport(parsing: Array(lines.map { "moon-1  | " + $0 }.joined(separator: "\n").utf8))
    #expect(report.crashedThread.map { report.threads[$0].frames.first?.reportedLine } == 7)
    // A table's column isn't the name of a service.
    let table =
      "Exception Type: SIGSEGV\nThread 0 Crashed:\nMoon-1 | rise + 12\nMoon-1 | set + 12\nMoon-1 | main + 3\n"
    #expect(try CrashReport(parsing: Array(table.utf8)).notes.isEmpty)
  }

  @Test(
    "LLDB's stop and its backtrace of the same thread are one list; its note about optimization is no frame")
  func stopThenBacktrace() throws {
    let text = """
      libMoon.dylib was compiled with optimization - stepping may behave oddly; variables may not be available.
      * thread #9, stop reason = signal SIGABRT
          frame #0: 0x00007fff6787e2c2 libsystem_kernel.dylib`__pthread_kill + 10
      Target 0: (moon) stopped.
      (lldb) bt
      * thread #9, stop reason = signal SIGABRT
        * frame #0: 0x00007fff6787e2c2 libsystem_kernel.dylib`__pthread_kill + 10
          frame #1: 0x0000000100073138 moon`rise(height=0x1) at moon.c:12
      * thread #10
          frame #0: 0x00007fff6787e2c2 libsystem_kernel.dylib`__pthread_kill + 10

      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.threads.map(\.index) == [9, 10])
    #expect(
      report.threads.map { $0.frames.map(\.reportedSymbol) } == [
        ["__pthread_kill", "rise"], ["__pthread_kill"],
      ])
  }

  @Test("Julia's stack has functions, places and bare addresses")
  func julia() throws {
    let text = """
      signal (11.2): Segmentation fault: 11
      in expression starting at /src/moon.jl:95
      ^ at ./math.jl:0 [inlined]
      rise at /src/Moon.jl/src/rise.jl:11
      unknown function (ip: 0x1167d539b)
      jl_apply_generic at /lib/julia/libjulia-internal.1.7.dylib (unknown line)

      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.exception?.type == "SIGSEGV")
    let frames = try #require(report.threads.first?.frames)
    #expect(frames.map(\.reportedSymbol) == ["^", "rise", nil, "jl_apply_generic"])
    #expect(frames[1].reportedLine == 11 && frames[1].isManaged)
    #expect(frames[2].address?.rawValue == 0x1_167d_539b)
    #expect(frames[3].imageName == "libjulia-internal.1.7.dylib")
    let prose = try? CrashReport(parsing: Array("signal (11): is what the shell says\n".utf8))
    #expect(prose?.exception == nil)
  }

  @Test("R states the signal, the address and the calls")
  func statistics() throws {
    let text = """
      > library(moon)
       *** caught segfault ***
      address 0x18, cause 'memory not mapped'

      Traceback:
       1: dyn.load(dll_file)
       2: moon::rise("semi")

      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.exception?.type == "SIGSEGV")
    #expect(report.exception?.subtype?.contains("0x18") ?? false)
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["dyn.load", "moon::rise"])
  }

  @Test("RunningBoard's status in a sentence names the kill")
  func runningBoard() throws {
    let text = "It was killed: **`RBSProcessExitStatus domain:jetsam(1) code:per-process-limit(7)`**"
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.termination?.code == 7)
  }

  @Test("A header's fields aren't text around the report")
  func fieldsAreNoSurroundings() throws {
    let text =
      "Incident Identifier: 1\nProcess: App [1]\nException Type: EXC_BAD_ACCESS (SIGSEGV)\nThe app went away when the list was scrolled\n"
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.header.process == "App")
    #expect(report.systemRemarks.map(\.text) == ["The app went away when the list was scrolled"])
  }

  @Test("A sentence names the exception and the function, or what the system ended the app for")
  func sentences() throws {
    let fault =
      "The model died: `EXC_BAD_ACCESS (SIGSEGV) KERN_INVALID_ADDRESS at 0x8` in `moon_encoder_set` at once."
    let report = try #require(try CrashReport.parse(Array(fault.utf8)).first)
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.subtype == "KERN_INVALID_ADDRESS at 0x8")
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["moon_encoder_set"])
    let chain =
      "- Exception: `EXC_BREAKPOINT (SIGTRAP)` via `_dispatch_assert_queue_fail` ← `_swift_task_checkIsolatedSwift` (a check)"
    let check = try #require(try CrashReport.parse(Array(chain.utf8)).first)
    #expect(
      check.threads.first?.frames.map(\.reportedSymbol)
        == ["_dispatch_assert_queue_fail", "_swift_task_checkIsolatedSwift"])
    let kill = try #require(
      try CrashReport.parse(Array("Fixes a crash: `RUNNINGBOARD 0xdead10cc` in a read.".utf8)).first)
    #expect(kill.termination?.code == 0xdead_10cc)
    #expect(throws: ReportError.unrecognised) {
      try CrashReport.parse(Array("Here `EXC_BREAKPOINT` stops a program, and `moon_encoder_set` too.".utf8))
    }
    let address = try #require(
      try CrashReport.parse(Array("- Crash: SIGSEGV, fault address 0x18, com.apple.main-thread".utf8)).first)
    #expect(address.exception?.subtype == "at 0x18")
  }

  @Test("Rows may lack the function, or have the image before a colon, or no blank before the offset")
  func rows() throws {
    func frames(_ text: String) throws -> [Frame] {
      try #require(try CrashReport.parse(Array(text.utf8)).first?.threads.first?.frames)
    }
    let nameless = try frames(
      "EXC_BREAKPOINT\n0  libswiftCore.dylib  _assertionFailure(_:_:file:line:flags:)\n1  SwiftData\n2  Moon\n4 Apples"
    )
    #expect(nameless.map(\.imageName) == ["libswiftCore.dylib", "SwiftData", "Moon"])
    #expect(nameless.map(\.reportedSymbol).dropFirst() == [nil, nil])
    let labelled = try frames(
      "CoreFoundation: __exceptionPreprocess + 164\nlibobjc.A.dylib: objc_exception_throw + 88\nAppKit: -[NSView layout] + 24"
    )
    #expect(labelled.map(\.imageName) == ["CoreFoundation", "libobjc.A.dylib", "AppKit"])
    #expect(
      labelled.map(\.reportedSymbol) == ["__exceptionPreprocess", "objc_exception_throw", "-[NSView layout]"])
    let close = try frames(
      "_CF_forwarding_prep_0 +92\nswift_dynamicCast +92\nclosure #1 in moonBootstrap() +280")
    #expect(
      close.map(\.reportedSymbol) == [
        "_CF_forwarding_prep_0", "swift_dynamicCast", "closure #1 in moonBootstrap()",
      ])
    #expect(close.map(\.reportedSymbolOffset) == [92, 92, 280])
    let unnumbered = try frames(
      """
      Exception: EXC_BREAKPOINT (SIGTRAP), Trace/BPT trap: 5
        libswiftCore.dylib  _assertionFailure(_:_:file:line:flags:)
        Moon                closure #1 in variable initialization expression of static NSBundle.module
        Moon                one-time initialization function for module
      """)
    #expect(unnumbered.count == 3)
  }

  @Test("A call in source, with values for its arguments, is no frame")
  func sourceIsNoFrame() throws {
    let text = """
      Thread 1: Fatal error: moon
      _data.setValue(forKey: \\.name, to: value)
      _registrar.access(self, keyPath: \\.name)
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.threads.flatMap(\.frames).isEmpty)
  }

  @Test(".NET's debugger names the unhandled exception and its message")
  func unhandledException() throws {
    let text =
      "An unhandled exception of type 'System.InvalidOperationException' occurred in Moon.dll: 'Unable to rise'"
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.uncaughtException?.name == "System.InvalidOperationException")
    #expect(report.uncaughtException?.reason == "Unable to rise")
  }

  @Test("The title that Xcode's navigator copies names the thread and its queue")
  func copiedTitle() throws {
    let text = """
      Thread 5 Queue : com.example.moon (serial)
      #0\t0x00000001a2b3c4d8 in -[NSTableRowData _removeRowViewForRow:] ()
      #1\t0x0000000104a1b2c4 in -[Moon reload] at /Moon.m:64
      """
    let thread = try #require(try CrashReport.parse(Array(text.utf8)).first?.threads.first)
    #expect(thread.index == 5 && thread.queue == "com.example.moon" && thread.frames.count == 2)
  }

  @Test("A list without images ends in a function, not in an image")
  func lastFunction() throws {
    let text = """
      EXC_BREAKPOINT (SIGTRAP)
      0 _assertionFailure(_:_:file:line:flags:)
      1 closure #1 in Moon.rise()
      2 _pthread_wqthread
      3 start_wqthread
      """
    let last = try #require(try CrashReport.parse(Array(text.utf8)).first?.threads.first?.frames.last)
    #expect(last.reportedSymbol == "start_wqthread" && last.imageName == nil)
  }

  @Test("Generated code without a line keeps its name")
  func generatedCode() throws {
    let text = """
      0   libswiftCore.dylib   0x00000001b805da84 swift_allocObject + 52
      1   Moon   0x0000000104a1b2c4 specialized Collection.map<A, B>(_:) (<compiler-generated>)
      """
    let frame = try #require(try CrashReport.parse(Array(text.utf8)).first?.threads.first?.frames.last)
    #expect(frame.reportedSymbol == "specialized Collection.map<A, B>(_:)")
    #expect(frame.reportedFile == "<compiler-generated>")
  }

  @Test("Frames as Bugsnag writes them, methods with a blank after the sign, and Cr4shed's call stack")
  func otherTrackers() throws {
    let bugsnag = """
      EXC_BAD_INSTRUCTION
          Frameworks/libswiftCore.dylib:0 - swift_release
          moon/Tide.swift:27 - -[Tide rise]
      """
    let frames = try #require(try CrashReport.parse(Array(bugsnag.utf8)).first?.threads.first?.frames)
    #expect(frames.map(\.imageName) == ["libswiftCore.dylib", nil])
    #expect(frames.last?.reportedSymbol == "-[Tide rise]" && frames.last?.reportedLine == 27)
    let spaced = """
      EXC_BAD_ACCESS
      - [UIView layoutSubviews]
      - [Moon rise:] + 12
      """
    let methods = try #require(try CrashReport.parse(Array(spaced.utf8)).first?.threads.first?.frames)
    #expect(methods.map(\.reportedSymbol) == ["-[UIView layoutSubviews]", "-[Moon rise:]"])
    let cr4shed = """
      Process: Moon
      Bundle id: com.example.moon
      Exception type: EXC_BREAKPOINT (SIGTRAP)
      Triggered by thread: 1
      Thread name: Dispatch queue: com.example.tide
      Call stack:
      0   libsqlite3.dylib 0x00000001c431a14c 0x1c4311000 + 37196 // sqlite3_exec
      1   Moon 0x000000010218f908 0x1020f8000 + 620808 // -[Tide rise]
      """
    let reports = try CrashReport.parse(Array(cr4shed.utf8))
    let thread = try #require(reports.first?.threads.first)
    #expect(reports.count == 1 && thread.index == 1 && thread.isCrashed && thread.frames.count == 2)
    #expect(thread.queue == "com.example.tide")
  }

  @Test("The function in a page's heading is no part of the list below it")
  func headingAboveList() throws {
    let text = """
      Moon.m line 94
      -[Moon rise]

      Crashed: com.example.tide
      0  libdispatch.dylib  0x391e681e _dispatch_semaphore_dispose + 41
      1  Moon               0x0019d56b -[Moon rise] (Moon.m:94)
      """
    let thread = try #require(try CrashReport.parse(Array(text.utf8)).first?.threads.first)
    #expect(thread.frames.map(\.number) == [0, 1])
  }

  @Test("Rust's message belongs to the place above it, in a log before a report, too")
  func panicAboveReport() throws {
    let text = """
      thread 'main' (32) panicked at src/moon.rs:12:5:
      Failed to rise: no tide
      note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

      Process: Moon [12]
      Exception Type: EXC_CRASH (SIGABRT)
      Termination Reason: Namespace SIGNAL, Code 6, Abort trap: 6

      Thread 0 Crashed:
      0   Moon   0x0000000100001000 core::panicking::panic_cannot_unwind + 24
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(
      report.applicationSpecificInformation == [
        "thread 'main' (32) panicked at src/moon.rs:12:5:", "Failed to rise: no tide",
      ])
  }

  @Test("The stack that Unity prints of a log call isn't the exception's")
  func unityLog() throws {
    let text = """
      System.NullReferenceException: Object reference not set to an instance of an object.
        at Moon.Tide.Rise (Moon.Shore shore) [0x00000] in <00000000000000000000000000000000>:0
        at Moon.Sea.Update () [0x00000] in <00000000000000000000000000000000>:0
      Moon.Logger:LogException(Exception)
      Moon.Logger:Throw()
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.threads.isEmpty)
    #expect(
      report.applicationSpecificBacktraces.first?.map(\.reportedSymbol) == [
        "Moon.Tide.Rise", "Moon.Sea.Update",
      ])
  }

  @Test("The title of the crashed thread names it above a list of names, too")
  func titleOfNames() throws {
    let text = """
      It is an `EXC_BAD_ACCESS (SIGSEGV)` in the background:
      Thread 7 Crashed:: QThread
      ...
      Tide::fromData(QByteArray const&, Tide::Format)
      Tide::Configuration::Configuration()
      Moon::rise() + 303
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    let thread = try #require(report.threads.first)
    #expect(thread.index == 7 && thread.isCrashed && thread.name == "QThread")
    #expect(thread.frames.count == 3)
  }

  @Test("The older dynamic linker's line without a number, and Go's line of the signal")
  func linkerWithoutNumber() throws {
    let text = """
      dyld: missing LC_UUID load command in /tmp/tide.test
      signal: abort trap
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.exception?.type == "SIGABRT")
    #expect(report.termination?.details == ["missing LC_UUID load command in /tmp/tide.test"])
  }

  @Test(
    "A shell names the program that a signal ended",
    arguments: [
      "sh: line 1: 11543 Segmentation fault: 11  /opt/moon/tide -v", "[1]    12218 abort      ./tide rise",
      "zsh: segmentation fault  ./tide",
    ])
  func shellProgram(_ line: String) throws {
    #expect(try CrashReport.parse(Array(line.utf8)).first?.header.process == "tide")
  }

  @Test("A panic's text is read from the member alone")
  func panicMember() throws {
    let text =
      #"  "panicString" : "panic(cpu 1 caller 0xfffffff025aab984): high tide @moon.c:12\nDebugger message: panic","#
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.kind == .panic)
    #expect(report.exception?.message == "high tide")
  }

  @Test("A line that is an address is none")
  func lineIsAddress() throws {
    let text = """
      Fatal Exception: NSRangeException
      0  CoreFoundation  0x83f20 __exceptionPreprocess
      1  Moon            0xf11ca4 Tide.rise() (Tide.swift:4346124372)
      """
    let frame = try #require(try CrashReport.parse(Array(text.utf8)).first?.lastExceptionBacktrace.last)
    #expect(frame.reportedFile == "Tide.swift")
    #expect(frame.reportedLine == nil)
  }
}
