import CrashReadCore
import CrashReadReports
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
  @Test("agree with an independent count", arguments: CrashReadReportsTests.facts)
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

  @Test("agree when a tool wrote the text")
  func convertedPair() throws {
    let name = "Symbolicator__MemoryLeakingApp-2022-08-05-132419"
    try expectSame(text: "text/\(name).crash", json: "ips/\(name).ips")
  }

  @Test("agree in the translation and in the full report")
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

/// Counts made anew here: lines of a shape, or what Foundation's reader finds.
@Suite("Public logs", .enabled(if: PublicReports.areAvailable))
struct PublicLogTests {
  private static func files(in folder: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: PublicReports.directory.appendingPathComponent(folder).path)
    return (names ?? []).sorted().map { folder + "/" + $0 }
  }

  /// Those with a line that begins so.
  private static func files(in folder: String, with mark: String) -> [String] {
    files(in: folder).filter { path in
      guard let bytes = try? PublicReports.bytes(path) else { return false }
      return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        .contains { $0.hasPrefix(mark) || $0.drop { " *".contains($0) }.hasPrefix(mark) }
    }
  }

  /// A Swift crash log as Foundation reads it; nil when it is none.
  private static func document(_ path: String) -> [String: Any]? {
    let bytes = (try? PublicReports.bytes(path)) ?? []
    let document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    return document?["kind"] as? String == "crashReport" && document?["threads"] != nil ? document : nil
  }

  private static let sanitizerStacks =
    files(in: "sanitizer", with: "#0") + ["swift/excerpt__swift-linux-frontend-llvm-stack.txt"]
  private static let swiftTexts = files(in: "swift", with: "*** Program crashed")
  private static let swiftDocuments = files(in: "swift").filter { document($0) != nil }
  private static let exceptionLogs = files(in: "swift", with: "*** First throw call stack")

  @Test("exist for each of the tests below", .enabled(if: PublicReports.areAvailable))
  func thereAreSome() {
    for files in [Self.sanitizerStacks, Self.swiftTexts, Self.swiftDocuments, Self.exceptionLogs] {
      #expect(!files.isEmpty)
    }
  }

  private func lines(_ path: String) throws -> [Substring] {
    String(decoding: try PublicReports.bytes(path), as: UTF8.self).split(omittingEmptySubsequences: false) {
      $0.isNewline
    }
  }

  private func report(_ path: String) throws -> CrashReport {
    try CrashReport(parsing: try PublicReports.bytes(path))
  }

  @Test(
    "of sanitizers have a thread for each #0, and all frames",
    arguments: sanitizerStacks)
  func sanitizer(_ path: String) throws {
    var stacks: [Int] = []
    for line in try lines(path) {
      let words = line.split(separator: " ").drop { $0 == "*" }
      guard let first = words.first, first.hasPrefix("#"), Int(first.dropFirst()) != nil else { continue }
      if first == "#0" || stacks.isEmpty { stacks.append(0) }
      stacks[stacks.count - 1] += 1
    }
    try #require(!stacks.isEmpty)
    let report = try report(path)
    #expect(report.format == .sanitizer)
    // A stack whose beginning wasn't copied has the frame of the summary in its place.
    let lines = try lines(path)
    let first = lines.first { $0.trimmingPrefix(while: \.isWhitespace).hasPrefix("#") }
    let isCut = first?.contains("#0 ") == false
    if isCut, lines.contains(where: { $0.contains("SUMMARY: ") && $0.contains(" in ") }) { stacks[0] += 1 }
    #expect(report.threads.map(\.frames.count) == stacks)
    #expect(report.crashedThread == 0)
  }

  @Test("of the Swift runtime have all frames, images and registers", arguments: swiftTexts)
  func swiftText(_ path: String) throws {
    let lines = try lines(path)
    let report = try report(path)
    #expect(report.format == .swiftText)
    let words = lines.map { $0.split(separator: " ") }
    let frames = words.filter { words in
      Int(words.first ?? "") != nil && words.count > 1
        && (words[1].hasPrefix("0x") || words[1] == "[ra]" || words[1] == "...")
    }
    let dots = lines.filter { $0 == "..." }
    #expect(report.threads.reduce(0) { $0 + $1.frames.count } == frames.count + dots.count)
    #expect(report.images.count == lines.filter { $0.hasPrefix("0x") && $0.contains("–0x") }.count)
    #expect(report.threads.count == lines.filter { $0.hasPrefix("Thread ") && $0.hasSuffix(":") }.count)
    let counters = report.threads.compactMap { $0.state?.programCounter }
    #expect(counters.count == words.filter { ["pc", "rip"].contains($0.first) }.count)
  }

  @Test("of the Swift runtime as JSON say what Foundation reads", arguments: swiftDocuments)
  func swiftJSON(_ path: String) throws {
    let bytes = try PublicReports.bytes(path)
    let document = try #require(Self.document(path))
    let threads = try #require(document["threads"] as? [[String: Any]])
    let report = try CrashReport(parsing: bytes)
    #expect(report.format == .swiftJSON)
    let frames = threads.map { $0["frames"] as? [[String: Any]] ?? [] }
    let addresses = frames.map {
      $0.map { ($0["address"] as? String).flatMap { UInt64($0.dropFirst(2), radix: 16) } }
    }
    #expect(report.threads.map { $0.frames.map(\.address?.rawValue) } == addresses)
    let registers = threads.map { ($0["registers"] as? [String: Any] ?? [:]).count }
    #expect(report.threads.map { $0.state?.registers.count ?? 0 } == registers)
    #expect(
      report.images.map(\.name) == (document["images"] as? [[String: Any]])?.map { $0["name"] as? String })
  }

  @Test("of uncaught exceptions give a report for each call stack", arguments: exceptionLogs)
  func exceptions(_ path: String) throws {
    let lines = try lines(path)
    let count = lines.filter { $0.hasPrefix("*** First throw call stack") }.count
    try #require(count > 0)
    let reports = try CrashReport.parse(try PublicReports.bytes(path)).filter { $0.format == .nsException }
    #expect(reports.count == count)
    var frames = 0
    var isInside = false
    for line in lines {
      if line == "(" { isInside = true }
      if line == ")" { isInside = false }
      let words = line.split(whereSeparator: \.isWhitespace)
      if isInside, Int(words.first ?? "") != nil, words.count > 2,
        words.contains(where: { $0.hasPrefix("0x0") })
      {
        frames += 1
      }
    }
    #expect(reports.reduce(0) { $0 + $1.lastExceptionBacktrace.count } == frames)
  }

  @Test("of callStackSymbols keep identities and offsets")
  func callStackSymbols() throws {
    let path = "swift/opentelemetry-collector-symbolicator__nsexception-callstacksymbols-1.txt"
    let report = try report(path)
    #expect(report.format == .callStackSymbols)
    #expect(report.threads.first?.frames.count == (try lines(path)).filter { $0.contains("0x") }.count)
    #expect(report.images.compactMap(\.id).count == 2)
    for frame in report.threads.first?.frames ?? [] {
      guard let image = frame.image, let offset = frame.imageOffset else { continue }
      #expect(frame.address?.offset(from: report.images[image].start) == offset)
    }
  }
}
