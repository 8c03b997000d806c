internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem
internal import Synchronization

/// Requests debug files from servers, at most once per image.
final class ServerSearch: Sendable {
  /// The key of a request. Where paths include names, the answer for one name says nothing about others.
  fileprivate struct Request: Hashable {
    var id: ImageID
    var name: String
  }

  fileprivate struct Memory {
    var answers: [Request: (answer: ServerAnswer, time: ContinuousClock.Instant)] = [:]
    var missingLibrary: MissingLibrary?
  }
  private let memory = Mutex(Memory())
  /// Held during a request; looking up known answers doesn't wait for it.
  private let requestLock = Mutex(())

  /// Asks for an identity, and the name of the image's file.
  private let ask: @Sendable (ImageID, String) -> Result<ServerAnswer, MissingLibrary>
  /// The name of the servers in messages that they don't have a file.
  let title: String
  /// The setting that enables them, for the message that they can't be used.
  let setting: String
  /// Whether they only know build-ids.
  private let wantsBuildIDs: Bool

  /// How long a negative answer is valid: as long as libdebuginfod itself caches one.
  fileprivate static let lifetime = Duration.seconds(600)
  /// The maximum number of cached answers: reports may contain random build-ids.
  fileprivate static let maximumAnswers = 100_000

  /// Creates a search that requests files through `ask`.
  init(
    title: String, setting: String, wantsBuildIDs: Bool = false,
    ask: @escaping @Sendable (ImageID, String) -> Result<ServerAnswer, MissingLibrary>
  ) {
    (self.title, self.setting, self.wantsBuildIDs, self.ask) = (title, setting, wantsBuildIDs, ask)
  }

  /// Asks the servers in `DEBUGINFOD_URLS`, which know build-ids.
  static var debuginfod: ServerSearch {
    ServerSearch(title: "debuginfod", setting: "DEBUGINFOD_URLS", wantsBuildIDs: true) { id, _ in
      Result { () throws(MissingLibrary) in try askDebuginfod(id.bytes) }
    }
  }

  /// Asks servers given by the user.
  convenience init(_ servers: [SymbolServer], caches: CacheDirectory?, limits: Limits) {
    let files = ServedFiles(servers, caches: caches, limit: limits.archiveSize)
    self.init(title: "symbol servers", setting: "--symbol-server") { id, name in
      Result { () throws(MissingLibrary) in try files.ask(id, name: name) }
    }
  }

  /// Whether they can be asked for an identity.
  func knows(_ id: ImageID) -> Bool { id.isBuildID || !wantsBuildIDs }

  /// Why no server can be asked; nil until one is needed.
  var missingLibrary: String? { memory.withLock { $0.missingLibrary?.description } }

  /// The servers' answer for an identity, within the report's time budget.
  func answer(for id: ImageID, name: String, _ budget: RequestBudget) -> ServerAnswer {
    let request = Request(id: id, name: wantsBuildIDs ? "" : name)
    if let known = known(request, budget) { return known }
    return requestLock.withLock { _ in
      if let known = known(request, budget) { return known }
      let clock = ContinuousClock()
      let start = clock.now
      let result = ask(id, name)
      if let answer = try? result.get() { budget.note(answer, after: start.duration(to: clock.now)) }
      return memory.withLock { $0.remember(result, for: request, at: clock.now) }
    }
  }

  private func known(_ request: Request, _ budget: RequestBudget) -> ServerAnswer? {
    memory.withLock { memory in
      if let missing = memory.missingLibrary { return .failed(missing.description) }
      if let (answer, time) = memory.answers[request], time + Self.lifetime > .now { return answer }
      return budget.isExhausted ? .failed("not requested: failed requests took too much time") : nil
    }
  }
}

/// The time budget of one report for requests that fail, so that it can't block other reports.
final class RequestBudget: Sendable {
  private let left: Mutex<Duration>

  /// Negative answers within this time aren't charged: every report has images that no server knows.
  private static let freeResponseTime = Duration.seconds(1)

  init(_ budget: Duration = .seconds(60)) { left = Mutex(budget) }

  /// Whether the time budget is exhausted.
  var isExhausted: Bool { left.withLock { $0 < .zero } }

  /// Charges the time of a request, unless it returned a file.
  func note(_ answer: ServerAnswer, after time: Duration) {
    switch answer {
    case .file: break
    case .unknown: if time > Self.freeResponseTime { left.withLock { $0 -= time } }
    case .failed: left.withLock { $0 -= time }
    }
  }
}

extension ServerSearch.Memory {
  fileprivate mutating func remember(
    _ result: Result<ServerAnswer, MissingLibrary>, for request: ServerSearch.Request,
    at time: ContinuousClock.Instant
  ) -> ServerAnswer {
    switch result {
    case .failure(let missing):
      missingLibrary = missing
      return .failed(missing.description)
    case .success(let answer):
      if answers.count >= ServerSearch.maximumAnswers { answers = [:] }
      answers[request] = (answer, time)
      return answer
    }
  }
}

extension SymbolStore {
  /// The debug files that servers have for an identity; failed attempts are recorded.
  func fetched(
    for id: ImageID, name: String, _ match: inout ImageMatch, _ budget: RequestBudget
  ) -> [Candidate] {
    var found: [Candidate] = []
    for server in servers where found.isEmpty && server.knows(id) {
      found = fetched(for: id, name: name, from: server, &match, budget)
    }
    return found
  }

  private func fetched(
    for id: ImageID, name: String, from server: ServerSearch, _ match: inout ImageMatch,
    _ budget: RequestBudget
  ) -> [Candidate] {
    let message: String
    switch server.answer(for: id, name: name, budget) {
    case .file(let path):
      let slices = (try? BinarySlice.all(in: path)) ?? []
      let right = slices.filter { $0.id?.isNamed(by: id) == true }
      if right.isEmpty {
        match.attempts.append(.init(path: path, id: slices.first?.id, outcome: .identityMismatch))
      }
      return right.map { Candidate(path: path, slice: $0.summary, names: []) }
    case .unknown: message = "no server has a file with this \(id.isBuildID ? "build-id" : "UUID")"
    case .failed(let reason): message = reason
    }
    match.attempts.append(.init(path: server.title, id: nil, outcome: .missing, message: message))
    return []
  }
}
