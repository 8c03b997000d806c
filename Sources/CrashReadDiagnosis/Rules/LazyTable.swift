internal import CrashReadReports
internal import Synchronization

/// The members of an object of the knowledge, each read when it is asked for first: there are hundreds, and a report
/// needs a few.
final class LazyTable<Value: Sendable>: Sendable {
  private let source: JSONValue
  private let read: @Sendable (JSONValue) -> Value?
  private let known = Mutex<[String: Value?]>([:])

  init(_ source: JSONValue, _ read: @escaping @Sendable (JSONValue) -> Value?) {
    self.source = source
    self.read = read
  }

  /// The value of a name; nil when there is none.
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

  /// The names of all of them, in the document's order.
  var names: [String] { source.members.map(\.name) }

  /// All of them.
  var all: [String: Value] {
    Dictionary(
      names.compactMap { name in self[name].map { (name, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  /// The names of those that can't be read.
  var unreadable: [String] { source.members.filter { read($0.value) == nil }.map(\.name) }
}

/// The elements of a list of the knowledge, each read when it is asked for first; see `LazyTable`.
final class LazyList<Value: Sendable>: Sendable {
  private let sources: [JSONValue]
  private let read: @Sendable (JSONValue) -> Value?
  private let known = Mutex<[Int: Value?]>([:])

  init(_ sources: [JSONValue], _ read: @escaping @Sendable (JSONValue) -> Value?) {
    self.sources = sources
    self.read = read
  }

  /// The value at a place; nil when it can't be read, which a test rules out.
  subscript(index: Int) -> Value? {
    known.withLock { known in
      if let value = known[index] { return value }
      let value = read(sources[index])
      known[index] = .some(value)
      return value
    }
  }

  /// All that can be read, in order.
  var all: [Value] { sources.indices.compactMap { self[$0] } }
}
