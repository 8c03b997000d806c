internal import CrashRead
internal import CrashReadSystem

/// The settings for reading reports and writing results, from the options and the environment.
struct ReportSetting {
  let options: Options
  let language: Language
  private let sources: SourceFinder
  /// Paths to search for debug files, besides those given.
  let symbolPath: [String]
  /// The directory of caches of debug files; nil for no caches.
  let caches: CacheDirectory?
  private let asksDebuginfod: Bool
  /// The servers of the options and of the environment; invalid entries of the latter are left out.
  private let servers: [SymbolServer]
  /// Names learned from reports, or why they can't be used; nil when none are wanted.
  private let memory: Result<SymbolMemory, SQLite.Failure>?
  private let folders: [String]

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    caches = cacheDirectory(options, environment)
    asksDebuginfod = environment.asksDebuginfod
    servers = options.symbolServers + environment.symbolServers.compactMap { SymbolServer(parsing: $0) }
    let quorum = options.quorum
    memory = options.memoryPath(environment).map { path in
      Result { () throws(SQLite.Failure) in try SymbolMemory(path: path, quorum: quorum) }
    }
    language = options.language ?? environment.language
    symbolPath = environment.symbolPath
    // The command of `ci` is built from the sources in the current folder.
    let checkout = environment.checkout.map { [$0] } ?? (options.verb == .ci ? ["."] : [])
    let folders = options.namedFolders(environment)
    self.folders = folders
    sources = SourceFinder(
      roots: options.sourceRoots + checkout, maps: options.pathMaps, checkouts: folders)
  }

  /// Reports why the symbol memory can't be used.
  /// - Returns: Whether there was no error.
  func reportMemoryProblem(on console: inout Console) -> Bool {
    guard case .failure(let failure) = memory else { return true }
    console.error(
      "the symbol memory can't be used: \(failure)", file: options.memoryPath(console.environment))
    return false
  }

  /// A reader that searches these paths for debug files, and then those of the environment.
  func reader(symbols: [String]) -> CrashReader {
    let store = SymbolStore(
      searching: symbols + symbolPath, caches: caches, asksDebuginfod: asksDebuginfod,
      servers: servers, programFolders: folders,
      limits: options.limits)
    var reader = CrashReader(store: store, sources: sources, language: language, limits: options.limits)
    reader.showsSourceOfFrames = options.targets.contains { $0.format.showsSourceOfFrames }
    reader.reasons = options.showsReasoning
    reader.symbolicator.allowsMismatch = options.allowsMismatch
    reader.symbolicator.memory = try? memory?.get()
    reader.symbolicator.store.refuse(options.refusals)
    return reader
  }
}

extension Options {
  /// Where names learned from reports are kept; nil for nowhere.
  func memoryPath(_ environment: Environment) -> String? { symbolMemory ?? environment.symbolMemory }

  /// The folders named by the user and the current one, below which paths from reports may be opened.
  func namedFolders(_ environment: Environment) -> [String] {
    // The user of a service that is started in `/` hasn't chosen that folder.
    let here = canonicalPath(".") == "/" ? [] : ["."]
    let toolchain = verb == .ci ? environment.ciEnvironment.toolchainLibraries : nil
    return (environment.checkout.map { [$0] } ?? []) + sourceRoots + here + (toolchain.map { [$0] } ?? [])
  }
}

/// The directory of caches of debug files: as `--cache` says, else `CRASHREAD_CACHE`, else in the user's cache
/// directory; nil for no caches.
func cacheDirectory(_ options: Options, _ environment: Environment) -> CacheDirectory? {
  let chosen = options.cache ?? environment.cache.flatMap { $0.isEmpty ? nil : $0 }
  if let chosen { return chosen == "off" ? nil : CacheDirectory(path: chosen) }
  // The XDG Base Directory Specification says that relative paths are ignored.
  if let home = environment.cacheHome, home.hasPrefix("/") {
    return CacheDirectory(path: home + "/crashread")
  }
  guard let home = environment.home, home.hasPrefix("/") else { return nil }
  return CacheDirectory(path: home + "/.cache/crashread")
}

/// Starts this program in the background to cache large debug files, after the result is written.
func makeCachesLater(of paths: [String], in caches: CacheDirectory?, _ console: inout Console) {
  guard let caches, !paths.isEmpty else { return }
  console.flush()
  caches.makeCachesLater(of: paths, by: cacheCommand)
}

/// The command that creates caches; their directory and the paths of debug files follow it.
let cacheCommand = [ownProgram, "symbols", "--index"]
