import Glibc
package import Testing

/// The processor time that `body` takes on this thread.
///
/// For work that must not be quadratic in its input: unlike wall clock time, it doesn't contain what other tests and
/// programs do meanwhile. The C function is `clock_gettime` with `CLOCK_THREAD_CPUTIME_ID`.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
  let start = processorTimeNow()
  try body()
  return processorTimeNow() - start
}

private func processorTimeNow() -> Duration {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that would never return.
  ///
  /// Far more than any takes: the clock already runs while a test waits for a thread, as a thousand others do.
  package static var mustEnd: Self { .timeLimit(.minutes(20)) }
}
