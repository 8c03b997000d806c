internal import CrashRead
internal import CrashReadSystem

/// Where caches of debug files are kept: as `--cache` says, else `CRASHREAD_CACHE`, else in the user's cache directory;
/// nil for no caches.
func cacheDirectory(_ options: Options, _ environment: Environment) -> CacheDirectory? {
  let chosen = options.cache ?? environment.cache.flatMap { $0.isEmpty ? nil : $0 }
  if let chosen { return chosen == "off" ? nil : CacheDirectory(path: chosen) }
  // The XDG Base Directory Specification has relative paths ignored.
  if let home = environment.cacheHome, home.hasPrefix("/") {
    return CacheDirectory(path: home + "/crashread")
  }
  guard let home = environment.home, home.hasPrefix("/") else { return nil }
  return CacheDirectory(path: home + "/.cache/crashread")
}

/// Has caches made of large debug files by this program, when the result is with whoever wants it.
func makeCachesLater(of paths: [String], in caches: CacheDirectory?, _ console: inout Console) {
  guard let caches, !paths.isEmpty else { return }
  console.flush()
  caches.makeCachesLater(of: paths, by: cacheCommand)
}

/// What makes caches, before their directory and the paths of debug files.
let cacheCommand = [ownProgram, "symbols", "--index"]
