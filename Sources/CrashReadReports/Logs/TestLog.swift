/// Which tests had begun and not ended, by what the test run printed: when it crashed, the culprit is among them.
///
/// Reads the lines of XCTest, Apple's and the open one, and of Swift Testing.
package struct TestLog: Sendable, Hashable {
  /// The tests' names as the run printed them, in the order they began: `EngineTests.testStart`, `starts()`, or a display
  /// name in double quotes.
  package var unfinished: [String] {
    var ended = ended
    return begun.filter { name in
      guard let count = ended[name], count > 0 else { return true }
      ended[name] = count - 1
      return false
    }
  }

  private var begun: [String] = []
  /// How often a test is running, and how often it has ended: one can run more than once.
  private var running: [String: Int] = [:]
  private var ended: [String: Int] = [:]

  /// Reads the output of a test run.
  ///
  /// - Parameter bytes: What the run printed, whole or in part; lines of anything else are passed over.
  package init(_ bytes: [UInt8]) {
    for line in LineCursor(Bytes(bytes)) { read(line.withoutEscapeSequences.text) }
  }

  private mutating func read(_ line: Bytes) {
    guard let event = Self.xctestEvent(line) ?? Self.swiftTestingEvent(line) else { return }
    if event.isStart {
      begun.append(event.name)
      running[event.name, default: 0] += 1
    } else if let count = running[event.name], count > 0 {
      running[event.name] = count - 1
      ended[event.name, default: 0] += 1
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
    let started = " started."
    if rest.hasSuffix(started) {
      let name = rest.dropLast(started.utf8.count)
      return isRunOrCase(name) ? nil : (name.string, true)
    }
    for ending in [" passed after ", " failed after ", " skipped"] {
      guard let range = rest.firstRange(of: ending) else { continue }
      return (rest[..<range.lowerBound].string, false)
    }
    return nil
  }

  /// `Test run started.` is about all of them, `Test case passing … started.` about one of a test's arguments.
  private static func isRunOrCase(_ name: Bytes) -> Bool {
    name.equals("run") || name.hasPrefix("case passing ")
  }
}
