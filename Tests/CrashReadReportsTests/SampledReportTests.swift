import CrashReadCore
import CrashReadReports
import Testing

private func tree(_ thread: ThreadRecord) -> [String] {
  thread.callTree.map { entry in
    let name = entry.frame.reportedSymbol ?? entry.frame.address?.description ?? "-"
    return "\(entry.depth) \(entry.sampleCount ?? -1) \(name)"
  }
}

@Suite("sample")
struct SampleReportTests {
  @Test("states the process, its threads and its images")
  func overview() throws {
    let report = try parse(sampleText)
    #expect(report.format == .sample && report.kind == .sample)
    #expect(
      report.header.process == "Tide Table" && report.header.pid == 812 && report.header.version == "2.5")
    #expect(report.threads.map(\.id) == ["28139", "28145", "28146"])
    #expect(report.threads.map(\.name) == [nil, "com.apple.NSEventThread", "worker"])
    #expect(report.threads.map(\.queue) == ["com.apple.main-thread", nil, "org.example.moon"])
    #expect(report.threads.map(\.sampleCount) == [100, 7, 3])
    #expect(report.images.count == 2 && report.images.map(\.isMarkedAsApp) == [true, false])
    #expect(report.crashedThread == nil && report.principalThread == 0)
  }

  @Test("of which only the end was copied names the function that ran most")
  func end() throws {
    let report = try parse(
      """
      Total number in stack (recursive counted multiple, when >=5):
              25       mach_msg  (in libsystem_kernel.dylib) + 60  [0x7fff6a8b35d0]

      Sort by top of stack, same collapsed (when >= 5):
              mach_msg_trap  (in libsystem_kernel.dylib)        3396
              sem_wait  (in libsystem_kernel.dylib)        2165
              -[Tide rise]  (in Moon)        581
      """)
    #expect(report.kind == .sample)
    #expect(report.applicationSpecificInformation == ["Top of stack: -[Tide rise] (in Moon): 581"])
  }

  @Test("has rows of states, which are no functions")
  func states() throws {
    let text = """
        +     2659 -[Moon rise]  (in Tide) + 448  [0x7fff6758e1ba]
        +       2659 -[Moon wait]  (in Tide) + 1565  [0x7fff6758cc3c]
        +         2600 read  (in libsystem_kernel.dylib) + 10  [0x7fff90dabae5]
        +           4 <Kernel mode, Effective Thread QoS Default>
      """
    let entries = try parse(text).threads[0].callTree
    #expect(entries.count == 3 && entries.last?.state == "<Kernel mode, Effective Thread QoS Default>")
  }

  @Test("in part is the tree of one thread")
  func part() throws {
    let text = """
        +     2659 -[Moon rise]  (in Tide) + 448  [0x7fff6758e1ba]
        +       2659 -[Moon wait]  (in Tide) + 1565  [0x7fff6758cc3c]
        +         2600 semaphore_wait_trap  (in libsystem_kernel.dylib) + 10  [0x7fff90dabae5]
      """
    let report = try parse(text)
    #expect(report.kind == .sample)
    #expect(
      report.threads.map(tree) == [
        ["0 2659 -[Moon rise]", "1 2659 -[Moon wait]", "2 2600 semaphore_wait_trap"]
      ])
    #expect(throws: ReportError.unrecognised) {
      try parse(text.split(separator: "\n").prefix(2).joined(separator: "\n"))
    }
  }

  @Test("gives each thread its tree, and the heaviest path as its frames")
  func callTree() throws {
    let thread = try parse(sampleText).threads[0]
    #expect(
      tree(thread) == [
        "0 100 start", "1 100 main", "2 60 -[Moon phase:]", "3 60 0x100003e30", "2 40 run (fast) loop",
        "3 40 0x12345678",
      ])
    #expect(
      thread.frames.map(\.address?.description) == [
        "0x100003e30", "0x100002008", "0x100001028", "0x190000200",
      ])
    #expect(thread.frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
    #expect(thread.frames.map(\.number) == [0, 1, 2, 3])
    #expect(thread.frames.map(\.image) == [0, 0, 0, 1])
  }

  @Test("reads offset, image and address after the function")
  func details() throws {
    let entries = try parse(sampleText).threads[0].callTree.map(\.frame)
    #expect(
      entries.map(\.imageName) == ["dyld", "Tide Table", "Tide Table", "Tide Table", "Core (Private)", nil])
    #expect(entries.map(\.reportedSymbolOffset) == [462, 40, 8, nil, 3, nil])
    #expect(entries[1].reportedFile == "main.m" && entries[1].reportedLine == 15)
    #expect(entries[2].reportedFile == "Moon.m" && entries[2].reportedLine == nil)
    #expect(entries[3].imageOffset == ImageOffset(0x3e30))
  }

  @Test("reads several in one file")
  func several() throws {
    let reports = try CrashReport.parse(Array((sampleText + "\n\n" + sampleText).utf8))
    #expect(reports.count == 2 && reports[0].threads.map(\.id) == reports[1].threads.map(\.id))
  }
}

