import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// A report made for one finding, and the expected text.
struct FindingSample: Sendable, CustomTestStringConvertible {
  var rule: String
  var text: String
  var report: SampleReport
  var testDescription: String { "\(rule): \(text)" }

  init(_ rule: String, _ text: String, _ report: SampleReport) {
    self.rule = rule
    self.text = text
    self.report = report
  }
}

private let timeout = SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination("FRONTBOARD", 0x8bad_f00d)
private let f = app(function("f()", "/a.swift", 3))
private let g = app(function("g()", "/a.swift", 9))

/// A frame of the system with its image, which is at work.
private let layout: ResolvedFrame = {
  var frame = image("AttributeGraph").captured
  frame.reportedSymbol = "AG::Graph::UpdateStack::update()"
  return ResolvedFrame(captured: frame)
}()

/// The start of a function of the system.
private let bundleFunction: ResolvedFrame = {
  var frame = image("CoreFoundation").captured
  frame.reportedSymbol = "CFBundleGetFunctionPointerForName"
  frame.reportedSymbolOffset = 28
  return ResolvedFrame(captured: frame)
}()

private func thrown(_ reason: String) -> SampleReport { abort.uncaught("NSInvalidArgumentException", reason) }

let findingSamples =
  stackFindings + surroundingFindings + remarkFindings + memoryFindings + exceptionFindings + waitFindings
  + endFindings
  + otherThreadFindings + kernelFindings + gpuFindings + goFindings + ownerFindings

/// A nameless frame in the only image of a report, a library in the bundle of `Moon`.
private let libraryFrame: ResolvedFrame = {
  var frame = image("Tide", isInApp: true)
  frame.image = 0
  return frame
}()

private let ownerFindings = [
  FindingSample(
    "sdk-in-app",
    "-[SentryTide rise] belongs to an SDK that is built into the app. Unless the app gave it something wrong, look for "
      + "this crash in the SDK's release notes and issues, and update it.",
    fault(0x1_6f00_0000).crashed(app(function("-[SentryTide rise]")))),
  FindingSample(
    "dependency-in-app",
    "The code at this place belongs to tide-2.1.0, a dependency that is built into the program. Unless it was given "
      + "something wrong, look for this crash in its release notes and issues, and update it.",
    fault(0x1_6f00_0000).crashed(
      app(function("tide::rise", "/Users/moon/.cargo/registry/src/index-1/tide-2.1.0/src/lib.rs", 7)))),
  FindingSample(
    "own-caller",
    "tide_rise may be a function of a library that is built into the app. If it isn't yours, start at Moon.shine(), "
      + "further out on the same stack.",
    fault(0x1_6f00_0000).crashed(app(function("tide_rise")), app(function("Moon.shine()")))),
  FindingSample(
    "library-in-app",
    "The innermost code outside the system belongs to Tide 2.1, a library inside the app. If it isn't yours, look for "
      + "this crash in its release notes and issues, and try its latest version.",
    fault(0x1_6f00_0000).library("/var/Moon.app/Frameworks/Tide.framework/Tide", "2.1").crashed(libraryFrame)),
  FindingSample(
    "nil-block",
    "Calling a block that is nil fails at this address, too: that is where a block has its function. If a completion "
      + "handler or another block is called there, test it for nil first, and see that it isn't called a second time "
      + "after it was cleared.",
    fault(0x10).crashed(app(function("-[TDTide rise]", "/TDTide.m", 7)))),
  FindingSample(
    "plug-in-code",
    "Tide is a plug-in or driver that the program loaded from /Library/Audio/Plug-Ins/: the fault is in its code, or in "
      + "what the program passed to it. As a user update or remove it, and send its makers this report; the program is "
      + "to blame only if several plug-ins fail alike.",
    fault(0x1_6f00_0000).library("/Library/Audio/Plug-Ins/VST3/Tide.vst3/Contents/MacOS/Tide", "2.1")
      .crashed(libraryFrame)),
  FindingSample(
    "hidden-names",
    "Names such as `__hidden#12_` aren't the functions': they are numbers into a `.bcsymbolmap`, with which Apple "
      + "replaced them in an app built with bitcode (Xcode 7 to 13). Download the dSYMs from App Store Connect, or "
      + "apply the map with `dsymutil --symbol-map`.",
    fault(0x1_6f00_0000).crashed(system("__hidden#12_"))),
  FindingSample(
    "system-code-only",
    "All code on this stack, down to where the thread waits for work, is the system's: either this OS version has a "
      + "defect there, or the app left something behind that shows only here. If only some OS versions have the crash, "
      + "work around it and report it to Apple.",
    swiftTrap.crashed(
      named("-[UIView layout]", in: "UIKitCore"), named("CFRunLoopRunSpecific", in: "CoreFoundation"))),
]

private func named(_ symbol: String, in image: String) -> ResolvedFrame {
  var captured = system(symbol).captured
  captured.imageName = image
  return ResolvedFrame(captured: captured)
}

/// A gap where the reporter omitted frames.
private let omitted = ResolvedFrame(captured: Frame(kind: .omitted, address: nil))

/// A recursion whose middle rows were left out of a copy of the report.
private let abridged = [0, 1, 2, 509, 510].map { number in
  var frame = f
  frame.captured.number = number
  return frame
}

