public import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadDiagnosis
public import CrashReadRendering
public import CrashReadReports
package import CrashReadSymbolication
internal import CrashReadSystem
public import CrashReadVerdict

/// Reads crash reports: bytes in, analyses out.
///
/// One reader serves any number of reports and threads; debug files are opened once.
public struct CrashReader: Sendable {
  /// Resolves frames with the debug files that are available.
  package var symbolicator: Symbolicator
  /// The language of the explanations and of all output.
  let language: Language
  /// Finds source lines; nil to show none.
  package var sources: SourceFinder?
  /// Whether source lines are shown for every frame of the blamed stack, rather than only for the blamed one.
  package var showsSourceOfFrames = false
  /// Whether analyses include the reasoning behind the verdict.
  package var reasons = true
  /// The limits for reports; those for debug files are set when the reader is made.
  let limits: Limits

  private static let maximumLocations = 100

  /// A reader without debug files: reports are explained from their own contents.
  ///
  /// - Parameters:
  ///   - sources: Where to find source files; nil for no source lines.
  ///   - language: The language of the explanations and of all output.
  ///   - limits: The limits for reports.
  public init(sources: SourceFinder? = nil, language: Language = .english, limits: Limits = Limits()) {
    self.init(
      store: SymbolStore(searching: [], limits: limits), sources: sources, language: language, limits: limits)
  }

  /// A reader with debug files to use.
  ///
  /// - Parameters:
  ///   - symbols: dSYM bundles, binaries, `.debug` files, or directories and archives that hold any of them.
  ///   - caches: The directory of the caches of debug files that `crashread symbols --index` makes, and of extracted
  ///     archives; nil for no caches.
  ///   - asksDebuginfod: Whether missing debug files are requested from the servers in `DEBUGINFOD_URLS`.
  ///   - programFolders: Folders in which programs are opened at the paths that reports give, besides those among
  ///     `symbols`.
  ///   - symbolMemory: The names of system functions learned from other reports, as `crashread symbols learn` keeps
  ///     them; nil for none.
  ///   - quorum: How many sources must agree on such a name before it is used.
  ///   - sources: Where to find source files; nil for no source lines.
  ///   - language: The language of the explanations and of all output.
  ///   - limits: The limits for reports and debug files.
  /// - Throws: `PathError` for the first of the symbols that is missing or can't be used; also for the memory.
  public init(
    symbols: [String], caches: String? = nil, asksDebuginfod: Bool = false, programFolders: [String] = [],
    symbolMemory: String? = nil, quorum: Int = 2, sources: SourceFinder? = nil, language: Language = .english,
    limits: Limits = Limits()
  ) throws(PathError) {
    let store = SymbolStore(
      searching: symbols, caches: caches.map { CacheDirectory(path: $0) }, asksDebuginfod: asksDebuginfod,
      programFolders: programFolders, limits: limits)
    if let problem = store.problems.first { throw PathError(path: problem.path, message: problem.message) }
    self.init(store: store, sources: sources, language: language, limits: limits)
    guard let symbolMemory else { return }
    do throws(SQLite.Failure) {
      symbolicator.memory = try SymbolMemory(path: symbolMemory, quorum: max(1, quorum))
    } catch {
      throw PathError(path: symbolMemory, message: error.description)
    }
  }

  /// A reader that uses debug files indexed before; problems with them are ignored.
  package init(
    store: SymbolStore, sources: SourceFinder? = nil, language: Language = .english, limits: Limits = Limits()
  ) {
    self.limits = limits
    symbolicator = Symbolicator(store: store)
    self.language = language
    self.sources = sources
  }

  /// Explains what happened.
  package var knowledge: KnowledgeBase { KnowledgeBase(language: language) }

  /// Analyzes every report in a file.
  ///
  /// - Parameter path: The file, in any known format.
  /// - Returns: One analysis per report, in their order; never empty.
  /// - Throws: `PathError` when the file can't be read, `ReportError` when it holds no report.
  public func analyze(contentsOf path: String) throws -> [ReportAnalysis] {
    let bytes = Result { () throws(SystemError) in try readFile(path, limit: limits.reportSize) }
      .mapError { PathError(path: path, message: $0.description) }
    return try analyze(bytes.get(), input: path)
  }

