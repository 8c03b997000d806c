internal import CrashReadDebugInfo
internal import CrashReadSystem

/// The source files below some folders, by their names.
///
/// Swift's messages name a file by its module and its name (`#fileID`), without the folders between the two.
struct SourceList {
  private var files: [String: [(root: ConfinedFolder, path: String)]] = [:]

  /// A checkout has no more; a root that is too large by mistake must not cost minutes.
  private static let maximumFolders = 4000
  private static let maximumDepth = 16

  /// Lists what is below some folders. What a build makes is passed over, and what begins with a dot.
  init(_ roots: [ConfinedFolder]) {
    for root in roots { add(root) }
  }

  /// The one file of a name that lies in a folder with its module's name; nil when none or several do.
  func file(named name: String, module: String) -> (root: ConfinedFolder, path: String)? {
    let found = (files[name] ?? []).filter { $0.path.split(separator: "/").dropLast().contains(module[...]) }
    return found.count == 1 ? found[0] : nil
  }

  private mutating func add(_ root: ConfinedFolder) {
    var pending = [(path: "", depth: 0)]
    var count = 0
    while let folder = pending.popLast(), count < Self.maximumFolders {
      count += 1
      for name in (try? directoryEntries(root.realPath + "/" + folder.path)) ?? [] where !isPassedOver(name) {
        let path = folder.path.isEmpty ? name : folder.path + "/" + name
        if looksLikeSource(name) {
          files[name, default: []].append((root, path))
        } else if folder.depth < Self.maximumDepth, isFolder(path, below: root) {
          pending.append((path, folder.depth + 1))
        }
      }
    }
  }

  private func isPassedOver(_ name: String) -> Bool {
    name.hasPrefix(".") || ["node_modules", "DerivedData", "build"].contains(name)
  }

  /// Whether a path is a folder, and no link to one.
  private func isFolder(_ path: String, below root: ConfinedFolder) -> Bool {
    guard (try? fileKind(root.realPath + "/" + path)) == .directory else { return false }
    return root.realPath(of: path, .directory) == root.realPath + "/" + path
  }
}