private let otherThreadFindings = [
  FindingSample(
    "recursion-of-one-cut",
    "f() repeats at least 511 times in a row on this stack; the report leaves frames out.",
    fault(0x1_6f00_0000).crashed(abridged)),
  FindingSample(
    "recursion-of-one-cut",
    "f() repeats at least 9 times in a row on this stack; the report leaves frames out.",
    fault(0x1_6f00_0000).crashed(Array(repeating: f, count: 9) + [omitted])),
  FindingSample(
    "recursion-of-several-cut",
    "These functions repeat at least 8 times in a row on this stack; the report leaves frames out: f(), g().",
    fault(0x1_6f00_0000).crashed(Array(repeating: [f, g], count: 8).flatMap(\.self) + [omitted])),
  FindingSample(
    "report-says", "The report says: “the last words”.",
    fault(0x1_6f00_0000).crashed(f).says("abort() called", "the last words")),
  FindingSample(
    "deadlock-cycle",
    "Deadlock: each of these threads waits for a lock that the next one holds: 0 (f()) → 1 (g()) → 0.",
    timeout.crashed(system("__psynch_mutexwait"), f).registers(["x3": 1001])
      .thread(system("__psynch_mutexwait"), g).registers(["x3": 1000], of: 1)),
  FindingSample(
    "exit-elsewhere",
    "Thread 1 was ending the process (in exit): what static destructors take away may still be used on the "
      + "crashed thread.", swiftTrap.crashed(f).thread(system("exit"), g)),
  FindingSample(
    "exception-elsewhere",
    "An exception was being handled on thread 1 (in objc_exception_throw): it may have come first.",
    fault(0x1_6f00_0000).crashed(f).thread(system("objc_exception_throw"), g)),
  FindingSample(
    "module-exception-elsewhere",
    "Thread 1 was turning a native module's exception into a JavaScript error (in "
      + "facebook::react::ObjCTurboModule::performVoidMethodInvocation(id)), off the JavaScript thread. Up to React "
      + "Native 0.83.4 that damages Hermes' heap: the module's exception came first. Find it with a breakpoint on "
      + "`objc_exception_throw`, and update React Native.",
    fault(0x1_6f00_0000).crashed(f).thread(
      system("facebook::react::ObjCTurboModule::performVoidMethodInvocation(id)"), g)),
  FindingSample(
    "script-elsewhere",
    "Thread 1 was inside the same script engine (in JSEvaluateScript), which one thread at a time may use.",
    fault(0x1_6f00_0000).crashed(system("JSObjectCallAsFunction"), f).thread(system("JSEvaluateScript"), g)),
  FindingSample(
    "context-elsewhere",
    "Thread 1 was using Core Data, too (in -[NSManagedObjectContext save:]): a context belongs to one queue.",
    fault(0x1_6f00_0000).crashed(system("_PF_FulfillDeferredFault"), f)
      .thread(system("-[NSManagedObjectContext save:]"), g)),
  FindingSample(
    "database-elsewhere",
    "Thread 1 was using SQLite, too (in sqlite3_finalize): a connection may be used by one thread at a time unless "
      + "it was opened serialized.",
    fault(0x1_6f00_0000).crashed(system("sqlite3_step"), f).thread(system("sqlite3_finalize"), g)),
  FindingSample(
    "collection-elsewhere",
    "Thread 1 was inside a Swift collection, too (in Dictionary.subscript.setter): if both use the same one, guard it "
      + "with a lock, a serial queue or an actor.",
    fault(0x1_6f00_0000).crashed(system("Dictionary.Iterator.next()"), f)
      .thread(system("Dictionary.subscript.setter"), g)),
  FindingSample(
    "main-thread-share", "On its heaviest path, the main thread was in f() in 75 % of its 4 samples.",
    SampleReport().kind(.hang).thread(system("read"), f).sampled(4, depthCounts: [3, 3])),
  FindingSample(
    "swiftui-keeps-updating",
    "Its time went into SwiftUI's updates of views: look for state that changes on each pass (the time, a size "
      + "written back from a layout, an object that publishes without a change) or an animation that repeats for ever. "
      + "`Self._printChanges()` in a view's body names what changed.",
    SampleReport().kind(.resource)
      .thread(system("LazyStack<>.place"), system("GraphHost.flushTransactions()"))),
  FindingSample(
    "sampled-busy-thread", "Thread 1 was running all the time, in moon: it is what used the CPU.",
    SampleReport().kind(.sample).thread(system("kevent"), f).queue("com.apple.main-thread", of: 0)
      .sampled(4, depthCounts: [4, 4]).thread(system("moon"), system("tide")).sampled(
        4, depthCounts: [4, 4], of: 1)),
  FindingSample(
    "process-share", "The heaviest stack of the process was in f() in 75 % of its 4 samples.",
    SampleReport().kind(.resource).thread(system("read"), f).named(ThreadRecord.heaviestStack, thread: 0)
      .sampled(4, depthCounts: [3, 3])),
]

