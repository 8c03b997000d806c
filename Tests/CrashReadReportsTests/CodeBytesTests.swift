import CrashReadCore
import CrashReadReports
import Testing

@Suite("Code that a report quotes")
struct CodeBytesTests {
  private func ips(_ threadMembers: String, _ members: String) throws -> CrashReport {
    try CrashReport(
      parsing: Array(
        """
        {"bug_type":"309","os_version":"iPhone OS 26.1 (23B1)","app_name":"Tides"}
        {"cpuType":"ARM-64","usedImages":[],"faultingThread":1,\(members)
        "threads":[{"id":1,"frames":[]},{"id":2,"triggered":true,\(threadMembers)"frames":[]}]}

        """.utf8))
  }

  @Test("is read from Base64 in .ips")
  func base64() throws {
    let report = try ips("", #""instructionByteStream":{"beforePC":"iAJA+Q==","atPC":"CHl5+B8gA9U="},"#)
    let code = try #require(report.threads[1].code)
    #expect(code.countBefore == 4)
    #expect(code.bytes == [0x88, 0x02, 0x40, 0xf9, 0x08, 0x79, 0x79, 0xf8, 0x1f, 0x20, 0x03, 0xd5])
    #expect(report.threads[0].code == nil)
    #expect(try ips("", #""instructionByteStream":{"atPC":"*"},"#).threads[1].code == nil)
    #expect(try ips("", #""instructionByteStream":{"beforePC":"iAJA+Q=="},"#).threads[1].code == nil)
  }

  @Test("is read from numbers of Intel threads")
  func numbers() throws {
    let thread = #""instructionState":{"instructionStream":{"bytes":[144,15,11,0],"offset":1}},"#
    #expect(try ips(thread, "").threads[1].code == CodeBytes(before: [144], at: [15, 11, 0]))
    let wrong = #""instructionState":{"instructionStream":{"bytes":[144,400],"offset":1}},"#
    #expect(try ips(wrong, "").threads[1].code == nil)
    let beyond = #""instructionState":{"instructionStream":{"bytes":[144],"offset":1}},"#
    #expect(try ips(beyond, "").threads[1].code == nil)
  }

  @Test("is read from rows of text, with brackets at the program counter")
  func rows() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        Process: Tides [1]
        OS Version: macOS 12.0 (21A1)
        Exception Type: EXC_BAD_INSTRUCTION (SIGILL)

        Thread 0 Crashed:
        0   Tides  0x0000000100000f00 0x100000000 + 3840

        Thread 0 instruction stream:
          64 7e 00 00 e8 cd 94 00-00 e9 f1 f8 ff ff 0f 0b  d~..............
         [0f]0b 4c 89 e7 e8 3e 94-00 00 4c 89 ef e8 36 94  ..L...>...L...6.	<==
          00 00 0f 0b                                      ....

        Binary Images:
        """.utf8))
    let code = try #require(report.threads[0].code)
    #expect(code.countBefore == 16)
    #expect(code.bytes.count == 36)
    #expect(code.bytes[14...18] == [0x0f, 0x0b, 0x0f, 0x0b, 0x4c])
  }

  @Test("is truncated when it is too long")
  func tooLong() {
    let code = CodeBytes(before: Array(repeating: 1, count: 5000), at: Array(repeating: 2, count: 5000))
    #expect(code?.countBefore == 1024)
    #expect(code?.bytes.count == 2048)
    #expect(CodeBytes(before: [1], at: []) == nil)
  }
}

@Suite("Memory to which a fault is attributed")
struct AllocationRecordTests {
  private func record(_ members: String) throws -> AllocationRecord? {
    try CrashReport(
      parsing: Array(
        """
        {"bug_type":"309","os_version":"iPhone OS 26.1 (23B1)","app_name":"Tides"}
        {"cpuType":"ARM-64","threads":[{"id":1,"triggered":true,"frames":[]}],"faultingThread":0,
        "usedImages":[{"base":4294967296,"size":65536,"name":"Tides","uuid":"11CE3F57-6264-3E8D-8A89-86894D83B974"}],
        \(members)}

        """.utf8)
    ).allocation
  }

  @Test("is read from memory tagging, whatever the member's name")
  func tagged() throws {
    let frame = #"{"imageIndex":0,"imageOffset":256}"#
    let found = try #require(
      try record(
        """
        "x":{"y":{"errorType":"use-after-free","faultAddress":504403158265495568,"blamedAllocation":{"address":4294983680,
        "size":32,"isFreed":true,"allocationTrace":[\(frame)],"deallocationTrace":{"frames":[\(frame),4294967808]}}}}
        """))
    #expect(found.errorType == "use-after-free")
    #expect(found.address == 0x1_0000_4000 && found.size == 32 && found.isFreed == true)
    #expect(found.allocated.map(\.address) == [RuntimeAddress(0x1_0000_0100)])
    #expect(found.allocated.first?.kind == .returnAddress && found.allocated.first?.image == 0)
    #expect(
      found.deallocated.map(\.address) == [RuntimeAddress(0x1_0000_0100), RuntimeAddress(0x1_0000_0200)])
    #expect(found.deallocated.last?.image == 0)
  }

  @Test("is read from guarded malloc")
  func guarded() throws {
    let found = try #require(
      try record(
        """
        "pgm":{"errorType":"OOB read","confidence":"high","faultAddress":"0x100004010","nearestAllocation":4294983680,
        "allocationSize":16,"allocationState":"Freed","allocationTrace":[4294967552],"deallocationTrace":[]}
        """))
    #expect(found.address == 0x1_0000_4000 && found.size == 16 && found.isFreed == true)
    #expect(found.confidence == "high" && found.allocated.count == 1 && found.deallocated.isEmpty)
  }

  @Test("is nil without such a record")
  func absent() throws {
    #expect(try record(#""x":{"nearestAllocation":1}"#) == nil)
    #expect(try record(#""blamedAllocation":4"#) == nil)
  }
}
