internal import CrashRead
internal import CrashReadSystem

/// The folders that tools may read. No other file is opened for a client, whatever path it sends.
struct RootFolders {
  private let folders: [ConfinedFolder]

  /// Root folders at the given paths; paths that aren't folders are ignored.
  init(_ paths: [String]) { folders = paths.compactMap { ConfinedFolder(canonicalPath($0)) } }

  /// Why a path can't be used.
  struct Refusal: Error, Equatable {
    var message: String
  }

  /// Their paths, without symbolic links.
  var paths: [String] { folders.map(\.realPath) }

  /// The contents of a regular file.
  /// - Throws: `Refusal` when there is no such file below a root, or it is larger than the limit.
  func bytes(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
    try first(path) { (folder, rest) throws(SystemError) in try folder.readFile(rest, limit: limit) }
  }

  /// The path, without symbolic links, of a file or a folder.
  /// - Throws: `Refusal` when there is none below a root.
  func realPath(of path: String, _ kinds: [FileKind] = [.file]) throws(Refusal) -> String {
    try first(path) { (folder, rest) throws(SystemError) in
      for kind in kinds {
        if let found = folder.realPath(of: rest, kind) { return found }
      }
      return nil
    }
  }

  /// The regular files in a folder and its subfolders; symbolic links that lead out of it are omitted.
  func files(in path: String) throws(Refusal) -> [String] {
    let folder = try realPath(of: path, [.directory])
    return (try? ReportFolder(path: folder).files(since: nil)) ?? []
  }

  /// The result from the first root that has it. A relative path is looked up below each of them.
  private func first<Result>(
    _ path: String, _ take: (ConfinedFolder, String) throws(SystemError) -> Result?
  ) throws(Refusal) -> Result {
    var reason = folders.isEmpty ? "no --root was given" : "it is not below a root"
    for folder in folders {
      // The system would end the path at a zero byte.
      guard let rest = remainder(of: path, in: folder), !path.utf8.contains(0) else { continue }
      do throws(SystemError) {
        if let found = try take(folder, rest) { return found }
        reason = "a path that names nothing of that kind below a root is not supported"
      } catch {
        reason = error.description
      }
    }
    throw Refusal(message: "cannot read \(path): \(reason)")
  }

  private func remainder(of path: String, in folder: ConfinedFolder) -> String? {
    guard path.hasPrefix("/") else { return path }
    return path == folder.realPath || path == folder.path ? "." : folder.remainder(of: path)
  }
}
