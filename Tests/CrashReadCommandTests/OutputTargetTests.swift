import CrashRead
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite("Outputs")
struct OutputTargetTests {
  @Test(
    "have the format of their file name extension or prefix",
    arguments: [
      ("crash.html", "crash.html", .html), ("a.htm", "a.htm", .html), ("a.sarif", "a.sarif", .sarif),
      ("a.sarif.json", "a.sarif.json", .sarif), ("a.json", "a.json", .json), ("a.jsonl", "a.jsonl", .ndjson),
      ("a.ndjson", "a.ndjson", .ndjson), ("a.md", "a.md", .markdown), ("junit.xml", "junit.xml", .junit),
      ("gl-code-quality-report.json", "gl-code-quality-report.json", .gitlab),
      ("out/gl-code-quality-report.json", "out/gl-code-quality-report.json", .gitlab),
      ("a.crash", "a.crash", .crash), ("a.ips", "a.ips", .ips), ("a.txt", "a.txt", .text), ("-", "-", .text),
      ("html", "html", .text), ("gitlab=a.json", "a.json", .gitlab), ("text=a.html", "a.html", .text),
      ("markdown=-", "-", .markdown), ("junit=a=b.html", "a=b.html", .junit), ("x=a.html", "x=a.html", .html),
      ("a.tsv", "a.tsv", .text),
    ] as [(String, String, OutputFormat)])
  func form(_ text: String, _ path: String, _ format: OutputFormat) {
    let target = OutputTarget(text, for: .report, otherwise: .report(.text))
    #expect(target.path == path && target.format == .report(format))
  }

  @Test func otherNamesGetTheRequestedFormat() {
    #expect(OutputTarget("a.txt", for: .report, otherwise: .report(.junit)).format == .report(.junit))
    #expect(OutputTarget("a.html", for: .report, otherwise: .report(.junit)).format == .report(.html))
  }

  @Test func verbHasItsOwnFormats() {
    #expect(OutputTarget("a.tsv", for: .lookup, otherwise: .report(.text)).format == .lookup(.tsv))
    #expect(OutputTarget("a.html", for: .lookup, otherwise: .report(.json)).format == .report(.json))
  }

  @Test func unusedFormatIsAnError() throws {
    #expect(throws: UsageError.unusedFormat("gitlab", of: .report)) {
      try parseArguments(["--format=gitlab", "-o", "a.json", "b.ips"])
    }
    #expect(throws: Never.self) {
      try parseArguments(["--format=gitlab", "-o", "a.json", "-o", "-", "b.ips"])
    }
    #expect(throws: Never.self) { try parseArguments(["--format=json", "-o", "a.json", "b.ips"]) }
  }

  @Test func eachFileGetsItsFormat() throws {
    let directory = try TemporaryDirectory()
    let sample = Samples.path("reports/text/JumpNull.crash")
    let run = try CommandRun.crashread(
      ["-o", "a.html", "-o", "a.sarif", "-o", "a.md", "--format=github", "-o", "-", sample], in: directory)
    #expect(run.outcome == .exited(0))
    #expect(run.output.hasPrefix("::error "))
    #expect(try directory.read("a.html").hasPrefix("<!DOCTYPE html>"))
    #expect(try directory.read("a.sarif").contains("sarif-2.1.0"))
    #expect(try directory.read("a.md").hasPrefix("## "))
  }

  @Test func inputWithoutReportHasALine() throws {
    let directory = try TemporaryDirectory()
    try directory.write("nothing of the kind", to: "a.txt")
    let sample = Samples.path("reports/text/JumpNull.crash")
    let run = try CommandRun.crashread(
      ["--format=ndjson", "a.txt", sample, "absent.crash"], in: directory)
    #expect(run.outcome == .exited(1))
    let lines = try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["input"] as? String } == ["a.txt", sample, "absent.crash"])
    let kinds = lines.map { ($0["error"] as? [String: Any])?["kind"] as? String }
    #expect(kinds == ["unrecognised", nil, "unreadable"])
    #expect(lines.allSatisfy { $0["schemaVersion"] as? Int == 1 })
  }

  @Test(
    "have links on terminals known to support them",
    arguments: [
      ([:], nil, false), ([:], "xterm-256color", false), ([:], "xterm-kitty", true),
      (["TERM_PROGRAM": "iTerm.app"], nil, true), (["TERM_PROGRAM": "Apple_Terminal"], nil, false),
      (["VTE_VERSION": "6800"], nil, true), (["VTE_VERSION": "4205"], nil, false),
      (["VTE_VERSION": "6800", "TMUX": "/tmp/x"], nil, false), (["WT_SESSION": "x"], nil, true),
      (["FORCE_HYPERLINK": "1", "TMUX": "x"], nil, true), (["FORCE_HYPERLINK": "0"], "xterm-kitty", false),
    ] as [([String: String], String?, Bool)])
  func links(_ values: [String: String], _ terminal: String?, _ follows: Bool) {
    let environment = Environment(terminal: terminal, terminalVariables: TerminalVariables(values: values))
    #expect(environment.usesLinks(.auto, onTerminal: true) == follows)
    #expect(!environment.usesLinks(.auto, onTerminal: false))
    #expect(environment.usesLinks(.always, onTerminal: false))
    #expect(!environment.usesLinks(.never, onTerminal: true))
  }

  @Test("--array gives JSON one shape for none, one and several reports")
  func array() throws {
    let one = Samples.path("reports/text/HogeApp.crash")
    for (operands, count) in [([one], 1), ([one, one], 2), (["/dev/null"], 0)] {
      let run = try CommandRun.crashread(["--format=json", "--array"] + operands)
      let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      #expect((value as? [Any])?.count == count, "\(operands)")
    }
  }
}
