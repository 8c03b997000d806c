import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite("crashread ci")
struct CITests {
  /// The output of a test run that crashes by unwrapping nil in an assertion, or by a bad pointer in one.
  private static func log(_ message: String, _ signal: String, _ frames: [String]) -> String {
    """
    Test Case 'CartTests.testFirst' started at 2026-01-01 09:00:00.000
    Test Case 'CartTests.testFirst' passed (0.1 seconds)
    Test Case 'CartTests.testEmpty' started at 2026-01-01 09:00:00.100
    \(message)

    *** Program crashed: \(signal) ***

    Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

    Thread 0 "shopPackageTest" crashed:

    \(frames.enumerated().map { "\($0.offset) [ra] 0x00007f1000000\($0.offset)00 \($0.element)" }.joined(separator: "\n"))
    ...

    Images (3 omitted):

    0x0000560888280000–0x00005608882cbd98 f645e48b96fba30d46b628695f33cca0eed4d488 shopPackageTests.xctest /shop/.build/debug/shopPackageTests.xctest
    0x00007f1000000000–0x00007f10000fffff b521f25fdeacf504eca83d97c7308e8fc11be729 libswiftCore.so /opt/swift/usr/lib/swift/linux/libswiftCore.so

    Backtrace took 0.05s

    Test Case 'CartTests.testLast' started at 2026-01-01 09:00:01.000
    """
  }

  private static let assertion = "implicit closure #1 in CartTests.testEmpty()"
  private static let generated = "in shopPackageTests.xctest at //<compiler-generated>"

  @Test("a location in a message is resolved in the checkout, and no library of the toolchain is blamed")
  func places() throws {
    let folder = try TemporaryDirectory()
    for name in ["Tests/ShopTests/Cart", "Tests/OtherTests/Cart", ".build/ShopTests"] {
      try folder.makeDirectory(name)
      try folder.write(String(repeating: "\n", count: 20), to: name + "/CartTests.swift")
    }
    let unwrapped = Self.log(
      "ShopTests/CartTests.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
      "Illegal instruction at 0x00007f1000000000",
      [
        "_assertionFailure(_:_:file:line:flags:) + 302 in libswiftCore.so",
        Self.assertion + " + 143 " + Self.generated,
        "partial apply for " + Self.assertion + " + 19 " + Self.generated,
      ])
    let pointer = Self.log(
      "", "Bad pointer dereference at 0x0000000000000010",
      [
        Self.assertion + " + 4 " + Self.generated,
        "closure #1 in XCTAssertEqual<A>(_:_:_:file:line:) + 80 in libXCTest.so at crtstuff.c",
      ])
    try folder.write(unwrapped, to: "unwrapped.txt")
    try folder.write(pointer, to: "pointer.txt")
    let run = try CommandRun.crashread(
      ["ci", "--log", "unwrapped.txt", "--log", "pointer.txt", "--format", "github"],
      environment: ["GITHUB_WORKSPACE": folder.url.path], in: folder)
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 2, "\(run.output) \(run.errors)")
    let event = "title=shopPackageTests.xctest crashed in the test CartTests.testEmpty::"
    #expect(
      lines[0].hasPrefix("::error file=Tests/ShopTests/Cart/CartTests.swift,line=12,\(event)"), "\(lines[0])")
    #expect(lines[1].hasPrefix("::error \(event)Null pointer"), "\(lines[1])")
    #expect(lines[1].contains("%0Ain \(Self.assertion)"), "\(lines[1])")
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

  @Test("files older than --since aren't read")
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

  @Test("the command's status and output are passed on")
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
    let text = try TemporaryDirectory()
    try text.write("no program", to: "text")
    #expect(try CommandRun.crashread(["ci", "./text"], in: text).outcome == .exited(126))
    let killed = try CommandRun.crashread(["ci", "sh", "-c", "kill -9 $$"])
    #expect(killed.errors.contains("the command was killed by SIGKILL, and no crash report was found"))
  }

  @Test("the command has a terminal if crashread has one", .enabled(if: installedProgram("script") != nil))
  func terminal() throws {
    func said(_ redirection: String) throws -> String {
      let command =
        "\(try builtProgram("crashread").path) ci sh -c '[ -t 1 ]; a=$?; [ -t 2 ]; echo $a$?' \(redirection)"
      let run = try CommandRun(
        program: URL(filePath: "/bin/sh"), ["-c", "script -qec \"$0\" /dev/null", command])
      return run.output.filter(\.isNumber)
    }
    #expect(try said("") == "00")
    #expect(try said("2>/dev/null") == "01")
    #expect(try said("| cat") == "10")
  }

  @Test("GitLab's file is written even if nothing crashed")
  func nothingCrashed() throws {
    let folder = try TemporaryDirectory()
    let gitlab = ["GITLAB_CI": "true", "CI_PROJECT_DIR": folder.url.path]
    let run = try CommandRun.crashread(["ci", "true"], environment: gitlab, in: folder)
    #expect(run.outcome == .exited(0) && run.output == "" && run.errors == "")
    #expect(try folder.read("gl-code-quality-report.json") == "[]\n")
    _ = try CommandRun.crashread(["ci", "-o", "gitlab=named.json", "-o", "crash.md", "true"], in: folder)
    #expect(try folder.read("named.json") == "[]\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("crash.md")))
  }

  /// The test waits for all children to end, so a shell ends the grandchild. If crashread waited for it, it would be
  /// gone by then.
  @Test(
    "a grandchild that keeps the output open doesn't delay the exit",
    arguments: [
      "sleep 1000", #"(trap "" PIPE; while :; do echo y; done 2>/dev/null)"#,
    ])
  func grandchild(_ command: String) throws {
    let script = """
      "$0" ci sh -c '\(command) & echo $! > pid; echo last >&2; exit 3' > out
      status=$?
      kill "$(cat pid)" && echo "$status"
      """
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"), ["-c", script, builtProgram("crashread").path])
    #expect(run.outcome == .exited(0))
    #expect(run.output == "3\n")
    #expect(run.errors.hasPrefix("last\n"))
  }

  @Test("the only unfinished test of a log is named")
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
    #expect(FileTime(parsing: text)?.nanoseconds == seconds * 1_000_000_000)
  }

  @Test(
    "other texts are no times",
    arguments: [
      "", "@", "2026-11-21", "2026-11-21T09:00:00", "2026-13-21T09:00:00Z", "2026-11-21T25:00:00Z",
      "@99999999999999999",
      "2026-11-21T09:00:00+9",
    ])
  func noTimes(_ text: String) {
    #expect(FileTime(parsing: text) == nil)
  }
}

