public import BinaryIdentity
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
  /// What a debug file may ask for.
  public let limits: Limits

  private struct Opened: Hashable {
    var path: String
    var offset: Int
  }
  private let opened = Mutex<[Opened: Result<DebugFile, DebugFileError>]>([:])

  /// Looks through files, bundles and directories of any layout, reading headers only.
  ///
  /// A file that is no binary is a problem when it was named itself, and passed over inside a directory.
  /// - Parameters:
  ///   - paths: Where to look.
  ///   - caches: Where caches of the debug files may be; none is made here.
  ///   - limits: What a debug file may ask for.
  public init(searching paths: [String], caches: CacheDirectory? = nil, limits: Limits = Limits()) {
    self.caches = caches
    self.limits = limits
    var scan = SymbolScan()
    for path in paths { scan.add(path) }
    candidates = scan.candidates
    problems = scan.problems
  }

  /// Opens a candidate; a failure is remembered, not repeated.
  func open(_ candidate: Candidate) -> Result<DebugFile, DebugFileError> {
    let key = Opened(path: candidate.path, offset: candidate.slice.fileOffset)
    return opened.withLock { files in
      if let known = files[key] {
        return known.flatMap { file in file.failure.map { .failure($0) } ?? .success(file) }
      }
      let result = Result { () throws(DebugFileError) in
        try DebugFile(path: candidate.path, slice: candidate.slice, caches: caches, limits: limits)
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
