internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A set of alternative patterns.
///
/// Each is parsed when a line could match it for the first time, since a report needs a few of hundreds.
final class PatternSet: Sendable {
  private let index: PatternIndex
  /// Patterns that can't be indexed.
  private let others: [Int]
  private let patterns: LazyList<TextPattern>
  private let isOfPlainNames: Bool
  let isEmpty: Bool

  /// Reads patterns; `document` is the name of the file that they stand in. Functions of C, Objective-C, C++ and Rust have
  /// plain names, which aren't shortened before they are compared.
  init(_ sources: [JSONValue], in document: String, isOfPlainNames: Bool = false) {
    self.isOfPlainNames = isOfPlainNames
    var index = PatternIndex(capacity: sources.count)
    others = sources.indices.filter { !index.add(sources[$0], of: $0) }
    isEmpty = sources.isEmpty
    self.index = index
    patterns = LazyList(sources) { TextPattern($0, in: document, problems: &$1) }
  }

  convenience init(_ list: JSONValue, in document: String, isOfPlainNames: Bool = false) {
    self.init(list.elements, in: document, isOfPlainNames: isOfPlainNames)
  }

  /// The invalid patterns.
  var problems: [String] { patterns.problems }

  /// The positions of the patterns that match a line of UTF-8, in no particular order and possibly with duplicates.
  func positions(matching line: Span<UInt8>) -> [Int] {
    var candidates = others
    index.collect(line, into: &candidates)
    // Nearly always.
    if candidates.isEmpty { return [] }
    let bytes = line.array
    return candidates.filter { patterns[$0]?.match(bytes) != nil }
  }

  /// Whether one of the patterns matches a line of UTF-8.
  func matches(_ line: [UInt8]) -> Bool { !positions(matching: line.span).isEmpty }

  func matches(_ line: String) -> Bool { !positions(matching: line.utf8.span).isEmpty }

  /// Whether one of the patterns matches a function's name.
  func matches(function name: String) -> Bool { matches(isOfPlainNames ? name : patternForm(of: name)) }
}

/// Kinds of functions, such as what a thread waits for in each; all are found in one pass over a name.
final class FunctionKinds: Sendable {
  /// The kinds' names, in order of priority.
  let names: [String]
  private let patterns: PatternSet
  /// The kind of each pattern, as a position in `names`.
  private let kinds: [Int]

  /// Reads an object whose members are the kinds; `list` is the list of patterns in a member's value.
  init(_ object: JSONValue, list: (JSONValue) -> JSONValue = { $0 }) {
    let members = object.members
    names = members.map(\.name)
    let lists = members.map { list($0.value).elements }
    kinds = lists.indices.flatMap { kind in lists[kind].map { _ in kind } }
    patterns = PatternSet(lists.flatMap(\.self), in: "frames.json")
  }

  /// The invalid patterns.
  var problems: [String] { patterns.problems }

  /// The kinds of a function, in no particular order and possibly with duplicates. Its name is in the form that patterns
  /// have (`patternForm`).
  func kinds(of form: Span<UInt8>) -> [Int] { patterns.positions(matching: form).map { kinds[$0] } }

  func kinds(ofFunction name: String) -> [Int] { kinds(of: patternForm(of: name).utf8.span) }

  /// The kinds of all functions at a frame.
  func kinds(of frame: ResolvedFrame) -> [Int] {
    var found: [Int] = []
    _ = frame.hasFunction { name in
      found += kinds(ofFunction: name)
      return false
    }
    return found
  }

  /// Whether a function is of any kind.
  func contains(function name: String) -> Bool { patterns.matches(function: name) }
}
