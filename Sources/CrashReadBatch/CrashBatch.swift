internal import CrashRead
internal import CrashReadCore
public import CrashReadDiagnosis

/// Reads any number of reports, each in a worker, and gives their results in order.
///
/// With a state an input is read once, under whatever name it comes again. Where workers are processes, a report or a
/// debug file that ends one costs nothing but its own result.
public struct CrashBatch {
  private let settings: BatchSettings

  /// A batch with its settings; nothing is opened or started yet.
  public init(_ settings: BatchSettings) { self.settings = settings }

  /// Reads inputs to their end.
  ///
  /// - Parameters:
  ///   - inputs: Files or bytes; the next one is asked for when a worker has nothing to do.
  ///   - take: Is given the result of each, in the order of the inputs; not of those that the state says were read before.
  ///     When it throws, the batch ends. With a state a result counts as done after `take` has returned: one that was being
  ///     taken when the process was killed is given again by the next run, with the same `key`.
  /// - Throws: `BatchError` when a worker can't be started, or the state or the output not be used; and what `take` throws.
  public func read(_ inputs: some Sequence<BatchInput>, _ take: (BatchResult) throws -> Void) throws {
    var loop = try BatchLoop(settings, SequenceSource(iterator: inputs.makeIterator()))
    try loop.run { event in
      if case .result(let result, _) = event { try take(result) }
    }
  }

  /// The groups of everything that the state remembers, of this run and of those before.
  /// - Throws: `BatchError` when there is no state, or it can't be read.
  public func groups() throws(BatchError) -> CrashGroups {
    guard let path = settings.state else { throw BatchError(message: "the batch has no state") }
    var groups = CrashGroups()
    try BatchState(path: path).forEachOccurrence { groups.add(occurrence: $0) }
    return groups
  }
}

/// A process as the worker of a batch.
public enum BatchWorker {
  /// Makes this process a worker, which ends with the batch, when a batch has started it as one; does nothing otherwise.
  ///
  /// To be called at the start of a program that `WorkerIsolation.processes` names, before it opens or starts anything. From
  /// then on the process's signals, standard input and standard output are the worker's.
  public static func runIfRequested() {
    let words = CommandLine.arguments.suffix(2)
    guard words.count == 2, words.first == WorkerServer.argument, let batch = words.last else { return }
    WorkerServer.runProcess(of: batch)
  }
}

/// Inputs of a sequence, which are there at once.
private struct SequenceSource<Iterator: IteratorProtocol<BatchInput>>: InputSource {
  var iterator: Iterator
  var descriptor: Int32? { nil }

  mutating func next() -> NextInput { iterator.next().map { .input($0) } ?? .end }
}

extension CrashGroups {
  /// Adds a report, as `occurrenceJSON` writes it. One that can't be read was never written by a worker of ours, and counts
  /// as unread.
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
