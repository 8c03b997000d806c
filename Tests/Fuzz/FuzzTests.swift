import Foundation
import TestSupport
import Testing

/// Changed samples for a short time, each target in a process of its own; `CRASHREAD_FUZZ_SECONDS` makes it longer (for
/// all targets together). `Tests/Fuzz/run.sh` is the thorough form.
@Suite("Untrusted bytes")
struct FuzzTests {
  private static let names = FuzzTarget.all.map(\.name)

  private static let seconds =
    (ProcessInfo.processInfo.environment["CRASHREAD_FUZZ_SECONDS"].flatMap { Double($0) } ?? 11)
    / Double(names.count)

  @Test("give an answer or an error", arguments: names)
  func changedSamples(_ name: String) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("input")
    let seconds = Self.seconds
    let result = await ahead {
      await #expect(processExitsWith: .success) {
        [name = name as String, path = path as String, seconds = seconds as Double] in
        try feed(name, for: seconds, writingInputsTo: path)
      }
    }
    guard result == nil else { return }
    // The child ended while it read this.
    let input = try directory.bytes("input")
    Issue.record("\(name) ended at \(Data(input).base64EncodedString())")
  }
}

private func feed(_ name: String, for seconds: Double, writingInputsTo path: String) throws {
  let target = try #require(FuzzTarget.named(name))
  let read = try target.reader()
  var mutation = RandomMutation(of: try target.seeds(), seed: 1)
  let file = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
  // One input may take ten seconds, then the process is ended.
  let start = ContinuousClock.now
  repeat {
    let input = mutation.next()
    _ = unsafe pwrite(file, input, input.count, 0)
    ftruncate(file, input.count)
    alarm(10)
    read(input)
  } while ContinuousClock.now - start < .seconds(seconds)
  alarm(0)
}
