internal import CrashReadSystem
internal import Synchronization

/// Extracted archives in the cache directory, one directory per archive.
///
/// A directory appears complete, by renaming, and isn't removed while a process uses it.
final class CachedArchives: Sendable {
  let path: String
  private let caches: CacheDirectory
  private let directory: OwnedDescriptor
  private let lock: OwnedDescriptor
  /// The room left when it was last measured, in bytes; measuring it examines every directory.
  private let room = Mutex(0)

  static let suffix = ".files"

  /// Those of a cache directory.
  /// - Returns: Nil when there are none yet, or the directory isn't the user's own.
  init?(of caches: CacheDirectory) {
    self.caches = caches
    path = caches.path + "/archives"
    guard let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open("lock", .creating), lock.isOwn(.file)
    else { return nil }
    self.directory = directory
    self.lock = lock
  }

  /// Creates the directory if it is missing.
  /// - Returns: Nil when it can't be created, or isn't the user's own.
  static func made(in caches: CacheDirectory) -> CachedArchives? {
    guard (try? makeDirectories(caches.path + "/archives")) != nil,
      (try? OwnedDescriptor(directory: caches.path)) != nil
    else { return nil }
    return CachedArchives(of: caches)
  }

  /// Finds the contents of an archive, and keeps them from being removed as long as this object exists.
  func find(_ identity: ArchiveIdentity) -> ArchiveRecord? {
    let name = identity.directoryName
    guard setLock(of: name, to: .shared, waits: true) else { return nil }
    return record(name, identity)
  }

  private func record(_ name: String, _ identity: ArchiveIdentity) -> ArchiveRecord? {
    guard let files = try? directory.open(name, .directory), files.isOwn(.directory),
      let record = ArchiveRecord(of: path + "/" + name), record.identity == identity.text,
      record.isWhole(in: path + "/" + name)
    else { return nil }
    // The modification time is that of the last use.
    files.markUsed()
    return record
  }

  /// Moves a directory with an archive's files and their record into the cache; call `find` first.
  /// - Returns: Whether the files are in the cache now; there may be no room for them.
  func keep(_ workspace: String, _ identity: ArchiveIdentity, size: Int) -> Bool {
    guard hasRoom(for: size) else { return false }
    let name = identity.directoryName
    let destination = path + "/" + name
    if renameFile(workspace, to: destination) { return true }
    // Another process was faster, or the existing directory is damaged.
    if record(name, identity) != nil { return true }
    renameFile(destination, to: workspace + ".old")
    return renameFile(workspace, to: destination)
  }

  private func hasRoom(for size: Int) -> Bool {
    room.withLock { room in
      if size > room {
        guard let parent = try? OwnedDescriptor(directory: caches.path),
          let more = caches.removeOldest(in: parent, toMakeRoomFor: size)
        else { return false }
        room = more + size
      }
      room -= size
      return true
    }
  }

  /// Every directory, with its size and the time of its last use in nanoseconds.
  var all: [(name: String, size: Int, used: Int64)] {
    let names = ((try? directoryEntries(path)) ?? []).filter { $0.hasSuffix(Self.suffix) }
    return names.compactMap { name in
      guard let status = directory.status(of: name) else { return nil }
      return (name, ArchiveRecord(of: path + "/" + name)?.size ?? 0, status.written)
    }
  }

  /// Removes one unless it is in use.
  /// - Returns: Whether it was removed.
  func remove(_ name: String) -> Bool {
    guard setLock(of: name, to: .exclusive, waits: false) else { return false }
    directory.remove(name)
    _ = setLock(of: name, to: .none, waits: false)
    return true
  }

  /// Locks the byte of the lock file that stands for a directory: shared for using it, exclusive for removing it.
  ///
  /// The lock belongs to this object, not to the process, and is released with it.
  private func setLock(of name: String, to type: OwnedDescriptor.ByteLock, waits: Bool) -> Bool {
    guard let sum = UInt64(name.dropLast(Self.suffix.count), radix: 16) else { return false }
    return lock.setLock(ofByte: sum >> 2, to: type, waits: waits)
  }
}
