internal import BinaryIdentity
public import DebugInfo
public import Rendering

/// Finds the source files that debug info names on this machine.
///
/// A path of the machine that built the program is rewritten by the first path map that fits, and tried as it is; then
/// its tail is tried under each root, the longest tail first. Only files that look like source are opened: the path
/// comes from a file that may be hostile.
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
  private static let maximumLineLength = 500

  /// A finder with folders to look in.
  ///
  /// - Parameters:
  ///   - roots: Where the end of a recorded path is looked for, first match first.
  ///   - maps: Replacements at the start of recorded paths, first match first.
  ///   - checkouts: Folders that CI systems take for the top of the sources: a found file's path below the first one that
  ///     holds it is noted.
  public init(roots: [String] = [], maps: [PathMap] = [], checkouts: [String] = []) {
    self.roots = roots
    self.maps = maps
    self.checkouts = checkouts.map(canonicalPath)
  }

  /// The path of a file below the first of some folders that holds it, symbolic links followed; nil when none does.
  private func relativePath(of file: String) -> String? {
    if checkouts.isEmpty { return nil }
    let path = canonicalPath(file)
    for checkout in checkouts {
      let start = checkout.hasSuffix("/") ? checkout : checkout + "/"
      if path.hasPrefix(start) { return String(path.dropFirst(start.count)) }
    }
    return nil
  }

  /// Lines around a place in the source; nil when its file isn't found, or has no such line.
  ///
  /// - Parameters:
  ///   - location: The place, as debug info has it.
  ///   - context: How many lines to take before and after.
  /// - Returns: The lines, with the place marked in them.
  public func excerpt(around location: SourceLocation, context: Int = 3) -> SourceExcerpt? {
    guard let line = location.line, line > 0, let found = find(location.file),
      let bytes = try? readFile(found.path, limit: Self.maximumFileSize), line <= bytes.count + 1
    else { return nil }
    let first = max(1, line - context)
    let lines = Self.lines(first...line + context, of: bytes)
    guard line - first < lines.count else { return nil }
    return SourceExcerpt(
      path: found.path, relativePath: found.isGuess ? nil : relativePath(of: found.path), firstLine: first,
      lines: lines.map(Self.text),
      markedLine: line, markedColumn: location.column, isGuess: found.isGuess)
  }

  /// The lines of some numbers, as far as there are such. Of those before only the ends are looked for.
  private static func lines(_ wanted: ClosedRange<Int>, of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var number = 1
    var rest = text[...]
    while number <= wanted.upperBound {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      if wanted.contains(number) { lines.append(rest[..<(end ?? rest.endIndex)]) }
      guard let end else { break }
      rest = rest[(end + 1)...]
      number += 1
    }
    return lines
  }

  private static func text(_ line: ArraySlice<UInt8>) -> String {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return String(decoding: line.prefix(maximumLineLength), as: UTF8.self)
  }

  /// The file's path here, and whether nothing but its name led to it.
  private func find(_ file: String) -> (path: String, isGuess: Bool)? {
    guard looksLikeSource(file), let recorded = withoutParents(file) else { return nil }
    let mapped = applyMaps(recorded)
    if isFile(mapped) { return (mapped, false) }
    let components = mapped.split(separator: "/")
    guard !components.contains("..") else { return nil }
    for start in Self.starts(of: components) {
      let tail = components[start...].joined(separator: "/")
      for root in roots where isFile(root + "/" + tail) {
        // The root's own name can be what stood before the file's.
        let isNamed =
          start == 0 || start < components.count - 1
          || canonicalPath(root).hasSuffix("/" + components[start - 1])
        return (root + "/" + tail, !isNamed)
      }
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
    for map in maps where file.hasPrefix(map.old) {
      let rest = file.dropFirst(map.old.count)
      // Whole components only: `/src` is no start of `/srcs/x.c`.
      if map.old.hasSuffix("/") || rest.isEmpty || rest.hasPrefix("/") { return map.new + rest }
    }
    return file
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

private func isFile(_ path: String) -> Bool { (try? fileKind(path)) == .file }

private func looksLikeSource(_ file: String) -> Bool {
  let endings = [
    ".swift", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".m", ".mm", ".s",
    ".S",
    ".rs", ".def", ".inc", ".metal",
  ]
  return endings.contains { file.hasSuffix($0) }
}
