import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// A text as the system, a runtime or a reporter writes it, and the expected statement.
private struct Sample: Sendable {
  var text: String
  var kind = ReportKind.crash
  var title: String
  var process: String?
  /// A text that must not be stated anywhere.
  var never: String?
}

private let logs = [
  // The kill follows the soft limit, which alone ends nothing.
  Sample(
    text: """
      memorystatus: org.example.moon exceeded mem limit: ActiveSoft 1536 MB (non-fatal)
      memorystatus: killing_highwater_process [org.example.moon] (highwater 100 17s) 1579568KB
      """,
    kind: .jetsam, title: "Above its own high-water limit", process: "org.example.moon", never: "non-fatal"),
  // No signal came: the VM found the error itself.
  Sample(
    text: """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  Internal Error (tide.cpp:267), pid=29, tid=25347
      #  guarantee(level > 0) failed: no water
      """,
    title: "The Java VM stopped on a check of its own", never: "A signal stopped"),
  // What had raised the exception was unwound before it was thrown again.
  Sample(
    text: """
      Thread 12 Crashed:
      0   libsystem_kernel.dylib          0x1e0a0a1d4 __pthread_kill + 8
      1   libsystem_c.dylib               0x19a2a1f20 abort + 124
      2   libc++abi.dylib                 0x1a8b0d1e0 __abort_message + 132
      3   libobjc.A.dylib                 0x185b6d814 _objc_terminate() + 172
      4   libc++abi.dylib                 0x1a8b0d4e8 __cxa_rethrow + 188
      5   libobjc.A.dylib                 0x185b6d9a8 objc_exception_rethrow + 44
      6   UIKitCore                       0x18d1d0158 -[MoonTide tideDidRise] + 332
      """,
    title: "ncaught", never: "raised it"),
  // The system only called the code without a name, and nobody can change its lines.
  Sample(
    text: """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000000
      Thread 0 Crashed:
      0   Moon         0x1079d30f8 0x10794c000 + 553208
      1   UIKitCore    0x18d1d0158 -[UIViewController loadViewIfRequired] + 968 (UIViewController.m:5057)
      2   UIKitCore    0x18d1d1158 -[UIViewController view] + 24 (UIViewController.m:5079)

      Binary Images:
      0x10794c000 - 0x1098b3fff Moon arm64 <4c4c448155553144a10ccf742b372f8a> /private/var/containers/Bundle/Application/1816F0B2-0577-4E3F-AF9A-D5B6A85F6DC2/Moon.app/Moon
      0x18d144000 - 0x18f68337f UIKitCore arm64e <d80f437f029333b6b76b5f2a74b11cda> /System/Library/PrivateFrameworks/UIKitCore.framework/UIKitCore
      """,
    title: "Null pointer dereference", never: "UIViewController.m"),
  // The name is that of the section.
  Sample(
    text: """
      Thread 10 name: io.flutter.1.ui Crashed:
      0   App    0x10eceed30         kDartVmSnapshotInstructions
      1   App    0x10ef8dc34         kDartIsolateSnapshotInstructions
      2   App    0x10f4b5c8c         kDartIsolateSnapshotInstructions
      3   App    0x10ecf8780         kDartIsolateSnapshotInstructions
      """,
    title: "No known cause", never: "in a row"),
  Sample(
    text: """
      Received signal 11 SEGV_MAPERR 06ac00000574
      0   Moon Framework                      0x0000000117ad7739 base::debug::CollectStackTrace(void**, unsigned long) + 9
      1   Moon Framework                      0x0000000117ad75e1 base::debug::(anonymous namespace)::StackDumpSignalHandler(int, __siginfo*, void*) + 2385
      2   libsystem_platform.dylib            0x00007fff652b242d _sigtramp + 29
      3   Moon Framework                      0x0000000117231c1c moon::Tide::Accept(mojo::Message*) + 1148
      4   Moon Framework                      0x0000000117ebc45f moon::Tide::Rise(mojo::Message*) + 991
      [end of stack trace]
      """,
    title: "Access to unmapped memory at 0x6ac00000574", never: "A signal interrupted"),
  Sample(
    text: """
      Received signal 11 SEGV_MAPERR 000000000010
      #0 0x7f5f5acc9d07 <unknown>
      #1 0x7f5f48ecffe0 <unknown>
        r8: 0000000000000000  r9: 00007f5f48ecffe0
      [end of stack trace]
      """,
    title: "Null pointer dereference at 0x10"),
  // An error is only a finding, and the second stack is that of the block.
  Sample(
    text: """
      ==3275== Invalid read of size 8
      ==3275==    at 0x100003F2C: rise (tide.c:12)
      ==3275==    by 0x100003F80: main (in ./moon)
      ==3275==  Address 0x100b4a0c0 is 0 bytes inside a block of size 16 free'd
      ==3275==    at 0x1001A2F6D: free (in /usr/local/lib/valgrind/vgpreload_memcheck-amd64-darwin.so)
      """,
    kind: .other, title: "Valgrind: access to memory", never: "inside a block of size 16 free'd"),
  // A mail program has wrapped the line.
  Sample(
    text: """
      moon(32200,0x7fff77547960) malloc: *** error for object 0x11195b688: pointer being
      freed was not allocated
      *** set a breakpoint in malloc_error_break to debug
      """,
    title: "that is not an allocated block", process: "moon"),
  // Sentry's title of the exception is on two lines.
  Sample(
    text: """
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Exception Codes: SEGV_NOOP at 0x000000016f1abf68
      Crashed Thread: 39

      Application Specific Information:
      Exception 1, Code 1, Subcode 6158991208 >
      KERN_INVALID_ADDRESS at 0x16f1abf68.

      Thread 39 Crashed:
      0   Moon    0x104d61e64   moon::rise (Tide.cpp:85)
      """,
    title: "0x16f1abf68", never: "the report does not tell"),
  // A stated place shows that the name is the function's own.
  Sample(
    text: """
      Crash reason:  EXC_BREAKPOINT / 0x00000001
      Crash address: 0x10ab7602c

      Thread 0 (crashed)
       0  Electron Framework!v8::internal::MarkCompactCollector::ProcessTides(bool) [mark-compact.cc : 2171 + 0x0]
       1  Electron Framework!v8::internal::Heap::CollectTides() [heap.cc : 200 + 0x2]
      """,
    title: "", never: "exported ones, far from the crash"),
  Sample(
    text: """
      Now, with iOS 10, they look like this:
      Exception Type: EXC_CRASH (SIGKILL)
      Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d
      Triggered by Thread: 0
      """,
    title: "0x8badf00d"),
  // The members of an .ips file as a sentence.
  Sample(
    text: """
      exception:   type EXC_BAD_ACCESS, signal SIGKILL, subtype EXC_ARM_MTE_TAGCHECK_FAIL at 0x07000008db020050
      termination: namespace MTE_FAIL, code 262
      """,
    title: "Memory tag check failed at 0x7000008db020050", never: "no code of it failed"),
  Sample(
    text: """
      Deno has panicked. This is a bug in Deno. Please report this
      at https://github.com/denoland/deno/issues/new.

      thread 'main' panicked at cli/tide.rs:284:7:
      internal error: entered unreachable code
      """,
    title: "Rust panic at cli/tide.rs:284:7"),
  Sample(
    text: """
      launchd[1] (org.example.moon[675]): Could not find and/or execute program specified by service: 155: Refusing to execute/trust quarantined program/file: org.example.moon
      launchd[1] (org.example.moon[675]): Service exited with abnormal code: 78
      """,
    kind: .other, title: "a program that is quarantined: org.example.moon", process: "org.example.moon"),
  Sample(
    text: """
      ==3275== Process terminating with default action of signal 11 (SIGSEGV): dumping core
      ==3275==  Access not within mapped region at address 0x8
      ==3275==    at 0xBD470C: rise (tide.c:871)
      ==3275==    by 0xBE432F: fall (in /opt/moon/main)
      """,
    title: "Null pointer dereference at 0x8", never: "==3275=="),
  Sample(
    text:
      "Third time today: \n\nwatchdog timeout: no checkins from watchdogd in 93 seconds\nBoot faults: wdog\n",
    kind: .panic, title: "Watchdog: no sign of life from user space"),
  Sample(
    text: """
      Sampling process 12 for 3 seconds with 1 millisecond of run time between samples
      Analysis of sampling Moon (pid 12) every 1 millisecond
      Process:         Moon [12]

      Call graph:
          2569 Thread_1447670   DispatchQueue_1: com.apple.main-thread  (serial)
          + 2569 _dispatch_queue_invoke  (in libdispatch.dylib) + 110  [0x7fff88fd09dd]
          +   2569 _dispatch_queue_drain  (in libdispatch
      """,
    kind: .sample, title: "Not a crash", process: "Moon", never: "busy all the time"),
  Sample(
    text: "1: /src/cart.c:3:7: runtime error: load of misaligned address 0x602000000132 for type 'int'\n",
    kind: .other, title: "UndefinedBehaviorSanitizer: load of misaligned address", never: "1: /src"),
  // The thread that got the signal was cut off.
  Sample(
    text: """
      Fatal Python error: Segmentation fault

      Thread 0x0000000170547000 (most recent call first):
        File "/opt/python/selectors.py", line 566 in select
        File "/opt/python/threading.py", line 982 in run
      """,
    title: "Native code in Python's process faulted", never: "selectors"),
  Sample(
    text:
      "The launcher shows \"Assertion failed: (tide > 0), function rise, file tide.c, line 12\" when it starts.\n",
    title: "Assertion failed: tide > 0"),
  Sample(
    text:
      "Mar 21 00:54:39 mac com.apple.xpc.launchd[1] (com.example.moon[98250]): Service exited due to signal: Killed: 9 sent by CoreServicesUIAgent[205]\n",
    kind: .other, title: "Gatekeeper didn't let the program open", process: "com.example.moon"),
  Sample(
    text: """
      Jun 11 14:59:08 mac kernel[0]: Sandbox: tided(7944) deny mach-lookup com.apple.coresymbolicationd
      Jun 11 14:59:11 mac com.apple.launchd.peruser.501[392] ([0x0-0xf60f6].com.example.moon[7940]): Exited: Killed: 9
      """,
    kind: .other, title: "SIGKILL", process: "com.example.moon", never: "mach-lookup"),
  Sample(
    text:
      "Jun 11 14:59:11 mac com.apple.launchd[1] (com.example.moon[7940]): Job appears to have crashed: Segmentation fault: 11\n",
    title: "SIGSEGV", process: "com.example.moon"),
  Sample(
    text: """
      default\t11:04:11.082051 +0800\tkernel\tSandboxViolation: Moon Base(90171) deny(1) mach-lookup com.example.moon-spks
      default\t11:04:11.124118 +0800\tMoon Base\t0x600000465a00 opened /var/folders/mds.db: 4636 bytes
      """,
    kind: .other, title: "The sandbox denied mach-lookup: com.example.moon-spks", process: "Moon Base"),
  Sample(
    text: """
      Panicked task 0xfffffe27356e0e38: 373 pages, 4 threads: pid 350: watchdogd
      Panicked thread: 0xfffffe2169397728, backtrace: 0xfffffe7c18403160, tid: 3926
      \t\t  lr: 0xfffffe002a2593ac  fp: 0xfffffe7c184031f0
      """,
    kind: .panic, title: "Watchdog: a system service", process: "watchdogd"),
  // Below the handler, glibc knows no names in a library that it can't find.
  Sample(
    text: """
      -- C level backtrace information -------------------------------------------
      /opt/ruby/lib/libruby.so.3.2(rb_vm_bugreport+0x4ae) [0x7a62f0e7580e]
      /opt/ruby/lib/libruby.so.3.2(rb_bug_for_fatal_signal+0xf0) [0x7a62f0cc0b70]
      /opt/ruby/lib/libruby.so.3.2(sigsegv+0x46) [0x7a62f0ddb4e6]
      [0x7a62f0842520]
      /opt/gems/tide.so(tide_rise+0x8c) [0x7a62f0e234cc]
      """,
    title: "SIGSEGV"),
  Sample(
    text: """
      thread 81232 panic: start index 20 is larger than end index 12
      /src/lib/std/mem.zig:10:3: 0x10440ecc3 in copy (moon)
          copy(dest);
              ^
      /src/tide.zig:873:28: 0x10440d553 in rise (moon)
          const part = bytes[20..12];
                            ^
      """,
    title: "A Zig index lies outside its slice"),
  Sample(
    text: """
      2026-07-14T16:15:28.7321540Z error: Exited with unexpected signal code 5
      ✘ Test rise() recorded an issue at TideTests.swift:213:9:
        Expectation failed: (tide_exec(raw, nil) → 1) == (TIDE_OK → 0)
      """,
    title: "SIGTRAP", never: "tide_exec"),
  Sample(
    text: """
      default\t12:26:38.075690 -0700\tkernel\tprocess moon base[23629] caught waking the CPU 45005 times over ~3 seconds, averaging 14497 wakes / second and violating a limit of 45000 wakes over 300 seconds.
      default\t12:26:38.075813 -0700\tsymptomsd\tReceived CPU wakes trigger:
        moon base[23629] () woke the CPU 45005 times over 3.10 seconds (average 14497/sec), violating a CPU wakes limit of 45000 over 300 seconds.
      """,
    kind: .resource, title: "Too many wakeups: 45005 in 3 s", process: "moon base"),
  Sample(
    text: """
      kernel[0]: process Moon[60661] caught causing excessive wakeups.
      Observed wakeups rate (per sec): 306;
      Maximum permitted wakeups rate (per sec): 150;
      Observation period: 300 seconds;
      Task lifetime number of wakeups: 2070251
      """,
    kind: .resource, title: "Too many wakeups: 306 a second, the limit is 150 a second", process: "Moon"),
  Sample(
    text:
      "Mar 10 19:39:16 mac kernel[0]: process Moon[163] thread 1624 caught burning CPU! It used more than 50% CPU over 180 seconds\n",
    kind: .resource, title: "Too much CPU time: more than 50% over 180 s", process: "Moon"),
  Sample(
    text: """
      Received (FATAL) CPU usage trigger:
        Moon[848] (/private/var/containers/Moon.app/Moon) used 9.00s of CPU over 9.57 seconds (averaging 94%), violating a CPU usage limit of 9.00s over 15 seconds.
      """,
    kind: .resource, title: "Too much CPU time: 9.00 s in 9.57 s (94%), the limit is 9.00 s over 15 s",
    process: "Moon"),
  Sample(
    text: """
      Aug 12 09:27:46 phone Error 810 Moon error: Failed to load AOT module 'Moon.Tides' while running in aot-only mode: doesn't match assembly.
      Aug 12 09:27:46 phone Notice 35 SpringBoard(FrontBoard) [app:810] Process exited: <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:signal(2) code:SIGABRT(6)>>.
      """,
    title: "Mono refused an assembly's compiled code: Moon.Tides"),
  Sample(
    text: """
      =================================================================
      	Native stacktrace:
      =================================================================
      	0x10e120392 - /Applications/Moon.app/libmonosgen-2.0.dylib : sigabrt_signal_handler
      	0x11eee3dfd - /usr/lib/system/libsystem_platform.dylib : _sigtramp
      	0x11f6576b7 - /usr/lib/system/libsystem_c.dylib : abort
      	0x10dfa7b49 - /Applications/Moon.app/libxamarin-dotnet.dylib : xamarin_unhandled_exception_handler
      """,
    title: "An exception of .NET was not caught"),
  Sample(
    text: "EXC_RESOURCE -> MoonShare[478] exceeded mem limit: ActiveHard 24 MB (fatal)\n",
    title: "Killed: over its memory limit (ActiveHard 24 MB)", process: "MoonShare"),
  Sample(
    text: "EXC_RESOURCE -> MoonShare[478] exceeded mem limit: InactiveSoft 24 MB (non-fatal)\n",
    kind: .resource, title: "Not a crash: over its memory limit", process: "MoonShare"),
  Sample(
    text:
      "kernel: memorystatus: killing_specific_process pid 1879 [MoonTunnel] (per-process-limit 3) 51200KB - memorystatus_available_pages: 81\n",
    kind: .jetsam, title: "Used more memory than its limit allows", process: "MoonTunnel"),
  Sample(
    text:
      "[  328.770593]: memorystatus: killing_top_process pid 41 [moond] (zone-map-exhaustion 17) 34416KB - memorystatus_available_pages: 832\n",
    kind: .jetsam, title: "The kernel's own memory was nearly exhausted", process: "moond"),
  Sample(
    text: """
      May 25 18:23:50 mac com.apple.xpc.launchd[1] (org.example.Moon.27728[71577]): Service exited due to SIGILL | sent by exc handler[71577]
      May 25 18:23:50 mac com.apple.xpc.launchd[1]: Host-level exception raised: pid = 71577, thread = 0xa6133, exception type = 0xd, codes = { 8589934596 }, states = { 0 }
      """,
    title: "Crashed with SIGILL", process: "org.example.Moon.27728"),
  Sample(
    text: """
      Nov 10 20:02:01 mac com.apple.xpc.launchd[1] (com.apple.mdworker.shared.06000000[17547]): Service exited due to SIGKILL | sent by mds[111]
      """,
    kind: .other, title: "Not a crash by itself: mds sent SIGKILL"),
  Sample(
    text: """
      Nov 10 20:02:01 mac com.apple.xpc.launchd[1] (org.example.moon[17547]): Service exited with abnormal code: 1
      """,
    kind: .other, title: "The service ended itself with code 1", process: "org.example.moon"),
  Sample(
    text: "\tlast exit code = (never exited)\n\tlast terminating signal = Killed: 9\n", title: "SIGKILL"),
  Sample(
    text: "SpringBoard [app<org.example.moon>:6714] Process exited: <RBSProcessExitContext| voluntary>.\n",
    kind: .other, title: "The app ended itself", process: "org.example.moon"),
  Sample(
    text: """
      Read of size 4 at 0x7d0800095a58 by main thread:
          #0 rise Moon.m:158 (Moon:x86_64+0x1009a5716)

        Previous write of size 4 at 0x7d0800095a58 by thread T13:
          #0 set Moon.m:180 (Moon:x86_64+0x1009a4c5a)
      """,
    kind: .other, title: "ThreadSanitizer: data race"),
  Sample(
    text: """
      Thread 0 crashed with ARM Thread State (64-bit):
          x0: 0x0000000000000000   x1: 0x0000000000000000  x16: 0x0000000000000148  x17: 0x00000001f2fb01c0
          sp: 0x000000016d4b2d70   pc: 0x00000001df5a51d4 cpsr: 0x40000000
         esr: 0x56000080  Address size fault
      """,
    title: "EXC_CRASH"),
  Sample(
    text: """
      default\t03:19:07.272200-0500\trunningboardd\t[app<application.org.example.moon.11626606.11626616(502)>:39517] termination reported by launchd (2, 11, 11)
      default\t03:19:07.272579-0500\trunningboardd\tRemoving process: [app<application.org.example.moon.11626606.11626616(502)>:39517]
      """,
    title: "Crashed with SIGSEGV", process: "org.example.moon"),
  Sample(
    text:
      "SpringBoard [app<org.example.moon>:6714] Process exited: <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:fb(10) code:0x8BADF00D(2343432205)>>.\n",
    title: "0x8badf00d", process: "org.example.moon"),
]

