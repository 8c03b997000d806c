import CrashDiagnosis
import CrashRead
import Foundation
import TestSupport
import Testing

/// Every sample in every form and language, as `Tests/Goldens/reports` has it.
@Suite("Samples are written")
struct SampleGoldenTests {
  @Test("as recorded", arguments: Samples.reports, Language.allCases)
  func goldens(_ report: String, _ language: Language) throws {
    let directory = try TemporaryDirectory()
    let formats = formats(report, language)
    let outputs = formats.map { "--output=\($0.rawValue)=" + directory.path($0.rawValue) }
    let run = try CommandRun.crashread(
      atRoot: ["--lang", language.rawValue, "--source-root", "Samples/sources"] + outputs
        + ["-", "Samples/symbols"], input: portable(report))
    #expect(run.outcome == .exited(report.contains("other-build") ? 1 : 0))
    for format in formats {
      let path = "Tests/Goldens/reports/\(language.rawValue)/\(format.rawValue)/\(goldenName(report))"
      // Each is compared, whatever came of those before it.
      #expect(throws: Never.self) { try Golden.compare(directory.read(format.rawValue), with: path) }
    }
  }

  /// What is written back has no language, and only an .ips file can become one.
  private func formats(_ report: String, _ language: Language) -> [OutputFormat] {
    let back: [OutputFormat] = report.hasSuffix(".ips") ? [.crash, .ips] : [.crash]
    return OutputFormat.allCases.filter { $0 != .crash && $0 != .ips } + (language == .english ? back : [])
  }

  @Test func noGoldenIsLeftOver() {
    let files = Samples.files(below: Repository.root, "Tests/Goldens/reports")
    let expected = Language.allCases.flatMap { language in
      Samples.reports.flatMap { report in
        formats(report, language).map {
          "Tests/Goldens/reports/\(language.rawValue)/\($0.rawValue)/\(goldenName(report))"
        }
      }
    }
    #expect(Set(files) == Set(expected))
  }

  /// A report without the identities of Linux's own libraries, whose debug files some machines have and others don't.
  private func portable(_ report: String) throws -> String {
    let text = String(decoding: try Samples.bytes(report), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { (line) -> Substring in
      let isLibrary = line.contains("> /") && line.contains("/lib")
      return isLibrary ? line.replacing(/<[0-9a-f]{40}>/, with: "<00000000000000000000>") : line
    }.joined(separator: "\n")
  }

  private func goldenName(_ report: String) -> String {
    report.dropFirst("reports/".count).replacing("/", with: "-") + ".txt"
  }
}
