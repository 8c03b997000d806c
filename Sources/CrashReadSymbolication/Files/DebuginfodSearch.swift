internal import CrashReadCore
internal import CrashReadDebugInfo
internal import Synchronization

/// Asks debuginfod servers, for each build-id once.
final class DebuginfodSearch: Sendable {
  fileprivate struct Memory {
    var answers: [ImageID: DebuginfodAnswer] = [:]
    /// How long servers were waited for in vain.
    var lost = Duration.zero
    var missingLibrary: MissingLibrary?
  }
  private let memory = Mutex(Memory())
  /// Held while a server is asked: what others know already they need not wait for.
  private let asking = Mutex(())

  /// After waiting so long in vain no server is asked any more.
  private let patience: Duration
  private let ask: @Sendable (ImageID) -> Result<DebuginfodAnswer, MissingLibrary>

  /// A search that asks as it is told; by default the servers that `DEBUGINFOD_URLS` names.
  init(
    patience: Duration = .seconds(60),
    ask: @escaping @Sendable (ImageID) -> Result<DebuginfodAnswer, MissingLibrary> = { id in
      Result { () throws(MissingLibrary) in try askDebuginfod(id.bytes) }
    }
  ) {
    self.patience = patience
    self.ask = ask
  }

  /// Why none can be asked; nil as long as nobody had to.
  var missingLibrary: String? { memory.withLock { $0.missingLibrary?.description } }

  /// What they say to a build-id.
  func answer(for id: ImageID) -> DebuginfodAnswer {
    if let known = known(id) { return known }
    return asking.withLock { _ in
      if let known = known(id) { return known }
      let clock = ContinuousClock()
      let start = clock.now
      let result = ask(id)
      let time = start.duration(to: clock.now)
      return memory.withLock { $0.remember(result, for: id, after: time) }
    }
  }

  private func known(_ id: ImageID) -> DebuginfodAnswer? {
    memory.withLock { memory in
      if let missing = memory.missingLibrary { return .failed(missing.description) }
      if let answer = memory.answers[id] { return answer }
      return memory.lost > patience ? .failed("not asked: too much time was lost with servers") : nil
    }
  }
}

extension DebuginfodSearch.Memory {
  fileprivate mutating func remember(
    _ result: Result<DebuginfodAnswer, MissingLibrary>, for id: ImageID, after time: Duration
  ) -> DebuginfodAnswer {
    switch result {
    case .failure(let missing):
      missingLibrary = missing
      return .failed(missing.description)
    case .success(let answer):
      if case .file = answer {} else { lost += time }
      answers[id] = answer
      return answer
    }
  }
}

extension SymbolStore {
  /// The debug file that debuginfod servers have for a build-id; the attempt is recorded when it came to nothing.
  func fetched(for id: ImageID, _ match: inout ImageMatch) -> [Candidate] {
    guard let debuginfod, id.isBuildID else { return [] }
    let message: String
    switch debuginfod.answer(for: id) {
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
