import CrashRead
import CrashReadCore
import Foundation
import TestSupport
import Testing

/// How the reports of a container are related.
@Suite("Reports of a container", .mustEnd)
struct ContainedReportTests {
  private func text(_ string: String) -> String { "[S6:StringK2:_vV\(string.utf8.count):\(string)]" }

  /// A bundle in which Xcode recorded a crash for each of some tests, and in which some reports were collected.
  private func bundle(
    recorded: [(test: String, process: String, pid: Int)], reports: [(process: String, pid: Int)]
  ) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("a.xcresult/Data")
    func write(_ contents: [UInt8], _ name: String) throws {
      try folder.write(contents, to: "a.xcresult/Data/\(name)")
    }
    let tests = recorded.map { record in
      let message = text("Crash: \(record.process) (\(record.pid)) f(). lib: Fatal error")
      return "[S17:ActionTestSummaryK10:identifier\(text(record.test))"
        + "K16:failureSummaries[S5:Array[S24:ActionTestFailureSummaryK7:message\(message)]]]"
    }
    let folders = "[S12:ActionRecordK14:diagnosticsRef[S9:ReferenceK2:id\(text("list"))]]"
    try folder.write(
      "<plist><key>rootId</key><string>root</string>fileBacked2</plist>", to: "a.xcresult/Info.plist")
    try write(Array("[S5:Array\(tests.joined())\(folders)]".utf8), "data.root")
    let names = reports.indices.map { #"{"name":"\#($0).crash","type":1}"# }
    try write(Array("[\(names.joined(separator: ","))]".utf8), "data.list")
    let size = reports.count
    var references: [UInt8] = [0x82, UInt8(size >> 8), UInt8(size & 255)]
    for (index, report) in reports.enumerated() {
      let hash = [UInt8(index >> 8), UInt8(index & 255), 0]
      references += [4, 0] + hash
      let name = Data(hash).base64EncodedString()
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "+", with: "-")
      let contents = "Process: \(report.process) [\(report.pid)]\nException Type: EXC_CRASH (SIGABRT)\n"
      try write(Array(contents.utf8), "data.0~\(name)")
    }
    try write(references, "refs.list")
    return folder
  }

  private func places(_ folder: TemporaryDirectory) throws -> [(process: String?, test: String?)] {
    let container = try ReportContainer(path: folder.path("a.xcresult"), limits: Limits())
    #expect(container.problems.isEmpty)
    return container.found.map { ($0.reports.first?.header.process, $0.location.test) }
  }

  @Test("a report of a recorded process is assigned to its test and replaces the record")
  func tests() throws {
    let found = try places(
      bundle(
        recorded: [("T/a()", "App", 1), ("T/b()", "App", 2), ("T/c()", "Other", 3)],
        reports: [("App", 2), ("App", 3), ("Helper", 1)]))
    // By process and number: the third record has no report, and two reports have no record.
    #expect(found.filter { $0.test == "T/b()" }.map(\.process) == ["App"])
    #expect(found.filter { $0.test == nil }.map(\.process) == ["App", "Helper"])
    #expect(found.compactMap(\.test).sorted() == ["T/a()", "T/b()", "T/c()"])
    #expect(found.count == 5)
  }

  @Test("thousands of records and reports are matched")
  func manyTests() throws {
    let count = 4000
    let found = try places(
      bundle(
        recorded: (0..<count).map { ("T/t\($0)()", "App", $0) }, reports: (0..<count).map { ("App", $0) }))
    #expect(found.count == count)
    #expect(Set(found.compactMap(\.test)).count == count)
  }

  /// A sysdiagnose's reports with so many seconds each.
  private func sysdiagnose(_ seconds: [Int], clock: (Int) -> String) throws -> ReportContainer {
    let folder = try TemporaryDirectory()
    let place = "s/sysdiagnose_2025.01.01_09-05-00+0900_iPhone-OS_iPhone_22B83/crashes_and_spins"
    try folder.makeDirectory(place)
    for (index, second) in seconds.enumerated() {
      try folder.write(
        "Process: A\(index) [1]\nDate/Time: \(clock(second))\nException Type: EXC_CRASH\n",
        to: "\(place)/\(index).crash")
    }
    return try ReportContainer(path: folder.path("s"), limits: Limits())
  }

  private func clock(_ second: Int) -> String {
    String(format: "2025-01-01 09:%02d:%02d.0000 +0900", second / 60, second % 60)
  }

  @Test("reports of one device within 30 seconds are neighbours, the nearest first")
  func neighbours() throws {
    let found = try sysdiagnose([100, 104, 131, 400], clock: clock).found
    #expect(found.map { $0.location.neighbours.map(\.seconds) } == [[4], [-4, 27], [-27], []])
    #expect(found[1].location.neighbours.first?.path.hasSuffix("crashes_and_spins/0.crash") == true)
    // Clocks of other zones are the same time.
    let zones = try sysdiagnose([0, 1]) {
      $0 == 0 ? "2025-01-01 09:00:00 +0900" : "2025-01-01 00:00:03 +0000"
    }
    #expect(zones.found.map { $0.location.neighbours.map(\.seconds) } == [[3], [-3]])
  }

  @Test func neighbourCountIsLimited() throws {
    let found = try sysdiagnose([Int](repeating: 7, count: 3000), clock: clock).found
    #expect(found.count == 3000)
    #expect(found.allSatisfy { $0.location.neighbours.count == 8 })
  }

  @Test("reports of different devices aren't neighbours")
  func otherDevices() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("many")
    for index in 0..<3 {
      try folder.write(
        "Process: A\(index) [1]\nDate/Time: \(clock(1))\nException Type: EXC_CRASH\n",
        to: "many/\(index).crash")
    }
    let found = try ReportContainer(path: folder.path("many"), limits: Limits()).found
    #expect(found.count == 3 && found.allSatisfy { $0.location.neighbours.isEmpty })
  }

  @Test("reading stops at the requested number of reports")
  func few() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("many")
    for index in 0..<50 {
      try folder.write("Process: A\(index) [1]\nException Type: EXC_CRASH\n", to: "many/\(index).crash")
    }
    let some = try ReportContainer(path: folder.path("many"), limits: Limits(), maximum: 10)
    #expect(some.holdsMany && some.found.count == 11)
    #expect(try ReportContainer(path: folder.path("many"), limits: Limits(), maximum: 50).holdsMany == false)
    var limits = Limits()
    limits.reports = 20
    let cut = try ReportContainer(path: folder.path("many"), limits: limits)
    #expect(cut.found.count == 20 && cut.problems.contains { $0.contains("more than 20 files") })
  }
}
