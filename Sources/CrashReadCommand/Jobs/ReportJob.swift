internal import CrashRead
internal import CrashReadDiagnosis
internal import CrashReadInstructions
internal import CrashReadSystem

/// The main job: reports and debug files in, verdicts out.
struct ReportJob {
  let options: Options
  private let setting: ReportSetting
  private var status = ExitStatus.success
  /// The number of operands that are reports.
  private var reportCount = 0

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    setting = ReportSetting(options, environment)
  }

  /// Reads every operand and writes the results.
  mutating func run(on console: inout Console) -> ExitStatus {
    KnowledgeBase.readAhead(in: setting.language)
    let operands = sortOperands()
    reportCount = operands.reports.count + operands.containers.count
    CrashRecovery.installRestartHandler(
      memory: options.workerLimits.memory ?? WorkerLimits.memoryOfMainJob, after: options.refusals)
    limitTime()
    var reader = setting.reader(symbols: operands.symbols)
    if readsReportOnly { reader.sources = nil }
    if console.reportProblems(of: reader.symbolicator.store, optional: setting.symbolPath) {
      status = .failure
    }
    if !setting.reportMemoryProblem(on: &console) { status = .failure }
    if let many = operands.containers.first(where: { $0.container.holdsMany }) {
      console.error(
        "it contains more than \(ReportContainer.maximumReports) reports; 'crashread batch' reads any number",
        file: many.path)
      return .usage
    }
    for path in operands.symbols where hasProblem(path, reader.symbolicator.store) && holdsSource(path) {
      console.note("source files are looked up in the folders given with --source-root", file: path)
    }
    if reportCount == 0 {
      console.error(
        "no report among the operands, only debug files; 'crashread lookup' resolves single addresses")
      return .usage
    }
    let results =
      operands.reports.flatMap { read($0, with: reader, console: &console) }
      + operands.containers.flatMap { read($0, with: reader, console: &console) }
    CrashRecovery.limitTime(to: nil)
    if let problem = reader.symbolicator.store.serverProblem {
      console.note("\(problem.setting) is set, but nothing was fetched: it \(problem.message)")
    }
    CrashRecovery.stopRestarting()
    if !ReportOutput(setting).write(results, to: &console) { status = .failure }
    makeCachesLater(of: reader.symbolicator.store.uncachedPaths, in: setting.caches, &console)
    return status
  }

  private func hasProblem(_ path: String, _ store: SymbolStore) -> Bool {
    store.problems.contains { $0.path == path }
  }

  /// The operands, classified by content.
  private struct Operands {
    /// Files, or `-`.
    var reports: [String] = []
    /// Containers that were opened already: the reports in them.
    var containers: [(path: String, container: ReportContainer)] = []
    /// Paths to search for debug files.
    var symbols: [String]
  }

  /// Separates reports from paths to search for debug files. Xcode's bundles hold only reports. Directories and
  /// archives among the operands are searched for reports only if there is no other report, on standard input either.
  private func sortOperands() -> Operands {
    var sorted = Operands(symbols: options.symbols)
    var symbolPaths: [String] = []
    for operand in options.operands {
      if operand != "-", isSymbolPath(operand) {
        if ReportContainer.isBundle(operand) {
          sorted.reports.append(operand)
        } else {
          symbolPaths.append(operand)
        }
      } else {
        sorted.reports.append(operand)
      }
    }
    guard sorted.reports.isEmpty else {
      sorted.symbols += symbolPaths
      return sorted
    }
    let all = symbolPaths
    openContainers(&symbolPaths, into: &sorted)
    if hasPipedInput(), sorted.containers.isEmpty || hasWaitingInput() {
      (sorted.reports, sorted.containers, symbolPaths) = (["-"], [], all)
    }
    sorted.symbols += symbolPaths
    return sorted
  }

  /// Takes the paths that hold reports; those that also hold binaries are still searched for debug files.
  private func openContainers(_ symbolPaths: inout [String], into sorted: inout Operands) {
    symbolPaths.removeAll { symbolPath in
      guard !symbolPath.hasSuffix(".dSYM"), !symbolPath.hasSuffix(".dSYM/"), !isBinary(symbolPath),
        let container = try? ReportContainer(
          path: symbolPath, limits: options.limits, maximum: ReportContainer.maximumReports),
        !container.found.isEmpty
      else { return false }
      sorted.containers.append((symbolPath, container))
      return !container.holdsBinaries
    }
  }

  private func isSymbolPath(_ path: String) -> Bool {
    switch try? fileKind(path) {
    case .directory: true
    case .file: isBinary(path) || isArchive(path)
    case .other, nil: false
    }
  }

  private mutating func read(
    _ found: (path: String, container: ReportContainer), with reader: CrashReader, console: inout Console
  ) -> [InputResult] {
    limitTime()
    return finish(
      reader.analyze(found.container, input: found.path).map { .analysis($0) }, found.path, &console)
  }

  private mutating func read(
    _ path: String, with reader: CrashReader, console: inout Console
  ) -> [InputResult] {
    limitTime()
    let reading = ReportReading(
      reader: reader, sizeLimit: options.limits.reportSize, readsOperands: true)
    return finish(reading.read(path, hint: verbHint(path)), path, &console)
  }

  /// Reports what could not be read, and adds the requested extras to the analysis.
  private mutating func finish(
    _ results: [InputResult], _ path: String, _ console: inout Console
  ) -> [InputResult] {
    results.map { result in
      switch result {
      case .analysis(var analysis):
        check(analysis, console: &console)
        if options.showsBlame {
          analysis.blame = lineHistory(of: analysis, console.environment.ciEnvironment)
        }
        return .analysis(analysis)
      case .unread(let input):
        console.error(input.message, file: path)
        status = .failure
        return result
      }
    }
  }

  /// Whether only the report itself is read, since reading debug files took too long.
  private var readsReportOnly: Bool { options.refusals.reasonForAll != nil }

  /// Starts the timer for a report. Without debug files a restart couldn't leave out anything more.
  private func limitTime() {
    CrashRecovery.limitTime(to: readsReportOnly ? nil : options.workerLimits.seconds)
  }

  /// A suggestion when a word that names no file looks like a command.
  private func verbHint(_ word: String) -> String {
    let verb = nearest(to: word, among: Verb.named.map(\.rawValue))
    return verb.map { "; did you mean the command '\($0)'?" } ?? ""
  }

  /// Why `--code` has nothing to show.
  private func reasonForMissingCode(_ report: CrashReport) -> String {
    guard let set = report.architecture.flatMap(InstructionSet.init) else {
      return "code of its CPU isn't decoded"
    }
    return set.missingLibrary.map { "the code \($0.description)" }
      ?? "there is no code to show: the report quotes none, and the crashed binary, not its dSYM, isn't available"
  }

  /// Reports on standard error which parts of a report could not be used, and applies `--strict`.
  private mutating func check(_ analysis: ReportAnalysis, console: inout Console) {
    let symbolicated = analysis.diagnosis.symbolicated
    for note in symbolicated.report.notes {
      console.note(note.message, file: analysis.input, line: note.line)
    }
    if options.showsCode, analysis.diagnosis.instruction == nil {
      console.note(reasonForMissingCode(symbolicated.report), file: analysis.input)
    }
    for (image, match) in zip(symbolicated.report.images, symbolicated.images) {
      if match.status == .matched, let used = match.attempts.firstIndex(where: { $0.outcome == .used }) {
        for attempt in match.attempts[..<used] {
          console.note(refusal(of: attempt, for: image), file: attempt.path)
        }
        let parts = match.attempts[(used + 1)...].map { ($0.path, $0.message ?? "") }
        console.noteMissing(parts, of: match.attempts[used].path)
      }
      let refused = match.attempts.filter { $0.outcome != .used && $0.outcome != .missing }
      switch match.status {
      case .identityMismatch: reportMismatch(refused, match, image, analysis.input, &console)
      case .unusable:
        for attempt in refused { console.error(refusal(of: attempt, for: image), file: attempt.path) }
        status = .failure
      case .matched, .notSearched, .missing: break
      }
    }
    if options.isStrict, hasUnresolvedAppFrame(symbolicated) { status = .failure }
  }

  /// Reports debug files of other builds. In a store they aren't an error; one given for this report alone is.
  private mutating func reportMismatch(
    _ refused: [SymbolAttempt], _ match: ImageMatch, _ image: BinaryImage, _ input: String,
    _ console: inout Console
  ) {
    let named = reportCount == 1 ? refused.filter { isNamed($0.path) } : []
    for attempt in named {
      console.error(refusal(of: attempt, for: image), file: attempt.path)
      status = .failure
    }
    let builds = refused.filter { $0.isOtherBuild && !named.contains($0) }
    guard !builds.isEmpty else { return }
    let count = builds.count + match.otherBuildCount
    let shown = builds.prefix(Self.maximumBuilds).map {
      "\($0.path) (\($0.id?.description ?? "no identity"))"
    }
    let left = count - shown.count
    let list = shown.joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
    let what = count == 1 ? "another build" : "\(count) other builds"
    console.note(
      "\(what) of \(image.name ?? "an image") \(count == 1 ? "was found" : "were found, newest first"): \(list); "
        + "the report needs \(image.id?.description ?? "none") (--allow-mismatch uses the newest, marked)",
      file: input)
  }

  /// The maximum number of builds that are named; further ones are counted.
  private static let maximumBuilds = 3

  /// Whether a debug file, or the bundle that contains it, is an operand.
  private func isNamed(_ path: String) -> Bool {
    (options.operands + options.symbols).contains { symbolPath in
      if symbolPath == path { return true }
      let bundle = symbolPath.hasSuffix("/") ? symbolPath : symbolPath + "/"
      return bundle.hasSuffix(".dSYM/") && path.hasPrefix(bundle)
    }
  }

  private func refusal(of attempt: SymbolAttempt, for image: BinaryImage) -> String {
    let name = image.name ?? "an image"
    if let message = attempt.message { return "cannot be used for \(name): \(message)" }
    let found = attempt.id?.description ?? "no identity"
    let wanted = image.id?.description ?? "none"
    let advice = attempt.isOtherBuild ? " (--allow-mismatch uses it, marked)" : ""
    return "not used: it is \(found), and the report needs \(wanted) for \(name)\(advice)"
  }

  private func hasUnresolvedAppFrame(_ report: SymbolicatedReport) -> Bool {
    (report.threads.joined() + report.lastExceptionBacktrace).contains {
      $0.isInApp && $0.resolution != .debugInfo
    }
  }
}
