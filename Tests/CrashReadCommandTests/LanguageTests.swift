import CrashReadDiagnosis
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@Suite("Languages") struct LanguageTests {
  private let sample = "Samples/reports/text/JumpNull.crash"

  @Test("are chosen by --lang, otherwise by the locale")
  func choice() throws {
    let path = Repository.root.appending(path: sample).path
    let english = try CommandRun.crashread([path])
    let japanese = try CommandRun.crashread([path], environment: ["LANG": "ja_JP.UTF-8"])
    #expect(japanese.output != english.output)
    #expect(japanese.output.contains("がクラッシュ"))
    let cases: [([String], [String: String], CommandRun)] = [
      ([], ["LANG": "C"], english), ([], ["LC_ALL": "C", "LANG": "ja_JP.UTF-8"], english),
      ([], ["LC_MESSAGES": "ja_JP.UTF-8"], japanese),
      (["--lang", "en"], ["LC_ALL": "ja_JP.UTF-8"], english), (["--lang=ja"], [:], japanese),
    ]
    for (arguments, environment, expected) in cases {
      let run = try CommandRun.crashread(arguments + [path], environment: environment)
      #expect(run.output == expected.output, "\(arguments) \(environment)")
    }
  }

  @Test("affect only the explanation and the labels in JSON", arguments: Samples.reports)
  func json(_ report: String) throws {
    let english = try document(report, .english)
    let japanese = try document(report, .japanese)
    for words in ["title", "explanation", "advice"] {
      #expect(english.explanation[words] != nil && japanese.explanation[words] != nil)
    }
    #expect(english.explanation["explanation"] != japanese.explanation["explanation"])
    #expect(english.rest == japanese.rest)
  }

  @Test("don't affect a report that is written back", arguments: ["crash", "ips"])
  func writtenBack(_ format: String) throws {
    let outputs = try Language.allCases.map {
      try CommandRun.crashread(
        atRoot: [
          "--format", format, "--lang", $0.rawValue, "Samples/reports/ips/HogeApp.ips", "Samples/symbols",
        ]
      ).output
    }
    #expect(Set(outputs).count == 1 && outputs.first != "")
  }

  /// A code without its explanation.
  private func wordless(_ code: [String: Any]) -> [String: Any] {
    var code = code.filter { !["title", "label", "meaning"].contains($0.key) }
    code["parts"] = (code["parts"] as? [[String: Any]])?.map(wordless)
    return code
  }

  /// A statement without the labels of its evidence.
  private func labelless(_ statement: [String: Any]) -> [String: Any] {
    var statement = statement
    let evidence = statement["evidence"] as? [[String: Any]]
    statement["evidence"] = evidence?.map { $0.filter { $0.key != "label" && $0.key != "meaning" } }
    return statement
  }

  /// What the language may change, and all the rest.
  private func document(
    _ report: String, _ language: Language
  ) throws -> (explanation: [String: String], rest: NSDictionary) {
    let run = try CommandRun.crashread(
      atRoot: ["--format=json", "--lang", language.rawValue, "Samples/" + report, "Samples/symbols"])
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    var document = try #require(object as? [String: Any])
    var diagnosis = try #require(document["diagnosis"] as? [String: Any])
    var explanation: [String: String] = [:]
    for words in ["title", "explanation", "advice"] {
      explanation[words] = diagnosis.removeValue(forKey: words).map { "\($0)" }
    }
    let findings = try #require((diagnosis["findings"] ?? []) as? [[String: Any]])
    diagnosis["findings"] = findings.map { finding in labelless(finding.filter { $0.key != "text" }) }
    if var member = diagnosis["member"] as? [String: Any] {
      explanation["member"] = member.removeValue(forKey: "text").map { "\($0)" }
      diagnosis["member"] = labelless(member)
    }
    diagnosis = labelless(diagnosis)
    diagnosis["decoded"] = (diagnosis["decoded"] as? [[String: Any]])?.map(wordless)
    document["diagnosis"] = diagnosis
    return (explanation, NSDictionary(dictionary: document))
  }
}
