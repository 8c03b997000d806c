internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication

/// A test, as its framework calls it.
public struct TestName: Sendable, Hashable, CustomStringConvertible {
  /// The type it belongs to, with its module where the report has it; nil for a free function.
  public var suite: String?
  /// The function, without parentheses.
  public var name: String

  /// Both, as people write them: `EngineTests.startsInFirst`.
  public var description: String { (suite.map { $0 + "." } ?? "") + name }

  /// Reads a name as test runs print it: `Suite.test`, `test()` or `"what it shows"`.
  public init(printed text: String) {
    if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
      suite = nil
      name = String(text.dropFirst().dropLast())
    } else {
      self = TestName(String(text.prefix { $0 != "(" }))
    }
  }

  /// Splits a function's name at the last dot, or Objective-C's `-[Suite name]` at the blank.
  init(_ function: String) {
    let isObjectiveC = function.hasPrefix("-[") && function.hasSuffix("]")
    let text = isObjectiveC ? function.dropFirst(2).dropLast() : function[...]
    let parts = text.split(separator: isObjectiveC ? " " : ".")
    name = String(parts.last ?? text)
    suite = parts.count > 1 ? parts.dropLast().joined(separator: isObjectiveC ? " " : ".") : nil
  }
}

extension Diagnosis {
  /// The test in which the program crashed, told by its framework's frames around it; nil when it was in none.
  public var crashingTest: TestName? {
    // Tests don't run at the bottom of a deep recursion, but below it.
    let frames = principalFrames.suffix(2000)
    let functions = frames.flatMap(\.functionNames)
    let isXCTest = frames.contains { $0.captured.imageName?.holds("XCTest") ?? false }
    return swiftTestingTest(functions)
      ?? (isXCTest || functions.contains { $0.holds("XCTest") } ? xctestTest(functions) : nil)
  }
}

/// Swift Testing calls a test through functions that the macro `@Test` makes (`…fMp_…fMu_…`, mangled inside a demangled
/// name), so the test is what they call. Seen with Swift 6.3.
private func swiftTestingTest(_ functions: [String]) -> TestName? {
  guard let thunk = functions.firstIndex(where: { $0.holds("fMp_") && $0.holds("Mu_") }), thunk > 0
  else { return nil }
  return TestName(normalizedFunction(functions[thunk - 1]))
}

/// XCTest calls methods that begin with `test` and belong to a class; the outermost one is the test.
private func xctestTest(_ functions: [String]) -> TestName? {
  functions.reversed().lazy.map { TestName(normalizedFunction($0)) }.first { test in
    guard test.suite != nil, test.name.hasPrefix("test") else { return false }
    return !(test.name.dropFirst(4).first?.isLowercase ?? false)
  }
}
