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
  package init(printed text: String) {
    if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
      suite = nil
      name = String(text.dropFirst().dropLast())
    } else {
      self = TestName(String(text.prefix { $0 != "(" }))
    }
  }

  /// Reads a name as result bundles have it: `Suite/test()`, or `Suite.test()` in lists of issues.
  package init(path: String) {
    let parts = path.prefix { $0 != "(" }.split(separator: "/").map(String.init)
    self = TestName(parts.joined(separator: "."))
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

/// A test that was running.
struct RunningTest {
  var name: TestName
  /// The test's own frame, as an index into the backtrace, and its function.
  var frame: Int
  var function: String
}

/// The test on a stack, told by its framework's frames around it; nil when there is none.
func runningTest(in frames: [ResolvedFrame]) -> RunningTest? {
  // Tests don't run at the bottom of a deep recursion, but below it.
  let functions = zip(frames.indices, frames).suffix(2000).flatMap { index, frame in
    frame.functionNames.map { NamedFrame(index: index, function: $0, image: frame.captured.imageName) }
  }
  let isXCTest = functions.contains {
    // SwiftPM's list of tests, for systems without an Objective-C runtime to ask for them.
    $0.function.holds("XCTest") || $0.function.holds("__allTests") || $0.image?.holds("XCTest") ?? false
  }
  return swiftTestingTest(functions) ?? googleTest(functions) ?? (isXCTest ? xctestTest(functions) : nil)
}

/// A function on a stack.
private struct NamedFrame {
  var index: Int
  var function: String
  var image: String?

  func runs(_ name: TestName) -> RunningTest { RunningTest(name: name, frame: index, function: function) }
}

/// Swift Testing calls a test through functions that the macro `@Test` makes (`…fMp_…fMu_…`, mangled inside a demangled
/// name), so the test is what they call: the next function of the same image, unless that is lost. Seen with Swift 6.3.
private func swiftTestingTest(_ frames: [NamedFrame]) -> RunningTest? {
  let thunk = frames.firstIndex { $0.function.holds("fMp_") && $0.function.holds("Mu_") }
  guard let thunk, thunk > 0, frames[thunk - 1].image == frames[thunk].image else { return nil }
  return frames[thunk - 1].runs(TestName(normalizedFunction(frames[thunk - 1].function)))
}

/// GoogleTest makes a class `Suite_name_Test` of each test, whose `TestBody` it calls (gtest-internal.h).
private func googleTest(_ frames: [NamedFrame]) -> RunningTest? {
  guard let body = frames.last(where: { $0.function.holds("_Test::TestBody()") }) else { return nil }
  let type = body.function.split(separator: "::").dropLast().last ?? ""
  let parts = type.dropLast("_Test".count).split(separator: "_", maxSplits: 1)
  guard parts.count == 2 else { return nil }
  var name = TestName(String(parts[1]))
  name.suite = String(parts[0])
  return body.runs(name)
}

/// XCTest calls methods that begin with `test` and belong to a class; the outermost one is the test.
private func xctestTest(_ frames: [NamedFrame]) -> RunningTest? {
  frames.reversed().lazy.map { $0.runs(TestName(normalizedFunction($0.function))) }.first { test in
    guard test.name.suite != nil, test.name.name.hasPrefix("test") else { return false }
    return !(test.name.name.dropFirst(4).first?.isLowercase ?? false)
  }
}
