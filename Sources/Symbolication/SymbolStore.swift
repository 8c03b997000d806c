internal import BinaryIdentity
public import DebugInfo
internal import Synchronization

/// The debug files at hand, known by their headers; each is opened when it is first needed, once.
///
/// May be shared by any number of threads and reports.
public final class SymbolStore: Sendable {
  /// One binary that can be asked.
  public struct Candidate: Sendable, Hashable {
    /// The file it is in.
    public var path: String
    /// Its headers.
    public var slice: BinarySlice
    /// Names it may go by in a report: of the file, and of the bundle it came in.
    public var names: [String]
  }

  /// A path that was given and can't be used.
  public struct Problem: Sendable, Hashable {
    /// The path as given.
    public var path: String
    /// Why it can't be used.
    public var message: String
  }

  /// Every binary found in the given places, in order.
  public let candidates: [Candidate]
  /// Every place that can't be used.
  public let problems: [Problem]

  /// Where caches of the debug files are kept; nil for no caches.
  public let caches: CacheDirectory?

  private struct Opened: Hashable {
    var path: String
    var offset: Int
  }
  private let opened = Mutex<[Opened: Result<DebugFile, DebugFileError>]>([:])
  private let refusals = Mutex(Refusals())

  /// Files that are not to be used, though they are at hand.
  package struct Refusals: Sendable, Equatable {
    /// Why not, by the path.
    package var reasons: [String: String] = [:]
    /// Why no file at all is to be used; nil when those without a reason of their own are.
    package var reasonForAll: String?

    package init() {}
  }

  /// From now on uses other files only, as if the refused ones were damaged.
  package func refuse(_ refusals: Refusals) { self.refusals.withLock { $0 = refusals } }

  /// Looks through files, bundles and directories of any layout, reading headers only.
  ///
  /// A file that is no binary is a problem when it was named itself, and passed over inside a directory.
  /// - Parameters:
  ///   - paths: Where to look.
  ///   - caches: Where caches of the debug files may be; none is made here.
  public init(searching paths: [String], caches: CacheDirectory? = nil) {
    self.caches = caches
    var scan = SymbolScan()
    for path in paths { scan.add(path) }
    candidates = scan.candidates
    problems = scan.problems
  }

  /// Opens a candidate; a failure is remembered, not repeated.
  func open(_ candidate: Candidate) -> Result<DebugFile, DebugFileError> {
    if let reason = refusals.withLock({ $0.reasonForAll ?? $0.reasons[candidate.path] }) {
      return .failure(.refused(reason))
    }
    let key = Opened(path: candidate.path, offset: candidate.slice.fileOffset)
    return opened.withLock { files in
      if let known = files[key] { return known }
      let result = Result { () throws(DebugFileError) in
        try DebugFile(path: candidate.path, slice: candidate.slice, caches: caches)
      }
      files[key] = result
      return result
    }
  }

  /// Paths of the files opened so far whose later look-ups a cache would speed up, and which have none.
  public var uncachedPaths: [String] {
    opened.withLock { files in
      let deserving = files.values.compactMap { try? $0.get() }.filter(\.deservesCache)
      return Set(deserving.map(\.path)).sorted()
    }
  }

  /// Candidates whose identity is the given one, those with DWARF first.
  func candidates(for id: ImageID) -> [Candidate] {
    let matching = candidates.filter { $0.slice.id?.isNamed(by: id) == true }
    return matching.filter(\.slice.hasDWARF) + matching.filter { !$0.slice.hasDWARF }
  }

  /// Candidates that go by a name.
  func candidates(named name: String) -> [Candidate] {
    candidates.filter { $0.names.contains(name) }
  }
}
