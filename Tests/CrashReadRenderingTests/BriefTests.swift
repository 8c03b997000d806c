import CrashRead
import CrashReadDiagnosis
import CrashReadRendering
import CrashReadReports
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@Suite("brief answers")
struct BriefTests {
  /// Every sample, and a selection of the public reports if available.
  private static func analyses() throws -> [ReportAnalysis] {
    let reader = try CrashReader(symbols: [Samples.path("symbols")])
    let samples = Samples.reports.map { Samples.path($0) }
    let others = PublicReports.paths(every: 5, upTo: 1 << 18).map {
      PublicReports.directory.appending(path: $0).path
    }
    return (samples + others).flatMap { (try? reader.analyze(contentsOf: $0)) ?? [] }
  }

  private func brief(
    _ analysis: ReportAnalysis, _ format: OutputFormat, _ language: Language = .english
  ) -> String {
    var style = RenderingStyle()
    (style.brief, style.language) = (.options, language)
    var renderer = format.renderer(style: style, count: 1)
    var text = ""
    renderer.render(analysis, into: &text)
    return text
  }

  @Test func areShortAndContainVerdictAndLine() throws {
    let analyses = try Self.analyses()
    #expect(analyses.count >= Samples.reports.count)
    for analysis in analyses {
      let diagnosis = analysis.diagnosis
      let json = brief(analysis, .json)
      let document = try #require(JSONValue(document: Array(json.utf8)), "\(analysis.input)")
      #expect(json.utf8.count <= 4096, "\(analysis.input)")
      #expect(document["rule"].string == diagnosis.explanation.rule, "\(analysis.input)")
      #expect(document["title"].string == diagnosis.explanation.title, "\(analysis.input)")
      #expect(document["confidence"].string == diagnosis.explanation.confidence.rawValue)
      #expect(document["blamed"]["line"].integer == diagnosis.blamedLocation?.line, "\(analysis.input)")
      let text = brief(analysis, .text)
      #expect(text.utf8.count <= 4096, "\(analysis.input)")
      if let line = diagnosis.blamedLocation?.line { #expect(text.contains(":\(line)"), "\(analysis.input)") }
    }
  }

  private static let hostileTexts = [
    String(repeating: "a", count: 100_000), String(repeating: "\u{1b}", count: 5000),
    String(repeating: "👩‍💻", count: 9000), "e" + String(repeating: "\u{301}", count: 100_000),
    String(repeating: "\u{10ffff}", count: 5000), String(repeating: "a\n", count: 5000),
  ]

  @Test(arguments: hostileTexts.indices)
  func areShortForAnyReport(_ index: Int) {
    let analysis = exampleAnalysis(Self.hostileTexts[index])
    for language in [Language.english, .japanese] {
      for format in [OutputFormat.text, .json, .ndjson] {
        #expect(brief(analysis, format, language).utf8.count <= 4096, "\(format)")
      }
    }
  }

  @Test func explainHowToGetMore() throws {
    let reader = try CrashReader(symbols: [Samples.path("symbols")])
    let analysis = try #require(
      try reader.analyze(contentsOf: Samples.path("reports/text/HogeApp.crash")).first)
    #expect(brief(analysis, .text).hasSuffix("\nMore: --all-threads (3), --why, --format=json\n"))
    #expect(brief(analysis, .text, .japanese).contains("\n詳細: --all-threads (3)"))
    #expect(brief(analysis, .text).contains("\n> 0 HogeApp JSON.integer(_:)  Fuga.swift:17 [inlined]\n"))
  }

  @Test func includeReasoningOnRequest() throws {
    let reader = try CrashReader(symbols: [Samples.path("symbols")])
    let analysis = try #require(
      try reader.analyze(contentsOf: Samples.path("reports/text/HogeApp.crash")).first)
    var style = RenderingStyle()
    func members() throws -> Set<String> {
      let json = try analysis.rendered(as: .json, style: style)
      let document = try #require(JSONValue(document: Array(json.utf8)))
      return Set(document["diagnosis"].members.map(\.name))
    }
    let reasoning: Set = ["skipped", "rejected", "signatureFrames"]
    #expect(try members().isDisjoint(with: reasoning))
    style.showsReasoning = true
    #expect(try !members().isDisjoint(with: reasoning))
  }
}
