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

  @Test("A crash reporter that stands between the throw and who raised is no place")
  func reporterInBetween() throws {
    let found = try diagnosis(
      """
      Last Exception Backtrace:
      0       CoreFoundation                \t0x183f86d8c 0x183e41000 + 0x145d8c\t// __exceptionPreprocess + 0xe4
      1       libobjc.A.dylib               \t0x1831405ec 0x183138000 + 0x85ec\t// objc_exception_throw + 0x38
      2     + Cr4shed.dylib                 \t0x108a0b8a4 0x108a04000 + 0x78a4\t// 0x000073f4 + 0x4b0
      3       CoreFoundation                \t0x183e4f810 0x183e41000 + 0xe810\t// -[__NSArrayM removeObjectAtIndex:] + 0x0
      4       UIKit                         \t0x18e6894cc 0x18db10000 + 0xb794cc\t// -[UICollectionView layoutSubviews] + 0x180
      """)
    #expect(found.blamed?.frame != 2)
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
    #expect(advice.contains("that TDTide.m:26 passes") == isInSystem, "\(advice)")
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

  /// Texts of kinds that were seen later, each with its headline and its place.
  private static let texts: [(text: String, title: String, place: String?)] = [
    // Events pass through a replacement of the window's method.
    (
      """
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)

      Thread 0 Crashed:
      0   libobjc.A.dylib   0x00000001a4f0b7c8 objc_msgSend + 32
      1   AppKit            0x00000001a8f0b7d8 -[NSToolTipManager mouseEnteredToolTip:inWindow:withEvent:] + 120
      2   AppKit            0x00000001a8f0b8d8 -[NSWindow(NSEventRouting) sendEvent:] + 372
      3   Moon              0x0000000104e5f3e0 @objc NSWindow.tide_sendEvent(_:) + 52
      4   AppKit            0x00000001a8f0b9d8 -[NSApplication(NSEventRouting) sendEvent:] + 100
      """, "A tooltip's owner was freed", nil
    ),
    // A monitor's block runs the one that the system had queued.
    (
      """
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010

      Thread 4 Crashed:
      0   libnetwork.dylib   0x00000001a4f0b7c8 nw_endpoint_flow_copy_path + 44
      1   libnetwork.dylib   0x00000001a4f0b8d8 __nw_connection_start_block_invoke + 1460
      2   Moon               0x0000000104e5f3e0 __tideOnce_block_invoke + 52 (TideMonitor.mm:19)
      3   libdispatch.dylib  0x00000001a8f0b9d8 _dispatch_call_block_and_release + 32
      """, "Null pointer dereference at 0x10", "nw_endpoint_flow_copy_path"
    ),
    // A literal is part of the function that contains it, whoever wrote that.
    (
      """
      Fatal Exception: NSInvalidArgumentException
      *** -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]: attempt to insert nil object from objects[1]
      0  CoreFoundation  0x9e88 __exceptionPreprocess
      1  libobjc.A.dylib 0x178d8 objc_exception_throw
      2  CoreFoundation  0xf9c58 -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]
      3  CoreFoundation  0xf9d58 +[NSDictionary dictionaryWithObjects:forKeys:count:]
      4  Moon            0x12f60 -[RNCTide rise] + 12 (RNCTide.m:12)
      5  Moon            0x13f60 -[MoonView shine] + 24 (MoonView.m:24)
      """, "A nil key or value put into a dictionary or cache", "-[RNCTide rise]"
    ),
    // .NET's registrar generates what calls managed code.
    (
      """
      Last Exception Backtrace:
      0   CoreFoundation   0x1a4f0b7c8 __exceptionPreprocess + 216
      1   libobjc.A.dylib  0x1a5f0b7c8 objc_exception_throw + 56
      2   Moon             0x104e5f3e0 xamarin_unhandled_exception_handler + 40 (runtime.m:11)
      3   Moon             0x104e6f3e0 -[TideDelegate application:didFinishLaunchingWithOptions:] + 40 (registrar.mm:95)
      4   UIKitCore        0x1a8f0b9d8 -[UIApplication _handleDelegateCallbacksWithOptions:isSuspended:restoreState:] + 336
      """, "A .NET exception that nothing caught", nil
    ),
    // All of an SDK's image is the SDK's.
    (
      """
      * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 1.1
          frame #0: 0x000000010444c1ee libobjc.A.dylib`objc_exception_throw
          frame #1: 0x0000000104c8238f CoreFoundation`-[__NSArrayM insertObject:atIndex:] + 1375
          frame #2: 0x00000001031a7992 Mapbox`-[MGLMapView rise] + 279 at MGLMapView.mm:28 [opt]
          frame #3: 0x00000001031ba9a5 Mapbox`TideView::notify(this=<unavailable>) + 41 at MGLMapView.mm:50 [opt]
      """, "nil, or an index beyond the end, put into a collection", "-[MGLMapView rise]"
    ),
    // Kotlin's terminate handler only passes the exception on.
    (
      """
      Crashed: com.apple.main-thread
      0  Moon   0x1048a8c30 FIRCLSProcessRecordAllThreads + 392 (FIRCLSProcess.c:392)
      1  libdispatch.dylib  0x1a8f0b9d8 _dispatch_client_callout + 20
      2  Moon   0x1048a8d30 FIRCLSTerminateHandler() + 423 (FIRCLSException.mm:423)
      3  Tides  0x1058a8d30 (anonymous namespace)::TerminateHandler::queuedHandler()::'lambda'()::operator()() const + 22
      4  Tides  0x1058a9d30 (anonymous namespace)::TerminateHandler::queuedHandler() + 10
      """, "An exception that isn't Kotlin's ended the program", nil
    ),
    // Core Foundation's handler runs for exceptions of Objective-C alone; behind it stand neighbours of what threw.
    (
      """
      Thread 0 Crashed:
      0   libsystem_kernel.dylib  0x00000001a4f0b7c8 __pthread_kill + 8
      1   libsystem_c.dylib       0x00000001a5f0b7c8 abort + 140
      2   Moon                    0x0000000104e5f3e0 -[PLTideReporter report] + 0
      3   CoreFoundation          0x00000001a6f0b7c8 __handleUncaughtException + 644
      4   libobjc.A.dylib         0x00000001a7f0b7c8 objc_terminate() + 112
      5   libc++abi.dylib         0x00000001a8f0b7c8 std::__terminate() + 16
      6   libobjc.A.dylib         0x00000001a7f0b8c8 objc_exception_destructor() + 0
      7   CoreFoundation          0x00000001a6f0b8c8 -[NSException initWithCoder:] + 0
      8   MediaPlayer             0x00000001a9f0b8c8 -[MPMediaItemArtwork initWithImage:] + 216
      9   Moon                    0x0000000104e6f3e0 Xamarin_iOS_MediaPlayer_MPMediaItemArtwork__ctor + 64
      10  Moon                    0x0000000104e7f3e0 Plugin_Tide_Rise + 12
      """, "Now-playing artwork was made from a nil image or handler", "Plugin_Tide_Rise"
    ),
    // A private framework of the system's, with names of Apple's own debug file.
    (
      """
      Thread 0 Crashed:
      0   libobjc.A.dylib    0x00000001a4f0b7c8 objc_msgSend + 32
      1   Foundation         0x00000001a5f0b7c8 -[NSNotificationCenter postNotificationName:object:userInfo:] + 64
      2   AudioSession       0x00000001a6f0b7c8 -[AVAudioSession privateTide:] + 1288 (AVAudioSession_iOS.mm:27)
      3   libdispatch.dylib  0x00000001a7f0b7c8 _dispatch_client_callout + 20
      """, "", nil
    ),
    // An exception breakpoint also stops at what the system's libraries catch.
    (
      """
      * thread #1, queue = 'com.apple.main-thread', stop reason = breakpoint 1.1
          frame #0: 0x0000000195ac13f0 libc++abi.dylib`__cxa_throw
          frame #1: 0x000000018d0bcd40 libFontParser.dylib`TTide::GetTable(unsigned short) + 544
      """, "The debugger stopped where a C++ exception is thrown", nil
    ),
    // An address that was cut off isn't a small one.
    (
      """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000012
      """, "Access to unmapped memory", nil
    ),
    (
      """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: KERN_INVALID_ADDRESS at 0x12
      """, "Null pointer dereference at 0x12", nil
    ),
    // The handler's call of abort isn't the allocator's.
    (
      """
      Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
      0   libsystem_kernel.dylib     0x00007fff70001000 __pthread_kill + 10
      1   libsystem_c.dylib          0x00007fff70002000 abort + 120
      2   libtide.dylib              0x0000000104001000 tide_on_signal + 24
      3   libsystem_platform.dylib   0x00007fff70003000 _sigtramp + 29
      4   libsystem_malloc.dylib     0x00007fff70004000 tiny_malloc_from_free_list + 98
      5   Moon                       0x0000000100001000 moon_rise + 44
      """, "Memory fault inside malloc", "moon_rise"
    ),
    // The last frame ends within its name.
    (
      """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Codes: KERN_INVALID_ADDRESS at 0x0000000700000000

      Thread 0 Crashed:
      0   libsystem_kernel.dylib     0x00007fff70001000 __pthread_kill + 10
      1   libsystem_c.dylib          0x00007fff70002000 abort + 120
      2   libtide.dylib              0x0000000104001000 ti
      """, "", nil
    ),
    // Versions and sentences are no frames.
    (
      """
      moonkit  4.4
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000098
      """, "Null pointer dereference at 0x98", nil
    ),
    (
      """
      dyld: Symbol not found: _tide_rise
        Referenced from: /opt/moon
        Expected in: /opt/libtide.dylib

      Crash at 0xBAF3F81801000000
      """, "Symbol not found: _tide_rise", nil
    ),
    // The image and the function stand on lines of their own, numbers are left out.
    (
      """
      Exception Type:  EXC_BAD_INSTRUCTION (SIGILL)

      0 caulk
      tiered_allocator + 1469
      1 AudioToolbox
      MESubmixGraph::initialize + 125
      25 AppKit
      -[NSSound play] + 100
      27 Our Moon
      -[TideHelper start:] + 569
      """, "", "-[TideHelper start:]"
    ),
    // A sanitizer's list is cut above; its summary has the place.
    (
      """
          #51 0x1057b2bf9 in -[XCTTestRunSession runTestsAndReturnError:] (XCTest:x86_64+0x9abf9)
          #54 0x103d87ffb in main (xctest:x86_64+0x100002ffb)
          #55 0x1084f2574 in start (libdyld.dylib:x86_64+0x1574)

      SUMMARY: AddressSanitizer: heap-use-after-free tide.mm:290 in mbgl::Tide::rise(int)
      """, "AddressSanitizer: heap-use-after-free", "mbgl::Tide::rise(int)"
    ),
    // A list without the innermost frames has no place.
    (
      """
      40 AppKit    0x19246e238 -[NSPanel initWithContentRect:styleMask:backing:defer:] + 48
      41 Moon      0x1025521f8 moon_rise + 88
      42 Moon      0x10218c08c main + 62
      """, "No known cause", nil
    ),
    // backward-cpp prints the most recent call last.
    (
      """
      Stack trace (most recent call last):
      #4    Object "/opt/moon", at 0x100003000, in main + 12
      #3    Object "/opt/moon", at 0x100003100, in Moon::run() + 40
      #2    Source "/src/moon.cpp", line 88, in Moon::rise()
      #1    Object "libsystem_platform.dylib", at 0x1892344e3, in _sigtramp + 55
      #0    Object "libtools.dylib", at 0x1007b67e3, in backward::SignalHandling::handleSignal(int, __siginfo*, void*) + 59
      Segmentation fault: 11
      """, "", "Moon::rise()"
    ),
    // The library was found.
    (
      """
      Dyld Error Message:
        Library not loaded: @rpath/libswiftCore.dylib
        Referenced from: /var/containers/Bundle/Application/1/Moon.app/Moon
        Reason: no suitable image found.  Did find:
      	/var/Moon.app/Frameworks/libswiftCore.dylib: mmap() error 1 at address=0x100168000, size=0x00194000 segment=__TEXT in Segment::map() mapping /var/Moon.app/Frameworks/libswiftCore.dylib
      """, "Library not loaded: @rpath/libswiftCore.dylib", nil
    ),
    // Runtimes' functions of allocation and retaining act for others.
    (
      """
      _os_object_retain 0x0000000190dcee24
      TideGenerator::check() 0x0000000192c04a4c
      AudioUnitRender 0x0000000192deb720
      """, "", "TideGenerator::check()"
    ),
    // The arrow belongs to the address.
    (
      "KERN_INVALID_ADDRESS at 0x20000001a68a9490 -> 0x00000001a68a9490 (possible pointer authentication failure)",
      "Pointer with damaged signature or contents", nil
    ),
  ]

  @Test("is told only where the text shows it", arguments: texts.indices)
  func place(_ index: Int) throws {
    let (text, title, place) = Self.texts[index]
    let found = try diagnosis(text)
    #expect(found.explanation.title.contains(title) || title.isEmpty)
    #expect(found.blamedName == place)
  }

  @Test("A kernel that refuses to map a library says that it was found")
  func refusedLibrary() throws {
    let text = try #require(Self.texts.first { $0.text.contains("mmap() error 1") }?.text)
    #expect(try diagnosis(text).contract == "dyld-not-mapped")
  }

  @Test("Where an exception was caught and ended the program, the system's code says nothing")
  func caughtException() throws {
    let found = try diagnosis(
      """
      Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
      0   com.apple.AppKit      0x00007fffb0fbb91e -[NSApplication _crashOnException:] + 109
      1   com.apple.AppKit      0x00007fffb0fbb88d -[NSApplication reportException:] + 359
      2   com.apple.AppKit      0x00007fffb0c52b19 -[NSApplication run] + 1148
      3   com.apple.AppKit      0x00007fffb0c1e367 NSApplicationMain + 1237
      4   io.tide.Moon          0x00000001000014c2 main + 34
      """)
    #expect(!found.explanation.findings.contains { $0.rule == "system-code-only" })
  }

  /// Exceptions whose raiser has a neighbour's name, and what the explanation says of it.
  private static let neighbors: [(names: [String], sentence: String?)] = [
    // Parts that the compiler split off lie together, and only their own function calls them.
    (
      [
        "-[__NSCFString hasPrefix:].cold.1", "-[__NSPlaceholderDictionary initWithObjects:forKeys:count:]",
      ], "-[__NSPlaceholderDictionary initWithObjects:forKeys:count:] raised it"
    ),
    (
      ["-[__NSArrayM removeTide:].cold.1", "-[__NSArrayM removeTide:]"], "-[__NSArrayM removeTide:] raised it"
    ),
    // It only begins an enumeration, and lies behind the function that stops one.
    (["-[__NSSingleObjectEnumerator initWithObject:]"], nil),
  ]

  @Test("A neighbour's name raised nothing", arguments: neighbors.indices)
  func neighbor(_ index: Int) throws {
    let (names, sentence) = Self.neighbors[index]
    let inner = ["__exceptionPreprocess", "objc_exception_throw", "-[__NSCFString characterAtIndex:].cold.1"]
    let rows = (inner.dropLast(names.count == 1 ? 1 : 0) + names).enumerated().map { number, name in
      "\(number)  \(number == 1 ? "libobjc.A.dylib" : "CoreFoundation")  0x9e88 \(name)\n"
    }
    let text = "Fatal Exception: NSInvalidArgumentException\n" + rows.joined()
    let found = try diagnosis(text + "9  Moon  0x12f60 -[TideView rise] + 12 (TideView.m:12)\n")
    #expect(found.explanation.text.contains("raised it") == (sentence != nil))
    if let sentence { #expect(found.explanation.text.contains(sentence)) }
  }

  @Test("A call that runs has found its target: what failed inside it is something else")
  func delayedCall() throws {
    let top = "Thread 0 Crashed:\n0  libobjc.A.dylib  0x1a4f0b7c8 objc_msgSend + 28\n"
    let call = "Foundation  0x1a5f0b7c8 __NSThreadPerformPerform + 340\n"
    #expect(try diagnosis(top + "1  " + call).contract == "perform-selector-freed")
    let within = top + "1  AVFAudio  0x1a6f0b7c8 -[AVTide rise:] + 92\n2  " + call
    #expect(try diagnosis(within).contract != "perform-selector-freed")
  }

  @Test("Nobody is sent to a function of the system, nor told a hidden name")
  func uselessNames() throws {
    let system = try diagnosis(
      """
      Crashed: com.apple.NSURLConnectionLoader
      0  CFNetwork          0x1829fbc58 TideManager::newTide(Tide*) + 1084
      1  CFNetwork          0x1829fb7d0 ___ZN11TideManagerE_block_invoke + 68
      2  libdispatch.dylib  0x1811821bc _dispatch_client_callout + 16
      """)
    #expect(!system.explanation.advice.contains { $0.hasPrefix("Start at") })
    let hidden = try diagnosis(
      """
      Fatal Exception: NSInternalInconsistencyException
      0  CoreFoundation   0x9e88 __exceptionPreprocess
      1  libobjc.A.dylib  0x178d8 objc_exception_throw
      2  UIKitCore        0xf9c58 -[UICollectionView _performBatchUpdates:completion:]
      3  Moon             0x12f60 _hidden#75_ + 29 (__hidden#84_:29)
      """)
    #expect(hidden.blamedName == nil && hidden.blamedLocation == nil)
  }

  @Test("A message that isn't closed ends with its line")
  func openMessage() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        MPSTide.mm:794: failed assertion `[MPSTide init:] Error: buffer is not large enough. Must be 24 bytes

        by running the following code:
        """.utf8))
    #expect(report.applicationSpecificInformation.first?.hasSuffix("24 bytes") == true)
  }

  @Test("Only Macs have programs that make code as they run")
  func generatedCode() throws {
    let text = """
      Exception Type: EXC_BAD_ACCESS (SIGBUS)
      Exception Codes: KERN_PROTECTION_FAILURE at 0x0000000104000000

      """
    let mac = try diagnosis("Process: Moon [1]\nCode Type: ARM-64\nOS Version: macOS 26.1 (25B78)\n" + text)
    let phone = try diagnosis("Process: Moon [1]\nOS Version: iPhone OS 26.2 (23C55)\n" + text)
    #expect(mac.explanation.advice.contains { $0.contains("pthread_jit_write_protect_np") })
    #expect(!phone.explanation.advice.contains { $0.contains("pthread_jit_write_protect_np") })
  }

  /// Texts, each with its headline.
  private static let headlines: [(text: String, title: String)] = [
    // Only Intel's CPUs have this code.
    (
      """
      Exception Type:    EXC_BAD_ACCESS (SIGSEGV)
      Exception Subtype: UNKNOWN_0xD at 0x0000000000000000
      Exception Codes:   0x000000000000000d, 0x0000000000000000
      """, "General protection fault"
    ),
    (
      """
      io.tide.moon.app-hangs.MoonVC: App hanging for 2.55 seconds
        libsystem_kernel    0x1d8e0daf8  __ulock_wait2
        libobjc.A           0x18552ffac  objc_sync_enter
        Moon                0x105c32918  -[Tide rise]
      """, "The main thread did not respond, waiting: a lock"
    ),
    (
      """
      EXC_CRASH (SIGKILL)
      FRONTBOARD domain:10 code:0x8BADF00D
      WatchdogEvent: scene-update
      """, "Watchdog: scene update not finished (0x8badf00d)"
    ),
    // The message is that of another crash than the exception below.
    (
      """
      **Keys:** crash_info_entry_0
      BUG IN CLIENT OF LIBDISPATCH: trying to lock recursively

      **Stack trace 2:**
      Fatal Exception: NSInvalidArgumentException
      0  CoreFoundation   0x1ab8b8878 __exceptionPreprocess
      1  libobjc.A.dylib  0x1bfe0ec50 objc_exception_throw
      2  CoreFoundation   0x1ab8bb444 **_forwarding_**
      3  CoreFoundation   0x1ab8bd740 _CF_forwarding_prep_0
      *4  Moon            0x100f49260 -[Tide rise] + 15 (Tide.m:15) <-- here
      """, "Uncaught exception NSInvalidArgumentException"
    ),
    // malloc names the thread, whose stack ends there.
    (
      "tide(77421,0x16dc2f000) malloc: *** error for object 0x16dc2e8c0: pointer being freed was not allocated",
      "free() was given a pointer to the thread's own stack"
    ),
    (
      "tide(77421,0x16dc2f000) malloc: *** error for object 0x600000c2e8c0: pointer being freed was not allocated",
      "free() got a pointer that is not an allocated block"
    ),
    // Labels as a person writes them.
    (
      """
      termination: MTE_FAIL (code 262)
      exception:   EXC_BAD_ACCESS (SIGKILL)
      subtype:     EXC_ARM_MTE_TAGCHECK_FAIL at 0x0e00000c42c1c6e0
      """, "Memory tag check failed at 0xe00000c42c1c6e0"
    ),
    ("termination: MTE_FAIL (code 57)\nexception: EXC_BAD_ACCESS (SIGKILL)", "Access to an unallocated slot"),
    // The syndrome without the registers.
    (
      """
      Exception Type:    EXC_BREAKPOINT (SIGTRAP)
      Exception Codes:   0x0000000000000001, 0x00000001042353b0
      Triggered by Thread: 22 (Tide Pool 1)
      ESR: 0xf200c471 (Breakpoint) pointer authentication trap IB
      """, "Pointer authentication check failed (brk 0xc471)"
    ),
    // The reason stands below, without its beginning.
    (
      """
      Terminating app due to uncaught exception 'NSRangeException', reason:
      [__NSArray0 objectAtIndex:]: index 0 beyond bounds for empty array'
      """, "An array is read beyond its end"
    ),
  ]

  @Test("States what a text says in another form", arguments: headlines.indices)
  func headline(_ index: Int) throws {
    let (text, title) = Self.headlines[index]
    let explanation = try diagnosis(text).explanation
    #expect(explanation.title.contains(title) || explanation.text.contains(title))
  }

  @Test("The stop stands before the chain of functions; what follows in words is none")
  func stopBeforeChain() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        - SIGTRAP at `_xpc_api_misuse` → `xpc_connection_set_target_uid` → `TideService.connect`
        - Launch → crash: ~47 ms (before any network activity)
        """.utf8))
    #expect(report.exception?.type == "SIGTRAP")
    #expect(
      report.threads.first?.frames.map(\.reportedSymbol) == [
        "_xpc_api_misuse", "xpc_connection_set_target_uid", "TideService.connect",
      ])
  }

  @Test("A debugger's stopped thread is the crashed one, rather than the runtime's list without addresses")
  func debuggerBesideJulia() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        [8955] signal (11.2): Segmentation fault: 11
        in expression starting at /src/tide.jl:20
        _platform_strlen at /usr/lib/system/libsystem_platform.dylib (unknown line)

        * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)
          * frame #0: 0x000000018f9aedc4 libsystem_platform.dylib`_platform_strlen + 4
            frame #1: 0x00000001998750ac Tide`tide_rise(int) + 8072
            frame #2: 0x0000000199870918 Tide`tide_fall(int) + 160
        """.utf8))
    let crashed = try #require(report.threads.first { $0.isCrashed })
    #expect(crashed.frames.count == 3 && crashed.frames[1].reportedSymbol == "tide_rise(int)")
  }

  @Test("GDB's remarks and local variables that share a line with a frame are no part of it")
  func localsBesideFrames() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        Program received signal EXC_BAD_ACCESS, Could not access memory.
        #0  0x912a47c8 in strlen ()
        No symbol table info available.          #1  0x912d8440 in realpath$DARWIN_EXTSN ()
        No symbol table info available.
        #2  0x0002f750 in tide_locate (name=0x0) at runtime/tide.c:597          root = 0x204040 "boot"
                candidate = 0x204030 "boot/."
        """.utf8))
    let frames = try #require(report.threads.first?.frames)
    #expect(frames.map(\.imageName) == [nil, nil, nil])
    #expect(frames.map(\.reportedSymbol) == ["strlen", "realpath$DARWIN_EXTSN", "tide_locate"])
    #expect(frames.last?.reportedLine == 597)
  }

  @Test("A frame that is cut within its offset has no name")
  func cutOffset() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        Thread 0 Crashed:
        0   libsystem_c.dylib    0x18d3682f8 nanosleep + 220
        1   Moon                 0x10142f050 0x100124000 +
        """.utf8))
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["nanosleep", nil])
  }

  @Test("An exception of the CPU with SIGABRT tells of a handler, also without frames")
  func handlerWithoutFrames() throws {
    let found = try diagnosis(
      """
      Process:               moon [1]
      Crashed Thread:        0  Dispatch queue: com.apple.main-thread
      Exception Type:        EXC_BAD_ACCESS (SIGABRT)
      Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000028
      """)
    #expect(found.explanation.findings.contains { $0.rule == "fault-handler-aborted" })
  }

  @Test("Registers without a thread don't hide Ruby's own stack")
  func registersBesideRuby() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        tide.rb:2: [BUG] Segmentation fault at 0x0000000104395000
        ruby 2.6.6p146 (2020-03-31 revision 67876) [x86_64-darwin18]

        -- Control frame information -----------------------------------------------
        c:0003 p:---- s:0030 e:000029 CFUNC  :sleep
        c:0002 p:0006 s:0025 e:000024 METHOD tide.rb:2
        c:0001 p:0000 s:0003 E:002210 (none) [FINISH]

        -- Machine register context ------------------------------------------------
         rax: 0x0000000000000004 rbx: 0x0000000000000003 rcx: 0x00007ffeeb6577a8
        """.utf8))
    #expect(report.applicationSpecificBacktraces.first?.contains { $0.reportedFile == "tide.rb" } == true)
  }

  @Test("What a contract says of a fault holds below the handler that ended the program for it")
  func contractBelowHandler() throws {
    let found = try diagnosis(
      """
      Thread 0 Crashed::  Dispatch queue: com.apple.main-thread
      0   libsystem_kernel.dylib    0x188170724 __pthread_kill + 8
      1   libsystem_c.dylib         0x1880b5ae8 abort + 180
      2   libwx_baseu-3.2.dylib     0x10143941c wxFatalSignalHandler(int) + 40
      3   libsystem_platform.dylib  0x1881d6a84 _sigtramp + 56
      4   libwx_osx_core-3.2.dylib  0x10177dd44 wxWindow::MacGetTopLevelWindow() const + 56
      5   Tide                      0x10077a470 TideFrame::OnIdle(wxIdleEvent&) + 1500
      6   libwx_baseu-3.2.dylib     0x101442050 wxEvtHandler::ProcessEvent(wxEvent&) + 120
      """)
    #expect(found.contract == "wx-event" || found.explanation.findings.contains { $0.rule == "wx-event" })
  }
}
