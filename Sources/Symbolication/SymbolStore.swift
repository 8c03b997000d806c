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
    /// Of a file that was extracted from an archive: the archive's path and the entry's name, with a slash between.
    public var archivedPath: String?

    /// The path to show: that of the file, or the one in the archive.
    public var shownPath: String { archivedPath ?? path }
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

  /// Keeps the files of archives.
  private let archives: ExtractedArchives
  /// nil when no servers are to be asked.
  let debuginfod: DebuginfodSearch?

  private struct Opened: Hashable {
    var path: String
    var offset: Int
  }
  private let opened = Mutex<[Opened: Result<DebugFile, DebugFileError>]>([:])

  /// Looks through files, bundles, directories of any layout and archives, reading headers only.
  ///
  /// A file that is no binary is a problem when it was named itself, and passed over inside a directory.
  /// - Parameters:
  ///   - paths: Where to look.
  ///   - caches: Where caches of the debug files may be; none is made here. Archives are extracted into it; without it
  ///     into a temporary directory, which goes with the store.
  ///   - asksDebuginfod: Whether the servers that `DEBUGINFOD_URLS` names are asked for build-ids that no file has.
  public init(searching paths: [String], caches: CacheDirectory? = nil, asksDebuginfod: Bool = false) {
    self.caches = caches
    archives = ExtractedArchives(caches: caches)
    debuginfod = asksDebuginfod ? DebuginfodSearch() : nil
    var scan = SymbolScan(archives)
    for path in paths { scan.add(path) }
    candidates = scan.candidates
    problems = scan.problems
  }

  /// Why the debuginfod servers can't be asked; nil when they can, and as long as nobody had to.
  public var debuginfodProblem: String? { debuginfod?.missingLibrary }

  /// Opens a candidate; a failure is remembered, not repeated.
  func open(_ candidate: Candidate) -> Result<DebugFile, DebugFileError> {
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
