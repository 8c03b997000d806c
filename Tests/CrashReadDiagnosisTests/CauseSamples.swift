import CrashReadReports
import CrashReadSymbolication

private let place = app(function("f()", "/a.swift", 3))
private let stopping = app(function("stop()", "/a.swift", 9))

/// Reports whose causes need more than the exception's code.
let causeSamples = swiftCauses + libraryCauses + pointerCauses + frameCauses + reporterCauses

private let swiftCauses = [
  RuleSample(
    "swift-error-at-top-level", "Uncaught Swift error: App.E.broken",
    swiftTrap.says("App/main.swift:7: Fatal error: Error raised at top level: App.E.broken")),
  RuleSample(
    "swift-unowned-reference", "Use of an `unowned` reference to a freed object",
    abort.says(
      "Fatal error: Attempted to read an unowned reference but object 0x6000 was already deallocated")),
  RuleSample(
    "swift-escaped-deinit", "An object was kept beyond its own deinit",
    abort.says(
      "Fatal error: Object 0x6000 deallocated with retain count 2, reference may have escaped from deinit.")),
  RuleSample(
    "swift-continuation-misuse",
    "The continuation of load() was resumed more than once",
    swiftTrap.says(
      "_Concurrency/CheckedContinuation.swift:1: Fatal error: SWIFT TASK CONTINUATION MISUSE: load() tried to "
        + "resume its continuation more than once")),
  RuleSample(
    "swift-actor-isolation", "Code of an actor ran elsewhere: Expected same executor as MainActor.",
    swiftTrap.says(
      "Fatal error: Incorrect actor executor assumption; Expected same executor as MainActor.")),
  RuleSample(
    "actor-isolation-frames", "Code of an actor ran on the wrong thread",
    swiftTrap.crashed(system("_dispatch_assert_queue_fail"), system("swift_task_checkIsolatedImpl"), place)),
  RuleSample(
    "swift-exclusivity-frames", "Overlapping accesses to one variable",
    abort.crashed(system("__pthread_kill"), system("swift::runtime::AccessSet::insert(void)"), place)),
  RuleSample(
    "swift-try-frames", "`try!` failed", swiftTrap.crashed(system("swift_unexpectedError"), place)),
  RuleSample(
    "swift-cast-frames", "Forced cast failed",
    abort.crashed(system("abort"), system("swift_dynamicCast"), place)),
  RuleSample(
    "bad-pointer-dereference", "Access to invalid memory at 0x0000aaaac1d20000",
    SampleReport("SIGSEGV", nil, cpu: "arm64").message("Bad pointer dereference at 0x0000aaaac1d20000")),
]

private let libraryCauses = [
  RuleSample(
    "abort-during-exit", "A thread was still running while the process was exiting",
    abort.crashed(system("__pthread_kill"), system("abort"), place).thread(system("exit"), stopping)),
  RuleSample(
    "wrong-queue", "Code ran on the wrong queue; expected [com.apple.main-thread (0x1)]",
    swiftTrap.says(
      "BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was expected to execute on queue "
        + "[com.apple.main-thread (0x1)]")),
  RuleSample(
    "forbidden-queue", "Code ran on a queue it must not run on: [q (0x1)]",
    swiftTrap.says(
      "BUG IN CLIENT OF LIBDISPATCH: Assertion failed: Block was not expected to execute on queue [q (0x1)]")),
  RuleSample(
    "queue-waits-for-itself", "Deadlock: a queue waits for itself",
    swiftTrap.says(
      "BUG IN CLIENT OF LIBDISPATCH: dispatch_sync called on queue already owned by current thread")),
  RuleSample(
    "recursive-lock", "Deadlock: a thread takes a lock it already holds",
    swiftTrap.says("BUG IN CLIENT OF LIBPLATFORM: Trying to recursively lock an os_unfair_lock")),
  RuleSample(
    "lock-not-held", "A thread releases a lock it does not hold",
    swiftTrap.says("BUG IN CLIENT OF LIBPLATFORM: Unlock of an os_unfair_lock not owned by current thread")),
  RuleSample(
    "lock-corrupt", "A lock is corrupt: the thread it names as its owner does not exist",
    swiftTrap.says("BUG IN CLIENT OF LIBPLATFORM: os_unfair_lock is corrupt")),
  RuleSample(
    "too-many-threads", "Too many threads",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: Process has too many threads")),
  RuleSample(
    "zombie-message", "Message to a freed object: -[Document title]",
    swiftTrap.says("*** -[Document title]: message sent to deallocated instance 0x600001d54120")),
]

private let pointerCauses = [
  RuleSample(
    "stack-deep-recursion", "Stack overflow, as the repeating frames show",
    fault(0x1_6f00_0000).crashed(Array(repeating: place, count: 120))),
  RuleSample(
    "freed-memory-value", "Use of freed memory: pointer 0x5555555555555565", fault(0x5555_5555_5555_5565)),
  RuleSample("freed-memory-value", "Use of freed memory: pointer 0x5555555d", fault(0x5555_555d, cpu: "ARM")),
  RuleSample(
    "fresh-memory-value", "Use of memory that was never set: pointer 0xaaaaaaaaaaaaaaaa",
    fault(0xaaaa_aaaa_aaaa_aaaa)),
  RuleSample(
    "lock-as-pointer", "A lock's memory was used as a pointer: 0x4d555460", fault(0x4d55_5460)),
  RuleSample(
    "text-as-pointer", "Text used as a pointer: 0x646c726f57206f6c", fault(0x646c_726f_5720_6f6c)),
  RuleSample(
    "short-text-as-pointer", "Bad pointer 0x6f6c6c6548207e, which may be text", fault(0x6f_6c6c_6548_207e)),
  RuleSample(
    "short-text-as-pointer", "Bad pointer 0x6c206e75, which may be text", fault(0x6c20_6e75, cpu: "ARM")),
  RuleSample(
    "missing-root-symbol", "A library took the place of one of the system (0xbad4007)", fault(0xbad_4007)),
  RuleSample(
    "malformed-address-go", "A malformed (non-canonical) pointer; Go prints a placeholder for it",
    SampleReport("SIGSEGV", cpu: "X86-64").subtype("at 0xb01dfacedebac1e")),
  RuleSample("webkit-crash", "WebKit stopped itself (0xbbadbeef)", fault(0xbbad_beef)),
  RuleSample(
    "mapped-file-too-short", "Mapped memory has no backing store at 0x7ffff7fbf000",
    SampleReport("EXC_BAD_ACCESS", "SIGBUS", cpu: "X86-64").subtype("BUS_ADRERR at 0x00007ffff7fbf000")),
  RuleSample("negative-address", "Bad pointer 0xffffffffffffffff", fault(.max)),
  RuleSample(
    "code-as-pointer", "Bad pointer 0xa9417bfd97fffc5b, which is machine code", fault(0xa941_7bfd_97ff_fc5b)),
  RuleSample("impossible-address", "Bad pointer 0xffff55553da638f3", fault(0xffff_5555_3da6_38f3)),
  RuleSample(
    "general-protection-fault", "General protection fault",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 0, 0, cpu: "X86-64").crashed(place).registers([
      "rip": 0x1_0000_2000, "cr2": 0, "err": 0, "trap": 13,
    ])),
  RuleSample(
    "exception-type", "EXC_BAD_ACCESS (SIGSEGV)",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: 0, 0, cpu: "X86-64")),
]

