internal import Synchronization

/// How much of something all parts of a file may have together: each of a million units may name the same bytes.
final class Budget: Sendable {
  private let rest: Mutex<Int>

  init(_ size: Int) { rest = Mutex(size) }

  /// What is left; never below zero.
  var left: Int { rest.withLock { max(0, $0) } }

  func spend(_ count: Int) { rest.withLock { $0 -= min(count, $0) } }
}
