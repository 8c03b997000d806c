import CrashRead
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite("Blame", .enabled(if: installedProgram("git") != nil))
struct BlameTests {
  private let crash = "Samples/reports/text/HogeApp.crash"

  /// A repository with the sample's sources, and one commit.
  private func checkout() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("HogeApp")
    for name in ["App", "Fuga", "Hoge", "JSON"] {
      try directory.write(try Samples.bytes("sources/HogeApp/\(name).swift"), to: "HogeApp/\(name).swift")
    }
    try git(["init", "-q"], in: directory)
    try git(["add", "."], in: directory)
    try git(["commit", "-q", "-m", "Unwrap | \u{202e}it\n\nMore."], in: directory)
    return directory
  }

  private func git(_ arguments: [String], in directory: TemporaryDirectory) throws {
    let program = try #require(installedProgram("git"))
    let run = try CommandRun(
      program: program, arguments,
      environment: [
        "GIT_AUTHOR_NAME": "Ann & Bob", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_COMMITTER_NAME": "c",
        "GIT_COMMITTER_EMAIL": "c@example.com", "GIT_AUTHOR_DATE": "2025-01-02T03:04:05+0900",
        "GIT_CONFIG_GLOBAL": "/dev/null",
      ], in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
  }

  private func blame(_ root: String, _ options: [String] = []) throws -> [String: Any]? {
    let run = try CommandRun.crashread(
      atRoot: ["--blame", "--format=json", "--source-root", root] + options + [crash, "Samples/symbols"])
    let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return document?["blame"] as? [String: Any]
  }

  @Test func namesTheCommit() throws {
    let directory = try checkout()
    let blame = try #require(try blame(directory.url.path))
    #expect((blame["commit"] as? String)?.count == 40)
    #expect(blame["author"] as? String == "Ann & Bob")
    #expect(blame["date"] as? String == "2025-01-02T03:04:05+09:00")
    #expect(blame["summary"] as? String == "Unwrap | \u{202e}it")
    // The first commit of a complete history isn't marked as a boundary.
    #expect(blame["oldest"] == nil)
  }

  @Test("is in every form", arguments: OutputFormat.allCases.filter { $0 != .crash && $0 != .ips })
  func forms(_ format: OutputFormat) throws {
    let directory = try checkout()
    let run = try CommandRun.crashread(
      atRoot: [
        "--blame", "--format", format.rawValue, "--source-root", directory.url.path, crash, "Samples/symbols",
      ])
    #expect(run.outcome == .exited(0))
    #expect(run.output.contains("Ann"))
    #expect(!run.output.contains("\u{202e}"))
  }

  @Test func isOptional() throws {
    let run = try CommandRun.crashread(atRoot: ["--format=json", crash, "Samples/symbols"])
    #expect(!run.output.contains("\"blame\""))
  }

  @Test func changedLineIsUncommitted() throws {
    let directory = try checkout()
    let text = try directory.read("HogeApp/Fuga.swift").replacing(
      "value(of: name)!", with: "value(of:  name)!")
    try directory.write(text, to: "HogeApp/Fuga.swift")
    #expect(try blame(directory.url.path)?["reason"] as? String == "notCommitted")
  }

  @Test func folderWithoutRepositoryHasNoHistory() throws {
    let directory = try checkout()
    try FileManager.default.removeItem(at: directory.url.appending(path: ".git"))
    #expect(try blame(directory.url.path)?["reason"] as? String == "untracked")
  }

  @Test func fileOutsideRootsIsNotLookedUp() throws {
    let directory = try checkout()
    let outside = try TemporaryDirectory()
    // The path is mapped to a file of the repository, but isn't below a root.
    let map = "/Users/dev/HogeApp=\(directory.path("HogeApp"))"
    #expect(try blame(outside.url.path, ["--path-map", map])?["reason"] as? String == "notInCheckout")
    // A file to which a symbolic link leads out of a root isn't even shown.
    try outside.makeDirectory("HogeApp")
    try outside.link("HogeApp/Fuga.swift", to: directory.path("HogeApp/Fuga.swift"))
    #expect(try blame(outside.url.path)?["reason"] as? String == "noSource")
    #expect(try blame("/nonexistent")?["reason"] as? String == "noSource")
  }

  @Test func shallowHistoryIsMarked() throws {
    let directory = try checkout()
    try git(["commit", "-q", "--allow-empty", "-m", "second"], in: directory)
    let clone = try TemporaryDirectory()
    try git(["clone", "-q", "--depth=1", "file://\(directory.url.path)", "."], in: clone)
    #expect(try blame(clone.url.path)?["oldest"] as? Bool == true)
  }

  @Test func repositoryConfigurationRunsNothing() throws {
    let directory = try checkout()
    let mark = directory.path("forged")
    try directory.write("*.swift diff=x\n", to: ".gitattributes")
    try git(["config", "diff.x.textconv", "touch \(mark); cat"], in: directory)
    try git(["config", "core.fsmonitor", "touch \(mark)"], in: directory)
    #expect(try blame(directory.url.path)?["commit"] != nil)
    #expect(!FileManager.default.fileExists(atPath: mark))
  }
}

@Suite("Child processes")
struct ChildProcessTests {
  @Test func outputAndStatusAreReturned() {
    let outcome = runProgram(["sh", "-c", "cat; echo out; echo err >&2; exit 3"], seconds: 60, limit: 100)
    #expect(outcome == .exited(3, output: Array("out\n".utf8)))
    #expect(runProgram(["sh", "-c", "kill -9 $$"], seconds: 60, limit: 100) == .signalled(9))
  }

  @Test func missingProgramIsReported() {
    guard case .failed = runProgram(["/nonexistent/program"], seconds: 60, limit: 100) else {
      Issue.record("it ran")
      return
    }
  }

  @Test(
    "are stopped at their limit of time or output, with the processes that they started",
    arguments: ["sleep 1000", "sleep 1000 & exec >/dev/null; sleep 1000", "yes"])
  func limits(_ command: String) {
    let start = ContinuousClock.now
    #expect(runProgram(["sh", "-c", command], seconds: 1, limit: 1000) == .stopped)
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}
