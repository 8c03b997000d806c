internal import Glibc

/// A folder that the user named, below which a stranger's path may be followed.
///
/// The path is walked component by component. A symbolic link on it is followed as long as it stays below the folder;
/// nothing outside is touched, be it a secret, a device, or a volume that is mounted when it is looked at. Nor
/// is anything in `.git`, where keys and configuration are.
package struct ConfinedFolder: Sendable, Hashable {
  /// The path as given, without a slash at its end.
  package let path: String
  /// The same without symbolic links; empty for the root of the file system.
  package let realPath: String

  /// Nil when there is no such folder.
  package init?(_ path: String) {
    guard (try? fileKind(path)) == .directory else { return nil }
    self.path = withoutSlash(path)
    realPath = withoutSlash(canonicalPath(path))
  }

  /// What is left of an absolute path behind the folder's own; nil when it isn't below, by its words.
  package func remainder(of path: String) -> String? {
    guard path.hasPrefix("/") else { return nil }
    let start = [self.path, realPath].first { path.hasPrefix($0 + "/") }
    return start.map { String(path.dropFirst($0.count + 1)) }
  }

  /// The path, without symbolic links, of what a path below the folder names; nil when it names nothing of that kind.
  package func realPath(of path: String, _ kind: FileKind) -> String? {
    guard let walk = try? ConfinedWalk(from: self, along: path), let end = try? walk.end(), end.kind == kind
    else { return nil }
    return ([realPath] + walk.names + (end.name.map { [$0] } ?? [])).joined(separator: "/")
  }

  /// What a path below the folder names; nil when it names nothing.
  package func kind(of path: String) -> FileKind? {
    guard let walk = try? ConfinedWalk(from: self, along: path) else { return nil }
    return try? walk.end().kind
  }

  /// The whole contents of a regular file below the folder.
  /// - Throws: `SystemError` when there is no such file, or it can't be read or holds more bytes than the limit.
  package func readFile(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let walk = try ConfinedWalk(from: self, along: path)
    let end = try walk.end()
    guard end.kind == .file, let name = end.name else { throw .notAFile }
    let descriptor = try requireRegular(
      unsafe openat(walk.folder, name, O_RDONLY | O_NOFOLLOW | readingFlags))
    defer { close(descriptor) }
    return try readAll(descriptor, limit: limit)
  }

  /// Opens a regular file below the folder for writing, made if it isn't there; one that is a symbolic link is refused.
  ///
  /// - Parameters:
  ///   - path: The path, below the folder.
  ///   - appends: Whether what the file holds stays.
  /// - Returns: The descriptor, which is the caller's to close.
  /// - Throws: `SystemError` when something else is there, or it can't be written.
  package func openForWriting(_ path: String, appends: Bool = false) throws(SystemError) -> Int32 {
    let folder = directory(of: path)
    let walk = try ConfinedWalk(from: self, along: folder)
    guard try walk.end().kind == .directory else { throw .notAFile }
    let name = String(path.dropFirst(folder.count))
    if isRepository(name) { throw .outsideFolder }
    let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | readingFlags | (appends ? O_APPEND : 0)
    let descriptor = unsafe openat(walk.folder, name, flags, 0o666)
    if descriptor < 0, errno == ELOOP { throw .symbolicLink }
    // A pipe without a reader.
    if descriptor < 0, errno == ENXIO { throw .notAFile }
    let file = try requireRegular(descriptor)
    if !appends, ftruncate(file, 0) != 0 { throw .last("ftruncate") }
    return file
  }
}

/// A walk down from a folder, in which each folder is opened from the one above it, so that none can be replaced by a
/// link meanwhile. The C function is `openat` with `O_PATH`, which does nothing to a device.
private final class ConfinedWalk {
  private let root: ConfinedFolder
  private var folders: [Int32]
  /// The names of the folders below the root.
  private(set) var names: [String] = []
  /// The components ahead, the next one last.
  private var pending: [String]
  private var linkCount = 0

  /// As many as Linux follows.
  private static let maximumLinks = 40

  init(from root: ConfinedFolder, along path: String) throws(SystemError) {
    self.root = root
    // The system takes no longer one.
    guard path.utf8.count < PATH_MAX else { throw .failed("open", code: ENAMETOOLONG) }
    pending = components(path)
    let top = unsafe open(root.realPath + "/", O_PATH | O_DIRECTORY | O_CLOEXEC)
    guard top >= 0 else { throw .last("open") }
    folders = [top]
  }

