internal import Glibc

/// A folder named by the user, below which paths from untrusted input may be opened.
///
/// The path is walked component by component. A symbolic link is followed as long as it stays below the folder; nothing
/// outside is touched, be it a secret, a device, or an automounted volume. `.git`, which holds keys and configuration,
/// isn't entered either.
package struct ConfinedFolder: Sendable, Hashable {
  /// The path as given, without a trailing slash.
  package let path: String
  /// The path without symbolic links; empty for the root of the file system.
  package let realPath: String

  /// Nil when there is no such folder.
  package init?(_ path: String) {
    guard (try? fileKind(path)) == .directory else { return nil }
    self.path = withoutSlash(path)
    realPath = withoutSlash(canonicalPath(path))
  }

  /// The components of an absolute path below the folder; nil when the path isn't lexically below it.
  package func remainder(of path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    return rest(of: path, after: self.path) ?? rest(of: path, after: realPath)
  }

  private func rest(of path: String, after folder: String) -> String? {
    guard path.utf8.starts(with: folder.utf8) else { return nil }
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.first == UInt8(ascii: "/") ? String(rest.dropFirst()) : nil
  }

  /// The path, without symbolic links, of an entry below the folder; nil when there is none of that kind.
  package func realPath(of path: String, _ kind: FileKind) -> String? {
    guard let walk = try? ConfinedWalk(from: self, along: path), let end = try? walk.end(), end.kind == kind
    else { return nil }
    return ([realPath] + walk.names + (end.name.map { [$0] } ?? [])).joined(separator: "/")
  }

  /// The kind of an entry below the folder; nil when there is none.
  func kind(of path: String) -> FileKind? {
    guard let walk = try? ConfinedWalk(from: self, along: path) else { return nil }
    return try? walk.end().kind
  }

  /// The whole contents of a regular file below the folder.
  /// - Throws: `SystemError` when there is no such file, or it can't be read or is larger than the limit.
  package func readFile(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let walk = try ConfinedWalk(from: self, along: path)
    let end = try walk.end()
    guard end.kind == .file, let name = end.name else { throw .notAFile }
    let descriptor = try requireRegular(
      unsafe openat(walk.folder, name, O_RDONLY | O_NOFOLLOW | readingFlags))
    defer { close(descriptor) }
    return try readAll(descriptor, limit: limit)
  }

  /// Opens a regular file below the folder for writing and creates it if necessary; a symbolic link is refused.
  ///
  /// - Parameters:
  ///   - path: The path, below the folder.
  ///   - appends: Whether the contents of the file are kept.
  /// - Returns: The descriptor, which the caller closes.
  /// - Throws: `SystemError` when the path names something else, or can't be written.
  package func openForWriting(_ path: String, appends: Bool) throws(SystemError) -> Int32 {
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

/// Walks down from a folder, opening each folder relative to its parent, so that none can be replaced by a link during
/// the walk. The C function is `openat` with `O_PATH`, which has no side effects on devices.
private final class ConfinedWalk {
  private let root: ConfinedFolder
  private var folders: [Int32]
  /// The names of the folders below the root.
  private(set) var names: [String] = []
  /// The remaining components, the next one last.
  private var pending: [String]
  private var linkCount = 0

  /// The number of symbolic links that Linux follows in one path (path_resolution(7)).
  private static let maximumLinks = 40

  init(from root: ConfinedFolder, along path: String) throws(SystemError) {
    self.root = root
    // The system's own limit.
    guard path.utf8.count < PATH_MAX else { throw .failed("open", code: ENAMETOOLONG) }
    pending = components(path)
    let top = unsafe open(root.realPath + "/", O_PATH | O_DIRECTORY | O_CLOEXEC)
    guard top >= 0 else { throw .last("open") }
    folders = [top]
  }

  deinit { for folder in folders { close(folder) } }

  /// The innermost folder.
  var folder: Int32 { folders.last ?? -1 }

  /// The kind of the entry, and its name in the innermost folder; no name for that folder itself.
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

  /// Enters a folder, or queues the components of a link; otherwise returns the kind of the entry.
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

/// glibc declares this only with `_GNU_SOURCE`, which Swift doesn't define. The value is the same on every architecture
/// that Swift supports on Linux.
private let O_PATH: Int32 = 0o10_000_000

/// Whether it is Git's own folder, also on file systems that ignore case.
private func isRepository(_ name: String) -> Bool { name.lowercased() == ".git" }

/// The components of a path, in reverse order.
private func components(_ path: String) -> [String] {
  path.split(separator: "/").reversed().filter { $0 != "." }.map(String.init)
}

private func withoutSlash(_ path: String) -> String {
  path.hasSuffix("/") ? String(path.dropLast()) : path
}

/// The target of a symbolic link, by its descriptor. The C function is `readlinkat`.
private func linkTarget(_ link: Int32) throws(SystemError) -> String {
  var text = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlinkat(link, "", &text, text.count)
  guard count > 0, count < text.count else { throw .last("readlink") }
  return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

// MARK: - Listing

extension ConfinedFolder {
  /// The regular files in the folder and its subfolders, by relative path, sorted.
  ///
  /// - Parameters:
  ///   - depth: How many levels of folders to enter.
  ///   - count: The maximum number of files.
  /// - Returns: The paths. Names that begin with a dot and symbolic links that lead out of the folder are left out.
  /// - Throws: `SystemError` when the folder itself can't be read; unreadable subfolders are skipped.
  package func files(depth: Int, count: Int) throws(SystemError) -> [String] {
    var found: [String] = []
    var folders = [(path: "", depth: 0)]
    // A link may point to a folder that was already visited.
    var seen: Set<String> = []
    while let folder = folders.popLast(), found.count < count {
      let folderPath = path + "/" + folder.path
      guard seen.insert(canonicalPath(folderPath)).inserted else { continue }
      let names =
        folder.depth == 0 ? try directoryEntries(folderPath) : (try? directoryEntries(folderPath)) ?? []
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
