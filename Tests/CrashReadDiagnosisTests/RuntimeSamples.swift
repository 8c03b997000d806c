import CrashReadCore
import CrashReadReports
import CrashReadSymbolication

private let place = app(function("f()", "/a.swift", 3))

/// A frame without a name, of which the image is known.
private func nameless(_ image: String) -> ResolvedFrame {
  var frame = system(nil)
  frame.captured.imageName = image
  return frame
}

/// Reports of programs that a runtime stopped, and of values that show the kind of a pointer.
let runtimeSamples =
  libraryStops + rustStops + engineStops + languageStops + valueCauses + imageCauses

private let libraryStops = [
  RuleSample(
    "libcxx-hardening", "C++ standard library check failed: __n < size()",
    abort.says("/v1/vector:393: libc++ Hardening assertion __n < size() failed: vector[] index out of bounds")
  ),
  RuleSample(
    "libcxx-trap", "libc++: vector[] index out of bounds",
    swiftTrap.crashed(
      app(function("__clang_trap_msg$libc++$vector[] index out of bounds"), function("f()", "/a.cpp", 3)))),
  RuleSample(
    "libcxx-hardening-frames", "C++ standard library check failed",
    abort.crashed(system("abort"), system("std::__1::__libcpp_verbose_abort(char const*, ...)"), place)),
  RuleSample(
    "stack-smashed-text", "A buffer on the stack was overrun", abort.says("stack buffer overflow")),
  RuleSample(
    "os-assert", "System library assertion failed in libxpc.dylib + 57356",
    swiftTrap.says("assertion failed: 17F77: libxpc.dylib + 57356 [AB]: 0x89")),
  RuleSample(
    "os-assert-frames", "System library assertion failed",
    swiftTrap.crashed(system("_os_crash_fmt"), system("_os_assert_log"), place)),
  RuleSample(
    "objc-runtime-abort", "The Objective-C runtime stopped the program",
    abort.crashed(
      system("__abort_with_payload"), system("abort_with_payload_wrapper_internal"),
      system("abort_with_reason"),
      system("_objc_fatalv"), system("_objc_fatal"), place)),
  RuleSample(
    "abort-with-reason", "The program ended itself and said why",
    abort.crashed(system("__abort_with_payload"), system("abort_with_payload_wrapper_internal"), place)),
  RuleSample(
    "heap-not-allocated-frames", "Invalid free: the pointer being freed was not allocated",
    swiftTrap.crashed(system("___BUG_IN_CLIENT_OF_LIBMALLOC_POINTER_BEING_FREED_WAS_NOT_ALLOCATED"), place)),
  RuleSample(
    "heap-corruption-image", "Heap corruption: the allocator stopped the program",
    abort.crashed(nameless("libsystem_c.dylib"), nameless("libsystem_malloc.dylib"), place)),
  RuleSample(
    "metal-stop", "Metal stopped the program: a check of its use failed",
    abort.crashed(system("abort"), system("MTLReportFailure"), place)),
  RuleSample(
    "dyld-assertion", "The dynamic linker stopped on a check of its own: hasPlace",
    abort.termination(
      "DYLD", nil, details: "DYLD, Assertion failed: (hasPlace), function applyTides_block_invoke, ")),
  RuleSample(
    "dyld-halt", "dyld stopped the program at launch: a library could not be loaded",
    swiftTrap.crashed(system("halt"), system("load_library_image"), system("_dyld_init"))),
  RuleSample(
    "dyld-lazy-symbol", "dyld stopped the program: a function it called for the first time is missing",
    SampleReport().crashed(
      system("__abort_with_payload"), system("dyld::halt(char const*)"),
      system("dyld::fastBindLazySymbol(ImageLoader**, unsigned long)"), place)),
  RuleSample(
    "chromium-check-nameless", "Chromium, V8 or Node.js stopped itself: a check failed",
    swiftTrap.crashed(nameless("Electron Framework"), nameless("Electron Framework"))),
  RuleSample(
    "chromium-check-thread", "Chromium, V8 or Node.js stopped itself: a check failed",
    swiftTrap.crashed(nameless("Tide"), nameless("Tide")).named("CrBrowserMain", thread: 0)),
]

