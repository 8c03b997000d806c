import CrashReadCore
import CrashReadReports
import Testing

@Suite(".ips reports")
struct IPSReportTests {
  @Test("agree with the text of the same crash")
  func sameAsText() throws {
    let json = try parse(ipsReport)
    #expect(json.format == .ips)
    #expect(json.notes.isEmpty)
    // What only the JSON has: thread ids, and the rows of the region table only the text.
    var expected = comparable(try parse(iOSReport))
    expected.vmRegionInfo = json.vmRegionInfo
    let found = comparable(json)
    #expect(found.header == expected.header)
    #expect(found.exception == expected.exception)
    #expect(found.termination == expected.termination)
    #expect(found.threads == expected.threads)
    #expect(found.images == expected.images)
    #expect(found == expected)
  }

  @Test("state offsets and ids that the text leaves out")
  func onlyInJSON() throws {
    let report = try parse(ipsReport)
    #expect(report.threads.map(\.id) == ["7001", "7002"])
    #expect(report.threads[0].frames[0].imageOffset == ImageOffset(256))
    #expect(report.threads[1].frames[2].imageOffset == nil)
    #expect(report.threads[1].frames[2].address == RuntimeAddress(16))
    #expect(report.threads[1].frames[2].image == nil)
    #expect(report.threads[1].frames.map(\.number) == [0, 1, 2])
    #expect(report.images.last?.id == nil)
    #expect(report.images.last?.end == nil)
  }

  @Test(
    "state their kind",
    arguments: [
      ("309", ReportKind.crash), ("109", .crash), ("298", .jetsam), ("210", .panic), ("288", .other),
      ("385", .other), ("145", .resource), ("228", .hang), ("999", .other),
    ])
  func kinds(_ type: String, _ kind: ReportKind) throws {
    let header = "{\"bug_type\":\"\(type)\",\"os_version\":\"iPhone OS 17.2 (21C62)\",\"app_name\":\"Tides\"}"
    let report = try parse(header + "\n{\"product\":\"iPhone14,5\",\"pid\":-1}\n")
    #expect(report.format == .ips)
    #expect(report.kind == kind)
    #expect(report.header.process == "Tides")
    #expect(report.header.hardwareModel == "iPhone14,5")
    #expect(report.header.osVersion == "iPhone OS 17.2 (21C62)")
  }

  @Test("with a text body take from both")
  func textBody() throws {
    let header =
      "{\"bug_type\":\"109\",\"app_version\":\"2.5\",\"build_version\":\"118\",\"bundleID\":\"org.example.x\",\"os_version\":\"o\"}"
    let body = iOSReport.replacing("Version:             2.5 (118)", with: "Version:             118 (2.5)")
    let report = try parse(header + "\n" + body)
    #expect(report.format == .ipsText)
    #expect(report.kind == .crash)
    #expect(report.header.version == "2.5")
    #expect(report.header.build == "118")
    #expect(report.header.bundleID == "org.example.tides")
    #expect(report.threads.count == 2)
    #expect(report.images.first?.line == (try parse(iOSReport).images.first?.line ?? 0) + 1)
  }

  @Test("give way to the translated report only if they are damaged")
  func translated() throws {
    let text =
      "Translated Report (Full Report Below)\n-----\n\(iOSReport)\n-----------\nFull Report\n-----------\n\n"
    let whole = try CrashReport.parse(Array((text + ipsReport + "\nModel: Mac16,1, BootROM 1\n").utf8))
    #expect(whole.map(\.format) == [.ips])
    let cut = try CrashReport.parse(Array((text + ipsReport.dropLast(2500)).utf8))
    #expect(cut.map(\.format) == [.appleText])
    #expect(cut.first?.threads.count == 2)
    #expect(cut.first?.notes.isEmpty == false)
    let onlyJSON = try CrashReport.parse(Array(("Full Report\n-----\n" + ipsReport).utf8))
    #expect(onlyJSON.map(\.format) == [.ips])
  }

  @Test("can follow one another in a file")
  func several() throws {
    let reports = try CrashReport.parse(
      Array((ipsReport + "\n" + ipsReport + "\nModel: x\n" + ipsReport).utf8))
    #expect(reports.map(\.threads.count) == [2, 2, 2])
  }