@Suite("spindump")
struct SpindumpReportTests {
  @Test("a process's unique number is no part of its name")
  func uniqueNumber() throws {
    let reports = try CrashReport.parse(
      Array(
        """
        Command:          Moon
        Event:            hang
        Duration:         58.00s

        Process:          Tide [123] [unique pid 1]
          Thread 0x1    DispatchQueue "com.apple.main-thread"(1)    11 samples
          11  rise + 4 (Tide + 1) [0x1]

        Process:          Moon [89173] [unique pid 128030570]
          Thread 0x2    DispatchQueue "com.apple.main-thread"(1)    11 samples (1-11)
          11  start + 6992 (dyld + 130560) [0x1886cbe00] 1-11
        """.utf8))
    #expect(reports.map(\.header.process) == ["Moon", "Tide"])
    #expect(reports.first?.kind == .hang && reports.first?.header.pid == 89173)
  }

  @Test("makes a report of each process, the target first")
  func processes() throws {
    let reports = try CrashReport.parse(Array(hangText.utf8))
    #expect(reports.map(\.header.process) == ["Tide Table", "moond"])
    #expect(reports.map(\.header.pid) == [812, 90])
    #expect(reports.map(\.kind) == [.hang, .sample])
    #expect(reports.map(\.images.count) == [4, 1])
    #expect(reports.allSatisfy { $0.format == .spindump && $0.header.codeType == "arm64e" })
    #expect(reports[0].header.hardwareModel == "Mac14,2" && reports[0].header.version == "2.5")
    #expect(reports[0].applicationSpecificInformation == ["Event: hang", "Duration: 2.00s"])
    #expect(reports[1].applicationSpecificInformation == [])
    #expect(reports.allSatisfy { $0.notes.isEmpty })
  }

  @Test("takes the first queue's number for the main queue")
  func queueNumber() throws {
    let text = """
        Thread 0x6207a2           DispatchQueue 1           10 samples (1-10)     priority 46     cpu time 0.017
        10  start + 1 (libdyld.dylib + 21045) [0x7fff9adec235]
          10  tide_rise + 20 (Moon + 24078) [0x10ab70e0e]

        Thread 0x6207a3           DispatchQueue 10          10 samples (1-10)     priority 46
        10  start_wqthread + 13 (libsystem_pthread.dylib + 5085) [0x7fff8cefb3dd]
      """
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(report.threads.map(\.queue) == ["com.apple.main-thread", nil])
  }

