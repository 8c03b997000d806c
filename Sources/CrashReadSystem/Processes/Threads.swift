internal import Glibc
internal import Synchronization

/// Runs a function on a new thread without waiting for it. The C function is `pthread_detach`.
package func startThread(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
  pthread_detach(try makeThread(run))
}

/// Runs a function on a thread with a large stack and waits for it: for recursion that may be deeper than the caller's
/// stack, whose size is unknown, allows. The C function is `pthread_join`.
/// - Returns: Nil when no thread can be created.
package func onThread<Result: Sendable>(stack size: Int, _ body: @Sendable () -> Result) -> Result? {
  withoutActuallyEscaping(body) { body in
    let slot = Slot<Result>()
    guard let thread = try? makeThread(stackSize: size, { slot.result.withLock { $0 = body() } }) else {
      return nil
    }
    pthread_join(thread, nil)
    return slot.result.withLock { $0 }
  }
}

private final class Slot<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
}

/// The closure that a thread runs: its start routine is a C function, which can't capture anything.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a thread, which is to be joined or detached. The C function is `pthread_create`.
/// - Parameters:
///   - stackSize: The size of its stack in bytes; nil for the default.
///   - run: What it runs.
/// - Returns: The thread.
/// - Throws: `SystemError` when no thread can be created.
private func makeThread(
  stackSize: Int? = nil, _ run: @escaping @Sendable () -> Void
) throws(SystemError) -> pthread_t {
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  defer { unsafe pthread_attr_destroy(&attributes) }
  if let stackSize { unsafe pthread_attr_setstacksize(&attributes, stackSize) }
  var thread = pthread_t()
  let body = unsafe Unmanaged.passRetained(ThreadBody(run))
  let code = unsafe pthread_create(
    &thread, &attributes,
    { argument in
      if let argument = unsafe argument {
        unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
      }
      return nil
    }, body.toOpaque())
  guard code == 0 else {
    unsafe body.release()
    throw .failed("pthread_create", code: code)
  }
  return thread
}

// MARK: - Work for several threads

/// The results of `body` for each number below `count`, in order.
///
/// The calls are made by at most `threads` threads, including the caller's, in no particular order; all have returned
/// when this function does. If no thread can be created, the caller's makes all calls.
package func concurrentMap<Result: Sendable>(
  _ count: Int, threads: Int, _ body: @Sendable (Int) -> Result
) -> [Result] {
  let helperCount = min(threads, count) - 1
  guard helperCount > 0 else { return (0..<count).map(body) }
  return withoutActuallyEscaping(body) { body in
    let shared = SharedWork(count, body)
    let helpers = (0..<helperCount).compactMap { _ in try? makeThread { shared.work() } }
    shared.work()
    for helper in helpers { pthread_join(helper, nil) }
    return shared.results
  }
}

/// Work shared by threads that take indices from a common counter.
private final class SharedWork<Result: Sendable>: Sendable {
  private let body: @Sendable (Int) -> Result
  private let count: Int
  private let next = Atomic(0)
  private let slots: Mutex<[Result?]>

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) {
    self.body = body
    self.count = count
    slots = Mutex([Result?](repeating: nil, count: count))
  }

  /// The results, once no thread is running.
  var results: [Result] { slots.withLock { $0.compactMap { $0 } } }

  /// Makes calls until all indices are taken.
  func work() {
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      let result = body(index)
      slots.withLock { $0[index] = result }
    }
  }
}
