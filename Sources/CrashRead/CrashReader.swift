public import BinaryIdentity
public import CrashDiagnosis
public import CrashReports
internal import DebugInfo
public import Rendering
public import Symbolication

/// Reads crash reports: bytes in, verdicts out.
///
/// One reader serves any number of reports and threads; debug files are opened once.
public struct CrashReader: Sendable {
  /// Resolves frames with the debug files at hand.
  public var symbolicator: Symbolicator
  /// Says what happened.
  public var knowledge: KnowledgeBase
  /// Finds source lines; nil when none are to be shown.
  public var sources: SourceFinder?
  /// Whether source lines are looked for around every frame of the blamed stack, and not around the blamed one alone.
  public var showsSourceOfFrames = false

  /// What reports may ask for; what debug files may is said at the start.
  public let limits: Limits

  private static let mostPlaces = 100

  /// A reader with debug files to use.
  ///
  /// - Parameters:
  ///   - symbols: dSYM bundles, binaries, `.debug` files, or directories and archives that hold any of them.
  ///   - caches: Where caches of debug files may be; nil for no caches.
  ///   - asksDebuginfod: Whether the servers that `DEBUGINFOD_URLS` names are asked for debug files that aren't there.
  ///   - programFolders: Where a program is looked at that lies where the report says, besides the folders among `symbols`.
  ///   - sources: Where to find source files; nil to leave source lines out.
  ///   - language: The language of the explanations.
  ///   - limits: What reports and debug files may ask for.
  public init(
    symbols: [String] = [], caches: CacheDirectory? = nil, asksDebuginfod: Bool = false,
    programFolders: [String] = [], sources: SourceFinder? = nil, language: Language = .english,
    limits: Limits = Limits()
  ) {
    self.limits = limits
    symbolicator = Symbolicator(
      store: SymbolStore(
        searching: symbols, caches: caches, asksDebuginfod: asksDebuginfod,
        programFolders: programFolders, limits: limits))
    knowledge = KnowledgeBase(language: language)
    self.sources = sources
  }

  /// Reads every report in some bytes.
  ///
  /// - Parameters:
  ///   - bytes: The contents of a report file, in any format known.
  ///   - input: The name that output gives to them.
  /// - Returns: The reports in the order they stand; never empty.
  /// - Throws: `ReportError` when there is no report in the bytes.
  public func read(_ bytes: [UInt8], input: String = "-") throws(ReportError) -> [ReportAnalysis] {
    let text = ReportText(bytes)
    let reports = try CrashReport.parse(text, limits: limits)
    return reports.enumerated().map { index, report in
      analyse(report, input: input, origin: ReportOrigin(text: text, isLast: index == reports.count - 1))
    }
  }

  private func analyse(_ report: CrashReport, input: String, origin: ReportOrigin) -> ReportAnalysis {
    let diagnosis = knowledge.diagnose(symbolicator.symbolicate(report))
    return ReportAnalysis(input: input, diagnosis: diagnosis, excerpts: excerpts(diagnosis), origin: origin)
  }

  /// Source lines around the blamed place and, if wanted, around those of the frames it is among.
  private func excerpts(_ diagnosis: Diagnosis) -> [SourceLocation: SourceExcerpt] {
    guard let sources else { return [:] }
    let others = showsSourceOfFrames ? diagnosis.principalFrames.flatMap(\.places) : []
    var places: [SourceLocation] = []
    var tried: Set<SourceLocation> = []
    for place in [diagnosis.blamedPlace].compactMap({ $0 }) + others where tried.insert(place).inserted {
      places.append(place)
      // A deep recursion is the same few places over and over; a stack of many different ones is nobody's to read.
      if places.count == Self.mostPlaces { break }
    }
    return sources.excerpts(around: places)
  }
}
