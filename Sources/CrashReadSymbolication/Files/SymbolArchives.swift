internal import CrashReadDebugInfo
internal import CrashReadSystem

// Archives as places to look for debug files.
extension SymbolScan {
  /// Adds what an archive holds, as if it were a directory.
  /// - Parameters:
  ///   - path: The archive.
  ///   - status: What `stat` says of it.
  ///   - isNamed: Whether the user named it: then it is a problem when there is nothing in it.
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