  @Test("takes the whole duration of a hang, and a file without its line")
  func wholeDuration() throws {
    let text = hangText.split(separator: "Duration:         2.00s").joined(
      separator:
        "Duration:         7.23s\nDuration Sampled: 4.90s (process was unresponsive for 2 seconds before sampling)"
    ).split(separator: "2 idle work queue threads omitted").joined(
      separator: "Unresponsive for 2 seconds before sampling"
    ).split(separator: "main.m:15,7 in").joined(separator: "Tide.swift in")
    let report = try #require(try CrashReport.parse(Array(text.utf8)).first)
    #expect(
      report.applicationSpecificInformation == ["Event: hang", "Duration: 7.23s", "Hang duration: 7.23s"])
    let frame = try #require(report.threads[0].callTree.dropFirst().first?.frame)
    #expect(frame.imageName == "Tide Table" && frame.reportedFile == "Tide.swift")
  }

  @Test("reads titles of threads")
  func threads() throws {
    let report = try parse(hangText)
    #expect(report.threads.map(\.id) == ["0xeac", "0xeb0,0xeb1"])
    #expect(report.threads.map(\.name) == ["the \"main\" one", nil])
    #expect(report.threads.map(\.queue) == ["com.apple.main-thread", nil])
    #expect(report.threads.map(\.sampleCount) == [20, 2])
  }

  @Test("reads the tree with the kernel's part")
  func callTree() throws {
    let report = try parse(hangText)
    let entries = report.threads[0].callTree
    #expect(
      tree(report.threads[0]) == [
        "0 20 start", "1 20 main", "2 14 -[Moon phase:]", "3 14 __psynch_mutexwait",
        "4 14 0xffffff8000200010",
        "4 10 0xffffff8000200020", "2 6 0x20000ffdc",
      ])
    #expect(
      entries.map(\.state) == [
        nil, nil, nil, nil,
        "blocked by turnstile waiting for moond [90] [unique pid 90] thread 0x1", nil, "running",
      ])
    #expect(entries[1].frame.reportedFile == "main.m" && entries[1].frame.reportedLine == 15)
    #expect(entries[1].frame.imageName == "Tide Table" && entries[1].frame.imageOffset == ImageOffset(4136))
    #expect(entries.map(\.frame.image) == [1, 0, 0, nil, 3, 3, 2])
    // Kernel entry and the interruption of user code aren't calls.
    #expect(
      entries.map(\.frame.kind) == [
        .returnAddress, .returnAddress, .returnAddress, .programCounter, .programCounter, .programCounter,
        .programCounter,
      ])
    #expect(report.threads[0].frames.count == 5)
    #expect(report.threads[1].callTree.map(\.frame.address) == [RuntimeAddress(0)])
  }

  @Test("without its first lines is about the process of its figures")
  func headless() throws {
    let report = try parse(
      """
      Event:            disk writes
      Action taken:     none
      Writes:           1073.75 MB of file backed memory dirtied over 1003 seconds
      Writes limit:     1073.74 MB

      Heaviest stack for the target process:
        6  ??? (Tide + 6092) [0x754717cc]
        4  ??? (Foundation + 5740260) [0x29b556e4]
      """)
    #expect(report.kind == .resource)
    #expect(report.applicationSpecificInformation.first == "Event: disk writes")
    #expect(report.threads.map { $0.frames.map(\.imageName) } == [["Foundation", "Tide"]])
  }

  @Test("takes the heaviest stack where the target has no tree")
  func heaviestStack() throws {
    let end = try #require(hangText.firstRange(of: "\n\nProcess:"))
    let report = try parse(String(hangText[..<end.lowerBound]))
    #expect(report.header.process == "Tide Table" && report.kind == .hang)
    #expect(tree(report.threads[0]) == ["0 20 start", "1 20 main"])
    #expect(report.threads[0].frames.map(\.reportedSymbol) == ["main", "start"])
  }

  @Test("takes blocks without threads", arguments: ["cpu usage", "disk writes", "wakeups"])
  func powerstats(_ event: String) throws {
    let text = """
      {"bug_type":"202","os_version":"iPhone OS 14.2 (18B92)","incident_id":"A","app_name":"Tides","app_version":"2.5"}
      Date/Time:        2020-10-19 23:46:29.268 +0100
      Data Source:      Microstackshots
      Command:          Tides
      PID:              7
      Event:            \(event)
      CPU:              90 seconds cpu time over 150 seconds
      Powerstats for:   Tides [7]
      Num samples:      3 (78%)
        2  ??? (Tides + 16) [0x100000010]
          2  ??? (Tides + 32) [0x100000020]
        1  ??? (Tides + 48) [0x100000030]
        1

        Binary Images:
               0x100000000 -                ???  Tides <00112233-4455-6677-8899-AABBCCDDEEFF>  /var/Tides
      Powerstats for:   moond
        1  ??? [0x10]
      """
    let reports = try CrashReport.parse(Array(text.utf8))
    #expect(reports.map(\.header.process) == ["Tides", "moond"])
    #expect(reports.map(\.kind) == [.resource, .sample])
    #expect(reports[0].header.version == "2.5" && reports[0].threads.map(\.sampleCount) == [3])
    #expect(reports[0].threads[0].callTree.map(\.frame.image) == [0, 0, 0])
    #expect(reports[0].notes.map(\.line) == [13])
  }
}

