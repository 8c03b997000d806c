import Foundation
import TestSupport
import Testing

/// The script behind the GitHub action, as a runner calls it.
@Suite("The action")
struct ActionTests {
  private let directory: TemporaryDirectory
  private let package: String

  /// A package with the layout of `.ci/package`, whose program is the one built here.
  init() throws {
    directory = try TemporaryDirectory()
    package = directory.path("package.tar.gz")
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"),
      [
        "-ec",
        """
        mkdir -p tree/bin && printf '#!/bin/sh\\nexec "%s" "$@"\\n' "$1" > tree/bin/crashread
        chmod +x tree/bin/crashread && tar -czf package.tar.gz -C tree .
        """, "sh", builtProgram("crashread").path,
      ], in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
  }

  /// The variables that a runner sets, and the action's inputs.
  private func run(_ command: String, _ inputs: [String: String]) throws -> CommandRun {
    let runner = [
      "GITHUB_ACTIONS": "true", "GITHUB_PATH": directory.path("path"), "RUNNER_TEMP": directory.url.path,
      "GITHUB_STEP_SUMMARY": directory.path("summary"), "GITHUB_WORKSPACE": directory.url.path,
      "CRASHREAD_RUN": command,
    ]
    return try CommandRun(
      program: URL(filePath: "/bin/bash"),
      [Repository.root.appending(path: ".github/actions/crashread/crashread.sh").path],
      environment: runner.merging(inputs) { $1 }, in: directory)
  }

  @Test("annotates the crash of a test command, and exits with its status")
  func crash() throws {
    let log = Samples.path("reports/other/swift-trap-backtrace.txt")
    let run = try run("cat '\(log)'; exit 7", ["CRASHREAD_PACKAGE": package])
    #expect(run.outcome == .exited(7))
    #expect(run.output.contains("::error "), "\(run.output) \(run.errors)")
    #expect(try directory.read("summary").isEmpty == false)
    // Later steps have the program in their PATH, too.
    #expect(try directory.read("path").contains("/crashread/bin"))
  }

  @Test("prints no annotation when nothing crashed")
  func quiet() throws {
    let run = try run("echo fine", ["CRASHREAD_PACKAGE": package])
    #expect(run.outcome == .exited(0))
    #expect(run.output == "fine\n")
  }

  @Test(
    "runs the tests even if crashread can't be downloaded",
    arguments: ["https://127.0.0.1:9/crashread.tar.gz", "/nowhere/crashread.tar.gz"])
  func noPackage(_ package: String) throws {
    let run = try run("echo ran; exit 3", ["CRASHREAD_PACKAGE": package])
    #expect(run.outcome == .exited(3))
    #expect(run.output.contains("::warning title=crashread::\(package) could not be installed"))
    #expect(run.output.contains("ran\n"))
  }

  @Test("refuses a package with another checksum, and one without a checksum over HTTP")
  func pinned() throws {
    let other = String(repeating: "0", count: 64)
    for inputs in [
      ["CRASHREAD_PACKAGE": package, "CRASHREAD_SHA256": other],
      ["CRASHREAD_PACKAGE": "http://127.0.0.1:9/crashread.tar.gz"],
    ] {
      let run = try run("echo ran", inputs)
      #expect(run.outcome == .exited(2))
      #expect(run.output.contains("::error title=crashread::") && !run.output.contains("ran\n"))
    }
  }

  @Test("names the input that is missing")
  func noCommand() throws {
    let run = try run("", ["CRASHREAD_PACKAGE": package])
    #expect(run.outcome == .exited(2))
    #expect(run.output.contains("no test command"))
  }
}
