internal import CrashRead
internal import CrashReadSystem

/// What is read of a Git repository to blame a line of it: which commit is checked out, and where its objects are.
///
/// Its configuration isn't read, nor by Git, since it can name programs in more ways than can be counted; and it may be
/// a stranger's, as in an unpacked archive (gitrepository-layout(5)).
struct GitRepository {
  /// The top of what is checked out.
  let top: ConfinedFolder
  /// The commit that is checked out, in hexadecimal.
  let head: String
  /// Where the objects are.
  let objects: String
  /// The commits whose parents are missing here, one a line; nil in a repository that has them all.
  let shallow: [UInt8]?

  private static let largestFile = 64 << 20

  /// The repository that holds a folder: that of the innermost folder around it with `.git` in it; nil when there is none
  /// that can be used.
  init?(holding folder: String) {
    var place: Substring = folder[...]
    while (try? fileKind(place + "/.git")) == nil {
      guard let slash = place.lastIndex(of: "/") else { return nil }
      place = place[..<slash]
    }
    guard let top = ConfinedFolder(place + "/"), let own = Self.gitFolder(of: top.realPath),
      let shared = Self.sharedFolder(of: own), let head = Self.head(own, shared),
      let objects = shared.realPath(of: "objects", .directory)
    else { return nil }
    self.top = top
    self.head = head
    self.objects = objects
    shallow = try? shared.readFile("shallow", limit: Self.largestFile)
  }

  /// `.git`, or where the file of this name leads, in a worktree or a submodule. Who made it must have known this folder:
  /// a worktree's names it in turn, and a submodule's lies in the repository around it.
  private static func gitFolder(of top: String) -> ConfinedFolder? {
    let git = top + "/.git"
    if (try? fileKind(git)) == .directory {
      return canonicalPath(git) == git ? ConfinedFolder(git) : nil
    }
    guard let target = path(in: try? readFile(git, limit: 1 << 16), behind: "gitdir: ", from: top),
      let folder = ConfinedFolder(target)
    else { return nil }
    let back = path(in: try? folder.readFile("gitdir", limit: 1 << 16), behind: "", from: folder.realPath)
    if back.map(canonicalPath) == git { return folder }
    let around = folder.realPath.ranges(of: "/.git/modules/").first.map { folder.realPath[..<$0.lowerBound] }
    return around.map { top.hasPrefix($0 + "/") } == true ? folder : nil
  }

  /// What a worktree shares with the others; the folder itself in all other cases.
  private static func sharedFolder(of own: ConfinedFolder) -> ConfinedFolder? {
    guard let text = try? own.readFile("commondir", limit: 1 << 16) else { return own }
    guard let shared = path(in: text, behind: "", from: own.realPath).flatMap(ConfinedFolder.init) else {
      return nil
    }
    // Git makes `worktrees/NAME` in what is shared.
    return own.realPath.hasPrefix(shared.realPath + "/worktrees/") ? shared : nil
  }

  /// The path in a file of one line, absolute.
  private static func path(in bytes: [UInt8]?, behind start: String, from folder: String) -> String? {
    guard let text = line(bytes), text.hasPrefix(start) else { return nil }
    let path = text.dropFirst(start.count)
    return path.hasPrefix("/") ? String(path) : folder + "/" + path
  }

  private static func line(_ bytes: [UInt8]?) -> String? {
    bytes.map {
      String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
  }

  /// The commit that `HEAD` means, by the names it leads to.
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

  /// The commit of a name in `packed-refs`, whose lines are `COMMIT NAME`.
  private static func packed(_ name: String, in shared: ConfinedFolder) -> String? {
    guard let bytes = try? shared.readFile("packed-refs", limit: largestFile) else { return nil }
    let ending = Array((" " + name).utf8)
    return bytes.split(separator: UInt8(ascii: "\n")).first { $0.suffix(ending.count).elementsEqual(ending) }
      .map { String(decoding: $0.dropLast(ending.count), as: UTF8.self) }
  }

  private static func isObjectName(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count)
      && text.utf8.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
  }
}
