internal import CrashReadReports

/// The members of an object of the knowledge, each read when it is asked for: there are hundreds, and a report needs a
/// few.
struct LazyTable<Value: Sendable>: Sendable {
  private let source: JSONValue
  private let read: @Sendable (JSONValue) -> Value?

  init(_ source: JSONValue, _ read: @escaping @Sendable (JSONValue) -> Value?) {
    self.source = source
    self.read = read
  }

  /// The value of a name; nil when there is none.
  subscript(name: String) -> Value? {
    let value = source[name]
    return value.isNull ? nil : read(value)
  }

  /// All of them.
  var all: [String: Value] {
    Dictionary(
      source.members.compactMap { name, value in read(value).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The names of those that can't be read.
  var unreadable: [String] { source.members.filter { read($0.value) == nil }.map(\.name) }
}