  @Test("that are truncated keep what precedes, and state the line")
  func cutOff() throws {
    let end = try #require(ipsReport.firstRange(of: "\"termination\""))
    let report = try parse(String(ipsReport[..<end.lowerBound]) + "\"term")
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.header.process == "Tide Table")
    #expect(report.notes.map(\.line) == [11])
  }

  @Test("without a body give the header line's values")
  func headerOnly() throws {
    let report = try parse("{\"bug_type\":\"309\",\"os_version\":\"o\",\"name\":\"Tides\"}")
    #expect(report.header.process == "Tides")
    #expect(report.kind == .crash)
    #expect(report.notes.map(\.line) == [1])
  }

  @Test("have no text around them if their members are on lines of their own")
  func formatted() throws {
    let header = "{\"bug_type\": \"309\", \"os_version\": \"iPhone OS 26.0 (23A000)\"}\n"
    let document = header + "{\n\"modelCode\": \"iPhone17,1\",\n\"deploymentId\": 240000067\n}\n"
    #expect(try parse(document).systemRemarks.isEmpty)
    let remark = "It stopped after the sync."
    #expect(try parse(document + remark + "\n").systemRemarks.last?.text == remark)
  }

  @Test("keep exceptions, backtraces in text form, and texts of several lines")
  func freeForm() throws {
    let members = """
      {"exceptionReason": {"name": "NSRangeException", "composed_message": "index 3"},
      "asi": {"a": ["one\\ntwo", "three"], "b": "four"}, "asiBacktraces": ["0 A 0x1000 f + 4\\n1 ??? 0x20"],
      "usedImages": [{"base": 4096, "size": 16, "name": "A"}], "threads": [{}],
      """
    let header = "{\"bug_type\":\"309\",\"os_version\":\"o\"}\n"
    let report = try parse(header + members + "\"exception\": {\"codes\": \"0x1, 0x2\"}, \"isCorpse\": 1}")
    #expect(report.uncaughtException == UncaughtException(name: "NSRangeException", reason: "index 3"))
    #expect(report.applicationSpecificInformation == ["one", "two", "three", "four"])
    #expect(report.applicationSpecificBacktraces.map(\.count) == [2])
    #expect(report.applicationSpecificBacktraces.first?.first?.reportedSymbol == "f")
    #expect(report.exception?.codes == [1, 2])
    #expect(report.exception?.note == "EXC_CORPSE_NOTIFY")
    #expect(report.threads.first?.frames == [])
  }

  @Test("lose only numbers that are out of range")
  func outOfRange() throws {
    let body = """
      {"bug_type":"309","os_version":"o"}
      {"usedImages": [{"base": 18446744073709551615, "size": 18446744073709551615, "name": "A"}],
      "faultingThread": 7, "pid": 99999999999999999999,
      "threads": [{"frames": [{"imageIndex": 0, "imageOffset": 2}, {"imageIndex": 9, "imageOffset": 2},
      {"imageIndex": -1, "imageOffset": -5}, {}]}]}
      """
    let report = try parse(body)
    #expect(report.threads.first?.frames.map(\.address) == [nil, nil, nil, nil])
    #expect(report.images.first?.end == nil)
    #expect(report.crashedThread == nil)
    #expect(report.header.pid == nil)
  }
}

/// A report without what text and .ips spell differently or only one of them has.
func comparable(_ report: CrashReport) -> CrashReport {
  var report = report
  report.format = .appleText
  report.documentPosition = nil
  report.images = report.images.filter { $0.start.rawValue != 0 }
  for index in report.images.indices { report.images[index].line = nil }
  for index in report.threads.indices {
    report.threads[index].id = nil
    report.threads[index].state?.flavor = nil
    report.threads[index].state?.registers.sort { $0.name < $1.name }
    report.threads[index].frames = report.threads[index].frames.map(comparable)
  }
  report.lastExceptionBacktrace = report.lastExceptionBacktrace.map(comparable)
  return report
}

private func comparable(_ frame: Frame) -> Frame {
  var frame = frame
  frame.line = nil
  // Text states the offset only where it has no symbol.
  frame.imageOffset = nil
  return frame
}
