internal import CrashRead
internal import CrashReadSystem

/// Debug files that crashed a worker, and then a second one that only looked up one address in them. They aren't read
/// again until a time limit expires.
struct BadDebugFiles {
  /// A binary of a file, in the version that crashed a worker.
  struct Entry: Equatable {
    var binary: BinaryName
    var version: FileStatus
    /// Seconds since 1970.
    var time: Int64
    var reason: String
  }

  /// The number of seconds after which a file is tried again: the cause may have been a slow disk, or a library that
  /// was replaced.
  static let lifetime: Int64 = 24 * 60 * 60

  private var entries: [BinaryName: Entry] = [:]
  /// Binaries whose entries changed since the last `takeChanges`.
  private var changed: Set<BinaryName> = []

  /// Starts with what earlier runs recorded.
  init(_ known: [Entry] = []) {
    for entry in known { entries[entry.binary] = entry }
  }

  /// The files to avoid at present. A file that has changed since is allowed again.
  mutating func refusals(at now: Int64 = FileStatus.now / 1_000_000_000) -> SymbolStore.Refusals {
    var refusals = SymbolStore.Refusals()
    for (binary, entry) in entries {
      if (0..<Self.lifetime).contains(now &- entry.time), isUnchanged(binary.path, since: entry.version) {
        refusals.reasons[binary] = entry.reason
      } else {
        entries[binary] = nil
      }
    }
    return refusals
  }

  /// Records that a file crashed a worker.
  /// - Returns: Whether that is new.
  mutating func add(
    _ binary: BinaryName, reason: String, at now: Int64 = FileStatus.now / 1_000_000_000
  ) -> Bool {
    guard let version = try? FileStatus(binary.path) else { return false }
    let isNew = entries[binary].map { !version.isUnchanged(since: $0.version) } ?? true
    entries[binary] = Entry(binary: binary, version: version, time: now, reason: reason)
    changed.insert(binary)
    return isNew
  }

  /// The changes since the last call, in the order of paths.
  mutating func takeChanges() -> [Entry] {
    defer { changed = [] }
    return changed.compactMap { entries[$0] }.sorted {
      ($0.binary.path, $0.binary.id) < ($1.binary.path, $1.binary.id)
    }
  }
}

private func isUnchanged(_ path: String, since version: FileStatus) -> Bool {
  (try? FileStatus(path))?.isUnchanged(since: version) == true
}
