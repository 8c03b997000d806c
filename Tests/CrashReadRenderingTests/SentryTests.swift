import CrashRead
import CrashReadDiagnosis
import CrashReadRendering
import CrashReadReports
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@Suite("events for Sentry")
struct SentryTests {
  private func event(_ analysis: ReportAnalysis, _ format: OutputFormat = .sentry) throws -> [UInt8] {
    Array(try analysis.rendered(as: format).utf8)
  }

  private func verdict(_ analysis: ReportAnalysis, withPlace: Bool = true) -> [String?] {
    let diagnosis = analysis.diagnosis
    let place = withPlace ? [diagnosis.blamedName, diagnosis.blamedLocation?.description] : []
    return [
      diagnosis.explanation.rule, diagnosis.explanation.title, diagnosis.explanation.confidence.rawValue,
    ] + place + [
      diagnosis.signature,
      diagnosis.symbolicated.report.kind.rawValue,
    ]
  }

  /// With debug files and without: an event's contents are enough for the same verdict.
  @Test(arguments: [[], [Samples.path("symbols")]])
  func roundTripKeepsTheVerdict(_ symbols: [String]) throws {
    let reader = try CrashReader(symbols: symbols)
    let other = try CrashReader(symbols: [])
    var count = 0
    for report in Samples.reports {
      for analysis in (try? reader.analyze(contentsOf: Samples.path(report))) ?? [] {
        let back = try other.analyze(try event(analysis))
        try #require(back.count == 1, "\(report)")
        count += 1
        #expect(verdict(back[0]) == verdict(analysis), "\(report)")
      }
    }
    #expect(count >= 60)
  }

  @Test(.enabled(if: PublicReports.areAvailable, "the public reports aren't here"))
  func publicReportsKeepTheirVerdicts() throws {
    let reader = try CrashReader(symbols: [])
    var count = 0
    for path in PublicReports.paths(every: 3, upTo: 400_000) {
      for analysis in (try? reader.analyze(contentsOf: PublicReports.directory.appending(path: path).path))
        ?? []
      {
        let back = try reader.analyze(try event(analysis))
        try #require(back.count == 1, "\(path)")
        // An event has no numbers of frames: a list whose beginning was left out looks whole there, and has a place.
        let isCut = analysis.diagnosis.symbolicated.report.threads.contains {
          $0.frames.first?.number ?? 0 > 1
        }
        #expect(verdict(back[0], withPlace: !isCut) == verdict(analysis, withPlace: !isCut), "\(path)")
        count += 1
      }
    }
    #expect(count >= 50, "\(count)")
  }

  @Test func containNamesLinesInlinedCallsAndSource() throws {
    var reader = try CrashReader(
      symbols: [Samples.path("symbols")], sources: SourceFinder(roots: [Samples.path("sources")], maps: []))
    reader.showsSourceOfFrames = true
    let analysis = try #require(
      try reader.analyze(contentsOf: Samples.path("reports/ips/HogeApp.ips")).first)
    let event = try #require(JSONValue(document: try event(analysis)))
    #expect(event["event_id"].string == "6d1f7a520c4e4b0e9b7d2f1c8e5a9d01")
    #expect(event["release"].string == "com.example.HogeApp@1.0+1")
    #expect(event["fingerprint"].elements.first?.string == analysis.diagnosis.signature)
    let exception = try #require(event["exception"]["values"].elements.first)
    #expect(exception["type"].string == "EXC_BREAKPOINT")
    #expect(exception["mechanism"]["meta"]["signal"]["number"].integer == 5)
    let frames = exception["stacktrace"]["frames"].elements.reversed().map(\.self)
    #expect(frames[1]["function"].string == "JSON.integer(_:)" && frames[1]["lineno"].integer == 17)
    #expect(frames[1]["in_app"].isTrue)
    #expect(frames[1]["context_line"].string?.contains("return value(of: name)!") == true)
    #expect(frames[2]["function"].string == "Fuga.init(json:)")
    #expect(frames[1]["instruction_addr"].string == frames[2]["instruction_addr"].string)
    let image = try #require(event["debug_meta"]["images"].elements.first)
    #expect(image["debug_id"].string == "4c4c44ed-5555-3144-a162-5a07dae58c2c")
    #expect(image["type"].string == "macho")
  }

  @Test func envelopeLengthsAreCorrect() throws {
    let reader = try CrashReader(symbols: [])
    let analysis = try #require(
      try reader.analyze(contentsOf: Samples.path("reports/ips/アプリ.ips")).first)
    let lines = try event(analysis, .sentryEnvelope).split(separator: 10).map(Array.init)
    try #require(lines.count == 3)
    let (head, item) = (JSONValue(document: lines[0]), JSONValue(document: lines[1]))
    #expect(head?["event_id"].string == JSONValue(document: lines[2])?["event_id"].string)
    #expect(item?["length"].integer == lines[2].count && item?["type"].string == "event")
    #expect(
      verdict(try #require(try reader.analyze(try event(analysis, .sentryEnvelope)).first))
        == verdict(analysis))
  }
}
