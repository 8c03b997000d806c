internal import CrashRead
internal import CrashReadBatch
internal import CrashReadSystem

/// `crashread batch`: many inputs, one line of JSON each, in order.
struct BatchJob {
  private let options: Options
  private let settings: BatchSettings
  private let inputs: InputList
  /// Result files of earlier batches, which are included in the summary.
  private let results: [String]
  private var summary: BatchSummary?
  private var tally: BatchTally

  static func run(_ options: Options, on console: inout Console) -> ExitStatus {
    if options.operands.isEmpty, options.inputLists.isEmpty, isInputTerminal {
      console.error("no report given, and standard input is a terminal; try 'crashread batch --help'")
      return .usage
    }
    var job = BatchJob(options, console)
    if job.settings.learns, job.settings.symbolMemory == nil {
      console.error("--learn needs a file for the names; give one with --symbol-memory")
      return .failure
    }
    return job.run(on: &console)
  }

  private init(_ options: Options, _ console: Console) {
    var options = options
    summary = options.summary.map { BatchSummary($0) }
    results = summary == nil ? [] : options.takeResults()
    let operands = options.takeDebugFiles()
    inputs = InputList(
      operands: operands, lists: options.lists(operands, readsInput: results.isEmpty),
      form: .init(
        isZeroSeparated: options.hasZeroSeparatedLists, holdsRecords: options.readsRecords,
        sizeLimit: options.limits.reportSize))
    tally = BatchTally(of: inputs, isShown: console.showsProgress)
    settings = options.batchSettings(console.environment)
    self.options = options
  }

  private mutating func run(on console: inout Console) -> ExitStatus {
    do {
      var loop = try BatchLoop(settings, inputs, count: inputs.total)
      let state = loop.state
      let ended = Result { try loop.run { try take($0, hasState: state != nil, &console) } }
      let listed = (loop.source as? InputList)?.listedDirectories ?? 0
      tally.end(&console, listedDirectories: listed, waiting: loop.waiting)
      if let learned = loop.learned { console.note(learned.learning.text, file: learned.path) }
      try ended.get()
      let hasNew = try writeSummary(state, to: &console)
      guard tally.isClean else { return .failure }
      return hasNew && options.failsOnNew ? .newCrash : .success
    } catch let error as BatchError {
      report(error, on: &console)
    } catch {
      // Standard output was closed; the console reports its own failures at the end.
    }
    return .failure
  }

  private func report(_ error: BatchError, on console: inout Console) {
    if error.file != nil, error.file == settings.state {
      console.error("--state: \(error.message)")
    } else {
      console.error(error.message, file: error.file)
    }
  }

  /// Standard output was closed.
  private struct Unread: Error {}

  private mutating func take(
    _ event: BatchLoop.Event, hasState: Bool, _ console: inout Console
  ) throws(Unread) {
    switch event {
    case .known: tally.known += 1
    case .problem(let file, let message): tally.add(problem: message, of: file, on: &console)
    case .result(let result, let isSkipped):
      tally.add(result.outcome, isSkipped: isSkipped)
      if !isSkipped, result.outcome != .read { summary?.addUnread() }
      // With a state, all results are added at the end, including those of earlier runs.
      if !hasState { summary?.add(result.occurrences) }
      if settings.output == nil, !result.lines.isEmpty, !console.write(lines: result.lines) { throw Unread() }
    }
    tally.show(on: &console)
  }

  /// - Returns: Whether there is a new crash.
  private mutating func writeSummary(
    _ state: BatchState?, to console: inout Console
  ) throws(BatchError) -> Bool {
    guard summary != nil else { return false }
    if let state { try summary?.addAll(of: state) }
    for result in results { try summary?.addAll(in: result) }
    return try summary?.write(options, to: &console) ?? false
  }
}

extension Options {
  /// Separates debug files from the operands, by content.
  /// - Returns: The rest: reports, and directories of reports.
  fileprivate mutating func takeDebugFiles() -> [String] {
    var others: [String] = []
    for operand in operands {
      let isBundle = operand.hasSuffix(".dSYM") || operand.hasSuffix(".dSYM/")
      if isBundle || isBinary(operand) { symbols.append(operand) } else { others.append(operand) }
    }
    return others
  }

  /// The streams of inputs: standard input when nothing else is given.
  fileprivate func lists(_ operands: [String], readsInput: Bool) -> [String] {
    readsRecords || readsInput && operands.isEmpty && inputLists.isEmpty ? ["-"] : inputLists
  }

  /// The batch's settings, from the options and the environment.
  func batchSettings(_ environment: Environment) -> BatchSettings {
    var settings = BatchSettings()
    settings.symbols = symbols
    settings.optionalSymbols = environment.symbolPath
    settings.caches = cacheDirectory(self, environment)?.path
    settings.asksDebuginfod = environment.asksDebuginfod
    settings.symbolServers = symbolServers.map(\.description) + environment.symbolServers
    settings.programFolders = namedFolders(environment)
    settings.symbolMemory = memoryPath(environment)
    (settings.quorum, settings.learns, settings.learnsByFolder) = (quorum, learns, learnsByFolder)
    settings.allowsMismatch = allowsMismatch
    settings.language = language ?? environment.language
    (settings.showsReasoning, settings.brief) = (showsReasoning, brief)
    settings.limits = limits
    settings.inputLimits.seconds = workerLimits.seconds
    settings.inputLimits.memory = workerLimits.memory ?? settings.inputLimits.memory
    settings.inputLimits.resultSize = workerLimits.resultSize ?? settings.inputLimits.resultSize
    settings.workers = jobs
    settings.isolation = isolation == .on ? .processes(WorkerProgram(path: ownProgram)) : .threads
    settings.cacheCommand = cacheCommand
    (settings.state, settings.retriesUnresolved) = (state, retriesUnresolved)
    settings.output = outputs.isEmpty ? nil : targets.map(\.path).first { $0 != "-" }
    settings.writesResults = printsResults
    return settings
  }
}