private let remarkFindings = [
  FindingSample(
    "privacy-responsible",
    "The responsible app is Tides: its Info.plist and its signature are those that count.",
    abort.termination("TCC", 0).noted("Responsible", "Tides [7]")),
  FindingSample(
    "dyld-built-for",
    "The image that wants it was built for version 12.0 and later of the system: on an older one, build it with a "
      + "lower deployment target, or don't start there.",
    abort.termination(
      "DYLD", 4, details: "Symbol not found: _tide",
      "Referenced from: /Applications/Moon.app/Contents/MacOS/Moon (which was built for Mac OS X 12.0)")),
  FindingSample(
    "resource-behalf", "Others asked for part of that work: 7 samples tided [65].",
    SampleReport().kind(.resource).says("Event: disk writes", "On Behalf Of: 7 samples tided [65]")),
  FindingSample(
    "resource-system-process",
    "tided belongs to the system: its code can't be changed. What it works for can: files copied, photos or mail "
      + "indexed, data synchronized, a device attached.",
    SampleReport().kind(.resource).process("tided").path("/usr/libexec/tided").says("Event: disk writes")),
  FindingSample(
    "resource-killed", "The system ended the process for it.",
    SampleReport().kind(.resource).says("Event: cpu usage", "Action taken: Process killed")),
  FindingSample(
    "kernel-triage",
    "The kernel noted of this process: “VM - (arg = 0x3) a note of the moon”. It need not have to do with "
      + "the crash.",
    abort.crashed(f).noted("Kernel Triage", "VM - (arg = 0x3) a note of the moon")),
  FindingSample(
    "kernel-pagein-failed",
    "The kernel could not read a page of a mapped file: the file became shorter, or its volume returned an error.",
    fault(0x1_6f00_0000).crashed(f).noted(
      "Kernel Triage", "VM - (arg = 0x1900000016) Filesystem pagein returned an error in vnode_pagein")),
  FindingSample(
    "kernel-pagein-past-end",
    "The page lies behind the end of the mapped file (the kernel notes `pagein past EOF`): the file "
      + "is shorter than its mapping.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - pagein past EOF")),
  FindingSample(
    "kernel-ecc",
    "The memory hardware returned an error that could not be corrected: a defect of this machine's "
      + "memory, not of the program.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - Accessed a page that has uncorrected ECC error")),
  FindingSample(
    "kernel-text-corrupted",
    "The kernel found a page of executable code changed in memory: failing memory or storage, or a "
      + "file replaced while it ran.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - A memory corruption was found in executable text")),
  FindingSample(
    "kernel-volume-gone",
    "The volume of a mapped file was removed by force while the process used it.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - Object has no pager because the backing vnode was force unmounted")),
  FindingSample(
    "kernel-memory-short",
    "The kernel had no free memory at once for a page of this process and tried again, as happens on "
      + "a busy system. It need not have to do with the crash.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - Fault hit memory shortage")),
  FindingSample(
    "kernel-no-address-space",
    "An allocation of virtual memory was refused: the wanted range was taken, or the address space or "
      + "its limit is exhausted. Allocators and runtimes also try ranges on purpose, so it need not have "
      + "to do with the crash.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - vm_map_copyout_internal failed because we couldn't locate space")),
  FindingSample(
    "kernel-bad-size",
    "vm_allocate was asked for a size of zero or one that overflows: look for a length that became "
      + "negative.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - mach_vm_allocate_kernel failed due to bad size")),
  FindingSample(
    "kernel-code-signing-page",
    "The kernel refused to make a page executable, or a code page writable: code written at run time "
      + "(a JIT, a hook, a patched function) without the allow-jit entitlement and MAP_JIT.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - Failed an executable mapping of a nx page")),
  FindingSample(
    "kernel-decompress",
    "A compressed or swapped page could not be restored: memory or storage may be failing, or the "
      + "swap volume is full.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - Decompressor hit a failure")),
  FindingSample(
    "kernel-fixups",
    "The kernel could not relocate a data page of a binary: its chained fixups are damaged. The file "
      + "was changed after linking (patched, stripped, packed) or is damaged.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - dyld_pager_data_request hit a page sliding error")),
  FindingSample(
    "kernel-corpse-refused",
    "The kernel kept no copy of the dead process: this report was written without its memory, and can "
      + "lack threads or registers.",
    fault(0x1_6f00_0000).crashed(f)
      .noted("Kernel Triage", "VM - Process too big for corpse. Corpse disallowed.")),
  FindingSample(
    "platform-binary-moved",
    "The program's signature is that of a program of the system (validation category 1). The system "
      + "starts such programs only from their own place and by their own parents: a copy in an app or "
      + "another folder is refused. Use one that is built and signed by yourself.",
    abort.crashed(f).termination("CODESIGNING", 4).noted("Code Signing Validation Category", "1")),
  FindingSample(
    "changed-from-outside",
    "Another process, such as a debugger, created threads in this one or changed the state of its threads. What "
      + "registers and stacks show need not be the program's own doing.",
    fault(0x1_6f00_0000).crashed(f).noted("External Modification Summary", "thread_set_state: 2")),
  FindingSample(
    "never-unlocked",
    "The device had not been unlocked since it started: files with data protection and most keychain items could not "
      + "be read.", abort.crashed(f).noted("Data Protection", "not unlocked since boot")),
  FindingSample(
    "device-locked",
    "The device was locked: files and keychain items that are protected while it is locked could not be read.",
    abort.crashed(system("SecItemCopyMatching"), f).noted("Data Protection", "locked")),
  FindingSample(
    "in-background", "The process ran in the background when it was ended.",
    timeout.crashed(f).noted("Role", "Background")),
  FindingSample(
    "thermal-pressure",
    "The device was hot, so that the system ran more slowly.",
    SampleReport().kind(.hang).thread(f).noted("Thermal Pressure", "2")),
  FindingSample(
    "os-fault",
    "The report notes a fault of Tides (`os_fault_with_payload`). If the report was made for that fault alone, the process went on.",
    abort.crashed(f).noted("os_fault", "Tides")),
  FindingSample(
    "application-signature", "The report's signature for this kind of stop: Tide turned twice.",
    abort.crashed(f).noted("Application Specific Signatures", "Tide turned twice")),
]

private func numbered(_ number: Int, _ symbol: String) -> ResolvedFrame {
  var frame = system(symbol).captured
  (frame.number, frame.imageName) = (number, "Moon")
  return ResolvedFrame(captured: frame)
}

