internal import CrashReadCore
internal import CrashReadDebugInfo

// Where the debug file of a binary may be that has none inside.

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

/// Where a program's debug link leads, in GDB's order: beside it, in `.debug`, and in the system's tree of debug files.
func linkPlaces(for program: SymbolStore.Candidate) -> [String] {
  guard let name = program.slice.debugLink?.name else { return [] }
  let start = directory(of: program.path)
  let global = "/usr/lib/debug" + directory(of: canonicalPath(program.path))
  return [start + name, start + ".debug/" + name, global + name].filter { $0 != program.path }
}

/// Where Xcode and `dsymutil` put the dSYM of a binary: beside it, beside each bundle it is in, in the folder of the
/// outermost bundle, and in the archive.
///
/// Of `P/A.app/Frameworks/F.framework/F` these are `F.dSYM` and `F.framework.dSYM` in its own place, and both also in `P`,
/// with `P/A.app.dSYM`; `P` is `Build/Products/Release-iphoneos` of DerivedData.
func bundlePlaces(for binary: String) -> [String] {
  let bundles = bundles(around: binary)
  var places = ([binary] + bundles).map { $0 + ".dSYM" }
  if let archive = bundles.first(where: { $0.hasSuffix(".xcarchive") }) { places.append(archive + "/dSYMs") }
  if let folder = bundles.last.map(directory(of:)) {
    let others = ([binary] + bundles).map { folder + fileName($0) + ".dSYM" }
    places += others.filter { !places.contains($0) }
  }
  return places
}

/// The directory that the outermost bundle around a file is in, or else the file itself; nil for a path without a slash.
func outermostFolder(of path: String) -> String? { parent(of: bundles(around: path).last ?? path) }

/// The paths of the bundles around a file, the innermost first.
private func bundles(around path: String) -> [String] {
  sequence(first: path, next: parent(of:)).dropFirst().filter { folder in
    bundleEndings.contains { folder.hasSuffix($0) }
  }
}

private let bundleEndings = [
  ".app", ".appex", ".framework", ".xctest", ".xpc", ".bundle", ".plugin", ".kext", ".dext",
  ".systemextension", ".xcarchive",
]

/// The path of the directory that something is in, without a slash at its end; nil when the path names none.
private func parent(of path: String) -> String? {
  let folder = directory(of: path).dropLast()
  return folder.isEmpty ? nil : String(folder)
}

/// The last component of a path.
func fileName(_ path: String) -> Substring {
  var rest = path[...]
  while rest.utf8.last == UInt8(ascii: "/"), rest.utf8.count > 1 { rest = rest.dropLast() }
  guard let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")), rest.utf8.count > 1 else { return rest }
  return rest[rest.utf8.index(after: slash)...]
}
