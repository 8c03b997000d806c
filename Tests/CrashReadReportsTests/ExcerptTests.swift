import Testing

@testable import CrashReadReports

/// Parts of reports and logs, as people copy them.
@Suite("Excerpts")
struct ExcerptTests {
  @Test("a termination reason without its heading")
  func terminationAlone() throws {
    let found = try parse(
      "EXC_CRASH (SIGKILL)\nFRONTBOARD domain:10 code:0x8BADF00D\nWatchdogEvent: scene-update\n")
    #expect(found.termination?.namespace == "FRONTBOARD")
    #expect(found.termination?.code == 0x8bad_f00d)
    // A sentence about an exception isn't one.
    let prose = try? parse("0  libobjc.A.dylib  objc_msgSend\nFRONTBOARD often ends such apps\n")
    #expect(prose?.termination == nil)
  }

  @Test("text around a report without an explanation is read")
  func textAroundReport() throws {
    let found = try parse(
      """
      Observing went wrong here because of the current item

      Thread 0 name:  com.apple.main-thread
      Thread 0: Crashed:
      0   CoreFoundation                          0x0000000
      """)
    #expect(found.systemRemarks.map(\.text) == ["Observing went wrong here because of the current item"])
  }

  @Test("a header line after inline information isn't part of it")
  func triggerBehindInformation() throws {
    let found = try parse(
      """
      Process:             Shop [25434]
      Exception Type:  EXC_CRASH (SIGABRT)
      Application Specific Information: abort() called
      Triggered by Thread: 0, Dispatch Queue: com.apple.main-thread

      Thread 0 Crashed:
      0   libsystem_kernel.dylib  0x18a1fdfe0 __pthread_kill + 8
      """)
    #expect(found.applicationSpecificInformation == ["abort() called"])
  }

