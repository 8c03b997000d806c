import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// What pasted excerpts of crashes of ordinary apps show, and what they don't.
@Suite("The place in an excerpt")
struct ExcerptPlaceTests {
  private func diagnosis(_ text: String) throws -> Diagnosis {
    let report = try CrashReport(parsing: Array(text.utf8))
    let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
    return KnowledgeBase(language: .english).diagnose(symbolicated)
  }

  @Test("What a person writes of the main thread is no reason")
  func proseOfMainThread() throws {
    let found = try diagnosis(
      """
      The report shows an EXC_BREAKPOINT (SIGTRAP) on the main thread, triggered while views were updated:

      ```
      +[NSApplication _crashOnException:]
      -[NSView _updateConstraintsForSubtreeIfNeededCollectingViewsWithInvalidBaselines:]
      -[NSWindow(NSConstraintBasedLayoutInternal) updateConstraintsIfNeeded]
      ```
      """)
    #expect(found.contract != "reason-main-thread")
  }

  @Test("The outer part of a stack doesn't show how it ended")
  func outerPart() throws {
    let found = try diagnosis(
      """
      20  SwiftUI      0x1a2b3c4d8 MenuList.update(_:in:) + 3324
      21  SwiftUI      0x1a2b3c5e8 MenuItem.menuNeedsUpdate(_:) + 572
      22  SwiftUI      0x1a2b3c6f8 closure #1 in MenuHost.requestUpdate(after:) + 224
      """)
    #expect(found.explanation.rule != "swift-frame-only")
  }

  @Test(
    "Only a string's own methods take a string", arguments: [("rangeOfString", true), ("rangeOfFoo", false)])
  func nilString(_ method: String, _ isString: Bool) throws {
    let found = try diagnosis(
      "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: "
        + "'-[NSBigMutableString \(method):options:range:]: nil argument'\n")
    #expect((found.contract == "string-nil") == isString)
  }

  @Test("An SDK's frame is a call between, and its category on a class of the system's is the SDK's")
  func categoryOfSDK() throws {
    let found = try diagnosis(
      """
      Crashed: io.tide.queue
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000038
      0  libdispatch.dylib  0x1ad7805dc _dispatch_source_set_handler + 208
      1  Tide               0x1044f18e4 -[ADJTimerOnce startIn:] + 83 (ADJTimerOnce.m:83)
      2  Tide               0x1044fce98 -[UIDevice(ADJAdditions) check:] + 226 (UIDevice+ADJAdditions.m:226)
      """)
    #expect(found.blamedName == "-[ADJTimerOnce startIn:]")
    let own = try diagnosis(
      """
      Crashed: io.tide.queue
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000038
      0  libdispatch.dylib  0x1ad7805dc _dispatch_source_set_handler + 208
      1  Tide               0x1044f18e4 -[ADJTimerOnce startIn:] + 83 (ADJTimerOnce.m:83)
      2  Tide               0x1044fce98 -[Shop start] + 26 (Shop.m:26)
      """)
    #expect(own.explanation.text.contains("reached from -[Shop start]"))
  }

  @Test("A member of a type is as much the app's as another one with a line")
  func memberOfType() throws {
    let found = try diagnosis(
      """
      Exception Type: EXC_BREAKPOINT (SIGTRAP)
      Thread 0 Crashed:
      0   libswiftCore.dylib  0x1a0001000 _assertionFailure(_:_:file:line:flags:) + 176
      1   Tide                0x102001000 CartSheet.total.getter + 88
      2   Tide                0x102002000 CartSheet.button.getter + 64 (CartSheet.swift:18)
      """)
    #expect(found.blamedName == "CartSheet.total.getter")
    #expect(!found.explanation.findings.contains { $0.text.contains("If it isn't yours") })
  }

  @Test("Below a handler's std::terminate the system's loops are no place")
  func loopBelowTerminate() throws {
    let found = try diagnosis(
      """
      Crashed: com.twitter.crashlytics.ios.exception
      0  Tide                 0x10156de08 CLSProcessRecordAllThreads + 36
      1  libc++abi.dylib      0x1826c8f88 std::__terminate(void (*)()) + 16
      2  libc++abi.dylib      0x1826c8ff8 std::terminate() + 60
      3  libobjc.A.dylib      0x1826d2000 _destroyAltHandlerList + 10
      4  Foundation           0x184472000 __NSOQSchedule_f + 376
      5  libdispatch.dylib    0x183372a14 _dispatch_client_callout + 16
      """)
    #expect(found.blamed == nil)
  }

  @Test("Numbers that count from one place in an image leave the names right")
  func numbersFromOneBase() throws {
    let found = try diagnosis(
      """
      Crashed: Store
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010
      0  libsqlite3.dylib  0x1c1521b54 sqlite3_exec + 284
      1  Tide              0x103933a74 execute_query + 1800096
      2  Tide              0x1039353ec -[Store load:] + 1806616
      """)
    #expect(found.blamedName == "execute_query")
  }
  @Test("SQLite's own functions have no prefix; the place is where they were called")
  func functionsOfSQLite() throws {
    let found = try diagnosis(
      """
      Crashed: com.apple.main-thread
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010
      0  Moon  0x1044f18e4 insertElement + 79 (hash.c:79)
      1  Moon  0x1044f19e4 sqlite3HashInsert + 137 (hash.c:137)
      2  Moon  0x1044f1ae4 openDatabase + 2990 (main.c:2990)
      3  Moon  0x1044f1be4 sqlite3_open_v2 + 12 (main.c:3100)
      4  Moon  0x1044fce98 TideStore.open() + 26 (TideStore.swift:26)
      """)
    #expect(found.blamedName == "TideStore.open()")
    let own = try diagnosis(
      """
      Crashed: com.apple.main-thread
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010
      0  Moon  0x1044f18e4 tide_insert + 79 (hash.c:79)
      1  Moon  0x1044fce98 TideStore.open() + 26 (TideStore.swift:26)
      """)
    #expect(own.blamedName == "tide_insert")
  }