private let surroundingFindings = [
  FindingSample(
    "stack-check-words",
    "“stack overflow” are the C library's words for a local array that was written past its end (`__stack_chk_fail`); the "
      + "stack wasn't used up.",
    abort.crashed(system("__stack_chk_fail"), f).says("[77800] stack overflow")),
  FindingSample(
    "guard-value",
    "The free block's guard had been replaced by 0x65646f6d, in memory 6d 6f 64 65 00 00 00 00: these bytes are what was "
      + "written over the block. Repeated bytes look like pixels or a fill, small numbers like indices or sizes, letters "
      + "like a string: compare them with what the program writes.",
    abort.crashed(system("malloc_vreport"), f).says("*** Incorrect guard value: 1701080941")),
  FindingSample(
    "translocated",
    "macOS ran the app from a read-only copy at a random path (App Translocation), because it was downloaded and not "
      + "moved in the Finder: files beside the .app aren't found there, and can't be written. Move the app in the Finder, "
      + "or remove its quarantine (`xattr -dr com.apple.quarantine`).",
    fault(0x7000_0000).crashed(f).path(
      "/private/var/folders/t/AppTranslocation/1A/d/Moon.app/Contents/MacOS/Moon")),
  FindingSample(
    "jailbroken",
    "Tide.dylib is loaded: the device is jailbroken, and libraries that aren't the app's change "
      + "what it does. See whether devices without a jailbreak have this crash.",
    fault(0x7000_0000).crashed(f).library("/Library/MobileSubstrate/Tide.dylib", "1")),
  FindingSample(
    "dyld-image-not-found",
    "“image not found” means that there is no file at that path, nor at the fallback paths that dyld tries.",
    abort.termination("DYLD", 1, details: "Library not loaded: /t.dylib", "Reason: image not found")),
  FindingSample(
    "return-address-text",
    "In place of a return address on the stack stands the text “moonrise”: a text was written past the end of a local "
      + "array, over the frames that follow, or the frames were followed into other data.",
    abort.crashed(system("__stack_chk_fail"), f, spelled)),
  FindingSample(
    "view-loading",
    "It ran while a view controller loaded its view (`viewDidLoad`): `view.window`, the window's scene and what a parent "
      + "or segue sets later are nil at that time. What needs them belongs into `viewIsAppearing`, or `viewWillAppear` on "
      + "macOS.",
    swiftTrap.crashed(f, system("-[UIViewController loadViewIfRequired]"))
      .says("Fatal error: Unexpectedly found nil while unwrapping an Optional value")),
  FindingSample(
    "message-selector-found", "The message being sent was `rise`.",
    fault(0x7000_0000).crashed(system("objc_msgSend"), f)
      .says("Selector name found in current argument registers: rise")),
]

/// A return address that text was written over.
private let spelled = ResolvedFrame(
  captured: Frame(kind: .returnAddress, address: RuntimeAddress(0x6573_6972_6e6f_6f6d)))

private let stackFindings = [
  FindingSample(
    "fault-while-throwing",
    "An exception was being thrown when this fault happened, as the frame shows. The exception came first: look for who "
      + "threw it, in the frame below, and for its reason in the log.",
    fault(0x7000_0000).crashed(system("_objc_msgSend_uncached"), system("objc_exception_throw"), f)),
  FindingSample(
    "fault-in-signal-handler",
    "The program was stopped inside a signal handler. What the program was doing when the signal came is below "
      + "`_sigtramp`: that failed first.",
    fault(0x7000_0000).crashed(app(function("onSignal")), system("_sigtramp"), f)),
  FindingSample(
    "innermost-frames-missing",
    "The list begins at frame 40: the frames that stopped the program, above it, are missing. Without them no place can "
      + "be told.",
    SampleReport().crashed(numbered(40, "tide_rise"), numbered(41, "tide_fall"))),
  FindingSample(
    "fault-handler-aborted",
    "A handler of this fault ended the program with a signal of its own: the fault itself happened below `_sigtramp`, "
      + "which an excerpt may lack.",
    SampleReport("EXC_BAD_ACCESS", "SIGABRT", codes: 1, 0x7000_0000)
      .crashed(system("__pthread_kill"), app(function("onSignal")), system("_sigtramp"), f)),
  FindingSample(
    "fault-at-exit",
    "The program was ending: `exit` destroys static objects in reverse order while other threads, and destructors that "
      + "come later, may still use them. Stop threads and engines before it, leave the object undestroyed, or end with "
      + "`_exit`.",
    fault(0x7000_0000).crashed(system("__cxa_finalize_ranges"), system("exit"))),
  FindingSample(
    "jit-without-right",
    "The page that was refused is no file's: the program made this code as it ran (a just-in-time compiler), and its "
      + "signature lacks com.apple.security.cs.allow-jit or the code was not mapped with MAP_JIT.",
    SampleReport("EXC_BAD_ACCESS", "SIGKILL", codes: 50, 0x10_8000).termination(
      "CODESIGNING", 2, "Invalid Page"
    )
    .region("--->  Memory Tag 255  108000-148000 [  256K] r-x/rwx SM=PRV")),
  FindingSample(
    "engine-starting",
    "The engine was starting. It then reserves memory for compiled code, which the hardened runtime refuses without "
      + "com.apple.security.cs.allow-jit; V8 calls that out of memory, however much there is.",
    swiftTrap.crashed(
      system("v8::internal::V8::FatalProcessOutOfMemory(v8::internal::Isolate*, char const*)"),
      system("v8::internal::Isolate::Init(v8::internal::SnapshotData*, v8::internal::SnapshotData*, bool)"), f
    )),
  FindingSample(
    "recursion-of-one", "f() repeats 9 times in a row on this stack.",
    fault(0x1_6f00_0000).crashed([g] + Array(repeating: f, count: 9))),
  FindingSample(
    "recursion-forwarding",
    "The object passes the question on to itself: it was set as its own delegate or target, or two proxies, such as those "
      + "of a library that wraps delegates and was set up twice, each took the other for the original.",
    fault(0x1_6f00_0000).crashed(Array(repeating: system("-[NSSplitView respondsToSelector:]"), count: 9))),
  FindingSample(
    "recursion-accessor",
    "The accessor comes back to its own property: it reads or sets the property itself in place of a stored one, or, as "
      + "a description with \\(self), prints its own object.",
    fault(0x1_6f00_0000).crashed(Array(repeating: app(function("Moon.tide.getter")), count: 9))),
  FindingSample(
    "recursion-of-several", "These functions repeat 8 times in a row on this stack: f(), g().",
    fault(0x1_6f00_0000).crashed(Array(repeating: [f, g], count: 8).flatMap(\.self))),
  FindingSample(
    "thread-crowd", "There are 70 threads; 70 of them are in f().",
    (0..<70).reduce(swiftTrap) { report, _ in report.thread(system("__ulock_wait"), f) }),
  FindingSample(
    "running-test", "The test ATests.testB was running.",
    swiftTrap.crashed(
      system("-[XCTestCase recordIssue:]"), f, app(function("-[ATests testB]", "/a.m", 4)),
      app(function("@objc ATests.testB()", "/a.m", 4)), system("-[XCTestCase invokeTest]"))),
]

