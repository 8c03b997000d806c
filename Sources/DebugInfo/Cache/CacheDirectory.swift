internal import Glibc

/// Where caches of debug files are kept: a directory of the user's own, which nobody else may write to.
///
/// Nothing in it is needed: a cache that is missing, stale, damaged or someone else's costs time, never a wrong answer.
public struct CacheDirectory: Sendable, Hashable {
  /// The directory's path.
  public let path: String
  /// How many bytes all caches together may have; those that weren't used for longest go first.
  public let limit: Int

  /// The limit when none is given: 4 GiB.
  public static let defaultLimit = 4 << 30
  /// Debug files with fewer bytes of DWARF are looked up about as fast without a cache.
  public static let worthwhileSize = 32 << 20

  static let suffix = ".cache"
  private static let temporarySuffix = ".new"
  private static let lockName = "lock"

  /// A directory by its path; it is made when the first cache is written.
  public init(path: String, limit: Int = defaultLimit) {
    self.path = path
    self.limit = limit
  }

  /// Opens the cache of one binary; nil when there is none that can be used.
  func reader(_ path: String, _ slice: BinarySlice) -> CacheReader? {
    CacheKey(path: path, slice: slice).flatMap { reader($0) }
  }

  private func reader(_ key: CacheKey) -> CacheReader? {
    guard let directory = try? OwnedDescriptor(directory: path),
      let file = try? directory.open(key.fileName, O_RDONLY), file.isOwn(S_IFREG),
      let mapping = try? MappedFile(descriptor: file.number),
      let pages = CheckedPages(mapping, key: key.bytes)
    else { return nil }
    // The time of change says when it was last used; reading sets none that can be relied on.
    _ = futimens(file.number, nil)
    return CacheReader(pages)
  }

  /// Whether there is a cache of one binary that would be used.
  public func hasCache(of path: String, _ slice: BinarySlice) -> Bool { reader(path, slice) != nil }

  /// Whether another process is writing a cache just now.
  public var isBusy: Bool {
    guard let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open(Self.lockName, O_RDWR)
    else { return false }
    return flock(lock.number, LOCK_EX | LOCK_NB) != 0
  }

  /// Makes the cache of one binary, unless it is there already. Other processes wait meanwhile.
  ///
  /// - Returns: Whether it was made now.
  /// - Throws: `DebugFileError` when the debug file can't be read, the cache not be written, or the file not be cached.
  public func makeCache(of path: String, _ slice: BinarySlice) throws(DebugFileError) -> Bool {
    try makeDirectories(self.path)
    let directory = try OwnedDescriptor(directory: self.path)
    let lock = try directory.open(Self.lockName, O_RDWR | O_CREAT)
    while flock(lock.number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .system(operation: "flock", code: errno) }
    }
    guard let key = CacheKey(path: path, slice: slice) else { throw .system(operation: "stat", code: errno) }
    // One that was found damaged far inside looks well from its header.
    if reader(key)?.isWhole == true { return false }
    let file = try MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    let handle = try DwarfHandle(file, slice: slice)
    // Their map may come, go or change without the file.
    guard !handle.holdsHiddenNames(slice) else { throw .unsupported("a file with hidden names") }
    guard let contents = CacheBuilder.build(handle, slice, path: path) else {
      throw .unsupported("a file whose code lies so far apart, or that takes so long,")
    }
    // A file that changed meanwhile may have been read half and half.
    guard CacheKey(path: path, slice: slice)?.bytes == key.bytes else {
      throw .unsupported("a file that changes")
    }
    let writer = CacheWriter(base: contents.base, sections: contents.sections, key: key.bytes)
    let size = writer.parts.reduce(0) { $0 + $1.count }
    guard size <= limit else { throw .unsupported("a file whose cache is larger than \(limit) bytes") }
    removeOldest(in: directory, toMakeRoomFor: size)
    try write(writer.parts, to: key.fileName, in: directory)
    return true
  }

  /// Writes under another name first: a cache appears whole or not at all.
  private func write(
    _ parts: [[UInt8]], to name: String, in directory: borrowing OwnedDescriptor
  ) throws(DebugFileError) {
    let temporary = name + Self.temporarySuffix
    do throws(DebugFileError) {
      let file = try directory.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
      for part in parts { try file.write(part) }
      guard unsafe renameat(directory.number, temporary, directory.number, name) == 0 else {
        throw .system(operation: "rename", code: errno)
      }
    } catch {
      unsafe unlinkat(directory.number, temporary, 0)
      throw error
    }
  }

  /// Removes what an ended process left half-written, and old caches until there is room.
  private func removeOldest(in directory: borrowing OwnedDescriptor, toMakeRoomFor size: Int) {
    var caches: [(name: String, size: Int, used: Int)] = []
    for name in (try? directoryEntries(path)) ?? [] {
      var status = stat()
      if name.hasSuffix(Self.suffix + Self.temporarySuffix) {
        unsafe unlinkat(directory.number, name, 0)
      } else if name.hasSuffix(Self.suffix),
        unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      {
        caches.append((name, Int(status.st_size), status.st_mtim.tv_sec))
      }
    }
    var sum = caches.reduce(size) { $0 + $1.size }
    for cache in caches.sorted(by: { $0.used < $1.used }) where sum > limit {
      unsafe unlinkat(directory.number, cache.name, 0)
      sum -= cache.size
    }
  }
}

/// Makes a directory and those it lies in, for the user alone.
private func makeDirectories(_ path: String) throws(DebugFileError) {
  var end = path.startIndex
  while end < path.endIndex {
    end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
    guard unsafe mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST else {
      // Which may also be a directory that is there and can't be written to; what lies in it decides.
      if end < path.endIndex, errno == EACCES || errno == EROFS { continue }
      throw .system(operation: "mkdir", code: errno)
    }
  }
}

/// An open file or directory, closed at the end of its life.
private struct OwnedDescriptor: ~Copyable {
  let number: Int32

  private init(number: Int32) { self.number = number }

  /// Opens a directory that is the user's own.
  init(directory path: String) throws(DebugFileError) {
    number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .system(operation: "open", code: errno) }
    guard isOwn(S_IFDIR) else { throw .unsupported("a directory that others can write to") }
  }

  deinit { close(number) }

  /// Whether it is of a kind, belongs to the user, and nobody else can write to it.
  func isOwn(_ kind: mode_t) -> Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
      && status.st_mode & 0o022 == 0
  }

  /// Opens a file in the directory; a symbolic link is refused.
  func open(_ name: String, _ flags: Int32) throws(DebugFileError) -> OwnedDescriptor {
    let file = unsafe openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw .system(operation: "open", code: errno) }
    return OwnedDescriptor(number: file)
  }

  func write(_ bytes: [UInt8]) throws(DebugFileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .system(operation: "write", code: errno)
      }
    }
  }
}
