import CrashRead
import TestSupport
import Testing

/// The public interface, as used by programs outside of the package.
@Suite struct LibraryTests {
  private static let report = Samples.path("reports/text/HogeApp.crash")

  @Test("The README's two calls give the line and a page")
  func twoCalls() throws {
    let reader = try CrashReader(symbols: [Samples.path("symbols")])
    let analysis = try #require(try reader.analyze(contentsOf: Self.report).first)
    #expect(analysis.diagnosis.blamedLocation?.description == "Fuga.swift:17")
    #expect(try analysis.rendered(as: .html).contains("Fuga.swift:17"))
    #expect(try analysis.rendered(as: .json).hasPrefix("{"))
    #expect(try [analysis, analysis].rendered(as: .json).hasPrefix("["))
  }

  @Test func missingPathsAreErrors() throws {
    let missing = try #require(throws: PathError.self) { try CrashReader(symbols: ["/nowhere/a.dSYM"]) }
    #expect(missing.path == "/nowhere/a.dSYM" && !missing.message.isEmpty)
    #expect(throws: PathError.self) { try CrashReader().analyze(contentsOf: "/nowhere/a.ips") }
    #expect(throws: ReportError.unrecognised) { try CrashReader().analyze(Array("nothing".utf8)) }
  }

  @Test("The reader's language is that of all texts")
  func languageIsSetOnce() throws {
    let analyses = try CrashReader(language: .japanese).analyze(contentsOf: Self.report)
    #expect(try analyses.rendered(as: .text).contains("スレッド"))
    var groups = CrashGroups()
    for analysis in analyses { groups.add(CrashOccurrence(analysis)) }
    #expect(groups.rendered(as: .html).contains("lang=\"ja\""))
  }

  @Test("A format that writes the input back throws when it can't")
  func writtenBack() throws {
    let analysis = try #require(try CrashReader().analyze(contentsOf: Self.report).first)
    #expect(throws: RenderingError.cannotWrite(.appleText, as: .ips)) { try analysis.rendered(as: .ips) }
    #expect(try analysis.rendered(as: .crash).contains("Thread 0 Crashed"))
    let several = try CrashReader().analyze(Samples.bytes("reports/text/HogeApp.crash"))
    #expect(several.count == 1)
  }
}
