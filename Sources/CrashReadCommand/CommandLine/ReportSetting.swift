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

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    caches = cacheDirectory(options, environment)
    asksDebuginfod = environment.asksDebuginfod
    language = options.language ?? environment.language
    symbolPath = environment.symbolPath
    let checkout = environment.checkout.map { [$0] } ?? []
    sources = SourceFinder(
      roots: options.sourceRoots + checkout, maps: options.pathMaps.map { .init(old: $0.old, new: $0.new) },
      checkouts: checkout + options.sourceRoots + ["."])
  }

  /// A reader that finds debug files in these places, and then in those of the environment.
  func reader(symbols: [String]) -> CrashReader {
    var reader = CrashReader(
      symbols: symbols + symbolPath, caches: caches, asksDebuginfod: asksDebuginfod, sources: sources,
      language: language, limits: options.limits)
    reader.showsSourceOfFrames = options.targets.contains { $0.format.showsSourceOfFrames }
    reader.symbolicator.allowsMismatch = options.allowsMismatch
    reader.symbolicator.store.refuse(options.refusals)
    return reader
  }
}