  @Test("What runs the run loop isn't to blame for what the loop called")
  func runLoopOwner() throws {
    let found = try diagnosis(
      """
      Crashed: TideThread
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010
      0  libobjc.A.dylib  0x1844f18e4 objc_release + 8
      1  CFNetwork        0x1944f19e4 _tideCallback + 137
      2  CoreFoundation   0x1a44f1ae4 __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ + 28
      3  CoreFoundation   0x1a44f1be4 CFRunLoopRunSpecific + 12
      4  Moon             0x1044fce98 -[TDTideThread main] + 26 (TDTideThread.m:26)
      5  Foundation       0x1b44fce98 __NSThread__start__ + 26
      """)
    #expect(found.blamedName != "-[TDTideThread main]")
  }

  @Test(
    "A pointer that a function of the system used isn't said to be used in the app's code",
    arguments: [true, false])
  func placeOfAccess(_ isInSystem: Bool) throws {
    let inner = isInSystem ? "0  CoreGraphics  0x1844f18e4 CGImageGetWidth + 8\n" : ""
    let found = try diagnosis(
      "Crashed: com.apple.main-thread\nEXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010\n" + inner
        + "1  Moon  0x1044fce98 -[TDTide draw] + 26 (TDTide.m:26)\n")
    let advice = found.explanation.advice.joined()
    #expect(advice.contains("the call from TDTide.m:26") == isInSystem, "\(advice)")
    #expect(advice.contains("used at TDTide.m:26") != isInSystem, "\(advice)")
  }

  @Test("An image without a name and an address is no place beside a named frame of an SDK")
  func imageAlone() throws {
    let found = try diagnosis(
      """
      Crashed: com.apple.main-thread
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000010
      0  Moon  0x1044f18e4 -[ADJTimerOnce startIn:] + 83 (ADJTimerOnce.m:83)
      1  Moon
      """)
    #expect(found.blamedName == "-[ADJTimerOnce startIn:]")
  }

  @Test("Functions of runtimes and of Swift's library are no place, and code from a pipe is")
  func ownFunctions() throws {
    let interpolation = try diagnosis(
      """
      Crashed: com.apple.main-thread
      0  Moon  0x1044f18e4 specialized DefaultStringInterpolation.appendInterpolation<A>(_:) + 16 (Tide.swift:0)
      1  Moon  0x1044f18e4 Tide.rise(events:) + 244
      """)
    #expect(interpolation.blamedName == "Tide.rise(events:)")
    let keys = try diagnosis(
      """
      EXC_BREAKPOINT (SIGTRAP)
      0 _assertionFailure(_:_:file:line:flags:)
      1 specialized _NativeDictionary.merge<A>(_:isUnique:uniquingKeysWith:)
      2 Dictionary.init<A>(uniqueKeysWithValues:)
      3 TideService.load(now:)
      """)
    #expect(keys.blamedName == "TideService.load(now:)")
    let piped = try diagnosis(
      """
      Crashed: com.apple.main-thread
      0  libdispatch.dylib  0x36f1c _dispatch_assert_queue_fail + 120
      1  Tide  0xd0ca04 closure #1 in TabBar.body(proxy:) + 3100912 (<stdin>:3100912)
      2  Tide  0xd13bc4 partial apply for thunk for @escaping @callee_guaranteed (@unowned Int) -> (@out A) + 40
      """)
    #expect(piped.blamedName == "closure #1 in TabBar.body(proxy:)")
    let react = try diagnosis(
      """
      Fatal Exception: RCTFatalException: Unhandled JS Exception: tide
      0  CoreFoundation   0x1844f18e4 __exceptionPreprocess + 228
      1  libobjc.A.dylib  0x1844f19e4 objc_exception_throw + 55
      2  Moon             0x1044f1ae4 RCTFatal + 447
      3  Moon             0x1044f1be4 -[RCTExceptionsManager reportFatalException:stack:exceptionId:] + 491
      4  CoreFoundation   0x1844f1ce4 __invoking___ + 143
      5  Moon             0x1044f1de4 facebook::react::invokeInner(RCTBridge*, RCTModuleData*, unsigned int) + 247
      """)
    #expect(react.blamed == nil)
  }

  @Test("Without the exception, the runtime's functions that read an object tell the same as a message")
  func unstatedMessage() throws {
    for function in ["lookUpImpOrForward", "objc_destructInstance", "objc_opt_respondsToSelector"] {
      let found = try diagnosis(
        "Crashed: io.tide\n0  libobjc.A.dylib  0x24d8 \(function) + 111\n1  Moon  0x27f0 Tide.rise() (Tide.swift:13)\n"
      )
      #expect(found.explanation.rule == "message-frames", "\(function)")
    }
  }

  @Test("Frames that a list leaves out lie between caller and callee")
  func calledAcrossGap() throws {
    func sentence(_ number: Int) throws -> String {
      let found = try diagnosis(
        """
        Crashed: com.apple.main-thread
        EXC_BREAKPOINT
        0  SwiftUI  0x1844f18e4 TideGraph.update(_:) + 120
        \(number)  Moon  0x1044fce98 Tide.body.getter + 26 (Tide.swift:26)
        """)
      return found.explanation.text
    }
    #expect(try !sentence(43).contains("called from"))
  }
}
