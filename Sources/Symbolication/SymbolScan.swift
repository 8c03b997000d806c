internal import BinaryIdentity
internal import DebugInfo

/// Collects the binaries in files, bundles, directories and archives.
struct SymbolScan {
  let archives: ExtractedArchives
  private(set) var candidates: [SymbolStore.Candidate] = []
  private(set) var problems: [SymbolStore.Problem] = []
  /// Canonical paths of files and directories, so that circles of symbolic links end.
  private var seen: Set<String> = []
  /// Canonical paths of the candidates.
  private var binaries: Set<String> = []

  /// Deeper directories are not searched.
  private static let maximumDepth = 24

  init(_ archives: ExtractedArchives) { self.archives = archives }

  /// Adds a place that the user named.
  mutating func add(_ path: String) {
    let before = candidates.count
    do throws(DebugFileError) {
      switch try fileKind(path) {
      case .directory:
        addDirectory(path, bundle: nil, depth: 0)
        if candidates.count == before, !hasCandidate(below: path) {
          report(path, "holds no Mach-O or ELF file")
        }
      case .file where isArchive(path): addArchive(path, isNamed: true)
      case .file, .other: try addFile(path, bundle: nil)
      }
    } catch {
      report(path, error.description)
    }
    for index in before..<candidates.count { addSeparateFiles(of: candidates[index]) }
  }

  /// Whether a directory holds a candidate that was found through a place named before.
  private func hasCandidate(below path: String) -> Bool {
    let directory = canonicalPath(path)
    let start = directory.hasSuffix("/") ? directory : directory + "/"
    return binaries.contains { $0.hasPrefix(start) }
  }

  mutating func report(_ path: String, _ message: String) {
    problems.append(SymbolStore.Problem(path: path, message: message))
  }

  private mutating func addFile(_ path: String, bundle: String?) throws(DebugFileError) {
    guard isFirst(path) else { return }
    let name = String(fileName(path))
    let names = [name, withoutSuffix(name, ".debug")] + (bundle.map { [bundleName($0)] } ?? [])
    for slice in try BinarySlice.all(in: path) {
      candidates.append(SymbolStore.Candidate(path: path, slice: slice, names: names))
      binaries.insert(canonicalPath(path))
    }
  }

  /// Whether a file or directory was not looked at before.
  mutating func isFirst(_ path: String) -> Bool { seen.insert(canonicalPath(path)).inserted }

  /// Says of the last candidates where they come from, by the paths that they have.
  mutating func markCandidates(from start: Int, _ archivedPath: (String) -> String) {
    for index in start..<candidates.count {
      candidates[index].archivedPath = archivedPath(candidates[index].path)
    }
  }

  mutating func addDirectory(_ path: String, bundle: String?, depth: Int) {
    guard depth < Self.maximumDepth, isFirst(path),
      let names = try? directoryEntries(path)
    else { return }
    let bundle = path.hasSuffix(".dSYM") || path.hasSuffix(".dSYM/") ? path : bundle
    for name in names {
      let child = path.hasSuffix("/") ? path + name : path + "/" + name
      switch try? fileKind(child) {
      case .directory: addDirectory(child, bundle: bundle, depth: depth + 1)
      case .file where isNamedAsArchive(child) && isArchive(child): addArchive(child, isNamed: false)
      case .file: try? addFile(child, bundle: bundle)  // most files in a directory are no binaries
      case .other, nil: break
      }
    }
  }

  /// A stripped binary's debug file: the `.dSYM` beside it, or what its `.gnu_debuglink` and build-id lead to.
  private mutating func addSeparateFiles(of candidate: SymbolStore.Candidate) {
    guard !candidate.slice.hasDWARF else { return }
    let folder =
      candidate.path.contains("/") ? String(candidate.path.dropLast(fileName(candidate.path).utf8.count)) : ""
    var places = [candidate.path + ".dSYM"]
    if candidate.slice.layout == .elf {
      places = candidate.slice.debugLink.map { [folder + $0, folder + ".debug/" + $0] } ?? []
      places += buildIDPath(candidate.slice.id).map { [$0] } ?? []
    }
    for place in places {
      switch try? fileKind(place) {
      case .directory: addDirectory(place, bundle: nil, depth: 0)
      case .file: try? addFile(place, bundle: nil)
      case .other, nil: break
      }
    }
  }
}

/// Where Debian and Fedora keep a build-id's debug file; nil for an identity that is no build-id.
func buildIDPath(_ id: ImageID?) -> String? {
  guard let id, id.isBuildID else { return nil }
  let digits = id.description
  return "/usr/lib/debug/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug"
}

extension ImageID {
  /// Whether it is longer than a UUID, and surely a build-id.
  var isBuildID: Bool { bytes.count > 16 }
}

/// The last component of a path.
func fileName(_ path: String) -> Substring {
  path.split(separator: "/").last ?? path[...]
}

/// `HogeApp` of `x/HogeApp.app.dSYM/`.
private func bundleName(_ path: String) -> String {
  String(fileName(path).prefix { $0 != "." })
}

private func withoutSuffix(_ name: String, _ suffix: String) -> String {
  name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
}
