internal import Glibc
internal import Synchronization

/// How many processors this process may use.
package var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// The results of `body` for each number below `count`, in that order.
///
/// The calls are made on up to so many threads, the caller's own among them, in no order that can be relied on. All have
/// ended when this returns. Where no thread can be started, the caller's makes all calls.
package func concurrentMap<Result: Sendable>(
  _ count: Int, threads: Int, _ body: @Sendable (Int) -> Result
) -> [Result] {
  let helperCount = min(threads, count) - 1
  guard helperCount > 0 else { return (0..<count).map(body) }
  return withoutActuallyEscaping(body) { body in
    let crew = Crew(count, body)
    let helpers = (0..<helperCount).compactMap { _ in crew.startHelper() }
    crew.work()
    for helper in helpers { pthread_join(helper, nil) }
    return crew.results
  }
}

/// Threads that take numbers from one counter.
private final class Crew<Result: Sendable>: Sendable {
  private let body: @Sendable (Int) -> Result
  private let count: Int
  private let next = Atomic(0)
  private let slots: Mutex<[Result?]>

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) {
    self.body = body
    self.count = count
    slots = Mutex([Result?](repeating: nil, count: count))
  }

  /// The results, when no thread works any more.
  var results: [Result] { slots.withLock { $0.compactMap { $0 } } }

  /// Makes calls until none is left.
  func work() {
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      let result = body(index)
      slots.withLock { $0[index] = result }
    }
  }

  /// Starts a thread that works; nil when the system has none to give. The corresponding C function is
  /// `pthread_create`.
  func startHelper() -> pthread_t? {
    var thread = pthread_t()
    let helper = Helper { self.work() }
    let argument = unsafe Unmanaged.passRetained(helper)
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Helper>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      unsafe argument.release()
      return nil
    }
    return thread
  }
}

/// What a new thread does: a C function can't be generic.
private final class Helper: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
