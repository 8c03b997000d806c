import CrashRead
import CrashReadDiagnosis
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

/// The outputs for the samples, as recorded in `Tests/Goldens/reports`: few enough files for a person to read.
@Suite("Samples are written")
struct SampleGoldenTests {
  /// The samples that are recorded in every format and language; the others as English text and JSON.
  private static let recordedInFull: Set = [
    "reports/causes/causes-recursion.crash", "reports/ips/HogeApp.ips", "reports/ips/VarsSwift.ips",
    "reports/ips/アプリ.ips", "reports/other/HogeApp-other-build.crash", "reports/other/hostile.ips",
    "reports/text/HogeApp.crash", "reports/text/ObjCThrow.crash",
  ]

  @Test("as recorded", arguments: Samples.reports, Language.allCases)
  func goldens(_ report: String, _ language: Language) throws {
    let recorded = recordedFormats(report, language)
    let outputs = try write(report, language, as: Set(recorded).union([.json, .ndjson]))
    for format in recorded {
      // Each is compared, even after a failure.
      #expect(throws: Never.self) {
        let text = try #require(outputs[format])
        try Golden.compare(
          format == .json ? withoutRejectedRules(text) : text, with: path(report, language, format))
      }
    }
    #expect(try object(#require(outputs[.json])) == object(#require(outputs[.ndjson])))
    #expect(outputs[.ndjson]?.dropLast().contains("\n") == false)
  }

  @Test func noUnusedGoldens() {
    let files = Samples.files(below: Repository.root, "Tests/Goldens/reports")
    let expected = Language.allCases.flatMap { language in
      Samples.reports.flatMap { report in
        recordedFormats(report, language).map { path(report, language, $0) }
      }
    }
    #expect(Set(files) == Set(expected))
    #expect(Self.recordedInFull.isSubset(of: Samples.reports))
  }

  /// `ndjson` isn't among them, since it equals `json`, nor are events, which are read back elsewhere. Reports written
  /// back have no language, and only an .ips file can be written back as one.
  private func recordedFormats(_ report: String, _ language: Language) -> [OutputFormat] {
    guard Self.recordedInFull.contains(report) else { return language == .english ? [.text, .json] : [] }
    let back: [OutputFormat] = report.hasSuffix(".ips") ? [.crash, .ips] : [.crash]
    let others: Set<OutputFormat> = [.ndjson, .crash, .ips, .sentry, .sentryEnvelope, .bugsnag]
    return OutputFormat.allCases.filter { !others.contains($0) } + (language == .english ? back : [])
  }

  private func write(
    _ report: String, _ language: Language, as formats: Set<OutputFormat>
  ) throws
    -> [OutputFormat: String]
  {
    let directory = try TemporaryDirectory()
    let outputs = formats.map { "--output=\($0.rawValue)=" + directory.path($0.rawValue) }
    let run = try CommandRun.crashread(
      atRoot: ["--lang", language.rawValue, "--source-root", "Samples/sources"] + outputs
        + ["-", "Samples/symbols"]
        + (Self.needingTheCLibrary.contains(report) ? [Self.namesOfTheCLibrary] : []), input: portable(report)
    )
    #expect(run.outcome == .exited(0))
    return try Dictionary(uniqueKeysWithValues: formats.map { ($0, try directory.read($0.rawValue)) })
  }

  private func object(_ json: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
  }

  /// Without the rules that did not match, so that a new rule changes the goldens of those it explains.
  private func withoutRejectedRules(_ json: String) -> String {
    var result: [Substring] = []
    var end: String?
    for line in json.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasSuffix("\"rejected\": [") { end = line.prefix { $0 == " " } + "]" }
      if end == nil { result.append(line) }
      if let closing = end, line.hasPrefix(closing) { end = nil }
    }
    return result.joined(separator: "\n")
  }

  /// The verdict on these is in the names of the C library's own functions, which are in its debug file.
  private static let needingTheCLibrary: Set = ["reports/causes/causes-double-free.crash"]

  /// What `readelf -s` prints for some of them in Debian's glibc 2.36-9+deb12u14, under an identity that no file has.
  private static let namesOfTheCLibrary = "Tests/Goldens/libc-2.36.sym"

  /// A report without the identities of Linux's own libraries, whose debug files only some machines have.
  private func portable(_ report: String) throws -> String {
    let unknown = "<00000000000000000000>"
    let needsNames = Self.needingTheCLibrary.contains(report)
    let text = String(decoding: try Samples.bytes(report), as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { (line) -> Substring in
      let isLibrary = line.contains("> /") && line.contains("/lib")
      guard isLibrary else { return line }
      let isNamed = needsNames && line.contains("libc.so")
      return line.replacing(
        /<[0-9a-f]{40}>/, with: isNamed ? "<1111111111111111111111111111111111111111>" : unknown)
    }.joined(separator: "\n")
  }

  private func path(_ report: String, _ language: Language, _ format: OutputFormat) -> String {
    let name = report.dropFirst("reports/".count).replacing("/", with: "-") + ".txt"
    return "Tests/Goldens/reports/\(language.rawValue)/\(format.rawValue)/\(name)"
  }
}
