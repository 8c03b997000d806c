internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports

/// Debug files with the same identity but different contents: a UUID can be copied, and a file rebuilt with the same
/// one.
///
/// Only the one that agrees best with the report itself is used. Copies give equal answers, and aren't mentioned.
struct ConflictingFiles {
  /// The index of the image in the report.
  let image: Int
  let report: CrashReport
  let locator: FrameLocator

  /// The maximum numbers of files compared and of frames looked up.
  private static let maximumFiles = 4
  private static let maximumFrames = 200
  /// The maximum size in bytes of the names and paths in a file's answers; a file that exceeds it isn't compared.
  private static let maximumText = 1 << 24

  /// A file's answers for the report's frames, and how well they agree with it.
  private struct FileAnswers {
    var candidate: SymbolStore.Candidate
    var answers: [[SourceFrame]]
    /// The number of functions that begin where the report says, minus the number of those that don't; a wrong CPU
    /// outweighs everything.
    var score: Int
  }

  /// Sorts the files by agreement with the report, best first, and records why the others aren't used.
  func sorted(
    _ candidates: [SymbolStore.Candidate], _ store: SymbolStore
  ) -> (candidates: [SymbolStore.Candidate], attempts: [SymbolAttempt]) {
    let compared = candidates.prefix { $0.slice.detail == candidates[0].slice.detail }.prefix(
      Self.maximumFiles)
    guard compared.count > 1 else { return (candidates, []) }
    let frames = self.frames
    let results = compared.compactMap { fileAnswers(of: $0, frames, store) }
    guard var best = results.first else { return (candidates, []) }
    for other in results where other.score > best.score { best = other }
    let others = results.filter { $0.answers != best.answers }
    let attempts = others.map { attempt(of: $0, besides: best) }
    return ([best.candidate] + candidates.filter { $0 != best.candidate }, attempts)
  }

  /// The report's first frames in the image.
  private var frames: [Frame] {
    var frames: [Frame] = []
    report.forEachFrame { frame in
      let isLocated = frame.address != nil || frame.imageOffset != nil
      if isLocated, frames.count < Self.maximumFrames, locator.image(of: frame) == image {
        frames.append(frame)
      }
    }
    return frames
  }

  private func fileAnswers(
    of candidate: SymbolStore.Candidate, _ frames: [Frame], _ store: SymbolStore
  ) -> FileAnswers? {
    guard case .success(let file) = store.open(candidate) else { return nil }
    var score = 0
    let architecture = report.images[image].architecture ?? report.architecture
    if let own = candidate.slice.architecture, let architecture, own != architecture {
      score -= Self.maximumFrames + 1
    }
    let addresses = frames.map { linkedAddress(locator.lookupOffset(of: $0, in: image), in: file) }
    var found = file.frames(at: addresses.compactMap(\.self), maximumText: Self.maximumText)?.makeIterator()
    if found == nil { return nil }
    let answers = addresses.map { $0.flatMap { _ in found?.next() } ?? [] }
    for (frame, answer) in zip(frames, answers) {
      guard let begin = entry(of: frame, in: file), let entry = answer.last?.entry else { continue }
      score += begin == entry ? 1 : -1
    }
    return FileAnswers(candidate: candidate, answers: answers, score: score)
  }

  /// The start of a frame's function, according to the report.
  private func entry(of frame: Frame, in file: DebugFile) -> LinkedAddress? {
    guard let distance = frame.reportedSymbolOffset, !frame.isInlined,
      let offset = locator.codeAddress(of: frame, image: image)?.offset(from: report.images[image].start)
        ?? frame.imageOffset,
      offset.rawValue >= distance
    else { return nil }
    return linkedAddress(ImageOffset(offset.rawValue - distance), in: file)
  }

  private func linkedAddress(_ offset: ImageOffset?, in file: DebugFile) -> LinkedAddress? {
    offset.flatMap { file.slice.linkedBase.advanced(by: $0) }
  }

  private func attempt(of other: FileAnswers, besides best: FileAnswers) -> SymbolAttempt {
    let why =
      other.score < best.score
      ? "which agrees better with the report"
      : "which was found first; nothing in the report distinguishes them"
    return .init(
      path: other.candidate.shownPath, id: other.candidate.id, outcome: .unusable,
      message:
        "it has the identity of \(best.candidate.shownPath) and other contents; that one is used, \(why)")
  }
}
