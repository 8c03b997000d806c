internal import CrashRead

/// `crashread ci`: runs a test command, or takes what one left, and says which crash ended it.
struct CIJob {
  private let options: Options
  private let setting: ReportSetting
  private let surroundings: CISurroundings
  private var gathered = GatheredInputs()

  /// How a command ended that a shell can't find or run.
  private static let notFound: Int32 = 127

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    setting = ReportSetting(options, environment)
    surroundings = environment.surroundings
  }

  mutating func run(on console: inout Console) -> ExitStatus {
    if options.isGathered {
      let kept = try? LastWords.readInput(limit: .max >> 1)
      gathered = kept.flatMap(GatheredInputs.init) ?? gathered
    } else if !gather(&console) {
      return .command(Self.notFound)
    }
    let status = gathered.code.map { ExitStatus.command($0) }
    limitReading(status ?? .failure)
    report(on: &console)
    return status ?? (gathered.isFailed ? .failure : .success)
  }

  /// Has the reading end, when it takes too much, or begin anew without what takes it. The command has no limit.
  private func limitReading(_ status: ExitStatus) {
    guard options.isGathered || LastWords.keepAsInput(gathered.encoded) else { return }
    LastWords.areRestart(
      memory: options.workerLimits.memory ?? WorkerLimits.memoryAlone, after: options.refusals,
      mark: options.isGathered ? nil : LastWords.gatheredArgument, lastStatus: status)
  }

  // MARK: Gathering

  /// - Returns: false when the command can't be run.
  private mutating func gather(_ console: inout Console) -> Bool {
    let start = options.operands.isEmpty ? nil : Moment.now
    var command: TestCommand?
    if start != nil {
      do throws(SystemError) {
        (command, gathered.code) = try runCommand(&console)
      } catch {
        console.error("cannot run the command: \(error)", file: options.operands[0])
        return false
      }
    }
    readFolders(since: options.since ?? start, &console)
    readLogs(&console)
    for output in [command?.errors, command?.output].compactMap(\.self) {
      add(output.bytes, "output of \(options.operands[0])")
    }
    return true
  }

  private mutating func add(_ bytes: [UInt8], _ name: String) {
    gathered.inputs.append(.init(name: name, bytes: bytes))
  }

  private mutating func runCommand(_ console: inout Console) throws(SystemError) -> (TestCommand, Int32) {
    let folder = try? PrivateFolder(below: surroundings.temporaryFolder)
    defer { folder?.remove() }
    let backtraces = SwiftBacktraces(folder: folder?.path, setting: surroundings.swiftBacktrace)
    var command = TestCommand()
    console.flush()
    let start = Moment.now
    let outcome = try command.run(options.operands, variables: backtraces.variables)
    for path in backtraces.folder.map({ reportFiles(in: $0, since: start) }) ?? [] {
      guard let bytes = try? readFile(path, limit: options.limits.reportSize) else { continue }
      let printed = [command.errors, command.output].map(\.bytes)
      add(SwiftBacktraces.log(bytes, after: printed), fileName(path))
    }
    switch outcome {
    case .exited(let code): return (command, code)
    case .signalled(let signal): return (command, 128 + signal)
    }
  }

  /// The user's own setting may name a file.
  private func reportFiles(in place: String, since start: Moment) -> [String] {
    (try? ReportFolder(path: place).files(since: start)) ?? [place]
  }

  private mutating func readFolders(since start: Moment?, _ console: inout Console) {
    for folder in options.watchedFolders {
      do throws(DebugFileError) {
        for path in try ReportFolder(path: folder).files(since: start) { read(path, readFile, &console) }
      } catch {
        console.error("cannot read the directory: \(error.description)", file: folder)
        gathered.isFailed = true
      }
    }
  }

  private mutating func readLogs(_ console: inout Console) {
    for path in options.logs { read(path, readOperand, &console) }
  }

  private mutating func read(
    _ path: String, _ read: (String, Int) throws(DebugFileError) -> [UInt8], _ console: inout Console
  ) {
    do throws(DebugFileError) {
      add(try read(path, options.limits.reportSize), path)
    } catch {
      console.error("cannot read the file: \(error.description)", file: path)
      gathered.isFailed = true
    }
  }

  // MARK: Reporting

  private mutating func report(on console: inout Console) {
    var (analyses, unfinished) = analyze(&console)
    for index in analyses.indices {
      analyses[index].test = test(of: analyses[index], among: unfinished)
      if options.showsBlame { analyses[index].blame = lineHistory(of: analyses[index], surroundings) }
    }
    LastWords.limitTime(to: nil)
    LastWords.areRestartNoMore()
    if analyses.isEmpty {
      sayNothingFound(unfinished, &console)
    } else if !CIOutput(setting, surroundings).write(analyses, to: &console) {
      gathered.isFailed = true
    }
  }

  /// Reads what was gathered: the reports, and the tests that had begun and not ended.
  private mutating func analyze(_ console: inout Console) -> ([ReportAnalysis], unfinished: [String]) {
    let isBare = options.refusals.reasonForAll != nil
    LastWords.limitTime(to: isBare ? nil : options.workerLimits.seconds)
    var reader = setting.reader(symbols: symbols)
    if isBare { reader.sources = nil }
    var analyses: [ReportAnalysis] = []
    var unfinished: [String] = []
    for input in gathered.inputs {
      LastWords.limitTime(to: isBare ? nil : options.workerLimits.seconds)
      analyses += (try? reader.analyze(input.bytes, input: input.name)) ?? []
      unfinished += TestLog(input.bytes).unfinished
    }
    for problem in reader.symbolicator.store.problems where options.symbols.contains(problem.path) {
      console.error(problem.message, file: problem.path)
      gathered.isFailed = true
    }
    return (withoutRepetitions(analyses), unfinished)
  }

  /// Where a Swift package's products are, beside the places given.
  private var symbols: [String] {
    // Which a stranger's commit can have made a link to anywhere.
    let hasProducts = ConfinedFolder(".")?.realPath(of: ".build", .directory) != nil
    return options.symbols + (hasProducts ? [".build"] : [])
  }

  /// The reports without those of a process that an earlier one was about: a crash can be in a file and in the log.
  private func withoutRepetitions(_ analyses: [ReportAnalysis]) -> [ReportAnalysis] {
    var seen: Set<String> = []
    return analyses.filter { analysis in
      let header = analysis.diagnosis.symbolicated.report.header
      guard let process = header.process, let pid = header.pid else { return true }
      return seen.insert("\(pid) \(process)").inserted
    }
  }

  /// The test by its frames, else the only one that had begun and not ended.
  private func test(of analysis: ReportAnalysis, among unfinished: [String]) -> TestName? {
    analysis.test ?? (unfinished.count == 1 ? TestName(printed: unfinished[0]) : nil)
  }

  private func sayNothingFound(_ unfinished: [String], _ console: inout Console) {
    guard let code = gathered.code else { return console.note("no crash report found") }
    guard code != 0 else { return }
    let tests =
      unfinished.isEmpty ? "" : "; begun and not ended: " + unfinished.prefix(5).joined(separator: ", ")
    console.note("the command ended with status \(code), and no crash report was found" + tests)
  }
}

private func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