private let resources = [
  Sample(
    text: """
      Event:           cpu usage
      CPU:             48s cpu time over 48 seconds (99% cpu average), exceeding limit of 80% cpu over 60 seconds
      Action taken:    Process killed
      Duration:        48.36s
      """,
    kind: .resource, title: "Too much CPU time: 48 s in 48 s (99%)"),
  Sample(
    text: """
      Date/Time:        2026-06-06 15:40:11.272 +0800
      Command:          moon
      Event:            disk writes
      Action taken:     none
      Writes:           137.44 GB of file backed memory dirtied over 37649 seconds (3650.58 KB per second average), exceeding limit of 1590.73 KB per second over 86400 seconds
      """,
    kind: .resource, title: "Too much written to storage: 137.44 GB in 37649 s", process: "moon"),
  // A mail program has wrapped the line.
  Sample(
    text: """
      Data Source:      Microstackshots
      Command:          moond
      Event:            cpu usage
      Action taken:     none
      CPU:              90 seconds cpu time over 150 seconds (60% cpu
       average), exceeding limit of 50% cpu over 180 seconds
      """,
    kind: .resource, title: "Too much CPU time: 90 s in 150 s (60%)", process: "moond"),
  Sample(
    text: """
      Exception Type: EXC_RESOURCE
      Exception Subtype: WAKEUPS
      Exception Message: (Limit 150/sec) Observed 206/sec over 300 secs
      Triggered by Thread: 14
      """,
    kind: .resource, title: "Too many wakeups: 206 a second"),
  Sample(
    text: """
      Data Source:     Stackshots
      Command:         Moon
      PID:             94383
      Event:           hang
      Duration:        1.20s (process was unresponsive for 15 seconds before sampling)

      Heaviest stack for the main thread of the target process:
        12  start + 1 (libdyld.dylib + 91093) [0x7fff5c3e33d5]
        12  -[Moon rise] + 42 (Moon + 4096) [0x100001000]
        12  __getaddrinfo + 8 (libsystem_info.dylib + 4242) [0x7fff5c400000]
      """,
    kind: .hang, title: "The main thread did not respond for 15 seconds", process: "Moon"),
  Sample(
    text: """
      Process:          Moon [7349]
      Path:             /Applications/Moon.app/Contents/MacOS/Moon
      Num samples:      1001 (1-1001)
      Note:             Unresponsive

        Thread 0xc453    DispatchQueue "com.apple.main-thread"(1)    1001 samples (1-1001)    priority 46 (base 46)
        1001  start + 2 (dyld + 22) [0x7ff80e314016]
      """,
    kind: .hang, title: "Stopped responding", process: "Moon", never: "Not a crash"),
  Sample(
    text: """
      Heaviest stack for the target process:
        5  ??? (dyld + 24012) [0x1be4d6dcc]
        5  ??? (Moon + 108397220) [0x1088602a4]
        3  ??? (QuartzCore + 416484) [0x19cddbae4]
      """,
    kind: .sample, title: "Not a crash"),
  Sample(
    text: #"""
      {"timeStampBegin":"2026-10-08 03:00:00 +0000","timeStampEnd":"2026-10-09 02:59:00 +0000","metaData":{"bundleIdentifier":"org.example.moon"},
       "applicationExitMetrics":{"foregroundExitData":{"cumulativeNormalAppExitCount":0,"cumulativeBadAccessExitCount":1},
       "backgroundExitData":{"cumulativeMemoryResourceLimitExitCount":2}}}
      """#,
    kind: .other, title: "foreground: 1 BadAccess; background: 2 MemoryResourceLimit"),
]

private let runtimes = [
  Sample(
    text: """
      #
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGBUS (0xa) at pc=0x000000010c99b435, pid=71724, tid=5123
      #
      # Problematic frame:
      # J 4142 C2 org.example.Moon.phase(Lorg/example/Orbit;)Lorg/example/Phase; (42 bytes) @ 0x000000010c99b435 [0x000000010c99b3a0+0x95]
      #
      """,
    title: "Code that the Java VM had compiled crashed: org.example.Moon.phase", never: "Native code crashed"),
  Sample(
    text: """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGBUS (0xa) at pc=0x000000010ec314f0, pid=62260, tid=34831
      #
      # Problematic frame:
      # v  ~StubRoutines::SafeFetchN
      """,
    title: "The Java VM crashed in a routine of its own", never: "Native code crashed"),
  Sample(
    text: """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGSEGV (0xb) at pc=0x0000000107968c20, pid=85389, tid=38675
      #
      # Problematic frame:
      # V  [libjvm.dylib+0x968c20]  MoonClosure::do_code(CodeBlob*)+0x3c
      """,
    title: "The Java VM itself crashed"),
  // The program counter is the address to which a missing symbol of the system is bound.
  Sample(
    text: """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGBUS (0xa) at pc=0x000000000bad4007, pid=65353, tid=259
      #
      # Problematic frame:
      # C  [ImageIO+0x1703c]  MoonReadPlugin::open(Session*)+0x334
      """,
    title: "0xbad4007"),
  Sample(
    text: """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGSEGV (0xb) at pc=0x00007fff9c2dc4dd, pid=67337, tid=1295
      #
      # Problematic frame:
      # C  [libmoon.dylib+0x14dd]  moon_phase+0x1d

      siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x0000000000000010
      """,
    title: "Native code crashed inside the Java VM, in libmoon.dylib"),
  Sample(
    text: """
      Got a SIGABRT while executing native code. This usually indicates
      a fatal error in the mono runtime or one of the native libraries
      used by your application.
      \t0x102d99954 - /private/var/containers/Bundle/Application/2F8B/Moon.app/Moon : mono_pmip
      \t0x102d84840 - /private/var/containers/Bundle/Application/2F8B/Moon.app/Moon : mono_pmip
      \t0x1de1d4d48 - /usr/lib/system/libsystem_platform.dylib : <redacted>
      \t0x1bdb55be0 - /usr/lib/system/libsystem_kernel.dylib : <redacted>
      \t0x1d591b708 - /System/Library/PrivateFrameworks/TCC.framework/TCC : <redacted>
      \t0x1d59163d0 - /System/Library/PrivateFrameworks/TCC.framework/TCC : <redacted>
      """,
    title: "A privacy description is missing in Info.plist", never: "mono_pmip"),
  Sample(
    text: """
      2026-12-04 13:15:55.000 Moon.iOS[342:168] critical: Stacktrace:
      2026-12-04 13:15:55.001 Moon.iOS[342:168] critical:   at (wrapper managed-to-native) UIKit.UIApplication.UIApplicationMain (int,string[],intptr,intptr) <0x00007>
      2026-12-04 13:15:55.002 Moon.iOS[342:168] critical:   at Moon.iOS.Application.Main (string[]) [0x00002] in /Users/a/Moon/Main.cs:19
      2026-12-04 13:15:55.003 Moon.iOS[342:168] critical:
      Native stacktrace:
      """,
    title: "Native code under Mono crashed"),
  Sample(
    text: """
      Received signal 11. Backtrace:
      0x55f9abdef472, Backtrace.(printBacktrace in _B82A)(signal: Swift.Int32) -> () at /app/.build/checkouts/swift-backtrace/Sources/Backtrace/Backtrace.swift:66
      0x55f9abdef6d8, @objc closure #1 (Swift.Int32) -> () in static Backtrace.Backtrace.install(signals: Swift.Array<Swift.Int32>) -> () at /app/<compiler-generated>:0
      0x7f66da7c741f
      0x7f66db636aa2
      0x55f9ab8f1485, App.Moon.addLog(Swift.String) -> () at /app/Sources/App/Moon.swift:459
      """,
    title: "SIGSEGV", never: "printBacktrace"),
  Sample(
    text: """
      2026-11-06 14:46:46.390 moon[9422:624372] *** Assertion failure in -[Moon rise:], /src/Moon.m:209
      2026-11-06 14:46:46.537 moon[9422:624372] *** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'The moon has set.'
      *** First throw call stack:
      (
      \t0   CoreFoundation                      0x00007fff9629f64c __exceptionPreprocess + 172
      \t1   libobjc.A.dylib                     0x00007fff97c886de objc_exception_throw + 43
      )
      """,
    title: "Assertion failed in -[Moon rise:]: The moon has set.", process: "moon"),
]

private let laterRuntimes = [
  // A race's addresses are valid, and the first stack is one of two.
  Sample(
    text: """
      WARNING: ThreadSanitizer: data race (pid=25681)
        Write of size 8 at 0x7d0c0007c378 by thread T20:
          #0 -[Moon rise] Moon.m:680 (Moon+0x00000000ab85)
        Previous read of size 8 at 0x7d0c0007c378 by main thread:
          #0 -[Moon phase] Moon.m:12 (Moon+0x00000000aaaa)
      """,
    kind: .other, title: "ThreadSanitizer: data race (Write of size 8)", never: "not allowed"),
  Sample(
    text: """
      thread 'main' panicked at src/main.rs:5:33:
      no moon
      fatal runtime error: failed to initiate panic, error 5, aborting
      """,
    title: "A Rust panic could not unwind the stack (error 5)", never: "built or told to end"),
  Sample(
    text: """
      fatal error: unexpected signal during runtime execution
      [signal SIGSEGV: segmentation violation code=0x1 addr=0xb01dfacedebac1e pc=0x7fff20338c9e]

      runtime stack:
      runtime.throw(0x40ac919, 0x2a)
      \t/usr/local/go/src/runtime/panic.go:566 +0x95
      goroutine 1 [syscall, locked to thread]:
      runtime.cgocall(0x407fb20, 0xc420049e60)
      \t/usr/local/go/src/runtime/cgocall.go:131 +0x110
      main._Cfunc_moon_rise(0x46001c0, 0x0)
      \t_cgo_gotypes.go:41 +0x4e
      main.main()
      \t/src/main.go:24 +0x6
      """,
    title: "A memory fault in Go's runtime or in C code"),
  Sample(
    text: """
      # Fatal error in ../../v8/src/objects/moon-inl.h, line 172
      # Debug check failed: phases_ < kMaximum.
      #
       1: 0x10468a6f4 node::NodePlatform::GetStackTracePrinter()::$_0::__invoke() [/usr/local/bin/node]
       2: 0x1051f4f70 V8_Fatal(char const*, int, char const*, ...) [/usr/local/bin/node]
       3: 0x1048ab8b4 v8::internal::Moon::Rise() [/usr/local/bin/node]
      """,
    title: "A check inside V8 failed: phases_ < kMaximum."),
  Sample(
    text: """
      EXC_BAD_ACCESS: Attempted to dereference garbage pointer at 0x10a8c3f20.
      0   MoonApp   0x1000a1b2c   sentrycrashobjc_isValidObject (SentryCrashObjC.c:880)
      1   MoonApp   0x1000a1b2c   sentrycrashreport_writeStandardReport (SentryCrashReport.c:1759)
      """,
    title: "crash reporter"),
  Sample(
    text: """
      UITests-Runner (84312) encountered an error (Early unexpected exit, operation never finished bootstrapping - no restart will be attempted. (Underlying Error: Test crashed with signal abrt before establishing connection.))
      """,
    title: "The test runner ended before its tests began: Test crashed with signal abrt"),
]

private let kernelFaults = [
  // CR2 is left from an earlier page fault.
  Sample(
    text: """
      panic(cpu 0 caller 0xffffff80003db7ce): Kernel trap at 0xffffff7f83a1b2c3, type 13=general protection, registers:
      CR0: 0x000000008001003b, CR2: 0x0000000000000010, CR3: 0x0000000004d5b000, CR4: 0x00000000001626e0
      RAX: 0x0000000000000000, RBX: 0xffffff8021c3e800, RCX: 0x0000000000000000, RDX: 0xdeadbeefdeadbeef
      Fault CR2: 0x0000000000000010, Error code: 0x0000000000000000, Fault CPU: 0x0
      Backtrace (CPU 0), Frame : Return Address
      0xffffff81e2e7b9c0 : 0xffffff80002e1b3d mach_kernel : _panic + 0xed
      0xffffff81e2e7bb80 : 0xffffff7f83a1b2c3 org.example.driver.Moon : __ZN4Moon4riseEv + 0x43
            Kernel Extensions in backtrace:
               org.example.driver.Moon(1.0)[00112233-4455-6677-8899-AABBCCDDEEFF]@0xffffff7f83a1a000->0xffffff7f83a1ffff
      """,
    kind: .panic, title: "", never: "null pointer")
]

private let rareSamples: [Sample] =
  logs + resources + runtimes + laterRuntimes + kernelFaults + stops + excerpts + shortTexts + quotedStops

/// Texts that name a stop which did not happen, or happened elsewhere, besides the one that did.
private let quotedStops = [
  Sample(
    text: """
      #0\t0x000000010fc22037 in __tsan::cur_thread() ()
      #1\t0x000000010fc20984 in wrap_os_unfair_lock_unlock ()
      #2\t0x00007fff2019161b in objc_object::sidetable_release(bool, bool) ()
      #3\t0x0000000110d15d15 in -[Moon rise] ()
      """,
    title: "No known cause"),
  Sample(
    text: """
      Debugger called: <dtrace: breakpoint action at probe moon:::BEGIN (ecb ffffff96e9f88920)>
      Panicked task 0xffffffa54d70d948: 6 threads: pid 598: moon
      Backtrace (CPU 3), panicked thread: 0xffffffaa188987a0, Frame : Return Address
      0xffffffffffab3170 : 0xffffff800b49dbed mach_kernel : _handle_debugger_trap + 0x4ed
      0xffffffffffab3370 : 0xffffff800b49e558 mach_kernel : _DebuggerWithContext + 0x218
      """,
    kind: .panic, title: "A D script stopped the system: its breakpoint() at moon:::BEGIN", process: "moon"),
  Sample(
    text: """
      Backtrace (CPU 14), Frame : Return Address
      0xffffffc193bdbac0 : 0xffffff800deb9aed mach_kernel : _handle_debugger_trap + 0x3dd
      0xffffffc193bdbb50 : 0xffffff800dfecd1a mach_kernel : _kernel_trap + 0x55a
      0xffffffa794aafa50 : 0xffffff7f9cb9a3a7 org.example.moon : _moon_rise + 0x47
      """,
    kind: .panic, title: "CPU trap in the kernel", never: "0xffffffc193bdbac0"),
  Sample(
    text: """
      Program terminated with signal SIGSEGV, Segmentation fault.
      #0  0x0000000000004be6 in ?? ()

      (gdb) bt
      #0  0x0000000000004be6 in ?? ()
      #1  0x00007f23ad2b1ee9 in moon_rise (tide=0x7f23b3ef7cb0, count=2) at src/moon.c:644
      #2  0x0000000000482815 in call_moon (c_p=0x7f23b2a2d588, I=<optimized out>,
          sea=<optimized out>) at src/call.cpp:559
      """,
    title: "SIGSEGV", never: "??"),
  Sample(
    text: """
      Fatal Exception: CALayerInvalidGeometry
      CALayer position contains NaN: [32.5 nan]

      0  CoreFoundation                 6495280712 __exceptionPreprocess
      1  libobjc.A.dylib                6770999524 objc_exception_throw
      2  QuartzCore                     6563416264 -[CALayer setPosition:]
      3  Moon                           4297676208 -[Moon rise:] (Moon.m:159)
      """,
    title: "A view's or layer's frame is not a number", never: "4297676208"),
  Sample(
    text: """
      dyld: warning: could not load inserted library '/opt/Moon' into hardened process because no suitable image found.  Did find:
      \t/opt/Moon: code signature in (/opt/Moon) not valid for use in process using Library Validation: mapped file has no Team ID and is not a platform binary (signed with custom identity or adhoc?)
      """,
    kind: .other, title: "No crash by itself: dyld left out /opt/Moon", never: "Ended by DYLD"),
  Sample(
    text: """
      Process 7340 stopped
      * thread #1, stop reason = EXC_BAD_ACCESS (code=1, address=0x27)
          frame #0: 0x000000000040239f moon.com
      ->  0x40239f: movl   0x8(%rsp), %ebx
          0x4023a2: leaq   0x8(%rsp), %rsi
      """,
    title: "The thread had no stack: the stack pointer is almost 0", never: "null pointer"),
  Sample(
    text: "SUMMARY: ThreadSanitizer: data race Moon.swift:7 in Moon.phase.setter\n",
    kind: .other, title: "ThreadSanitizer: data race"),
  Sample(
    text: """
      Exception Type:  EXC_CRASH (SIGABRT)
      Exception Codes: 0x0000000000000000, 0x0000000000000000
      Exception Note:  SIMULATED (this is NOT a crash)
      Triggered by Thread:  0

      Application Specific Information:
      *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '-[Moon rise]: unrecognized selector sent to instance 0x600000'

      Thread 0 Crashed:
      0   Moon                          0x0000000100001000 main + 16
      """,
    title: "An unrecognized selector was sent to an object", never: "Not a crash"),
  Sample(
    text: """
      handle_debugger_trap (in kernel) (debug.c:885)
      kdp_i386_trap (in kernel) (cpu_data.h:560)
      kernel_trap (in kernel) (trap.c:776)
      trap_from_kernel (in kernel) + 38
      panic_trap_to_debugger (in kernel) (debug.c:755)
      panic (in kernel) (debug.c:0)
      ltable_alloc_elem (in kernel) (ltable.c:478)
      """,
    kind: .panic, title: "No message of the kernel's is in the report", never: "CPU trap"),
  Sample(
    text: """
      Assertion failed: (isHigh(tide)), function createTide, file Tide.h, line 17.
      Please submit a bug report (https://swift.org/contributing/#reporting-bugs) and include the crash backtrace.
      """,
    title: "The compiler or linker itself crashed"),
  Sample(
    text: """
      # Fatal process out of memory: Failed to reserve virtual memory for CodeRange
      #
      ==== C stack trace ===============================

          0   moon                                0x00000001075d1acc moon + 85760716
          1   moon                                0x00000001075d6a64 moon + 85781092
      """,
    title: "V8 could not get memory for its code"),
  Sample(
    text: """
      Fatal error: [File:./Runtime/Core/Private/HAL/Tides.cpp] [Line: 918]
      FTides Attempt to realloc an unrecognized block 0x450a80000 canary == 0x0 != 0xe3
      """,
    title: "Unreal stopped on a fatal error", never: "canary"),
  Sample(
    text: """
      Signal: SIGSEGV [segmentation fault]

      History: UTide::Tick <- UMoon::Update <- DrawMoon <- MainLoop <- main
      """,
    title: "SIGSEGV"),
  Sample(
    text: """
      \\> tide
      dyld: Library not loaded: @rpath/libtide.dylib
        Referenced from: /opt/bin/tide
        Reason: no suitable image found.  Did find:
          /opt/lib/libtide.dylib: stat() failed with errno=1
      [1]    12218 abort      moonrise
      """,
    title: "Library not loaded: @rpath/libtide.dylib", never: "moonrise"),
  Sample(
    text: """
      50  Python                        	       0x101113458 _PyEval_EvalCodeWithName + 2044
      51  Python                        	       0x10110a104 PyEval_EvalCode + 60
      52  Python                        	       0x10110770c builtin_exec + 660
      """,
    title: "No known cause"),
  Sample(
    text: """
      5.\tWhile verifying SIL function "@$s4Moon5tides".
       for 'tides(_:)' (at /src/Moon.swift:130:5)
      Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH or set the environment var `LLVM_SYMBOLIZER_PATH` to point to it):
      0  swift-frontend  0x0000aaaaeff5d9d8
      1  swift-frontend  0x0000aaaaeff5b9cc
      """,
    title: "The Swift compiler crashed on /src/Moon.swift, line 130", never: "for 'tides"),
  Sample(
    text: """
      launchd: gui/501/org.example.moon [60560] exited due to exit(1)
      launchd: gui/501/org.example.moon: launching: inefficient
      """,
    kind: .other, title: "The service ended itself with code 1", process: "org.example.moon"),
]

/// A few lines, most of them of one tool.
private let shortTexts = [
  Sample(
    text: """
      Unhandled exception
      Type=Segmentation error vmState=0x00040000
      J9Generic_Signal_Number=00000018 Signal_Number=0000000b Error_Value=00000000 Signal_Code=00000001
      Handler1=000000010F09CA30 Handler2=000000010F28F980 InaccessibleAddress=0000000000000040
      Module=/opt/moon/lib/default/libmoon29.dylib
      Module_base_address=0000000108400000 Symbol=moon_next
      """,
    title: "The Java VM OpenJ9 met an unhandled signal: Segmentation error"),
  Sample(
    text: """
      WARNING: ThreadSanitizer: Swift access race (pid=51)
        Modifying access of Swift variable at 0x7b140011cb80 by thread T18:
          #0 moon_push <null> (Moon:x86_64+0x45dff)
      """,
    kind: .other, title: "ThreadSanitizer: Swift access race (Modifying access of Swift variable)"),
  Sample(
    text: """
      WARNING: ThreadSanitizer: Swift access race (pid=51)
        Modifying access at 0x0001081e9f98 by thread T5:
          #0 moon_push Moon.swift:17 (Moon:x86_64+0x45dff)
      """,
    kind: .other, title: "ThreadSanitizer: Swift access race (Modifying access)"),
  Sample(
    text: """
      error\t10:32:02.791285-0700\trunningboardd\t[application<org.example.moon>:186] suspended with locked system files:
      /var/mobile/Containers/Shared/moon.db
      """,
    title: "Suspended while it held a lock on a file", process: "org.example.moon"),
  Sample(
    text: """
      panic(cpu 8 caller 0xfffffe00538ac33c): watchdog timeout: no checkins from
      watchdogd in 93 seconds (23277 total checkins since monitoring last enabled)
      Debugger message: panic
      """,
    kind: .panic, title: "watchdogd"),
  Sample(
    text: """
      Power button pressed during wake transition after 88661 ms.

      Failure code:: 0x00000201 00000027

      Data Source:      Stackshots

      Event:            Sleep Wake Failure

      Process:          kernel_task [0]
      Num samples:      1 (1)

        Thread 0x6b    1 sample (1)    priority 80 (base 80)
        *1  moon + 46 (kernel + 1045326) [0xffffff80003ff34e] 1
      """,
    kind: .other, title: "the Mac hung during the transition to wake"),
  Sample(
    text: """
      Command:          moon
      Event:            wakeups
      Wakeups:          45001 wakeups over the last 35 seconds (1279 wakeups per second average), exceeding limit of 150 wakeups per second over 300 seconds
      Data Source:      Microstackshots

      Heaviest stack for the target process:
        3  moon_main + 157 (moon + 282301) [0x4044ebd]
        2  moon_poll + 727 (moon + 280887) [0x4044937]
      """,
    kind: .resource, title: "Too many wakeups: 1279 a second", process: "moon", never: "the main thread was"),
  Sample(
    text: """
      Program received signal SIGILL, Illegal instruction.
      12      return moons.front();
      #1  0x00000008004b63cd in moon::rise (this=0x7fffffffe1f0) at /src/moon.cc:66
      """,
    title: "SIGILL", never: "return moons"),
  Sample(
    text: """
      frame #0: 0x00000001042c5fa7 libobjc.A.dylib`objc_retain + 7
      libobjc.A.dylib`objc_retain:
      ->  0x1042c5fa7 <+7>:  movq   (%rdi), %rax              ; Thread 1: EXC_BAD_ACCESS (code=EXC_I386_GPFLT)
      """,
    title: "objc_retain"),
  Sample(
    text: """
      [signal 0xa code=0x2 addr=0xcb1e0f5520 pc=0x4004794]

      runtime stack:
      runtime.throw(0x459f9e0, 0x2a)
              /usr/local/go/src/runtime/panic.go:527 +0x90
      runtime.sigpanic()
              /usr/local/go/src/runtime/sigpanic_unix.go:12 +0x5a

      goroutine 67 [syscall, locked to thread]:
      runtime.cgocall(0x4002d30, 0xc8202b1700, 0xc800000000)
              /usr/local/go/src/runtime/cgocall.go:120 +0x11b
      main._Cfunc_moon_rise(0x200000000)
              _cgo_gotypes.go:64 +0x3c
      """,
    // `sigpanic` also throws for Go code's own faults: without the sentence nobody can tell.
    title: "Go runtime ended the program"),
  Sample(
    text: """
      fatal: morestack on g0
      SIGTRAP: trace trap
      PC=0x406b702 m=0 sigcode=1

      goroutine 0 [idle]:
      runtime.abort()
      \t/usr/local/go/src/runtime/asm_amd64.s:860 +0x2
      runtime.morestack()
      \t/usr/local/go/src/runtime/asm_amd64.s:416 +0x25
      """,
    title: "The Go runtime found its stack pointer outside a stack that can't grow", never: "Swift"),
  Sample(
    text: """
      # Fatal error in ../../v8/src/objects.cc, line 2631
      # Check failed: receiver->IsJSFunction().
      ==== C stack trace ===============================
       1: V8_Fatal
       2: v8::Object::CreationContext()
      """,
    title: "A check inside V8 failed (objects.cc, line 2631)", never: "Abseil"),
  Sample(
    text: """
      SEGV_MAPERR at 0x3

      FMoonError::Serialize(wchar_t const*) Address = 0x100faf94f (filename not found) [in Moon-Core.dylib]
      FMoon::Rise(int) Address = 0x1010961bd [/src/Moon.cpp, line 12] [in Moon-Core.dylib]
      """,
    title: "0x3"),
]

private let excerpts = [
  Sample(
    text: """
      2024-11-05T18:02:59.0187580Z     #19 0x1000d37bc in main moon.cc:288
      2024-11-05T18:02:59.0188440Z     #20 0x1848f8270  (<unknown module>)
      2024-11-05T18:02:59.0188680Z
      2024-11-05T18:02:59.0191990Z SUMMARY: AddressSanitizer: container-overflow moon.cc:161 in Moon::rise(int)
      2024-11-05T18:02:59.0193030Z Shadow bytes around the buggy address:
      """,
    title: "AddressSanitizer: container-overflow"),
  Sample(
    text:
      "SUMMARY: AddressSanitizer: heap-buffer-overflow (Moon:x86_64+0xb5030) in Moon::rise(int)\n",
    title: "AddressSanitizer: heap-buffer-overflow"),
  Sample(
    text: """
      Nov 12 12:24:57 iPad SpringBoard(FrontBoard)[510] <Error>: [application<org.example.moon>:796] Provision violated for watchdog process-launch: <FBSProcessResourceProvision: 0x283be3480; allowance: <; FBSProcessResourceAllowance; type: realTime; timeValue: 20s>; violated: YES>
      """,
    title: "Watchdog: process-launch took more than its 20s allowance", process: "org.example.moon"),
  Sample(
    text: """
      18:55:44.505 SpringBoard Process exited: <RBSProcessExitContext| specific, status:<RBSProcessExitStatus| domain:jetsam(1) code:per-process-limit(7)>>.
      """,
    title: "Killed: over its own memory limit", never: "RBSProcessExitContext"),
  Sample(
    text: """
      runningboardd  [MoonKeyboard:6637] Memory Limits: active 90 inactive 90
      kernel  memorystatus: MoonKeyboard [6637] exceeded mem limit: ActiveHard 90 MB (fatal)
      kernel  killing_specific_process pid 6637 [MoonKeyboard] (per-process-limit 100 4s) 92161KB
      """,
    kind: .jetsam, title: "Killed: over its memory limit (ActiveHard 90 MB)", process: "MoonKeyboard",
    never: "Memory Limits"),
  Sample(
    text: """
      ERROR: [moon-desktop:15289] EXC_GUARD AST: type=0x1 flavor=0x200 target=0x3029f code=0x200002000003029f subcode=0x0
      """,
    kind: .other, title: "Guarded resource violated: MACH_PORT", process: "moon-desktop"),
  Sample(
    text: """
      =================================================================
      Got a SIGSEGV while executing native code. This usually indicates
      a fatal error in the mono runtime or one of the native libraries
      used by your application.
      =================================================================
      \tNative stacktrace:
      =================================================================
      \t0x104c2e38c - /private/var/containers/Bundle/Application/12CD011F/Moon.app/Moon : GlobalizationNative_InitICUFunctions
      \t0x104c19488 - /private/var/containers/Bundle/Application/12CD011F/Moon.app/Moon : GlobalizationNative_InitICUFunctions
      """,
    title: "Native code under Mono crashed with SIGSEGV", never: "Start at"),
  Sample(
    text: """
      {"appLaunchDiagnostics": [{"version": "1.0.0", "diagnosticMetaData": {"bundleIdentifier": "org.example.Tides",
      "launchDuration": "12 sec"}, "callStackTree": {"callStackPerThread": false, "callStacks": [{"callStackRootFrames": [
      {"binaryName": "libsystem_kernel.dylib", "binaryUUID": "8D2B8436-6351-3A6D-9682-A75CC5E59A06",
      "offsetIntoBinaryTextSegment": 54784, "sampleCount": 40, "address": 7000}]}]}}]}
      """,
    kind: .other, title: "Slow launch: 12 sec"),
  Sample(
    text: """
      {"callStackPerThread": true, "callStacks": [{"threadAttributed": true, "callStackRootFrames": [
      {"binaryName": "libsystem_kernel.dylib", "binaryUUID": "8D2B8436-6351-3A6D-9682-A75CC5E59A06",
      "offsetIntoBinaryTextSegment": 54784, "sampleCount": 1, "address": 7000}]}]}
      """,
    kind: .other, title: "No known cause"),
  Sample(
    text: """
        Thread 0x1ba0    DispatchQueue "com.apple.main-thread"(1)    1001 samples (1-1001)    priority 46 (base 46)    cpu time <0.001s
        1001  start + 6992 (dyld + 130560) [0x18ca8fe00]
          1001  moon_main + 24 (Moon + 13592) [0x1002fb518]
            1001  CFRunLoopRunSpecific + 500 (CoreFoundation + 4096) [0x191303700]
              1001  __CFRunLoopServiceMachPort + 160 (CoreFoundation + 8192) [0x191304700]
      """,
    kind: .sample, title: "Not a crash: the main thread was idle", never: "DispatchQueue"),
  Sample(
    text: """
      Exception Category: mach
      Exception Type:  EXC_BREAKPOINT (SIGTRAP)
      Exception Codes: KERN_INVALID_ADDRESS at 0x0000000100fc57f8
      Crashed Thread:  6
      Thread 0:
      0   libsystem_kernel.dylib              0x00000001e5975ce4 0x1e5975000 + 3300
      """,
    title: "EXC_BREAKPOINT", never: "mapped"),
  Sample(
    text: """
      Thread 4 Crashed:
      0   (null) 0x0000000000000000 0x0 + 0
      1   CoreFoundation                  0x0000000181bf5450 0x181be4000 + 70736 (<redacted> + 264)
      2   libobjc.A.dylib                 0x0000000181391ae8 0x181370000 + 137960 (<redacted> + 508)
      """,
    title: "Call of a null function pointer", never: "(null)"),
  Sample(
    text: """
      Fatal Exception: FlutterError
      0  ???                            0x0 (null). #0      MoonCrashlytics.recordError (/home/m/.pub-cache/hosted/pub.dev/moon-5.0.1/lib/src/moon.dart:119:22)
      1  ???                            0x0 (null). #1      setUp.<anonymous closure> (/home/m/moon/lib/main.dart:91:36)
      2  ???                            0x0 (null)._onError (lib/ui/hooks.dart:307)
      """,
    title: "A Dart error that the app recorded as fatal", never: "(null)"),
  Sample(
    text: """
      Dyld Error Message:
      Dyld Message: Library not loaded: @rpath/Tide.framework/Tide
        Referenced from: /var/containers/Bundle/Application/C678B808/Moon.app/Moon
        Reason: no suitable image found.  Did find:
          /private/var/containers/Bundle/Application/C678B808/Moon.app/Frameworks/Tide.framework/Tide: mremap_encrypted() => -1, errno=12 for /private/var/Moon.app/Frameworks/Tide.framework/Tide
      """,
    title: "Library not loaded: @rpath/Tide.framework/Tide", never: "Start at mremap"),
  Sample(
    text: """
      #10 Thread

      SIGSEGV

      SEGV_ACCERR

      0 Metal\t-[MTLTideCommandBuffer info] + 12
      1 Flutter\tGrMtlCommandBuffer::getBlitCommandEncoder() + 48
      """,
    title: "The drawing library Skia failed while it drew", never: "Start at Thread"),
]

private let stops = [
  // The instruction says that a check stopped the program; the signal alone doesn't.
  Sample(
    text: """
      * thread #1, name = 'moon', stop reason = signal SIGILL: illegal instruction operand
          frame #0: 0x000000000053ad5a moon`Moon.rise() throws -> Moon + 2682
      moon`Moon.rise() throws -> Moon:
      ->  0x53ad5a <+2682>: ud2
          0x53ad5c:         nopl   (%rax)
      """,
    title: "The program stopped itself with a trap instruction (ud2)"),
  Sample(
    text: """
      * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BREAKPOINT (code=1, subcode=0x100003f24)
          frame #0: 0x0000000100003f24 moon`Moon.rise() + 20
      moon`Moon.rise():
      ->  0x100003f24 <+20>: brk    #0x1
      """,
    title: "A Swift runtime check failed"),
  Sample(
    text: """
      ../../third_party/dart/runtime/vm/compiler/assembler/assembler_arm64.h: 218: error: unreachable code
      version=2.17.6 (stable) (Tue Jul 12 12:54:37 2022 +0200) on "ios_arm64"
      pid=63023, thread=42499, isolate_group=main(0x11d010600), isolate=main(0x11d00d800)
        pc 0x00000001083fb810 fp 0x000000016b216290 Dart_DumpNativeStackTrace+0x18
        pc 0x0000000107fe4f34 fp 0x000000016b2162b0 dart::Assert::Fail(char const*, ...) const+0x30
        pc 0x0000000108263b50 fp 0x000000016b216390 dart::Moon::Rise(dart::Orbit*)+0x8c8
      """,
    title: "The Dart VM failed one of its own checks: unreachable code"),
  Sample(
    text: """
      Process 14362 (moon) of user 1000 dumped core.

      Stack trace of thread 14363:
      #0  0x00007f4e10665312 $ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_SSAHSus6UInt32VtF (libswiftCore.so + 0x150312)
      #1  0x0000561eeac68637 n/a (moon + 0x12c637)
      """,
    title: "Swift assertion or fatal error", process: "moon"),
  // The handler's frames end at the kernel's trampoline, which has no name.
  Sample(
    text: """
      Stack dump:
      0.\tProgram arguments: /usr/bin/swiftc Moon.swift
      /usr/bin/swiftc[0x4be18f4]
      /usr/bin/swiftc[0x4bdf4ce]
      /lib/x86_64-linux-gnu/libpthread.so.0(+0x12730)[0x7f0d8e7c5730]
      /usr/bin/swiftc[0x16392f3]
      /lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0xeb)[0x7f0d8e05a09b]
      Illegal instruction
      """,
    title: "The compiler or linker itself crashed"),
  // The stack that reads the freed memory is empty; that of `free` isn't the location of the access.
  Sample(
    text: """
      ==17786==ERROR: AddressSanitizer: heap-use-after-free on address 0x000314e931f0 at pc 0x000111d93284 bp 0x1 sp 0x2
      READ of size 8 at 0x000314e931f0 thread T-1
          <empty stack>

      0x000314e931f0 is located 44 bytes inside of 64-byte region [0x000314e54000,0x000314e94000)
      freed by thread T701 here:
          #0 0x000111d95480 in free (/usr/lib/libclang_rt.asan_osx_dynamic.dylib:arm64e+0x3d480)
          #1 0x00031d84a8c0 in Moon::set(void*) /src/moon.cc:873:7
      """,
    title: "AddressSanitizer: heap-use-after-free (READ of size 8)"),
  Sample(
    text: """
      Swift/ErrorType.swift:200: Fatal error: Error raised at top level: Moon.Eclipse.total
      Current stack trace:
      0    libswiftCore.so                    0x00007ffae806cc40 swift_reportError + 50
      1    moon                               0x00005566f5d0b254 main + 104
      """,
    title: "Uncaught Swift error: Moon.Eclipse.total"),
  Sample(
    text: """
      Event:               GPU Reset
      Date/Time:           Sun Aug  6 11:04:15 2027
      Application:         Moon
      Graphics Hardware:   Moon Pro 560
      Signature:           e

      Report Data:

      GPURestartReportStart
      Hung Channels: GFX
      """,
    kind: .other, title: "Not a crash by itself: the GPU", process: "Moon"),
  Sample(
    text: """
      Panic(CPU 6, time 12678522339): NMIPI for unresponsive processor: TLB flush timeout, TLB state:0x1
      Backtrace (CPU 6), panicked thread: 0xffffff90299c3b30, Frame : Return Address
      0xffffffce76dfb420 : 0xffffff800f0d6f35 org.example.driver.Moon : __ZN4Moon4riseEv + 0x75
      """,
    kind: .panic, title: "Watchdog: a CPU core stopped responding"),
  Sample(
    text: """
      Wake transition timed out after 180 seconds while calling power state change callbacks. Suspected bundle: org.example.driver.Moon. Thread 0x24d3.
      Failure code:: 0x00000004 00000014

      Date/Time:        2027-02-18 09:48:05 +0100
      Data Source:      Stackshots
      Event:            Sleep Wake Failure

      Process:          kernel_task [0]
        Thread 0x6a    1 sample (1)    priority 80 (base 80)
       *1  ??? [0xffffff80002e1fe0] 1
      """,
    kind: .panic, title: "Wake took longer than 180 seconds; suspected driver: org.example.driver.Moon"),
  Sample(
    text: """
      {
        "largestProcess" : "moond",
        "memoryStatus" : { "pageSize" : 16384, "memoryPages" : { "free" : 4275 } },
        "processes" : [
          { "rpages" : 61230, "reason" : "highwater", "pid" : 46, "name" : "moond" },
          { "rpages" : 52, "pid" : 47, "name" : "sund" }
        ]
      }
      """,
    kind: .jetsam, title: "Above its own high-water limit", process: "moond"),
  Sample(
    text: """
      "bug_type" : "385",
      "procName" : "MoonMonitor",
      "captureTime" : "2027-06-16 13:00:26.6442 +0700",
      """,
    kind: .other, title: "No known cause", process: "MoonMonitor", never: "imit"),
  Sample(
    text: """
      Thread 19 crashed with ARM Thread State (64-bit):
          x0: 0x000000016d7a67c8   x1: 0x000000012601fc40
          sp: 0x000000016d7a67c0   pc: 0x00000001029668fc cpsr: 0x80001000
         far: 0x0000000000000000  esr: 0xf2000001 (Breakpoint) brk 1

      Binary Images:
             0x102960000 -        0x1029fffff Moon arm64 <aebf397ee2ef3a49be5823d4558511f6> /Moon.app/Moon
      """,
    title: "The program stopped itself with a trap instruction"),
  Sample(
    text: """
      Main Thread Checker: UI API called on a background thread: -[UIView moon]
      PID: 16941, TID: 3137868, Thread name: (none), Queue name: org.example.moon, QoS: 0
      Backtrace:
      4   Moon                                0x000000010313910c -[MoonView rise] + 72
      5   libdispatch.dylib                   0x0000000103c8c5a8 _dispatch_call_block_and_release + 32
      """,
    kind: .other, title: "Not a crash: a UI API was called off the main thread: -[UIView moon]"),
  Sample(
    text: """
      Call stack:
      0   libsystem_kernel.dylib        \t0x00000001821b5ec4 0x182191000 + 151236     \t// __pthread_kill
      1   libsystem_c.dylib             \t0x0000000182025844 0x181fb2000 + 473156     \t// abort
      2   libobjc.A.dylib               \t0x00000001820e6258 0x1820e0000 + 25176      \t// _objc_terminate()
      3   libc++abi.dylib               \t0x000000018218b29c 0x18217d000 + 58012      \t// std::terminate()
      4   MoonKit                       \t0x000000018db52a4c 0x18db0c000 + 289356     \t// +[Moon shared]
      """,
    title: "Uncaught exception, name and reason not recorded"),
  Sample(
    text: """
      [INFO] # A fatal error has been detected by the Java Runtime Environment:
      [INFO] #
      [INFO] #  SIGSEGV (0xb) at pc=0x00000001066ea2b7, pid=9698, tid=0x000000000000a903
      [INFO] #
      [INFO] # Problematic frame:
      [INFO] # V  [libjvm.dylib+0x2ea2b7]  Moon::rise(int)+0x41
      """,
    title: "The Java VM itself crashed"),
  Sample(
    text:
      "moon.c:23:46: runtime error: division by zero\nSUMMARY: UndefinedBehaviorSanitizer: x moon.c:23:46 in \n",
    kind: .other, title: "UndefinedBehaviorSanitizer: division by zero"),
  Sample(
    text: """
      "memoryStatus" : {
        "compressorSize" : 72764,
        "memoryPages" : {
          "active" : 23021,
          "throttled" : 0,
      """,
    kind: .jetsam, title: "Memory ran short"),
  Sample(
    text:
      "Exception Type: EXC_CRASH (SIGKILL) Exception Codes: 0x0000000000000000, 0x0000000000000000 Termination Reason: FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-create watchdog transgression: app<org.example.moon>:10 exhausted CPU time allowance of 9.52 seconds ProcessVisibility: Background reportType:CrashLog>\n",
    title: "Watchdog: the launch used up its 9.52 seconds of CPU time"),
  Sample(
    text: "terminate called after throwing an instance of 'moon::Eclipse'\n  what():  too dark\n",
    title: "Uncaught C++ exception moon::Eclipse: too dark"),
  Sample(
    text: """
      *** Signal 11: Backtracing from 0x558a9022b860... done ***

      *** Program crashed: Bad pointer dereference at 0x0000558a9022b860 ***
      """,
    title: "Call of a bad function pointer 0x558a9022b860"),
  Sample(
    text: """
      Crashed: com.apple.main-thread
      0
      Moon
      0x1000 (Missing UUID 1234567890abcdef1234567890abcdef)
      1
      UIKitCore
      0x2000 -[UIViewController view] + 12
      """,
    title: "No known cause", never: "Missing UUID"),
  Sample(
    text: """
      Process:         Moon [123]
      Path:            /Applications/Moon.app/Contents/MacOS/Moon
      Identifier:      org.example.moon
      Code Type:       ARM-64 (Native)

      Date/Time:       2026-01-01 10:00:00.000 +0000
      OS Version:      macOS 26.1 (25B74)
      """,
    title: "The report is incomplete", process: "Moon", never: "system's log"),
  Sample(text: "error.message: \"Application crash: SIGTRAP (Trace/BPT trap)\"\n", title: "SIGTRAP"),
  Sample(
    text: """
      Thread 0x389567000 may have been prematurely finalized* Assertion at moon-threads.c:702, condition `info' not met, function:moon_current
      	Native stacktrace:
      	0x17ed8724c - /Moon/libmonobdwgc-2.0.dylib : mono_dump_native_crash_info
      	0x17eee05b0 - /Moon/libmonobdwgc-2.0.dylib : monoeg_assertion_message
      """,
    title: "The Mono runtime failed one of its own checks", never: "may have been"),
  Sample(
    text: """
      collecting 650 items      Fatal Python error: Segmentation fault

      Current thread 0x00000001ed141e80 (most recent call first):
        File "/moon/test_moon.py", line 716 in <module>
      """,
    title: "Native code in Python's process faulted"),
  Sample(
    text: """
       1 mach_kernel                    0xffffff800350475c panic + 0xec
       2 mach_kernel                    0xffffff800360e1dc kernel_trap + 0x96c
       3 mach_kernel                    0xffffff80034b55a3 trap_from_kernel + 0x26
       4 org.example.driver.Moon        0xffffff7f85065049
       5 mach_kernel                    0xffffff8003a4ef60 OSKext::start(bool) + 0x4f0
      """,
    kind: .panic, title: "CPU trap in the kernel"),
]

@Suite("Rarer kinds of reports") struct RarerKindTests {
  private func diagnosis(_ sample: Sample, _ language: Language) throws -> (CrashReport, Diagnosis) {
    let report = try CrashReport(parsing: Array(sample.text.utf8))
    let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
    return (report, KnowledgeBase(language: language).diagnose(symbolicated))
  }

  /// An instruction of Intel's is only known with Zydis.
  private static let readable = rareSamples.indices.filter {
    hasZydis || !rareSamples[$0].text.contains(": ud2")
  }

  @Test("state their kind, the process and the event", arguments: readable)
  func verdict(_ index: Int) throws {
    let sample = rareSamples[index]
    let (report, diagnosis) = try diagnosis(sample, .english)
    let explanation = diagnosis.explanation
    #expect(explanation.title.contains(sample.title))
    #expect(report.kind == sample.kind)
    if let process = sample.process { #expect(report.header.process == process) }
    guard let never = sample.never else { return }
    let said = [explanation.title, explanation.text] + explanation.findings.map(\.text) + explanation.advice
    #expect(!said.contains { $0.contains(never) })
    #expect(!report.threads.flatMap(\.frames).contains { $0.reportedSymbol?.contains(never) ?? false })
  }

  @Test("are explained in Japanese, too", arguments: rareSamples.indices)
  func japanese(_ index: Int) throws {
    let explanation = try diagnosis(rareSamples[index], .japanese).1.explanation
    let said = [explanation.title, explanation.text] + explanation.advice
    #expect(said.allSatisfy { !$0.contains(Template.missingValue) })
    #expect(explanation.text.unicodeScalars.contains { (0x3040...0x30ff).contains($0.value) })
  }

  @Test func assertionIsEvidence() throws {
    let sample = try #require(runtimes.last)
    let found = try diagnosis(sample, .english).1
    #expect(
      found.explanation.evidence.contains {
        $0.quote.contains("*** Assertion failure in -[Moon rise:], /src/Moon.m:209")
      })
    #expect(found.statedLocation?.line == 209)
  }

  @Test("name extensions, poison and C functions among the findings")
  func findings() throws {
    let kernel = try diagnosis(kernelFaults[0], .english)
    #expect(kernel.1.explanation.findings.map(\.rule).contains("panic-poison"))
    #expect(kernel.0.threads.first?.frames.last?.imageName == "org.example.driver.Moon")
    let go = try diagnosis(laterRuntimes[2], .english).1.explanation.findings
    #expect(go.contains { $0.text.contains("the C function moon_rise") })
  }

  @Test("blame the extension, the function after the handler, and nothing for an empty stack")
  func blame() throws {
    func blamed(_ index: Int) throws -> ResolvedFrame? {
      let report = try CrashReport(parsing: Array(stops[index].text.utf8))
      let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
      return KnowledgeBase(language: .english).diagnose(symbolicated).blamed.flatMap { blamed in
        report.crashedThread.map { symbolicated.threads[$0][blamed.frame] }
          ?? symbolicated.threads[0][blamed.frame]
      }
    }
    #expect(try blamed(8)?.captured.imageName == "org.example.driver.Moon")
    #expect(try blamed(4)?.captured.address?.rawValue == 0x16392f3)
    #expect(try blamed(5) == nil)
    #expect(try blamed(2)?.captured.reportedSymbol?.hasPrefix("dart::Moon::Rise") == true)
  }

  @Test("the place is the function that faulted or panicked, not the one that tells of it")
  func place() throws {
    func blamed(_ text: String) throws -> String? {
      let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(
        try CrashReport(parsing: Array(text.utf8)))
      return KnowledgeBase(language: .english).diagnose(symbolicated).blamed.flatMap {
        symbolicated.threads[0][$0.frame].functionNames.first
      }
    }
    let go = """
      fatal error: unexpected signal during runtime execution
      [signal SIGSEGV: segmentation violation code=0x1 addr=0xd0 pc=0x426356]

      runtime stack:
      runtime.throw({0xf1354a?, 0x16a7d40?})
      /usr/local/go/src/runtime/panic.go:1047 +0x5d fp=0xc000069750 sp=0xc000069720 pc=0x43559d
      runtime.sigpanic()
      /usr/local/go/src/runtime/signal_unix.go:825 +0x3e9 fp=0xc0000697b0 sp=0xc000069750 pc=0x44bda9
      runtime.(*lfstack).pop(...)
      /usr/local/go/src/runtime/lfstack.go:47
      """
    #expect(try blamed(go) == "runtime.(*lfstack).pop")
    let hook = """
       0: <std::backtrace::Backtrace>::create
       1: moon_lib::reporting::install_hook::{closure#0}
       2: std::panicking::panic_with_hook
       3: __rustc::rust_begin_unwind
       4: core::panicking::panic_cannot_unwind
       5: moon_lib::tide::rise
      """
    #expect(try blamed(hook) == "moon_lib::tide::rise")
    let collected = """
      SIGABRT: Failed to marshal the Objective-C object 0x1 (type: Moon_TideView). Could not find an existing managed instance
      ObjCRuntime.RuntimeException: Failed to marshal the Objective-C object 0x1 (type: Moon_TideView).
        at ObjCRuntime.Runtime.MissingCtor(IntPtr , IntPtr , Type , MissingCtorResolution )
        at ObjCRuntime.Runtime.GetNSObject(IntPtr , Boolean )
      """
    #expect(try blamed(collected) == nil)
  }

  @Test("frames are read from rows of atos, from links and from LLDB's images")
  func frames() throws {
    func frames(_ text: String) throws -> [Frame] {
      try CrashReport(parsing: Array(text.utf8)).threads.last?.frames ?? []
    }
    let rows = try frames(
      """
      libsystem_c\t140\t_abort (in libsystem_c.dylib)
      libc++abi\t84\tstd::terminate() (in libc++abi.dylib)
      Moon\tTide.m:24\t-[Tide rise] (in Moon)
      Moon\t3948\tmissing (in Moon)
      """)
    #expect(rows.map(\.reportedSymbol) == ["abort", "std::terminate()", "-[Tide rise]", nil])
    #expect(rows.map(\.imageName) == ["libsystem_c.dylib", "libc++abi.dylib", "Moon", "Moon"])
    #expect(rows.count == 4 && rows[1].reportedSymbolOffset == 84 && rows[2].reportedLine == 24)
    // A row without its middle cell is none.
    #expect(throws: ReportError.self) { try frames("Moon\t\trise (in Moon)\nMoon\t\tfall (in Moon)") }
    let linked = try frames(
      """
      ==17==ERROR: AddressSanitizer: heap-use-after-free on address 0x000314e931f0 at pc 0x000111d93284
      READ of size 8 at 0x000314e931f0 thread T1
      freed by thread T7 here:
          #0 0x000111d95480 in free (/usr/lib/libclang_rt.asan_osx_dynamic.dylib:arm64e+0x3d480)
          moon/tide#1 0x00031d84a8c0 in Tide::fall(void*) /src/tide.cc:87:7
      """)
    #expect(linked.map(\.reportedSymbol) == ["free", "Tide::fall(void*)"])
    let debugged = try frames(
      """
      * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=2, address=0x102527bc0)
        * frame #0: 0x000000010187436c Moon`rise at tide.c:408
          frame #1: 0x00000001ea3e4b68 libsystem_c.dylib
      """)
    #expect(debugged.last?.imageName == "libsystem_c.dylib" && debugged.last?.reportedSymbol == nil)
  }

  @Test("nothing is blamed where a handler aborted and the list ends above the place of the fault")
  func abortingHandler() throws {
    func blamed(_ frames: String) throws -> String? {
      let head =
        "Exception Type: EXC_BAD_ACCESS (SIGABRT)\nException Codes: KERN_INVALID_ADDRESS at 0x0\n\nThread 0 Crashed:\n"
      let report = try CrashReport(parsing: Array((head + frames).utf8))
      let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
      let diagnosis = KnowledgeBase(language: .english).diagnose(symbolicated)
      #expect(!diagnosis.explanation.findings.map(\.rule).contains("fault-in-signal-handler"))
      return diagnosis.blamed.flatMap { symbolicated.threads[0][$0.frame].functionNames.first }
    }
    let handler = """
      0   libsystem_kernel.dylib  0x00000001a1624cec __pthread_kill + 8
      1   libsystem_c.dylib       0x00000001a159d864 abort + 104
      2   libmoon.dylib           0x0000000100fa0934 die + 12 (error.c:632)

      """
    #expect(try blamed(handler) == nil)
    let whole =
      handler + """
        3   libsystem_platform.dylib  0x00000001a169dc44 _sigtramp + 56
        4   Moon                      0x0000000100d05a20 rise + 20

        """
    #expect(try blamed(whole) == "rise")
  }

  @Test("the outer part of a list says of no function that it stopped the program")
  func outerPart() throws {
    let text = """
      SIGABRT
      43  libmoon.dylib   0x000000010e4de2b8 moon_rise + 136
      44  Moon            0x0000000104d99ba4 main + 52

      """
    let sample = Sample(text: text, title: "SIGABRT")
    #expect(try !diagnosis(sample, .english).1.explanation.text.contains("stopped the program"))
  }

  @Test("The previous access is no frame, and what follows a gap in the numbers is no place")
  func reentry() throws {
    let text = """
      Fatal access conflict detected.
      Simultaneous accesses to 0x60000300a180, but modification requires exclusive access.
      Previous access (a modification) started at SwiftUI`OUTLINED_FUNCTION_10 + 2364
      Current access (a modification) started at:
      0    libswiftCore.dylib    swift::runtime::AccessSet::insert(...) + 432
      1    libswiftCore.dylib    swift_beginAccess + 84
      2    SwiftUI               OUTLINED_FUNCTION_10 + 2364
      ...
      28   AppKit                -[NSWindow makeKeyAndOrderFront:] + 47
      """
    let sample = Sample(text: text, title: "SwiftUI was entered again")
    let (report, diagnosis) = try diagnosis(sample, .english)
    #expect(diagnosis.explanation.title.hasPrefix(sample.title) && diagnosis.blamed == nil)
    #expect(report.threads[0].frames.first?.imageName == "libswiftCore.dylib")
  }

  @Test("The parts of a line that GDB, trackers and pages add are read")
  func additions() throws {
    let gdb = try CrashReport(
      parsing: Array(
        """
        Program received signal SIGSEGV, Segmentation fault.
        #0  0x00007fff9697b52e in ?? () from /opt/moon/libTide.dylib
        #1  0x0000000101e69f40 in moon_dot_ () from /opt/moon/libMoon.dylib
        """.utf8))
    #expect(gdb.threads[0].frames.map(\.imageName) == ["libTide.dylib", "libMoon.dylib"])
    #expect(gdb.threads[0].frames.map(\.reportedSymbol) == [nil, "moon_dot_"])
    let tracker = try CrashReport(
      parsing: Array(
        """
        ==95==ERROR: AddressSanitizer: heap-use-after-free on address 0x611001408a80 at pc 0x1 bp 0x2 sp 0x3
        READ of size 8 at 0x611001408a80 thread T0
            # 0 0x100d9ee79 in moon_rise moon.m:1193
            # 1 0x7fff3a7f1954 in tide (Tide:x86_64+0x125954)
        """.utf8))
    #expect(tracker.threads[0].frames.map(\.reportedSymbol) == ["moon_rise", "tide"])
    let page = try CrashReport(
      parsing: Array(
        """
        Fatal Exception: MoonException
        com.apple.main-thread
        0  Moon                 0x39b803c moon_rise + 12
        """.utf8))
    #expect(page.uncaughtException?.reason == nil)
  }

  @Test(
    "Linux's log of a fatal signal is read",
    arguments: [
      (
        "[Wed Mar 12 16:08:45 2025] moon_57[1034]: segfault at 8 ip 000055b17da42230 sp 00007fb01d error 4 in moon[55b1+339000]",
        "SIGSEGV", "at 0x8"
      ),
      (
        "kernel: traps: moon[12] trap invalid opcode ip:7f41a0 sp:7ffe10 error:0 in libswiftCore.so[7f41+2000]",
        "SIGILL", nil
      ),
      (
        "traps: moon[12] general protection fault ip:7f41a0 sp:7ffe10 error:0 in moon[7f41+2000]", "SIGSEGV",
        nil
      ),
    ])
  func linuxLog(line: String, signal: String, subtype: String?) throws {
    let report = try CrashReport(parsing: Array(line.utf8))
    #expect(report.exception?.type == signal && report.exception?.subtype == subtype)
  }

  @Test("Rosetta's placeholder is no image")
  func translatedFrame() throws {
    let text = """
      Thread 0 Crashed::  Dispatch queue: com.apple.main-thread
      0   ???                           \t       0x102e4e9a8 ???
      1   <translation info unavailable>\t       0x1053b7e84 ???
      2   libsystem_c.dylib             \t       0x10bac1fe0 abort + 130
      3   Moon                          \t       0x1012107c9 moon_rise + 9
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.threads[0].frames.map(\.imageName) == [nil, nil, "libsystem_c.dylib", "Moon"])
  }

  @Test(
    "A checker's line, or the GPU driver's, is no crash",
    arguments: [
      "Swift access race in Moon.Counter.count.modify : Swift.Int at 0x11a75f4c0",
      "Moon[65:279] Execution of the command buffer was aborted due to an error during execution. Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)",
    ])
  func warning(_ line: String) {
    #expect(CrashReport(message: ReportText(Array(line.utf8)))?.kind == .other)
  }

  @Test func resourceLimitKillIsStated() throws {
    let findings = try diagnosis(resources[0], .english).1.explanation.findings
    #expect(findings.map(\.rule).contains("resource-killed"))
  }

  @Test("The managed frames of .NET stand before the native ones")
  func managedFramesBeforeNative() throws {
    let text = """
      ObjCRuntime.ObjCException: Objective-C exception thrown.  Name: System.InvalidOperationException Reason: no tide
         at Moon.Tides.Rise() in /src/Tides.cs:line 53
         at Moon.Tides.Run()

      Native stack trace:
      \t0   CoreFoundation                      0x00007fff20406d44 __exceptionPreprocess + 242
      \t1   libobjc.A.dylib                     0x00007fff201a4a65 objc_exception_throw + 48
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.applicationSpecificBacktraces.first?.first?.reportedLine == 53)
  }

  @Test("A function's name stays though others are inlined into it at the same address")
  func nameAroundInlined() throws {
    let text = """
      Thread 0 Crashed:
      0   Moon   0x105073a88 Tide.rise(_:) + 16
      1   Moon   0x105073a88 protocol witness for Wave.rise(_:) in conformance Tide + 16
      2   Moon   0x105073a88 Moon.spin() + 2436
      3   Moon   0x105072880 Moon.run() + 560
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    let resolved = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
    #expect(resolved.threads[0][2].ownSymbol == "Moon.spin()")
  }
}
