internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// Collects the binaries in files, bundles, directories and archives.
struct SymbolScan {
  /// The archives; nil where archives are skipped.
  let archives: ExtractedArchives?
  private(set) var candidates: [SymbolStore.Candidate] = []
  private(set) var problems: [SymbolStore.Problem] = []
  private(set) var damaged: [SymbolStore.Problem] = []
  private let caches: CacheDirectory?
  /// Directories and files visited, so that none is read twice and cycles of symbolic links end.
  private var seen: Set<FileStatus.ID> = []
  /// The index of the first candidate of each file; candidates of a file are adjacent.
  private var positions: [FileStatus.ID: Int] = [:]

  /// The maximum depth of directories that are searched: a file system can nest them without end.
  private static let maximumDepth = 100

  init(_ archives: ExtractedArchives? = nil, caches: CacheDirectory? = nil) {
    self.archives = archives
    self.caches = caches
  }

  /// Adds a path given by the user.
  mutating func add(_ path: String) {
    let before = candidates.count
    let damagedBefore = damaged.count
    do throws(DebugFileError) {
      let status = try DebugFileError.wrap { () throws(SystemError) in try FileStatus(path) }
      if status.kind == .directory {
        search(path)
        if candidates.count == before, !hasCandidate(below: path) {
          let isDamaged = damaged.count > damagedBefore
          report(path, "contains no Mach-O or ELF file" + (isDamaged ? " that can be read" : ""))
        }
      } else if status.kind == .file, isArchive(path) {
        addArchive(path, status, isNamed: true)
      } else if isFirst(status) {
        add(try BinarySlice.all(in: path).map(\.summary), of: path, status, bundle: nil)
      }
    } catch {
      report(path, error.description)
    }
    var tried: Set<String> = []
    for index in before..<candidates.count where !candidates[index].slice.hasDWARF {
      addSeparateFiles(of: candidates[index], &tried)
    }
  }

  /// Adds the contents of a file or directory that the user didn't name, if it exists.
  mutating func addIfPresent(_ path: String) {
    guard let status = try? FileStatus(path) else { return }
    switch status.kind {
    case .directory: search(path)
    case .file:
      var memory = SearchMemory(of: path, in: nil)
      addFile(path, status, bundle: nil, &memory)
    case .other: break
    }
  }

  /// Adds a program at its path in the report, and the dSYMs beside it, if they are below one of the folders.
  ///
  /// The report isn't trusted, so nothing outside of them is touched, and only regular files and bundles named as dSYMs
  /// are opened; what is found is used only if its identity matches.
  mutating func add(reportedPath path: String, below folders: [ConfinedFolder]) {
    // Libraries of the system are in none of them.
    let folders = folders.filter { $0.remainder(of: path) != nil }
    guard !folders.isEmpty, path.utf8.count < maximumPathLength, !path.split(separator: "/").contains(".."),
      !["/proc/", "/sys/", "/dev/"].contains(where: path.hasPrefix)
    else { return }
    for folder in folders {
      func real(_ path: String, _ kind: FileKind) -> String? {
        folder.remainder(of: path).flatMap { folder.realPath(of: $0, kind) }
      }
      if let program = real(path, .file) { add(program) }
      for entry in bundlePaths(for: path) where entry.hasSuffix(".dSYM") {
        if let bundle = real(entry, .directory) { addIfPresent(bundle) }
      }
    }
  }

  /// Whether a directory contains a candidate found through an earlier path.
  private func hasCandidate(below path: String) -> Bool {
    let directory = canonicalPath(path)
    let start = directory.hasSuffix("/") ? directory : directory + "/"
    return candidates.contains { canonicalPath($0.path).hasPrefix(start) }
  }

  mutating func report(_ path: String, _ message: String, isNote: Bool = false) {
    var problem = SymbolStore.Problem(path: path, message: message)
    problem.isNote = isNote
    problems.append(problem)
  }

  /// Whether a file or directory is visited for the first time.
  mutating func isFirst(_ status: FileStatus) -> Bool { seen.insert(status.id).inserted }

  /// Records the archive paths of the candidates from an index on, derived from the paths they were extracted to.
  mutating func markCandidates(from start: Int, _ archivedPath: (String) -> String) {
    for index in start..<candidates.count {
      candidates[index].archivedPath = archivedPath(candidates[index].path)
    }
  }

