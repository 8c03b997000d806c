internal import CrashRead
package import CrashReadSystem

/// The files of a directory and of those in it, by name, one after another; no more names are kept than one branch has.
package struct DirectoryWalk {
  /// The directories that are being gone through, and the names still to come, the last one first.
  private var open: [(path: String, names: [String])] = []
  /// Canonical paths of directories, so that circles of symbolic links end.
  private var seen: Set<String> = []

  package enum Entry {
    case file(String)
    case failure(path: String, SystemError)
  }

  package init() {}

  /// Goes through a directory next, before what is left of others.
  package mutating func enter(_ path: String) -> Entry? {
    guard seen.insert(canonicalPath(path)).inserted else { return nil }
    do throws(SystemError) {
      open.append((path, try directoryEntries(path).reversed()))
      return nil
    } catch {
      return .failure(path: path, error)
    }
  }

  /// The next regular file that isn't a binary, or result bundle; nil when the walk is over. What is neither file nor directory is passed over.
  package mutating func next() -> Entry? {
    while let directory = open.last {
      guard let name = open[open.count - 1].names.popLast() else {
        open.removeLast()
        if open.isEmpty { seen = [] }
        continue
      }
      let path = directory.path.hasSuffix("/") ? directory.path + name : directory.path + "/" + name
      switch try? fileKind(path) {
      // A bundle is one input: its parts are nothing by themselves.
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
