/// The tests that had begun and not ended, according to the output of a test run: if it crashed, the test that crashed
/// is among them.
///
/// Reads lines of XCTest, both Apple's and the open-source one, and of Swift Testing.
package struct TestLog: Sendable, Hashable {
  private struct Mark: Hashable {
    var name: String
    var isStart: Bool
    var line: Int
  }

  private var marks: [Mark] = []
  /// The tests after which the runner had to start the process again.
  private var interrupted: Set<String> = []

  /// Reads the output of a test run.
  ///
  /// - Parameter bytes: The run's output, whole or in part; other lines are skipped.
  package init(_ bytes: [UInt8]) {
    for line in LineCursor(Bytes(bytes)) {
      let text = line.withoutEscapeSequences.text
      if let name = Self.restart(text) { interrupted.insert(name) }
      guard let event = Self.xctestEvent(text) ?? Self.swiftTestingEvent(text) else { continue }
      marks.append(Mark(name: event.name, isStart: event.isStart, line: line.number))
    }
  }

  /// The tests' names as the run printed them, in the order they began: `EngineTests.testStart`, `starts()`, or a display
  /// name in double quotes.
  package var unfinished: [String] { unfinished(in: marks[...]) }

  /// The test that the process's end interrupted: the one that the runner names, or the only one that hadn't ended; nil
  /// when there are several, or none.
  package var crashed: String? {
    let candidates = interrupted.isEmpty ? Set(unfinished) : interrupted
    return candidates.count == 1 ? candidates.first : nil
  }

  /// Those of the lines after `start`, 0 for the beginning, and before `end`: a run continues with further tests
  /// after a crash.
  package func unfinished(after start: Int, before end: Int) -> [String] {
    unfinished(in: marks.filter { $0.line > start && $0.line < end }[...])
  }

  /// The names of unfinished tests. A test can run more than once, also concurrently.
  private func unfinished(in marks: ArraySlice<Mark>) -> [String] {
    var running: [String: Int] = [:]
    var ended: [String: Int] = [:]
    for mark in marks {
      if mark.isStart {
        running[mark.name, default: 0] += 1
      } else if let count = running[mark.name], count > 0 {
        running[mark.name] = count - 1
        ended[mark.name, default: 0] += 1
      }
    }
    return marks.filter(\.isStart).map(\.name).filter { name in
      guard let count = ended[name], count > 0 else { return true }
      ended[name] = count - 1
      return false
    }
  }

  private typealias Event = (name: String, isStart: Bool)

  /// Reads `Test Case '-[Module.Class test]' started.` and `Test Case 'Class.test' passed (0.1 seconds)`.
  private static func xctestEvent(_ line: Bytes) -> Event? {
    guard let start = line.firstRange(of: "Test Case '")?.upperBound,
      let quote = line.lastIndex(of: UInt8(ascii: "'")),
      quote > start
    else { return nil }
    let rest = line[(quote + 1)...]
    let isStart = rest.hasPrefix(" started")
    guard isStart || [" passed", " failed", " skipped"].contains(where: { rest.hasPrefix($0) }) else {
      return nil
    }
    return (plainName(line[start..<quote].string), isStart)
  }

  /// Reads `Restarting after unexpected exit, crash, or test timeout in MoonTests.testRise(); summary will include …`, as
  /// Xcode prints when the tests' process has ended.
  private static func restart(_ line: Bytes) -> String? {
    guard let mark = line.firstRange(of: "Restarting after unexpected exit"),
      let start = line[mark.upperBound...].firstRange(of: " in ")?.upperBound,
      let end = line[start...].firstRange(of: ";")?.lowerBound
    else { return nil }
    let name = line[start..<end].prefix { $0 != UInt8(ascii: "(") }.string
    return name.isEmpty || name.contains(" ") && !name.hasPrefix("-[")
      ? nil : plainName(name).split(separator: "/").joined(separator: ".")
  }

  /// `Module.Class.test` for Objective-C's `-[Module.Class test]`.
  private static func plainName(_ name: String) -> String {
    guard name.hasPrefix("-["), name.hasSuffix("]") else { return name }
    return String(name.dropFirst(2).dropLast()).split(separator: " ").joined(separator: ".")
  }

  /// Reads `◇ Test starts() started.` and `✔ Test starts() passed after 0.1 seconds.`; the symbol differs by system.
  private static func swiftTestingEvent(_ line: Bytes) -> Event? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")), line[..<space].contains(where: { $0 >= 0x80 }),
      let rest = line[(space + 1)...].after("Test ")
    else { return nil }
    if let name = rest.before(" started.") { return isRunOrCase(name) ? nil : (name.string, true) }
    for ending: StaticString in [" passed after ", " failed after ", " skipped"] {
      guard let range = rest.firstRange(of: ending) else { continue }
      return (rest[..<range.lowerBound].string, false)
    }
    return nil
  }

  /// `Test run started.` is about all tests, `Test case passing … started.` about one test argument.
  private static func isRunOrCase(_ name: Bytes) -> Bool {
    name.equals("run") || name.hasPrefix("case passing ")
  }
}
