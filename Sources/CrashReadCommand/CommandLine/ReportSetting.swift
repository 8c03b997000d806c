internal import CrashRead
internal import CrashReadSystem

/// What the options and the environment say of reading reports and writing results.
struct ReportSetting {
  let options: Options
  let language: Language
  private let sources: SourceFinder
  /// Places to look for debug files besides those given.
  let symbolPath: [String]
  /// Where caches of debug files are kept; nil for no caches.
  let caches: CacheDirectory?
  private let asksDebuginfod: Bool
  /// Servers of the options and of the environment, where words that name none are left out.
  private let servers: [SymbolServer]
  /// Names that reports have brought, or why there are none; nil when none are wanted.
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
    // What `ci` runs is built from the sources here.
    let checkout = environment.checkout.map { [$0] } ?? (options.verb == .ci ? ["."] : [])
    let folders = options.namedFolders(environment)
    self.folders = folders
    sources = SourceFinder(
      roots: options.sourceRoots + checkout, maps: options.pathMaps.map { .init(old: $0.old, new: $0.new) },
      checkouts: folders)
  }

  /// Says why the symbol memory can't be used.
  /// - Returns: Whether all is well.
  func tellMemoryProblem(on console: inout Console) -> Bool {
    guard case .failure(let failure) = memory else { return true }
    console.error(
      "the symbol memory can't be used: \(failure)", file: options.memoryPath(console.environment))
    return false
  }

  /// A reader that finds debug files in these places, and then in those of the environment.
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
  /// Where the names are kept that reports have brought; nil for nowhere.
  func memoryPath(_ environment: Environment) -> String? { symbolMemory ?? environment.symbolMemory }

  /// The folders that the user named or is in, below which paths of a report may lead to files.
  func namedFolders(_ environment: Environment) -> [String] {
    // A service that is started in `/` hasn't chosen it.
    let here = canonicalPath(".") == "/" ? [] : ["."]
    let toolchain = verb == .ci ? environment.ciEnvironment.toolchainLibraries : nil
    return (environment.checkout.map { [$0] } ?? []) + sourceRoots + here + (toolchain.map { [$0] } ?? [])
  }
}

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
