internal import CrashReadReports
internal import Synchronization

/// The members of an object of the knowledge, each parsed on first use: there are hundreds, of which a report needs a
/// few.
final class LazyTable<Value: Sendable>: Sendable {
  private let source: JSONValue
  private let read: @Sendable (JSONValue) -> Value?
  private let known = Mutex<[String: Value?]>([:])

  init(_ source: JSONValue, _ read: @escaping @Sendable (JSONValue) -> Value?) {
    self.source = source
    self.read = read
  }

  /// The value for a name; nil when there is none.
  subscript(name: String) -> Value? {
    known.withLock { known in
      if let value = known[name] { return value }
      let member = source[name]
      guard !member.isNull else { return nil }
      let value = read(member)
      known[name] = .some(value)
      return value
    }
  }

  /// All names, in the document's order.
  var names: [String] { source.members.map(\.name) }

  /// All values by name.
  var all: [String: Value] {
    Dictionary(
      names.compactMap { name in self[name].map { (name, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  /// The names of invalid members.
  var unreadable: [String] { source.members.filter { read($0.value) == nil }.map(\.name) }
}

/// The elements of an array of the knowledge, each parsed on first use; see `LazyTable`.
final class LazyList<Value: Sendable>: Sendable {
  typealias Reader = @Sendable (JSONValue, _ problems: inout [String]) -> Value?

  private let count: Int
  private let source: @Sendable (Int) -> JSONValue
  private let read: Reader
  /// The values by position that have been parsed; nil for an invalid one.
  private let known = Mutex<[Int: Value?]>([:])

  /// - Parameters:
  ///   - sources: The elements.
  ///   - read: Parses an element, or adds the problem with it.
  init<Sources: RandomAccessCollection & Sendable>(_ sources: Sources, _ read: @escaping Reader)
  where Sources.Element == JSONValue, Sources.Index == Int {
    count = sources.count
    source = { sources[$0] }
    self.read = read
  }

  /// The value at a position; nil when it is invalid, which a test rules out.
  subscript(index: Int) -> Value? {
    known.withLock { known in
      if let value = known[index] { return value }
      var problems: [String] = []
      let value = read(source(index), &problems)
      known[index] = .some(value)
      return value
    }
  }

  /// All valid elements, in order.
  var all: [Value] { (0..<count).compactMap { self[$0] } }

  /// Problems with invalid elements, which are ignored; a test checks that there are none.
  var problems: [String] {
    var problems: [String] = []
    for index in 0..<count { _ = read(source(index), &problems) }
    return problems
  }
}
