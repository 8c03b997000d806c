internal import CrashReadDebugInfo
internal import CrashReadSystem

/// The results of earlier searches for each directory and file, keyed by its state.
///
/// Whatever has changed since has another `FileStatus` and isn't found here, so no result is stale; a search still
/// calls `stat` for everything, so nothing new is missed. The index only saves opening and reading files.
struct SearchIndex: Equatable {
  /// The result of reading a file's headers.
  enum Contents: Hashable {
    case noBinary
    case binaries([BinarySlice.Summary])
    /// It begins like a binary, but can't be read, for this reason.
    case damaged(String)
  }

  /// The names in each directory, sorted.
  private(set) var directories: [FileStatus: [String]] = [:]
  private(set) var files: [FileStatus: Contents] = [:]

  var count: Int { directories.count + files.count }

  mutating func add(_ names: [String], of directory: FileStatus) { directories[directory] = names }
  mutating func add(_ contents: Contents, of file: FileStatus) { files[file] = contents }
}

/// The index of one path during a search: the results of an earlier search, and the current ones.
struct SearchMemory {
  private let known: SearchIndex
  private var current = SearchIndex()
  private var isNew = false
  private let start = FileStatus.now
  /// The directory in which the index is stored; nil for none.
  private let caches: CacheDirectory?
  private let name: String

  /// The minimum number of results for which an index is stored; smaller searches are about as fast without one.
  private static let minimumCount = 200

  /// Loads the index of an earlier search of a directory.
  init(of directory: String, in caches: CacheDirectory?) {
    self.caches = caches
    name = caches == nil ? "" : keptName("search", of: canonicalPath(directory))
    known = caches?.kept(name).flatMap { SearchIndex(decoding: $0) } ?? SearchIndex()
  }

  /// The names in a directory; empty when it can't be read.
  mutating func names(in path: String, _ status: FileStatus) -> [String] {
    if let names = known.directories[status] {
      current.add(names, of: status)
      return names
    }
    guard let names = try? directoryEntries(path) else { return [] }
    if status.isSettled(at: start) {
      current.add(names, of: status)
      isNew = true
    }
    return names
  }

  /// The contents of a file; nil when it can't be opened.
  mutating func contents(of path: String, _ status: FileStatus) -> SearchIndex.Contents? {
    if let contents = known.files[status] {
      current.add(contents, of: status)
      return contents
    }
    guard let contents = SearchIndex.Contents(ofFileAt: path) else { return nil }
    if status.isSettled(at: start) {
      current.add(contents, of: status)
      isNew = true
    }
    return contents
  }

  /// Stores the results, if there are more than before or far fewer.
  func keep() {
    guard let caches, current.count >= Self.minimumCount, isNew || known.count > 2 * current.count else {
      return
    }
    caches.keep(current.encoded, as: name)
  }
}

extension SearchIndex.Contents {
  /// Reads a file's headers; nil when it can't be opened, which may be temporary.
  init?(ofFileAt path: String) {
    do throws(DebugFileError) {
      self = .binaries(try BinarySlice.all(in: path).map(\.summary))
    } catch {
      switch error {
      case .unrecognised, .system(.empty), .system(.notAFile): self = .noBinary
      case .system(.failed(_, code: _)): return nil
      default: self = .damaged(error.description)
      }
    }
  }
}
