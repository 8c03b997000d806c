internal import CrashRead
internal import CrashReadSystem

/// The parts of a Git repository that are needed to blame a line: the commit that is checked out, and the location of
/// the objects.
///
/// The configuration isn't read, not even by Git: it can name programs in many ways, and an unpacked archive may
/// contain a stranger's (gitrepository-layout(5)).
struct GitRepository {
  /// The top folder of the checkout.
  let top: ConfinedFolder
  /// The commit that is checked out, in hexadecimal.
  let head: String
  /// The folder of the objects.
  let objects: String
  /// The commits whose parents are missing here (`shallow`), one per line; nil in a complete repository.
  let shallow: [UInt8]?

  private static let maximumFileSize = 64 << 20

  /// The repository of a folder: that of the innermost enclosing folder that contains `.git`; nil when there is none
  /// that can be used.
  init?(holding folder: String) {
    var candidate: Substring = folder[...]
    while (try? fileKind(candidate + "/.git")) == nil {
      guard let slash = candidate.lastIndex(of: "/") else { return nil }
      candidate = candidate[..<slash]
    }
    guard let top = ConfinedFolder(candidate + "/"), let own = Self.gitFolder(of: top.realPath),
      let shared = Self.sharedFolder(of: own), let head = Self.head(own, shared),
      let objects = shared.realPath(of: "objects", .directory)
    else { return nil }
    self.top = top
    self.head = head
    self.objects = objects
    shallow = try? shared.readFile("shallow", limit: Self.maximumFileSize)
  }

  /// The folder `.git`, or the folder that a file of this name points to, in a worktree or a submodule. That folder
  /// must refer back: a worktree's names the checkout, and a submodule's lies in the enclosing repository.
  private static func gitFolder(of top: String) -> ConfinedFolder? {
    let git = top + "/.git"
    if (try? fileKind(git)) == .directory {
      return canonicalPath(git) == git ? ConfinedFolder(git) : nil
    }
    guard let target = path(in: try? readFile(git, limit: 1 << 16), after: "gitdir: ", from: top),
      let folder = ConfinedFolder(target)
    else { return nil }
    let back = path(in: try? folder.readFile("gitdir", limit: 1 << 16), after: "", from: folder.realPath)
    if back.map(canonicalPath) == git { return folder }
    let around = folder.realPath.ranges(of: "/.git/modules/").first.map { folder.realPath[..<$0.lowerBound] }
    return around.map { top.hasPrefix($0 + "/") } == true ? folder : nil
  }

  /// The folder shared by all worktrees (`commondir`); otherwise the folder itself.
  private static func sharedFolder(of own: ConfinedFolder) -> ConfinedFolder? {
    guard let text = try? own.readFile("commondir", limit: 1 << 16) else { return own }
    guard let shared = path(in: text, after: "", from: own.realPath).flatMap(ConfinedFolder.init) else {
      return nil
    }
    // Git creates `worktrees/NAME` in the shared folder.
    return own.realPath.hasPrefix(shared.realPath + "/worktrees/") ? shared : nil
  }

  /// The absolute path in a one-line file.
  private static func path(in bytes: [UInt8]?, after start: String, from folder: String) -> String? {
    guard let text = line(bytes), text.hasPrefix(start) else { return nil }
    let path = text.dropFirst(start.count)
    return path.hasPrefix("/") ? String(path) : folder + "/" + path
  }

  private static func line(_ bytes: [UInt8]?) -> String? {
    bytes.map {
      String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
  }

  /// The commit that `HEAD` refers to, directly or through references; nil when there is none.
  private static func head(_ own: ConfinedFolder, _ shared: ConfinedFolder) -> String? {
    var name = "HEAD"
    for _ in 0..<5 {
      let folder = name == "HEAD" ? own : shared
      guard let text = line(try? folder.readFile(name, limit: 1 << 16)) ?? packed(name, in: shared) else {
        return nil
      }
      if isObjectName(text) { return text }
      guard text.hasPrefix("ref: refs/") else { return nil }
      name = String(text.dropFirst(5))
    }
    return nil
  }

  /// The commit of a reference in `packed-refs`, whose lines are `COMMIT NAME`.
  private static func packed(_ name: String, in shared: ConfinedFolder) -> String? {
    guard let bytes = try? shared.readFile("packed-refs", limit: maximumFileSize) else { return nil }
    let ending = Array((" " + name).utf8)
    return bytes.split(separator: UInt8(ascii: "\n")).first { $0.suffix(ending.count).elementsEqual(ending) }
      .map { String(decoding: $0.dropLast(ending.count), as: UTF8.self) }
  }

  private static func isObjectName(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count)
      && text.utf8.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
  }
}
