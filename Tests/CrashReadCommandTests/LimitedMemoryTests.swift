import CrashReadDebugInfo
import CrashReadSymbolication
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

@Suite("Main job under limits")
struct LimitedMemoryTests {
  /// A limit that no process can keep: first, debug files are disabled; then a restart has nothing else to omit.
  /// The report takes long enough for a check.
  @Test func exitsWhenNothingIsLeftToExclude() throws {
    let directory = try TemporaryDirectory()
    let frames = (0..<100_000).map { "\($0) App 0x0000000100001000 f + \($0)" }
    let lines = ["Process: App [1]", "Exception Type: EXC_CRASH (SIGABRT)", "", "Thread 0 Crashed:"] + frames
    try directory.write(lines.joined(separator: "\n"), to: "slow.crash")
    let run = try CommandRun.crashread(
      atRoot: ["--memory=1", "--cache=off", directory.path("slow.crash"), "Samples/symbols"])
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains("needs more than 0 MB of memory for the report (--memory)"))
    #expect(run.output.isEmpty)
  }

  @Test func refusalWithoutPathExcludesAllFiles() {
    var arguments = ["--after-signal", "98", "", "", "--after-signal", "14", "/a.debug", "1a", "report"]
    let refusals = CrashRecovery.refusals(from: &arguments)
    #expect(arguments == ["report"])
    #expect(refusals.reasonForAll == "skipped, because reading the report needed too much memory (--memory)")
    #expect(refusals.reasons[BinaryName(path: "/a.debug", id: "1a")] != nil)
  }
}
