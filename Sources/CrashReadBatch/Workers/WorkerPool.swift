internal import CrashRead
internal import CrashReadSystem

/// The workers of a batch: assigns inputs and makes sure that each gets a result.
///
/// This process polls all of them together, so that a slow one delays no other.
struct WorkerPool {
  /// Starts another worker.
  private let start: () throws(SystemError) -> Worker
  private let limits: InputLimits
  private var workers: [Worker] = []
  private var badFiles: BadDebugFiles
  /// Problems with debug files and inputs that weren't reported yet.
  private var problems: [Problem] = []
  /// Paths of debug files that can't be used; reported once, since every worker finds the same ones.
  private var badPaths: Set<String> = []
  /// Why no further worker can be started; nil when one can.
  private(set) var failure: String?
  private var lastTick = monotonicMilliseconds()
  private var failedStarts = 0
  /// Sightings that workers sent while they were closed.
  private var sightings: [[UInt8]] = []

  /// A problem with a file.
  typealias Problem = (file: String, message: String)

  /// The maximum interval between checks of time and memory, in milliseconds.
  private static let tick = 100
  /// The multiple of an input's processor time for which a worker may be idle: it may be waiting for a disk or for a
  /// processor.
  private static let idleFactor = 10
  /// The maximum time counted for a tick, in milliseconds: this process may have been stopped, or have waited for the
  /// reader of its output.
  private static let maximumTick = 1000
  /// The number of inputs after which the memory of an idle worker is checked.
  private static let memoryCheckInterval = 64
  /// The number of debug files in which an input may crash workers before it is read without any.
  private static let maximumRefusals = 8
  /// The maximum number of successive workers that die before they are ready; a further one would, too.
  private static let maximumFailedStarts = 3

  init(
    count: Int, limits: InputLimits, badFiles: BadDebugFiles,
    start: @escaping () throws(SystemError) -> Worker
  ) throws(SystemError) {
    (self.start, self.limits, self.badFiles) = (start, limits, badFiles)
    for _ in 0..<count { workers.append(try start()) }
  }

  /// Whether a worker is idle.
  var hasIdleWorker: Bool { workers.contains { $0.task == nil } }
  /// Whether any input is being read.
  var isBusy: Bool { workers.contains { $0.task != nil } }

  /// Gives an idle worker an input.
  mutating func begin(_ task: BatchTask) {
    guard let index = workers.firstIndex(where: { $0.task == nil }) else { return }
    begin(task, in: index)
  }

  private mutating func begin(_ task: BatchTask, in index: Int) {
    var refusals = badFiles.refusals()
    refusals.reasons.merge(task.refusals.reasons) { $1 }
    refusals.reasonForAll = task.refusals.reasonForAll
    workers[index].begin(task, refusing: refusals)
  }

  /// Waits for an event: a result, readable input, or the end of the interval.
  /// - Parameters:
  ///   - stream: A stream to wait for as well.
  ///   - isBrief: Whether to return soon even if no input is being read.
  /// - Returns: The results of inputs that are finished.
  mutating func wait(for stream: Int32?, isBrief: Bool) -> [(BatchTask, BatchResult)] {
    let ready = waitForAny(
      readable: workers.map(\.output) + [stream],
      writable: workers.map { $0.hasUnsentInput ? $0.input : nil },
      milliseconds: isBusy || isBrief ? Int32(Self.tick) : -1)
    var finished: [(BatchTask, BatchResult)] = []
    for index in workers.indices where failure == nil {
      if ready.writable[index] { workers[index].flush() }
      if ready.readable[index] { finished += receive(from: index) }
    }
    checkLimits()
    return finished
  }

  private mutating func receive(from index: Int) -> [(BatchTask, BatchResult)] {
    var finished: [(BatchTask, BatchResult)] = []
    for event in workers[index].receive(limit: limits.resultSize) {
      switch event {
      case .problem(let path, let message):
        if badPaths.insert(path).inserted { problems.append((path, message)) }
      case .finished(let task, let result):
        if let end = finish(task, result, in: index) { finished.append(end) }
      case .ended:
        if let end = replace(index) { finished.append(end) }
        return finished
      }
    }
    return finished
  }

  // MARK: Limits

  private mutating func checkLimits() {
    let now = monotonicMilliseconds()
    guard now - lastTick >= Self.tick else { return }
    let passed = min(now - lastTick, Self.maximumTick)
    lastTick = now
    for index in workers.indices where workers[index].task != nil {
      workers[index].checkProgress(passed: passed, limit: Self.idleFactor * limits.seconds * 1000)
      if workers[index].memory > limits.memory { workers[index].end(because: .memory) }
      workers[index].killIfDue(now)
    }
  }

  /// Handles the end of an input or of a single look-up.
  /// - Returns: The result; nil when the input is read again.
  private mutating func finish(
    _ task: BatchTask, _ result: BatchResult, in index: Int
  ) -> (BatchTask, BatchResult)? {
    let worker = workers[index]
    replaceIfExhausted(index)
    guard let suspect = task.suspect else { return (task, result) }
    guard failure == nil, let next = next(after: suspect, nil, of: worker, task) else {
      return (task, suspect.exit.result(of: worker))
    }
    begin(next, in: index)
    return nil
  }

