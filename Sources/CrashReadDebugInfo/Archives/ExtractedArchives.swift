internal import CrashReadCore
internal import CrashReadSystem
internal import Synchronization

/// The debug files in archives, as files: extracted once to the cache directory, or, without one, to a temporary
/// directory that is removed with this object.
package final class ExtractedArchives: Sendable {
  /// The extracted contents of one archive.
  package struct Contents: Sendable {
    /// The directory of the files, named like their entries; nil when there are none.
    package var directory: String?
    /// The entries that can't be used.
    package var problems: [ArchiveProblem]
    /// Whether some binaries weren't extracted.
    package var hasOtherBinaries = false
    /// The number of bytes that were extracted or examined in this run.
    package var expandedBytes = 0
  }

  private let caches: CacheDirectory?
  private let limits: ArchiveLimits
  private let purpose: ArchivePurpose
  private let state = Mutex(State())

  /// Created with the first archive.
  private struct State {
    var isPrepared = false
    var cached: CachedArchives?
    /// The directory in which archives are extracted, and in which those that can't be cached remain.
    var scratch: ScratchDirectory?
    private var count = 0

    mutating func makeWorkspace() throws(SystemError) -> String {
      if scratch == nil { scratch = try ScratchDirectory(in: cached?.path ?? temporaryDirectory) }
      count += 1
      let path = (scratch?.path ?? "") + "/\(count)"
      try makeDirectories(path)
      return path
    }
  }

  /// - Parameters:
  ///   - caches: The cache directory, for debug files only; reports are never cached.
  ///   - limits: The limits for archives.
  ///   - purpose: Which files are extracted.
  package init(
    caches: CacheDirectory?, limits: ArchiveLimits = ArchiveLimits(), purpose: ArchivePurpose = .symbols
  ) {
    self.caches = purpose == .symbols ? caches : nil
    self.limits = limits
    self.purpose = purpose
  }

  /// The files of an archive, which exist as long as this object.
  package func contents(of archive: String) -> Contents {
    guard let identity = ArchiveIdentity(archive, limits) else {
      return failure(SystemError.last("stat").description)
    }
    return state.withLock { state in
      if !state.isPrepared {
        state.cached = caches.flatMap { CachedArchives.made(in: $0) }
        state.isPrepared = true
      }
      if let record = state.cached?.find(identity), let path = state.cached?.path {
        return contents(record, in: path + "/" + identity.directoryName)
      }
      return extract(archive, identity, &state)
    }
  }

  private func failure(_ message: String) -> Contents {
    Contents(problems: [ArchiveProblem(entry: "", message: message)])
  }

  private func contents(_ record: ArchiveRecord, in directory: String) -> Contents {
    Contents(directory: record.files.isEmpty ? nil : directory + "/files", problems: record.problems)
  }

  private func extract(_ archive: String, _ identity: ArchiveIdentity, _ state: inout State) -> Contents {
    let workspace: String
    do throws(SystemError) {
      workspace = try state.makeWorkspace()
    } catch {
      return failure("can't be extracted: \(error)")
    }
    if case .failure(let missing) = LibArchive.shared { return failure(missing.description) }
    var extraction = ArchiveExtraction(
      in: workspace, limits: limits, archiveSize: identity.size, for: purpose)
    withUTF8Names { extraction.run(archive) }
    let record = ArchiveRecord(identity: identity, extraction)
    // If the archive changed during extraction, the files may mix both states: they are used once, but not cached.
    let isKept =
      ArchiveIdentity(archive, limits) == identity && keep(record, workspace, identity, state.cached)
    let path = state.cached?.path ?? ""
    var found = contents(record, in: isKept ? path + "/" + identity.directoryName : workspace)
    found.hasOtherBinaries = extraction.hasUnwantedBinaries
    found.expandedBytes = extraction.expandedBytes
    return found
  }

  private func keep(
    _ record: ArchiveRecord, _ workspace: String, _ identity: ArchiveIdentity,
    _ cached: CachedArchives?
  ) -> Bool {
    guard cached != nil, let directory = try? OwnedDescriptor(directory: workspace),
      let file = try? directory.open(ArchiveRecord.name, .new),
      (try? file.write(record.bytes[...])) != nil
    else { return false }
    return cached?.keep(workspace, identity, size: record.size) == true
  }
}