@Suite("leaks")
struct LeaksReportTests {
  @Test("a tree without what stands above it is no backtrace")
  func tree() throws {
    let report = try parse(
      """
            91 (4.58K) ROOT CYCLE: <TDMoon 0x9a3cd14a0> [160]
               6 (752 bytes) _tide --> ROOT CYCLE: <TDTide 0xa27d16940> [320]
                  __strong [capture] --> CYCLE BACK TO <TDMoon 0x9a3cd14a0> [160]
      """)
    #expect(report.format == .leaks && report.threads.isEmpty)
    #expect(report.applicationSpecificInformation.count == 2)
  }

  @Test("gives each stack as a thread")
  func stacks() throws {
    let report = try parse(leaksText)
    #expect(report.format == .leaks && report.kind == .other && report.header.process == "Tide Table")
    #expect(report.threads.map(\.name) == ["ROOT LEAK: <Moon's Phase>"])
    let frames = report.threads[0].frames
    #expect(frames.map(\.number) == [0, 1, 2, 3])
    #expect(frames.map(\.reportedSymbol) == ["malloc", nil, "main", "start"])
    #expect(frames.map(\.reportedLine) == [nil, nil, 15, nil])
    #expect(frames[0].reportedFile == "<compiler-generated>")
    #expect(frames.allSatisfy { $0.kind == .returnAddress })
    #expect(frames.map(\.image) == [nil, 0, 0, nil])
    #expect(report.images.count == 1)
    #expect(report.applicationSpecificInformation.count == 4)
  }
}

@Suite("Kernel panics")
struct PanicReportTests {
  @Test("are read from text")
  func text() throws { try expectPanic(parse(panicText)) }

