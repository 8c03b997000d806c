import CrashReadCore
import CrashReadReports
import TestSupport
import Testing

@Suite("Forms in which stacks are pasted")
struct PastedFormTests {
  private func report(_ text: String) throws -> CrashReport {
    try #require(try CrashReport.parse(Array(text.utf8)).first)
  }

  private func crashed(_ text: String) throws -> [Frame] {
    let report = try report(text)
    let thread = report.threads.first(where: \.isCrashed) ?? report.threads.first
    return try #require(thread).frames
  }

  @Test("HockeyApp's rows have class, method, file and line; other text with semicolons has none")
  func hockeyApp() throws {
    let frames = try crashed(
      """
      ### Stacktrace ###
      <pre>TDMoon;rise:over:;TDMoon.m;31
      -;closure #1 in Moon.pull(Int) -> ();Moon.swift;12
      -;merged partial apply forwarder for closure #1 () -> () in Moon.fall() -> ();;
      int i = 0; i < tides; i += 1; {
      main;main;main.m;16</pre>
      ### Reason ###
      *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: 'key cannot be nil'
      """)
    #expect(frames.first?.reportedSymbol == "-[TDMoon rise:over:]")
    #expect(frames.map(\.reportedLine) == [31, 12, nil, 16])
  }

  @Test("Rows of a service's fields are no frames, and a debugger's frame without a name is one")
  func fieldRows() throws {
    let text = """
      fault_address | 0x000000014d88f3f0
      name | EXC_BAD_ACCESS (SIGBUS)
      type | MACH_Exception

      Thread 63 name:  TideWorker
      tide_rise_over(int) 0x00000001a9e64a9c
      <unknown> 0x0000000116989504
      tide_fall_under(int) 0x00000001169a0f5c
      """
    let report = try report(text)
    #expect(report.exception?.type == "EXC_BAD_ACCESS" && report.uncaughtException == nil)
    #expect(report.threads.map(\.index) == [63])
    #expect(
      try crashed(text).map(\.reportedSymbol) == ["tide_rise_over(int)", nil, "tide_fall_under(int)"])
  }

  @Test("launchd's label of an application has marks, and spindump's process a second number")
  func names() throws {
    let killed = try report(
      "launchd: [user/501/UIKitApplication:com.example.moon[2d42][rb-legacy] [27597]:] exited with exit reason "
        + "(namespace: 3 code: 0x2) - OS_REASON_CODESIGNING\n")
    #expect(killed.header.process == "com.example.moon")
    let hung = try report(
      """
      Process:          Moon [37390] [unique pid 136843]
      Architecture:     x86_64
      Note:             Unresponsive for 110 seconds before sampling

        Thread 0x9179e    DispatchQueue "com.apple.main-thread"(1)    11 samples (1-11)    priority 47 (base 47)
        11  start + 2432 (dyld + 25360) [0x7ff8164f4310] 1-11
      """)
    #expect(hung.header.process == "Moon" && hung.header.pid == 37390)
  }

  @Test("Unreal Engine's call stack has module, function and place")
  func unrealCallstack() throws {
    let frames = try crashed(
      """
      Unhandled Exception: SIGSEGV: invalid attempt to read memory at address 0x0000000000000010
      [Callstack] 0x0000000108c7b940 Moon!ATide::Tick() [UnknownFile])
      [Callstack] 0x0000000108c7c950 Moon!FEngineLoop::Tick() [/Engine/Launch.cpp:51])
      """)
    #expect(frames.map(\.reportedSymbol) == ["ATide::Tick()", "FEngineLoop::Tick()"])
    #expect(frames.map(\.imageName) == ["Moon", "Moon"] && frames.last?.reportedLine == 51)
  }

  @Test("Remarks that a tutorial has behind the values of fields belong to none")
  func annotations() throws {
    let report = try report(
      """
      Incident Identifier: CB576498-5D1C-4E72-AAF6-C1C8BCBDE1DD //the number of the report
      Process:             Moon [77952] //the name
      Version:             8.0.2 (35) //in brackets the build
      Exception Type:  EXC_CRASH (SIGKILL) //as the kernel calls it
      Triggered by Thread:  0 //the number

      Thread 0 Crashed:
      0   Moon   0x0000000104561234 tide_rise + 40
      """)
    #expect(report.header.process == "Moon" && report.header.build == "35" && report.header.pid == 77952)
    #expect(report.exception?.signal == "SIGKILL")
  }

  @Test(
    "A test runner's marks before a sanitizer's lines are removed, and the paths of locked files belong to the message"
  )
  func marksAndPaths() throws {
    let race = try report(
      """
      # WARNING: ThreadSanitizer: data race (pid=1)
      #   Write of size 4 at 0x7ffee02e0250 by thread T1:
      #     #0 tide_rise tide.c:955 (moon:x86_64+0x100128d4f)
      #
      #   Previous write of size 4 at 0x7ffee02e0250 by main thread:
      #     #0 tide_fall tide.c:883 (moon:x86_64+0x100127af5)
      """)
    #expect(race.threads.first?.frames.first?.reportedSymbol == "tide_rise")
    let locked = try report(
      """
      <BKNewProcess: 0x16d390c0; com.example.moon pid: 291; hostpid: 101> was suspended with locked system files:
      /private/var/mobile/Containers/Data/Application/CEBDBC1F/Library/tide.sqlite
      """)
    #expect(locked.applicationSpecificInformation.first?.hasSuffix("/Library/tide.sqlite") == true)
  }

  @Test("Sentry's Markdown has the type, the value, and frames with their place in brackets")
  func sentryMarkdown() throws {
    let text = """
      ## Exception

      ### Exception 1
      **Type:** NSInvalidArgumentException
      **Value:** *** -[__NSPlaceholderArray initWithObjects:count:]: attempt to insert nil object from objects[1]

      #### Stacktrace

      ```
       __exceptionPreprocess in unknown file [Line null] (Not in app)
       -[__NSPlaceholderArray initWithObjects:count:] in unknown file [Line null] (Not in app)
       -[TDMoon rise:] in TDMoon.m [Line 41, column 7] (In app)
          return @[tide, low];  <-- SUSPECT LINE
       closure #1 in Moon.fall() in unknown file [Line: Unknown] (In app)
       main in main.m [Line 16] (In app)
      ```
      """
    let report = try report(text)
    #expect(report.uncaughtException?.name == "NSInvalidArgumentException")
    #expect(report.uncaughtException?.reason?.hasPrefix("*** -[__NSPlaceholderArray") == true)
    #expect(report.applicationSpecificInformation.isEmpty)
    let frames = try crashed(text)
    #expect(
      frames.map(\.reportedSymbol) == [
        "__exceptionPreprocess", "-[__NSPlaceholderArray initWithObjects:count:]", "-[TDMoon rise:]",
        "closure #1 in Moon.fall()", "main",
      ])
    #expect(frames.map(\.reportedLine) == [nil, nil, 41, nil, 16])
  }

  @Test("A Mach exception of Sentry's Markdown with Swift's message, which isn't a frame")
  func sentryFatalError() throws {
    let report = try report(
      """
      ### Exception 1
      **Type:** EXC_BREAKPOINT
      **Value:** closure #1 in Moon.load() > Fatal error: Index out of range

      closure in Moon.load in Moon.swift [Line 88] (In app)
      _dispatch_client_callout in unknown file [Line null] (Not in app)
      """)
    #expect(report.exception?.type == "EXC_BREAKPOINT")
    #expect(
      report.applicationSpecificInformation == ["closure #1 in Moon.load() > Fatal error: Index out of range"]
    )
    #expect(report.threads.first?.frames.first?.reportedLine == 88)
    #expect(report.threads.first?.frames.count == 2)
  }

  @Test("App Center's rows of .NET, and what stands below a reason")
  func appCenterManaged() throws {
    let report = try report(
      """
      ### Version 4.2(16) ###

      ### Stacktrace ###

      Tide.iOS.Moon.Rise (System.Int32 row) <0x1021050f0 + 0x0001a> in <1f223e2e251c4f33841c3c27d876c6d7>:0;Tide.iOS
      Tide.iOS.Application.Main (System.String[] args) [0x00001] in /src/Main.cs:12;Tide.iOS

      ### Reason ###

      NSRangeException

      ### Link to App Center ###
      """)
    #expect(report.uncaughtException?.reason == nil)
    let stack = try #require(report.applicationSpecificBacktraces.first)
    #expect(stack.map(\.reportedSymbol) == ["Tide.iOS.Moon.Rise", "Tide.iOS.Application.Main"])
    #expect(stack.last?.reportedLine == 12)
  }

  @Test(".NET's exception within another belongs to the reason")
  func innerException() throws {
    let report = try report(
      """
      System.AggregateException: One or more errors occurred. (No moon)
       ---> System.ArgumentNullException: No moon
         at Tide.Moon.Rise() in /src/Moon.cs:line 33
         --- End of inner exception stack trace ---
         at Tide.App.OnStart() in /src/App.cs:line 12
      """)
    #expect(
      report.uncaughtException?.reason
        == "One or more errors occurred. (No moon) ---> System.ArgumentNullException: No moon")
    #expect(report.applicationSpecificBacktraces.count == 2)
  }

  @Test("Bun's page has a list of names behind links to their places")
  func bunPage() throws {
    let frames = try crashed(
      """
      Segmentation fault at address 0x00000000

      - *2 unknown/js code*
      - [`napi.zig:1381`](<https://example.com/napi.zig#L1381>): `napi.napi.Moon.rise`
      - [`Task.zig:484`](<https://example.com/Task.zig#L484>): `moon.Task.tick`
      - [`loop.zig:217`](<https://example.com/loop.zig#L217>): `moon.tick`
      """)
    #expect(frames.map(\.reportedSymbol) == ["napi.napi.Moon.rise", "moon.Task.tick", "moon.tick"])
    #expect(frames.map(\.reportedLine) == [1381, 484, 217])
  }

  @Test("R's calls end where it asks what to do")
  func rMenu() throws {
    let frames = try crashed(
      """
       *** caught segfault ***
      address 0x18, cause 'memory not mapped'

      Traceback:
       1: rise(tide, level = 2)
       2: eval(moon)

      Possible actions:
      1: abort (with core dump, if enabled)
      2: normal R exit
      """)
    #expect(frames.map(\.reportedSymbol) == ["rise", "eval"])
  }

  @Test("A debugger's stack below R's menu is read")
  func rMenuAndStack() throws {
    let frames = try crashed(
      """
       *** caught segfault ***
      address 0x1, cause 'memory not mapped'

      Possible actions:
      1: abort (with core dump, if enabled)
      2: normal R exit
      Selection: 1
      R is aborting now ...
      (lldb) bt
      * thread #1, stop reason = signal SIGSTOP
        * frame #0: 0x0000000107ff76fd libTide.dylib`rise + 13
          frame #1: 0x0000000107fec59d libTide.dylib`flow + 809
      """)
    #expect(frames.map(\.reportedSymbol) == ["rise", "flow"])
  }

  @Test("Emacs prints the number of the signal that ended it")
  func emacs() throws {
    let report = try report(
      """
      Fatal error 11: Segmentation fault
      Backtrace:
      0   Moon   0x000000010e3f5a66 deliver_thread_signal + 54
      1   libsystem_platform.dylib   0x00007fff6eb095bd _sigtramp + 29
      2   Moon   0x000000010e4d6268 moon_rise + 88
      """)
    #expect(report.exception?.type == "SIGSEGV")
  }

  @Test("A reason that was broken into lines is one again")
  func brokenReasons() throws {
    let quoted = try report(
      """
      *** Terminating app due to uncaught exception 'NSInternalInconsistencyException',
          reason: 'TideView() failed to allocate the tide:
          size={0, 0}, scale=3.000000.
          Use MoonView to avoid this assert.'
      """)
    #expect(
      quoted.uncaughtException?.reason
        == "TideView() failed to allocate the tide: size={0, 0}, scale=3.000000.\n    Use MoonView to avoid this assert."
    )
    let update = try report(
      """
      Fatal Exception: NSInternalInconsistencyException
      Invalid update: invalid number of items in section 0.
      The number of items contained in an existing section after the update (22) must be equal to 20.
      0  CoreFoundation  0x83f20 __exceptionPreprocess
      1  libobjc.A.dylib  0x172b8 objc_exception_throw
      """)
    #expect(update.uncaughtException?.reason?.contains("section 0. The number of items") == true)
  }

  @Test("Handlers of uncaught exceptions: Unity's, a tutorial's, an alert's")
  func handlers() throws {
    let unity = try report(
      """
      2027-06-08 10:29:19.094173+0900 Moon[1028:307805] Uncaught exception: NSRangeException: *** -[__NSArrayI objectAtIndex:]: index 3 beyond bounds [0 .. 2]
      (
      \t0   CoreFoundation                      0x00000001896a6500 <redacted> + 148
      \t1   libobjc.A.dylib                     0x00000001886d8528 objc_exception_throw + 56
      \t2   Moon   0x00000001074dd8bc +[TDTide rise] + 176
      )
      """)
    #expect(unity.uncaughtException?.name == "NSRangeException")
    #expect(unity.threads.first?.frames.count == 3)
    let tutorial = try report(
      "CRASH: *** -[TDTide rise]: no moon Stack Trace: (\n0   Moon  0x1074dd8bc +[TDTide rise] + 176\n)")
    #expect(tutorial.uncaughtException?.reason == "*** -[TDTide rise]: no moon")
    let alert = try report(
      """
      Exception Name: NSInternalInconsistencyException
      Description: no moon
      0   CoreFoundation    0x00007fff3b0e3b57 __exceptionPreprocess + 250
      1   Moon              0x0000000104a3b54a -[TDTide rise] + 56
      """)
    #expect(alert.uncaughtException?.reason == "no moon")
  }

  @Test("Marks of pages: Sentry's unknown module, Crashlytics' icons and its titles without a number")
  func pageMarks() throws {
    let sentry = try crashed(
      """
      NSInternalInconsistencyException: no moon
          at null.objc_exception_throw(null:null)
          at null.-[TDQueue assertOnQueue](null:null)
      """)
    #expect(sentry.map(\.reportedSymbol) == ["objc_exception_throw", "-[TDQueue assertOnQueue]"])
    let page = try report(
      """
      Thread : Crashed: XPC API Misuse: Over-resume of a connection
      keyboard_arrow_up
      0  libxpc.dylib  0xc42c _xpc_api_misuse + 8
      1  Moon  0x75ba0 TDTide.rise() + 180
      """)
    #expect(page.threads.first?.name == nil && page.threads.first?.queue == nil)
    #expect(page.applicationSpecificInformation == ["XPC API Misuse: Over-resume of a connection"])
    #expect(page.threads.first?.frames.map(\.reportedSymbol) == ["_xpc_api_misuse", "TDTide.rise()"])
  }

  @Test("RTF is read as plain text")
  func richText() throws {
    let report = try report(
      #"""
      {\rtf1\ansi\ansicpg1252
      {\fonttbl\f0\fnil Menlo;}
      {\*\expandedcolortbl;;}
      \f0\fs24 \cf0 Process:               Moon [12]\
      Exception Type:        EXC_CRASH (SIGABRT)\
      Thread 0 Crashed:\
      0   libsystem_c.dylib \tab 0x00007fff6c73d808 abort + 120\
      1   Moon \tab 0x0000000100001808 rise\{tide\}\'21 \u8217 ? + 12\
      }
      """#.replacing("\\\\", with: "\\"))
    #expect(report.header.process == "Moon")
    #expect(report.threads.first?.frames.first?.reportedSymbol == "abort")
    #expect(report.threads.first?.frames.last?.reportedSymbol?.hasPrefix("rise{tide}!") == true)
  }

  @Test("LLDB names the stop in a core file by the exception class")
  func exceptionClass() throws {
    let report = try report(
      """
      * thread #1, stop reason = ESR_EC_DABORT_EL0 (fault address: 0x8)
        * frame #0: 0x00000001a093acb8 moon`rise + 264
          frame #1: 0x000000010256ea64 moon`main + 10
      """)
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.subtype == "at 0x8")
  }

  @Test("A fatal error that was broken into lines is one again; a shell's line isn't its rest")
  func brokenFatalError() throws {
    let broken = try report(
      """
      SwiftData/BackingData.swift:835: Fatal error: This model instance was destroyed by
      calling ModelContext.reset and is no longer usable.
      """)
    #expect(
      broken.applicationSpecificInformation.first?.hasSuffix(
        "destroyed by calling ModelContext.reset and is no longer usable.") == true)
    let whole = try report(
      """
      Moon/Tide.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value
      zsh: trace trap  ./moon
      """)
    #expect(whole.applicationSpecificInformation.first?.hasSuffix("an Optional value") == true)
  }

  @Test("Frames in one string have their breaks restored")
  func escapedFrames() throws {
    let rows = (15..<20).map {
      "\\n\($0)  Moon                                0x00000001c77e0d7\($0 - 10) TDTide.rise() + 1020"
    }
    let frames = try crashed("96" + rows.joined())
    #expect(frames.map(\.number) == [15, 16, 17, 18, 19])
  }

  @Test("Bold type within names, and LLDB's marks as list elements")
  func boldNames() throws {
    let frames = try crashed(
      ##"""
      + thread \#1: tid = 83, 0x00007f29bbb06267 libc.so.6\`\_\_GI_raise(sig=6) + 55 at raise.c:55, name = 'moon', stop reason = signal SIGABRT
      + frame \#0: 0x00007f29bbb06267 libc.so.6\`\_\_GI_raise(sig=6) + 55 at raise.c:55
      frame \#1: 0x00007f29bbaff0f2 libc.so.6\`**GI**\_assert_fail(line=\<unavailable\>) + 66 at assert.c:101
      frame \#2: 0x00007f29b39a234c moon\`rise(height=2) + 92 at tide.c:40
      """##)
    #expect(frames.map(\.reportedSymbol) == ["__GI_raise", "__GI___assert_fail", "rise"])
  }

  @Test("Rows of Godot 4.5, of React Native's pages, and Crittercism's mark of a row")
  func marksBeforeNames() throws {
    let godot = try crashed(
      """
      handle_crash: Program crashed with signal 11
      [ 1] 18ec897a4 - 1   libsystem_platform.dylib            0x000000018ec897a4 _sigtramp + 56
      [ 2] 1017a088c - Tide::rise(int) (in moon) + 104
      [ 3] 18ed3164c - 8   CoreFoundation                      0x000000018ed3164c __CFRunLoopRun + 148
      """)
    let rise = try #require(godot.first { $0.reportedSymbol == "Tide::rise(int)" })
    #expect(rise.address == RuntimeAddress(0x1_017a_088c))
    #expect(godot.last?.imageName == "CoreFoundation")
    let native = try crashed(
      """
      NSInvalidArgumentException *** -[__NSPlaceholderDictionary initWithObjects:forKeys:count:]: attempt to insert nil object from objects[0]
      TDTide.m:31:26-[TDTide rise]
      TDMoon.m:72:14-[TDMoon pull]
      """)
    #expect(native.map(\.reportedSymbol) == ["-[TDTide rise]", "-[TDMoon pull]"])
    #expect(native.map(\.reportedLine) == [31, 72])
    let marked = try crashed(
      """
      0\tCoreFoundation 0x21e61b8b __exceptionPreprocess + 124
      1\tlibobjc.A.dylib 0x2161edff objc_exception_throw + 36
      !\t2\tMoon 0x0084ab39 -[TDMoon rise] (TDMoon.m:30)
      3\tMoon 0x0084b8cb -[TDTide pull] (TDTide.m:53)
      """)
    #expect(marked.map(\.number) == [0, 1, 2, 3])
  }

  @Test("Other processes' lines in a device's log, and the compiler's counts, are no frames")
  func otherLines() throws {
    let text = """
      1 warning generated.
      libc++abi: terminating with uncaught exception of type int
      Mar  4 13:15:16 Mias-iPhone kernel[0] <Notice>: moond[32555] Container: /private/var/mobile/tide (sandbox)
      Mar  4 13:15:16 Mias-iPhone ReportCrash[32556] <Notice>: ReportCrash acting against PID 32555
      """
    #expect(try CrashReport.parse(Array(text.utf8)).allSatisfy { $0.threads.allSatisfy(\.frames.isEmpty) })
  }

  @Test("A mail program's breaks within the exception's reason, and none that the report has")
  func wrappedInformation() throws {
    let head = """
      Process:         Moon [47048]
      Version:         3.1 (31)
      Exception Type:  EXC_CRASH (SIGABRT)

      Application Specific Information:

      """
    let wrapped = try report(
      head + """
        *** Terminating app due to uncaught exception
        'NSInternalInconsistencyException', reason: 'Invalid parameter not satisfying:
        height != nil'
        abort() called

        Thread 0 Crashed:
        0   Moon   0x00001000 rise + 16
        """)
    let message = "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', "
    #expect(
      wrapped.applicationSpecificInformation
        == [message + "reason: 'Invalid parameter not satisfying: height != nil'", "abort() called"])
    let short = try report(
      head + """
        *** Terminating app due to uncaught exception 'Tide', reason: 'low
        high'

        Thread 0 Crashed:
        0   Moon   0x00001000 rise + 16
        """)
    #expect(short.applicationSpecificInformation.count == 2)
  }

  @Test("Abseil's handler: signal, counter and the stack below the handler")
  func abseil() throws {
    let text = """
      [2026-03-12 10:11:12,123 E 12345 7788] logging.cc:361: *** SIGSEGV received at time=1690000000 on cpu 3 ***
      [2026-03-12 10:11:12,123 E 12345 7788] logging.cc:361: PC: @        0x1052d3c44  (unknown)  tide::Moon::Rise()
      [2026-03-12 10:11:12,123 E 12345 7788] logging.cc:361:     @        0x104d4b6a4         64  absl::lts_20250127::AbslFailureSignalHandler()
      [2026-03-12 10:11:12,123 E 12345 7788] logging.cc:361:     @        0x19c8e6a24  (unknown)  _sigtramp
      [2026-03-12 10:11:12,123 E 12345 7788] logging.cc:361:     @        0x1052d3b10  (unknown)  tide::Moon::Pull()
      [2026-03-12 10:11:12,123 E 12345 7788] logging.cc:361:     @        0x1052d3b10  (unknown)  (unknown)
      """
    let frames = try crashed(text)
    #expect(frames.map(\.reportedSymbol) == ["tide::Moon::Rise()", "tide::Moon::Pull()", nil])
    #expect(frames.first?.kind == .programCounter)
    #expect(try report(text).exception?.type == "SIGSEGV")
  }

  @Test("glog's and folly's handlers state the address of a fault, and a failed check has a stack, too")
  func glog() throws {
    let glog = """
      *** Aborted at 1615470000 (unix time) try "date -d @1615470000" if you are using GNU date ***
      PC: @                0x0 (unknown)
      *** SIGSEGV (@0x18) received by PID 5321 (TID 0x10e9b5dc0) stack trace: ***
          @     0x7fff2045cd7d _sigtramp
          @        0x10a1c2e34 tide::Moon<>::Rise()
          @     0x7fff203d2f5d start
      """
    #expect(try report(glog).exception?.subtype == "at 0x18")
    #expect(try crashed(glog).map(\.reportedSymbol) == ["tide::Moon<>::Rise()", "start"])
    let folly = try report(
      "*** Signal 11 (SIGSEGV) (0x20) received by PID 90 (pthread TID 0x7ffffcb8f4c0) (code: address not mapped to object), stack trace: ***"
    )
    #expect(folly.exception?.type == "SIGSEGV" && folly.exception?.subtype == "at 0x20")
    // The sender of SIGABRT isn't an address.
    let sent = try report("*** SIGABRT (@0x7fff20) received by PID 8 (TID 0x1) stack trace: ***")
    #expect(sent.exception?.subtype == nil)
    let check = """
      F20260301 12:00:01.123456 12345 tide.cc:44] Check failed: height > 0 (-1 vs. 0)
      *** Check failure stack trace: ***
          @        0x104d4b6a4  google::LogMessage::Fail()
          @        0x104d4c8a0  google::LogMessageFatal::~LogMessageFatal()
          @        0x1052d3b10  tide::Moon::Rise()
          @        0x104b0a11c  main
      """
    #expect(try crashed(check).map(\.reportedSymbol) == ["tide::Moon::Rise()", "main"])
  }

  @Test("The signal in other handlers' words")
  func signals() throws {
    let watchman = """
      Terminating due to signal 11 Segmentation fault generated by pid=0 uid=0 address not mapped to object (0)
      0   tides                            0x0000000102124fc1 crash_handler + 345
      1   libsystem_platform.dylib         0x00007fff61599f5a _sigtramp + 26
      2   tides                            0x0000000102137a45 age_out + 147
      """
    #expect(try report(watchman).exception?.type == "SIGSEGV")
    let python = "subprocess.CalledProcessError: Command '['./tides']' died with <Signals.SIGTRAP: 5>."
    #expect(try report(python).exception?.type == "SIGTRAP")
    let ansible = try report("fatal: [localhost]: FAILED! => {\"msg\": \"non-zero\", \"rc\": -9}")
    #expect(ansible.exception?.type == "SIGKILL")
    #expect(throws: ReportError.unrecognised) { try CrashReport.parse(Array("rc: -1 and no more".utf8)) }
  }

  @Test("Lists of names in code marks, below what states a crash")
  func listedNames() throws {
    let bun = """
      panic: Segmentation fault at address 0x8D00

      Bun v1.3.1 ([`bd6a605`](<https://example.com/tree/bd6a605>)) on macos aarch64

      - *1 unknown/js code*
      - `computeErrorInfo`
      - `JSC::Heap::runEndPhase`
      - `??`
      - `WTF::Detail::CallableWrapper<WTF::AutomaticThread::start(...)::$_0, void>::call`
      """
    #expect(
      try crashed(bun).map(\.reportedSymbol) == [
        "computeErrorInfo", "JSC::Heap::runEndPhase",
        "WTF::Detail::CallableWrapper<WTF::AutomaticThread::start(...)::$_0, void>::call",
      ])
    let deno = """
      A panic occurred in Deno.

      stack backtrace:
         - `deno::setup_panic_hook::{{closure}}`
         - [`core::panicking::panic_fmt`](https://example.com/panicking.rs#L55)
         - `tide::rise`
      """
    #expect(
      try crashed(deno).map(\.reportedSymbol) == [
        "deno::setup_panic_hook::{{closure}}", "core::panicking::panic_fmt", "tide::rise",
      ])
    let numbered = """
      Crashed thread:

      1. `objc_retain`
      2. `TideMap.annotationView(_:)`
      3. `-[MKMapView _addAnnotation:]`
      """
    #expect(try crashed(numbered).count == 3)
    let options = """
      EXC_BAD_ACCESS (code=1, address=0x8)

      - `useTides`
      - `--no-moon`
      - `height`
      """
    #expect(try report(options).threads.flatMap(\.frames).isEmpty)
  }

  @Test("Offsets and repetitions as people spell them")
  func spelled() throws {
    let offsets = try crashed(
      """
      Crash in thread 0:
      0: objc_release (offset 16)
      1: objc_autoreleasePoolPop (offset 260)
      2: TideView.update (offset 0x5c)
      """)
    #expect(offsets.map(\.reportedSymbol) == ["objc_release", "objc_autoreleasePoolPop", nil])
    #expect(offsets.prefix(2).map(\.reportedSymbolOffset) == [16, 260])
    let tight = try crashed("BUG IN CLIENT OF LIBXPC\n_xpc_api_misuse+ 64\nxpc_release+ 120")
    #expect(tight.map(\.reportedSymbol) == ["_xpc_api_misuse", "xpc_release"])
    let repeated = try crashed("Thread 0 Crashed:\nTide.rise(_:)   × 14+\nTide.start()\nmain")
    #expect(repeated.count == 16)
    #expect(repeated.first?.reportedSymbol == "Tide.rise(_:)")
    let many = try report(
      "Thread 0 Crashed:\n" + String(repeating: "0 Tide.rise(_:) x999999\n", count: 300) + "Tide.start()")
    #expect(many.threads.reduce(0) { $0 + $1.frames.count } < 4096)
  }

  @Test("Locations without parentheses, with Datadog's generated code")
  func bareLocations() throws {
    let frames = try crashed(
      """
      SIGTRAP (#0): Application crash: SIGTRAP (Trace/BPT trap)
      Thread 0 Crashed:
      0  Tides   0x0000000102feb040 Swift runtime failure: Index out of range + 0 <compiler-generated>:0
      1  Tides   0x0000000102feb0a0 Tide.rise(_:) + 36 Tide.swift:33
      2  UIKitCore  0x00000001982e35a0 0x19775f000 + 12076448
      """)
    #expect(
      frames.map(\.reportedSymbol) == ["Swift runtime failure: Index out of range", "Tide.rise(_:)", nil])
    #expect(frames[1].reportedFile == "Tide.swift" && frames[1].reportedLine == 33)
    #expect(frames[1].reportedSymbolOffset == 36)
  }

  @Test("Frames of three lines each, and a list from its outer end")
  func splitAndDescending() throws {
    let split = """
      Thread 0 Crashed:
      0
      libsystem_kernel.dylib
      __pthread_kill + 8
      1
      libsystem_c.dylib
      abort + 180
      2
      Tides
      Tide.rise() + 72
      """
    #expect(try crashed(split).map(\.reportedSymbol) == ["__pthread_kill", "abort", "Tide.rise()"])
    let descending = """
      24  UIKitCore                     0x00000001865dc16c UIApplicationMain + 332
      23  UIKitCore                     0x0000000186846b90 -[UIApplication _run] + 1080
      We start in main
      3   Tides                         0x000000010286b000 -[Tide rise] + 60
      2   libsystem_c.dylib             0x000000018e3b1a34 abort + 100
      1   libsystem_pthread.dylib       0x00000001c5a3d000 pthread_kill + 268
      """
    #expect(try crashed(descending).map(\.number) == [1, 2, 3, 23, 24])
  }

  @Test("Crashlytics puts file and line before the name; an image's offset is none of a function")
  func leadingPlaces() throws {
    let frames = try crashed(
      """
      Crashed: TideQueue (QOS: BACKGROUND)
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000000
      0 Moon Tide.swift - Line 560 specialized static Tide.height.getter + 560
      1 Moon <compiler-generated> - Line 101568 closure #15 in Tide.rise() + 101568
      2 Moon Tide.swift - Line 12 Tide.pull(_:) + 12
      """)
    #expect(
      frames.map(\.reportedSymbol) == [
        "specialized static Tide.height.getter", "closure #15 in Tide.rise()", "Tide.pull(_:)",
      ])
    #expect(frames.map(\.reportedLine) == [560, nil, 12])
    let bare = try crashed(
      """
      EXC_BREAKPOINT (SIGTRAP)

      _dispatch_assert_queue_fail
      dispatch_assert_queue
      _swift_task_checkIsolatedSwift
      Moon image offset 1402256
      Moon image offset 3566472
      TideUpcast + 14940256
      _dispatch_client_callout
      """)
    #expect(bare.compactMap(\.imageOffset?.rawValue) == [1_402_256, 3_566_472])
    #expect(bare.compactMap(\.imageName) == ["Moon", "Moon"])
  }

  @Test("Handlers of Dart and Wine state the signal and the address, and print names with offsets")
  func runtimeDumps() throws {
    let dart = """
      ===== CRASH =====
      si_signo=Segmentation fault: 11(11), si_code=SEGV_ACCERR(2), si_addr=0x3f
      version=3.4.0 (stable) on "macos_arm64"
        pc 0x00000001046573b8 fp 0x000000016c6be720 Dart_Tide+0x24e5c8
        pc 0x00000001045b10ec fp 0x000000016c6be790 Dart_Moon+0x1a82fc
      /bin/tide: line 11: 57064 Abort trap: 6           dart tide.dart
      """
    let fault = try #require(try report(dart).exception)
    #expect(fault.type == "SIGSEGV" && fault.subtype == "at 0x3f")
    #expect(try crashed(dart).map(\.reportedSymbol) == ["Dart_Tide", "Dart_Moon"])
    let unnamed = try crashed(
      """
      ===== CRASH =====
      si_signo=Segmentation fault: 11(11), si_code=SEGV_ACCERR(2), si_addr=0x3f
        pc 0x0000000110072a2c fp 0x000070000f310cf8 Unknown symbol
        pc 0x000000010fa7e3c8 fp 0x000070000f310d78 Unknown symbol
      """)
    #expect(unnamed.map(\.reportedSymbol) == [nil, nil] && unnamed.first?.address?.rawValue == 0x1_1007_2a2c)
    // Intel's kernel states neither code nor address of a general protection fault.
    let refused = try report(
      "===== CRASH =====\nsi_signo=Segmentation fault: 11(11), si_code=0, si_addr=0x0\nversion=3.4.0 (stable)"
    )
    #expect(refused.exception?.subtype == "EXC_I386_GPFLT")
    let java = try report(
      """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGSEGV (0xb) at pc=0x00007fff9c2dc4dd, pid=67337, tid=1295
      #
      # Problematic frame:
      # C  [libmoon.dylib+0x14dd]  moon_phase+0x1d

      siginfo: si_signo: 11 (SIGSEGV), si_code: 0 (unknown), si_addr: 0x0000000000000000
      """)
    #expect(java.exception?.subtype == "EXC_I386_GPFLT")
    let wine = try crashed(
      """
      Unhandled exception: page fault on read access to 0x00000000 in 32-bit code (0x01fc9328).
      Backtrace:
      =>0 0x01fc9328 rise+0x304bf() in tide_main (0x0021ee1c)
        1 0x01d7e59d Moon::pull+0x36f6d() in tide_main (0x0021ee3c)
      """)
    #expect(wine.map(\.reportedSymbol) == ["rise", "Moon::pull"])
    #expect(wine.map(\.imageName) == ["tide_main", "tide_main"] && wine[0].address?.rawValue == 0x1fc_9328)
  }

  @Test(
    "Frames that Rust can't name, Sentry's list of names, Go's log with its times, and a subtype's address")
  func partsOfStatements() throws {
    let rust = try crashed(
      """
      thread 'main' panicked at src/tide.rs:5:5:
      low
      stack backtrace:
         0:        0x103c03f20 - _tide_api_rise
         1:        0x102bdbfa8 - <unknown>
         2:        0x103c02fe0 - _tide_api_rise
      """)
    #expect(rust.map(\.reportedSymbol) == ["_tide_api_rise", nil, "_tide_api_rise"])
    let sentry = try crashed(
      """
      EXC_BAD_ACCESS (KERN_INVALID_ADDRESS)
      Thread (crashed):
        at tideDidRise
        at _dispatch_client_callout
        at start_wqthread
      """)
    #expect(sentry.map(\.reportedSymbol) == ["tideDidRise", "_dispatch_client_callout", "start_wqthread"])
    let go = try report(
      """
      unexpected fault address 0x46d405
      [12/28/2022 10:43:34 AM] fatal error: fault
      [12/28/2022 10:43:34 AM] [signal SIGBUS: bus error code=0x3 addr=0x46d405 pc=0x46d405]
      [12/28/2022 10:43:34 AM] goroutine 21 [running]:
      [12/28/2022 10:43:34 AM] tide.rise({0x104d068?, 0x8ea9cb698?})
      [12/28/2022 10:43:34 AM] \t/src/tide.go:1047 +0x5d
      """)
    #expect(go.exception?.type == "SIGBUS" && go.threads.first?.frames.first?.reportedSymbol == "tide.rise")
    let garbage = try report(
      """
      Exception Type:     EXC_BAD_ACCESS
      Exception Subtype:  KERN_INVALID_ADDRESS
      EXC_BAD_ACCESS: Attempted to dereference garbage pointer 0x68.
      0 Tide +0xd8d04 tide::Moon::pull(int)
      """)
    #expect(garbage.exception?.subtype == "KERN_INVALID_ADDRESS at 0x68")
  }

  @Test("Pages of App Center and of Bugly have lines for images and lines for functions")
  func linesOfPages() throws {
    let appCenter = try crashed(
      """
      MAIN THREAD - CRASHED
      libswiftCore.dylib
      Swift._assertionFailure(_: Swift.StaticString, flags: Swift.UInt32) -> Swift.Never
      Tide_76EF_PackageProduct
      $s4Tide4rise3lowyS2i_tF Moon.swift:24
      UIKitCore
      -[UIApplication _run] + 820
      Tide
      main (AppDelegate.swift:12)
      Privacy Terms
      """)
    #expect(
      appCenter.map(\.imageName) == ["libswiftCore.dylib", "Tide_76EF_PackageProduct", "UIKitCore", "Tide"])
    #expect(appCenter.last?.reportedSymbol == "main")
    let bugly = try report(
      """
      SEGV_ACCERR
      ??? 000000000000000000 + 0收起
      0\t??? 000000000000000000
      + 0
      1\tMoon
      tide::Moon::pull(tide::Sea*) + 1420
      2\tlibsystem_pthread.dylib
      _pthread_start + 148
      """)
    #expect(bugly.exception?.type == "SIGSEGV")
    #expect(bugly.threads.first?.frames.map(\.number) == [0, 1, 2])
  }

  @Test(
    "Crashlytics' page with a place or an image above each function, files without lines, and Kotlin's rows")
  func placesOfPages() throws {
    let page = try crashed(
      """
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x10

      Tide+Extensions.m - Line 195
      -[Tide(Moon) rise:] + 195

      Moon.m - Line 70
      -[Moon pull] + 70

      libdyld.dylib
      (Missing)
      """)
    #expect(page.map(\.reportedLine) == [195, 70, nil])
    #expect(page.map(\.imageName) == [nil, nil, "libdyld.dylib"])
    let file = try crashed(
      """
      EXC_BAD_ACCESS 0x0000000000000001
      Crashed: Thread
      0  Moon     0x101773268 rise + 12 (Tide.m:573)
      1  Moon     0x101773f38 handleTide + 96 (Tide_Signal.c)
      """)
    #expect(file.map(\.reportedFile) == ["Tide.m", "Tide_Signal.c"])
    #expect(file.map(\.reportedSymbolOffset) == [12, 96])
  }

  @Test("Frames in rows of log show")
  func logRows() throws {
    let head =
      "2026-03-28 12:03:47.679044-0700 0x1743c25  Default     0x0    9638   0    Moon: (AppKit) [com.apple.AppKit:Tide] "
    let logged = try crashed(
      head + "29  AppKit   0x0000000195932c14 -[NSApplication nextEvent] + 72\n"
        + head + "30  AppKit   0x0000000194e64780 -[NSApplication run] + 368\n"
        + head + "31  AppKit   0x0000000194e506dc NSApplicationMain + 880\n"
        + head + "32  Moon     0x00000001c4cd93ec Tide.rise() + 168\n"
        + head + "33  Moon     0x00000001c4cd93f0 main + 16\n")
    #expect(logged.map(\.number) == [29, 30, 31, 32, 33])
  }

  @Test("A report in the comments of a script")
  func comments() throws {
    let commented = try report(
      """
      #!/bin/sh
      #
      #       Process:             Tide [98799]
      #       Exception Type:  EXC_RESOURCE
      #       Exception Subtype: CPU
      #       Exception Message: (Limit 50%) Observed 52% over 180 secs
      #
      # The file makes it busy.
      """)
    #expect(commented.header.process == "Tide" && commented.exception?.subtype == "CPU")
  }

  @Test("A stack on one line within a sentence, and bold type in names of C++")
  func stackInSentence() throws {
    let sentence = try report(
      "- **Issue** *Symptoms*: version 2.4.0, the app crashes when I open it. ``` Fatal Exception: NSInvalidArgumentException 0  CoreFoundation   0x11523c __exceptionPreprocess 1  libobjc.A.dylib  0x31224 objc_exception_throw 2  CoreFoundation   0x1861d4 -[NSObject(NSObject) __retain_OA] 3  CoreFoundation   0x6352c ___forwarding___ 4  Tide  0x3881a48 Tide.rise() + 32 (Tide.swift:32) ```"
    )
    #expect(sentence.uncaughtException?.name == "NSInvalidArgumentException")
    #expect(sentence.lastExceptionBacktrace.count == 5)
    let bold = try crashed(
      """
      Thread 0 Crashed:
      0   Tide            0x0000000104b4a020 tide::rise(std::**1::function<void (char**)>) + 20
      1   CoreFoundation  0x0000000104b4a024 __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK** + 20
      2   Foundation      0x0000000104b4a028 __NSThread**start** + 716
      """)
    #expect(
      bold.map(\.reportedSymbol) == [
        "tide::rise(std::__1::function<void (char**)>)", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__",
        "__NSThread__start__",
      ])
  }

  @Test("Ruby's control frames")
  func rubyControlFrames() throws {
    let report = try report(
      """
      tide/moon.rb:179: [BUG] Segmentation fault
      ruby 3.2.2 (2023-03-30 revision e51014f9c0) [arm64-darwin22]

      -- Control frame information -----------------------------------------------
      c:0003 p:---- s:0030 e:000029 CFUNC  :paint
      c:0002 p:0071 s:0027 e:000026 BLOCK  /Users/me/My Tide/moon.rb:179 [FINISH]
      c:0001 p:0000 s:0002 E:0007d8 TOP    [FINISH]
      """)
    let frames = try #require(report.applicationSpecificBacktraces.first)
    #expect(frames.map(\.reportedSymbol) == ["paint", "block in moon.rb"])
    #expect(frames.last?.reportedFile == "/Users/me/My Tide/moon.rb" && frames.last?.reportedLine == 179)
  }

  @Test("A thread's name above a list")
  func namedThreads() throws {
    let text = """
      Thread 14 name: io.worker.3
      0   libsystem_kernel.dylib          0x3cd061b1c         __psynch_cvwait
      1   Tide                            0x1070c1c34         tide::wait
      """
    let thread = try #require(try report(text).threads.first)
    #expect(thread.index == 14 && thread.name == "io.worker.3")
  }

  @Test("Bare names below a title, and titles with the kernel's state")
  func titles() throws {
    let bare = """
      Thread 0 Crashed
      __pthread_kill
      pthread_kill
      abort
      swift_dynamicCastFailure
      Tide.decode(_:)
      -[UIApplication _run]
      """
    #expect(try crashed(bare).count == 6)
    let states = """
      Thread 0 - (TH_STATE_WAITING)
      0 libsystem_kernel.dylib mach_msg_trap
      1 CoreFoundation         CFRunLoopRunSpecific

      Thread 4 - CRASHED - (TH_STATE_RUNNING)
      0  libswiftCore.dylib      swift_retain
      1  Tides                   Tide.rise (Tide.swift:88:12)
      """
    let report = try report(states)
    #expect(report.threads.map(\.index) == [0, 4] && report.threads.map(\.isCrashed) == [false, true])
  }

  @Test("A log's heads around a report that ReportCrash wrote, and around Mono's stack")
  func logHeads() throws {
    let reporter = """
      info: [IOS_SYSLOG_ROW ] Dec  2 14:08:48 mias-iphone ReportCrash[7607] <Error>: Process:             Tides [7605]
      info: [IOS_SYSLOG_ROW ] OS Version:          iOS 9.1 (13B143)
      info: [IOS_SYSLOG_ROW ] Dec  2 14:08:48 mias-iphone ReportCrash[7607] <Error>: Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      info: [IOS_SYSLOG_ROW ] Exception Subtype: KERN_INVALID_ADDRESS at 0x0000000000000010
      info: [IOS_SYSLOG_ROW ] Dec  2 14:08:48 mias-iphone ReportCrash[7607] <Error>: Thread 0 Crashed:
      info: [IOS_SYSLOG_ROW ] 0   libobjc.A.dylib     0x000000019812dbd0 0x198110000 + 121808
      info: [IOS_SYSLOG_ROW ] 1   Tides               0x00000001000f3a44 0x1000d8000 + 113220
      """
    let report = try report(reporter)
    #expect(report.header.process == "Tides" && report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.threads.first?.frames.count == 2)
    let flutter = """
      [+4293 ms] [devicectl]: 2026-05-08 12:15:11.023818-0500 Runner[1173:276000] *** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 2 beyond bounds [0 .. 1]'
      [   +1 ms] [devicectl]: *** First throw call stack:
      [        ] [devicectl]: (0x1a1cefc70 0x19e7c5224 0x1a1d8c38c)
      [        ] [devicectl]: libc++abi: terminating due to uncaught exception of type NSException
      [        ] [devicectl]: The end
      """
    #expect(try self.report(flutter).lastExceptionBacktrace.count == 3)
    let mono = """
      Native stacktrace:
      Jul 15 16:51:29 Mias-iPad Moon[2233] <Warning>: critical: 	0   Moon                  0x00000001000c3d1c mono_handle_native_sigsegv + 244
      Jul 15 16:51:29 Mias-iPad Moon[2233] <Warning>: critical: 	1   libsystem_platform.dylib  0x0000000182170b48 _sigtramp + 36
      Jul 15 16:51:29 Mias-iPad Moon[2233] <Warning>: critical: 	2   libsystem_c.dylib     0x00000001820dcb70 abort + 140
      Jul 15 16:51:29 Mias-iPad Moon[2233] <Warning>: critical: 	3   Moon                  0x00000001000c4d1c tide_rise + 24
      """
    #expect(try crashed(mono).map(\.reportedSymbol) == ["abort", "tide_rise"])
  }

  @Test(
    "Trackers' other forms: Bugsnag's signatures with blanks, Sentry's frames without a file, images at the end"
  )
  func trackers() throws {
    let bugsnag = try crashed(
      """
      **EXC_BAD_INSTRUCTION** in **tides.Tide.rise() -> ()**
          tides:0 - tides.Tide.rise() -> ()
          tides:0 - tides.Tide.tableView(_: __C.UITableView, didSelectRowAt: Foundation.IndexPath) -> ()
      """)
    #expect(bugsnag.map(\.imageName) == ["tides", "tides"])
    let sentry = try crashed(
      "Fatal Error: EXC_BREAKPOINT\n  ?, in swift_unexpectedError\n  File \"Store.swift\", line 20, in Store.open"
    )
    #expect(sentry.map(\.reportedSymbol) == ["swift_unexpectedError", "Store.open"])
    let images = """
      08:23:20.651 fatal device Native crash: EXC_BREAKPOINT / SIGTRAP / SIGNAL / Trace/BPT trap: 5
          Native stack:
            at _assertionFailure(_:_:file:line:flags:) + 152 (libswiftCore.dylib)
            at AppDelegate.application(_:didFinishLaunchingWithOptions:) + 328 (AppDelegate.swift:17)
            at -[UIApplication _run] + 832 (UIKitCore)
      """
    let frames = try crashed(images)
    #expect(frames.map(\.imageName) == ["libswiftCore.dylib", nil, "UIKitCore"])
    #expect(frames[1].reportedLine == 17)
    #expect(try report(images).exception?.type == "EXC_BREAKPOINT")
  }

  @Test("Lines broken before a place or an address, and two excerpts in one text")
  func brokenLines() throws {
    let frames = try crashed(
      """
      * thread #1, queue = 'com.apple.main-thread', stop reason = EXC_BAD_ACCESS (code=1, address=0x20)
        * frame #0: 0x00000001000f1b34 Moon`Tide::rise(this=0x0000000000000000) at
      Tide.cpp:88:12
          frame #1: 0x00000001000efff0 Moon`main at main.cpp:12
      """)
    #expect(frames.first?.reportedSymbol == "Tide::rise" && frames.first?.reportedLine == 88)
    let mail = """
      > Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
      > Exception Codes:       KERN_INVALID_ADDRESS at
      > 0x0000000000000010
      >
      > Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
      > 0   com.example.Tides             0x0000000104b0a11c Tide::rise() + 12
      """
    #expect(try report(mail).exception?.subtype == "KERN_INVALID_ADDRESS at 0x0000000000000010")
    let two = """
      Exception Type:  EXC_CRASH (SIGABRT)

      Thread 0 Crashed:
      0   libsystem_c.dylib             0x00000001a2b0cb84 abort + 104

      And the other:

      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)

      Thread 3 Crashed:
      0   libswiftCore.dylib            0x00000001a1b2c334 swift_retain + 56
      """
    #expect(try CrashReport.parse(Array(two.utf8)).map(\.exception?.type) == ["EXC_CRASH", "EXC_BAD_ACCESS"])
  }

  @Test("Scripts' stacks are no frames")
  func scripts() throws {
    let node =
      "Fatal error\nTide     at rise (node:internal/errors:983:15)\nTide     at fall (node:events:513:28)"
    #expect(try report(node).threads.flatMap(\.frames).allSatisfy { $0.reportedFile == nil })
    let python = """
      Traceback (most recent call last):
        File "/Users/mia/build.py", line 80, in main
          subprocess.check_call(cmd)
      subprocess.CalledProcessError: Command '['./tides']' died with <Signals.SIGTRAP: 5>.
      """
    #expect(try report(python).threads.flatMap(\.frames).isEmpty)
  }

  @Test("The crash of a simulator's application is its own, not its launch number's")
  func simulator() throws {
    let report = try report(
      "launchd_sim[41185] (UIKitApplication:org.example.moon[0x6f85][41233]): Service exited due to signal: Segmentation fault: 11"
    )
    #expect(report.header.process == "org.example.moon")
  }

  @Test(
    "repeated or cut anywhere, they are read quickly and without a trap",
    arguments: [
      "    @        0x104d4b6a4  google::LogMessage::Fail()\n", "*** SIGSEGV (@0x", "- `JSC::Heap::run`\n",
      "- [`a`](",
      "1. `objc_retain`\n", "0\nlibx.dylib\nf + 8\n1\nliby.dylib\ng + 8\n", "0\n1\n", "1\n2\n3\n",
      "f (offset 99999999999999999999)\n", "f × 999999999999\n", "Tide.rise(_:) x999999\n", "a+ 64\n",
      "Jul 15 16:51:29 Mias-iPad Moon[2233] <Warning>: critical: \t0 A 0x1 f + 1\n", "Moon[1:2] a\n",
      "info: [IOS_SYSLOG_ROW ] ", "9 A 0x104d4b6a4 f + 1\n8 A 0x104d4b6a4 f + 1\n", "Thread 1 - (TH_STATE_",
      "f + 1 a.swift:99999999999999999999\n", "rc: -99999999999999999999\n",
      "Exception Type: a\nThread 0:\n0 A 0x1\n",
      "frame #0: 0x1 a`b at\n", "KERN_INVALID_ADDRESS at\n0x1\n",
    ])
  func hostile(_ text: String) {
    let many = String(repeating: text, count: 20_000 / text.utf8.count)
    #expect(isReadQuickly("Thread 0 Crashed:\n" + many))
    #expect(isReadQuickly("*** SIGSEGV (@0x18) received by PID 1\n" + many))
    let bytes = Array(("Fatal error\n" + text + text).utf8)
    for end in bytes.indices { _ = try? CrashReport.parse(Array(bytes[..<end])) }
  }
  @Test("A row that sums up several frames is none")
  func summedUpFrames() throws {
    let frames = try crashed(
      """
      Thread 0 Crashed:
      Exception Type: EXC_BREAKPOINT (SIGTRAP)

      0-2:  moon::tides::IsRisingFast()
      8:    -[NSApplication finishLaunching]
      """)
    #expect(!frames.contains { $0.reportedSymbol?.contains("moon::tides") ?? false })
  }

  @Test("Numbers before rows that have none of their own are the frames', though the last row is cut")
  func numbersOfOuterFrames() throws {
    let frames = try crashed(
      """
      ```
      8   CoreFoundation  0x00000001a668afe4 __CFSimpleMergeSort + 256
      9   Moon            0x0000000104cf689c -[TDMoon rise] + 616 (TDMoon.m:77)
      10  Moon
      ```
      """)
    #expect(frames.first?.number == 8)
    let listing = try report(
      """
      1  Process:             Moon [12]
      2  Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      3  Exception Codes: 0x0000000000000001, 0x0000000000000010
      4  Thread 0 Crashed:
      5  0   Moon  0x0000000104cf689c -[TDMoon rise] + 616
      """)
    #expect(listing.threads.first?.frames.map(\.number) == [0])
  }

  @Test("Crashlytics' addresses in place of offsets are no distances", arguments: [true, false])
  func addressesForOffsets(_ hasTitle: Bool) throws {
    let frames = try crashed(
      (hasTitle ? "Crashed: TideThread\n" : "")
        + """
        EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000020
        0
        Moon
        tide::Moon::onRise(long long, int) + 4318574576
        1
        Moon
        tide::Moon::run() + 4318574976
        """)
    #expect(frames.map(\.reportedSymbol) == ["tide::Moon::onRise(long long, int)", "tide::Moon::run()"])
    #expect(frames.allSatisfy { $0.reportedSymbolOffset == nil })
  }

  @Test("Where two functions of an image share a start, no number of the image is a distance")
  func sharedStart() throws {
    let frames = try crashed(
      """
      Crashed: io.tide.queue
      EXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x0000000000000000
      0  Moon   0x113f200 tide::Rise::pick() + 43000
      1  Moon   0x113ed9c tide::Rise::fall() + 41876
      2  Moon   0x1199858 tide::Flush::flush() + 218976
      3  UIKit  0x1199858 -[UIView layout] + 16
      """)
    #expect(frames.map(\.reportedSymbolOffset) == [nil, nil, nil, 16])
  }

  @Test("The image is in parentheses behind the name, or the place between name and image")
  func imageBehindName() throws {
    let frames = try crashed(
      """
      Thread 18 Crashed:
      0   CoreFoundation  \t 0x000000019d12cf20 __exceptionPreprocess (CoreFoundation)
      1   libobjc.A.dylib \t 0x0000000194fd72b8 objc_exception_throw (libobjc.A.dylib)
      2   Moon            \t 0x00000001006e3038 -[TDMoon rise] TDMoon.h:31 (in Moon)
      3   libobjc.A.dylib \t 0x00000001999e8984 _objc_loadWeakRetained :108 (in libobjc.A.dylib)
      4   Moon            \t 0x00000001006e3038 -[TDMoon fall(Moon)]
      """)
    #expect(
      frames.map(\.reportedSymbol) == [
        "__exceptionPreprocess", "objc_exception_throw", "-[TDMoon rise]", "objc_loadWeakRetained",
        "-[TDMoon fall(Moon)]",
      ])
    #expect((frames[2].reportedFile, frames[2].reportedLine) == ("TDMoon.h", 31))
    #expect(frames[3].reportedSymbolOffset == 108)
  }

  @Test("New Relic's rows have the place before the name, and again behind it")
  func placeTwice() throws {
    let frames = try crashed(
      """
      TDMoon.mm line 209 in +[TDMoon rise] (TDMoon.mm:209)
      TDTide.mm line 135 in +[TDTide fall] (TDTide.mm:135)
      """)
    #expect(frames.map(\.reportedSymbol) == ["+[TDMoon rise]", "+[TDTide fall]"])
  }

  @Test(
    "A name that the text's end cuts off is no function",
    arguments: [
      ("1  Moon  0x1048a8c30 -[TDMoon ri", nil), ("1  Moon  0x1048a8c30 void tide::util::", nil),
      ("1  Moon  0x1048a8c30 tide::stop_internal(std", "tide::stop_internal"),
      ("1  Moon  0x1048a8c30 tide::Wrapper<tide::Moon, st", nil),
      ("1  Moon  0x1048a8c30 __12-[TDMoon rise]_bl", "__12-[TDMoon rise]_block_invoke"),
      ("1  Moon  0x1048a8c30 Tide.rise() + 67 (Ti", "Tide.rise()"),
      ("1  Moon  0x1048a8c30 -[TDMoon rise] + 12", "-[TDMoon rise]"),
      ("1  Moon  0x1048a8c30 std::ostream& operator<< <char>", "std::ostream& operator<< <char>"),
    ] as [(String, String?)])
  func cutName(_ row: String, _ name: String?) throws {
    let frames = try crashed("Crashed: io.tide\n0  libobjc.A.dylib  0x1948a8c30 objc_release + 16\n\(row)\n")
    #expect(frames.count == 2)
    #expect(frames.last?.reportedSymbol == name)
  }

  @Test("An image's name that the text's end cuts off is none")
  func cutImage() throws {
    let frames = try report(
      """
      Fatal Exception: NSRangeException
      0   CoreFoundation  0x00000001a1958f20 __exceptionPreprocess + 164
      1   libobjc.A.dylib 0x00000001997df2b8 objc_exception_throw + 60
      2   CoreFounda
      """
    ).lastExceptionBacktrace
    #expect(frames.map(\.imageName) == ["CoreFoundation", "libobjc.A.dylib"])
  }

  @Test("A row of a table of words is no frame, nor is an arrow between words a call")
  func tablesAndArrows() {
    for text in [
      "SIGABRT here\n| name | version |\n| ---- | ---- |\n",
      "EXC_BREAKPOINT\n- Stack: App code → SwiftUI → Graph (while it updates)\n",
    ] {
      let found = try? report(text)
      #expect(found?.threads.flatMap(\.frames).isEmpty ?? true, "\(text)")
    }
  }

  @Test("GitHub's links to issues of another repository are closures' numbers")
  func linkedClosures() throws {
    let frames = try crashed(
      """
      Crashed: io.tide
      0  Moon  0x1048a8c30 closure tide/moon-kit#2 in closure tide/moon-kit#1 in Moon.rise(call:) + 168 (<compiler-generated>:168)
      1  Moon  0x1048a8d30 Moon.rise(call:) + 80 (Moon.swift:16)
      """)
    #expect(frames.first?.reportedSymbol == "closure #2 in closure #1 in Moon.rise(call:)")
    #expect(frames.first?.reportedLine == nil)
  }
  @Test(
    "Instabug's blocks have one underscore, Markdown's escapes go where a page has colons of full width, too")
  func spelledNames() throws {
    let frames = try crashed(
      """
      已崩溃：com.apple.main-thread
      Crashed: com.apple.main-thread
      EXC\\_BAD\\_ACCESS KERN\\_INVALID\\_ADDRESS 0x0000000000000000
      0  Moon  0x13870e4 _31-[TDMoon rise]_block_invoke \\+ 46
      1  Moon  0x1b04300 tide\\_on\\_rise(Tide\\*) \\+ 175
      """)
    #expect(frames.map(\.reportedSymbol) == ["__31-[TDMoon rise]_block_invoke", "tide_on_rise(Tide*)"])
  }

  @Test("A number behind a signal is the fault's address, and a quoted message ends with its mark")
  func statements() throws {
    let fault = try report("SIGSEGV 0x0000000000000010\n0  Moon  0x13870e4 -[TDMoon rise] + 46\n")
    #expect(fault.exception?.subtype == "at 0x0000000000000010")
    let said = try report(
      "It started on some devices, with `Tide/Moon.swift:16: Fatal error: Not risen` since Monday\n0  Moon  0x13870e4 -[TDMoon rise] + 46\n"
    )
    #expect(said.applicationSpecificInformation == ["Tide/Moon.swift:16: Fatal error: Not risen"])
  }

  /// Lists in unusual forms, and the names of their frames.
  private static let lists: [(text: String, names: [String?])] = [
    // A page's row numbers, and its offsets and places in brackets.
    (
      """
      Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
      Thread 38 Crashed:
      3610   libsystem_platform.dylib  0x00000001e57e41c4 _os_unfair_lock_recursive_abort + [ : 36]
      3621   libsystem_platform.dylib  0x00000001e57e155c _os_unfair_lock_lock_slow + [ : 320]
      3632   CoreFoundation            0x0000000188ae0344 CFSocketInvalidate + [ : 136]
      3643   Moon                      0x00000001024a7704 -[Tide close] + [Tide.m : 32]
      3654   Moon                      0x00000001024ab97c -[Tide read] + [Tide.m : 57]
      """,
      [
        "_os_unfair_lock_recursive_abort", "_os_unfair_lock_lock_slow", "CFSocketInvalidate", "-[Tide close]",
        "-[Tide read]",
      ]
    ),
    // Two names with a slash between.
    (
      """
      The app died with `SIGABRT` during a call.
        libsystem_kernel  __pthread_kill
        libsystem_malloc  malloc_report / malloc_vreport
        AudioToolbox      -[Tide rise]
        AudioSession      -[Moon shine]
      """, ["__pthread_kill", "malloc_report", "-[Tide rise]", "-[Moon shine]"]
    ),
    // Names alone, outermost first: nothing is called by the last one.
    (
      """
      EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x41c0000000021

      Stacktrace:
        -[Moon shine]
        -[Tide rise]
        _platform_memcmp
      """, ["_platform_memcmp", "-[Tide rise]", "-[Moon shine]"]
    ),
    (
      """
      Exception Type:     EXC_GUARD (SIGKILL)

      -[UIView removeFromSuperview]
        → TideView.didMoveToWindow()          TideView.swift:70
        → Tide.free()                         :361
        → __close_nocancel                    ← close(0), EXC_GUARD
      """,
      ["__close_nocancel", "Tide.free()", "TideView.didMoveToWindow()", "-[UIView removeFromSuperview]"]
    ),
    // Places without brackets.
    (
      """
      It crashed with SIGABRT:
      3 AVFAudio AVTideGraph::_Disconnect AVTideGraph.mm:27
      4 AVFAudio -[AVTideEngine rise:bus:] AVTideEngine.mm:15
      """, ["AVTideGraph::_Disconnect", "-[AVTideEngine rise:bus:]"]
    ),
    // A path with blanks, above the image of atos.
    (
      """
      UNCAUGHT EXCEPTION (NSInternalInconsistencyException): Not risen
      Backtrace:
        0  0x00007fff921fbe75 objc_exception_throw (in libobjc.A.dylib)
        1  0x000000010e49038a -[Tide rise] at /Users/moon/Application Support/Tide/Tide.m:83 (in Tides)
      """, ["objc_exception_throw", "-[Tide rise]"]
    ),
    // A whole thread on a line, with and without blanks between its rows.
    (
      "Thread 5 Crashed: 0 libobjc.A.dylib 0x19af7b038 objc_msgSend + 56 1 CoreFoundation 0x19dfdb618 cow_cleanup + 135 "
        + "2 CoreFoundation 0x19dfdb6fc -[__NSDictionaryM dealloc] + 147 3 MediaToolbox 0x1b167636c FigTideTeardown + 31 "
        + "4 Moon 0x104e5f3e0 -[Tide rise] + 12\n",
      ["objc_msgSend", "cow_cleanup", "-[__NSDictionaryM dealloc]", "FigTideTeardown", "-[Tide rise]"]
    ),
    (
      "Crash Item\t:\tTide.swift line 12Issue Details\t:\tCrashed: com.apple.main-thread0  libobjc.A.dylib                "
        + "0x1f6c objc_msgSend + 1721  CoreFoundation                 0x8e20 -[NSArray rise] + 362  Moon                           "
        + "0x9e20 -[Tide rise] + 483  Moon                           0xae20 main + 12\n",
      ["objc_msgSend", "-[NSArray rise]", "-[Tide rise]", "main"]
    ),
    // Without a blank behind the addresses.
    (
      """
      The call stack:
      1 CoreFoundation 0x181646ff8-[NSTide name] + 148
      2 Moon 0x10024a870-[Tide rise] (Tide.m:83)
      3 CoreFoundation 0x180455188__CFRunLoopRun + 2100
      """, ["-[NSTide name]", "-[Tide rise]", "__CFRunLoopRun"]
    ),
    // The thread's name before the first row.
    (
      """
      EXC_BAD_ACCESS (code=EXC_I386_GPFLT)
      Signaling Thread 0x0x4 (18)#0\t0x0000000100006555 in tide::rise() at /moon/tide.h:99
      #1\t0x0000000100006495 in tide::fall() at /moon/tide.h:97
      """, ["tide::rise()", "tide::fall()"]
    ),
    // Blocks, remarks and dots.
    (
      """
      EXC_BREAKPOINT (SIGTRAP)
        _dispatch_assert_queue_fail
        <Moon closures>
        __41-[BGTaskScheduler _runTask:registration:]_block_invoke_5
      """, ["_dispatch_assert_queue_fail", "__41-[BGTaskScheduler _runTask:registration:]_block_invoke_5"]
    ),
    (
      """
      0  libobjc     objc_msgSend
      1  UIKitCore   -[UIView(Hierarchy) subviews]
      13 Moon        -[TideView .cxx_destruct]   // view being deallocated
      """, ["objc_msgSend", "-[UIView(Hierarchy) subviews]", "-[TideView .cxx_destruct]"]
    ),
    (
      """
      0   CoreFoundation  0x00000001aa90c314 0x1aa7da000 + 0x132300   // __exceptionPreprocess
      1   Moon            0x0000000104dddce8 __63-[TideRepositories 0x104cac000 + 0x131ce8   // __63-[TideRepositories rise]_block_invoke
      """, ["__exceptionPreprocess", "__63-[TideRepositories rise]_block_invoke"]
    ),
    (
      """
      *** Terminating app due to uncaught exception 'NSGenericException', reason: 'Not risen'
      ... 0x00092311 +[Tide rise:] (Tide.m:106)
      ... 0x000983db -[Moon shine] (Moon.m:98)
      """, ["+[Tide rise:]", "-[Moon shine]"]
    ),
    // Strings of a document, with numbers and addresses in other forms.
    (
      """
      Stack Trace:

       "StackTrace" : [
              "#2  libsystem_platform.dylib            0X3449E0A3 _sigtramp()",
              "#3  WebCore                             0X31A3B7DB <redacted>()",
              "#4  WebKitLegacy                        0X32318253 -[WebFrame rise:]",
      """, ["_sigtramp", nil, "-[WebFrame rise:]"]
    ),
    // Columns of a table that became tabs.
    (
      "SIGSEGV\n0    CoreData       \t_tideRow\n1    CoreData       \t-[NSTide rise]\n",
      ["_tideRow", "-[NSTide rise]"]
    ),
  ]

  @Test("Names of lists in unusual forms", arguments: lists.indices)
  func unusualLists(_ index: Int) throws {
    let (text, names) = Self.lists[index]
    let report = try report(text)
    let frames = try report.lastExceptionBacktrace.isEmpty ? crashed(text) : report.lastExceptionBacktrace
    #expect(frames.map(\.reportedSymbol) == names)
    #expect(!frames.contains { $0.imageName?.last == " " })
    #expect(frames.allSatisfy { $0.number ?? 0 < 100 && $0.reportedSymbolOffset ?? 0 < 0x10_0000 })
  }

  @Test("Headings in brackets, an address that was cut, and rows of Mono's without `at`")
  func rarerForms() throws {
    let bracketed = try report(
      """
      [Last Exception Backtrace]
      3 AVFAudio -[AVTide rise] AVTide.mm:27
      4 Moon -[Tide fall] Tide.m:15
      [Thread 18 Crashed]
      9 Moon -[Moon shine] Moon.m:22
      """)
    #expect(bracketed.lastExceptionBacktrace.count == 2 && bracketed.threads.map(\.frames.count) == [1])
    let cut = try crashed(
      """
      Exception Type:  EXC_BREAKPOINT (SIGTRAP)

      Thread 0 Crashed:
      0   Moon        0x18b220c44 -[Tide rise] + 164
      1   UIKitCore   0x18d28a3a8 -[UIView tide] + 1872
      2   QuartzCore  0x18c7
      """)
    #expect(cut.count == 3 && cut[2].address == nil && cut[2].imageName == "QuartzCore")
    let managed = try report(
      """
      SIGABRT: Object reference not set to an instance of an object.
      TideController`1[TMoon].Rise (Moon.Forms.Cell cell, Foundation.NSIndexPath indexPath)
      (wrapper managed-to-native) UIKit.UIApplication.UIApplicationMain(int,string[],intptr,intptr)
      UIApplication.Main (System.String[] args, System.String principalClassName)
      """)
    #expect(
      managed.applicationSpecificBacktraces.map { $0.map(\.reportedSymbol) } == [
        ["TideController`1[TMoon].Rise", "UIKit.UIApplication.UIApplicationMain", "UIApplication.Main"]
      ])
  }

  @Test("AddressSanitizer's lines with the head of NSLog")
  func loggedSanitizer() throws {
    let head = "2017-09-26 13:53:46.991940+0300 Moon[34:17] "
    let found = try report(
      head
        + "==34==ERROR: AddressSanitizer: heap-use-after-free on address 0x000175b41990 at pc 0x000103eaaff8\n"
        + head + "READ of size 3 at 0x000175b41990 thread T0\n")
    #expect(found.exception?.subtype == "READ of size 3 at 0x000175b41990 thread T0")
  }
}
