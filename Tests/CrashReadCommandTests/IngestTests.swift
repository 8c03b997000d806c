import Foundation
import TestSupport
import Testing

@Suite("The example for a bug tracker") struct IngestTests {
  @Test func storesAndGroupsUploads() throws {
    let uploads = ["text/HogeApp.crash", "ips/HogeApp.ips", "ips/NullNode-arm64.ips"].map {
      Samples.path("reports/" + $0)
    }
    let run = try CommandRun(
      program: builtProgram("Ingest"),
      [Samples.path("symbols")] + uploads + [Samples.path("causes.tsv")])
    #expect(run.outcome == .exited(0))
    let lines = run.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("stored\t") } == 3)
    #expect(lines.count { $0.hasPrefix("rejected\t") } == 1)
    #expect(run.output.contains("3 reports in 2 groups, 1 unreadable"))
    #expect(run.output.contains("Fuga.swift:17"))
  }
}

@Suite("The example for a batch") struct IntakeTests {
  private let source = Repository.root.appending(path: "Samples/intake/Intake.swift")

  @Test(.enabled(if: hasSQLite, "libsqlite3 isn't installed")) func readsUploadsOnce() throws {
    let directory = try TemporaryDirectory()
    try directory.write("no report", to: "other")
    let uploads = ["text/HogeApp.crash", "ips/NullNode-arm64.ips"].map { Samples.path("reports/" + $0) }
    func run() throws -> CommandRun {
      try CommandRun(
        program: builtProgram("Intake"), [Samples.path("symbols"), "state"] + uploads + ["other"],
        in: directory)
    }
    let first = try run()
    #expect(first.outcome == .exited(0))
    #expect(first.output.contains("\tFuga.swift:17\t"))
    #expect(first.output.contains(#""input":"other""#))
    #expect(first.output.contains("2 reports in 2 groups"))
    let second = try run()
    #expect(!second.output.contains("\tFuga.swift:17\t"))
    #expect(second.output.contains("2 reports in 2 groups"))
  }

  @Test func matchesTheDocumentation() throws {
    let article = try String(
      contentsOf: Repository.root.appending(path: "Sources/CrashRead/CrashRead.docc/ManyReports.md"),
      encoding: .utf8)
    let example = try #require(article.components(separatedBy: "```swift\n").dropFirst().first)
    let lines = example.components(separatedBy: "\n```")[0].split(separator: "\n")
    let source = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
      .map { $0.drop { $0 == " " } }
    #expect(lines.count > 15)
    for line in lines { #expect(source.contains(line.drop { $0 == " " }), "\(line)") }
  }
}