  @Test("are read from .ips", arguments: ["panicString", "macOSPanicString", "string"])
  func ips(_ field: String) throws {
    let string = panicText.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
      "\n", with: "\\n"
    )
    .replacing("\t", with: "\\t")
    let report = try parse(
      "{\"bug_type\":\"210\",\"os_version\":\"macOS 13.2 (22D68)\"}\n{\"product\":\"Mac14,2\",\"\(field)\":\"\(string)\"}"
    )
    expectPanic(report)
    #expect(report.header.osVersion == "macOS 13.2 (22D68)" && report.header.hardwareModel == "Mac14,2")
    #expect(report.threads[0].frames.allSatisfy { $0.line == nil })
  }

  private func expectPanic(_ report: CrashReport) {
    #expect(report.format == .panic && report.kind == .panic)
    #expect(report.exception?.message == "Moon(0)::rise no answer in 20s")
    #expect(report.header.process == "moond" && report.header.pid == 7)
    #expect(report.crashedThread == 0 && report.threads.map(\.id) == ["96515"])
    #expect(report.images.map(\.name) == ["org.example.Moon", "kernel"])
    #expect(report.images.map(\.version) == ["1.0", nil])
    #expect(report.images.compactMap(\.id).count == 2)
    #expect(report.threads.first?.frames.map(\.image) == [1, 0])
    #expect(report.threads.first?.frames.map(\.kind) == [.returnAddress, .returnAddress])
    #expect(
      report.applicationSpecificInformation.dropFirst(5) == [
        "Panicked task 0xfffffe2508e09660: 0 pages, 524 threads: pid 7: moond",
        "Dependencies of org.example.Moon: com.apple.iokit.IOPCIFamily",
      ])
  }

  @Test(
    "state their message without file, quotation marks and line breaks",
    arguments: [
      ("\"one\\n\"@/a/b.cpp:127", "one"), ("\"one \" \"two\" @b.cpp:1", "one two"),
      ("one two @b.c:45", "one two"),
      ("one @ two", "one @ two"), ("one: (2) @two", "one: (2) @two"), ("\"one\\ntwo", "one"), ("\"", ""),
      ("@:1", ""),
    ])
  func message(_ text: String, _ message: String) throws {
    #expect(try parse("panic(cpu 1 caller 0x10): \(text)\n").exception?.message == message)
  }

  private func document(_ body: String, header: String = "") throws -> CrashReport {
    try parse("{\"bug_type\":\"210\",\(header)\"os_version\":\"Bridge OS 4.1\"}\n{\(body)}")
  }

  @Test("noted by firmware are a message alone")
  func firmware() throws {
    let report = try document(
      #""panicString":"Debugger message: WDT timeout\n94s ago: 3100m0\nOS version: 16B92""#)
    #expect(report.kind == .panic && report.exception?.message == "WDT timeout")
    #expect(report.applicationSpecificInformation == ["Debugger message: WDT timeout", "94s ago: 3100m0"])
    #expect(try document(#""panicString":"""#).exception?.message == nil)
  }

  @Test("of both systems of a Mac with a T2 chip are macOS's if it has one")
  func bridge() throws {
    let chip = #""panicString":"panic(cpu 1 caller 0x10): macOS watchdog detected\n""#
    let both = try document(
      chip + #","macOSPanicString":"panic(cpu 2 caller 0x20): no luck\n""#, header: #""caused_by":"macos","#)
    #expect(both.exception?.message == "no luck")
    #expect(both.applicationSpecificInformation.last == "Caused by: macos")
    let one = try document(chip + #","macOSPanicString":"BAD MAGIC! no macOS panic log available""#)
    #expect(one.exception?.message == "macOS watchdog detected")
  }

  @Test("list the CPUs that didn't respond")
  func silentCPUs() throws {
    let report = try document(
      #""panicString":"Debugger synchronization timed out; waited 1 nanoseconds\npanic(cpu 0 caller 0x10): WDT\n""#
    )
    #expect(report.exception?.message == "WDT")
    #expect(report.applicationSpecificInformation.first?.hasPrefix("Debugger synchronization") == true)
  }

  @Test("of Intel machines name frame and return address")
  func intel() throws {
    let report = try parse(
      """
      Sat Jun 16 14:12:49 2018

      *** Panic Report ***
      panic(cpu 1 caller 0xffffff7f8903c9cf): "GPU Panic"@/BuildRoot/a.cpp:127
      Backtrace (CPU 1), Frame : Return Address
      0xffffff92250a31d0 : 0xffffff800786e166 
      0xffffff92250a3220 : 0xffffff8007996714 mach_kernel : _panic + 0x54

      BSD process name corresponding to current thread: kernel_task

      Mac OS version:
      17E199

      Kernel UUID: 1B55340B-0B14-3026-8A47-1E139DB63DA3
      Kernel text base: 0xffffff8007800000
      System model name: MacBookPro10,1 (Mac-C3EC7CD22292981F)
      """)
    #expect(report.header.date == "Sat Jun 16 14:12:49 2018" && report.header.osVersion == "17E199")
    #expect(report.header.process == "kernel_task" && report.header.hardwareModel == "MacBookPro10,1")
    #expect(report.exception?.message == "GPU Panic")
    #expect(report.threads[0].frames.map(\.image) == [0, 0])
    #expect(report.threads[0].frames.map(\.reportedSymbol) == [nil, "_panic"])
    #expect(report.threads[0].frames.map(\.reportedSymbolOffset) == [nil, 0x54])
  }

  @Test("list extensions without identity, and without a range")
  func extensionsWithoutIdentity() throws {
    let report = try parse(
      """
      panic(cpu 8 caller 0xffffff80004d781d): Kernel trap at 0xffffff7f837537d0, type 0=divide error, registers:
      Backtrace (CPU 8), Frame : Return Address
      0xffffff81e8ba3450 : 0xffffff7f837537d0
            Kernel Extensions in backtrace:
               org.example.Moon(12.0.2)@0xffffff7f83711000->0xffffff7f83912fff
      """)
    #expect(report.images.map(\.name) == ["org.example.Moon"] && report.threads[0].frames[0].image == 0)
    let bare = try parse(
      "panic(cpu 1 caller 0x10): no luck\nPanicked task pid 14: tided, 20 pages, 2 threads\n"
        + "Kernel Extensions in backtrace: org.example.Moon(2.5)\n")
    #expect(bare.images.isEmpty && bare.header.process == "tided" && bare.header.pid == 14)
    #expect(bare.applicationSpecificInformation.last == "Kernel Extension in backtrace: org.example.Moon")
  }

  @Test("name the loaded extensions of other makers")
  func loadedExtensions() throws {
    let report = try parse(
      "panic(cpu 1 caller 0x10): no luck\nloaded kexts:\norg.example.moon\t1.0\ncom.apple.kec.corecrypto\t26.0\n"
        + ">AudioAUUC\t1.70\n\n** Stackshot Succeeded **\n")
    #expect(
      report.applicationSpecificInformation.last == "Loaded extensions of other makers: org.example.moon")
  }

  @Test("are recognised by what an Intel CPU wrote down of its errors")
  func machineCheck() throws {
    let banks =
      "Machine-check capabilities: 0x0000000000001c09\n family: 6 model: 44\n"
      + "Processor 0: IA32_MCG_STATUS: 0x4\n IA32_MC6_STATUS(0x419): 0xbe00000000300152\n"
      + " IA32_MC6_ADDR(0x41a):   0x0000000630d46480\nProcessor 1: IA32_MCG_STATUS: 0x4\n"
      + " IA32_MC6_STATUS(0x419): 0xbe00000000300152\n"
    let report = try parse(banks)
    #expect(report.kind == .panic)
    #expect(
      report.applicationSpecificInformation == [
        "Machine-check capabilities: 0x0000000000001c09", "IA32_MC6_STATUS(0x419): 0xbe00000000300152",
      ])
    let stated = try parse(banks + "panic(cpu 1 caller 0x10): \"Machine Check at 0x20\"@x.c:1\n")
    #expect(stated.exception?.message == "Machine Check at 0x20")
  }

  @Test("of a list, and reports of processes below them, are reports of their own")
  func several() throws {
    let panic = "panic(cpu 1 caller 0x10): no luck\nBacktrace (CPU 1), Frame : Return Address\n0x10 : 0x20\n"
    let crash =
      "Process: Moon [1]\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0 Moon 0x10 rise + 1\n"
    let kinds = { (text: String) in try CrashReport.parse(Array(text.utf8)).map(\.kind) }
    #expect(try kinds(panic + "\n" + panic) == [.panic, .panic])
    #expect(try kinds(panic + "\n" + crash) == [.panic, .crash])
    #expect(try kinds(crash + "\n" + panic) == [.crash, .panic])
    #expect(try kinds(panic + "Nested panic detected:\n" + panic) == [.panic])
  }

  @Test("whose message is wrapped below its beginning state all of it")
  func wrapped() throws {
    let text = "panic(cpu 1): count overflow: 0x10\n               old_value 2050 value 2051\n"
    #expect(try parse(text).exception?.message == "count overflow: 0x10 old_value 2050 value 2051")
    let reason = "panic(cpu 1): initproc exited -- exit reason namespace 6\nsubcode 0x1 description: none\n"
    #expect(
      try parse(reason).exception?.message
        == "initproc exited -- exit reason namespace 6 subcode 0x1 description: none")
  }

  @Test("in a member of JSON whose line breaks are decoded have their registers below")
  func decodedMember() throws {
    let text =
      #"  "panicString" : "panic(cpu 5 caller 0x10): Kernel data abort. at pc 0x20"#
      + "\n\t  x0: 0x1 x1:  0x2\n"
    let reports = try CrashReport.parse(Array(text.utf8))
    #expect(
      reports.map(\.kind) == [.panic] && reports[0].exception?.message == "Kernel data abort. at pc 0x20")
  }

  @Test("with their own slide aren't looked up by identity")
  func ownSlide() throws {
    let report = try parse(
      panicText.replacing("Kernel slide:", with: "Kernel text exec slide: 0x1\nKernel slide:"))
    #expect(report.images.map { $0.id != nil } == [true, false])
    #expect(report.notes.count == 1)
  }
}
