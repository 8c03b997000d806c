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

  @Test func theDefaultsLeaveAll() throws {
    let report = try #require(try CrashReport.parse(text).first)
    #expect(report.threads.count == 5 && report.images.count == 2 && report.threads[0].frames.count == 4)
    #expect(report.notes.isEmpty)
  }

  @Test func theCrashedThreadStays() throws {
    let report = try report(.threads, 2)
    #expect(report.threads.count == 4)
    #expect(report.crashedThread == 3)
    #expect(report.notes.map(\.message).contains { $0.hasPrefix("beyond the limit of threads 1 were") })
  }

  @Test func theInnermostFramesStay() throws {
    let report = try report(.frames, 3)
    #expect(report.threads.allSatisfy { $0.frames.map(\.number) == [0, 1, 2] })
    #expect(report.notes.map(\.message).contains { $0.hasPrefix("beyond the limit of frames 5 were") })
  }

  @Test(arguments: [(3, true), (100, false), (1_000_000, false)])
  func documentsAreReadSoDeep(_ depth: Int, _ isCut: Bool) throws {
    var limits = Limits()
    limits.jsonDepth = depth
    let bytes = try Samples.bytes("reports/ips/HogeApp.ips")
    let report = try #require(try CrashReport.parse(bytes, limits: limits).first)
    #expect(report.header.process == "HogeApp")
    #expect(report.notes.contains { $0.message.contains("it nests deeper than \(depth) levels") } == isCut)
  }

  @Test func noStackIsTooSmall() throws {
    var limits = Limits()
    limits.jsonDepth = .max
    let header = try Samples.bytes("reports/ips/HogeApp.ips").prefix { $0 != UInt8(ascii: "\n") }
    let deep = header + Array(("\n{\"a\":" + String(repeating: "[", count: 100_000)).utf8)
    let report = try #require(try CrashReport.parse(Array(deep), limits: limits).first)
    #expect(report.notes.contains { $0.message.contains("it nests deeper than 1100 levels") })
  }

  @Test func noFrameNamesAnImageThatIsGone() throws {
    var report = try report(.images, 1)
    #expect(report.images.map(\.name) == ["App"])
    report.threads[0].frames[0].image = 0
    report.threads[0].frames[1].image = 5
    report.images.append(report.images[0])
    var limits = Limits()
    limits.images = 1
    report.cut(to: limits)
    #expect(report.threads[0].frames[0].image == 0 && report.threads[0].frames[1].image == nil)
  }
}
