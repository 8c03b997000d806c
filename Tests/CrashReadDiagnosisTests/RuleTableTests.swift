import CrashReadReports
import CrashReadSymbolication
import Foundation
import TestSupport
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let knowledge = Knowledge.embedded

/// Compares the table's index with matching each rule against each report.
@Suite struct RuleTableTests {
  @Test("The index omits no matching rule", arguments: [knowledge.rules, knowledge.findings])
  func candidates(_ table: RuleTable) throws {
    let reports = ruleSamples.map(\.report) + findingSamples.map(\.report)
    var count = 0
    for facts in reports.map(\.symbolicated).map(facts) + (try sampleFacts()) {
      let matching = table.all.filter { $0.match(facts) != nil }.map(\.id)
      #expect(table.candidates(facts).filter { $0.match(facts) != nil }.map(\.id) == matching)
      count += matching.count
    }
    #expect(count > 100)
  }

  private func facts(_ symbolicated: SymbolicatedReport) -> CrashFacts {
    CrashFacts(symbolicated, knowledge: knowledge)
  }

  /// Of all reports among the samples; other files belong to another test.
  private func sampleFacts() throws -> [CrashFacts] {
    let folder = Repository.root.appending(path: "Samples/reports")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return files.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
      .flatMap { file in (try? CrashReport.parse([UInt8](Data(contentsOf: file)))) ?? [] }
      .map { facts(SymbolicatedReport(unresolved: $0)) }
  }

  @Test("A set of patterns matches what one of them does")
  func patternSets() throws {
    let patterns = ["^abc{x}", "abcd$", "bc", "{", "de{y}f"]
    let list = try #require(
      JSONValue(document: Array("[\(patterns.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)))
    let set = PatternSet(list, in: "a test")
    let lines = ["", "a", "abc", "abcx", "xabc", "xabcd", "abcd ", "b", "xbcx", "dexf", "def", "dexfx", "{"]
    for line in lines {
      let bytes = Array(line.utf8)
      let matches = patterns.contains { TextPattern($0)?.match(bytes) != nil }
      #expect(set.matches(line) == matches, "\(line)")
    }
    #expect(set.problems.count == 1)
  }
}
