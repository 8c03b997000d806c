internal import CrashRead
internal import Glibc

/// Debug files that ended a worker, and once more one that did nothing else than look one address up in them: nobody reads
/// them for some time.
struct BadDebugFiles {
  /// One binary of a file, as it was when it did harm.
  struct Entry: Equatable {
    var binary: BinaryName
    var version: FileVersion
    /// Seconds since 1970.
    var time: Int64
    var reason: String
  }

  /// Seconds after which a file is tried again: a disk that was slow, or a library that was replaced, is not its fault.
  static let term: Int64 = 24 * 60 * 60

  private var entries: [BinaryName: Entry] = [:]
  /// Those whose entries are newer than what `takeChanges` gave.
  private var changed: Set<BinaryName> = []

  /// Begins with what an earlier run knows.
  init(_ known: [Entry] = []) {
    for entry in known { entries[entry.binary] = entry }
  }

  /// Those that nobody is to read now. A file that has changed since is innocent.
  mutating func refusals(at now: Int64 = secondsSince1970()) -> SymbolStore.Refusals {
    var refusals = SymbolStore.Refusals()
    for (binary, entry) in entries {
      if (0..<Self.term).contains(now &- entry.time), FileVersion(of: binary.path) == entry.version {
        refusals.reasons[binary] = entry.reason
      } else {
        entries[binary] = nil
      }
    }
    return refusals
  }

  /// Records that a file did harm.
  /// - Returns: Whether that is new.
  mutating func add(_ binary: BinaryName, reason: String, at now: Int64 = secondsSince1970()) -> Bool {
    guard let version = FileVersion(of: binary.path) else { return false }
    let isNew = entries[binary]?.version != version
    entries[binary] = Entry(binary: binary, version: version, time: now, reason: reason)
    changed.insert(binary)
    return isNew
  }

  /// What has changed since the last call, in the order of paths.
  mutating func takeChanges() -> [Entry] {
    defer { changed = [] }
    return changed.compactMap { entries[$0] }.sorted {
      ($0.binary.path, $0.binary.id) < ($1.binary.path, $1.binary.id)
    }
  }
}

/// The C function is `time`.
private func secondsSince1970() -> Int64 { Int64(time(nil)) }

/// What tells one state of a file from another without reading it.
struct FileVersion: Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int64
  /// Nanoseconds since 1970; of the last change to the file or what is known of it.
  var changed: Int64

  /// nil when there is no such file. The C function is `stat`.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
    changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
  }

  init(device: UInt64, inode: UInt64, size: Int64, changed: Int64) {
    (self.device, self.inode, self.size, self.changed) = (device, inode, size, changed)
  }
}
