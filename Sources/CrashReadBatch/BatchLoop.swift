internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSymbolication
internal import CrashReadSystem

/// Reads inputs in workers and delivers their results in the order of the inputs.
package struct BatchLoop {
  /// An event of which the caller is notified.
  package enum Event {
    /// An input that an earlier run has read, and that isn't read again.
    case known
    /// A problem with a file.
    case problem(file: String, message: String)
    /// The result of an input.
    ///
    /// - isSkipped: Whether it was found in a directory and holds no report, so that it isn't mentioned.
    case result(BatchResult, isSkipped: Bool)
  }

  /// The source of the inputs.
  package private(set) var source: any InputSource
  private var pool: WorkerPool
  private var order: ResultOrder
  private let memory: BatchMemory?
  private var output: BatchOutput
  private var learning: BatchLearning?
  /// The record of earlier runs; nil without a state.
  package let state: BatchState?
  /// Inputs that were begun and whose results haven't been delivered, by position.
  private var begun: [Int: Begun] = [:]
  private var hasMore = true

  private struct Begun {
    /// Whether it is skipped silently if it holds no report.
    var isFound: Bool
    /// The keys under which the state stores it.
    var known: BatchMemory.Known
  }

  /// Opens the state and the output, and starts the workers.
  /// - Parameters:
  ///   - settings: The settings.
  ///   - source: The inputs.
  ///   - count: How many inputs there are; nil when unknown.
  /// - Throws: `BatchError` when a worker can't be started, or the state or the output can't be used.
  package init(
    _ settings: BatchSettings, _ source: any InputSource, count: Int? = nil
  ) throws(BatchError) {
    self.source = source
    var badFiles = BadDebugFiles()
    state = try settings.state.map { (path) throws(BatchError) in
      try BatchState(path: path, retriesUnresolved: settings.retriesUnresolved)
    }
    if let state { badFiles = BadDebugFiles(try state.badFiles()) }
    memory = state.map { BatchMemory($0, sizeLimit: settings.limits.reportSize) }
    output = try BatchOutput(path: settings.output, state)
    learning = try BatchLearning(settings)
    order = ResultOrder(window: max(64, 16 * settings.maximumWorkers))
    do throws(SystemError) {
      pool = try WorkerPool(
        count: settings.workerCount(for: count), limits: settings.inputLimits, badFiles: badFiles,
        start: workerStart(settings))
    } catch {
      throw BatchError(message: "cannot start a worker: \(error.reason)")
    }
  }

  /// The number of inputs that were skipped although they lacked debug files.
  package var waiting: Int { state?.waiting ?? 0 }
  /// What was learned, and the file in which it is stored; nil when nothing is learned.
  package var learned: (path: String, learning: SymbolMemory.LearningResult)? {
    learning.map { ($0.path, $0.total) }
  }

  /// Reads all inputs.
  /// - Parameter take: Called for each event; when it throws, the batch ends, and that result isn't recorded as done.
  /// - Throws: `BatchError`, or what `take` throws.
  package mutating func run(_ take: (Event) throws -> Void) throws {
    let result = Result {
      try readAll(take)
      try output.commit(pool.takeNewBadFiles(), isLast: true)
      try output.close()
      try learning?.add(pool.close(isForced: false))
      try learning?.end()
    }
    try? deliverProblems(take)
    pool.close(isForced: (try? result.get()) == nil)
    try result.get()
  }

  private mutating func readAll(_ take: (Event) throws -> Void) throws {
    while true {
      let isWaiting = try beginInputs(take)
      try deliverResults(take)
      if let message = pool.failure { throw BatchError(message: message) }
      if pool.isBusy || isWaiting {
        let stream = isWaiting ? source.descriptor : nil
        for (task, result) in pool.wait(for: stream, isBrief: output.hasUncommittedResults) {
          order.put(result, at: task.position)
        }
      } else if !hasMore, order.isEmpty {
        return
      }
    }
  }

  /// Gives each idle worker an input.
  /// - Returns: Whether a worker stays idle because a stream of inputs has no input yet.
  private mutating func beginInputs(_ take: (Event) throws -> Void) throws -> Bool {
    while hasMore, pool.hasIdleWorker, order.hasRoom {
      switch source.next() {
      case .end: hasMore = false
      case .wait: return true
      case .input(let input): try begin(input, take)
      }
    }
    return false
  }

  private mutating func begin(_ input: BatchInput, _ take: (Event) throws -> Void) throws {
    if case .unread(let unread) = input.source {
      order.put(BatchResult(unread), at: order.begin())
      return
    }
    var input = input
    var known = BatchMemory.Known()
    if let memory {
      guard let new = try memory.known(&input) else { return try take(.known) }
      known = new
    }
    let position = order.begin()
    begun[position] = Begun(isFound: input.isFound, known: known)
    pool.begin(BatchTask(position: position, input: input))
  }

  private mutating func deliverResults(_ take: (Event) throws -> Void) throws {
    while let (position, taken) = order.take() {
      var result = taken
      let origin = begun.removeValue(forKey: position)
      let known = origin?.known ?? .init()
      let isSkipped = result.outcome == .noReport && origin?.isFound == true
      // A result that is no better than that of an earlier run has been written already.
      let isBetter = known.unresolved.map { result.unresolved < $0 } ?? true
      if isSkipped || !isBetter { result.lines = [] }
      result.key = known.keys.first.map(hexDigits)
      try learning?.add(result.sightings)
      try output.write(result.lines)
      try take(.result(result, isSkipped: isSkipped))
      output.remember(result, known, isBetter: isBetter)
    }
    try output.commit(pool.takeNewBadFiles(), isLast: false)
    try deliverProblems(take)
  }

  private mutating func deliverProblems(_ take: (Event) throws -> Void) throws {
    for (file, message) in pool.takeProblems() { try take(.problem(file: file, message: message)) }
  }
}

/// Why a batch can't start, or ends early.
public struct BatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file concerned; nil when it is none.
  public var file: String?
  /// What is wrong.
  public var message: String

  /// The file and what is wrong with it.
  public var description: String { (file.map { $0 + ": " } ?? "") + message }

  package init(file: String? = nil, message: String) { (self.file, self.message) = (file, message) }
}

/// A source of inputs, which delivers each as soon as it is known.
package protocol InputSource {
  mutating func next() -> NextInput
  /// The stream that may deliver more; nil when none is open.
  var descriptor: Int32? { get }
}

/// The next item of a source.
package enum NextInput {
  case input(BatchInput)
  /// The stream has no input yet.
  case wait
  case end
}
