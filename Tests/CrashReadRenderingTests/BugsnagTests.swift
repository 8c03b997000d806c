import CrashRead
import CrashReadDiagnosis
import CrashReadRendering
import CrashReadReports
import CrashReadVerdict
import TestSupport
import Testing

@Suite("payloads for Bugsnag")
struct BugsnagTests {
  private func payload(_ analysis: ReportAnalysis) throws -> String {
    try analysis.rendered(as: .bugsnag)
  }

  private func analysis(_ report: String, symbols: [String] = []) throws -> ReportAnalysis {
    var reader = try CrashReader(
      symbols: symbols, sources: SourceFinder(roots: [Samples.path("sources")], maps: []))
    reader.showsSourceOfFrames = true
    return try #require(try reader.analyze(contentsOf: Samples.path(report)).first)
  }

  /// The members that the documentation requires, for every sample.
  @Test func haveTheRequiredMembers() throws {
    let reader = try CrashReader(symbols: [Samples.path("symbols")])
    var count = 0
    for report in Samples.reports {
      for analysis in (try? reader.analyze(contentsOf: Samples.path(report))) ?? [] {
        let text = try payload(analysis)
        #expect(text.utf8.last == 10 && text.utf8.count { $0 == 10 } == 1, "\(report)")
        let payload = try #require(JSONValue(document: Array(text.utf8)))
        #expect(payload["payloadVersion"].string == "4.0" && payload["notifier"]["version"].string != nil)
        let event = try #require(payload["events"].elements.first)
        let exception = try #require(event["exceptions"].elements.first)
        #expect(exception["errorClass"].string?.isEmpty == false, "\(report)")
        #expect(exception["message"].string != nil && exception["type"].string == "cocoa", "\(report)")
        #expect(["error", "warning"].contains(event["severity"].string))
        #expect(event["severityReason"]["type"].string != nil)
        #expect(event["groupingHash"].string == analysis.diagnosis.signature, "\(report)")
        for frame in exception["stacktrace"].elements { #expect(frame["method"].string != nil, "\(report)") }
        count += 1
      }
    }
    #expect(count >= 60)
  }

  @Test func containNamesLinesInlinedCallsAndSource() throws {
    let analysis = try analysis("reports/ips/HogeApp.ips", symbols: [Samples.path("symbols")])
    let document = try #require(JSONValue(document: Array(try payload(analysis).utf8)))
    let event = try #require(document["events"].elements.first)
    #expect(event["severityReason"]["attributes"]["signalType"].string == "SIGTRAP")
    #expect(event["unhandled"].isTrue && event["app"]["id"].string == "com.example.HogeApp")
    #expect(event["metaData"]["crashread"]["rule"].string == analysis.diagnosis.explanation.rule)
    let exception = try #require(event["exceptions"].elements.first)
    #expect(exception["errorClass"].string == "EXC_BREAKPOINT")
    let frames = exception["stacktrace"].elements.map(\.self)
    #expect(frames[1]["method"].string == "JSON.integer(_:)" && frames[1]["lineNumber"].integer == 17)
    #expect(frames[1]["code"]["17"].string?.contains("return value(of: name)!") == true)
    #expect(
      frames[1]["inProject"].isTrue && frames[1]["frameAddress"].string == frames[2]["frameAddress"].string)
    #expect(frames[1]["machoUUID"].string == "4C4C44ED-5555-3144-A162-5A07DAE58C2C")
    let owners = event["threads"].elements.filter { $0["errorReportingThread"].isTrue }
    #expect(owners.count == 1)
  }

  /// Bugsnag's format is recognised by its structure: what is written gives the same functions, lines and blame.
  @Test func areReadBack() throws {
    let analysis = try analysis("reports/ips/HogeApp.ips", symbols: [Samples.path("symbols")])
    let back = try CrashReader(symbols: []).analyze(Array(try payload(analysis).utf8))
    try #require(back.count == 1)
    #expect(back[0].diagnosis.symbolicated.report.format == .bugsnagJSON)
    #expect(back[0].diagnosis.blamedName == analysis.diagnosis.blamedName)
    #expect(back[0].diagnosis.blamedLocation?.line == analysis.diagnosis.blamedLocation?.line)
  }

  @Test func respectBugsnagsSizeLimit() throws {
    let frames = (0..<400).map {
      "\($0)  App  0x0000000100001000 App + 4096 (\(String(repeating: "f", count: 80)).swift:1)"
    }
    let threads = (0..<40).map {
      "Thread \($0)\($0 == 3 ? " Crashed" : ""):\n" + frames.joined(separator: "\n")
    }
    let text = """
      Process: App [1]
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)

      \(threads.joined(separator: "\n\n"))

      Binary Images:
      0x100000000 - 0x100ffffff App arm64 <00112233445566778899aabbccddeeff> /App

      """
    let analysis = try #require(try CrashReader(symbols: []).analyze(Array(text.utf8)).first)
    let payload = try payload(analysis)
    #expect(payload.utf8.count < 1_000_000)
    let event = JSONValue(document: Array(payload.utf8))?["events"].elements.first
    #expect(event?["threads"].elements.map { $0["id"].string } == ["3"])
    #expect(event?["exceptions"].elements.first?["stacktrace"].elements.isEmpty == false)
  }
}