private let frameCauses = [
  RuleSample(
    "assertion-frames", "An assertion failed",
    abort.crashed(system("abort"), system("__assert_rtn"), place)),
  RuleSample(
    "stack-smashed", "A buffer on the stack was overrun",
    abort.crashed(system("abort"), system("__stack_chk_fail"), place)),
  RuleSample(
    "buffer-check-failed", "A library call would have overrun a buffer",
    abort.crashed(system("abort"), system("__chk_fail"), place)),
  RuleSample(
    "heap-corruption-frames", "Heap corruption: the allocator stopped the program",
    abort.crashed(system("abort"), system("malloc_printerr"), system("free"), place)),
  RuleSample(
    "pure-virtual-call", "Call of a pure virtual function",
    abort.crashed(system("abort"), system("_ZSt9terminatev"), system("__cxa_pure_virtual"), place)),
  RuleSample(
    "rust-panic", "Rust code panicked",
    abort.crashed(system("abort"), system("rust_panic"), place)),
  RuleSample(
    "objc-exception-frames", "Uncaught Objective-C exception",
    abort.crashed(system("__pthread_kill"), system("objc_exception_throw"), place)),
  RuleSample(
    "signal-raised", "The program sent itself a signal: SIGSEGV",
    SampleReport("EXC_CRASH", "SIGSEGV", codes: 0, 0).crashed(
      system("__pthread_kill"), system("raise"), place)),
  RuleSample(
    "objc-runtime-frames", "The Objective-C runtime stopped the program",
    SampleReport().crashed(system("_objc_trap"), system("_objc_fatal"), place)),
  RuleSample(
    "recorded-exception", "Uncaught exception, recorded by Crashlytics",
    SampleReport().crashed(app(function("CLSHandler"))).queue(
      "com.google.firebase.crashlytics.ios.exception", of: 0)),
  RuleSample(
    "swift-release-frames", "Crash while a Swift object's references or type were read",
    SampleReport().crashed(system("_swift_release_dealloc"), place)),
  RuleSample(
    "swift-frame-only", "Stopped in Swift code: most likely a runtime check",
    SampleReport().crashed(app(function("Cart.remove(_:)")), place)),
  RuleSample(
    "message-frames", "Crash in objc_msgSend", SampleReport().crashed(system("objc_msgSend"), place)),
  RuleSample(
    "sigkill-unexplained", "SIGKILL: something ended the process from outside", SampleReport("SIGKILL")),
  RuleSample(
    "unreal-raised", "Unreal ended itself on purpose",
    fault(3).crashed(system("FGenericPlatformMisc::RaiseException(unsigned int)"), place)),
  RuleSample(
    "signal", "SIGBUS", SampleReport().termination("SIGNAL", 7).system("Linux 6.1")),
]