  /// Analyzes every report in some bytes.
  ///
  /// - Parameters:
  ///   - bytes: The contents of a report file, in any known format.
  ///   - input: The name of the input in the output.
  /// - Returns: One analysis per report, in their order; never empty.
  /// - Throws: `ReportError` when the bytes hold no report.
  public func analyze(_ bytes: [UInt8], input: String = "-") throws(ReportError) -> [ReportAnalysis] {
    let text = ReportText(bytes)
    let reports: [CrashReport]
    do throws(ReportError) { reports = try CrashReport.parse(text, limits: limits) } catch {
      guard error != .empty, let known = knownMessage(text, input) else { throw error }
      return [known]
    }
    var analyses = reports.enumerated().map { index, report in
      analyze(report, input: input, origin: ReportOrigin(text: text, isLast: index == reports.count - 1))
    }
    if analyses.count == 1, analyses[0].test == nil, let test = interruptedTest(reports[0], bytes) {
      analyses[0].test = TestName(printed: test)
    }
    return analyses
  }

  /// The maximum size of a log in bytes in which the test is looked for.
  private static let maximumLog = 1 << 20

  /// Programs that build and start tests, which run in a process of their own.
  private static let testDrivers: Set<String> = [
    "xcodebuild", "swift-build", "swift-test", "xctool", "simctl", "fastlane",
  ]

  /// The test that was running, if the report is what a program wrote to a log of tests.
  private func interruptedTest(_ report: CrashReport, _ bytes: [UInt8]) -> String? {
    let formats: [ReportFormat] = [.callStackSymbols, .nsException, .swiftText, .sanitizer]
    guard formats.contains(report.format), bytes.count <= Self.maximumLog,
      !Self.testDrivers.contains(report.header.process ?? "")
    else { return nil }
    return TestLog(bytes).crashed
  }

  /// Analyzes a text that isn't a report; nil unless it contains a message with which an API is known to stop programs.
  private func knownMessage(_ text: ReportText, _ input: String) -> ReportAnalysis? {
    guard let report = CrashReport(message: text) else { return nil }
    let analysis = analyze(report, input: input, origin: ReportOrigin(text: text, isLast: true))
    return analysis.diagnosis.contract == nil ? nil : analysis
  }

  /// Analyzes the reports of a container, each with the test it belongs to; the notes of the first one list any
  /// problems.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - input: The name of the input in the output.
  /// - Returns: One analysis per report.
  package func analyze(_ container: ReportContainer, input: String) -> [ReportAnalysis] {
    var analyses = container.found.flatMap { analyze($0, input: input) }
    if !analyses.isEmpty {
      let notes = container.problems.map { ReportNote(line: nil, message: $0) }
      analyses[0].diagnosis.symbolicated.report.notes.insert(contentsOf: notes, at: 0)
    }
    return analyses
  }

  private func analyze(_ found: ContainedReports, input: String) -> [ReportAnalysis] {
    found.reports.enumerated().map { index, report in
      let origin = found.text.map { ReportOrigin(text: $0, isLast: index == found.reports.count - 1) }
      var analysis = analyze(report, input: input, origin: origin)
      analysis.container = found.location
      if let test = found.location.test { analysis.test = TestName(path: test) }
      return analysis
    }
  }

  private func analyze(_ report: CrashReport, input: String, origin: ReportOrigin?) -> ReportAnalysis {
    let diagnosis = knowledge.diagnose(symbolicator.symbolicate(report), reasons: reasons)
    return ReportAnalysis(input: input, diagnosis: diagnosis, excerpts: excerpts(diagnosis), origin: origin)
  }

  /// Source lines around the blamed location and, if wanted, around the other frames of its stack.
  private func excerpts(_ diagnosis: Diagnosis) -> [SourceLocation: SourceExcerpt] {
    guard let sources else { return [:] }
    let others = showsSourceOfFrames ? diagnosis.principalFrames.flatMap(\.sourceLocations) : []
    var locations: [SourceLocation] = []
    var tried: Set<SourceLocation> = []
    for location in [diagnosis.blamedLocation].compactMap({ $0 }) + others
    where tried.insert(location).inserted {
      locations.append(location)
      // A deep recursion repeats a few locations; hundreds of different excerpts would be too long.
      if locations.count == Self.maximumLocations { break }
    }
    return sources.excerpts(around: locations)
  }
}

/// A path that can't be used.
public struct PathError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path as given.
  public var path: String
  /// Why it can't be used.
  public var message: String

  /// The path and why it can't be used.
  public var description: String { "\(path): \(message)" }
}
