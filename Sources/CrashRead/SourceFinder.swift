internal import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadRendering
internal import CrashReadSystem

/// Finds the source files named by debug info on this machine.
///
/// A path of the build machine is rewritten by the first matching path map and opened there, or opened as it is when it
/// lies below a root or a checkout; otherwise its tail is tried below each root, longest tail first. Debug files and
/// source trees may be hostile: with all symbolic links resolved, a file that is shown lies below one of these folders,
/// is a regular file with the extension of a source file, and is not in `.git`.
public struct SourceFinder: Sendable {
  /// A folder of the build machine, and the corresponding folder on this one.
  public struct PathMap: Sendable, Hashable {
    /// The prefix of a path in debug info.
    public var old: String
    /// The prefix on this machine.
    public var new: String

    /// Maps a path prefix to another.
    public init(old: String, new: String) {
      self.old = old
      self.new = new
    }
  }

  private let roots: [String]
  private let maps: [PathMap]
  private let checkouts: [String]
  /// How many lines are shown before and after a location.
  private static let context = 3
  private static let maximumFileSize = 16 << 20
  /// The maximum size of all source files read for one report, in bytes.
  private static let maximumSize = 64 << 20

  /// A finder with folders to look in.
  ///
  /// - Parameters:
  ///   - roots: Folders below which the tail of a recorded path is looked up; the first match counts.
  ///   - maps: Replacements of path prefixes; the first match counts.
  ///   - checkouts: The top folders of checkouts. The path of a found file below the first one that contains it is
  ///     noted, and recorded paths below one are looked up there.
  public init(roots: [String] = [], maps: [PathMap] = [], checkouts: [String] = []) {
    self.roots = roots
    self.maps = maps
    self.checkouts = checkouts
  }

  /// Lines around source locations, for each location whose file is found and has such a line; each file is read once.
  package func excerpts(around locations: [SourceLocation]) -> [SourceLocation: SourceExcerpt] {
    var folders = Folders(
      roots: roots.compactMap(ConfinedFolder.init), checkouts: checkouts.compactMap(ConfinedFolder.init))
    var excerpts: [SourceLocation: SourceExcerpt] = [:]
    var left = Self.maximumSize
    let locationsByFile = Dictionary(grouping: locations, by: \.file)
    var tried: Set<String> = []
    // The first locations matter most if the limit is reached.
    for file in locations.map(\.file) where tried.insert(file).inserted {
      guard let found = find(file, &folders),
        let bytes = try? found.folder.readFile(found.path, limit: min(Self.maximumFileSize, left))
      else { continue }
      left -= bytes.count
      let checkout = found.isGuess ? nil : folders.relativePath(of: found.realPath)
      for (location, part) in SourceParts(bytes).around(locationsByFile[file] ?? [], context: Self.context) {
        excerpts[location] = SourceExcerpt(
          path: found.shownPath, relativePath: checkout, firstLine: part.firstLine, lines: part.lines,
          markedLine: part.markedLine, markedColumn: location.column, isGuess: found.isGuess)
      }
    }
    return excerpts
  }

  /// The folders of a finder that exist on this machine.
  private struct Folders {
    var roots: [ConfinedFolder]
    var checkouts: [ConfinedFolder]
    /// The source files below the roots, listed on first use.
    lazy var sources = SourceList(roots)

    init(roots: [ConfinedFolder], checkouts: [ConfinedFolder]) {
      (self.roots, self.checkouts) = (roots, checkouts)
    }

    /// The file's path below the first checkout that contains it; nil when none does.
    func relativePath(of realPath: String) -> String? {
      checkouts.lazy.compactMap { $0.remainder(of: realPath) }.first
    }
  }

  /// A source file below a folder.
  private struct Found {
    var folder: ConfinedFolder
    var path: String
    var realPath: String
    /// Whether it was found by its name alone.
    var isGuess = false
    /// The path shown in output.
    var shownPath: String

