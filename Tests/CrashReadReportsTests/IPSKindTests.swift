import CrashReadCore
import CrashReadReports
import Testing

private func ips(_ type: Int, _ body: String) throws -> [CrashReport] {
  try CrashReport.parse(
    Array("{\"bug_type\":\"\(type)\",\"os_version\":\"iPhone OS 17.2 (21C62)\"}\n\(body)".utf8))
}

@Suite("Jetsam events")
struct JetsamEventTests {
  @Test("name the frontmost process, else the largest that was killed")
  func victim() throws {
    let body = """
      {"largestProcess": "Big", "memoryStatus": {"pageSize": 16384, "memoryPages": {"free": 64}}, "processes": [
        {"name": "Big", "pid": 5, "rpages": 9000, "states": ["daemon"]},
        {"name": "old", "pid": 6, "rpages": 800, "states": ["idle"], "reason": "highwater"},
        {"name": "Tides", "pid": 7, "rpages": 640, "states": ["frontmost", "resume"], "reason": "vm-pageshortage"}]}
      """
    let report = try #require(try ips(298, body).first)
    #expect(report.kind == .jetsam && report.header.process == "Tides" && report.header.pid == 7)
    #expect(report.termination?.namespace == "JETSAM" && report.termination?.indicator == "vm-pageshortage")
    #expect(
      report.applicationSpecificInformation == [
        "Ended: Tides, 640 pages (10 MB), vm-pageshortage, frontmost resume",
        "Processes ended before it or with it: 1", "Largest process: Big, 9000 pages (140 MB), daemon",
        "Free memory: 64 pages (1 MB)",
      ])
    let other = try #require(try ips(98, body.replacing("frontmost", with: "suspended")).first)
    #expect(other.header.process == "old")
  }

  @Test(
    "without a reason name no process but the largest, and say so",
    arguments: ["[]", "[{\"name\": \"Big\"}]", "7"])
  func noVictim(_ processes: String) throws {
    let report = try #require(
      try ips(298, "{\"largestProcess\": \"Big\", \"processes\": \(processes)}").first)
    #expect(report.header.process == nil && report.termination == nil && report.notes.count == 1)
    #expect(report.applicationSpecificInformation.first?.hasPrefix("Largest process: Big") == true)
  }

  @Test("with absurd numbers don't trap")
  func overflow() throws {
    let report = try #require(
      try ips(
        298,
        """
        {"memoryStatus": {"pageSize": 18446744073709551615}, "processes": [
        {"name": "a", "rpages": 18446744073709551615, "reason": "r", "pid": -1}]}
        """
      ).first)
    #expect(report.applicationSpecificInformation == ["Ended: a, 18446744073709551615 pages, r"])
  }
}

@Suite("Stackshots")
struct StackshotTests {
  private static func body(_ facts: String) -> String {
    """
    {\(facts) "binaryImages": [["00112233-4455-6677-8899-aabbccddeeff", 4096, "P"],
      ["00000000-0000-0000-0000-000000000000", 0, "A"], ["ffeeddccbbaa99887766554433221100", 8192, "S"]],
     "processByPid": {
      "5": {"pid": 5, "procname": "Tides", "threadById": {
        "20": {"id": 20, "name": "moon", "userFrames": [[0, 16]]},
        "3": {"id": 3, "dispatch_queue_label": "com.apple.main-thread",
          "kernelFrames": [[1, 18446744073709551600]], "userFrames": [[2, 8], [0, 4], [9, 1], [0], 7]}}},
      "6": {"pid": 6, "procname": "moond", "threadById": {"30": {}}}}}
    """
  }

  @Test(
    "are about the process that is named",
    arguments: [
      ("\"pid\": 5,", ["Tides"]), ("\"pid\": -1, \"procName\": \"moond\",", ["moond"]),
      ("\"frontmostPids\": [6],", ["moond"]), ("\"pid\": 5, \"frontmostPids\": [6],", ["Tides"]),
      ("", ["Tides", "moond"]),
    ])
  func concerned(_ facts: String, _ names: [String]) throws {
    #expect(try ips(288, Self.body(facts)).map(\.header.process) == names)
    let inner = "{\(facts) \"stackshot\": \(Self.body(""))}"
    #expect(try ips(409, inner).map(\.header.process) == names)
  }

