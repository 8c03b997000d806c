internal import CCrashReadElfutils
internal import Glibc

/// Calls a function on a thread with a stack of its own and waits for it: for what may go deeper than the caller's stack
/// has room, which is anybody's. The corresponding C functions are `pthread_create` and `pthread_join`.
/// - Returns: nil when the system has no thread to give.
func onThread<Result: Sendable>(stack size: Int, _ body: @Sendable () -> Result) -> Result? {
  withoutActuallyEscaping(body) { body in
    let call = StackCall(body)
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, size)
    let code = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Runnable>.fromOpaque(argument).takeUnretainedValue().run()
        }
        return nil
      }, Unmanaged.passUnretained(call).toOpaque())
    guard code == 0 else { return nil }
    pthread_join(thread, nil)
    return call.result
  }
}

/// What a thread runs: a C function can't be generic.
private class Runnable {
  func run() {}
}

private final class StackCall<Result>: Runnable {
  private(set) var result: Result?
  private let body: () -> Result

  init(_ body: @escaping () -> Result) { self.body = body }

  override func run() { result = body() }
}
