package import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadSystem
internal import Synchronization

/// The available debug files, indexed by their headers; each is opened on first use.
///
/// May be shared by any number of threads and reports; the least recently used files are closed.
package final class SymbolStore: Sendable {
  /// A binary that can be queried.
  package struct Candidate: Sendable, Hashable {
    /// The file it is in.
    package var path: String
    /// What its headers say.
    package var slice: BinarySlice.Summary
    /// The names that a report may use for it: the file's and its bundle's.
    var names: [String]
    /// The reference through which it was found, if its own headers have no identity; otherwise nil.
    var claim: Claim?
    /// For an extracted file, the archive's path and the entry's name, separated by a slash; otherwise nil.
    var archivedPath: String?

    /// The path shown in messages: the file's, or that inside the archive.
    package var shownPath: String { (archivedPath ?? path) + (slice.member.map { "(\($0))" } ?? "") }
    /// Its own identity, or that of the program whose debug link refers to it; nil when neither has one.
    var id: ImageID? { slice.id ?? claim?.id }
  }

  /// A program's reference to a debug file that has no identity: valid if the checksum matches.
  package struct Claim: Sendable, Hashable {
    /// The program's identity; nil when it has none.
    var id: ImageID?
    /// The expected CRC-32 of the debug file.
    var checksum: UInt32
  }

  /// A path that was given and can't be used.
  package struct Problem: Sendable, Hashable {
    /// The path as given.
    package var path: String
    /// Why it can't be used.
    package var message: String
    /// Whether the file is in a directory that was named, rather than named itself.
    package var isNote = false
  }

  /// Every binary found in the given paths, in order.
  package let candidates: [Candidate]
  /// Every path that can't be used.
  package let problems: [Problem]
  /// Files found in directories that begin like binaries but can't be read.
  package let damaged: [Problem]

  /// The directory of caches; nil for no caches.
  let caches: CacheDirectory?
  /// The limits for debug files.
  let limits: Limits

  /// The default number of unused files that stay open.
  static let defaultOpenFiles = 64

  private let refusals = Mutex(Refusals())

  /// Files that must not be used although they are available.
  package struct Refusals: Sendable, Equatable {
    /// The reasons, by binary.
    package var reasons: [BinaryName: String] = [:]
    /// Why no file at all may be used; nil if some may.
    package var reasonForAll: String?

    package init() {}
  }

  /// Excludes files from use; from now on they count as damaged.
  package func refuse(_ refusals: Refusals) { self.refusals.withLock { $0 = refusals } }

  private let files: OpenFiles
  /// The extracted archives, whose files exist as long as this object.
  private let archives: ExtractedArchives
  /// Servers that are asked for missing files, in order.
  let servers: [ServerSearch]
  /// Indices in `candidates` by every identity that a report may use, the most useful first.
  private let identified: [ImageID: [Int]]
  private let named: [String: [Int]]
  /// Folders named by the user: paths from reports are only followed below them.
  let programFolders: [ConfinedFolder]
  /// Whether all candidates are in one file of their own, which is then assumed to be meant for the report.
  let hasOneFile: Bool

  /// Indexes files, bundles, directories of any layout and archives, reading only headers.
  ///
  /// A file that isn't a binary is a problem if it was named itself, and skipped inside a directory.
  /// - Parameters:
  ///   - paths: The paths to search.
  ///   - caches: The directory of caches; none is created here. The index of a large directory is stored there, too, so
  ///     that the next search only reads what has changed. Archives are extracted to it; without it to a temporary
  ///     directory, which is removed with the store.
  ///   - asksDebuginfod: Whether missing build-ids are requested from the servers in `DEBUGINFOD_URLS`.
  ///   - servers: Servers for images without a file.
  ///   - programFolders: Folders in which programs are opened at the paths that reports give, besides those among the
  ///     paths.
  ///   - limits: The limits for debug files.
  ///   - openFiles: How many unused files stay open.
  package init(
    searching paths: [String], caches: CacheDirectory? = nil, asksDebuginfod: Bool = false,
    servers: [SymbolServer] = [], programFolders: [String] = [], limits: Limits = Limits(),
    openFiles: Int = defaultOpenFiles
  ) {
    self.caches = caches
    self.limits = limits
    var archiveLimits = ArchiveLimits()
    archiveLimits.bytes = limits.archiveSize
    archives = ExtractedArchives(caches: caches, limits: archiveLimits)
    self.servers =
      (asksDebuginfod ? [.debuginfod] : [])
      + (servers.isEmpty ? [] : [ServerSearch(servers, caches: caches, limits: limits)])
    var scan = SymbolScan(archives, caches: caches)
    for path in paths { scan.add(path) }
    let candidates = scan.candidates
    self.candidates = candidates
    self.programFolders = (paths + programFolders).compactMap { ConfinedFolder($0) }
    problems = scan.problems
    damaged = scan.damaged
    files = OpenFiles(limit: max(1, openFiles))
    var identified: [ImageID: [Int]] = [:]
    var named: [String: [Int]] = [:]
    for detail in BinarySlice.Detail.allCases.reversed() {
      for (index, candidate) in candidates.enumerated() where candidate.slice.detail == detail {
        for id in candidate.id?.reportedForms ?? [] { identified[id, default: []].append(index) }
        for name in Set(candidate.names) { named[name, default: []].append(index) }
      }
    }
    self.identified = identified
    self.named = named
    // An image of a file that holds a whole system isn't the debug file just because it is the only candidate.
    hasOneFile =
      candidates.first.map { first in
        candidates.allSatisfy { $0.path == first.path && $0.slice.member == nil }
      } ?? false
  }

  /// Why servers can't be asked, and the setting that enables them; nil when they can be asked, and until one is
  /// needed.
  package var serverProblem: (setting: String, message: String)? {
    servers.lazy.compactMap { server in server.missingLibrary.map { (server.setting, $0) } }.first
  }

  /// Opens a candidate, unless it is open already.
  ///
  /// Its headers are read again, since it may have been rebuilt after the search.
  package func open(_ candidate: Candidate) -> Result<DebugFile, DebugFileError> {
    let name = BinaryName(path: candidate.path, id: candidate.slice.id)
    if let reason = refusals.withLock({ $0.reasonForAll ?? $0.reasons[name] }) {
      return .failure(.refused(reason))
    }
    let key = OpenFiles.Key(path: candidate.path, offset: candidate.slice.fileOffset, id: candidate.id)
    let file = files.file(key) {
      Result { () throws(DebugFileError) in
        let slice = try BinarySlice(path: candidate.path, summary: candidate.slice)
        if let wanted = candidate.claim?.checksum {
          let checksum = try debugLinkChecksum(ofFileAt: candidate.path)
          guard checksum == wanted else { throw .wrongChecksum(expected: wanted, found: checksum) }
        }
        return try DebugFile(path: candidate.path, slice: slice, caches: caches, limits: limits)
      }
    }
    // A file that changed while it was read isn't used again.
    return file.flatMap { file in file.failure.map { .failure($0) } ?? .success(file) }
  }

  /// Looks up one address in a binary, even a refused one, to find out whether the look-up crashes.
  package func tryLookup(at address: LinkedAddress, in name: BinaryName) {
    let slices = (try? BinarySlice.all(in: name.path)) ?? []
    guard let slice = slices.first(where: { BinaryName(path: name.path, id: $0.id) == name }),
      let file = try? DebugFile(path: name.path, slice: slice, caches: caches, limits: limits)
    else { return }
    _ = file.frames(at: [address])
    _ = file.symbol(at: address)
    _ = file.variables(at: address, in: VariableContext())
  }

  /// Paths of the files opened so far that have no cache, but would profit from one.
  package var uncachedPaths: [String] { files.uncachedPaths }

  /// Candidates with an identity, the most useful first.
  func candidates(for id: ImageID) -> [Candidate] { (identified[id] ?? []).map { candidates[$0] } }

  /// The first result of `body` for a program with an identity; a dSYM bundle lacks the code.
  ///
  /// At most a few candidates other than `path` are tried, each opened only then.
  package func first<Result>(
    programOf id: ImageID, besides path: String?, _ body: (DebugFile) -> Result?
  ) -> Result? {
    for candidate in candidates(for: id).filter({ $0.path != path }).prefix(4) {
      if let file = try? open(candidate).get(), file.holdsCode, let result = body(file) { return result }
    }
    return nil
  }

  /// Candidates with a name, the most useful first.
  func candidates(named name: String) -> [Candidate] { (named[name] ?? []).map { candidates[$0] } }

  /// The first candidates, up to a limit, with none of these identities.
  func candidates(besides ids: some Sequence<ImageID>, limit: Int) -> [Candidate] {
    let taken = Set(ids.flatMap { identified[$0] ?? [] })
    return candidates.indices.lazy.filter { !taken.contains($0) }.prefix(limit).map { self.candidates[$0] }
  }
}
