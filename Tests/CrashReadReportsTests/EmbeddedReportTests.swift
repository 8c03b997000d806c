import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadReports

@Suite("Reports in strings of JSON")
struct EmbeddedReportTests {
  private func parse(_ document: Any) throws -> [CrashReport] {
    try CrashReport.parse(Array(JSONSerialization.data(withJSONObject: document)))
  }

  private func sample(_ name: String) throws -> String {
    String(decoding: try Samples.bytes("reports/\(name)"), as: UTF8.self)
  }

  @Test(
    "are read as in their own file, except for positions",
    arguments: ["text/HogeApp.crash", "ips/HogeApp.ips"])
  func embedded(_ name: String) throws {
    let text = try sample(name)
    let alone = try #require(try CrashReport.parse(Array(text.utf8)).first)
    let found = try parse(["data": ["body": ["crash_report": ["raw": text]], "level": "critical"]])
    let report = try #require(found.first)
    #expect(found.count == 1)
    #expect(
      report.format == alone.format && report.header == alone.header && report.exception == alone.exception)
    #expect(report.images.map(\.id) == alone.images.map(\.id))
    #expect(report.threads.map { $0.frames.map(\.address) } == alone.threads.map { $0.frames.map(\.address) })
    #expect(report.documentPosition == nil && report.allFrames.allSatisfy { $0.line == nil })
    #expect(
      report.notes.last?.message == "the report is the text of a JSON string, /data/body/crash_report/raw")
  }

  @Test("An array can hold documents of reporters and such strings")
  func array() throws {
    let hang = [
      "exceptions": [["errorClass": "App Hang", "message": "slow", "stacktrace": [Any]()] as [String: Any]]
    ]
    let found = try parse([hang, ["log": try sample("text/HogeApp.crash")], ["other": 1]] as [Any])
    #expect(found.map(\.format) == [.bugsnagJSON, .appleText])
  }

  @Test("Words about a crash, and strings inside an embedded report, are no reports")
  func words() {
    let words = String(repeating: "Thread 0 Crashed:\n0   App   0x0000000104a10000 main + 12\n", count: 8)
    #expect(throws: ReportError.unrecognised) { _ = try parse(["note": words]) }
    #expect(throws: ReportError.unrecognised) {
      let inner = try JSONSerialization.data(withJSONObject: ["log": try sample("text/HogeApp.crash")])
      _ = try parse(["outer": String(decoding: inner, as: UTF8.self)])
    }
  }
}
