internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSymbolication
internal import CrashReadSystem

/// Reads inputs in workers, and hands on their results in the order of the inputs.
package struct BatchLoop {
  /// What happens on the way.
  package enum Event {
    /// An input that an earlier run has read, and that isn't read again.
    case known
    /// Something is wrong with a file.
    case complaint(file: String, message: String)
    /// What came of an input.
    ///
    /// - isPassedOver: Whether it was found in a directory and holds no report, so that nothing is said of it.
    case result(BatchResult, isPassedOver: Bool)
  }

  /// Where the inputs come from.
  package private(set) var source: any InputSource
  private var pool: WorkerPool
  private var order: ResultOrder
  private let memory: BatchMemory?
  private var output: BatchOutput
  private var lesson: BatchLesson?
  /// What earlier runs have read; nil when nothing is remembered.
  package let state: BatchState?
  /// Inputs that were begun and whose results aren't handed on yet, by their position.
  private var begun: [Int: Begun] = [:]
  private var hasMore = true

  private struct Begun {
    /// Whether it says nothing when it holds no report.
    var isFound: Bool
    /// What the state is to know it by.
    var known: BatchMemory.Known
  }

  /// Opens what a batch needs, and starts its workers.
  /// - Parameters:
  ///   - settings: How to read.
  ///   - source: The inputs.
  ///   - count: How many inputs there are; nil when that isn't known.
  /// - Throws: `BatchError` when a worker can't be started, or the state or the output not be used.
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
    lesson = try BatchLesson(settings)
    order = ResultOrder(window: max(64, 16 * settings.maximumWorkers))
    do throws(SystemError) {
      pool = try WorkerPool(
        count: settings.workerCount(for: count), limits: settings.inputLimits, badFiles: badFiles,
        start: workerStart(settings))
    } catch {
      throw BatchError(message: "cannot start a worker: \(error.reason)")
    }
  }

  /// How many inputs were passed over that lacked debug files when they were read.
  package var waiting: Int { state?.waiting ?? 0 }
  /// What was learnt, and the file it is kept in; nil when nothing was to be.
  package var learnt: (path: String, lesson: SymbolMemory.Lesson)? { lesson.map { ($0.path, $0.total) } }

  /// Reads all inputs.
  /// - Parameter take: Is told what happens; the batch ends when it throws, and what it threw for is not remembered.
  /// - Throws: `BatchError`, or what `take` throws.
  package mutating func run(_ take: (Event) throws -> Void) throws {
    let result = Result {
      try readAll(take)
      try output.commit(pool.takeNewBadFiles(), isLast: true)
      try output.close()
      try lesson?.end()
    }
    try? complain(take)
    pool.close(isForced: (try? result.get()) == nil)
    try result.get()
  }

  private mutating func readAll(_ take: (Event) throws -> Void) throws {
    while true {
      let isWaiting = try beginInputs(take)
      try handOn(take)
      if let message = pool.failure { throw BatchError(message: message) }
      if pool.isBusy || isWaiting {
        let stream = isWaiting ? source.descriptor : nil
        for (task, result) in pool.wait(for: stream, isBrief: output.isBehind) {
          order.put(result, at: task.position)
        }
      } else if !hasMore, order.isEmpty {
        return
      }
    }
  }

  /// Gives every worker something to do.
  /// - Returns: Whether a stream of inputs keeps one waiting.
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

  private mutating func handOn(_ take: (Event) throws -> Void) throws {
    while let (position, taken) = order.take() {
      var result = taken
      let origin = begun.removeValue(forKey: position)
      let known = origin?.known ?? .init()
      let isPassedOver = result.outcome == .noReport && origin?.isFound == true
      // What is no better than before was written before.
      let isBetter = known.unresolved.map { result.unresolved < $0 } ?? true
      if isPassedOver || !isBetter { result.lines = [] }
      result.key = known.keys.first.map(hexDigits)
      try lesson?.add(result.sightings)
      try output.write(result.lines)
      try take(.result(result, isPassedOver: isPassedOver))
      output.remember(result, known, isBetter: isBetter)
    }
    try output.commit(pool.takeNewBadFiles(), isLast: false)
    try complain(take)
  }

  private mutating func complain(_ take: (Event) throws -> Void) throws {
    for (file, message) in pool.takeComplaints() { try take(.complaint(file: file, message: message)) }
  }
}

/// Why a batch can't begin, or ends before its time.
public struct BatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file that something is wrong with; nil when it is none.
  public var file: String?
  /// What is wrong.
  public var message: String

  /// The file and what is wrong with it.
  public var description: String { (file.map { $0 + ": " } ?? "") + message }

  package init(file: String? = nil, message: String) { (self.file, self.message) = (file, message) }
}

/// Inputs, each as soon as it is known.
package protocol InputSource {
  mutating func next() -> NextInput
  /// The stream that more may come from; nil when none is open.
  var descriptor: Int32? { get }
}

/// What a source of inputs has.
package enum NextInput {
  case input(BatchInput)
  /// A stream has nothing yet.
  case wait
  case end
}
