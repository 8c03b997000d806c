internal import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadRendering
internal import CrashReadSystem

/// Finds the source files that debug info names on this machine.
///
/// A path of the machine that built the program is rewritten by the first path map that fits, and looked up where that
/// leads, or as it is where it lies below a root or a checkout; then its tail is tried under each root, the longest tail
/// first. The path comes from a file that may be hostile, and so may what lies below a root: what is shown lies below one
/// of these folders with all symbolic links followed, is a regular file, ends like source, and is not in `.git`.
public struct SourceFinder: Sendable {
  /// A folder of the building machine, and where its contents are here.
  public struct PathMap: Sendable, Hashable {
    /// The start of a recorded path.
    public var old: String
    /// What stands here in its place.
    public var new: String

    /// Maps one start of a path to another.
    public init(old: String, new: String) {
      self.old = old
      self.new = new
    }
  }

  private let roots: [String]
  private let maps: [PathMap]
  private let checkouts: [String]
  private static let maximumFileSize = 16 << 20
  /// What is read for one report: files of a usual size for all places that are shown.
  private static let maximumSize = 64 << 20

  /// A finder with folders to look in.
  ///
  /// - Parameters:
  ///   - roots: Where the end of a recorded path is looked for, first match first.
  ///   - maps: Replacements at the start of recorded paths, first match first.
  ///   - checkouts: Folders that CI systems take for the top of the sources: a found file's path below the first one that
  ///     holds it is noted. A recorded path that lies below one is looked up there.
  public init(roots: [String] = [], maps: [PathMap] = [], checkouts: [String] = []) {
    self.roots = roots
    self.maps = maps
    self.checkouts = checkouts
  }

  /// Lines around a place in the source; nil when its file isn't found, or has no such line.
  ///
  /// - Parameters:
  ///   - location: The place, as debug info has it.
  ///   - context: How many lines to take before and after.
  /// - Returns: The lines, with the place marked in them.
  package func excerpt(around location: SourceLocation, context: Int = 3) -> SourceExcerpt? {
    excerpts(around: [location], context: context)[location]
  }

  /// Lines around several places in the source; each file is read once.
  ///
  /// - Parameters:
  ///   - locations: The places, as debug info has them.
  ///   - context: How many lines to take before and after each.
  /// - Returns: The lines, for each place whose file is found and has such a line.
  package func excerpts(
    around locations: [SourceLocation], context: Int = 3
  ) -> [SourceLocation: SourceExcerpt] {
    var folders = Folders(
      roots: roots.compactMap(ConfinedFolder.init), checkouts: checkouts.compactMap(ConfinedFolder.init))
    var excerpts: [SourceLocation: SourceExcerpt] = [:]
    var left = Self.maximumSize
    let places = Dictionary(grouping: locations, by: \.file)
    var tried: Set<String> = []
    // The first places are those that matter most.
    for file in locations.map(\.file) where tried.insert(file).inserted {
      guard let found = find(file, &folders),
        let bytes = try? found.folder.readFile(found.path, limit: min(Self.maximumFileSize, left))
      else { continue }
      left -= bytes.count
      let checkout = found.isGuess ? nil : folders.relativePath(of: found.realPath)
      for (place, part) in SourceParts(bytes).around(places[file] ?? [], context: context) {
        excerpts[place] = SourceExcerpt(
          path: found.shownPath, relativePath: checkout, firstLine: part.firstLine, lines: part.lines,
          markedLine: part.markedLine, markedColumn: place.column, isGuess: found.isGuess)
      }
    }
    return excerpts
  }

  /// The folders of a finder that are there.
  private struct Folders {
    var roots: [ConfinedFolder]
    var checkouts: [ConfinedFolder]
    /// The source files below the roots, listed when they are first asked for.
    lazy var sources = SourceList(roots)

    init(roots: [ConfinedFolder], checkouts: [ConfinedFolder]) {
      (self.roots, self.checkouts) = (roots, checkouts)
    }

    /// A path below the first of the checkouts that holds it; nil when none does.
    func relativePath(of realPath: String) -> String? {
      checkouts.lazy.compactMap { $0.remainder(of: realPath) }.first
    }
  }

  /// A source file below a folder.
  private struct Found {
    var folder: ConfinedFolder
    var path: String
    var realPath: String
    /// Whether nothing but its name led to it.
    var isGuess = false
    /// The path as output names it.
    var shownPath: String

    /// Nil when the path leads to no file that looks like source.
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
    if let found = findWhereMeant(recorded, folders) { return found }
    let components = applyMaps(recorded).split(separator: "/")
    guard !components.contains("..") else { return nil }
    for start in Self.starts(of: components) {
      let tail = components[start...].joined(separator: "/")
      for root in folders.roots {
        guard var found = Found(tail, below: root) else { continue }
        // The root's own name can be what stood before the file's.
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

  /// The file where a map leads, or at the recorded path itself.
  private func findWhereMeant(_ recorded: String, _ folders: Folders) -> Found? {
    if let (map, rest) = map(of: recorded) {
      // A map can also lead from one file to another.
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

  /// Where the tails of a path begin that a file can have.
  private static func starts(of components: [Substring]) -> Range<Int> {
    var length = 0
    let count = components.reversed().prefix { component in
      length += component.utf8.count + 1
      return length < longestPath
    }.count
    return components.count - count..<components.count
  }

  private func applyMaps(_ file: String) -> String {
    guard let (map, rest) = map(of: file) else { return file }
    return rest.isEmpty ? map.new : map.new + "/" + rest
  }

  /// The first map that fits, and what stands behind its start.
  private func map(of file: String) -> (map: PathMap, rest: String)? {
    for map in maps where file.hasPrefix(map.old) {
      let rest = file.dropFirst(map.old.count)
      // Whole components only: `/src` is no start of `/srcs/x.c`.
      if map.old.hasSuffix("/") || rest.isEmpty || rest.hasPrefix("/") {
        return (map, String(rest.drop { $0 == "/" }))
      }
    }
    return nil
  }
}

/// A path without `..`, so that it leads out of no folder that it is mapped to; nil when it begins with one.
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

private func fileName(_ path: String) -> String { String(path.dropFirst(directory(of: path).count)) }

/// Whether a folder holds source, as far as a quick look tells.
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