  deinit { for folder in folders { close(folder) } }

  /// The innermost folder.
  var folder: Int32 { folders.last ?? -1 }

  /// What the path names, and its name in the innermost folder; no name for that folder itself.
  func end() throws(SystemError) -> (kind: FileKind, name: String?) {
    while let name = pending.popLast() {
      if name == ".." { try leave() } else if let kind = try enter(name) { return (kind, name) }
    }
    return (.directory, nil)
  }

  private func leave() throws(SystemError) {
    guard folders.count > 1, let last = folders.popLast() else { throw .outsideFolder }
    close(last)
    names.removeLast()
  }

  /// Enters a folder, or takes up the components of a link; otherwise returns what it is.
  private func enter(_ name: String) throws(SystemError) -> FileKind? {
    if isRepository(name) { throw .outsideFolder }
    let next = unsafe openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)
    guard next >= 0 else { throw .last("open") }
    var status = stat()
    let isKnown = unsafe fstat(next, &status) == 0
    if isKnown, status.st_mode & S_IFMT == S_IFDIR {
      folders.append(next)
      names.append(name)
      return nil
    }
    defer { close(next) }
    if isKnown, status.st_mode & S_IFMT == S_IFLNK {
      try follow(linkTarget(next))
      return nil
    }
    guard pending.isEmpty else { throw .failed("open", code: ENOTDIR) }
    return isKnown ? FileKind(mode: status.st_mode) : .other
  }

  private func follow(_ target: String) throws(SystemError) {
    linkCount += 1
    guard linkCount <= Self.maximumLinks else { throw .failed("open", code: ELOOP) }
    var target = target
    if target.hasPrefix("/") {
      guard let remainder = root.remainder(of: target) else { throw .outsideFolder }
      target = remainder
      while folders.count > 1 { try leave() }
    }
    pending += components(target)
  }
}

/// glibc declares it for `_GNU_SOURCE` alone, which Swift doesn't set; the number is Linux's, on all that Swift runs on.
private let O_PATH: Int32 = 0o10_000_000

/// Whether it is Git's own folder, however a file system that takes no notice of case spells it.
private func isRepository(_ name: String) -> Bool { name.lowercased() == ".git" }

/// The components of a path, the first one last.
private func components(_ path: String) -> [String] {
  path.split(separator: "/").reversed().filter { $0 != "." }.map(String.init)
}

private func withoutSlash(_ path: String) -> String {
  path.hasSuffix("/") ? String(path.dropLast()) : path
}

/// What a symbolic link says, by its descriptor. The C function is `readlinkat`.
private func linkTarget(_ link: Int32) throws(SystemError) -> String {
  var text = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlinkat(link, "", &text, text.count)
  guard count > 0, count < text.count else { throw .last("readlink") }
  return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

// MARK: - Listing

extension ConfinedFolder {
  /// The regular files in the folder and in those inside it, by their paths in it, sorted.
  ///
  /// - Parameters:
  ///   - depth: How many folders deep to go.
  ///   - count: How many files to list at most.
  /// - Returns: The paths. Names that begin with a dot are left out, and where a symbolic link leads out of the folder.
  /// - Throws: `SystemError` when the folder itself can't be read; those in it that can't be are passed over.
  package func files(depth: Int, count: Int) throws(SystemError) -> [String] {
    var found: [String] = []
    var folders = [(path: "", depth: 0)]
    // A link can lead to a folder that was gone through.
    var seen: Set<String> = []
    while let folder = folders.popLast(), found.count < count {
      let place = path + "/" + folder.path
      guard seen.insert(canonicalPath(place)).inserted else { continue }
      let names = folder.depth == 0 ? try directoryEntries(place) : (try? directoryEntries(place)) ?? []
      for name in names where !name.hasPrefix(".") && found.count < count {
        let inner = folder.path.isEmpty ? name : folder.path + "/" + name
        switch kind(of: inner) {
        case .directory: if folder.depth < depth { folders.append((inner, folder.depth + 1)) }
        case .file: found.append(inner)
        case .other, nil: break
        }
      }
    }
    return found.sorted()
  }
}
