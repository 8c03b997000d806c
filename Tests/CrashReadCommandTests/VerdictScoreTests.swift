import Foundation
import TestSupport
import Testing

/// Verdicts beside labels that were made by reading the reports, not by asking the program.
@Suite("Verdicts", .enabled(if: PublicReports.areAvailable && installedProgram("python3") != nil))
struct VerdictScoreTests {
  @Test("hold as often as the documentation says, and nothing false is certain")
  func score() throws {
    let shared = PublicReports.directory.deletingLastPathComponent()
    let python = try #require(installedProgram("python3"))
    let arguments = [
      Repository.root.appending(path: "Tests/Verdicts/score.py").path, try builtProgram("crashread").path,
      shared.appending(path: "truth/truth.tsv").path, PublicReports.directory.path,
      shared.appending(path: "symbols").path, "--check", "92", "90", "1",
    ]
    let run = try CommandRun(program: python, arguments, limit: .seconds(600))
    #expect(run.outcome == .exited(0), "\(run.output)")
  }
}
