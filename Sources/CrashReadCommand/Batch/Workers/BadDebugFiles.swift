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
  /// Paths whose entries are newer than what `takeChanges` gave.
  private var changed: Set<String> = []

  /// Begins with what an earlier run knows; a file that has changed since is innocent.
  init(_ known: [Entry] = []) {
    for entry in known where FileVersion(of: entry.path) == entry.version { keep(entry) }
  }

  /// Records that a file did harm.
  /// - Parameters:
  ///   - path: The file.
  ///   - reason: What it did.
  ///   - weight: How much that says.
  /// - Returns: Whether it is the first time in this version.
  mutating func add(_ path: String, reason: String, weight: Int) -> Bool {
    guard let version = FileVersion(of: path) else { return false }
    var entry = Entry(path: path, version: version, weight: weight, reason: reason)
    let before = entries[path].flatMap { $0.version == version ? $0 : nil }
    entry.weight += before?.weight ?? 0
    keep(entry)
    changed.insert(path)
    return before == nil
  }

  /// What has changed since the last call, in the order of paths.
  mutating func takeChanges() -> [Entry] {
    defer { changed = [] }
    return changed.sorted().compactMap { entries[$0] }
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
