import CrashReadCore
import CrashReadReports
import Testing

@Suite("Text reports")
struct TextReportTests {
  @Test("give header, exception and termination")
  func header() throws {
    let report = try parse(iOSReport)
    #expect(report.format == .appleText)
    #expect(report.kind == .crash)
    #expect(report.notes.isEmpty)
    #expect(report.header.process == "Tide Table")
    #expect(report.header.pid == 812)
    #expect(report.header.version == "2.5")
    #expect(report.header.build == "118")
    #expect(report.header.osVersion == "iPhone OS 17.2 (21C62)")
    #expect(report.header.launchDate == "2024-03-01 09:14:58.0001 +0900")
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.signal == "SIGSEGV")
    #expect(report.exception?.codes == [1, 0x10])
    #expect(report.exception?.subtype == "KERN_INVALID_ADDRESS at 0x0000000000000010")
    #expect(report.termination?.namespace == "SIGNAL")
    #expect(report.termination?.code == 11)
    #expect(report.termination?.indicator == "Segmentation fault: 11")
    #expect(report.termination?.byProcess == "exc handler [812]")
    #expect(report.termination?.details == [])
    #expect(report.vmRegionInfo?.hasPrefix("0x10 is not in any region.") == true)
  }

  @Test("give threads with names, queues, frames and registers")
  func threads() throws {
    let report = try parse(iOSReport)
    #expect(report.threads.map(\.index) == [0, 1])
    #expect(report.threads.map(\.name) == [nil, "moon phase"])
    #expect(report.threads.map(\.queue) == ["com.apple.main-thread", "org.example.moon"])
    #expect(report.threads.map(\.isCrashed) == [false, true])
    #expect(report.crashedThread == 1)
    #expect(report.threads[1].frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
    #expect(report.threads[1].frames.map(\.isInlined) == [true, false, false])
    #expect(report.threads[1].frames.map(\.image) == [0, 0, nil])
    #expect(report.lastExceptionBacktrace.map(\.kind) == [.returnAddress, .returnAddress])
    #expect(report.lastExceptionBacktrace.map(\.image) == [1, 0])
    let state = try #require(report.crashedThreadState)
    #expect(state.flavor == "ARM Thread State (64-bit)")
    #expect(state.programCounter == 0x1_0400_3000)
    #expect(state.faultAddress == 0x10)
    #expect(state.registers.last?.meaning == "(Data Abort) byte read Translation fault")
  }

  @Test("keep titles inside free text as text")
  func freeText() throws {
    let expected = ["high water: 3.2 m", "Thread 0 Crashed: is only text here", "abort() called"]
    #expect(try parse(iOSReport).applicationSpecificInformation == expected)
  }

  @Test(
    "read the same with other line ends, indentation and quoting",
    arguments: [("CRLF", "", "\r\n"), ("CR", "", "\r"), ("quoted", "> ", "\n"), ("TAB", "\t", "\n")])
  func layouts(_ name: String, _ prefix: String, _ lineEnd: String) throws {
    let lines = iOSReport.split(separator: "\n", omittingEmptySubsequences: false)
    var report = try parse("\u{feff}" + lines.map { prefix + $0 }.joined(separator: lineEnd))
    #expect(report.notes.count == (prefix.isEmpty ? 0 : 1))
    report.notes = []
    #expect(try report == parse(iOSReport))
  }

  @Test(
    "say who ended the process",
    arguments: [
      ("Namespace SIGNAL, Code 0xb", "SIGNAL", 0xb, nil),
      ("Namespace SIGNAL, Code 11 Segmentation fault: 11", "SIGNAL", 11, "Segmentation fault: 11"),
      ("Namespace SIGNAL, Code 6, Abort trap: 6", "SIGNAL", 6, "Abort trap: 6"),
      ("RUNNINGBOARD 3735883980 ", "RUNNINGBOARD", 0xdead_10cc, nil),
      ("DYLD, [0x1] Library missing", "DYLD", 1, "Library missing"),
      ("SIGNAL; [11]", "SIGNAL", 11, nil),
      ("EXC -1 odd", "EXC", UInt64.max, "odd"),
      ("TCC why not", "TCC", nil, "why not"),
    ] as [(String, String, UInt64?, String?)])
  func terminationReason(_ text: String, _ namespace: String, _ code: UInt64?, _ indicator: String?) throws {
    let report = try parse("Termination Reason: \(text)\nfirst\nReason: second\n\nthird\n")
    #expect(report.termination?.namespace == namespace)
    #expect(report.termination?.code == code)
    #expect(report.termination?.indicator == indicator)
    #expect(report.termination?.details == ["first", "Reason: second"])
  }

  @Test(
    "give codes as numbers or as a subtype",
    arguments: [
      ("Exception Codes: 0x8badf00d", [0x8bad_f00d], nil),
      ("Exception Codes: KERN_INVALID_ADDRESS at 0x10", [], "KERN_INVALID_ADDRESS at 0x10"),
      ("Exception Codes: BUS_ADRALN at 0x1\nException Codes: 0x1, 0x2", [1, 2], "BUS_ADRALN at 0x1"),
      ("Exception Codes: #0 at 0x9c54572", [], nil),
      ("Code[0]:    0x00000001Code[1]:    0x8fe01280", [1, 0x8fe0_1280], nil),
    ] as [(String, [UInt64], String?)])
  func exceptionCodes(_ lines: String, _ codes: [UInt64], _ subtype: String?) throws {
    let report = try parse("Exception Type: EXC_BAD_ACCESS (SIGBUS)\n\(lines)\n")
    #expect(report.exception?.codes == codes)
    #expect(report.exception?.subtype == subtype)
    #expect(report.exception?.codesText != nil)
  }

  @Test(
    "distinguish thread titles from prose",
    arguments: [
      ("Thread 3:", nil, nil, false), ("Thread 3", nil, nil, false), ("Thread 3 Crashed: ", nil, nil, true),
      ("Thread 3 Crashed:: Dispatch queue: a b", nil, "a b", true),
      ("Thread 3 Crashed:: main Dispatch queue: q", "main", "q", true),
      ("Thread 3:: :Media.cpp:120:f Dispatch queue: q", ":Media.cpp:120:f", "q", false),
      ("Thread 3:: AsyncQueue::RootLogger", "AsyncQueue::RootLogger", nil, false),
      ("Thread 3 Dispatch queue: q", nil, "q", false), ("Thread 3 Attributed:", nil, nil, true),
      ("Thread 3 Crashed: Test Thread Name", "Test Thread Name", nil, true),
    ] as [(String, String?, String?, Bool)])
  func threadTitles(_ title: String, _ name: String?, _ queue: String?, _ isCrashed: Bool) throws {
    let text = "\(title)\n0 A 0x1 f + 1\nThread 9 was slow\nThread 4:\n0 A 0x2 g + 1\n"
    let thread = try #require(try parse(text).threads.first)
    #expect(thread.index == 3)
    #expect(thread.name == name)
    #expect(thread.queue == queue)
    #expect(thread.isCrashed == isCrashed)
  }

  @Test("take the crashed thread from the header when no title marks one")
  func triggeredThread() throws {
    let text =
      "Triggered by Thread: 6  com.example.js, Dispatch Queue: q\n\nThread 5:\n0 A 0x1\n\nThread 6:\n0 A 0x1\n"
    let report = try parse(text)
    #expect(report.crashedThread == 1)
    #expect(report.threads[1].isCrashed)
  }

  @Test("take the innermost frame for a return address if the registers differ")
  func droppedFrames() throws {
    let moved = iOSReport.replacing("pc: 0x0000000104003000", with: "pc: 0x00000001a0000100")
    let report = try parse(moved)
    #expect(report.threads[1].frames.map(\.kind) == [.returnAddress, .returnAddress, .returnAddress])
    #expect(report.threads[0].frames.first?.kind == .programCounter)
    let signed = iOSReport.replacing("pc: 0x0000000104003000", with: "pc: 0x5a40000104003000")
    #expect(try parse(signed).threads[1].frames.first?.kind == .programCounter)
  }

  @Test("give frames with the innermost one's address its kind")
  func repeatedAddress() throws {
    let text = "Thread 0 Crashed:\n0 A 0x10 f + 1\n1 A 0x10 g + 1\n2 A 0x20 h + 1\n3 A 0x20 h + 1\n"
    let kinds: [FrameKind] = [.programCounter, .programCounter, .returnAddress, .returnAddress]
    #expect(try parse(text).threads.first?.frames.map(\.kind) == kinds)
  }

  @Test("keep lines that look like keys inside free text")
  func keysInFreeText() throws {
    let text =
      "Code Type: ARM\n\nApplication Specific Information:\none\n\nCode Type: none\n\nException Type: EXC_CRASH\n"
    let report = try parse(text)
    #expect(report.header.codeType == "ARM")
    #expect(report.applicationSpecificInformation == ["one", "Code Type: none"])
    #expect(report.exception?.type == "EXC_CRASH")
  }

  @Test("read lists of addresses; a truncated one loses its last number")
  func addressLists() throws {
    let text = "Exception Type: EXC_CRASH\n\nLast Exception Backtrace:\n(0x10 0x20\n0x30)\n"
    #expect(try parse(text).lastExceptionBacktrace.map { $0.address?.rawValue } == [0x10, 0x20, 0x30])
    let cut = try parse(text.replacing("0x30)", with: "0x3"))
    #expect(cut.lastExceptionBacktrace.map { $0.address?.rawValue } == [0x10, 0x20])
    #expect(cut.notes.map(\.line) == [5])
  }

  @Test("read registers whose values touch their names")
  func touchingRegisters() throws {
    let report = try parse(
      "Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0 Tides 0x1004 f + 4\n\n"
        + "Thread 0 crashed with ARM Thread State (64-bit):\n  x0:0x1\tx1:0x2\n  far:0x10\tesr:0x92000046 (Data Abort) x\n"
    )
    #expect(report.threads[0].state?.registers.map(\.value) == [1, 2, 0x10, 0x9200_0046])
  }

  @Test("read registers of any CPU, also broken rows and values that are missing")
  func registers() throws {
    let text = """
      Thread 0 Crashed:
      0 A 0x1 f + 1

      Thread 0 crashed with X86 Thread State (64-bit):
        rax: 0x0000000000000001  rbx:
      0x0000000000000002  rcx: <unavailable>
        rip: 0x0000000000000001 -[A b:] (in A) (a.m:5)  cr2: 000000000000000000

      Logical CPU:     4
      Error Code:      02000148
      Trap Number:     14
      """
    let state = try #require(try parse(text).crashedThreadState)
    #expect(state.registers.map(\.name) == ["rax", "rbx", "rip", "cr2", "cpu", "err", "trap"])
    #expect(state.registers.map(\.value) == [1, 2, 1, 0, 4, 0x0200_0148, 14])
    #expect(state.registers[2].meaning == "-[A b:] (in A) (a.m:5)")
  }

  @Test("keep registers of an unknown thread")
  func unknownThread() throws {
    let text =
      "Crashed Thread:  Unknown\n\nUnknown thread crashed with X86 Thread State (32-bit):\n  eip: 0x00000010\n"
    let report = try parse(text)
    #expect(report.crashedThreadState?.programCounter == 0x10)
    #expect(report.notes.count == 1)
    #expect(report.notes.allSatisfy { !$0.message.contains("thread 0") })
  }

  @Test("keep registers of an excerpt that begins with them")
  func registersAlone() throws {
    let text = """
      x0: 0x0000000000000000   x1: 0x0000000000000010
      fp: 0x000000016f5a2d60   lr: 0x0000000100a1c044   pc: 0x0000000100a1c050
      far: 0x0000000000000010  esr: 0x92000006 (Data Abort) byte read Translation fault
      """
    let state = try #require(try parse(text).crashedThreadState)
    #expect(state.registers.map(\.name) == ["x0", "x1", "fp", "lr", "pc", "far", "esr"])
    #expect(state.registers.last?.meaning == "(Data Abort) byte read Translation fault")
    // Names and numbers of something else.
    let other = try? parse("low: 0x0000000000000010 high: 0x20\nf: 1 g: 2\n")
    #expect(other?.crashedThreadState == nil)
  }

  @Test("take Sentry's title of the crashed thread, which is its name's")
  func crashedThreadName() throws {
    let text = """
      OS Version: macOS 14.5 (23F79)
      Report Version: 104

      Exception Type: EXC_BAD_ACCESS (SIGSEGV)

      Thread 9 name: tide Crashed:
      0   Moon    0x104a1c044    tide_height
      """
    let report = try parse(text)
    #expect(report.threads.map(\.index) == [9])
    #expect(report.threads.map(\.isCrashed) == [true])
    #expect(report.threads.map(\.name) == ["tide"])
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["tide_height"])
  }

  @Test("read what KSCrash calls the last exception")
  func lastException() throws {
    let text = "Exception Type: EXC_CRASH\n\nLast Exception: NSRangeException: index 3 beyond bounds: none\n"
    let exception = UncaughtException(name: "NSRangeException", reason: "index 3 beyond bounds: none")
    #expect(try parse(text).uncaughtException == exception)
  }

  @Test("read the reason that iOS has on a line of its own")
  func exceptionReason() throws {
    let reason = "+[Cart open]: unrecognized selector sent to class 0x1058"
    let text = "Process: tide [7]\nException Type:  EXC_CRASH (SIGABRT)\nException Reason: \(reason)\n"
    #expect(try parse(text).uncaughtException == UncaughtException(name: nil, reason: reason))
  }

  @Test("are hangs when KSCrash says that the main thread was deadlocked")
  func deadlock() throws {
    let words = "Application main thread deadlocked"
    let report = try parse(
      "Process: tide [7]\nException Type:  0 (0)\nCrashed Thread:  0\n\n\(words)\n\nThread 0 Crashed:\n0 tide 0x1000\n"
    )
    #expect(report.kind == .hang)
    #expect(report.applicationSpecificInformation == [words])
    // A crash report that only quotes the text remains one.
    let quoted = iOSReport.replacing("high water: 3.2 m", with: words)
    #expect(try parse(quoted).kind == .crash)
  }

  @Test("end free text at titles when a copy has lost its blank lines")
  func lostBlankLines() throws {
    let lines = iOSReport.split(separator: "\n").filter { !$0.hasPrefix("Thread 0 Crashed: is") }
    let report = try parse(lines.joined(separator: "\n"))
    #expect(report.applicationSpecificInformation == ["high water: 3.2 m", "abort() called"])
    #expect(report.threads.count == 2)
  }

  @Test("end free text at the crashed thread under a heading of somebody's own")
  func ownHeading() throws {
    let report = try parse(
      """
      Application Specific Information:
      low tide

      Stacktrace:
      Thread 11 Crashed:: Harbour
      0   Tide                            0x102fb2e34         0x102fb0000 + 11828
      1   Tide                            0x102fb2e00         0x102fb0000 + 11776
      """)
    #expect(report.threads.map(\.index) == [11])
    #expect(report.threads.first?.frames.count == 2)
  }

  @Test("take nothing from above their header if they state the reason themselves")
  func textAbove() throws {
    let log = "thread 'main' panicked at src/tide.rs:3:5:\nlow tide\n\n"
    let head =
      "Process: Tides [8]\nException Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n"
    let frames = "\nThread 0 Crashed:\n0 Tides 0x1004 f + 4\n"
    let told = try parse(log + head + "BUG IN CLIENT OF LIBPLATFORM: os_once_t is corrupt\n" + frames)
    #expect(told.applicationSpecificInformation.count == 1)
    let bare = try parse(log + head + "abort() called\n" + frames)
    #expect(bare.applicationSpecificInformation.contains { $0.hasPrefix("thread 'main' panicked") })
  }

  @Test("end a message at the crashed thread also without a blank line")
  func threadBelowMessage() throws {
    let report = try parse(
      "Process: Tides [8]\nException Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n"
        + "os_once_t is corrupt\nThread 0 Crashed:\n0 Tides 0x1004 f + 4\n")
    #expect(report.applicationSpecificInformation == ["os_once_t is corrupt"])
    #expect(report.threads.map(\.frames.count) == [1])
  }

  @Test(
    "keep one of two copies of a stack: the console's list of addresses isn't part of the frames above it")
  func stackTwice() throws {
    let report = try parse(
      "Last Exception Backtrace:\n0 Tides 0x1004 f + 4\n1 Tides 0x1008 g + 8\n"
        + "*** First throw call stack:\n(0x2004 0x2008)\n")
    #expect(report.lastExceptionBacktrace.map { $0.address?.rawValue } == [0x1004, 0x1008])
  }

  @Test("of one issue are told apart by headings, by frames of dashes, and by a thread that crashed twice")
  func reportsOfAnIssue() throws {
    let head = "Exception Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\nabort() called\n"
    let reports = try CrashReport.parse(
      Array(
        ("Process: Tides [8]\n" + head + "\n### 2\nIt is low.\n-----\nProcess: Tides [9]\n" + head
          + "\nThread 0 Crashed:\n0 Tides 0x1004 f + 4\n\nThat was another one:\n\nThread 0 Crashed:\n"
          + "0 Moon 0x2004 g + 4\n").utf8))
    #expect(reports.map(\.header.pid) == [8, 9, nil])
    #expect(reports[0].applicationSpecificInformation == ["abort() called"])
    #expect(reports.map { $0.threads.flatMap(\.frames).map(\.reportedSymbol) }.suffix(2) == [["f"], ["g"]])
  }

  @Test("of which the parts name two processes are noted")
  func twoProcesses() throws {
    let head =
      "Process: Tides [8]\nException Type: EXC_BAD_ACCESS (SIGSEGV)\nTerminating Process: exc handler ["
    #expect(
      try parse(head + "9]\n").notes.map(\.message).contains { $0.hasPrefix("the process 9 that ended") })
    #expect(try parse(head + "8]\n").notes.isEmpty && parse(head + "0]\n").notes.isEmpty)
  }

  @Test("take no message from the reporter's own failure")
  func reporterFailure() throws {
    let report = try parse(
      "Process: Tides [8]\nException Type: EXC_BAD_ACCESS (SIGBUS)\n\nError Formulating Crash Report:\n"
        + "*** -[NSCFDictionary setObject:forKey:]: attempt to insert nil value (key: Moon)\n0x9501626b\n\n"
        + "Unknown thread crashed with X86 Thread State (64-bit):\n  rax: 0x1  rbx: 0x2\n")
    #expect(report.applicationSpecificInformation.isEmpty && report.uncaughtException == nil)
  }

  @Test("take a queue's name from the next line")
  func wrappedQueue() throws {
    let report = try parse(
      "Process: Tides [8]\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:: Dispatch queue:\n"
        + "org.example.moon\n0 Tides 0x1004 f + 4\n")
    #expect(report.threads.map(\.queue) == ["org.example.moon"])
  }

  @Test("leave out lists of prose and dates without a note")
  func proseBelowFrames() throws {
    let report = try parse(
      "Process: Tides [8]\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0 Tides 0x1004 f + 4\n"
        + "2018-04-20 13:30:12 low tide\n3. See the moon\n")
    #expect(report.notes.isEmpty && report.threads[0].frames.count == 1)
  }

  @Test("of a mail's source are decoded")
  func quotedPrintable() throws {
    let wide = String(repeating: " ", count: 60)
    let frames = (0..<6).map { "\($0)   Tides\(wide)=\n0x100\($0) -[Tide =\nrise] + 4" }
    let report = try parse(
      "Exception Type: EXC_CRASH (SIGABRT)\nThread 0 Crashed:\n" + frames.joined(separator: "\n") + "\n")
    #expect(report.threads[0].frames.map(\.reportedSymbol) == Array(repeating: "-[Tide rise]", count: 6))
  }

  @Test("of two crashes in one file are two")
  func severalReports() throws {
    let reports = try CrashReport.parse(Array((iOSReport + "\n\n" + iOSReport).utf8))
    #expect(reports.count == 2)
    #expect(reports.map(\.threads.count) == [2, 2])
    #expect(
      reports[1].images.first?.line == (reports[0].images.first?.line ?? 0)
        + iOSReport.split(
          separator: "\n", omittingEmptySubsequences: false
        ).count + 1)
  }

  @Test("of a main thread that did not respond are hangs")
  func hang() throws {
    let text = """
      OS Version: iOS 16.3.1 (20D67)
      Report Version: 104

      Application Specific Information:
      App hanging for at least 2000 ms.

      Thread 0 Crashed:
      0   libsystem_kernel.dylib          0x3bed64d24         semaphore_wait_trap
      1   Tide                            0x102fb2e34         Moon.rise()
      """
    #expect(try parse(text).kind == .hang)
  }

  @Test("in a property list are unescaped")
  func propertyList() throws {
    let escaped = iOSReport.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    let text = "<?xml version=\"1.0\"?>\n<dict>\n<key>description</key>\n<string>\(escaped)</string></dict>"
    var report = try parse(text)
    #expect(report.images.first?.line == (try parse(iOSReport).images.first?.line ?? 0) + 3)
    for index in report.images.indices { report.images[index].line = nil }
    #expect(report.images.map(\.id) == (try parse(iOSReport).images.map(\.id)))
  }

  @Test(
    "of other kinds are not recognised",
    arguments: [
      "Dear reader,\nVersion: 2\nThread 0 was slow.",
      "Analysis Tool: A\nProcess: A [1]\nCode Type: X86",
      "{\"name\": 1}", "[1, 2]",
    ])
  func unrecognised(_ text: String) {
    #expect(throws: ReportError.unrecognised) { try parse(text) }
  }

  @Test("of nothing but blanks and zero bytes are empty", arguments: ["", " \r\n\t", "\0\0"])
  func empty(_ text: String) {
    #expect(throws: ReportError.empty) { try parse(text) }
  }
}
