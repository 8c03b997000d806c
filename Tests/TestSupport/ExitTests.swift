/// Runs an exit test ahead of the tests that wait for a thread.
///
/// The test library learns of a child's end before the test that started it asks for it. Until then one of its threads turns
/// without a pause, and among hundreds of tests of the same priority that takes as long as all of them.
@discardableResult
public func ahead<Result: Sendable>(_ test: @escaping @Sendable () async -> Result) async -> Result {
  await Task(priority: .high) { await test() }.value
}
