extension ConfinedFolder {
  /// The regular files in the folder and in those inside it, by their paths in it, sorted.
  ///
  /// - Parameters:
  ///   - depth: How many folders deep to go.
  ///   - count: How many files to list at most.
  /// - Returns: The paths. Names that begin with a dot are left out, and where a symbolic link leads out of the folder.
  /// - Throws: `DebugFileError` when the folder itself can't be read; those in it that can't be are passed over.
  package func files(depth: Int, count: Int) throws(DebugFileError) -> [String] {
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
