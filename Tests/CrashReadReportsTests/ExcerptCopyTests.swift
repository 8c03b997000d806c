import CrashReadCore
import Testing

@testable import CrashReadReports

/// What copying does to excerpts of crashes.
@Suite("Copies of excerpts")
struct ExcerptCopyTests {
  private func parse(_ text: String) throws -> CrashReport { try CrashReport(parsing: Array(text.utf8)) }

  @Test("Headings separate lists of names")
  func headings() throws {
    let found = try parse(
      """
      ## Moon-2026-09-22-133816.ips

      Exception Type: EXC_BAD_ACCESS (SIGBUS)

      -[NSKeyedUnarchiver dealloc]
      +[NSKeyedUnarchiver unarchivedObjectOfClass:fromData:error:]
      -[Tide rise]

      ## Moon-2026-09-22-134341.ips

      -[Moon copyWithZone:]
      -[Moon wane]
      """)
    #expect(found.threads.map(\.frames.count) == [3, 2] && found.crashedThread == 0)
  }

  @Test("Asterisks stand for underscores that a page took for emphasis")
  func emphasis() throws {
    let found = try parse(
      """
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Thread 0 Crashed:
      0   libobjc.A.dylib   0x00000001a4f0b7c8 objc*release + 16
      1   SwiftUI           0x00000001a4f0b7d8 specialized runApp(*:) + 168
      2   Moon              0x00000001044fce98 rise(Tide*, int) + 8
      """)
    #expect(
      found.threads[0].frames.map(\.reportedSymbol) == [
        "objc_release", "specialized runApp(_:)", "rise(Tide*, int)",
      ])
  }

  @Test("A handler that a debugger stopped stays on its stack")
  func stoppedHandler() throws {
    let found = try parse(
      """
      * thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP
        * frame #0: 0x00007ff80aae1f12 libsystem_kernel.dylib`__wait4_nocancel + 10
          frame #1: 0x00007ff80aa5ba8e libsystem_c.dylib`system + 440
          frame #2: 0x0000000109153dc6 moon`onTide + 70
          frame #3: 0x00007ff80ab2ae2d libsystem_platform.dylib`_sigtramp + 29
          frame #4: 0x0000000109153f13 moon`rise + 10
      """)
    #expect(
      found.threads[0].frames.map(\.reportedSymbol) == [
        "__wait4_nocancel", "system", "onTide", "_sigtramp", "rise",
      ])
  }

  @Test("A copier's ellipsis is no name, nor is an offset without digits a part of one")
  func ellipsis() throws {
    let frames = try parse(
      """
      Fatal Exception: CALayerInvalidGeometry
      CALayer position contains NaN: [nan nan].

      3  QuartzCore   -[CALayer setFrame:]
      6  Harbour      ...
      9  Tide         tide_rise + 0x...
      """
    ).lastExceptionBacktrace
    #expect(frames.map(\.reportedSymbol) == ["-[CALayer setFrame:]", "tide_rise"])
  }

  @Test("Names below an exception's name are frames, not its reason")
  func namesBelowException() throws {
    let found = try parse(
      """
      Fatal Exception: CALayerInvalidGeometry
      CA::Layer::set_position(CA::Vec2<double> const&, bool)
      -[UIView setCenter:]                      (placement of the pin)
      PinAdapter.add(_:)          PinAdapter.swift:138
      """)
    let frames = found.lastExceptionBacktrace
    #expect(found.uncaughtException?.reason == nil)
    #expect(
      frames.map(\.reportedSymbol) == [
        "CA::Layer::set_position(CA::Vec2<double> const&, bool)", "-[UIView setCenter:]",
        "PinAdapter.add(_:)",
      ])
    #expect(frames.last?.reportedLine == 138)
  }

  @Test("A line break in a name of an .ips file's part is that of the field")
  func breakInName() throws {
    let found = try parse(
      """
      "triggered":true,"id":17,"fram
      es":[{"imageOffset":33098,"symbol":"__pthread_k
      ill","symbolLocation":10,"imageIndex":6},{"imageOffset":77,"symbol":"abort","symbolLocation":12,"imageIndex":7}]}
      """)
    #expect(found.threads.first?.frames.map(\.reportedSymbol) == ["__pthread_kill", "abort"])
  }

  @Test("Of a part's threads, the one that throws has crashed")
  func throwingThread() throws {
    let found = try parse(
      """
      mbolLocation":88,"imageIndex":23},{"imageOffset":201612,"symbol":"objc_exception_throw","symbolLocation":448,\
      "imageIndex":24},{"imageOffset":77,"symbol":"-[NSException raise]","symbolLocation":16,"imageIndex":15}]},\
      {"id":5528618,"frames":[],"threadS
      """)
    #expect(found.crashedThread == 0)
  }

  @Test("A part that begins inside a frame doesn't show that the thread crashed")
  func partOfThread() throws {
    let found = try parse(
      """
      fset":56576,"symbol":"xpc_connection_resume","symbolLocation":100,"imageIndex":6},{"imageOffset":344204,\
      "symbol":"+[Tide rise]","symbolLocation":896,"imageIndex":7},{"imageOffset":8616,"symbol":"wane",\
      "symbolLocation":12,"imageIndex":7}]}
      """)
    #expect(found.crashedThread == nil)
  }

  @Test("An offset in place of a line is none")
  func offsetAsLine() throws {
    let found = try parse(
      """
      Crashed: com.apple.root.user-initiated-qos.cooperative
      0  Tide                 0x3a6e2c TideTable.update(_:_:_:) + 10828 (TideTable.swift:10828)
      1  libdispatch.dylib    0x13b94 _dispatch_root_queue_drain + 340
      """)
    let frame = found.threads.first?.frames.first
    #expect(frame?.reportedFile == "TideTable.swift" && frame?.reportedLine == nil)
  }

  @Test("A signal's code and the address can follow in parentheses")
  func codeInParentheses() throws {
    let found = try parse(
      """
      Crash due to signal: SIGSEGV(SEGV_MAPERR) at 00002000

      Thread 21 [Crashed]:

      0    libobjc.A.dylib      0x1b72f593c     look_up_class + 99
      1    Tide                 0x100da98bc     tide_rise + 107
      """)
    #expect(found.exception?.type == "SIGSEGV" && found.exception?.subtype == "SEGV_MAPERR")
  }

  @Test("Markdown takes LLDB's mark between image and function")
  func unquotedImage() throws {
    let found = try parse(
      """
      * thread #51, queue = 'tide', stop reason = EXC_BAD_ACCESS (code=1, address=0x11a7f8017)
          frame #0: 0x0000000107a8f6f0 Harbour std::__1::basic_string<char>::__is_long(this="") const at string:1420:39
          frame #1: 0x0000000107a8f7f0 Harbour tide::rise(this="") at tide.cc:14:3
      """)
    #expect(found.threads.first?.frames.map(\.imageName) == ["Harbour", "Harbour"])
  }

  @Test("A message that was broken behind the method is one")
  func brokenMessage() throws {
    let found = try parse(
      """
      NSInvalidArgumentException
      -[Tide rise]:
      unrecognized selector sent to instance
      """)
    #expect(
      found.applicationSpecificInformation.contains("-[Tide rise]: unrecognized selector sent to instance"))
  }
}
