internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSystem

/// Finds the debug file of one image. The identity decides, never the name.
///
/// Used for a single report.
struct ImageMatcher {
  let store: SymbolStore
  let allowsMismatch: Bool
  private let budget = RequestBudget()

  init(store: SymbolStore, allowsMismatch: Bool) {
    (self.store, self.allowsMismatch) = (store, allowsMismatch)
  }

  /// The maximum number of files of other builds that are recorded.
  private static let maximumOtherBuilds = 16

  /// Looks for an image's debug file.
  ///
  /// - Parameters:
  ///   - index: The image, as an index into the report's images.
  ///   - report: The report.
  ///   - locator: Locates the report's frames, which distinguish files with the same identity.
  /// - Returns: The result, and the opened file if there is one to use.
  func match(
    _ index: Int, in report: CrashReport, _ locator: FrameLocator
  ) -> (match: ImageMatch, file: DebugFile?) {
    let image = report.images[index]
    var match = ImageMatch(status: .missing)
    let name = image.fileName
    if let id = image.id {
      var candidates = identified(by: id, image)
      if !candidates.contains(where: \.slice.hasDWARF) {
        candidates = store.fetched(for: id, name: name, &match, budget) + candidates
      }
      var conflicts: [SymbolAttempt] = []
      if candidates.count > 1 {
        let files = ConflictingFiles(image: index, report: report, locator: locator)
        (candidates, conflicts) = files.sorted(candidates, store)
      }
      if let file = firstUsable(of: candidates, for: &match) {
        match.attempts = conflicts + match.attempts
        return (match, file)
      }
      guard match.status == .missing else { return (match, nil) }
      return mismatched(name, image, report, match)
    }
    // Without an identity, a candidate is only a guess: it has the name, or is the only file given.
    let named = store.candidates(named: name)
    let guesses =
      named.isEmpty && name == report.header.process && store.hasOneFile ? store.candidates : named
    let file = firstUsable(of: fitting(guesses, image), for: &match)
    match.isGuess = file != nil
    return (match, file)
  }

  /// Files with the identity, those with DWARF first; the search stops at the first that has it.
  func identified(by id: ImageID, _ image: BinaryImage) -> [SymbolStore.Candidate] {
    let known = store.candidates(for: id)
    if known.contains(where: \.slice.hasDWARF) { return known }
    var scan = SymbolScan()
    if let path = buildIDPath(id) { scan.addIfPresent(path) }
    if let path = image.path { scan.add(reportedPath: path, below: store.programFolders) }
    let others = scan.candidates.filter { $0.id?.isNamed(by: id) == true && !known.contains($0) }
    return others.filter(\.slice.hasDWARF) + known + others.filter { !$0.slice.hasDWARF }
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
        match.attempts.append(.init(path: candidate.shownPath, id: candidate.id, outcome: .used))
        return file
      case .failure(let error):
        match.status = .unusable
        match.attempts.append(
          .init(path: candidate.shownPath, id: candidate.id, outcome: .unusable, message: error.description)
        )
      }
    }
    return nil
  }

  /// Records the files of other builds, newest first; uses one only if that is allowed.
  ///
  /// A file of another program is irrelevant, and recorded only if nothing else was given.
  private func mismatched(
    _ name: String, _ image: BinaryImage, _ report: CrashReport, _ match: ImageMatch
  ) -> (match: ImageMatch, file: DebugFile?) {
    var match = match
    let builds = newestFirst(store.candidates(named: name))
    let others = builds.isEmpty && name == report.header.process && store.hasOneFile ? store.candidates : []
    guard !builds.isEmpty || !others.isEmpty else { return (match, nil) }
    if allowsMismatch, let file = firstUsable(of: fitting(builds + others, image), for: &match) {
      (match.isGuess, match.isOtherBuild) = (true, true)
      return (match, file)
    }
    match.status = .identityMismatch
    match.attempts += (builds + others).prefix(Self.maximumOtherBuilds).map {
      var attempt = SymbolAttempt(path: $0.shownPath, id: $0.id, outcome: .identityMismatch)
      attempt.isOtherBuild = !builds.isEmpty
      return attempt
    }
    match.otherBuildCount = max(0, builds.count - Self.maximumOtherBuilds)
    return (match, nil)
  }

  /// Candidates by modification time; those of archives come last.
  private func newestFirst(_ candidates: [SymbolStore.Candidate]) -> [SymbolStore.Candidate] {
    if candidates.count < 2 { return candidates }
    let dated = candidates.map { (candidate: $0, written: (try? FileStatus($0.shownPath))?.written ?? 0) }
    return dated.sorted { ($1.written, $0.candidate.path) < ($0.written, $1.candidate.path) }.map(\.candidate)
  }

  /// Files with the image's name; for the program itself, if there are none, those that belong to no other image.
  func near(_ name: String, _ report: CrashReport) -> [SymbolStore.Candidate] {
    let named = store.candidates(named: name)
    guard named.isEmpty, name == report.header.process else { return named }
    return store.candidates(besides: Set(report.images.compactMap(\.id)), limit: Self.maximumOtherBuilds)
  }
}

extension BinaryImage {
  /// The most likely name of its debug file: that of the file, which on macOS may differ from the one printed.
  package var fileName: String { path.map { String(lastComponent($0)) } ?? name ?? "" }
}
