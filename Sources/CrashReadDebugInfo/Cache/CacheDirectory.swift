internal import CrashReadSystem

/// Where caches of debug files are kept: a directory of the user's own, which no other user may write to.
///
/// Nothing in it is needed: a cache that is missing, stale, damaged or someone else's costs time, never a wrong answer.
package struct CacheDirectory: Sendable, Hashable {
  /// The directory's path.
  package let path: String
  /// How many bytes all caches and extracted archives together may have; what wasn't used for longest goes first.
  package let limit: Int

  /// The limit when none is given: 4 GiB.
  package static let defaultLimit = 4 << 30
  /// Debug files with fewer bytes of DWARF are looked up about as fast without a cache.
  package static let worthwhileSize = 32 << 20

  static let suffix = ".cache"
  static let temporarySuffix = ".new"
  static let lockName = "lock"

  /// A directory by its path; it is made when the first cache is written.
  package init(path: String, limit: Int = defaultLimit) {
    self.path = path
    self.limit = limit
  }

  /// Opens the cache of one binary; nil when there is none that can be used.
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
    // The time of change says when it was last used; reading sets none that can be relied on.
    file.markUsed()
    return CacheReader(pages)
  }

  /// Whether there is a cache of one binary that would be used.
  package func hasCache(of path: String, _ slice: BinarySlice) -> Bool { hasCache(of: path, slice.summary) }

  /// Whether there is a cache of one binary that would be used.
  package func hasCache(of path: String, _ slice: BinarySlice.Summary) -> Bool { reader(path, slice) != nil }

  /// Which of some binaries have a cache that would be used. Of thousands without one hardly any is looked for.
  package func hasCaches(of binaries: [(path: String, slice: BinarySlice.Summary)]) -> [Bool] {
    let names = (try? directoryEntries(path)) ?? []
    let identities = Set(names.map { $0.prefix { $0 != "-" } })
    return binaries.map { path, slice in
      identities.contains(CacheKey.identity(of: slice)[...]) && hasCache(of: path, slice)
    }
  }

  /// Whether another process is writing a cache just now.
  package var isBusy: Bool {
    guard let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open(Self.lockName, .updating)
    else { return false }
    return !lock.tryLock()
  }

  /// Has caches made of large debug files by another process, which is not waited for.
  ///
  /// Neither the first answer nor the prompt waits for it. It was not asked for, so failures are not reported.
  /// - Parameters:
  ///   - paths: The debug files.
  ///   - command: The program that makes them, and its arguments before the directory and the paths; nothing happens when
  ///     it is empty.
  package func makeCachesLater(of paths: [String], by command: [String]) {
    guard let program = command.first, !paths.isEmpty, !isBusy else { return }
    startDetached(program, command.dropFirst() + ["--cache=" + path, "--"] + paths)
  }

  /// Makes the cache of one binary, unless it is there already. Other processes wait meanwhile.
  ///
  /// - Returns: Whether it was made now.
  /// - Throws: `DebugFileError` when the debug file can't be read, the cache not be written, or the file not be cached.
  package func makeCache(of path: String, _ slice: BinarySlice) throws(DebugFileError) -> Bool {
    let directory = try DebugFileError.wrap { () throws(SystemError) in
      try makeDirectories(self.path)
      return try OwnedDescriptor(directory: self.path)
    }
    let lock = try DebugFileError.wrap { () throws(SystemError) in
      try directory.open(Self.lockName, .making)
    }
    try DebugFileError.wrap { () throws(SystemError) in try lock.lock() }
    let summary = slice.summary
    guard let key = CacheKey(path: path, slice: summary) else { throw .system(.last("stat")) }
    // One that was found damaged far inside looks well from its header.
    if reader(key)?.isWhole == true { return false }
    let file = try MappedFile.debugFile(path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    let handle = try DwarfHandle(file, slice: slice)
    // Their map may come, go or change without the file.
    guard !handle.holdsHiddenNames(slice) else { throw .unsupported("a file with hidden names") }
    guard let contents = CacheBuilder.build(handle, slice, path: path) else {
      throw .unsupported("a file whose code lies so far apart, or that takes so long,")
    }
    // A file that changed meanwhile may have been read half and half.
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

  /// Writes under another name first: a cache appears whole or not at all.
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

  /// Removes what an ended process left half-written. Only one process at a time, the one with the lock, writes.
  func removeHalfWritten(in directory: borrowing OwnedDescriptor) {
    for name in (try? directoryEntries(path)) ?? [] where name.hasSuffix(Self.suffix + Self.temporarySuffix) {
      directory.removeFile(name)
    }
  }

  /// Removes what wasn't used for longest, caches and extracted archives alike, until there is room.
  /// - Returns: For how many bytes more there is room; nil when there is none, since archives in use stay.
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
