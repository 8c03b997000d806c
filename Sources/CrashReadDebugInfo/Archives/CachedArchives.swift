internal import CrashReadSystem
internal import Synchronization

/// What was taken out of archives, in a directory for caches: one directory an archive.
///
/// A directory appears whole, by being renamed, and isn't removed while a process uses it.
final class CachedArchives: Sendable {
  let path: String
  private let caches: CacheDirectory
  private let directory: OwnedDescriptor
  private let lock: OwnedDescriptor
  /// For how many bytes there was still room when it was last measured, which takes a look at every directory.
  private let room = Mutex(0)

  static let suffix = ".files"

  /// Those of a directory for caches.
  /// - Returns: nil when none were made yet, or the directory isn't the user's own.
  init?(of caches: CacheDirectory) {
    self.caches = caches
    path = caches.path + "/archives"
    guard let directory = try? OwnedDescriptor(directory: path),
      let lock = try? directory.open("lock", .making), lock.isOwn(.file)
    else { return nil }
    self.directory = directory
    self.lock = lock
  }

  /// Makes the directory where there is none.
  /// - Returns: nil when it can't be made, or isn't the user's own.
  static func made(in caches: CacheDirectory) -> CachedArchives? {
    guard (try? makeDirectories(caches.path + "/archives")) != nil,
      (try? OwnedDescriptor(directory: caches.path)) != nil
    else { return nil }
    return CachedArchives(of: caches)
  }

  /// Looks for what was taken out of an archive, and keeps it from being removed as long as this object lives.
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
    // The time of change says when it was last used.
    files.markUsed()
    return record
  }

  /// Takes over a directory in which an archive's files and their record are; `find` came before.
  /// - Returns: Whether the files are here now: there may be no room for them.
  func keep(_ workspace: String, _ identity: ArchiveIdentity, size: Int) -> Bool {
    guard hasRoom(for: size) else { return false }
    let name = identity.directoryName
    let place = path + "/" + name
    if renameFile(workspace, to: place) { return true }
    // Another process was faster; or what is there is damaged.
    if record(name, identity) != nil { return true }
    renameFile(place, to: workspace + ".old")
    return renameFile(workspace, to: place)
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

  /// Every directory, with its bytes, and the nanosecond in which it was last used.
  var all: [(name: String, size: Int, used: Int64)] {
    let names = ((try? directoryEntries(path)) ?? []).filter { $0.hasSuffix(Self.suffix) }
    return names.compactMap { name in
      guard let status = directory.status(of: name) else { return nil }
      return (name, ArchiveRecord(of: path + "/" + name)?.size ?? 0, status.written)
    }
  }

  /// Removes one unless it is in use.
  /// - Returns: Whether it is gone.
  func remove(_ name: String) -> Bool {
    guard setLock(of: name, to: .exclusive, waits: false) else { return false }
    directory.remove(name)
    _ = setLock(of: name, to: .none, waits: false)
    return true
  }

  /// Locks the byte of the lock file that stands for a directory: shared by those who use it, alone to remove it.
  ///
  /// The lock belongs to this object, not to the process, and ends with it.
  private func setLock(of name: String, to type: OwnedDescriptor.ByteLock, waits: Bool) -> Bool {
    guard let sum = UInt64(name.dropLast(Self.suffix.count), radix: 16) else { return false }
    return lock.setLock(ofByte: sum >> 2, to: type, waits: waits)
  }
}
