internal import CrashRead
package import CrashReadSystem

/// The files of a directory tree in order of their names; only the names of the current branch are held in memory.
package struct DirectoryWalk {
  /// The open directories, each with its remaining names, the next one last.
  private var open: [(path: String, names: [String])] = []
  /// Canonical paths of the directories visited, so that cycles of symbolic links end.
  private var seen: Set<String> = []

  package enum Entry {
    case file(String)
    case failure(path: String, SystemError)
  }

  package init() {}

  /// Visits a directory next, before the remaining entries of the others.
  package mutating func enter(_ path: String) -> Entry? {
    guard seen.insert(canonicalPath(path)).inserted else { return nil }
    do throws(SystemError) {
      open.append((path, try directoryEntries(path).reversed()))
      return nil
    } catch {
      return .failure(path: path, error)
    }
  }

  /// The next regular file that isn't a binary, or result bundle; nil at the end. Other files are skipped.
  package mutating func next() -> Entry? {
    // The path alone: a copy of the names would be copied again when the next one is taken.
    while let directory = open.last?.path {
      guard let name = open[open.count - 1].names.popLast() else {
        open.removeLast()
        if open.isEmpty { seen = [] }
        continue
      }
      let path = directory.hasSuffix("/") ? directory + name : directory + "/" + name
      switch try? fileKind(path) {
      // A bundle is a single input; its parts mean nothing alone.
      case .directory where ReportContainer.isResultBundle(path): return .file(path)
      case .directory where !name.hasSuffix(".dSYM"):
        if let failure = enter(path) { return failure }
      case .file where !isBinary(path): return .file(path)
      case .directory, .file, .other, nil: break
      }
    }
    return nil
  }
}