@Suite("Files for a CI system in an untrusted checkout")
struct CheckoutFileTests {
  private static let name = "gl-code-quality-report.json"

  private func ci(_ directory: TemporaryDirectory, _ options: [String] = []) throws -> CommandRun {
    let report = Repository.root.path + "/Samples/reports/text/HogeApp.crash"
    return try CommandRun.crashread(
      ["ci"] + options + ["--log", report],
      environment: ["GITLAB_CI": "true", "CI_PROJECT_DIR": directory.path("checkout")],
      in: directory)
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
    try directory.link("checkout/" + Self.name, to: target)
    let run = try ci(directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains(Self.name) && run.errors.contains("cannot write"))
    #expect(try directory.read("victim") == "kept")
    #expect(try directory.read("checkout/.git/config") == "kept")
    for made in ["made", "checkout/inside"] {
      #expect(!FileManager.default.fileExists(atPath: directory.path(made)))
    }
  }

  @Test func pipeDoesNotBlock() throws {
    let directory = try checkout()
    try directory.makePipe("checkout/" + Self.name)
    #expect(try ci(directory).outcome == .exited(1))
  }

  @Test func regularFileIsReplaced() throws {
    let directory = try checkout()
    try directory.write(String(repeating: "x", count: 100_000), to: "checkout/" + Self.name)
    #expect(try ci(directory).outcome == .exited(0))
    #expect(try directory.read("checkout/" + Self.name).hasSuffix("]\n"))
  }

  @Test(
    "other outputs in a checkout follow no link that leads out of it",
    arguments: ["crash.html", "out/crash.html"])
  func otherOutputs(_ name: String) throws {
    let directory = try checkout()
    try directory.makeDirectory("elsewhere")
    try directory.link("checkout/crash.html", to: directory.path("victim"))
    try directory.link("checkout/out", to: directory.path("elsewhere"))
    #expect(try ci(directory, ["--output", directory.path("checkout/" + name)]).outcome == .exited(1))
    #expect(try directory.read("victim") == "kept")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("elsewhere")).isEmpty)
    // If the user requests it, a file may be anywhere.
    #expect(try ci(directory, ["--output", directory.path("elsewhere/crash.html")]).outcome == .exited(0))
  }
}

@Suite("Reports that are written back")
struct WrittenBackReportTests {
  @Test("contain no workflow commands in a runner's log, and are unchanged elsewhere")
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
