internal import Symbolication

/// A test, as its framework calls it.
public struct TestName: Sendable, Hashable {
  /// The type it belongs to, with its module where the report has it; nil for a free function.
  public var suite: String?
  /// The function, without parentheses.
  public var name: String

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
    let functions = principalFrames.suffix(2000).flatMap(\.functionNames)
    return swiftTestingTest(functions) ?? xctestTest(functions)
  }
}

/// Swift Testing calls a test through functions that the macro `@Test` makes (`…fMp_…fMu_…`, mangled inside a demangled
/// name), so the test is what they call. Seen with Swift 6.3.
private func swiftTestingTest(_ functions: [String]) -> TestName? {
  guard let thunk = functions.firstIndex(where: { $0.contains("fMp_") && $0.contains("Mu_") }), thunk > 0
  else { return nil }
  return TestName(normalizedFunction(functions[thunk - 1]))
}

/// XCTest calls methods that begin with `test` and belong to a class; the outermost one is the test.
private func xctestTest(_ functions: [String]) -> TestName? {
  guard functions.contains(where: { $0.contains("XCTest") }) else { return nil }
  return functions.reversed().lazy.map { TestName(normalizedFunction($0)) }.first { test in
    guard test.suite != nil, test.name.hasPrefix("test") else { return false }
    return !(test.name.dropFirst(4).first?.isLowercase ?? false)
  }
}