    /// Nil when the path names no source file.
    init?(_ path: String, below folder: ConfinedFolder) {
      guard let realPath = folder.realPath(of: path, .file), looksLikeSource(realPath) else { return nil }
      self.folder = folder
      self.path = path
      self.realPath = realPath
      shownPath = folder.path + "/" + path
    }
  }

  private func find(_ file: String, _ folders: inout Folders) -> Found? {
    guard looksLikeSource(file), let recorded = withoutParents(file) else { return nil }
    if let found = findAtRecordedPath(recorded, folders) { return found }
    let components = applyMaps(recorded).split(separator: "/")
    guard !components.contains("..") else { return nil }
    for start in Self.starts(of: components) {
      let tail = components[start...].joined(separator: "/")
      for root in folders.roots {
        guard var found = Found(tail, below: root) else { continue }
        // The root's own name may be that of the folder that contains the file.
        found.isGuess =
          start > 0 && start == components.count - 1 && !root.realPath.hasSuffix("/" + components[start - 1])
        return found
      }
    }
    guard !recorded.hasPrefix("/"), components.count == 2,
      let (root, path) = folders.sources.file(named: String(components[1]), module: String(components[0]))
    else { return nil }
    return Found(path, below: root)
  }

  /// The file at a mapped path, or at the recorded path itself; nil when it isn't there.
  private func findAtRecordedPath(_ recorded: String, _ folders: Folders) -> Found? {
    if let (map, rest) = map(of: recorded) {
      // A map may also name a single file.
      let target = rest.isEmpty ? (directory(of: map.new), fileName(map.new)) : (map.new, rest)
      let folder = ConfinedFolder(target.0.isEmpty ? "." : target.0)
      return folder.flatMap { Found(target.1, below: $0) }
    }
    for folder in folders.roots + folders.checkouts {
      guard let path = recorded.hasPrefix("/") ? folder.remainder(of: recorded) : recorded,
        var found = Found(path, below: folder)
      else { continue }
      if recorded.hasPrefix("/") { found.shownPath = recorded }
      return found
    }
    return nil
  }

  /// The indices at which tails of a path begin that may name a file.
  private static func starts(of components: [Substring]) -> Range<Int> {
    var length = 0
    let count = components.reversed().prefix { component in
      length += component.utf8.count + 1
      return length < maximumPathLength
    }.count
    return components.count - count..<components.count
  }

  private func applyMaps(_ file: String) -> String {
    guard let (map, rest) = map(of: file) else { return file }
    return rest.isEmpty ? map.new : map.new + "/" + rest
  }

  /// The first map that matches a path, and the rest of the path; nil when none does.
  private func map(of file: String) -> (map: PathMap, rest: String)? {
    for map in maps where file.hasPrefix(map.old) {
      let rest = file.dropFirst(map.old.count)
      // Only whole components match: `/src` isn't a prefix of `/srcs/x.c`.
      if map.old.hasSuffix("/") || rest.isEmpty || rest.hasPrefix("/") {
        return (map, String(rest.drop { $0 == "/" }))
      }
    }
    return nil
  }
}

/// A path without `..` components, so that it can't leave the folder it is appended to; nil when it begins with one.
private func withoutParents(_ path: String) -> String? {
  guard path.contains("..") else { return path }
  var kept: [Substring] = []
  for component in path.split(separator: "/") {
    if component != ".." {
      kept.append(component)
    } else if kept.popLast() == nil {
      return nil
    }
  }
  return (path.hasPrefix("/") ? "/" : "") + kept.joined(separator: "/")
}

/// Whether a folder seems to hold source code; only its first entries are examined.
package func holdsSource(_ folder: String) -> Bool {
  let files = ConfinedFolder(folder).flatMap { try? $0.files(depth: 6, count: 1000) } ?? []
  return files.contains(where: looksLikeSource)
}

func looksLikeSource(_ file: String) -> Bool {
  let endings = [
    ".swift", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".m", ".mm", ".s",
    ".S",
    ".rs", ".def", ".inc", ".metal",
  ]
  return endings.contains { file.hasSuffix($0) }
}
