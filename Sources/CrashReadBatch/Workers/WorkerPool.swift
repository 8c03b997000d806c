internal import CrashRead
internal import CrashReadSystem

/// The workers of a batch: gives them inputs, and sees to it that each input comes to an end.
///
/// This process waits for all of them in one place, so that a slow one delays no other.
struct WorkerPool {
  /// Starts one more worker.
  private let start: () throws(SystemError) -> Worker
  private let limits: InputLimits
  private var workers: [Worker] = []
  private var badFiles: BadDebugFiles
  /// What is to be told of debug files and inputs, and wasn't yet.
  private var complaints: [Complaint] = []
  /// Places for debug files that can't be used: every worker finds the same ones.
  private var badPlaces: Set<String> = []
  /// Why no worker can be had any more.
  private(set) var failure: String?
  private var lastTick = monotonicMilliseconds()
  private var failedStarts = 0

  /// Something that is wrong with a file.
  typealias Complaint = (file: String, message: String)

  /// How long to wait at most before time and memory are looked at, in milliseconds.
  private static let tick = 100
  /// For so many times as long as an input may use a processor a worker may use none: waiting for a disk, for one.
  private static let patience = 10
  /// What a tick counts at most: this process may have been stopped, or have waited for whoever reads its output.
  private static let longestTick = 1000
  /// After so many inputs the memory of a worker that waits is looked at.
  private static let inspection = 64
  /// An input that ends workers in so many debug files gets none any more.
  private static let maximumRefusals = 8
  /// When so many new workers in a row have died before they were ready, the next would, too.
  private static let maximumFailedStarts = 3

  init(
    count: Int, limits: InputLimits, badFiles: BadDebugFiles,
    start: @escaping () throws(SystemError) -> Worker
  ) throws(SystemError) {
    (self.start, self.limits, self.badFiles) = (start, limits, badFiles)
    for _ in 0..<count { workers.append(try start()) }
  }

  /// Whether a worker waits for something to do.
  var hasIdleWorker: Bool { workers.contains { $0.task == nil } }
  /// Whether any input is being read.
  var isBusy: Bool { workers.contains { $0.task != nil } }

  /// Gives a worker that waits an input.
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