  /// Replaces an idle worker that was told to terminate after it had finished its input, or whose memory has grown
  /// because of open debug files: before it fails an input.
  private mutating func replaceIfExhausted(_ index: Int) {
    let worker = workers[index]
    let isLarge = worker.served % Self.memoryCheckInterval == 0 && worker.memory > limits.memory / 2
    if worker.overrun != nil || isLarge { _ = replace(index, isForced: worker.overrun != nil) }
  }

  // MARK: Failures

  /// Replaces a worker, which may be dead already, and gives the new one the same input. An idle one may finish first.
  /// - Returns: The input and why it has no result, when it isn't tried again.
  private mutating func replace(_ index: Int, isForced: Bool = true) -> (BatchTask, BatchResult)? {
    var old = workers[index]
    let end = old.close(isForced: isForced)
    if !isForced { sightings += old.result.sightings }
    failedStarts = old.isReady ? 0 : failedStarts + 1
    let exit = WorkerExit(of: old, end: end, limits: limits)
    do throws(SystemError) {
      if failedStarts == Self.maximumFailedStarts {
        failure = "worker processes exit immediately, \(exit.text)"
      }
      workers[index] = try start()
    } catch {
      failure = "cannot start a worker process: \(error.reason)"
      workers.remove(at: index)
    }
    guard let task = old.task else { return nil }
    guard failure == nil, let next = next(after: exit, of: old, task) else {
      return (task, exit.result(of: old))
    }
    begin(next, in: index)
    return nil
  }

  /// The task with which to retry an input: in a new worker, without one debug file, or without any; nil when no retry
  /// can help.
  private mutating func next(after exit: WorkerExit, of worker: Worker, _ task: BatchTask) -> BatchTask? {
    if let suspect = task.suspect { return next(after: suspect, exit, of: worker, task) }
    var task = task
    // Earlier inputs may have corrupted or filled its memory, so no file is blamed yet.
    if worker.served > 0, exit.mayBeCausedByEarlierInputs, !task.isRetry {
      task.isRetry = true
      return task
    }
    task.isRetry = false
    if let lookup = worker.lastLookup, task.refusals.reasons[lookup.binary] == nil,
      task.refusals.reasons.count < Self.maximumRefusals
    {
      task.suspect = .init(lookup: lookup, exit: exit, name: worker.result.name)
      return task
    }
    return bare(task, after: exit, worker.result.name)
  }

  /// Evaluates a single look-up: a debug file that crashes a second worker is to blame. Otherwise it stays available to
  /// other inputs.
  ///
  /// - Parameters:
  ///   - suspect: The look-up, and the first crash in it.
  ///   - exit: The second crash; nil when the look-up succeeded.
  ///   - worker: The worker that looked up.
  ///   - task: The input.
  /// - Returns: The task with which to read the input next.
  private mutating func next(
    after suspect: BatchTask.Suspect, _ exit: WorkerExit?, of worker: Worker, _ task: BatchTask
  ) -> BatchTask? {
    var task = task
    task.suspect = nil
    let binary = suspect.lookup.binary
    if let exit, !exit.isFromOutside, worker.lastLookup?.binary == binary {
      if badFiles.add(binary, reason: exit.reason) { problems.append((binary.path, exit.reason)) }
      task.refusals.reasons[binary] = exit.reason
      return task
    }
    if suspect.exit.isOverrun { return bare(task, after: suspect.exit, suspect.name) }
    problems.append((suspect.name, "read without \(binary.path): \(suspect.exit.reason)"))
    task.refusals.reasons[binary] = suspect.exit.reason
    return task
  }

  /// The task to read an input without any debug file; nil when that was tried.
  private mutating func bare(_ task: BatchTask, after exit: WorkerExit, _ name: String) -> BatchTask? {
    guard task.refusals.reasonForAll == nil else { return nil }
    var task = task
    task.refusals.reasonForAll = exit.reasonForAll
    problems.append((name, "read without debug files: the worker process ended \(exit.text)"))
    return task
  }

  /// Problems found since the last call.
  mutating func takeProblems() -> [Problem] {
    defer { problems = [] }
    return problems
  }

  /// Debug files that crashed workers since the last call.
  mutating func takeNewBadFiles() -> [BadDebugFiles.Entry] { badFiles.takeChanges() }

  /// Closes all workers.
  /// - Parameter isForced: Whether to kill them instead of letting them finish.
  /// - Returns: The sightings that they hadn't sent yet.
  @discardableResult
  mutating func close(isForced: Bool) -> [[UInt8]] {
    // One worker suffices: all have opened the same files.
    if !isForced, let first = workers.indices.first {
      var message: [UInt8] = []
      message.appendMessage(.makeCaches)
      workers[first].send(message)
    }
    for index in workers.indices { _ = workers[index].close(isForced: isForced) }
    if !isForced { sightings += workers.flatMap(\.result.sightings) }
    defer { (workers, sightings) = ([], []) }
    return sightings
  }
}
