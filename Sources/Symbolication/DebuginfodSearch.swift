internal import BinaryIdentity
internal import DebugInfo
internal import Synchronization

/// Asks debuginfod servers, for each build-id once.
final class DebuginfodSearch: Sendable {
  fileprivate struct Memory {
    var answers: [ImageID: (answer: DebuginfodAnswer, time: ContinuousClock.Instant)] = [:]
    var missingLibrary: MissingLibrary?
  }
  private let memory = Mutex(Memory())
  /// Held while a server is asked: what others know already they need not wait for.
  private let asking = Mutex(())

  private let ask: @Sendable (ImageID) -> Result<DebuginfodAnswer, MissingLibrary>

  /// As long as libdebuginfod itself remembers that a server has no file.
  fileprivate static let term = Duration.seconds(600)
  /// More answers aren't kept: reports may name build-ids at random.
  fileprivate static let mostAnswers = 100_000

  /// A search that asks as it is told; by default the servers that `DEBUGINFOD_URLS` names.
  init(
    ask: @escaping @Sendable (ImageID) -> Result<DebuginfodAnswer, MissingLibrary> = { id in
      Result { () throws(MissingLibrary) in try askDebuginfod(id.bytes) }
    }
  ) {
    self.ask = ask
  }

  /// Why none can be asked; nil as long as nobody had to.
  var missingLibrary: String? { memory.withLock { $0.missingLibrary?.description } }

  /// What they say to a build-id, as long as the report that has it has patience.
  func answer(for id: ImageID, _ patience: ServerPatience) -> DebuginfodAnswer {
    if let known = known(id, patience) { return known }
    return asking.withLock { _ in
      if let known = known(id, patience) { return known }
      let clock = ContinuousClock()
      let start = clock.now
      let result = ask(id)
      if let answer = try? result.get() { patience.note(answer, after: start.duration(to: clock.now)) }
      return memory.withLock { $0.remember(result, for: id, at: clock.now) }
    }
  }

  private func known(_ id: ImageID, _ patience: ServerPatience) -> DebuginfodAnswer? {
    memory.withLock { memory in
      if let missing = memory.missingLibrary { return .failed(missing.description) }
      if let (answer, time) = memory.answers[id], time + Self.term > .now { return answer }
      return patience.isLost ? .failed("not asked: too much time was lost with servers") : nil
    }
  }
}

/// How long servers are waited for in vain for one report: what it names can't keep the next ones from being asked for.
final class ServerPatience: Sendable {
  private let left: Mutex<Duration>

  /// Within this time a server that has nothing may say so; every report names images that no server knows.
  private static let promptness = Duration.seconds(1)

  init(_ patience: Duration = .seconds(60)) { left = Mutex(patience) }

  /// Whether no server is asked any more.
  var isLost: Bool { left.withLock { $0 < .zero } }

  /// Counts the time that an answer took, unless it was worth it.
  func note(_ answer: DebuginfodAnswer, after time: Duration) {
    switch answer {
    case .file: break
    case .unknown: if time > Self.promptness { left.withLock { $0 -= time } }
    case .failed: left.withLock { $0 -= time }
    }
  }
}

extension DebuginfodSearch.Memory {
  fileprivate mutating func remember(
    _ result: Result<DebuginfodAnswer, MissingLibrary>, for id: ImageID, at time: ContinuousClock.Instant
  ) -> DebuginfodAnswer {
    switch result {
    case .failure(let missing):
      missingLibrary = missing
      return .failed(missing.description)
    case .success(let answer):
      if answers.count >= DebuginfodSearch.mostAnswers { answers = [:] }
      answers[id] = (answer, time)
      return answer
    }
  }
}

extension SymbolStore {
  /// The debug file that debuginfod servers have for a build-id; the attempt is recorded when it came to nothing.
  func fetched(for id: ImageID, _ match: inout ImageMatch, _ patience: ServerPatience) -> [Candidate] {
    guard let debuginfod, id.isBuildID else { return [] }
    let message: String
    switch debuginfod.answer(for: id, patience) {
    case .file(let path):
      let slices = (try? BinarySlice.all(in: path)) ?? []
      let right = slices.filter { $0.id == id }
      if right.isEmpty {
        match.attempts.append(.init(path: path, id: slices.first?.id, outcome: .identityMismatch))
      }
      return right.map { Candidate(path: path, slice: $0.summary, names: []) }
    case .unknown: message = "no server has a file with this build-id"
    case .failed(let reason): message = reason
    }
    match.attempts.append(.init(path: "debuginfod", id: nil, outcome: .missing, message: message))
    return []
  }
}
