internal import CrashReadDebugInfo
internal import CrashReadSystem

/// The source files below some folders, by name.
///
/// Swift's messages name a file by module and name (`#fileID`), without the folders between them.
struct SourceList {
  private var files: [String: [(root: ConfinedFolder, path: String)]] = [:]

  /// The maximum number of folders listed. No checkout has more, and a root that is too large by mistake must not cost
  /// minutes.
  private static let maximumFolders = 4000
  private static let maximumDepth = 16

  /// Lists the files below some folders. Build products and names that begin with a dot are skipped.
  init(_ roots: [ConfinedFolder]) {
    for root in roots { add(root) }
  }

  /// The only file with a name in a folder that has the name of its module; nil when there is none, or several.
  func file(named name: String, module: String) -> (root: ConfinedFolder, path: String)? {
    let found = (files[name] ?? []).filter { $0.path.split(separator: "/").dropLast().contains(module[...]) }
    return found.count == 1 ? found[0] : nil
  }

  private mutating func add(_ root: ConfinedFolder) {
    var pending = [(path: "", depth: 0)]
    var count = 0
    while let folder = pending.popLast(), count < Self.maximumFolders {
      count += 1
      for name in (try? directoryEntries(root.realPath + "/" + folder.path)) ?? [] where !isSkipped(name) {
        let path = folder.path.isEmpty ? name : folder.path + "/" + name
        if looksLikeSource(name) {
          files[name, default: []].append((root, path))
        } else if folder.depth < Self.maximumDepth, isFolder(path, below: root) {
          pending.append((path, folder.depth + 1))
        }
      }
    }
  }

  private func isSkipped(_ name: String) -> Bool {
    name.hasPrefix(".") || ["node_modules", "DerivedData", "build"].contains(name)
  }

  /// Whether a path is a folder, and not a link to one.
  private func isFolder(_ path: String, below root: ConfinedFolder) -> Bool {
    guard (try? fileKind(root.realPath + "/" + path)) == .directory else { return false }
    return root.realPath(of: path, .directory) == root.realPath + "/" + path
  }
}
