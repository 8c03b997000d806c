import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite("crashread ci")
struct CITests {
  /// A package whose only test reads beyond an array's end.
  private static func makePackage() throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("Sources/Engine")
    try folder.makeDirectory("Tests/EngineTests")
    try folder.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "engine", targets: [
        .target(name: "Engine"), .testTarget(name: "EngineTests", dependencies: ["Engine"]),
      ])
      """, to: "Package.swift")
    try folder.write(
      """
      public struct Engine {
        var ratios: [Int]
        public init(ratios: [Int]) { self.ratios = ratios }
        public func ratio(gear: Int) -> Int {
          ratios[gear]
        }
      }
      """, to: "Sources/Engine/Engine.swift")
    try folder.write(
      """
      import Testing
      @testable import Engine
      @Suite struct EngineTests {
        @Test func shiftsBeyondTheLast() { #expect(Engine(ratios: [3, 2]).ratio(gear: 5) == 0) }
      }
      """, to: "Tests/EngineTests/EngineTests.swift")
    return folder
  }

  private static let swift = installedProgram("swift")

  @Test(
    "a real test that crashes becomes an annotation on its line, with its name", .enabled(if: swift != nil))
  func realTest() throws {
    let package = try Self.makePackage()
    let summary = package.path("summary.md")
    let run = try CommandRun.crashread(
      ["ci", "swift", "test", "--disable-sandbox"],
      environment: [
        "SWIFT_BACKTRACE": "", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": package.url.path,
        "GITHUB_STEP_SUMMARY": summary,
      ], in: package, limit: .seconds(600))
    #expect(run.outcome == .exited(1), "\(run.errors)")
    let commands = run.output.split(separator: "\n").filter { $0.hasPrefix("::error ") }
    let command = try #require(commands.first)
    #expect(commands.count == 1)
    #expect(command.hasPrefix("::error file=Sources/Engine/Engine.swift,line=5,col="))
    #expect(command.contains("in the test EngineTests.shiftsBeyondTheLast::"))
    #expect(command.contains("Index out of range"))
    #expect(try package.read("summary.md").contains("EngineTests.shiftsBeyondTheLast"))
  }

  @Test("reports in a folder, as a macOS runner leaves them, become annotations")
  func folder() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("reports/Retired")
    let report = Repository.root.appending(path: "Samples/reports/ips/HogeApp.ips")
    try FileManager.default.copyItem(
      at: report, to: folder.url.appending(path: "reports/Retired/HogeApp.ips"))
    try folder.write("no report", to: "reports/other.txt")
    let run = try CommandRun.crashread(
      [
        "ci", "--watch-dir", "reports", "--symbols", Repository.root.appending(path: "Samples/symbols").path,
        "--format", "github",
      ], in: folder)
    #expect(run.outcome == .exited(0), "\(run.errors)")
    #expect(run.output.hasPrefix("::error title=HogeApp"), "\(run.output)")
    #expect(run.output.contains("Fuga.swift:17"))
  }

  @Test("only what is not older than --since is read")
  func since() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("reports")
    let report = Repository.root.appending(path: "Samples/reports/ips/HogeApp.ips")
    try FileManager.default.copyItem(at: report, to: folder.url.appending(path: "reports/HogeApp.ips"))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
      ofItemAtPath: folder.path("reports/HogeApp.ips"))
    func output(_ since: String) throws -> String {
      try CommandRun.crashread(["ci", "--watch-dir", "reports", "--since", since], in: folder).output
    }
    #expect(try output("@1000001") == "")
    #expect(try output("1970-01-12T22:46:40+09:00") != "")
    #expect(try output("1970-01-12T13:46:41Z") == "")
  }

  @Test("the command's status and what it prints come through")
  func command() throws {
    let run = try CommandRun.crashread(["ci", "sh", "-c", "echo out; echo err >&2; exit 7"])
    #expect(run.outcome == .exited(7))
    #expect(run.output == "out\n")
    #expect(run.errors.hasPrefix("err\n"))
    #expect(run.errors.contains("ended with status 7, and no crash report was found"))
    #expect(try CommandRun.crashread(["ci", "sh", "-c", "kill -9 $$"]).outcome == .exited(137))
    #expect(try CommandRun.crashread(["ci", "true"]).errors == "")
    let missing = try CommandRun.crashread(["ci", "/no/such/program"])
    #expect(missing.outcome == .exited(127))
    #expect(missing.errors.contains("cannot run the command"))
  }

  /// The test's own way of waiting needs all children's ends, so a shell ends the grandchild; were it waited for, it
  /// would be gone by then.
  @Test(
    "a grandchild that keeps the output open doesn't keep us",
    arguments: [
      "sleep 50", #"(trap "" PIPE; while :; do echo y; done 2>/dev/null)"#,
    ])
  func grandchild(_ command: String) throws {
    let script = """
      "$0" ci sh -c '\(command) & echo $! > pid; echo last >&2; exit 3' > out
      status=$?
      kill "$(cat pid)" && echo "$status"
      """
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"), ["-c", script, builtProgram("crashread").path], limit: .seconds(45))
    #expect(run.outcome == .exited(0))
    #expect(run.output == "3\n")
    #expect(run.errors.hasPrefix("last\n"))
  }

  @Test("a log's only test that began and didn't end is named")
  func log() throws {
    let folder = try TemporaryDirectory()
    let report = try String(
      contentsOf: Repository.root.appending(path: "Samples/reports/text/HogeApp.crash"), encoding: .utf8)
    try folder.write(
      "Test Case '-[AppTests.JSONTests testMissingKey]' started.\n" + report, to: "log.txt")
    let run = try CommandRun.crashread(["ci", "--log", "log.txt", "--format", "junit"], in: folder)
    #expect(run.outcome == .exited(0))
    #expect(run.output.contains("name=\"testMissingKey\" classname=\"AppTests.JSONTests\""), "\(run.output)")
  }

  @Test(
    "times are read as ISO 8601 or as seconds",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600),
      ("2026-11-21T09:00:00+09:00", 1_795_219_200),
      ("2026-11-20T16:30:00-0730", 1_795_219_200), ("@12", 12),
    ])
  func times(_ text: String, _ seconds: Int64) {
    #expect(Moment(parsing: text)?.nanoseconds == seconds * 1_000_000_000)
  }

  @Test(
    "what is no time is none",
    arguments: [
      "", "@", "2026-11-21", "2026-11-21T09:00:00", "2026-13-21T09:00:00Z", "2026-11-21T25:00:00Z",
      "@99999999999999999",
      "2026-11-21T09:00:00+9",
    ])
  func noTimes(_ text: String) {
    #expect(Moment(parsing: text) == nil)
  }
}

@Suite("Files that a CI system wants, in a checkout of strangers")
struct CheckoutFileTests {
  private static let name = "gl-code-quality-report.json"

  private func ci(_ directory: TemporaryDirectory, _ options: [String] = []) throws -> CommandRun {
    let report = Repository.root.path + "/Samples/reports/text/HogeApp.crash"
    return try CommandRun.crashread(
      ["ci"] + options + ["--log", report],
      environment: ["GITLAB_CI": "true", "CI_PROJECT_DIR": directory.path("checkout")],
      in: directory, limit: .seconds(30))
  }

  private func checkout() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("checkout/.git")
    try directory.write("kept", to: "victim")
    return directory
  }

  @Test("GitLab's file follows no link", arguments: ["../victim", "../made", ".git/config", "inside"])
  func link(_ target: String) throws {
    let directory = try checkout()
    try directory.write("kept", to: "checkout/.git/config")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("checkout/" + Self.name), withDestinationPath: target)
    let run = try ci(directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains(Self.name) && run.errors.contains("cannot write"))
    #expect(try directory.read("victim") == "kept")
    #expect(try directory.read("checkout/.git/config") == "kept")
    for made in ["made", "checkout/inside"] {
      #expect(!FileManager.default.fileExists(atPath: directory.path(made)))
    }
  }

  @Test func aPipeIsNotWaitedFor() throws {
    let directory = try checkout()
    try directory.makePipe("checkout/" + Self.name)
    #expect(try ci(directory).outcome == .exited(1))
  }

  @Test func anOrdinaryFileIsReplaced() throws {
    let directory = try checkout()
    try directory.write(String(repeating: "x", count: 100_000), to: "checkout/" + Self.name)
    #expect(try ci(directory).outcome == .exited(0))
    #expect(try directory.read("checkout/" + Self.name).hasSuffix("]\n"))
  }

  @Test(
    "other outputs in a checkout follow no link that leads out", arguments: ["crash.html", "out/crash.html"])
  func otherOutputs(_ name: String) throws {
    let directory = try checkout()
    try directory.makeDirectory("elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("checkout/crash.html"), withDestinationPath: directory.path("victim"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("checkout/out"), withDestinationPath: directory.path("elsewhere"))
    #expect(try ci(directory, ["--output", directory.path("checkout/" + name)]).outcome == .exited(1))
    #expect(try directory.read("victim") == "kept")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("elsewhere")).isEmpty)
    // Where the user says so, a file may lie anywhere.
    #expect(try ci(directory, ["--output", directory.path("elsewhere/crash.html")]).outcome == .exited(0))
  }
}

@Suite("Reports that are written back")
struct WrittenBackReportTests {
  @Test("act on no runner that reads the log, and are byte for byte what they were elsewhere")
  func commands() throws {
    let text =
      "Process: \u{9b}2Jx [1]\n::error file=x::forged\nException Type: EXC_CRASH\n\nThread 0 Crashed:\n"
    let directory = try TemporaryDirectory()
    try directory.write(text, to: "report.crash")
    func output(_ environment: [String: String]) throws -> String {
      try CommandRun.crashread(
        ["--format=crash", "report.crash"],
        environment: ["GITHUB_ACTIONS": "", "GITLAB_CI": ""].merging(environment) { $1 }, in: directory
      ).output
    }
    #expect(try output([:]) == text)
    #expect(
      try output(["GITHUB_ACTIONS": "true"])
        == text.replacing("\u{9b}", with: "\\u{9b}").replacing("\n::error", with: "\n:\\u{3a}error"))
  }
}
