import TestSupport
import Testing

@Suite("The time of one report")
struct TimeLimitTests {
  @Test("ends also where no debug file takes it", .timeLimit(.minutes(2)))
  func ownWork() throws {
    let frame = "1   App   0x0000000100001028 main + 40 (main.m:15)\n"
    let report =
      "Process: App [1]\nOS Version: macOS 14.2\n\nThread 0 Crashed:\n"
      + String(repeating: frame, count: 500_000)
    let run = try CommandRun.crashread(["-", "--timeout=1"], input: report)
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: the report takes longer than --timeout allows\n")
  }
}
