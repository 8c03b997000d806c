import Foundation
import TestSupport
import Testing

/// `crashread explain` of the built program.
@Suite struct ExplainTests {
  @Test func explainsSeveralQueries() throws {
    let run = try CommandRun.crashread(["explain", "0x8badf00d", "esr", "0x92000047", "brk", "1"])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    let heads = run.output.split(separator: "\n\n").compactMap { $0.split(separator: "\n").first }
    #expect(
      heads == [
        "0x8badf00d (2343432205): Termination code", "0x92000047 = 2449473607: ARM64 exception syndrome",
        "trap (1): Number in a brk instruction",
      ])
    #expect(run.output.contains("Rule      watchdog\n"))
    #expect(run.output.contains("access: write"))
    #expect(run.output.contains("Sources   https://"))
  }

  @Test func listsAllMeaningsOfANumber() throws {
    let run = try CommandRun.crashread(["explain", "11"])
    #expect(run.outcome == .exited(0))
    #expect(run.output.hasPrefix("11 can mean "))
    #expect(run.output.contains("\n  SIGSEGV (0xb, 11): Signal\n"))
    #expect(run.output.contains("\n  TCC (0xb, 11): Termination namespace\n"))
  }

  @Test(arguments: [
    (["SIGTRP"], "crashread: nothing is known about 'SIGTRP'; similar names: SIGTRAP"),
    (["watchdg"], "crashread: nothing is known about 'watchdg'; similar names: WATCHDOG"),
    (
      ["KERN_PROTECTION_FALURE"],
      "crashread: nothing is known about 'KERN_PROTECTION_FALURE'; similar names: KERN_PROTECTION_FAILURE"
    ),
    (
      ["EXC_BAD_ACESS", "1"],
      "crashread: nothing is known about 'EXC_BAD_ACESS 1'; similar names: EXC_BAD_ACCESS"
    ),
    (["0xdeadbeef"], "crashread: nothing is known about '0xdeadbeef'"),
  ])
  func suggestsSimilarNames(_ words: [String], _ message: String) throws {
    let run = try CommandRun.crashread(["explain"] + words)
    #expect(run.outcome == .exited(1))
    #expect(run.output == "")
    #expect(run.errors.hasPrefix(message))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test(
    "A query of several words needs no quotation marks",
    arguments: ["Fatal error: Index out of range", "EXC_BAD_ACCESS KERN_INVALID_ADDRESS at 0x10"])
  func unquoted(_ sentence: String) throws {
    let words = sentence.split(separator: " ").map(String.init)
    let run = try CommandRun.crashread(["explain"] + words)
    #expect(run.outcome == .exited(0) && run.errors == "")
    #expect(run.output == (try CommandRun.crashread(["explain", sentence])).output)
    #expect(run.output.contains("Index out of range: outside") || run.output.contains("dereference at 0x10"))
  }

  @Test func continuesAfterUnknownQueries() throws {
    let run = try CommandRun.crashread(["explain", "SIGTRP", "SIGABRT"])
    #expect(run.outcome == .exited(1))
    #expect(run.output.hasPrefix("SIGABRT (6): Signal\n"))
  }

  @Test func printsJSON() throws {
    let run = try CommandRun.crashread(["explain", "-f", "json", "GUARD", "2305845208236959491"])
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let answer = try #require((value as? [[String: Any]])?.first)
    #expect(answer["query"] as? String == "GUARD 2305845208236959491")
    let meaning = try #require((answer["meanings"] as? [[String: Any]])?.first)
    #expect(meaning["kind"] as? String == "guard")
    #expect(meaning["rule"] as? String == "guard-port-right")
    let parts = try #require(meaning["parts"] as? [[String: Any]])
    #expect(parts.map { $0["text"] as? String } == ["MACH_PORT", "INVALID_NAME", "0x2703"])
  }

  @Test func requiresAQuery() throws {
    let run = try CommandRun.crashread(["explain"])
    #expect(run.outcome == .exited(2))
    #expect(run.errors.contains("no code or name given"))
  }
}
