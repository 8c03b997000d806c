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

/// Has caches made of large debug files by another process, when the result is with whoever wants it.
///
/// The first answer must not wait for it, nor the prompt; and nobody asked for it, so that failures are not told.
func makeCachesLater(of paths: [String], in caches: CacheDirectory?, _ console: inout Console) {
  guard let caches, !paths.isEmpty else { return }
  console.flush()
  guard !caches.isBusy else { return }
  startDetached(ownProgram, ["crashread", "symbols", "--index", "--cache=" + caches.path, "--"] + paths)
}
