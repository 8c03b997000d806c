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