  // MARK: Directories

  /// A path that is still to be searched.
  private struct PendingEntry {
    var path: String
    /// The dSYM bundle that contains it.
    var bundle: String?
    var depth: Int
  }

  /// Walks a directory in depth-first order, sorted by name.
  mutating func search(_ directory: String) {
    var memory = SearchMemory(of: directory, in: caches)
    var pending = [PendingEntry(path: directory, bundle: nil, depth: 0)]
    while let entry = pending.popLast() {
      guard let status = try? FileStatus(entry.path) else { continue }
      switch status.kind {
      case .directory:
        guard entry.depth < Self.maximumDepth, isFirst(status) else { continue }
        let bundle = isBundle(entry.path) ? entry.path : entry.bundle
        let start = entry.path.hasSuffix("/") ? entry.path : entry.path + "/"
        for name in memory.names(in: entry.path, status).reversed() {
          pending.append(PendingEntry(path: start + name, bundle: bundle, depth: entry.depth + 1))
        }
      case .file where isNamedAsArchive(entry.path) && isArchive(entry.path):
        addArchive(entry.path, status, isNamed: false)
      case .file: addFile(entry.path, status, bundle: entry.bundle, &memory)
      case .other: break
      }
    }
    memory.keep()
  }

  private func isBundle(_ path: String) -> Bool { path.hasSuffix(".dSYM") || path.hasSuffix(".dSYM/") }

  // MARK: Files

  private mutating func addFile(
    _ path: String, _ status: FileStatus, bundle: String?, _ memory: inout SearchMemory
  ) {
    guard isFirst(status) else { return }
    switch memory.contents(of: path, status) {
    case .binaries(let slices): add(slices, of: path, status, bundle: bundle)
    case .damaged(let message): damaged.append(SymbolStore.Problem(path: path, message: message))
    case .noBinary, nil: break  // most files in a directory aren't binaries
    }
  }

  private mutating func add(
    _ slices: [BinarySlice.Summary], of path: String, _ status: FileStatus, bundle: String?
  ) {
    let name = String(lastComponent(path))
    let names =
      [name] + Self.suffixes.map { withoutSuffix(name, $0) } + (bundle.map { [bundleName($0)] } ?? [])
    positions[status.id] = candidates.count
    for slice in slices {
      let names = slice.member.map { [String(lastComponent($0))] } ?? names
      candidates.append(SymbolStore.Candidate(path: path, slice: slice, names: names))
    }
  }

  /// The suffixes that debug files append to the program's name.
  private static let suffixes = [".debug", ".sym", ".gsym", ".symcache"]

  // MARK: Separate files

  /// A stripped binary's debug file: the dSYM beside it, or the target of its debug link or build-id.
  private mutating func addSeparateFiles(of program: SymbolStore.Candidate, _ tried: inout Set<String>) {
    if program.slice.member != nil { return }
    if program.slice.layout == .machO {
      // An object file has no identity, and no dSYM.
      guard program.id != nil else { return }
      for entry in bundlePaths(for: program.path) where tried.insert(entry).inserted { addIfPresent(entry) }
      return
    }
    for entry in linkTargets(for: program) { addLinked(entry, by: program) }
    if let entry = buildIDPath(program.id) { addIfPresent(entry) }
  }

  /// Adds the target of a debug link. Unless an identity proves it right, its checksum must match.
  private mutating func addLinked(_ path: String, by program: SymbolStore.Candidate) {
    guard let link = program.slice.debugLink, let status = try? FileStatus(path), status.kind == .file else {
      return
    }
    addIfPresent(path)
    guard let position = positions[status.id] else { return }
    for index in position..<candidates.count {
      guard candidates[index].path == candidates[position].path else { break }
      guard candidates[index].slice.id == nil, candidates[index].claim == nil else { continue }
      candidates[index].claim = SymbolStore.Claim(id: program.slice.id, checksum: link.checksum)
      candidates[index].names += program.names
    }
  }
}

/// The program's name in the path of a bundle: `HogeApp` in `x/HogeApp.app.dSYM/`.
private func bundleName(_ path: String) -> String {
  String(lastComponent(path).prefix { $0 != "." })
}

private func withoutSuffix(_ name: String, _ suffix: String) -> String {
  name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
}

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
      report(path, "contains no Mach-O or ELF file")
    }
  }
}