  @Test("Firebase's console has a frame in two lines, and the line twice")
  func consoleFrames() throws {
    let report = try parse(
      """
      Crashed: Queue (QOS: BACKGROUND)
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000000
      0 Shop Cart.swift - Line 560
                specialized static Cart.total.getter + 560
      1 My Shop <compiler-generated> - Line 0
                partial apply for thunk for @callee_guaranteed () -> ()
      2 libdispatch.dylib _dispatch_client_callout + 20
      """)
    let frames = try #require(report.threads.first?.frames)
    #expect(
      frames.map(\.reportedSymbol) == [
        "specialized static Cart.total.getter", "partial apply for thunk for @callee_guaranteed () -> ()",
        "_dispatch_client_callout",
      ])
    #expect(frames.map(\.imageName) == ["Shop", "My Shop", "libdispatch.dylib"])
    #expect(frames.map(\.reportedLine) == [560, nil, nil])
    #expect(frames.map(\.number) == [0, 1, 2])
  }

  @Test("Firebase's console is copied with each part of a frame on a line of its own")
  func consoleFramesInParts() throws {
    let report = try parse(
      """
      Fatal Exception: NSRangeException
      *** -[__NSArray0 objectAtIndex:]: index 0 beyond bounds for empty array
      0
      CoreFoundation
      __exceptionPreprocess
      3
      Shop
      Cart.m - Line 182
      +[Cart total] + 182
      5
      UIKitCore
      UIApplicationMain
      6
      (Missing)
      """)
    let frames = report.lastExceptionBacktrace
    #expect(frames.map(\.imageName) == ["CoreFoundation", "Shop", "UIKitCore"])
    #expect(frames.map(\.reportedSymbol) == ["__exceptionPreprocess", "+[Cart total]", "UIApplicationMain"])
    #expect(frames.map(\.reportedLine) == [nil, 182, nil])
    #expect(frames.map(\.number) == [0, 3, 5])
  }

  @Test("old pages of Crashlytics have a frame in three lines")
  func frameInThreeLines() throws {
    let found = try parse(
      """
      Fatal Exception: NSRangeException
      *** -[__NSArrayI objectAtIndex:]: index 9 beyond bounds for empty array
      0 ...    CoreFoundation  __exceptionPreprocess + 162
      1    My Shop Two
      Cart.m line 93
      -[Cart selectAt:]
      2    UIKit   -[UITableView _select:] + 876
      """)
    let frame = try #require(found.lastExceptionBacktrace.dropFirst().first)
    #expect(frame.imageName == "My Shop Two")
    #expect(frame.reportedSymbol == "-[Cart selectAt:]")
    #expect(frame.reportedFile == "Cart.m" && frame.reportedLine == 93)
    #expect(found.lastExceptionBacktrace.count == 3)
  }

  @Test("a sentence about an exception is no title of one")
  func sentenceAboutException() throws {
    let found = try parse(
      """
      Fatal Exception: NSRangeException when the cart is shown
      It happens often.

      Fatal Exception: NSRangeException*** -[__NSArrayI objectAtIndex:]: index 9 beyond bounds for empty array
      0  CoreFoundation  __exceptionPreprocess + 162
      """)
    #expect(found.uncaughtException?.name == "NSRangeException")
    #expect(
      found.uncaughtException?.reason
        == "*** -[__NSArrayI objectAtIndex:]: index 9 beyond bounds for empty array")
  }

  @Test("an error that Crashlytics recorded is no end")
  func recordedError() throws {
    let found = try parse(
      """
      # Crashlytics - Stack trace
      Non-fatal Exception: CartError
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'no moon'
      0  Shop  0x1000 Cart.total() + 12 (Cart.swift:12)
      """)
    #expect(found.kind == .other)
    #expect(found.uncaughtException == nil && !found.threads.contains { $0.isCrashed })
    #expect(
      found.applicationSpecificInformation.first?.hasPrefix("Error reported by the app: CartError: *** Term")
        ?? false)
    #expect(found.threads.first?.frames.first?.reportedSymbol == "Cart.total()")
  }

  @Test("one process of a jetsam event is the one that was killed")
  func jetsamEntry() throws {
    let found = try parse(
      """
        {
          "states" : [ "frontmost" ], "rpages" : 89600, "reason" : "per-process-limit", "pid" : 512,
          "name" : "Shop"
        },
      """)
    #expect(found.kind == .jetsam)
    #expect(found.header.process == "Shop")
    #expect(found.termination?.indicator == "per-process-limit")
    // A process that continues isn't evidence.
    #expect(throws: (any Error).self) { try parse(#"{ "rpages" : 89600, "pid" : 512, "name" : "Shop" }"#) }
  }

  @Test("one process of a spindump hangs when its note says so")
  func spindumpProcess() throws {
    let text = """
      Process:          Shop [512]
      Path:             /Applications/Shop.app/Contents/MacOS/Shop
      Architecture:     arm64
      Note:             Unresponsive for 12 seconds before sampling

        Thread 0x3e8    DispatchQueue "com.apple.main-thread"(1)    101 samples (1-101)    priority 46 (base 46)
        101  start + 2544 (dyld + 24544) [0x18a1fdfe0]
          101  main + 64 (Shop + 288) [0x102f00120]
      """
    let found = try parse(text)
    #expect(found.kind == .hang)
    #expect(found.applicationSpecificInformation.contains("Hang duration: 12 seconds"))
    #expect(found.threads.first?.queue == "com.apple.main-thread")
    let quiet = try parse(text.replacing("Unresponsive for", with: "Idle for"))
    #expect(quiet.kind == .sample)
  }

  @Test("Crashlytics numbers its threads")
  func numberedTitles() throws {
    let found = try parse(
      """
      #5. Crashed: com.apple.main-thread
      0  Shop                           0x1f2c4 Cart.total.getter + 132 (Cart.swift:132)
      1  Shop                           0x1f1c4 main + 33

      #6. com.apple.NSURLSession-delegate
      0  libsystem_kernel.dylib         0x7198 mach_msg2_trap + 8
      """)
    #expect(found.threads.map(\.queue) == ["com.apple.main-thread", "com.apple.NSURLSession-delegate"])
    #expect(found.threads.map(\.isCrashed) == [true, false])
  }

  @Test("Pages with number, image, source line and function on lines of their own are read")
  func pageOfLines() throws {
    let page = """
      Crashed: com.apple.main-thread
      EXC_BREAKPOINT 0x00000001a9f32074
      0
      CoreData
      -[NSManagedObjectContext save:] + 2756
      1
      Shop
      Cart.swift:198
      closure #1 in Cart.save() + 198
      2
      libdispatch.dylib
      _dispatch_client_callout + 16
      """
    let frames = try CrashReport(parsing: Array(page.utf8)).threads[0].frames
    #expect(frames.map(\.imageName) == ["CoreData", "Shop", "libdispatch.dylib"])
    #expect(frames[1].reportedSymbol == "closure #1 in Cart.save()")
    #expect(frames[1].reportedFile == "Cart.swift" && frames[1].reportedLine == 198)
  }

  @Test("A version can hold brackets, and a blank can precede the name")
  func imageVersion() throws {
    let text = """
      Thread 0 Crashed:
      0   Python    0x102adb1c0 main + 612

      Binary Images:
         0x1029e8000 - 0x102b27fff +org.python.python (3.13.5, (c) 2001 Moon.) <91317060-f7c0-3330-82ac-c9bac230fa54> /P/Python
         0x2029e8000 - 0x202b27fff + Tide.dylib arm64 <81317060-f7c0-3330-82ac-c9bac230fa54> /P/Tide.dylib
      """
    let images = try CrashReport(parsing: Array(text.utf8)).images
    #expect(images.map(\.name) == ["org.python.python", "Tide.dylib"])
    #expect(images[0].version == "3.13.5, (c) 2001 Moon.")
  }

  @Test("The end of another image's line is not joined to an image")
  func imageTail() throws {
    let text = """
      Thread 0 Crashed:
      0   Shop    0x102adb1c0 main + 612

      Binary Images:
         0x1029e8000 - 0x102b27fff org.example.shop (1.5) <91317060-f7c0-3330-82ac-c9bac230fa54> /Shop.app/Shop
      4d2751b5d729> /usr/lib/swift/libswiftCore.dylib
      """
    #expect(try CrashReport(parsing: Array(text.utf8)).images.map(\.path) == ["/Shop.app/Shop"])
  }

  @Test("Crashlytics writes addresses in place of offsets after the names of a library without lines")
  func addressesBehindNames() throws {
    let frames = try parse(
      """
      Crashed: com.apple.root.default-qos
      0  libobjc.A.dylib                0x2c00 objc_retain + 16
      1  Shop                           0xda6078 -[MTGDevice build:] + 7310792
      2  Shop                           0xe23350 +[MTGBidding identifier] + 7823520
      3  Harbour                        0x328a4 block_destroy_helper.73 + 4342786212
      4  Tide                           0x42000 main + 210000
      """
    ).threads[0].frames
    #expect(frames.map(\.reportedSymbolOffset) == [16, nil, nil, nil, 210000])
    #expect(frames[1].reportedSymbol == "-[MTGDevice build:]")
  }

  @Test("Crashlytics writes the linked address in place of an offset, also beside the frame's own address")
  func linkedAddressesBehindNames() throws {
    let frames = try parse(
      """
      Crashed: com.apple.main-thread
      0  libsystem_c.dylib              0x1b4711a54 abort + 104
      1  Shop                           0x1047360f4 ShopTerminate() + 4379926772
      2  Shop                           0x10473a068 rise() + 4379926772
      """
    ).threads[0].frames
    // The same number behind another name isn't that name's offset either: no function is that long.
    #expect(frames.map(\.reportedSymbolOffset) == [104, nil, nil])
  }

  @Test("The numbers after names in a list without Crashlytics' title can be addresses, too, also of 32 bits")
  func untitledAddressesBehindNames() throws {
    let frames = try parse(
      """
      #0. com.apple.main-thread
      0  libsqlite3.dylib               0x1b4449464 sqlite3_step + 432
      1  Shop                           0x10225f878 Tide::rise(int&) + 4337154168
      2  Shop                           0x1022608d8 Tide::fall() + 4337158360
      """
    ).threads[0].frames
    #expect(frames.map(\.reportedSymbolOffset) == [432, nil, nil])
    let small = try parse(
      """
      1  Shop                           0x573df1 TideRecord + 5918193
      2  Shop                           0x567c2f TideHandler + 5868591
      3  CoreData                       0x26119843 -[NSManagedObjectContext setParentContext:] + 338
      """
    ).threads[0].frames
    #expect(small.map(\.reportedSymbolOffset) == [nil, nil, 338])
  }

  @Test("Blanks that a page has escaped are blanks, whatever else stands there")
  func escapedBlanks() throws {
    let report = try parse(
      """
      I got [<__NSArrayM: 0x280f557d0> was mutated] every day:
      Fatal Exception: NSGenericException
      0  CoreFoundation   &nbsp;&nbsp; 0x1bbb29344&nbsp;&nbsp; __exceptionPreprocess
      1  libobjc.A.dylib  &nbsp;&nbsp;0x1bb83ecc0 &nbsp;&nbsp;objc_exception_throw
      2  Shop             &nbsp;&nbsp;0x100abbdc4 &nbsp;&nbsp;CartStore
      """)
    let frames = report.lastExceptionBacktrace + report.threads.flatMap(\.frames)
    #expect(frames.map(\.reportedSymbol) == ["__exceptionPreprocess", "objc_exception_throw", "CartStore"])
    #expect(report.uncaughtException?.reason == nil)
  }

  @Test("A version whose build is numbered as iOS's is the system's")
  func systemVersion() throws {
    let text = { (version: String) in
      "Model: iPhone X\nVersion: \(version)\n\nException Type: SIGABRT\n\nThread 0 Crashed:\n0  Shop  0x1f2c4 rise() + 132\n"
    }
    #expect(try parse(text("12.3.1 (16F203)")).header.osVersion == "12.3.1 (16F203)")
    let own = try parse(text("12.3.1 (203)")).header
    #expect(own.osVersion == nil && own.version == "12.3.1")
  }

  @Test("Bugsnag writes a frame's place without parentheses")
  func placesWithoutParentheses() throws {
    let frames = try parse(
      """
      EXC_BAD_ACCESS Attempted to dereference garbage pointer at 0x28.
          sqlite3 +0x017e98 sqlite3DbFreeNN sqlite3.c:26936
          Shop +0x0a2c54 -[Tide rise] Tide.m:1655
          libdispatch.dylib +0x001a54 _dispatch_call_block_and_release
      """
    ).threads[0].frames
    #expect(
      frames.map(\.reportedSymbol) == [
        "sqlite3DbFreeNN", "-[Tide rise]", "_dispatch_call_block_and_release",
      ])
    #expect(frames.map(\.reportedLine) == [26936, 1655, nil])
  }

  @Test("HockeyApp wrote the app's UUID, or a shortened name, for the image of a function")
  func imagesOfHockeyApp() throws {
    let frames = try parse(
      """
      Exception Type: SIGABRT
      Thread 0 Crashed:
      0 libobjc.A.dylib objc_terminate() (in libobjc.dylib) + 112
      1 libc++abi.dylib std::__terminate() (in libc++abi.dylib) + 16
      2 Shop rise (in 3ec122779f9f33fb9cd4636415e6dba8) + 112
      """
    ).threads[0].frames
    #expect(frames.map(\.reportedSymbol) == ["objc_terminate()", "std::__terminate()", "rise"])
  }

  @Test("Markdown takes LLDB's asterisks for a list's marks")
  func debuggerMarks() throws {
    let report = try parse(
      """
      While connecting the app crashes with the error below

      (lldb) bt
      - thread #17: tid = 0x23a56, 0x00000001803e8158 Moon`rise + 8, name = 'Tide', stop reason = EXC_BAD_ACCESS (code=1, \
      address=0x100000000)
        - frame #0: 0x00000001803e8158 Moon`rise + 8
          frame #1: 0x00000001001220e4 Moon`fall + 272 at Moon.m:48
      """)
    #expect(report.threads.map(\.index) == [17] && report.threads.first?.name == "Tide")
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["rise", "fall"])
  }

  @Test("Markdown escapes a plus sign, too")
  func escapedPlus() throws {
    let found = try parse(
      "Crashed: com.apple.main-thread\n0  Shop  0x1f2c4 js\\_load() \\+ 132 (Cart.cpp:132)\n")
    #expect(found.threads.first?.frames.first?.reportedSymbol == "js_load()")
  }

  @Test("dyld lists rejected files on lines of their own")
  func refusedLibraries() throws {
    let found = try parse(
      """
      dyld: Library not loaded: /usr/local/lib/libtide.dylib
        Referenced from: /usr/local/bin/tide
        Reason: no suitable image found.  Did find:
      \t/usr/local/lib/libtide.dylib: mach-o, but wrong architecture
      """)
    #expect(found.termination?.details.last == "/usr/local/lib/libtide.dylib: mach-o, but wrong architecture")
  }

  @Test("a Rust panic's message is below its location")
  func panicMessage() throws {
    let found = try parse(
      "thread 'main' panicked at src/main.rs:12:34:\nno tide today\nnote: run with `RUST`\n")
    #expect(
      found.applicationSpecificInformation == [
        "thread 'main' panicked at src/main.rs:12:34:", "no tide today",
      ])
  }

  @Test(
    "the title of a Sentry event tells the exception by number",
    arguments: [
      ("Exception 1, Code 1, Subcode 32 > KERN_INVALID_ADDRESS at 0x20.", "EXC_BAD_ACCESS"),
      ("Exception 6, Code 1, Subcode 4374672656", "EXC_BREAKPOINT"),
    ])
  func numberedException(_ title: String, _ type: String) throws {
    let found = try parse(title + "\n0  Shop   0x104bff110 tide() + 12\n1  Shop   0x104bff210 main + 12\n")
    #expect(found.exception?.type == type)
    #expect(found.exception?.codes.count == 2)
  }

  @Test("a thread can have an informal heading")
  func dashHeading() throws {
    let found = try parse(
      """
      Exception Type:  EXC_CRASH (SIGKILL)

      Thread 0 — com.apple.main-thread (triggered):

      0  libsystem_kernel.dylib    __ulock_wait2
      1  libobjc.A.dylib           objc_sync_enter
      """)
    #expect(found.threads.first?.queue == "com.apple.main-thread")
    #expect(found.threads.first?.isCrashed == true)
  }

  @Test("a list begins with frame 0, even without offsets; text above it is kept")
  func firstFrames() throws {
    let found = try parse(
      """
      The tide session has been closed already
      0  CoreFoundation                 0x1bdcb096c __exceptionPreprocess
      1  libobjc.A.dylib                0x1bd9c9028 objc_exception_throw
      2  Shop                           0x1018271f4 [inlined] Cart.open(_:)
      3  Shop                           0x1018271f4 Cart.show() + 12
      """)
    #expect(found.threads.first?.frames.map(\.reportedSymbol).first == "__exceptionPreprocess")
    #expect(found.threads.first?.frames.map(\.isInlined) == [false, false, true, false])
    #expect(found.threads.first?.frames[2].reportedSymbol == "Cart.open(_:)")
    #expect(found.systemRemarks.map(\.text) == ["The tide session has been closed already"])
  }

  @Test("a sentence after a method's name is a message, an offset isn't")
  func methodSentences() throws {
    let said = "-[TideSession start] start may not be called between the two tides"
    #expect(try parse(said + "\n").applicationSpecificInformation == [said])
    let frames = try parse("-[TideSession start] + 12\n-[TideSession open:] + 40\n")
    #expect(frames.applicationSpecificInformation.isEmpty)
    #expect(frames.threads.first?.frames.count == 2)
  }

  @Test("names of other languages' exceptions have dots")
  func typeNames() throws {
    let found = try parse(
      "System.NullReferenceException: Object reference not set to an instance of an object\n")
    #expect(found.uncaughtException?.name == "System.NullReferenceException")
  }

  @Test("an unfinished message ends before another line of the log; the engine's frames follow")
  func engineFrames() throws {
    let found = try parse(
      """
      -[MTLDebugTide fill:]:12: failed assertion `Tide Validation
      the tide (0x10) must be high (0x0).
      [ERROR:tide/fml/backtrace.cc(108)] Caught signal SIGABRT during program execution.
      Frame 0: 0x7ff819f58d24 abort
      Frame 1: 0x7ff822ee9c05 MTLReportFailure
      Frame 2: 0x10a820dcb tide::Pool::Fill()
      """)
    let message =
      "-[MTLDebugTide fill:]:12: failed assertion `Tide Validation the tide (0x10) must be high (0x0)."
    #expect(found.applicationSpecificInformation == [message])
    let names = ["abort", "MTLReportFailure", "tide::Pool::Fill()"]
    #expect(found.threads.first?.frames.map(\.reportedSymbol) == names)
  }
  @Test("The crashed thread that a reporter would mark isn't in the text")
  func unmarkedThread() throws {
    let frames =
      "0    Moon   0x1048a8c30     0x1045b0000 + 12\n1    Moon   0x1048a8d30     0x1045b0000 + 40\n"
    let head = "# Cause: Crash due to signal: SIGSEGV(SEGV_MAPERR) at 00000000\n\n"
    let other = try parse(head + "Thread 0 Queue 1: com.apple.main-thread (serial):\n\n" + frames)
    #expect(other.crashedThread == nil)
    #expect(other.exception?.subtype == "SEGV_MAPERR at 0x0")
    #expect(try parse(head + "Thread 12 Crashed:\n\n" + frames).crashedThread != nil)
    let waiting = try parse(
      "Exception Type:  EXC_BAD_ACCESS (SIGSEGV)\n\nThread 0:\n0   libsystem_kernel.dylib  0x1f0194808 mach_msg2_trap + 8\n"
        + "1   libsystem_kernel.dylib  0x1f0197f20 mach_msg_overwrite + 435\n")
    #expect(waiting.crashedThread == nil)
    let below = try parse(
      "49  Moon  0x10109f0cc Moon.rise() + 904\n50  Moon  0x10109f8e4 main + 12\n\nThread 1 Crashed\n")
    #expect(below.crashedThread.map { below.threads[$0].frames.isEmpty } ?? true)
  }

  @Test("A queue's name below an empty heading of the crashed one begins another thread")
  func otherQueue() throws {
    let report = try parse(
      """
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010

      Crashed: io.tide.core

      com.apple.main-thread
      0  Moon                     0x73084 Moon.rise() + 12
      1  CoreFoundation           0x347c4 __CFNOTIFICATIONCENTER_IS_CALLING_OUT_TO_AN_OBSERVER__ + 120
      """)
    #expect(report.threads.map(\.queue) == ["io.tide.core", "com.apple.main-thread"])
    #expect(report.threads.map(\.isCrashed) == [true, false])
  }

  @Test("Sentry's threads have a name and no title, and KSCrash says what pointer was used")
  func sentryThreads() throws {
    let report = try parse(
      """
      OS Version: iOS 11.0.1 (15A402)
      Report Version: 104

      Exception Type: EXC_BAD_ACCESS (SIGBUS)
      Exception Codes: BUS_NOOP
      Crashed Thread: 7

      Application Specific Information:
      tideObject > tideObject >
      Attempted to dereference null pointer.

      Thread 0 name:
      0   libsystem_kernel.dylib          0x307120bc4         mach_msg_trap
      1   Moon                            0x307120a3c         main

      Thread 1 name:
      0   libsystem_kernel.dylib          0x307141dbc         __workq_kernreturn
      """)
    #expect(report.exception?.subtype == "Attempted to dereference null pointer")
    #expect(report.threads.first { $0.index == 0 }?.frames.count == 2)
    #expect(report.crashedThread.map { report.threads[$0].frames.isEmpty } ?? true)
  }
}