  /// Waits until something has happened: a result, input that can be read, or a moment has passed.
  /// - Parameters:
  ///   - stream: A stream to wait for, too.
  ///   - isBrief: Whether to come back soon even when nothing is being read.
  /// - Returns: What inputs came to an end.
  mutating func wait(for stream: Int32?, isBrief: Bool) -> [(BatchTask, BatchResult)] {
    let ready = waitForAny(
      readable: workers.map(\.output) + [stream], writable: workers.map { $0.isBehind ? $0.input : nil },
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
        if badPlaces.insert(path).inserted { complaints.append((path, message)) }
      case .finished(let task, let result):
        if let end = finish(task, result, in: index) { finished.append(end) }
      case .dead:
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
    let passed = min(now - lastTick, Self.longestTick)
    lastTick = now
    for index in workers.indices where workers[index].task != nil {
      workers[index].checkProgress(passed: passed, limit: Self.patience * limits.seconds * 1000)
      if workers[index].memory > limits.memory { workers[index].end(because: .memory) }
      workers[index].killIfDue(now)
    }
  }

  /// Sees to what comes after an input, or after a look-up alone.
  /// - Returns: The result, when it is one.
  private mutating func finish(
    _ task: BatchTask, _ result: BatchResult, in index: Int
  ) -> (BatchTask, BatchResult)? {
    let worker = workers[index]
    replaceIfSpent(index)
    guard let suspect = task.suspect else { return (task, result) }
    guard failure == nil, let next = next(after: suspect, nil, of: worker, task) else {
      return (task, suspect.death.result(of: worker))
    }
    begin(next, in: index)
    return nil
  }

  /// Replaces a worker that was to end and has finished before it knew; and one that has grown by debug files, which stay
  /// open, before an input has to suffer for it.
  private mutating func replaceIfSpent(_ index: Int) {
    let worker = workers[index]
    let isLarge = worker.served % Self.inspection == 0 && worker.memory > limits.memory / 2
    if worker.overrun != nil || isLarge { _ = replace(index) }
  }

  // MARK: Deaths

  /// Puts a new worker in the place of one, which may be dead already, and gives it the same input once more.
  /// - Returns: The input and why there is no result of it, when it isn't tried again.
  private mutating func replace(_ index: Int) -> (BatchTask, BatchResult)? {
    let old = workers[index]
    let end = old.close(isForced: true)
    failedStarts = old.isReady ? 0 : failedStarts + 1
    let death = WorkerDeath(of: old, end: end, limits: limits)
    do throws(SystemError) {
      if failedStarts == Self.maximumFailedStarts { failure = "worker processes end at once, \(death.text)" }
      workers[index] = try start()
    } catch {
      failure = "cannot start a worker process: \(error.reason)"
      workers.remove(at: index)
    }
    guard let task = old.task else { return nil }
    guard failure == nil, let next = next(after: death, of: old, task) else {
      return (task, death.result(of: old))
    }
    begin(next, in: index)
    return nil
  }

  /// The input again, as far as that can help: in a new worker, without a debug file, or without all.
  private mutating func next(after death: WorkerDeath, of worker: Worker, _ task: BatchTask) -> BatchTask? {
    if let suspect = task.suspect { return next(after: suspect, death, of: worker, task) }
    var task = task
    // What it read before may be what killed it, or filled its memory: no file is blamed yet.
    if worker.served > 0, death.mayBeOfOthers, !task.isAgain {
      task.isAgain = true
      return task
    }
    task.isAgain = false
    if let lookup = worker.lastLookup, task.refusals.reasons[lookup.binary] == nil,
      task.refusals.reasons.count < Self.maximumRefusals
    {
      task.suspect = .init(lookup: lookup, death: death, name: worker.result.name)
      return task
    }
    return bare(task, after: death, worker.result.name)
  }

  /// What a look-up by itself has shown: one that ends a worker again is the debug file's fault. Otherwise nobody else has
  /// to do without the file.
  ///
  /// - Parameters:
  ///   - suspect: The look-up, and the first death in it.
  ///   - death: The second one; nil when the look-up came to an end.
  ///   - worker: The one that looked up.
  ///   - task: The input.
  /// - Returns: The input, as it is read next.
  private mutating func next(
    after suspect: BatchTask.Suspect, _ death: WorkerDeath?, of worker: Worker, _ task: BatchTask
  ) -> BatchTask? {
    var task = task
    task.suspect = nil
    let binary = suspect.lookup.binary
    if let death, !death.isFromOutside, worker.lastLookup?.binary == binary {
      if badFiles.add(binary, reason: death.reason) { complaints.append((binary.path, death.reason)) }
      task.refusals.reasons[binary] = death.reason
      return task
    }
    if suspect.death.isOverrun { return bare(task, after: suspect.death, suspect.name) }
    complaints.append((suspect.name, "read without \(binary.path): \(suspect.death.reason)"))
    task.refusals.reasons[binary] = suspect.death.reason
    return task
  }

  /// The input without any debug file; nil when that was tried.
  private mutating func bare(_ task: BatchTask, after death: WorkerDeath, _ name: String) -> BatchTask? {
    guard task.refusals.reasonForAll == nil else { return nil }
    var task = task
    task.refusals.reasonForAll = death.reasonForAll
    complaints.append((name, "read without debug files: the worker process ended \(death.text)"))
    return task
  }

  /// What has become known since the last call.
  mutating func takeComplaints() -> [Complaint] {
    defer { complaints = [] }
    return complaints
  }

  /// Debug files that have done harm since the last call.
  mutating func takeNewBadFiles() -> [BadDebugFiles.Entry] { badFiles.takeChanges() }

  /// Ends all workers.
  /// - Parameter isForced: Whether to end them at once, instead of when they have nothing more to do.
  mutating func close(isForced: Bool) {
    // One is enough: they have opened the same files.
    if !isForced, let first = workers.indices.first {
      var message: [UInt8] = []
      message.appendMessage(.makeCaches)
      workers[first].send(message)
    }
    for worker in workers { _ = worker.close(isForced: isForced) }
    workers = []
  }
}