private let rustStops = [
  RuleSample(
    "rust-panic-message", "Rust panic at src/main.rs:4:5: no luck",
    abort.says("thread 'main' panicked at src/main.rs:4:5: no luck")),
  RuleSample(
    "rust-index", "Rust panic: index out of bounds",
    abort.crashed(system("rust_panic"), system("core::panicking::panic_bounds_check"), place)),
  RuleSample(
    "rust-unwrap", "Rust panic: unwrap of None or of an error",
    abort.crashed(system("rust_panic"), system("core::option::unwrap_failed"), place)),
  RuleSample(
    "rust-null", "Rust panic: null or misaligned pointer",
    abort.crashed(system("core::panicking::panic_null_pointer_dereference"), place)),
  RuleSample(
    "rust-no-unwind", "Rust panic that was not allowed to unwind",
    abort.crashed(system("core::panicking::panic_cannot_unwind"), place)),
  RuleSample(
    "rust-panic-twice", "Rust code panicked while another panic was unwinding",
    swiftTrap.crashed(
      system("std::panicking::rust_panic_with_hook"), system("std::panicking::begin_panic"), place)),
]

private let engineStops = [
  RuleSample(
    "chromium-check", "Chromium, V8 or Node.js stopped itself: a check failed",
    swiftTrap.crashed(system("logging::CheckError::~CheckError()"), place)),
  RuleSample(
    "engine-out-of-memory", "The engine ran out of memory",
    swiftTrap.crashed(
      system("v8::base::FatalOOM"), system("v8::internal::V8::FatalProcessOutOfMemory"), place)),
  RuleSample(
    "webkit-check", "WebKit stopped itself: a check failed",
    swiftTrap.crashed(system("WTFCrashWithInfo"), place)),
  RuleSample(
    "flutter-fatal", "The Flutter engine or the Dart VM stopped itself",
    abort.crashed(system("abort"), system("fml::KillProcess()"), place)),
  RuleSample(
    "react-native-fatal", "React Native ended the app after a fatal JavaScript error",
    abort.thrown(at: system("objc_exception_throw"), system("RCTFatal"), place)),
  RuleSample(
    "react-native-exceptions-queue", "React Native ended the app after a fatal JavaScript error",
    abort.crashed(nameless("libsystem_kernel.dylib"), place)
      .queue("com.facebook.react.ExceptionsManagerQueue", of: 0)),
]

private let languageStops = [
  RuleSample(
    "dotnet-exception", "Uncaught .NET exception",
    abort.crashed(system("abort"), system("xamarin_process_managed_exception"), place)),
  RuleSample(
    "dotnet-stopped", "The .NET runtime ended the program",
    abort.crashed(system("abort"), system("monoeg_g_log"), system("load_aot_module"), place)),
  RuleSample(
    "mono-native-dump", "SIGSEGV in native code of a .NET program",
    SampleReport(nil, "SIGSEGV").says("Got a SIGSEGV while executing native code. This usually indicates")
      .crashed(
        system("mono_dump_native_crash_info"), system("_sigtramp"), system("tide"))),
  RuleSample(
    "mono-handler-fault", "Mono's crash handler crashed itself",
    SampleReport("EXC_BAD_ACCESS", "SIGSEGV").subtype("KERN_PROTECTION_FAILURE at 0x000000010eff40f8")
      .crashed(
        system("mono_threads_summarize_execute"), system("mono_handle_native_crash"), system("_sigtramp"),
        place)),
  RuleSample(
    "mono-crash-handler", "The .NET runtime reported a native fault and ended the program",
    abort.crashed(system("abort"), system("mono_handle_native_crash"), system("_sigtramp"), place)),
  RuleSample(
    "go-fatal", "Go runtime ended the program: panic or fatal error",
    abort.crashed(system("runtime.raise"), system("runtime.dieFromSignal"), place)),
  RuleSample(
    "kotlin-exception", "Uncaught Kotlin exception",
    abort.crashed(
      system("abort"), system("konan::abort()"),
      system("(anonymous namespace)::terminateWithUnhandledException(ObjHeader*)"), place)),
  RuleSample(
    "dart-error-recorded", "A Dart error that the app recorded as fatal",
    SampleReport().uncaught("FlutterError", "Bad state: No tide")),
  RuleSample(
    "signal-handler-frames", "A signal interrupted the program; which one the report does not say",
    SampleReport().crashed(system("tide_dialog"), system("_sigtramp"), place)),
  RuleSample(
    "kotlin-runtime-check", "Kotlin/Native failed a check of its own runtime",
    abort.crashed(
      system("abort"), system("konan::abort()"), system("RuntimeAssertFailed(char const*, char const*)"),
      place)),
  RuleSample(
    "kotlin-terminate", "Kotlin/Native ended the program",
    abort.crashed(system("abort"), system("KonanTerminateHandler()"), place)),
  RuleSample(
    "java-fatal", "The Java virtual machine reported a fatal error and ended the program",
    abort.crashed(system("abort"), system("VMError::report_and_die(int)"), place)),
  RuleSample(
    "unity-fatal", "Unity ended the program",
    abort.crashed(system("abort"), system("il2cpp::vm::Exception::Raise"), place)),
  RuleSample(
    "python-fatal", "Python ended the program: fatal error",
    abort.crashed(system("abort"), system("_Py_FatalErrorFormat"), place)),
  RuleSample(
    "qt-fatal", "Qt ended the program: fatal message or assertion",
    abort.crashed(system("abort"), system("QMessageLogger::fatal(char const*, ...) const"), place)),
]