/// A frame at address 0.

private let memoryFindings = [
  FindingSample(
    "message-selector", "The message being sent was `title`.",
    fault(0x10).crashed(system("objc_msgSend"), f).says("objc_msgSend() selector name: title")),
  FindingSample(
    "message-selector-register", "The message being sent was `title`.",
    fault(0x10).crashed(system("objc_msgSend"), f).registers(["x0": 0x6000, "x1": 0x7000])
      .meaning("title", of: "x1")),
  FindingSample(
    "message-receiver", "The object concerned is the one at 0x6000, in register x0.",
    fault(0x10).crashed(system("objc_release"), f).registers(["x0": 0x6000])),
  FindingSample(
    "receiver-unreadable",
    "The memory at the receiver's address 0x281234560 can't be read: reading its class pointer failed. The object is gone, or the pointer never was one.",
    fault(0x2_8123_4560).crashed(system("objc_msgSend"), f).registers(["x0": 0x2_8123_4560])),
  FindingSample(
    "receiver-classless",
    "There is memory at the receiver's address 0x281234560, but its class pointer is null: the memory was cleared, as newer versions of libmalloc do when an object is freed, or given out again.",
    fault(0x10).crashed(system("objc_msgSend"), f).registers(["x0": 0x2_8123_4560, "x16": 0])),
  FindingSample(
    "null-argument",
    "NULL was given to CFBundleGetFunctionPointerForName as its first argument, which it doesn't test: look at what its caller passed, and where that should have come from.",
    fault(0x8).crashed(bundleFunction, f).registers(["x0": 0])),
  FindingSample(
    "receiver-wrong-class",
    "There is memory at the receiver's address 0x281234560, but its class pointer leads to 0x300000028, where no class is: the memory was freed and given out again, or overwritten.",
    fault(0x3_0000_0038).crashed(system("objc_msgSend"), f)
      .registers(["x0": 0x2_8123_4560, "x16": 0x3_0000_0028])),
  FindingSample(
    "freed-memory-register",
    "Register x8 holds 0x5555555555555555, which the allocator writes into freed memory when MallocScribble is on.",
    fault(0x10).crashed(f).registers(["x8": 0x5555_5555_5555_5555])),
  FindingSample(
    "fresh-memory-register",
    "Register x8 holds 0xaaaaaaaaaaaaaaaa, which the allocator writes into new memory when MallocPreScribble is on.",
    fault(0x10).crashed(f).registers(["x8": 0xaaaa_aaaa_aaaa_aaaa])),
  FindingSample(
    "text-register", "The bytes in a register spell “lo World”: text may have been taken for a pointer.",
    fault(0, code: 13, cpu: "X86-64").crashed(f).registers(["rdi": 0x646c_726f_5720_6f6c])),
  FindingSample(
    "non-canonical-register",
    "Register rdi holds 0x1f00600001d54120, which is no address a program can use: it may be the pointer.",
    fault(0, code: 13, cpu: "X86-64").crashed(f).registers(["rdi": 0x1f00_6000_01d5_4120])),
]

