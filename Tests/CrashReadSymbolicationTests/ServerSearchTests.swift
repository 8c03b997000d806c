import CrashReadCore
import CrashReadDebugInfo
import CrashReadSystem
import Synchronization
import Testing

@testable import CrashReadSymbolication

@Suite("Answers of servers")
struct ServerSearchTests {
  /// The requested identities.
  private final class Log: Sendable {
    let asked = Mutex<[ImageID]>([])
    var count: Int { asked.withLock { $0.count } }
    func add(_ id: ImageID) { asked.withLock { $0.append(id) } }
  }

  private let log = Log()

  private func id(_ byte: UInt8) throws -> ImageID {
    try #require(ImageID(bytes: [UInt8](repeating: byte, count: 20)))
  }

  private func search(_ answer: Result<ServerAnswer, MissingLibrary>) -> ServerSearch {
    ServerSearch(title: "servers", setting: "") { [log] id, _ in
      log.add(id)
      return answer
    }
  }

  @Test("is cached", arguments: [ServerAnswer.file("/x"), .unknown, .failed("no answer")])
  func remembered(_ answer: ServerAnswer) throws {
    let search = search(.success(answer))
    for byte: UInt8 in [1, 2, 1, 2] {
      #expect(search.answer(for: try id(byte), name: "", RequestBudget()) == answer)
    }
    #expect(try log.asked.withLock { $0 } == [id(1), id(2)])
  }

  /// A report with the identity of another program's image and a different name doesn't affect requests for the file.
  @Test func answersAreCachedPerName() throws {
    let search = ServerSearch(title: "servers", setting: "") { _, name in
      .success(name == "App" ? .file("/x") : .unknown)
    }
    #expect(search.answer(for: try id(1), name: "Other", RequestBudget()) == .unknown)
    #expect(search.answer(for: try id(1), name: "App", RequestBudget()) == .file("/x"))
  }

  @Test func concurrentRequestsAreMerged() async throws {
    let search = search(.success(.unknown))
    let id = try id(1)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { _ = search.answer(for: id, name: "", RequestBudget()) } }
    }
    #expect(log.count == 1)
  }

  @Test func requestsStopAfterTheTimeBudget() throws {
    let lost = search(.success(.failed("no answer")))
    let budget = RequestBudget(.zero)
    #expect(lost.answer(for: try id(1), name: "", budget) == .failed("no answer"))
    #expect(
      lost.answer(for: try id(2), name: "", budget)
        == .failed("not requested: failed requests took too much time"))
    #expect(lost.answer(for: try id(1), name: "", budget) == .failed("no answer"))
    #expect(log.count == 1)
    // It ends with the report.
    #expect(lost.answer(for: try id(2), name: "", RequestBudget(.zero)) == .failed("no answer"))
    let served = search(.success(.file("/x")))
    let more = RequestBudget(.zero)
    for byte: UInt8 in [1, 2] { #expect(served.answer(for: try id(byte), name: "", more) == .file("/x")) }
  }

  @Test("only the time of failed requests counts") func budget() {
    let budget = RequestBudget(.seconds(60))
    for _ in 0..<1_500 { budget.note(.unknown, after: .milliseconds(40)) }
    budget.note(.file("/x"), after: .seconds(300))
    #expect(!budget.isExhausted)
    budget.note(.unknown, after: .seconds(31))
    budget.note(.failed("no answer"), after: .seconds(30))
    #expect(budget.isExhausted)
  }

  @Test func missingLibraryIsSearchedOnce() throws {
    let missing = try #require(throws: MissingLibrary.self) {
      try RuntimeLibrary("libnowhere.so.1", package: "libnowhere1")
    }
    let search = search(.failure(missing))
    #expect(search.missingLibrary == nil)
    for byte: UInt8 in [1, 2] {
      #expect(search.answer(for: try id(byte), name: "", RequestBudget()) == .failed(missing.description))
    }
    #expect(search.missingLibrary == missing.description)
    #expect(log.count == 1)
  }
}
