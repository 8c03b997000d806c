import Foundation
import TestSupport
import Testing

/// Verdicts compared with labels that people assigned by reading the reports.
@Suite("Verdicts", .enabled(if: PublicReports.areAvailable && installedProgram("python3") != nil))
struct VerdictScoreTests {
  @Test("are right as often as Verdicts.md says, and no false statement is certain")
  func score() throws { try check("shared", least: 98, blamed: 95, false: 1) }

  @Test("say what has to change if the report shows it")
  func causes() throws { try check("own", least: 90, blamed: 0, false: 0) }

  /// Scores a table of labels: the shared one, or the project's own of deeper causes.
  private func check(_ labels: String, least right: Int, blamed: Int, false maximum: Int) throws {
    let shared = PublicReports.directory.deletingLastPathComponent()
    let own = Repository.root.appending(path: "Tests/Verdicts/deep.tsv")
    let python = try #require(installedProgram("python3"))
    let arguments = [
      Repository.root.appending(path: "Tests/Verdicts/score.py").path, try builtProgram("crashread").path,
      (labels == "own" ? own : shared.appending(path: "truth/truth.tsv")).path, PublicReports.directory.path,
      shared.appending(path: "symbols").path, "--check", "\(right)", "\(blamed)", "\(maximum)",
    ]
    let run = try CommandRun(program: python, arguments, limit: .seconds(600))
    #expect(run.outcome == .exited(0), "\(run.output)")
  }
}
