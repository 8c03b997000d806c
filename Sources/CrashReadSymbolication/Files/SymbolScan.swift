internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// Collects the binaries in files, bundles, directories and archives.
struct SymbolScan {
  /// nil where archives are passed over.
  let archives: ExtractedArchives?
  private(set) var candidates: [SymbolStore.Candidate] = []
  private(set) var problems: [SymbolStore.Problem] = []
  private(set) var damaged: [SymbolStore.Problem] = []
  private let caches: CacheDirectory?
  /// Directories and files passed, so that none counts twice and circles of symbolic links end.
  private var seen: Set<FileStatus.ID> = []
  /// Where the candidates of a file begin; all of a file stand together.
  private var positions: [FileStatus.ID: Int] = [:]

  /// Deeper directories are not searched: file systems can be made that have no bottom.
  private static let maximumDepth = 100

  init(_ archives: ExtractedArchives? = nil, caches: CacheDirectory? = nil) {
    self.archives = archives
    self.caches = caches
  }

  /// Adds a place that the user named.
  mutating func add(_ path: String) {
    let before = candidates.count
    let damagedBefore = damaged.count
    do throws(DebugFileError) {
      let status = try DebugFileError.wrap { () throws(SystemError) in try FileStatus(path) }
      if status.kind == .directory {
        search(path)
        if candidates.count == before, !hasCandidate(below: path) {
          let isDamaged = damaged.count > damagedBefore
          report(path, "holds no Mach-O or ELF file" + (isDamaged ? " that can be read" : ""))
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

  /// Adds what lies in a file or a directory that the user didn't name, if there is anything.
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

  /// Adds a program at the path that a report has for it, and the dSYMs beside it, where they lie below one of the folders.
  ///
  /// The report may be anybody's, so that nothing outside of them is even looked at, and nothing is opened but files, and
  /// bundles with the ending of a dSYM; what is found counts by its identity alone.
  mutating func add(reportedPath path: String, below folders: [ConfinedFolder]) {
    guard path.utf8.count < longestPath, !path.split(separator: "/").contains(".."),
      !["/proc/", "/sys/", "/dev/"].contains(where: path.hasPrefix)
    else { return }
    for folder in folders where folder.remainder(of: path) != nil {
      func real(_ path: String, _ kind: FileKind) -> String? {
        folder.remainder(of: path).flatMap { folder.realPath(of: $0, kind) }
      }
      if let program = real(path, .file) { add(program) }
      for place in bundlePlaces(for: path) where place.hasSuffix(".dSYM") {
        if let bundle = real(place, .directory) { addIfPresent(bundle) }
      }
    }
  }

  /// Whether a directory holds a candidate that was found through a place named before.
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

  /// Whether a file or directory was not looked at before.
  mutating func isFirst(_ status: FileStatus) -> Bool { seen.insert(status.id).inserted }

  /// Says of the last candidates where they come from, by the paths that they have.
  mutating func markCandidates(from start: Int, _ archivedPath: (String) -> String) {
    for index in start..<candidates.count {
      candidates[index].archivedPath = archivedPath(candidates[index].path)
    }
  }

  // MARK: Directories

  /// A place still to be searched.
  private struct Place {
    var path: String
    /// The dSYM bundle it is in.
    var bundle: String?
    var depth: Int
  }

  /// Goes through a directory from top to bottom, names in order.
  mutating func search(_ directory: String) {
    var memory = SearchMemory(of: directory, in: caches)
    var pending = [Place(path: directory, bundle: nil, depth: 0)]
    while let place = pending.popLast() {
      guard let status = try? FileStatus(place.path) else { continue }
      switch status.kind {
      case .directory:
        guard place.depth < Self.maximumDepth, isFirst(status) else { continue }
        let bundle = isBundle(place.path) ? place.path : place.bundle
        let start = place.path.hasSuffix("/") ? place.path : place.path + "/"
        for name in memory.names(in: place.path, status).reversed() {
          pending.append(Place(path: start + name, bundle: bundle, depth: place.depth + 1))
        }
      case .file where isNamedAsArchive(place.path) && isArchive(place.path):
        addArchive(place.path, status, isNamed: false)
      case .file: addFile(place.path, status, bundle: place.bundle, &memory)
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
    case .noBinary, nil: break  // most files in a directory are no binaries
    }
  }

  private mutating func add(
    _ slices: [BinarySlice.Summary], of path: String, _ status: FileStatus, bundle: String?
  ) {
    let name = String(fileName(path))
    let names =
      [name] + Self.suffixes.map { withoutSuffix(name, $0) } + (bundle.map { [bundleName($0)] } ?? [])
    positions[status.id] = candidates.count
    for slice in slices {
      let names = slice.member.map { [String(fileName($0))] } ?? names
      candidates.append(SymbolStore.Candidate(path: path, slice: slice, names: names))
    }
  }

  /// What debug files have behind the program's name.
  private static let suffixes = [".debug", ".sym", ".gsym"]

  // MARK: Separate files

  /// A stripped binary's debug file: the dSYM beside it, or what its debug link and build-id lead to.
  private mutating func addSeparateFiles(of program: SymbolStore.Candidate, _ tried: inout Set<String>) {
    if program.slice.member != nil { return }
    if program.slice.layout == .machO {
      // An object file has no identity, and no dSYM.
      guard program.id != nil else { return }
      for place in bundlePlaces(for: program.path) where tried.insert(place).inserted { addIfPresent(place) }
      return
    }
    for place in linkPlaces(for: program) { addLinked(place, by: program) }
    if let place = buildIDPath(program.id) { addIfPresent(place) }
  }

  /// Adds the file that a debug link leads to. Where it states no identity to prove it right, its checksum must.
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

/// `HogeApp` of `x/HogeApp.app.dSYM/`.
private func bundleName(_ path: String) -> String {
  String(fileName(path).prefix { $0 != "." })
}

private func withoutSuffix(_ name: String, _ suffix: String) -> String {
  name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
}
