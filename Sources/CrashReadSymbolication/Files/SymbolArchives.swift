internal import CrashReadDebugInfo
internal import CrashReadSystem

// Archives of debug files.
extension SymbolScan {
  /// Adds the contents of an archive like those of a directory.
  /// - Parameters:
  ///   - path: The archive.
  ///   - status: The result of `stat`.
  ///   - isNamed: Whether the user named it: then it is a problem if it is empty.
  mutating func addArchive(_ path: String, _ status: FileStatus, isNamed: Bool) {
    guard let archives, isFirst(status) else { return }
    let contents = archives.contents(of: path)
    for problem in contents.problems {
      report(problem.entry.isEmpty ? path : path + "/" + problem.entry, problem.message, isNote: !isNamed)
    }
    let before = candidates.count
    if let directory = contents.directory {
      search(directory)
      markCandidates(from: before) { path + $0.dropFirst(directory.utf8.count) }
    }
    if isNamed, candidates.count == before, contents.problems.isEmpty {
      report(path, "holds no Mach-O or ELF file")
    }
  }
}
