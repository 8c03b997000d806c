/// A test, as named by its framework.
public struct TestName: Sendable, Hashable, CustomStringConvertible {
  /// The type it belongs to, with its module if the report has it; nil for a free function.
  public var suite: String?
  /// The function, without parentheses.
  public var name: String

  /// Suite and name as usually written: `EngineTests.startsInFirst`.
  public var description: String { (suite.map { $0 + "." } ?? "") + name }

  /// Parses a name as printed by test runs: `Suite.test`, `test()`, or a display name in quotation marks.
  package init(printed text: String) {
    if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
      suite = nil
      name = String(text.dropFirst().dropLast())
    } else {
      self = TestName(String(text.prefix { $0 != "(" }))
    }
  }

  /// Parses a name from a result bundle: `Suite/test()`, or `Suite.test()` in lists of issues.
  package init(path: String) {
    let parts = path.prefix { $0 != "(" }.split(separator: "/").map(String.init)
    self = TestName(parts.joined(separator: "."))
  }

  /// Splits a function's name at the last dot, or Objective-C's `-[Suite name]` at the blank.
  package init(_ function: String) {
    let isObjectiveC = function.hasPrefix("-[") && function.hasSuffix("]")
    let text = isObjectiveC ? function.dropFirst(2).dropLast() : function[...]
    let parts = text.split(separator: isObjectiveC ? " " : ".")
    name = String(parts.last ?? text)
    suite = parts.count > 1 ? parts.dropLast().joined(separator: isObjectiveC ? " " : ".") : nil
  }
}
