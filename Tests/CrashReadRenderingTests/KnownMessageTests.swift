import CrashRead
import Foundation
import TestSupport
import Testing

/// Messages with which frameworks and runtimes stop programs, without context, as people paste them.
@Suite("A message without a report") struct KnownMessageTests {
  private struct Entry: Decodable {
    struct Example: Decodable {
      var text: String?
      var frames: [String]?
      var exceptionName: String?
      var stop: String?
    }
    var id: String
    var examples: [Example]
  }

  /// The messages of all contracts' examples that need neither frames nor the exception's name, nor a fault: what a
  /// runtime prints beside one doesn't state it.
  private static func messages() throws -> [String] {
    let path = "Tests/CrashReadDiagnosisTests/Contracts/examples.jsonl"
    let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    return try text.split(separator: "\n").flatMap { line in
      try JSONDecoder().decode(Entry.self, from: Data(line.utf8)).examples
        .filter { $0.frames == nil && $0.exceptionName == nil && $0.stop != "fault" }.compactMap(\.text)
    }
  }

  @Test("is explained if a contract contains it")
  func isKnown() throws {
    let messages = try Self.messages()
    #expect(messages.count >= 600)
    let reader = CrashReader()
    for message in messages {
      let analysis = try #require(try reader.analyze(Array(message.utf8)).first, "\(message)")
      #expect(
        analysis.diagnosis.contract != nil || analysis.diagnosis.explanation.rule != nil, "\(message)")
    }
  }

  @Test(
    "is unrecognised if no contract contains it",
    arguments: [
      "The cart is empty.", "# Shop\n\nAn app to buy things.\n\n## Build\n\nswift build",
      "import Foundation\n\nfunc total() -> Int { 0 }", "index,file,function\n0,Cart.swift,total()",
      String(repeating: "data parameter is nil\n\(UInt64.max)\n", count: 600),
    ])
  func isUnknown(_ text: String) {
    #expect(throws: ReportError.unrecognised) { try CrashReader().analyze(Array(text.utf8)) }
  }

  @Test("gives at most a likely verdict")
  func isNeverCertain() throws {
    let analysis = try #require(try CrashReader().analyze(Array("Engine is required".utf8)).first)
    #expect(analysis.diagnosis.contract == "flutter-engine-required")
    #expect(analysis.diagnosis.explanation.confidence == .likely)
  }
}
