internal import Synchronization

/// A non-recursive mutex.
final class Lock: Sendable {
  private let mutex = Mutex<Void>(())

  func withLock<Result>(_ body: () -> Result) -> Result {
    mutex.withLock { _ in
      nonisolated(unsafe) let result = body()
      return unsafe result
    }
  }
}

/// Values created once per key, for several threads. They are immutable once they are stored.
final class LockedCache<Key: Hashable, Value> {
  private let lock = Lock()
  private var values: [Key: Value] = [:]

  /// The value for a key. It is created without holding the lock: two threads may create it at the same time, and the
  /// first result is kept.
  func value(of key: Key, _ make: () -> Value) -> Value {
    if let known = lock.withLock({ values[key] }) { return known }
    let value = make()
    return lock.withLock {
      let kept = values[key] ?? value
      values[key] = kept
      return kept
    }
  }
}
