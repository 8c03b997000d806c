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
}
