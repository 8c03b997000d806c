import CrashReadReports
import Testing

@Suite("Notes of the system beside a crash") struct SystemRemarkTests {
  private func remarks(_ text: String) throws -> [String] {
    try CrashReport(parsing: Array(text.utf8)).systemRemarks.map { "\($0.heading): \($0.text)" }
  }

  @Test("is read from .ips") func ips() throws {
    let members = [
      #""ktriageinfo": "VM - a\nVM - a\nVM - b\n""#, #""procRole": "Background""#, #""isLocked": 1"#,
      #""wasUnlockedSinceBoot": 1"#, #""asiSignatures": ["turned twice"]"#,
      #""os_fault": {"process": "Tides"}"#,
      #""extMods": {"targeted": {"task_for_pid": 0, "thread_create": 2}, "caller": {"thread_create": 9}}"#,
    ]
    let text =
      #"{"bug_type":"309","os_version":"1","incident_id":"1"}"# + "\n"
      + #"{"usedImages": [], "threads": [{"frames": []}], "# + members.joined(separator: ", ") + "}"
    #expect(
      try remarks(text) == [
        "Kernel Triage: VM - a", "Kernel Triage: VM - b", "External Modification Summary: thread_create: 2",
        "Application Specific Signatures: turned twice", "Role: Background", "Data Protection: locked",
        "os_fault: Tides",
      ])
  }

  @Test(
    "names the app that is responsible, if it isn't the process itself",
    arguments: [
      ("Process: tide [7]\nResponsible: Terminal [3]\n", ["Responsible: Terminal [3]"]),
      ("Process: Tides [7]\nResponsible: Tides [7]\n", []),
    ])
  func responsible(header: String, expected: [String]) throws {
    let frames =
      "Exception Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0   Tides \t0x0000000104001234 f + 8\n"
    #expect(try remarks(header + frames) == expected)
    let name = header.contains("tide [7]") ? "tide" : "Terminal"
    let ips =
      #"{"bug_type":"309","os_version":"1","incident_id":"1"}"# + "\n"
      + #"{"usedImages": [], "threads": [{"frames": []}], "procName": "\#(name)", "responsibleProc": "Terminal", "#
      + #""responsiblePid": 3}"#
    #expect(try remarks(ips) == expected)
  }

  @Test("is read from text") func text() throws {
    let text = """
      Process:               Tides [7]
      Role:                  Foreground
      Exception Type:        EXC_CRASH (SIGABRT)

      Kernel Triage:
      VM - pmap_enter retried due to resource shortage

      Application Specific Signatures:
      turned twice

      Thread 0 Crashed:
      0   Tides                         \t0x0000000104001234 f + 8

      External Modification Summary:
        Calls made by other processes targeting this process:
          task_for_pid: 0
          thread_create: 0
          thread_set_state: 3
        Calls made by this process:
          thread_set_state: 9

      Binary Images (dpkg):
      0x104000000 - 0x104003fff Tides arm64  <11ce3f5762643e8d8a8986894d83b974> /Applications/Tides.app/Tides
      """
    #expect(
      try remarks(text) == [
        "Role: Foreground", "Kernel Triage: VM - pmap_enter retried due to resource shortage",
        "Application Specific Signatures: turned twice", "External Modification Summary: thread_set_state: 3",
      ])
    #expect(try CrashReport(parsing: Array(text.utf8)).images.map(\.name) == ["Tides"])
  }

  @Test("marks an .ips that is no crash as text does")
  func notes() throws {
    func note(_ member: String) throws -> String? {
      let body = #"{"usedImages": [], "threads": [{}], "exception": {"type": "EXC_CRASH"}, \#(member)}"#
      let text = #"{"bug_type":"309","os_version":"1","incident_id":"1"}"# + "\n" + body
      return try CrashReport(parsing: Array(text.utf8)).exception?.note
    }
    #expect(try note(#""isSimulated": 1"#) == "SIMULATED (this is NOT a crash)")
    #expect(try note(#""simulatedCaller": "Tides""#) == "SIMULATED (this is NOT a crash) requested by Tides")
    #expect(try note(#""isNonFatal": 1"#) == "NON-FATAL CONDITION (this is NOT a crash)")
    #expect(try note(#""isCorpse": 1"#) == "EXC_CORPSE_NOTIFY")
  }

  @Test("Incomplete excerpts are read as far as possible")
  func excerpt() throws {
    let text = """
      {"bug_type":"298","os_version":"1","incident_id":"1"}
      {"largestProcess": "Tides", "memoryStatus": {"pageSize": 16384}, "processes": [
      {
      ...
      {"name": "Ebb", "pid": 7, "rpages": 5, "reason": "vm-thrashing"},
      ...
      }
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.header.process == "Ebb")
    #expect(report.termination?.indicator == "vm-thrashing")
  }

  @Test("A header that names the crashed thread's queue is used even without a backtrace")
  func trigger() throws {
    let text = """
      Process:             Tides [7]
      Triggered by Thread: 1, Dispatch Queue: com.facebook.react.ExceptionsManagerQueue
      Exception Type:      EXC_CRASH (SIGABRT)
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.threads.map(\.queue) == ["com.facebook.react.ExceptionsManagerQueue"])
    #expect(report.crashedThread == 0)
  }

  @Test("The last message before a printed stack belongs to it")
  func lastWords() throws {
    let log = """
      [15121:3079:0603/143054:FATAL:tide.cc(48)] Check failed: tide >= 0 (-1 vs. 0)
      0   Tides   0x0000000104001234 f + 8
      1   Tides   0x0000000104001334 g + 8
      """
    #expect(
      try CrashReport(parsing: Array(log.utf8)).applicationSpecificInformation == [
        "[15121:3079:0603/143054:FATAL:tide.cc(48)] Check failed: tide >= 0 (-1 vs. 0)"
      ])
    let sanitizer = """
      libc++abi: terminating due to uncaught exception of type std::length_error: vector
      ==7==ERROR: AddressSanitizer: ABRT on unknown address 0x1 (pc 0x1 bp 0x2 sp 0x3 T0)
          #0 0x104001233 in f /a.c:3:4 (Tides:arm64+0x100001233)
      """
    #expect(
      try CrashReport(parsing: Array(sanitizer.utf8)).applicationSpecificInformation == [
        "libc++abi: terminating due to uncaught exception of type std::length_error: vector"
      ])
  }
}
