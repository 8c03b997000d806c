internal import CrashRead
internal import CrashReadSystem

/// `crashread ci`: runs a test command, or reads what one left behind, and reports the crash that ended it.
struct CIJob {
  private let options: Options
  private let setting: ReportSetting
  private let ciEnvironment: CIEnvironment
  private var gathered = GatheredInputs()

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    setting = ReportSetting(options, environment)
    ciEnvironment = environment.ciEnvironment
  }

  mutating func run(on console: inout Console) -> ExitStatus {
    if options.isGathered {
      let kept = try? CrashRecovery.readInput(limit: .max >> 1)
      gathered = kept.flatMap(GatheredInputs.init) ?? gathered
    } else if let status = gather(&console) {
      return .command(status)
    }
    let status = gathered.end.map { ExitStatus.command($0.shellStatus) }
    limitReading(status ?? .failure)
    report(on: &console)
    return status ?? (gathered.isFailed ? .failure : .success)
  }

  /// Limits the time for reading the results, which may be restarted without a debug file. The command itself has no
  /// limit.
  private func limitReading(_ status: ExitStatus) {
    guard options.isGathered || CrashRecovery.keepAsInput(gathered.encoded) else { return }
    CrashRecovery.installRestartHandler(
      memory: options.workerLimits.memory ?? WorkerLimits.memoryOfMainJob, after: options.refusals,
      mark: options.isGathered ? nil : CrashRecovery.gatheredArgument, lastStatus: status)
  }

  // MARK: Gathering

  /// - Returns: The status that a shell would give when the command can't be run; otherwise nil.
  private mutating func gather(_ console: inout Console) -> Int32? {
    let start = options.operands.isEmpty ? nil : FileTime.now
    if start != nil {
      do throws(SystemError) {
        gathered.end = try runCommand(&console)
      } catch {
        console.error("cannot run the command: \(error.reason)", file: options.operands[0])
        return error.shellStatus
      }
    }
    readFolders(since: options.since ?? start, &console)
    readLogs(&console)
    return nil
  }

  private mutating func add(_ bytes: [UInt8], _ name: String, isLog: Bool = true) {
    gathered.inputs.append(.init(name: name, bytes: bytes, isLog: isLog))
  }

  private mutating func runCommand(_ console: inout Console) throws(SystemError) -> ProcessEnd {
    let folder = try? ScratchDirectory(in: ciEnvironment.temporaryFolder)
    defer { withExtendedLifetime(folder) {} }
    let backtraces = SwiftBacktraces(folder: folder?.path, setting: ciEnvironment.swiftBacktrace)
    var command = TestCommand()
    console.flush()
    let start = FileTime.now
    let end = try command.run(options.operands, variables: backtraces.variables)
    let printed = [command.errors, command.output].map(\.bytes)
    for path in backtraces.folder.map({ reportFiles(in: $0, since: start) }) ?? [] {
      guard let bytes = try? readFile(path, limit: options.limits.reportSize) else { continue }
      add(SwiftBacktraces.log(bytes, after: printed), fileName(path), isLog: false)
    }
    for bytes in printed { add(bytes, "output of \(options.operands[0])") }
    return end
  }

  /// The Swift runtime's logs; a setting of the user's may name a file instead of a folder.
  private func reportFiles(in folderPath: String, since start: FileTime) -> [String] {
    (try? ReportFolder(path: folderPath).files(since: start)) ?? [folderPath]
  }

  private mutating func readFolders(since start: FileTime?, _ console: inout Console) {
    for folder in options.watchedFolders {
      do throws(SystemError) {
        for path in try ReportFolder(path: folder).files(since: start) {
          read(path, readFile, isLog: false, &console)
        }
      } catch {
        console.error("cannot read the directory: \(error.description)", file: folder)
        gathered.isFailed = true
      }
    }
  }

  private mutating func readLogs(_ console: inout Console) {
    for path in options.logs { read(path, readOperand, isLog: true, &console) }
  }

  private mutating func read(
    _ path: String, _ read: (String, Int) throws(SystemError) -> [UInt8], isLog: Bool,
    _ console: inout Console
  ) {
    do throws(SystemError) {
      add(try read(path, options.limits.reportSize), path, isLog: isLog)
    } catch {
      console.error("cannot read the file: \(error.description)", file: path)
      gathered.isFailed = true
    }
  }

  // MARK: Reporting

  private mutating func report(on console: inout Console) {
    var (analyses, running) = analyze(&console)
    if options.showsBlame {
      for index in analyses.indices {
        analyses[index].blame = lineHistory(of: analyses[index], ciEnvironment)
      }
    }
    CrashRecovery.limitTime(to: nil)
    CrashRecovery.stopRestarting()
    if analyses.isEmpty { reportNothingFound(running, &console) }
    if !CIOutput(setting, ciEnvironment).write(analyses, to: &console) { gathered.isFailed = true }
  }

  /// Reads the gathered inputs: the reports, and the tests that had started and not finished.
  private mutating func analyze(_ console: inout Console) -> ([ReportAnalysis], running: [String]) {
    let readsReportOnly = options.refusals.reasonForAll != nil
    CrashRecovery.limitTime(to: readsReportOnly ? nil : options.workerLimits.seconds)
    var reader = setting.reader(symbols: symbols)
    _ = setting.reportMemoryProblem(on: &console)
    if readsReportOnly { reader.sources = nil }
    let running = gathered.inputs.filter(\.isLog).flatMap { TestLog($0.bytes).unfinished }
    var analyses = options.resultBundles.flatMap { readBundle($0, reader, &console) }
    for input in gathered.inputs {
      CrashRecovery.limitTime(to: readsReportOnly ? nil : options.workerLimits.seconds)
      analyses += read(input, reader, running)
    }
    for problem in reader.symbolicator.store.problems where options.symbols.contains(problem.path) {
      console.error(problem.message, file: problem.path)
      gathered.isFailed = true
    }
    return (withoutRepetitions(analyses), running)
  }

  /// The crashes of the test run in a result bundle.
  private mutating func readBundle(
    _ path: String, _ reader: CrashReader, _ console: inout Console
  ) -> [ReportAnalysis] {
    do throws(PathError) {
      let container = try ReportContainer(path: path, limits: options.limits)
      for problem in container.problems { console.note(problem, file: path) }
      return reader.analyze(container, input: path).filter {
        $0.container?.test != nil || $0.container?.isDuringRun != false
      }
    } catch {
      console.error("cannot read the result bundle: \(error.message)", file: path)
      gathered.isFailed = true
      return []
    }
  }

  /// The reports of an input, each with the test that it ended.
  private func read(
    _ input: GatheredInputs.Input, _ reader: CrashReader, _ running: [String]
  ) -> [ReportAnalysis] {
    var analyses = (try? reader.analyze(input.bytes, input: input.name)) ?? []
    let log = input.isLog ? TestLog(input.bytes) : nil
    var last = 0
    for index in analyses.indices {
      var candidates = running
      if let log, let line = analyses[index].diagnosis.symbolicated.report.firstLine {
        candidates = log.unfinished(after: last, before: line)
        last = line
      }
      analyses[index].test = test(on: analyses[index].test, among: candidates)
    }
    return analyses
  }

  /// The products of a Swift package, besides the paths given.
  private var symbols: [String] {
    // An untrusted commit may have made it a link to another folder.
    let hasProducts = ConfinedFolder(".")?.realPath(of: ".build", .directory) != nil
    return options.symbols + (hasProducts ? [".build"] : [])
  }

  /// The reports without duplicates of the same process: a crash may be in a file and in the log. A message without a
  /// stack duplicates a report with one.
  private func withoutRepetitions(_ analyses: [ReportAnalysis]) -> [ReportAnalysis] {
    var seen: Set<String> = []
    let hasStack = analyses.contains { $0.diagnosis.symbolicated.report.hasStack }
    return analyses.filter { analysis in
      let report = analysis.diagnosis.symbolicated.report
      if hasStack, !report.hasStack { return false }
      guard let process = report.header.process, let pid = report.header.pid else { return true }
      return seen.insert("\(pid) \(process)").inserted
    }
  }

  /// The test that a crash ended: the one on the stack if it was running, otherwise the only one that was; nil when
  /// unknown.
  private func test(on stack: TestName?, among running: [String]) -> TestName? {
    let names = Set(running).map { (printed: $0, test: TestName(printed: $0)) }
    if let stack {
      if let known = names.first(where: { $0.test.name == stack.name }) {
        return stack.suite == nil ? known.test : stack
      }
      // Swift Testing prints a test's display name in quotation marks.
      if names.count != 1 || names[0].printed.hasPrefix("\"") { return stack }
    }
    return names.count == 1 ? names[0].test : nil
  }

  private func reportNothingFound(_ running: [String], _ console: inout Console) {
    guard let end = gathered.end else { return console.note("no crash report found") }
    guard end != .exited(0) else { return }
    let tests =
      running.isEmpty ? "" : "; started and not finished: " + running.prefix(5).joined(separator: ", ")
    console.note("the command \(end), and no crash report was found" + tests)
  }
}

extension CrashReport {
  /// The 1-based line of the report's first frame; nil for formats without lines.
  fileprivate var firstLine: Int? { threads.lazy.flatMap(\.frames).compactMap(\.line).first }

  /// Whether there is a frame of any thread, or of the exception.
  fileprivate var hasStack: Bool {
    !lastExceptionBacktrace.isEmpty || threads.contains { !$0.frames.isEmpty }
  }
}
