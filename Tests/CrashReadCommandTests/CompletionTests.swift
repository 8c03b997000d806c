import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite struct CompletionTests {
  static let formats = [
    "text", "json", "ndjson", "markdown", "html", "github", "gitlab", "sarif", "junit", "sentry",
    "sentry-envelope", "bugsnag", "crash", "ips",
  ]

  /// The typed words, the last of which is being completed, and the completions that bash must offer.
  static let bashCases: [(words: [String], offers: [String])] = [
    (["--form"], ["--format"]),
    (["--format", ""], CompletionTests.formats),
    (["--format", "=", ""], CompletionTests.formats),
    (["--format", "="], CompletionTests.formats),
    (["--format", "=", "j"], ["json", "junit"]),
    (["--format=j"], ["--format=json", "--format=junit"]),
    (["-f", "t"], ["text"]),
    (["lookup", "-f", "t"], ["text", "tsv"]),
    (["lookup", "--a"], ["--addresses", "--arch"]),
    (["--a"], ["--allow-mismatch", "--array", "--all-threads"]),
    (["--color", "a"], ["auto", "always"]),
    (["--output", ""], []),
    (["--arch", ""], []),
    (["lo"], ["lookup"]),
    (["help", ""], ["ci", "batch", "lookup", "kind", "explain", "symbols", "anonymize", "mcp", "help"]),
    (
      ["a file.ips", "--s"], ["--symbols", "--strict", "--symbol-server", "--symbol-memory", "--source-root"]
    ),
    (["two w"], ["two words.ips"]),
    (["a.ips", ""], []),
  ]

  @Test(.enabled(if: installedProgram("bash") != nil), arguments: bashCases)
  func bashOffers(_ words: [String], _ offers: [String]) throws {
    let bash = try #require(installedProgram("bash"))
    let directory = try TemporaryDirectory()
    try directory.write("", to: "two words.ips")
    try directory.write(bashCompletion(), to: "script")
    let ask = """
      source ./script
      COMP_WORDS=(crashread "$@") COMP_CWORD=$#
      _crashread
      printf '%s\\n' "${COMPREPLY[@]}"
      complete -p crashread
      """
    let run = try CommandRun(program: bash, ["--norc", "-c", ask, "bash"] + words, in: directory)
    #expect(run.errors == "")
    let answer = offers.isEmpty ? "\n" : offers.joined(separator: "\n") + "\n"
    #expect(run.output == answer + "complete -o bashdefault -o default -F _crashread crashread\n")
  }

  @Test(.enabled(if: installedProgram("bash") != nil)) func bashReadsItsScript() throws {
    try expect("bash", reads: bashCompletion())
  }

  @Test(.enabled(if: installedProgram("zsh") != nil)) func zshReadsItsScript() throws {
    try expect("zsh", reads: zshCompletion())
  }

  @Test(.enabled(if: installedProgram("fish") != nil)) func fishReadsItsScript() throws {
    try expect("fish", reads: fishCompletion())
  }

  private func expect(_ shell: String, reads script: String) throws {
    let program = try #require(installedProgram(shell))
    let directory = try TemporaryDirectory()
    try directory.write(script, to: "script")
    let run = try CommandRun(program: program, ["-n", "script"], in: directory)
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
  }

  @Test(
    .enabled(if: installedProgram("fish") != nil),
    arguments: [
      ("crashread --form", ["--format"]),
      ("crashread --format=", formats.sorted().map { "--format=" + $0 }),
      ("crashread lookup --format t", ["text", "tsv"]),
      ("crashread help look", ["lookup"]),
      (
        "crashread a.ips --s",
        ["--source-root", "--strict", "--symbol-memory", "--symbol-server", "--symbols"]
      ),
    ])
  func fishOffers(_ line: String, _ offers: [String]) throws {
    let fish = try #require(installedProgram("fish"))
    let directory = try TemporaryDirectory()
    try directory.write(fishCompletion(), to: "script")
    let ask = "source script; complete -C \"$argv[1]\""
    let run = try CommandRun(
      program: fish, ["--no-config", "-c", ask, line], environment: ["HOME": directory.url.path],
      in: directory)
    #expect(run.errors == "")
    let words = run.output.split(separator: "\n").compactMap {
      $0.split(separator: "\t").first.map(String.init)
    }
    #expect(words.sorted() == offers)
  }
}
