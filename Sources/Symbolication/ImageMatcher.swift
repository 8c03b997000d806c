internal import BinaryIdentity
internal import CrashReports
internal import DebugInfo

/// Finds the debug file of one image. Identity decides, never the name.
struct ImageMatcher {
  let store: SymbolStore
  let allowsMismatch: Bool

  /// What was found, and the opened file when there is one to use.
  func match(_ image: BinaryImage, in report: CrashReport) -> (match: ImageMatch, file: DebugFile?) {
    var match = ImageMatch(status: .missing)
    let name = image.path.map { String(fileName($0)) } ?? image.name ?? ""
    if let id = image.id {
      var candidates = identified(by: id)
      if !candidates.contains(where: \.slice.hasDWARF) {
        candidates = store.fetched(for: id, &match) + candidates
      }
      if let file = firstUsable(of: candidates, for: &match) { return (match, file) }
      guard match.status == .missing else { return (match, nil) }
      return mismatched(name, image, report, match)
    }
    // Without an identity only a name, or being the only one there is, speaks for a file: a guess.
    let named = store.candidates(named: name)
    let guesses = named.isEmpty && name == report.header.process ? onlyCandidate : named
    let file = firstUsable(of: fitting(guesses, image), for: &match)
    match.isGuess = file != nil
    return (match, file)
  }

  private func identified(by id: ImageID) -> [SymbolStore.Candidate] {
    let known = store.candidates(for: id)
    guard known.isEmpty, let path = buildIDPath(id), let slices = try? BinarySlice.all(in: path) else {
      return known
    }
    return slices.filter { $0.id == id }.map { .init(path: path, slice: $0, names: []) }
  }

  private var onlyCandidate: [SymbolStore.Candidate] {
    Set(store.candidates.map(\.path)).count == 1 ? store.candidates : []
  }

  /// The slices of an image's CPU, where it is known.
  private func fitting(_ candidates: [SymbolStore.Candidate], _ image: BinaryImage) -> [SymbolStore.Candidate]
  {
    guard let architecture = image.architecture, !candidates.isEmpty else { return candidates }
    return candidates.filter { $0.slice.architecture == architecture }
  }

  /// Opens candidates in order until one can be used, and records each attempt.
  private func firstUsable(of candidates: [SymbolStore.Candidate], for match: inout ImageMatch) -> DebugFile?
  {
    for candidate in candidates {
      switch store.open(candidate) {
      case .success(let file):
        match.status = .matched
        match.debugFile = candidate.shownPath
        match.attempts.append(.init(path: candidate.shownPath, id: candidate.slice.id, outcome: .used))
        return file
      case .failure(let error):
        match.status = .unusable
        match.attempts.append(
          .init(
            path: candidate.shownPath, id: candidate.slice.id, outcome: .unusable, message: error.description)
        )
      }
    }
    return nil
  }

  /// Records the files that look like the image's but have another identity; uses one only when told to.
  private func mismatched(
    _ name: String, _ image: BinaryImage, _ report: CrashReport, _ match: ImageMatch
  ) -> (match: ImageMatch, file: DebugFile?) {
    var match = match
    let wanted = Set(report.images.compactMap(\.id))
    var near = store.candidates(named: name)
    if near.isEmpty, name == report.header.process {
      // Nothing has the name: show what was given and belongs to no other image.
      near = store.candidates.filter { candidate in
        !wanted.contains { candidate.slice.id?.isNamed(by: $0) == true }
      }
    }
    guard !near.isEmpty else { return (match, nil) }
    if allowsMismatch, let file = firstUsable(of: fitting(near, image), for: &match) {
      match.isGuess = true
      return (match, file)
    }
    match.status = .identityMismatch
    match.attempts += near.prefix(16).map {
      .init(path: $0.shownPath, id: $0.slice.id, outcome: .identityMismatch)
    }
    return (match, nil)
  }
}
