internal import CrashRead
internal import CrashReadCore
internal import CrashReadDiagnosis
public import CrashReadVerdict

/// Reads any number of reports in workers and delivers their results in order.
///
/// With a state, each input is read once, whatever its name. With worker processes, a report or a debug file that
/// crashes one costs only its own result.
public struct CrashBatch {
  private let settings: BatchSettings

  /// A batch with these settings; nothing is opened or started yet.
  public init(_ settings: BatchSettings) { self.settings = settings }

  /// Reads all inputs.
  ///
  /// - Parameters:
  ///   - inputs: Files or bytes; the next one is requested when a worker is idle.
  ///   - take: Receives the results in the order of the inputs, except of inputs that the state has recorded. When it
  ///     throws, the batch ends. With a state, a result counts as done once `take` has returned: one that was being
  ///     taken when the process was killed is delivered again by the next run, with the same `key`.
  /// - Throws: `BatchError` when a worker can't be started, or the state or the output can't be used; and what `take`
  ///   throws.
  public func read(_ inputs: some Sequence<BatchInput>, _ take: (BatchResult) throws -> Void) throws {
    var loop = try BatchLoop(settings, SequenceSource(iterator: inputs.makeIterator()))
    try loop.run { event in
      if case .result(let result, _) = event { try take(result) }
    }
  }

  /// The groups of all reports in the state, from this run and earlier ones.
  /// - Throws: `BatchError` when there is no state, or it can't be read.
  public func groups() throws(BatchError) -> CrashGroups {
    guard let path = settings.state else { throw BatchError(message: "the batch has no state") }
    var groups = CrashGroups()
    try BatchState(path: path).forEachOccurrence { groups.add(occurrence: $0) }
    return groups
  }
}

/// The worker side of a batch, for programs that batches start.
public enum BatchWorker {
  /// Turns this process into a worker until the batch ends if a batch has started it as one; otherwise returns at once.
  ///
  /// Call this at the start of a program that `WorkerIsolation.processes` names, before it opens or starts anything.
  /// From then on the process's signals, standard input and standard output belong to the worker.
  public static func runIfRequested() {
    let arguments = CommandLine.arguments.suffix(2)
    guard arguments.count == 2, arguments.first == WorkerServer.argument, let batch = arguments.last else {
      return
    }
    WorkerServer.runProcess(of: batch)
  }
}

/// Inputs of a sequence, which are available at once.
private struct SequenceSource<Iterator: IteratorProtocol<BatchInput>>: InputSource {
  var iterator: Iterator
  var descriptor: Int32? { nil }

  mutating func next() -> NextInput { iterator.next().map { .input($0) } ?? .end }
}

extension CrashGroups {
  /// Adds a report in the form that `occurrenceJSON` writes. One that can't be decoded counts as unread.
  package mutating func add(occurrence bytes: [UInt8]) {
    if let occurrence = CrashOccurrence(encoded: bytes) { add(occurrence) } else { addUnread() }
  }
}

extension CrashOccurrence {
  /// Reads what `occurrenceJSON` writes.
  init?(encoded bytes: [UInt8]) {
    guard let result = JSONValue(document: bytes) else { return nil }
    self.init(result: result)
  }
}
