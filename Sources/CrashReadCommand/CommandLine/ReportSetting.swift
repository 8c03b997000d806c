internal import CrashRead

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
  private let folders: [String]

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    caches = cacheDirectory(options, environment)
    asksDebuginfod = environment.asksDebuginfod
    language = options.language ?? environment.language
    symbolPath = environment.symbolPath
    let checkout = environment.checkout.map { [$0] } ?? []
    let folders = options.namedFolders(environment)
    self.folders = folders
    sources = SourceFinder(
      roots: options.sourceRoots + checkout, maps: options.pathMaps.map { .init(old: $0.old, new: $0.new) },
      checkouts: folders)
  }

  /// A reader that finds debug files in these places, and then in those of the environment.
  func reader(symbols: [String]) -> CrashReader {
    let store = SymbolStore(
      searching: symbols + symbolPath, caches: caches, asksDebuginfod: asksDebuginfod,
      programFolders: folders,
      limits: options.limits)
    var reader = CrashReader(store: store, sources: sources, language: language, limits: options.limits)
    reader.showsSourceOfFrames = options.targets.contains { $0.format.showsSourceOfFrames }
    reader.symbolicator.allowsMismatch = options.allowsMismatch
    reader.symbolicator.store.refuse(options.refusals)
    return reader
  }
}

extension Options {
  /// The folders that the user named or is in, below which paths of a report may lead to files.
  func namedFolders(_ environment: Environment) -> [String] {
    // A service that is started in `/` hasn't chosen it.
    let here = canonicalPath(".") == "/" ? [] : ["."]
    return (environment.checkout.map { [$0] } ?? []) + sourceRoots + here
  }
}
