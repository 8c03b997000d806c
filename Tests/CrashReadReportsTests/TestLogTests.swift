import Testing

@testable import CrashReadReports

@Suite("Unfinished tests of a log")
struct TestLogTests {
  private func unfinished(_ text: String) -> [String] { TestLog(Array(text.utf8)).unfinished }

  @Test("are found in Swift Testing's output on Linux")
  func swiftTesting() {
    let log = """
      ◇ Test run started.
      ↳ Testing Library Version: 6.3.1
      ◇ Suite EngineTests started.
      ◇ Test startsInFirst() started.
      ◇ Test "shifts beyond the last" started.
      Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range

      *** Signal 4: Backtracing from 0x7f57c6d6df7f... done ***

      ✔ Test startsInFirst() passed after 0.101 seconds.
      """
    #expect(unfinished(log) == ["\"shifts beyond the last\""])
  }

  @Test("a test's arguments are no tests of their own, and a failed or skipped test has ended")
  func swiftTestingCases() {
    let log = """
      ◇ Test parses(_:) started.
      ◇ Test case passing 1 argument text → "a" to parses(_:) started.
      ◇ Test fails() started.
      ✘ Test fails() failed after 0.001 seconds with 1 issue.
      ◇ Test skips() started.
      ➜ Test skips() skipped.
      """
    #expect(unfinished(log) == ["parses(_:)"])
  }

  @Test("are found in XCTest's output on Linux and macOS")
  func xctest() {
    let linux = """
      Test Suite 'EngineTests' started at 2026-11-21 16:57:40.456
      Test Case 'EngineTests.testFirst' started at 2026-11-21 16:57:40.456
      Test Case 'EngineTests.testFirst' passed (0.001 seconds)
      Test Case 'EngineTests.testLast' started at 2026-11-21 16:57:40.457
      """
    #expect(unfinished(linux) == ["EngineTests.testLast"])
    let mac = """
      Test Case '-[AppTests.EngineTests testFirst]' started.
      Test Case '-[AppTests.EngineTests testFirst]' failed (0.001 seconds).
      2026-11-21 16:57:40 xctest[12:34] Test Case '-[AppTests.EngineTests testLast]' started.
      """
    #expect(unfinished(mac) == ["AppTests.EngineTests.testLast"])
  }

  @Test("are found between colour sequences")
  func colours() {
    #expect(unfinished("\u{1b}[90m◇\u{1b}[0m Test starts() started.\n") == ["starts()"])
  }

  @Test(
    "aren't found in other lines",
    arguments: ["", "Test", "◇ Test  started", "Test Case '' ", "Test Case 'x", "◇ Test", "➜ Test x skipped"])
  func otherLines(_ line: String) {
    #expect(unfinished(line).isEmpty)
  }

  @Test("are told for each crash of a log")
  func parts() {
    let log = TestLog(
      Array(
        """
        Test Case 'A.one' started.
        crash
        Test Case 'A.two' started.
        Test Case 'A.two' passed (0.1 seconds)
        Test Case 'A.three' started.
        crash
        Test Case 'A.four' started.
        """.utf8))
    #expect(log.unfinished(after: 0, before: 2) == ["A.one"])
    #expect(log.unfinished(after: 2, before: 6) == ["A.three"])
    #expect(log.unfinished == ["A.one", "A.three", "A.four"])
  }

  @Test("The test that the runner names, or the only one that hadn't ended, was interrupted")
  func crashed() {
    func crashed(_ text: String) -> String? { TestLog(Array(text.utf8)).crashed }
    let named = """
      Test Case '-[Tides.MoonTests testOther]' started.
      Restarting after unexpected exit, crash, or test timeout in MoonTests.testRise(); summary will include totals from previous launches.
      """
    #expect(crashed(named) == "MoonTests.testRise")
    #expect(
      crashed("Restarting after unexpected exit or crash in MoonTests/testFall; summary will include")
        == "MoonTests.testFall")
    #expect(crashed("Test Case 'A.one' started.") == "A.one")
    #expect(crashed("Test Case 'A.one' started.\nTest Case 'A.two' started.") == nil)
    #expect(crashed("Restarting after unexpected exit, crash, or test timeout; no name") == nil)
  }
}
