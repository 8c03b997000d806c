import CrashReadDiagnosis
import CrashReadSystem
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite struct ConsoleTests {
  struct ColorCase: Sendable {
    var choice = ColorChoice.auto
    var onTerminal = true
    var environment = Environment()
    var colored: Bool
  }

  @Test(arguments: [
    ColorCase(colored: true),
    ColorCase(onTerminal: false, colored: false),
    ColorCase(environment: Environment(noColor: "1"), colored: false),
    ColorCase(environment: Environment(noColor: ""), colored: true),
    ColorCase(environment: Environment(terminal: "dumb"), colored: false),
    ColorCase(environment: Environment(terminal: "xterm-256color"), colored: true),
    ColorCase(choice: .always, onTerminal: false, environment: Environment(noColor: "1"), colored: true),
    ColorCase(choice: .never, colored: false),
  ])
  func colorRule(_ example: ColorCase) {
    let colored = example.environment.usesColor(example.choice, onTerminal: example.onTerminal)
    #expect(colored == example.colored)
  }

  @Test(
    arguments: [
      (nil, nil), ("80", 80), ("0", nil), ("-5", nil), ("wide", nil), ("99999999999999999999", nil),
    ] as [(String?, Int?)])
  func columnsRule(_ text: String?, _ columns: Int?) {
    #expect(Environment(columnsText: text).columns == columns)
  }

  @Test(
    arguments: [
      ([nil, nil, nil], .english), ([nil, nil, "ja_JP.UTF-8"], .japanese), ([nil, nil, "ja"], .japanese),
      ([nil, nil, "ja_JP@x"], .japanese), ([nil, nil, "ja.UTF-8"], .japanese), ([nil, nil, "C"], .english),
      ([nil, nil, "jam"], .english), ([nil, nil, "fr_FR.UTF-8"], .english), ([nil, nil, "JA"], .english),
      (["C", "ja_JP", "ja_JP"], .english), (["", "", "ja_JP"], .japanese),
      ([nil, "ja_JP", "en_US"], .japanese),
      (["ja_JP", "POSIX", "C"], .japanese), ([nil, "POSIX", "ja_JP"], .english),
    ] as [([String?], Language)])
  func languageRule(_ variables: [String?], _ language: Language) {
    #expect(Environment(locale: Environment.locale(among: variables)).language == language)
  }

  @Test func usageErrorExitsWithStatus2() throws {
    let run = try CommandRun.crashread(["--no\u{1b}such"])
    #expect(run.outcome == .exited(2))
    #expect(run.output == "")
    #expect(
      run.errors == """
        crashread: unknown option '--no\\u{1b}such'
        crashread: Try 'crashread --help'.

        """)
  }

  /// The reading end is closed before the program starts, so every write fails with EPIPE.
  @Test(.enabled(if: installedProgram("bash") != nil)) func brokenPipeIsQuiet() throws {
    let bash = try #require(installedProgram("bash"))
    let script = "exec 3> >(:); wait $!; \"$1\" --help >&3; echo \"status $?\""
    let run = try CommandRun(program: bash, ["-c", script, "bash", builtProgram("crashread").path])
    #expect(run.output == "status 0\n")
    #expect(run.errors == "")
  }

  @Test(.enabled(if: installedProgram("bash") != nil)) func fullDiskIsAFailure() throws {
    let bash = try #require(installedProgram("bash"))
    let script = "\"$1\" --help >/dev/full"
    let run = try CommandRun(program: bash, ["-c", script, "bash", builtProgram("crashread").path])
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: standard output: cannot write: No space left on device\n")
  }

  @Test func outputFileContainsWhatWasWritten() throws {
    let directory = try TemporaryDirectory()
    try directory.write("what was there before, and is longer", to: "result")
    let text = String(repeating: "a line\n", count: 30_000)
    var stream = try OutputStream(path: directory.url.appending(path: "result").path)
    stream.write(text)
    stream.write("end")
    try stream.close()
    #expect(try directory.read("result") == text + "end")
  }

  /// A batch may write a million results.
  @Test func keepsNoMoreThanIsHeldBack() throws {
    let directory = try TemporaryDirectory()
    var stream = try OutputStream(path: directory.path("result"))
    let result = [UInt8](repeating: 0x61, count: 200_000)
    stream.write(bytes: result)
    let room = stream.pending.capacity
    for _ in 0..<100 { stream.write(bytes: result) }
    #expect(stream.pending.isEmpty && stream.pending.capacity == room)
    stream.write(bytes: [UInt8](repeating: 0x61, count: 10_000_000))
    #expect(stream.pending.isEmpty && stream.pending.capacity <= room)
    try stream.close()
    #expect(try directory.bytes("result").count == 101 * 200_000 + 10_000_000)
  }

  @Test func uncreatableOutputFileIsReported() throws {
    let error = #expect(throws: SystemError.self) { _ = try OutputStream(path: "/nonexistent/result") }
    #expect(error?.reason == "No such file or directory")
  }

  @Test func messagesAndResultKeepTheirOrder() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "both").path
    try directory.write("", to: "both")
    let handle = try #require(FileHandle(forWritingAtPath: file))
    var console = Console(
      output: handle.fileDescriptor, messages: handle.fileDescriptor, environment: Environment())
    console.write("result 1\n")
    console.note("odd", file: "a.ips", line: 3)
    console.write("result 2\n")
    console.error("unreadable", file: "b.ips")
    #expect(console.finish(.failure) == .failure)
    #expect(
      try directory.read("both") == """
        result 1
        crashread: a.ips:3: note: odd
        result 2
        crashread: b.ips: unreadable

        """)
  }

  @Test(.enabled(if: installedProgram("sleep") != nil)) func hangingRunIsKilled() throws {
    let sleep = try #require(installedProgram("sleep"))
    let run = try CommandRun(program: sleep, ["60"], limit: .milliseconds(50))
    #expect(run.outcome == .timedOut)
  }
}
