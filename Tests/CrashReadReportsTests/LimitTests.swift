import CrashReadCore
import TestSupport
import Testing

@testable import CrashReadReports

@Suite("Limits of reports")
struct LimitTests {
  private let text: [UInt8] = {
    var lines = ["Process: App [1]", "Exception Type: EXC_CRASH (SIGABRT)", "Crashed Thread: 3", ""]
    for thread in 0..<5 {
      lines.append("Thread \(thread)\(thread == 3 ? " Crashed" : ""):")
      lines += (0..<4).map { "\($0) App 0x0000000100001\($0)00 0x100000000 + \(4096 + $0 * 256)" }
      lines.append("")
    }
    lines += [
      "Binary Images:", "0x100000000 - 0x100001fff App arm64 <00112233445566778899aabbccddeeff> /App",
    ]
    lines.append("0x200000000 - 0x200001fff Kit arm64 <00112233445566778899aabbccddeef0> /Kit")
    return Array(lines.joined(separator: "\n").utf8)
  }()

  private func report(_ name: Limits.Name, _ value: Int) throws -> CrashReport {
    var limits = Limits()
    limits[name] = value
    return try #require(try CrashReport.parse(text, limits: limits).first)
  }

  @Test func defaultsKeepEverything() throws {
    let report = try #require(try CrashReport.parse(text).first)
    #expect(report.threads.count == 5 && report.images.count == 2 && report.threads[0].frames.count == 4)
    #expect(report.notes.isEmpty)
  }

  @Test func crashedThreadIsKept() throws {
    let report = try report(.threads, 2)
    #expect(report.threads.count == 4)
    #expect(report.crashedThread == 3)
    #expect(report.notes.map(\.message).contains { $0.hasPrefix("beyond the limit of threads 1 were") })
  }

  @Test func innermostFramesAreKept() throws {
    let report = try report(.frames, 3)
    #expect(report.threads.allSatisfy { $0.frames.map(\.number) == [0, 1, 2] })
    #expect(report.notes.map(\.message).contains { $0.hasPrefix("beyond the limit of frames 5 were") })
  }

  @Test(arguments: [(3, true), (100, false), (1_000_000, false)])
  func documentDepthIsLimited(_ depth: Int, _ isTruncated: Bool) throws {
    var limits = Limits()
    limits.jsonDepth = depth
    let bytes = try Samples.bytes("reports/ips/HogeApp.ips")
    let report = try #require(try CrashReport.parse(bytes, limits: limits).first)
    #expect(report.header.process == "HogeApp")
    #expect(
      report.notes.contains { $0.message.contains("it nests deeper than \(depth) levels") } == isTruncated)
  }

  @Test func parsingFitsSmallStacks() throws {
    var limits = Limits()
    limits.jsonDepth = .max
    let header = try Samples.bytes("reports/ips/HogeApp.ips").prefix { $0 != UInt8(ascii: "\n") }
    let deep = header + Array(("\n{\"a\":" + String(repeating: "[", count: 100_000)).utf8)
    let report = try #require(try CrashReport.parse(Array(deep), limits: limits).first)
    #expect(report.notes.contains { $0.message.contains("it nests deeper than 1100 levels") })
  }

  @Test func framesReferToNoRemovedImage() throws {
    var report = try report(.images, 1)
    #expect(report.images.map(\.name) == ["App"])
    report.threads[0].frames[0].image = 0
    report.threads[0].frames[1].image = 5
    report.images.append(report.images[0])
    var limits = Limits()
    limits.images = 1
    report.truncate(to: limits)
    #expect(report.threads[0].frames[0].image == 0 && report.threads[0].frames[1].image == nil)
  }

  /// Reports of a few bytes each, in every form that has several in one input.
  private static let manyReports: [(name: String, text: String)] = [
    ("headers", String(repeating: "{\"incident_id\":1}\n", count: 200)),
    ("headers in one line", String(repeating: "{\"incident_id\":1}", count: 200)),
    (
      "MetricKit",
      "{\"crashDiagnostics\":[" + [String](repeating: "{}", count: 200).joined(separator: ",") + "]}"
    ),
    (
      "MetricKit's lists",
      "{" + [String](repeating: "\"crashDiagnostics\":[{}]", count: 200).joined(separator: ",") + "}"
    ),
    (
      "Sentry",
      String(
        repeating: #"{"event_id":"1","platform":"cocoa","exception":{"values":[{"type":"A"}]}}"# + "\n",
        count: 200)
    ),
    (
      "Apple's text",
      String(
        repeating: """
          Incident Identifier: 1
          Process: A [1]
          Exception Type: EXC_CRASH

          Thread 0 Crashed:
          0 A 0x1 f + 1


          """, count: 200)
    ),
    (
      "samples",
      String(
        repeating: """
          Analysis of sampling A (pid 1) every 1 millisecond
          Process: A [1]

          Call graph:
              1 Thread_1
                1 f  (in A) + 1  [0x1]


          """, count: 200)
    ),
    (
      "sanitizers",
      String(repeating: "==1==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x1 in f\n\n", count: 200)
    ),
    ("KSCrash", String(repeating: "{\"crash\":{\"error\":{},\"threads\":[]}}\n", count: 200)),
  ]

  @Test(arguments: manyReports)
  func reportCountIsLimited(_ form: (name: String, text: String)) throws {
    var limits = Limits()
    limits.reports = 20
    let all = try CrashReport.parse(Array(form.text.utf8))
    #expect(all.count >= 100, "\(form.name): \(all.count)")
    let reports = try CrashReport.parse(Array(form.text.utf8), limits: limits)
    #expect(reports.count == 20)
    #expect(reports.last?.notes.last?.message.hasPrefix("the input holds more than 20 reports") == true)
    limits.reports = all.count
    #expect(try CrashReport.parse(Array(form.text.utf8), limits: limits).last?.notes == all.last?.notes)
  }

  @Test(arguments: [0, -1, Int.min, 1]) func oneReportIsAlwaysRead(_ limit: Int) throws {
    var limits = Limits()
    limits.reports = limit
    #expect(try CrashReport.parse(Array(Self.manyReports[0].text.utf8), limits: limits).count == 1)
  }
}
