internal import Glibc
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
      let lock = try? directory.open("lock", O_RDWR | O_CREAT), lock.isOwn(S_IFREG)
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
    guard setLock(of: name, to: F_RDLCK, waits: true) else { return nil }
    return record(name, identity)
  }

  private func record(_ name: String, _ identity: ArchiveIdentity) -> ArchiveRecord? {
    guard let files = try? directory.open(name, O_RDONLY | O_DIRECTORY), files.isOwn(S_IFDIR),
      let record = ArchiveRecord(of: path + "/" + name), record.identity == identity.text,
      record.isWhole(in: path + "/" + name)
    else { return nil }
    // The time of change says when it was last used.
    _ = futimens(files.number, nil)
    return record
  }

  /// Takes over a directory in which an archive's files and their record are; `find` came before.
  /// - Returns: Whether the files are here now: there may be no room for them.
  func keep(_ workspace: String, _ identity: ArchiveIdentity, size: Int) -> Bool {
    guard hasRoom(for: size) else { return false }
    let name = identity.directoryName
    let place = path + "/" + name
    if unsafe rename(workspace, place) == 0 { return true }
    // Another process was faster; or what is there is damaged, and nobody can use it.
    if record(name, identity) != nil { return true }
    unsafe rename(place, workspace + ".old")
    return unsafe rename(workspace, place) == 0
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

  /// Every directory, with its bytes, and the second in which it was last used.
  var all: [(name: String, size: Int, used: Int)] {
    let names = ((try? directoryEntries(path)) ?? []).filter { $0.hasSuffix(Self.suffix) }
    return names.compactMap { name in
      var status = stat()
      guard unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
      return (name, ArchiveRecord(of: path + "/" + name)?.size ?? 0, status.st_mtim.tv_sec)
    }
  }

  /// Removes one unless it is in use.
  /// - Returns: Whether it is gone.
  func remove(_ name: String) -> Bool {
    guard setLock(of: name, to: F_WRLCK, waits: false) else { return false }
    directory.remove(name)
    _ = setLock(of: name, to: F_UNLCK, waits: false)
    return true
  }

  /// Locks the byte of the lock file that stands for a directory: shared by those who use it (`F_RDLCK`), alone to remove
  /// it (`F_WRLCK`).
  ///
  /// The lock belongs to this object, not to the process, and ends with it: see "Open file description locks" in fcntl(2).
  private func setLock(of name: String, to type: Int32, waits: Bool) -> Bool {
    let (set, setAndWait): (Int32, Int32) = (37, 38)  // F_OFD_SETLK, F_OFD_SETLKW, which GNU sources only see
    guard let sum = UInt64(name.dropLast(Self.suffix.count), radix: 16) else { return false }
    var range = flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: Int(sum >> 2), l_len: 1, l_pid: 0)
    while unsafe fcntl(lock.number, waits ? setAndWait : set, &range) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