private let valueCauses = [
  RuleSample(
    "message-to-number", "Message to 0x12, which is not an object",
    fault(0x12).crashed(system("objc_msgSend"), place)),
  RuleSample(
    "message-to-number", "Message to 0x7, which is not an object",
    fault(0x7).crashed(system("objc_msgSend"), place).registers(["x0": 7])),
  RuleSample(
    "message-to-number", "Message to 0x3, which is not an object",
    fault(0x3).crashed(system("objc_retain"), place)),
  RuleSample(
    "message-class-text", "Message to memory that holds text, not an object",
    fault(0x6d65_6e95).crashed(system("objc_msgSend"), place)),
  RuleSample(
    "filled-memory-value", "Pointer overwritten with one repeated byte: 0xa5a5a5ada5a5f7e5",
    fault(0xa5a5_a5ad_a5a5_f7e5).crashed(system("f"))),
  RuleSample(
    "swift-index-inlined", "Swift array index out of range",
    swiftTrap.crashed(
      app(function("Array._checkSubscript(_:wasNativeTypeChecked:)"), function("f()", "/a.swift", 3)))),
  RuleSample(
    "swift-message-length", "Swift fatal error: Unexpectedly found nil while unwrapping an Optional value",
    swiftTrap.crashed(nameless("libswiftCore.dylib"), place).registers(["x21": 57])),
  RuleSample(
    "rosetta-trap", "Rosetta stopped the program",
    SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0x7ff7_fff7_19b0, cpu: "X86-64 (Translated)")
      .crashed(image("runtime"), image("dyld"))),
  RuleSample(
    "undefined-instruction-arm", "Undefined instruction (SIGILL)",
    SampleReport("EXC_BAD_INSTRUCTION", "SIGILL", codes: 1, 0, cpu: "ARM-64").crashed(place)),
  RuleSample(
    "vector-instruction", "Accelerate ran an instruction that the CPU refused",
    SampleReport("EXC_BAD_INSTRUCTION", "SIGILL", codes: 1, 0, cpu: "X86-64").crashed(
      nameless("libvDSP.dylib"), place)),
  RuleSample(
    "translated-instruction", "Instruction that Rosetta did not run",
    SampleReport("EXC_BAD_INSTRUCTION", "SIGILL", codes: 1, 0, cpu: "X86-64 (Translated)").crashed(place)),
]

private let imageCauses = [
  RuleSample(
    "objc-runtime-image", "The Objective-C runtime used something that is not a valid object",
    fault(0x1_28b4_db08).crashed(nameless("libobjc.A.dylib"), place)),
  RuleSample(
    "terminate-images", "Uncaught exception: the C++ runtime ended the program",
    abort.crashed(nameless("libsystem_c.dylib"), nameless("libc++abi.dylib"), place)),
  RuleSample(
    "terminate-reported", "Uncaught exception, recorded by a handler",
    SampleReport().crashed(system("FIRCLSTerminateHandler()"), system("std::terminate()"), place)),
  RuleSample(
    "swift-core-trap", "Swift's standard library stopped the program",
    swiftTrap.crashed(nameless("libswiftCore.dylib"), place)),
]
