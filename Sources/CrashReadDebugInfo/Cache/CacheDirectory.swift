internal import CrashReadSystem

/// The directory of caches of debug files, owned by the user and writable by nobody else.
///
/// None of its contents are required: a cache that is missing, stale, damaged or someone else's costs time, never a
/// wrong answer.
package struct CacheDirectory: Sendable, Hashable {
  /// The directory's path.
  package let path: String
  /// The maximum size of all caches and extracted archives in bytes; the least recently used are removed first.
  let limit: Int

  /// The limit when none is given: 4 GiB.
  package static let defaultLimit = 4 << 30
  /// The minimum size of DWARF that is cached, in bytes; smaller debug files are searched about as fast without a
  /// cache.
  package static let minimumSize = 32 << 20

  static let suffix = ".cache"
  static let temporarySuffix = ".new"
  static let lockName = "lock"

  /// A directory by its path; it is created with the first cache.
  package init(path: String, limit: Int = defaultLimit) {
    self.path = path
    self.limit = limit
  }

  /// Opens the cache of a binary; nil when there is no valid one.
  func reader(_ path: String, _ slice: BinarySlice) -> CacheReader? {
    reader(path, slice.summary)
  }

  private func reader(_ path: String, _ slice: BinarySlice.Summary) -> CacheReader? {
    CacheKey(path: path, slice: slice).flatMap { reader($0) }
  }

  private func reader(_ key: CacheKey) -> CacheReader? {
    guard let directory = try? OwnedDescriptor(directory: path),
      let file = try? directory.open(key.fileName, .reading), file.isOwn(.file),
      let mapping = try? MappedFile(descriptor: file.number),
      let pages = CheckedPages(mapping, key: key.bytes)
    else { return nil }
    // The modification time is that of the last use; reading sets no reliable time.
    file.markUsed()
    return CacheReader(pages)
  }

  /// Whether there is a valid cache of a binary.
  func hasCache(of path: String, _ slice: BinarySlice.Summary) -> Bool { reader(path, slice) != nil }

  /// For each binary, whether it has a valid cache. Lists the directory first: of thousands without a cache hardly any
  /// is looked up.
  package func hasCaches(of binaries: [(path: String, slice: BinarySlice.Summary)]) -> [Bool] {
    let names = (try? directoryEntries(path)) ?? []
    let identities = Set(names.map { $0.prefix { $0 != "-" } })
    return binaries.map { path, slice in
      identities.contains(CacheKey.identity(of: slice)[...]) && hasCache(of: path, slice)
    }
  }

  /// Whether another process is writing a cache.
  package var isBusy: Bool {
    guard let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open(Self.lockName, .updating)
    else { return false }
    return !lock.tryLock()
  }

  /// Starts another process that caches large debug files, without waiting for it.
  ///
  /// The user didn't request it, so failures aren't reported.
  /// - Parameters:
  ///   - paths: The debug files.
  ///   - command: The program and its arguments before the directory and the paths; nothing happens when it is empty.
  package func makeCachesLater(of paths: [String], by command: [String]) {
    guard let program = command.first, !paths.isEmpty, !isBusy else { return }
    startDetached(program, command.dropFirst() + ["--cache=" + path, "--"] + paths)
  }

  /// Creates the cache of a binary unless it exists already. Other processes wait meanwhile.
  ///
  /// - Returns: Whether it was created now.
  /// - Throws: `DebugFileError` when the debug file can't be read or cached, or the cache can't be written.
  package func makeCache(of path: String, _ slice: BinarySlice) throws(DebugFileError) -> Bool {
    let directory = try DebugFileError.wrap { () throws(SystemError) in
      try makeDirectories(self.path)
      return try OwnedDescriptor(directory: self.path)
    }
    let lock = try DebugFileError.wrap { () throws(SystemError) in
      try directory.open(Self.lockName, .creating)
    }
    try DebugFileError.wrap { () throws(SystemError) in try lock.lock() }
    let summary = slice.summary
    guard let key = CacheKey(path: path, slice: summary) else { throw .system(.last("stat")) }
    // A cache with damaged pages may have a valid header.
    if reader(key)?.isWhole == true { return false }
    let file = try MappedFile.debugFile(path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    let handle = try DwarfHandle(file, slice: slice)
    // The map of hidden names may change independently of the file.
    guard !handle.holdsHiddenNames(slice) else { throw .unsupported("a file with hidden names") }
    guard let contents = CacheBuilder.build(handle, slice, path: path) else {
      throw .unsupported("a file whose code spans too large a range, or that takes too long,")
    }
    // If the file changed during the collection, the cache may mix both states.
    guard CacheKey(path: path, slice: summary)?.bytes == key.bytes else {
      throw .unsupported("a file that changes")
    }
    let writer = CacheWriter(base: contents.base, sections: contents.sections, key: key.bytes)
    let size = writer.parts.reduce(0) { $0 + $1.count }
    guard size <= limit else { throw .unsupported("a file whose cache is larger than \(limit) bytes") }
    removeHalfWritten(in: directory)
    _ = removeOldest(in: directory, toMakeRoomFor: size)
    try DebugFileError.wrap { () throws(SystemError) in
      try write(writer.parts, to: key.fileName, in: directory)
    }
    return true
  }

  /// Writes to a temporary name first: a cache appears complete or not at all.
  func write(
    _ parts: [[UInt8]], to name: String, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let temporary = name + Self.temporarySuffix
    do throws(SystemError) {
      let file = try directory.open(temporary, .new)
      for part in parts { try file.write(part[...]) }
      try directory.rename(temporary, to: name)
    } catch {
      directory.removeFile(temporary)
      throw error
    }
  }

  /// Removes incomplete files of killed processes. Only the process that holds the lock writes.
  func removeHalfWritten(in directory: borrowing OwnedDescriptor) {
    for name in (try? directoryEntries(path)) ?? [] where name.hasSuffix(Self.suffix + Self.temporarySuffix) {
      directory.removeFile(name)
    }
  }

  /// Removes the least recently used caches and extracted archives until there is room.
  /// - Returns: The room left in bytes; nil when there is none, since archives in use are kept.
  func removeOldest(in directory: borrowing OwnedDescriptor, toMakeRoomFor size: Int) -> Int? {
    guard size <= limit else { return nil }
    var caches: [(name: String, size: Int, used: Int64)] = []
    for name in (try? directoryEntries(path)) ?? [] where name.hasSuffix(Self.suffix) {
      if let status = directory.status(of: name) {
        caches.append((name, Int(clamping: status.size), status.written))
      }
    }
    let archives = CachedArchives(of: self)
    caches += archives?.all ?? []
    var sum = caches.reduce(size) { $0 &+ $1.size }
    for cache in caches.sorted(by: { $0.used < $1.used }) where sum > limit {
      if cache.name.hasSuffix(CachedArchives.suffix) {
        guard archives?.remove(cache.name) == true else { continue }
      } else {
        directory.removeFile(cache.name)
      }
      sum -= cache.size
    }
    return sum <= limit ? limit - sum : nil
  }
}
