package import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadSystem
internal import Synchronization

/// The debug files at hand, known by their headers; each is opened when it is first needed.
///
/// May be shared by any number of threads and reports: files that weren't used for long are closed again.
package final class SymbolStore: Sendable {
  /// One binary that can be asked.
  package struct Candidate: Sendable, Hashable {
    /// The file it is in.
    package var path: String
    /// What its headers say.
    package var slice: BinarySlice.Summary
    /// Names it may go by in a report: of the file, and of the bundle it came in.
    package var names: [String]
    /// What leads to it where its own headers don't say whose it is; nil where they do.
    package var claim: Claim?
    /// Of a file that was extracted from an archive: the archive's path and the entry's name, with a slash between.
    package var archivedPath: String?

    /// The path to show: that of the file, or the one in the archive.
    package var shownPath: String { (archivedPath ?? path) + (slice.member.map { "(\($0))" } ?? "") }
    /// Its own identity, or that of the program whose debug link leads to it; nil when neither has one.
    package var id: ImageID? { slice.id ?? claim?.id }
  }

  /// A program's word that a file without an identity is its debug file: good if the checksum is right.
  package struct Claim: Sendable, Hashable {
    /// The program's identity; nil when it has none.
    package var id: ImageID?
    /// The CRC-32 that the debug file must have.
    package var checksum: UInt32
  }

  /// A path that was given and can't be used.
  package struct Problem: Sendable, Hashable {
    /// The path as given.
    package var path: String
    /// Why it can't be used.
    package var message: String
    /// Whether the file was not named itself, and lies in a directory that was.
    package var isNote = false
  }

  /// Every binary found in the given places, in order.
  package let candidates: [Candidate]
  /// Every place that can't be used.
  package let problems: [Problem]
  /// Files found in directories that begin like binaries and can't be read.
  package let damaged: [Problem]

  /// Where caches of the debug files are kept; nil for no caches.
  package let caches: CacheDirectory?
  /// What a debug file may ask for.
  package let limits: Limits

  /// How many unused files stay open by default.
  package static let defaultOpenFiles = 64

  private let refusals = Mutex(Refusals())

  /// Files that are not to be used, though they are at hand.
  package struct Refusals: Sendable, Equatable {
    /// Why not, by the binary.
    package var reasons: [BinaryName: String] = [:]
    /// Why no file at all is to be used; nil when those without a reason of their own are.
    package var reasonForAll: String?

    package init() {}
  }

  /// From now on uses other files only, as if the refused ones were damaged.
  package func refuse(_ refusals: Refusals) { self.refusals.withLock { $0 = refusals } }

  private let files: OpenFiles
  /// Keeps the files of archives.
  private let archives: ExtractedArchives
  /// Servers to be asked for what isn't here, in this order.
  let servers: [ServerSearch]
  /// Positions in `candidates`, by every identity a report can name them by, those that say most first.
  private let identified: [ImageID: [Int]]
  private let named: [String: [Int]]
  /// Folders that the user named: a path of a report is looked at only below one.
  let programFolders: [ConfinedFolder]
  /// Whether all candidates are in one file.
  let hasOneFile: Bool

  /// Looks through files, bundles, directories of any layout and archives, reading headers only.
  ///
  /// A file that is no binary is a problem when it was named itself, and passed over inside a directory.
  /// - Parameters:
  ///   - paths: Where to look.
  ///   - caches: Where caches of the debug files may be; none is made here. What was found in a directory of many files is
  ///     kept there too, so that the next search reads what has changed since and nothing else. Archives are extracted
  ///     into it; without it into a temporary directory, which goes with the store.
  ///   - asksDebuginfod: Whether the servers that `DEBUGINFOD_URLS` names are asked for build-ids that no file has.
  ///   - servers: Servers that are asked for images that no file was found of.
  ///   - programFolders: Where a program is looked at that lies where the report says, besides the folders among the paths.
  ///   - limits: What a debug file may ask for.
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
    // That an image of a whole system is the only candidate doesn't make it the debug file.
    hasOneFile =
      candidates.first.map { first in
        candidates.allSatisfy { $0.path == first.path && $0.slice.member == nil }
      } ?? false
  }

  /// Why servers can't be asked, and what names them; nil when they can, and until one is needed.
  package var serverProblem: (setting: String, message: String)? {
    servers.lazy.compactMap { server in server.missingLibrary.map { (server.setting, $0) } }.first
  }

  /// Opens a candidate, unless it is open.
  ///
  /// Its headers are read once more, since it may have been made anew after the search.
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
    // One that changed while it was read is no good from then on.
    return file.flatMap { file in file.failure.map { .failure($0) } ?? .success(file) }
  }

  /// Looks up one address in a binary, also a refused one, only to see whether that ends.
  package func tryLookup(at address: LinkedAddress, in name: BinaryName) {
    let slices = (try? BinarySlice.all(in: name.path)) ?? []
    guard let slice = slices.first(where: { BinaryName(path: name.path, id: $0.id) == name }),
      let file = try? DebugFile(path: name.path, slice: slice, caches: caches, limits: limits)
    else { return }
    _ = file.frames(at: [address])
    _ = file.symbol(at: address)
    _ = file.variables(at: address, in: VariableContext())
  }

  /// Paths of the files opened so far whose later look-ups a cache would speed up, and which have none.
  package var uncachedPaths: [String] { files.uncachedPaths }

  /// Candidates whose identity is the given one, those that say most first.
  func candidates(for id: ImageID) -> [Candidate] { (identified[id] ?? []).map { candidates[$0] } }

  /// Candidates that go by a name, those that say most first.
  func candidates(named name: String) -> [Candidate] { (named[name] ?? []).map { candidates[$0] } }

  /// The first few candidates that none of these identities names.
  func candidates(besides ids: some Sequence<ImageID>, limit: Int) -> [Candidate] {
    let taken = Set(ids.flatMap { identified[$0] ?? [] })
    return candidates.indices.lazy.filter { !taken.contains($0) }.prefix(limit).map { self.candidates[$0] }
  }
}
