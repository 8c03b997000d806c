internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem

// The paths at which the debug file of a binary without debug information may be.

/// The path at which Debian and Fedora install the debug file of a build-id; nil for an identity that isn't a build-id.
func buildIDPath(_ id: ImageID?) -> String? {
  guard let id, id.isBuildID else { return nil }
  let digits = id.description
  return "/usr/lib/debug/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug"
}

extension ImageID {
  /// Whether it is longer than a UUID, and therefore certainly a build-id.
  var isBuildID: Bool { byteCount > 16 }
}

/// The targets of a program's debug link, in GDB's order: beside it, in `.debug`, and in the system's debug directory.
func linkTargets(for program: SymbolStore.Candidate) -> [String] {
  guard let name = program.slice.debugLink?.name else { return [] }
  let start = directory(of: program.path)
  let global = "/usr/lib/debug" + directory(of: canonicalPath(program.path))
  return [start + name, start + ".debug/" + name, global + name].filter { $0 != program.path }
}

/// Where Xcode and `dsymutil` put the dSYM of a binary: beside it, beside each enclosing bundle, in the folder of the
/// outermost bundle, and in the archive.
///
/// Of `P/A.app/Frameworks/F.framework/F` these are `F.dSYM` and `F.framework.dSYM` in its own place, and both also in `P`,
/// with `P/A.app.dSYM`; `P` is `Build/Products/Release-iphoneos` of DerivedData.
/// - Returns: The paths, without duplicates.
func bundlePaths(for binary: String) -> [String] {
  let bundles = [Substring](bundles(around: binary))
  let owners = [binary[...]] + bundles
  var paths = owners.map { String($0) + ".dSYM" }
  if let archive = bundles.first(where: { $0.hasSuffix(".xcarchive") }) {
    paths.append(String(archive) + "/dSYMs")
  }
  if let folder = bundles.last.map({ directory(of: String($0)) }) {
    var known = Set(paths)
    paths += owners.map { folder + lastComponent($0) + ".dSYM" }.filter { known.insert($0).inserted }
  }
  return paths
}

/// The paths of the bundles around a file, innermost first.
private func bundles(around path: String) -> [Substring] {
  path.utf8.indices.reversed().lazy.filter { path.utf8[$0] == UInt8(ascii: "/") }.map { path[..<$0] }.filter {
    folder in
    bundleEndings.contains { folder.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }
}

private let bundleEndings = [
  ".app", ".appex", ".framework", ".xctest", ".xpc", ".bundle", ".plugin", ".kext", ".dext",
  ".systemextension", ".xcarchive",
]

func lastComponent(_ path: String) -> Substring { lastComponent(path[...]) }

/// The last component of a path that may end with slashes.
func lastComponent(_ path: Substring) -> Substring {
  var rest = path
  while rest.utf8.last == UInt8(ascii: "/"), rest.utf8.count > 1 { rest = rest.dropLast() }
  guard let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")), rest.utf8.count > 1 else { return rest }
  return rest[rest.utf8.index(after: slash)...]
}
