internal import CrashRead

/// The main job: reports and debug files in, verdicts out.
struct ReportJob {
  let options: Options
  private let setting: ReportSetting
  private var status = ExitStatus.success

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    setting = ReportSetting(options, environment)
  }

  /// Reads every operand and writes what there is to say.
  mutating func run(on console: inout Console) -> ExitStatus {
    let (reports, symbols) = sortOperands()
    LastWords.areRestart(seconds: options.workerLimits.seconds)
    let reader = setting.reader(symbols: symbols)
    if console.tellProblems(of: reader.symbolicator.store, optional: setting.symbolPath) { status = .failure }
    if reports.isEmpty {
      console.error(
        "no report among the operands, only debug files; 'crashread lookup' resolves single addresses")
      return .usage
    }
    let results = reports.flatMap { read($0, with: reader, console: &console) }
    LastWords.limitTime(to: 0)
    if let problem = reader.symbolicator.store.debuginfodProblem {
      console.note("DEBUGINFOD_URLS is set, and nothing was fetched: it \(problem)")
    }
    if !ReportOutput(setting).write(results, to: &console) { status = .failure }
    makeCachesLater(of: reader.symbolicator.store.uncachedPaths, in: setting.caches, &console)
    return status
  }

  /// Tells reports from places to look for debug files, by content.
  private func sortOperands() -> (reports: [String], symbols: [String]) {
    var reports: [String] = []
    var symbols = options.symbols
    for operand in options.operands {
      if operand != "-", isSymbolPlace(operand) { symbols.append(operand) } else { reports.append(operand) }
    }
    return (reports, symbols)
  }

  private func isSymbolPlace(_ path: String) -> Bool {
    switch try? fileKind(path) {
    case .directory: true
    case .file: isBinary(path) || isArchive(path)
    case .other, nil: false
    }
  }

  private mutating func read(
    _ path: String, with reader: CrashReader, console: inout Console
  ) -> [InputResult] {
    LastWords.limitTime(to: options.workerLimits.seconds)
    let reading = ReportReading(reader: reader, sizeLimit: options.limits.reportSize)
    return reading.read(path, hint: verbHint(path)).map { result in
      switch result {
      case .analysis(var analysis):
        check(analysis, console: &console)
        if options.showsBlame { analysis.blame = lineHistory(of: analysis) }
        return .analysis(analysis)
      case .unread(let input):
        console.error(input.message, file: path)
        status = .failure
        return result
      }
    }
  }

  /// What was meant, when a word that names no file looks like a command.
  private func verbHint(_ word: String) -> String {
    let verb = nearest(to: word, among: Verb.named.map(\.rawValue))
    return verb.map { "; did you mean the command '\($0)'?" } ?? ""
  }

  /// Says on standard error what of a report could not be used, and applies `--strict`.
  private mutating func check(_ analysis: ReportAnalysis, console: inout Console) {
    let symbolicated = analysis.diagnosis.symbolicated
    for note in symbolicated.report.notes {
      console.note(note.message, file: analysis.input, line: note.line)
    }
    for (image, match) in zip(symbolicated.report.images, symbolicated.images) {
      if match.status == .matched, let used = match.attempts.firstIndex(where: { $0.outcome == .used }) {
        for attempt in match.attempts[..<used] {
          console.note(refusal(of: attempt, for: image), file: attempt.path)
        }
        let parts = match.attempts[(used + 1)...].map { ($0.path, $0.message ?? "") }
        console.noteMissing(parts, of: match.attempts[used].path)
      }
      guard match.status == .identityMismatch || match.status == .unusable else { continue }
      for attempt in match.attempts where attempt.outcome != .used && attempt.outcome != .missing {
        console.error(refusal(of: attempt, for: image), file: attempt.path)
      }
      status = .failure
    }
    if options.isStrict, hasUnresolvedAppFrame(symbolicated) { status = .failure }
  }

  private func refusal(of attempt: SymbolAttempt, for image: BinaryImage) -> String {
    let name = image.name ?? "an image"
    if let message = attempt.message { return "cannot be used for \(name): \(message)" }
    let found = attempt.id?.description ?? "no identity"
    let wanted = image.id?.description ?? "none"
    return
      "not used: it is \(found), and the report wants \(wanted) for \(name) (--allow-mismatch uses it, marked)"
  }

  private func hasUnresolvedAppFrame(_ report: SymbolicatedReport) -> Bool {
    (report.threads.joined() + report.lastExceptionBacktrace).contains {
      $0.isInApp && $0.resolution != .debugInfo
    }
  }
}
