internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// `crashread batch`: many inputs, one line of JSON each, in their order.
struct BatchJob {
  private var inputs: InputList
  private var pool: WorkerPool
  private var order: ResultOrder
  private var memory: BatchMemory?
  private var output: BatchOutput
  private var tally: BatchTally
  private let options: Options
  private var summary: BatchSummary?
  /// Results of earlier batches, which the summary counts as its own.
  private let results: [String]
  private let state: BatchState?
  private var lesson: BatchLesson?
  /// Inputs that were begun and whose results aren't written yet, by their place.
  private var begun: [Int: Begun] = [:]
  private var hasMore = true

  private struct Begun {
    /// Whether it says nothing when it holds no report.
    var isFound: Bool
    /// What the state is to know it by.
    var known: BatchMemory.Known
  }

  /// Why the job can't begin, or ends before its time.
  struct Failure: Error {
    var file: String?
    /// nil when the console knows it.
    var message: String?
  }

  static func run(_ options: Options, on console: inout Console) -> ExitStatus {
    if options.operands.isEmpty, options.inputLists.isEmpty, isInputTerminal {
      console.error("no report given, and standard input is a terminal; try 'crashread batch --help'")
      return .usage
    }
    do throws(Failure) {
      var job = try BatchJob(options, console)
      return job.run(on: &console)
    } catch {
      if let message = error.message { console.error(message, file: error.file) }
      return .failure
    }
  }

  private init(_ options: Options, _ console: Console) throws(Failure) {
    var options = options
    summary = options.summary.map { BatchSummary($0) }
    results = summary == nil ? [] : options.takeResults()
    let operands = options.takeDebugFiles()
    inputs = InputList(options, operands: operands, readsInput: results.isEmpty)
    var badFiles = BadDebugFiles()
    var state: BatchState?
    if let path = options.state {
      (state, badFiles) = try Failure.wrap { () throws(SQLite.Failure) in
        let opened = try BatchState(path: path, retriesUnresolved: options.retriesUnresolved)
        return (opened, BadDebugFiles(try opened.badFiles()))
      }
    }
    self.state = state
    memory = state.map { BatchMemory($0, sizeLimit: options.limits.reportSize) }
    output = try BatchOutput(options, state)
    lesson = try BatchLesson(options, console.environment)
    self.options = options
    let jobs = max(1, options.jobs ?? processorCount)
    order = ResultOrder(window: max(64, 16 * jobs))
    tally = BatchTally(of: inputs, isShown: console.showsProgress)
    do throws(SystemError) {
      pool = try WorkerPool(
        count: max(1, min(jobs, inputs.total ?? jobs)), limits: options.workerLimits, badFiles: badFiles,
        start: options.workerStart)
    } catch {
      throw Failure(message: "cannot start a worker: \(error.reason)")
    }
  }

  private mutating func run(on console: inout Console) -> ExitStatus {
    var failure: Failure?
    do throws(Failure) {
      try readAll(&console)
      try output.commit(pool.takeNewBadFiles(), isLast: true)
      try lesson?.end()
    } catch {
      failure = error
    }
    tally.show(pool.takeComplaints(), on: &console)
    pool.close(isForced: failure != nil)
    tally.end(&console, listedDirectories: inputs.listedDirectories, waiting: state?.waiting ?? 0)
    lesson?.tell(&console)
    var hasNew = false
    do throws(Failure) {
      if failure == nil { hasNew = try writeSummary(to: &console) }
    } catch {
      failure = error
    }
    if let failure, let message = failure.message { console.error(message, file: failure.file) }
    guard failure == nil && tally.isClean else { return .failure }
    return hasNew && options.failsOnNew ? .newCrash : .success
  }

  /// - Returns: Whether there is a crash that wasn't there before.
  private mutating func writeSummary(to console: inout Console) throws(Failure) -> Bool {
    guard summary != nil else { return false }
    if let state {
      try Failure.wrap { () throws(SQLite.Failure) in try summary?.addAll(of: state) }
    }
    for result in results { try summary?.addAll(in: result) }
    return try summary?.write(options, to: &console) ?? false
  }

  private mutating func readAll(_ console: inout Console) throws(Failure) {
    while true {
      let isWaiting = try beginInputs()
      try writeResults(&console)
      if let message = pool.failure { throw Failure(message: message) }
      if pool.isBusy || isWaiting {
        for (task, result) in pool.wait(
          for: isWaiting ? inputs.descriptor : nil, isBrief: output.isBehind)
        {
          order.put(result, at: task.place)
        }
      } else if !hasMore, order.isEmpty {
        return
      }
    }
  }

  /// Gives every worker something to do.
  /// - Returns: Whether a stream of inputs keeps one waiting.
  private mutating func beginInputs() throws(Failure) -> Bool {
    while hasMore, pool.hasIdleWorker, order.hasRoom {
      switch inputs.next() {
      case .end: hasMore = false
      case .wait: return true
      case .input(let input): try begin(input)
      }
    }
    return false
  }

  private mutating func begin(_ input: BatchInput) throws(Failure) {
    if case .unread(let unread) = input.source {
      order.put(BatchResult(unread), at: order.begin())
      return
    }
    var input = input
    var known = BatchMemory.Known()
    if let memory {
      guard let new = try memory.known(&input) else {
        tally.known += 1
        return
      }
      known = new
    }
    let place = order.begin()
    begun[place] = Begun(isFound: input.isFound, known: known)
    pool.begin(BatchTask(place: place, input: input))
  }

  private mutating func writeResults(_ console: inout Console) throws(Failure) {
    while let (place, taken) = order.take() {
      var result = taken
      let origin = begun.removeValue(forKey: place)
      let isPassedOver = result.outcome == .noReport && origin?.isFound == true
      tally.add(result.outcome, isPassedOver: isPassedOver)
      if isPassedOver { result.lines = [] }
      if !isPassedOver, result.outcome != .read { summary?.addUnread() }
      // A state has them all at the end, those of earlier runs too.
      if state == nil { summary?.add(result.occurrences) }
      try lesson?.add(result.sightings)
      try output.write(result, origin?.known ?? .init(), to: &console)
    }
    try output.commit(pool.takeNewBadFiles(), isLast: false)
    tally.show(pool.takeComplaints(), on: &console)
  }
}

extension Options {
  /// Takes debug files from the operands, by their content.
  /// - Returns: What is left: reports and directories that hold some.
  fileprivate mutating func takeDebugFiles() -> [String] {
    var others: [String] = []
    for operand in operands {
      let isBundle = operand.hasSuffix(".dSYM") || operand.hasSuffix(".dSYM/")
      if isBundle || isBinary(operand) { symbols.append(operand) } else { others.append(operand) }
    }
    return others
  }

  /// How a worker is started.
  fileprivate var workerStart: () throws(SystemError) -> Worker {
    let options = self
    guard isolation == .off else { return { () throws(SystemError) in try startWorkerProcess(options) } }
    let reader = WorkerServer.reader(options)
    return { () throws(SystemError) in try startWorkerThread(reader, options) }
  }
}
