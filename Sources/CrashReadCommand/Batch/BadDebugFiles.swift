internal import CrashRead
internal import Glibc

/// Debug files that end whoever reads them: which they are, and that they aren't read for ever.
struct BadDebugFiles {
  /// One file, as it was when it did harm.
  struct Entry: Equatable {
    var path: String
    var version: FileVersion
    /// How much speaks against it; from `limit` on nobody reads it any more.
    var weight: Int
    var reason: String
  }

  /// A signal is the file's own fault; time and memory may be that of a report that asks for much, so it takes two.
  static let limit = 2

  private var entries: [String: Entry] = [:]
  /// Those that nobody is to read.
  private(set) var refusals = SymbolStore.Refusals()
  /// Every file that did harm in this run, in order, once.
  private(set) var added: [Entry] = []

  /// Begins with what an earlier run knows; a file that has changed since is innocent.
  init(_ known: [Entry] = []) {
    for entry in known where FileVersion(of: entry.path) == entry.version { keep(entry) }
  }

  /// Records that a file did harm.
  mutating func add(_ path: String, reason: String, weight: Int) {
    guard let version = FileVersion(of: path) else { return }
    var entry = Entry(path: path, version: version, weight: weight, reason: reason)
    if let before = entries[path], before.version == version { entry.weight += before.weight }
    keep(entry)
    if let index = added.firstIndex(where: { $0.path == path }) {
      added[index] = entry
    } else {
      added.append(entry)
    }
  }

  private mutating func keep(_ entry: Entry) {
    entries[entry.path] = entry
    if entry.weight >= Self.limit { refusals.reasons[entry.path] = entry.reason }
  }
}

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
