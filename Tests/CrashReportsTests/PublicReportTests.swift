import CrashReports
import Foundation
import TestSupport
import Testing

/// Rows of an independent count: file, exception, signal, threads, crashed, its frames, all frames, images.
private let facts: [[String]] = {
  guard let bytes = try? PublicReports.bytes("facts.tsv") else { return [] }
  let rows = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst()
  return rows.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
}()

@Suite("Public reports", .enabled(if: PublicReports.areAvailable))
struct PublicReportTests {
  @Test("agree with an independent count", arguments: CrashReportsTests.facts)
  func facts(_ row: [String]) throws {
    try #require(row.count == 8)
    let report = try CrashReport(parsing: try PublicReports.bytes(row[0]))
    let crashed = report.crashedThread.map { report.threads[$0] }
    let found = [
      report.exception?.type, report.exception?.signal, String(report.threads.count),
      crashed.map { String($0.index) }, crashed.map { String($0.frames.count) },
      String(report.threads.reduce(0) { $0 + $1.frames.count }), String(report.images.count),
    ]
    for (expected, found) in zip(row.dropFirst(), found) where expected != "-" { #expect(found == expected) }
  }

  @Test(
    "say the same as text and as .ips",
    arguments: [
      "crashprobe/Call abort()", "crashprobe/Dereference a NULL pointer", "crashprobe/Swift",
      "crashprobe/Throw Objective-C exception",
    ])
  func pairs(_ name: String) throws {
    try expectSame(text: name + ".crash", json: name + ".ips")
  }

  @Test("say the same when a tool wrote the text")
  func convertedPair() throws {
    let name = "Symbolicator__MemoryLeakingApp-2022-08-05-132419"
    try expectSame(text: "text/\(name).crash", json: "ips/\(name).ips")
  }

  @Test("say the same in the translation and in the full report")
  func translatedPair() throws {
    let text = String(
      decoding: try PublicReports.bytes("text/mediaFeedChallenge__MediaFeedChallenge-translated.crash"),
      as: UTF8.self)
    let cut = try #require(text.range(of: "Full Report\n---"))
    let translation = try parse(String(text[..<cut.lowerBound]))
    #expect(translation.format == .appleText)
    expectSame(translation, try CrashReport(parsing: Array(text.utf8)))
  }

  private func expectSame(text: String, json: String) throws {
    let text = try CrashReport(parsing: try PublicReports.bytes(text))
    let json = try CrashReport(parsing: try PublicReports.bytes(json))
    expectSame(text, json)
  }

  /// Image names can differ: text uses bundle identifiers.
  ///
  /// Identities and addresses can't.
  private func expectSame(_ text: CrashReport, _ json: CrashReport) {
    #expect(text.format == .appleText)
    #expect(json.format == .ips)
    #expect(text.header.process == json.header.process)
    #expect(text.header.incident == json.header.incident || text.header.incident == nil)
    #expect(text.header.version == json.header.version)
    #expect(text.exception?.type == json.exception?.type)
    #expect(text.exception?.signal == json.exception?.signal)
    #expect(text.exception?.codes == json.exception?.codes)
    #expect(text.crashedThread == json.crashedThread)
    #expect(Set(text.images.compactMap(\.id)) == Set(json.images.compactMap(\.id)))
    #expect(text.threads.map(\.queue) == json.threads.map(\.queue))
    #expect(text.threads.count == json.threads.count)
    for (left, right) in zip(text.threads, json.threads) { expectSame(left.frames, right.frames, text, json) }
    expectSame(text.lastExceptionBacktrace, json.lastExceptionBacktrace, text, json)
  }

  private func expectSame(_ left: [Frame], _ right: [Frame], _ text: CrashReport, _ json: CrashReport) {
    #expect(left.map(\.address) == right.map(\.address))
    #expect(left.map(\.reportedSymbol) == right.map(\.reportedSymbol))
    #expect(left.map(\.reportedSymbolOffset) == right.map(\.reportedSymbolOffset))
    #expect(left.map(\.reportedLine) == right.map(\.reportedLine))
    #expect(
      left.map { $0.image.map { text.images[$0].id } } == right.map { $0.image.map { json.images[$0].id } })
  }
}
