internal import CrashRead
internal import CrashReadInstructions
internal import CrashReadSystem

/// The main job: reports and debug files in, verdicts out.
struct ReportJob {
  let options: Options
  private let setting: ReportSetting
  private var status = ExitStatus.success
  /// How many operands are reports.
  private var reportCount = 0

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    setting = ReportSetting(options, environment)
  }

  /// Reads every operand and writes what there is to say.
  mutating func run(on console: inout Console) -> ExitStatus {
    let operands = sortOperands()
    reportCount = operands.reports.count + operands.containers.count
    CrashRecovery.installRestartHandler(
      memory: options.workerLimits.memory ?? WorkerLimits.memoryAlone, after: options.refusals)
    limitTime()
    var reader = setting.reader(symbols: operands.symbols)
    if isBare { reader.sources = nil }
    if console.tellProblems(of: reader.symbolicator.store, optional: setting.symbolPath) { status = .failure }
    if !setting.tellMemoryProblem(on: &console) { status = .failure }
    if let many = operands.containers.first(where: { $0.container.holdsMany }) {
      console.error(
        "it holds more than \(ReportContainer.maximumAtOnce) reports; 'crashread batch' reads so many",
        file: many.path)
      return .usage
    }
    for place in operands.symbols where hasProblem(place, reader.symbolicator.store) && holdsSource(place) {
      console.note("source is looked for in folders named by --source-root", file: place)
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
      console.note("\(problem.setting) is set, and nothing was fetched: it \(problem.message)")
    }
    CrashRecovery.stopRestarting()
    if !ReportOutput(setting).write(results, to: &console) { status = .failure }
    makeCachesLater(of: reader.symbolicator.store.uncachedPaths, in: setting.caches, &console)
    return status
  }

  private func hasProblem(_ place: String, _ store: SymbolStore) -> Bool {
    store.problems.contains { $0.path == place }
  }

  /// What the operands are, told by content.
  private struct Operands {
    /// Files, or `-`.
    var reports: [String] = []
    /// What was opened already: the reports in it.
    var containers: [(path: String, container: ReportContainer)] = []
    /// Places to look for debug files.
    var symbols: [String]
  }

  /// Tells reports from places to look for debug files. Bundles of Xcode's are nothing but reports; in directories and
  /// archives among the operands reports are looked for when there are none otherwise, and none is piped in.
  private func sortOperands() -> Operands {
    var sorted = Operands(symbols: options.symbols)
    var places: [String] = []
    for operand in options.operands {
      if operand != "-", isSymbolPlace(operand) {
        if ReportContainer.isBundle(operand) {
          sorted.reports.append(operand)
        } else {
          places.append(operand)
        }
      } else {
        sorted.reports.append(operand)
      }
    }
    guard sorted.reports.isEmpty else {
      sorted.symbols += places
      return sorted
    }
    let all = places
    openContainers(&places, into: &sorted)
    if hasPipedInput(), sorted.containers.isEmpty || hasWaitingInput() {
      (sorted.reports, sorted.containers, places) = (["-"], [], all)
    }
    sorted.symbols += places
    return sorted
  }

  /// Takes the places that hold reports; those that hold binaries, too, stay places for debug files.
  private func openContainers(_ places: inout [String], into sorted: inout Operands) {
    places.removeAll { place in
      guard !place.hasSuffix(".dSYM"), !place.hasSuffix(".dSYM/"), !isBinary(place),
        let container = try? ReportContainer(
          path: place, limits: options.limits, most: ReportContainer.maximumAtOnce),
        !container.found.isEmpty
      else { return false }
      sorted.containers.append((place, container))
      return !container.holdsBinaries
    }
  }

  private func isSymbolPlace(_ path: String) -> Bool {
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

  /// Tells of what could not be read, and adds what was asked for beside the analysis.
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

  /// Whether only the report itself is read, since more took too long.
  private var isBare: Bool { options.refusals.reasonForAll != nil }

  /// Begins the time of a report; a bare one has nothing more to do without.
  private func limitTime() {
    CrashRecovery.limitTime(to: isBare ? nil : options.workerLimits.seconds)
  }

  /// What was meant, when a word that names no file looks like a command.
  private func verbHint(_ word: String) -> String {
    let verb = nearest(to: word, among: Verb.named.map(\.rawValue))
    return verb.map { "; did you mean the command '\($0)'?" } ?? ""
  }

  /// Why there is nothing for `--code` to show.
  private func whyWithoutCode(_ report: CrashReport) -> String {
    guard let set = report.architecture.flatMap(InstructionSet.init) else {
      return "code of its CPU isn't read"
    }
    return set.missingLibrary.map { "the code \($0.description)" }
      ?? "there is no code to show: the report quotes none, and the binary that stopped, which a dSYM is not, isn't here"
  }

  /// Says on standard error what of a report could not be used, and applies `--strict`.
  private mutating func check(_ analysis: ReportAnalysis, console: inout Console) {
    let symbolicated = analysis.diagnosis.symbolicated
    for note in symbolicated.report.notes {
      console.note(note.message, file: analysis.input, line: note.line)
    }
    if options.showsCode, analysis.diagnosis.instruction == nil {
      console.note(whyWithoutCode(symbolicated.report), file: analysis.input)
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
      case .identityMismatch: tellMismatch(refused, match, image, analysis.input, &console)
      case .unusable:
        for attempt in refused { console.error(refusal(of: attempt, for: image), file: attempt.path) }
        status = .failure
      case .matched, .notSearched, .missing: break
      }
    }
    if options.isStrict, hasUnresolvedAppFrame(symbolicated) { status = .failure }
  }

  /// Other builds in a store are no event; a file that was named for this report alone was meant for it.
  private mutating func tellMismatch(
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
      "\(what) of \(image.name ?? "an image") \(count == 1 ? "is" : "are, newest first,") here: \(list); the report "
        + "wants \(image.id?.description ?? "none") (--allow-mismatch uses the newest, marked)",
      file: input)
  }

  /// More of them are counted.
  private static let maximumBuilds = 3

  /// Whether a debug file is, or lies in the bundle that is, an operand.
  private func isNamed(_ path: String) -> Bool {
    (options.operands + options.symbols).contains { place in
      if place == path { return true }
      let bundle = place.hasSuffix("/") ? place : place + "/"
      return bundle.hasSuffix(".dSYM/") && path.hasPrefix(bundle)
    }
  }

  private func refusal(of attempt: SymbolAttempt, for image: BinaryImage) -> String {
    let name = image.name ?? "an image"
    if let message = attempt.message { return "cannot be used for \(name): \(message)" }
    let found = attempt.id?.description ?? "no identity"
    let wanted = image.id?.description ?? "none"
    let advice = attempt.isOtherBuild ? " (--allow-mismatch uses it, marked)" : ""
    return "not used: it is \(found), and the report wants \(wanted) for \(name)\(advice)"
  }

  private func hasUnresolvedAppFrame(_ report: SymbolicatedReport) -> Bool {
    (report.threads.joined() + report.lastExceptionBacktrace).contains {
      $0.isInApp && $0.resolution != .debugInfo
    }
  }
}