private let exceptionFindings = [
  FindingSample(
    "exclusivity-other-access",
    "The access that had not ended, a modification, began in Store.update() + 120.",
    swiftTrap.says(
      "Simultaneous accesses to 0x1, but modification requires exclusive access.",
      "Previous access (a modification) started at App`Store.update() + 120 (0x1026a3f40).")),
  FindingSample(
    "index-beyond-bounds", "An index or a range lay outside of the collection.",
    thrown("*** -[__NSArrayI objectAtIndex:]: index 3 beyond bounds [0 .. 2]")),
  FindingSample(
    "nil-in-collection", "nil was put into a collection that can't hold it.",
    thrown("*** -[__NSPlaceholderArray initWithObjects:count:]: attempt to insert nil object from objects[0]")
  ),
  FindingSample(
    "key-value-coding",
    "The class has no property `label`; often an outlet in a storyboard still has that name.",
    thrown(
      "[<A 0x1> setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key label.")),
  FindingSample(
    "mutated-while-enumerated",
    "A collection was changed while a loop went over it, by the loop itself or by another thread.",
    thrown("*** Collection <__NSArrayM: 0x1> was mutated while being enumerated.")),
  FindingSample(
    "interface-off-main-thread", "The user interface may only be used from the main thread.",
    thrown(
      "Modifications to the layout engine must not be performed from a background thread after it has been accessed "
        + "from the main thread.")),
  FindingSample(
    "list-update-mismatch",
    "The number of rows or items after an update doesn't fit what was inserted and deleted.",
    thrown("Invalid update: invalid number of rows in section 0.")),
  FindingSample(
    "dispatch-object-in-use",
    "A semaphore or group was freed while its value was below the one it was made with: a thread still waits, or a "
      + "signal is missing.",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: Semaphore object deallocated while in use")),
  FindingSample(
    "group-unbalanced", "A group was left more often than entered.",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: Unbalanced call to dispatch_group_leave()")),
  FindingSample(
    "queue-suspension",
    "A queue must be resumed as often as it was suspended, and an inactive one activated before it is freed.",
    swiftTrap.says("BUG IN CLIENT OF LIBDISPATCH: Over-resume of an object")),
]

private let kernelFindings = [
  FindingSample(
    "panic-address", "The address was 0x4d535764 = \"dWSM\" (write).",
    SampleReport("").message("Kernel trap at 0x1, type 14=page fault, registers:").kind(.panic)
      .says("Fault CR2: 0x000000004d535764, Error code: 0x2, Fault CPU: 0x0")),
  FindingSample(
    "sanitizer-behind", "The access lies 0 B past the end of a 20-byte allocation.",
    sanitizer("heap-buffer-overflow").says("0x6014 is located 0 bytes after 20-byte region [0x6000,0x6014)")),
  FindingSample(
    "sanitizer-before", "The access lies 8 B before the start of a 20-byte allocation.",
    sanitizer("heap-buffer-overflow")
      .says("0x5ff8 is located 8 bytes to the left of 20-byte region [0x6000,0x6014)")),
  FindingSample(
    "sanitizer-variable", "The report names the variable whose memory was missed: tide (line 12).",
    sanitizer("stack-buffer-overflow")
      .says("[32, 36) 'tide' (line 12) <== Memory access at offset 36 overflows this variable")),
  FindingSample(
    "resource-cpu-fatal", "The system calls this limit fatal: it ended the process.",
    SampleReport("").kind(.resource).says("Received (FATAL) CPU usage trigger:")),
  FindingSample(
    "unterminated-text",
    "A function for C strings read past the end of its buffer: the text there is not terminated by a zero byte, or the "
      + "buffer has no room for it.",
    sanitizer("stack-buffer-overflow").crashed(system("wrap_strlen"), app(function("read()")))),
  FindingSample(
    "container-overflow-doubt",
    "An element beyond a container's size was used. It is a false alarm if a library that shares the container was "
      + "built without the sanitizer.",
    sanitizer("container-overflow")),
  FindingSample(
    "panic-extension-code",
    "The code at 0xffffff7f8bf74b0a, which panicked, belongs to an extension and not to the kernel: on Intel "
      + "extensions are loaded at 0xffffff7f…. The report's list of loaded extensions, or `kextstat`, shows which one "
      + "lies there.",
    SampleReport("").message("Kernel trap at 0xffffff7f8bf74b0a, type 14=page fault, registers:").kind(.panic)
      .says("panic(cpu 1 caller 0xffffff80096daadd): Kernel trap at 0xffffff7f8bf74b0a, type 14=page fault")),
  FindingSample(
    "panic-poison",
    "rdi held 0xdeadbeefdeadbeef, which the kernel writes into memory that it frees: the code used an object after it "
      + "was freed.",
    SampleReport("").message("Kernel trap at 0x1, type 13=general protection, registers:").kind(.panic)
      .says("RSP: 0x1, RBP: 0x2, RSI: 0x3, RDI: 0xdeadbeefdeadbeef")),
]

private let gpuFindings = [
  FindingSample(
    "panic-windowserver",
    "WindowServer draws all windows and talks to the displays: it mostly hangs in the graphics driver or waits for a "
      + "display. Test without external displays, docks, adapters and tools that switch graphics or displays, and with "
      + "the newest macOS.",
    SampleReport("").message("panic(cpu 1 caller 0x2): no successful checkins from WindowServer in 9 seconds")
      .kind(.panic).says("no successful checkins from WindowServer in 9 seconds")),
  FindingSample(
    "gpu-hung", "The part that did not answer: GFX.",
    SampleReport().kind(.other).says("Event: GPU Reset", "Hung Channels: GFX")),
  FindingSample(
    "gpu-hardware", "The GPU is a Moon Pro 560.",
    SampleReport().kind(.other).says("Event: GPU Reset", "Graphics Hardware: Moon Pro 560")),
]

private let goFindings = [
  FindingSample(
    "cgo-call",
    "Go had called the C function moon_rise: the signal came in it or in what it calls, and Go's frames below say with "
      + "which arguments.",
    SampleReport("SIGSEGV").crashed(system("runtime.cgocall"), app(function("moon._Cfunc_moon_rise(0x1)"))))
]

private let waitFindings = [
  FindingSample(
    "main-thread-waits",
    "When the process was recorded, the main thread was waiting for a semaphore, called from f().",
    timeout.crashed(system("semaphore_wait_trap"), system("_dispatch_semaphore_wait_slow"), f)),
  FindingSample(
    "lock-holder",
    "The cause is on another thread: the one that holds what the main thread waits for, and works long meanwhile (a "
      + "file, the network, a database) or waits for the main thread itself. Look for it among the other threads, and "
      + "do its slow work outside the lock or queue.",
    timeout.crashed(system("pthread_mutex_lock"), f)),
  // A library in the app's image waits on behalf of the app's own code.
  FindingSample(
    "main-thread-waits",
    "When the process was recorded, the main thread was waiting for a semaphore, called from f().",
    timeout.crashed(
      system("semaphore_wait_trap"), system("_dispatch_semaphore_wait_slow"),
      app(function("parking_lot::condvar::Condvar::wait")), f)),
  // Only the entry point is further out than the library.
  FindingSample(
    "main-thread-waits",
    "When the process was recorded, the main thread was waiting for a semaphore, called from tokio::run.",
    timeout.crashed(
      system("semaphore_wait_trap"), system("_dispatch_semaphore_wait_slow"), app(function("tokio::run")),
      app(function("main")))),
  FindingSample(
    "main-thread-waits",
    "When the process was recorded, the main thread was waiting for a condition variable in -[CADisplayLink invalidate].",
    timeout.crashed(
      system("__psynch_cvwait"), system("_pthread_cond_wait", in: "libsystem_pthread.dylib"),
      system("-[CADisplayLink invalidate]", in: "QuartzCore"), system("-[SCNView dealloc]", in: "SceneKit"))),
  // Mutexes were once implemented by semaphores.
  FindingSample(
    "main-thread-waits",
    "When the process was recorded, the main thread was waiting for a mutex, called from f().",
    timeout.crashed(system("semaphore_wait_signal_trap"), system("pthread_mutex_lock"), f)),
  FindingSample(
    "likely-holder",
    "Thread 1 was running code of the same type, in closure #1 in Tides.store(_:): it probably holds what the main "
      + "thread waits for.",
    timeout.crashed(
      system("__ulock_wait2"), system("_os_unfair_lock_lock_slow"), app(function("Tides.load()"))
    )
    .thread(system("open"), app(function("closure #1 in Tides.store(_:)")))),
  FindingSample(
    "watchdog-swiftui",
    "The main thread was updating SwiftUI's views. Make them cheaper (fewer points, rows or nested layouts), and don't "
      + "change what they show while the app is in the background (scenePhase): the system lays them out there for its "
      + "snapshots.",
    timeout.crashed(layout, system("GraphHost.flushTransactions()"))),
  FindingSample(
    "main-thread-idle",
    "When the process was recorded, the main thread was waiting for events: it may have been blocked before, or the "
      + "time was spent elsewhere.",
    timeout.crashed(system("mach_msg2_trap"), system("__CFRunLoopServiceMachPort"), f)),
  // A nested run loop of the app during launch waits for an event of the app's own.
  FindingSample(
    "main-thread-waits",
    "When the process was recorded, the main thread was waiting for something that the app awaits in a run loop of its "
      + "own, called from f().",
    timeout.crashed(
      system("mach_msg2_trap"), system("__CFRunLoopServiceMachPort"), f, system("UIApplicationMain"))),
  FindingSample(
    "main-thread-busy",
    "When the process was recorded, the main thread was running the app's own code, in f().",
    timeout.crashed(f)),
  FindingSample(
    "mutex-owner", "Thread 1 holds that lock, in g().",
    timeout.crashed(system("__psynch_mutexwait"), f).registers(["x0": 0x6000, "x3": 1001]).thread(
      system("fsync"), g)),
  FindingSample(
    "threads-wait",
    "Thread 1 was waiting, too, for its turn on a dispatch queue (`sync`), called from g(): the two may wait for each "
      + "other.",
    timeout.crashed(system("semaphore_wait_trap"), f).thread(
      system("__ulock_wait"), system("_dispatch_sync_f_slow"), g)),
  FindingSample(
    "file-lock-user", "Thread 1 was using a database or a locked file, in g().",
    SampleReport("EXC_CRASH", "SIGKILL", codes: 0, 0).termination("RUNNINGBOARD", 0xdead_10cc)
      .crashed(system("mach_msg2_trap")).thread(system("fsync"), system("sqlite3_step"), g)),
]

/// Without contracts, which state some of the findings in their own text instead.
private let base = KnowledgeBase(
  knowledge: Knowledge(
    rules: EmbeddedDocuments.rules, frames: EmbeddedDocuments.frames, codes: EmbeddedDocuments.codes),
  texts: .embedded(.english))

@Suite struct FindingTests {
  @Test("Each sample gets the finding it was made for", arguments: findingSamples)
  func text(_ sample: FindingSample) throws {
    let findings = base.diagnose(sample.report.symbolicated).explanation.findings
    let finding = try #require(findings.first { $0.rule == sample.rule }, "\(findings)")
    #expect(finding.text == sample.text)
    #expect(!finding.evidence.isEmpty)
  }

  @Test func everyFindingHasASample() {
    #expect(Set(Knowledge.embedded.findings.all.map(\.id)) == Set(findingSamples.map(\.rule)))
  }

  @Test("No wait is stated where the functions have no names")
  func namelessWait() {
    let findings = base.diagnose(timeout.crashed(system(nil), f).symbolicated).explanation.findings
    #expect(findings == [])
  }

  @Test("An owner that isn't a thread of the report is ignored")
  func unknownOwner() {
    let report = timeout.crashed(system("__psynch_mutexwait"), f).registers(["x3": 77])
    let rules = base.diagnose(report.symbolicated).explanation.findings.map(\.rule)
    #expect(rules == ["main-thread-waits", "lock-holder"])
  }
}

@Suite("Activities of other threads") struct OtherThreadTests {
  private func rules(_ report: SampleReport) -> [String] {
    base.diagnose(report.symbolicated).explanation.findings.map(\.rule)
  }

  @Test("A thread that waits for a running one isn't deadlocked")
  func noCycle() {
    let report = timeout.crashed(system("__psynch_mutexwait"), f).registers(["x3": 1001]).thread(g)
    #expect(!rules(report).contains("deadlock-cycle"))
  }

  @Test("A single thread inside a script engine is normal")
  func alone() {
    let elsewhere = fault(0x1_6f00_0000).crashed(f).thread(system("JSEvaluateScript"), g)
    #expect(!rules(elsewhere).contains("script-elsewhere"))
    let here = fault(0x1_6f00_0000).crashed(system("JSEvaluateScript"), f).thread(g)
    #expect(!rules(here).contains("script-elsewhere"))
  }

  @Test("The crashed thread's own exception is not another thread's")
  func ownException() {
    let report = abort.crashed(system("objc_exception_throw"), f).thread(g)
    #expect(!rules(report).contains("exception-elsewhere"))
  }

  @Test("A message that is stated twice is quoted once")
  func quotedOnce() {
    let report = abort.says("BUG IN CLIENT OF LIBX: it broke")
    #expect(!rules(report).contains("report-says"))
  }

  @Test("Code of the same type that waits itself, or of another type, is no likely holder")
  func statesNoUnlikelyHolder() {
    let waiting = timeout.crashed(
      system("__ulock_wait2"), system("_os_unfair_lock_lock_slow"), app(function("Tides.load()")))
    let others = [
      waiting.thread(system("__psynch_cvwait"), app(function("Tides.run()"))),
      waiting.thread(system("open"), app(function("Moon.store()"))),
    ]
    for report in others { #expect(!rules(report).contains("likely-holder")) }
  }

  @Test(
    "The type of a method",
    arguments: [
      ("closure #1 in Tides.Store.load(from:)", "Tides.Store"), ("@objc static Tides.next()", "Tides"),
      ("__24-[Tides(Moon) load:]_block_invoke", "Tides"), ("Tides.level.getter", "Tides"), ("main", nil),
      ("tide::Store::load()", nil),
    ])
  func findsTypeOfMethod(_ function: String, _ type: String?) {
    #expect(function.methodType.map(String.init) == type)
  }

  @Test("The entry point's share of the samples says nothing")
  func statesNoShareOfTheEntryPoint() {
    let report = SampleReport().kind(.hang).thread(system("read"), app(function("main")))
      .sampled(4, depthCounts: [4, 4])
    #expect(!rules(report).contains("main-thread-share"))
  }

  @Test("A synchronous look-up with kevent innermost is no wait for events")
  func lookUp() throws {
    let report = timeout.crashed(system("kevent"), system("mdns_query"), system("getaddrinfo"), f)
    let findings = base.diagnose(report.symbolicated).explanation.findings
    let finding = try #require(findings.first { $0.rule == "main-thread-waits" })
    #expect(finding.text.contains("a synchronous DNS look-up"))
  }
}

@Suite struct FrameCycleTests {
  private func cycles(_ keys: [Int], _ repetitions: Int = 3) -> [FrameCycle] {
    FrameCycle.all(in: keys, minimumRepetitions: repetitions)
  }

  @Test func findsTheShortestPeriod() {
    #expect(cycles([9, 1, 1, 1, 1, 8]).map(\.range) == [1..<5])
    #expect(cycles([1, 2, 1, 2, 1, 2, 1]).map { [$0.start, $0.length, $0.repetitions] } == [[0, 2, 3]])
    #expect(cycles([1, 1, 1, 5, 2, 3, 2, 3, 2, 3]).map(\.range) == [0..<3, 4..<10])
  }

  @Test func findsNothingInAShortOrMixedStack() {
    #expect(cycles([]) == [])
    #expect(cycles([1]) == [])
    #expect(cycles([1, 2, 1, 2]) == [])
    #expect(cycles(Array(0..<200)) == [])
  }

  @Test("Placeholder symbols don't make a recursion")
  func placeholders() {
    let frames = (0..<20).map { index in
      var frame = system("<redacted>")
      frame.captured.address = RuntimeAddress(0x1000 + UInt64(index))
      return frame
    }
    #expect(FrameCycle.all(in: frames, minimumRepetitions: 3) == [])
  }
}

@Suite struct PointerValueTests {
  @Test(
    "Values are classified by their bits",
    arguments: [
      (0x5555_5555_5555_5565, true, .freedPattern), (0x0055_5555_5555_5560, true, .freedPattern),
      // Where Linux loads programs without ASLR.
      (0x0000_5555_5555_5560, true, nil), (0x5555_5560, false, .freedPattern),
      (0xaaaa_aaaa_aaaa_aaaa, true, .freshPattern), (0xbbad_beef, true, .deliberate),
      (0x4d55_5458, true, .lockSignature), (0x32aa_aba7, true, .lockSignature), (0x4d55_5800, true, nil),
      (0xffff_ffff_ffff_fff8, true, .negative), (0xffff_fff8, false, .negative), (0xffff_fff8, true, nil),
      (0x646c_726f_5720_6f6c, true, .text), (0x006f_6c6c_6548_6f6c, true, .shortText),
      (0x2b2d_2a2f_2b2d_2a2f, true, .nonCanonical), (0x0000_6000_01d5_4120, true, nil),
      // bl and ldp x29, x30, [sp, #16]; ret and nop; two branches, which other values can resemble.
      (0xa941_7bfd_97ff_fc5b, true, .code), (0xd65f_03c0_d503_201f, true, .code),
      (0x9400_0010_97ff_fc5b, true, .nonCanonical),
      (0x1_8000_0000_0000, true, .nonCanonical), (0xffff_f7fb_f000, true, nil), (0, true, nil),
    ] as [(UInt64, Bool, PointerValue?)])
  func kinds(_ value: UInt64, _ is64Bit: Bool, _ expected: PointerValue?) {
    #expect(PointerValue(value, is64Bit: is64Bit) == expected)
  }
}

private func sanitizer(_ kind: String) -> SampleReport {
  var sample = SampleReport("AddressSanitizer: " + kind)
  sample.report.format = .sanitizer
  return sample
}