  @Test("of several processes list the images of each, and not all images with each")
  func images() throws {
    let reports = try ips(288, Self.body(""))
    #expect(reports.map(\.images.count) == [3, 0])
    #expect(reports[0].threads[0].frames.map(\.image) == [0, 1, 2, nil, nil, nil])
    #expect(reports[0].images.map(\.start.rawValue) == [0, 8192, 4096])
    #expect(reports[0].threads[1].frames.map(\.image) == [2])
  }

  @Test("list threads by their id, the kernel's frames first")
  func threads() throws {
    let report = try #require(try ips(288, Self.body("\"pid\": 5, \"reason\": \"XPC timeout\",")).first)
    #expect(
      report.kind == .hang && report.applicationSpecificInformation == ["Stackshot reason: XPC timeout"])
    #expect(report.threads.map(\.id) == ["3", "20"])
    #expect(report.threads.map(\.name) == [nil, "moon"])
    #expect(report.threads.map(\.queue) == ["com.apple.main-thread", nil])
    let frames = report.threads[0].frames
    #expect(
      frames.map(\.address?.rawValue) == [18_446_744_073_709_551_600, 8200, 4100, nil, nil, nil])
    #expect(frames.map(\.image) == [1, 2, 0, nil, nil, nil])
    #expect(frames.prefix(3).map(\.kind) == [.programCounter, .programCounter, .returnAddress])
    #expect(report.images.map(\.name) == [nil, nil, "dyld shared cache"])
  }

  @Test("about an absent process aren't hangs of the listed ones")
  func absentProcess() throws {
    let reports = try ips(288, Self.body("\"pid\": 99, \"reason\": \"XPC timeout\","))
    #expect(reports.count == 2 && reports.allSatisfy { $0.kind == .other && $0.notes.count == 1 })
  }

  @Test("of all processes are shown in part")
  func limit() throws {
    let many = (0..<70).map { "\"\($0)\": {\"procname\": \"p\($0)\"}" }.joined(separator: ",")
    let reports = try ips(288, "{\"processByPid\": {\(many)}}")
    #expect(reports.count == 64 && reports[0].notes.contains { $0.message.contains("64 of 70") })
  }

  @Test("of old systems are text")
  func text() throws {
    let reports = try ips(
      188,
      """
      Incident Identifier: A
      Hardware Model:      iPhone3,1
      Exception Code:      0xbaaaaaad
      Reason:              asked for
      Frontmost process PID:    3316

      Process 0 kernel_task threads:
      thread 0x1 TH_WAIT|TH_UNINT 0x8037ba3c
      \tkernel: 0x800c158f 0x800c0971
      Process 1 info:
      Process 1 binary images:
       0x2bec4000 <651a31c39f71311f965f8ac44de02c88>
       0x16000 <1a6c52
      Process 1 launchd threads:
      thread 0xa TH_WAIT
      \tkernel: 0x800c158f
      \tuser: 0x2bec4a58 0x2bec4859
      """)
    #expect(reports.map(\.header.process) == ["kernel_task", "launchd"])
    #expect(reports.map(\.kind) == [.other, .other])
    #expect(reports[1].threads.map(\.id) == ["0xa"])
    #expect(reports[1].threads[0].frames.map(\.kind) == [.programCounter, .programCounter, .returnAddress])
    #expect(reports[1].threads[0].frames.map(\.image) == [1, 0, 0])
    #expect(reports[1].images.map(\.name) == [nil, "kernel"])
    #expect(reports[1].notes.count == 1)
    #expect(reports[0].applicationSpecificInformation == ["asked for"])
  }

  @Test("and other text after a header line is kept unchanged")
  func plainText() throws {
    let report = try #require(try ips(183, "log line 1\n\nlog line 2\n").first)
    #expect(report.kind == .other && report.applicationSpecificInformation == ["log line 1", "log line 2"])
  }

  @Test("of a GPU that was reset state its reason and the process")
  func gpuReset() throws {
    let text = """
      {"bug_type":"284","os_version":"macOS 26.3 (25D100)"}
      {"process_name":"tide","analysis":{"restart_reason":4,"restart_reason_desc":"firmware-detected lockup"}}
      """
    let report = try CrashReport(parsing: Array(text.utf8))
    #expect(report.kind == .other && report.header.process == "tide")
    #expect(
      report.applicationSpecificInformation == ["Event: GPU Reset", "Signature: firmware-detected lockup"])
  }
}
