internal import CrashReadSystem

/// Writes results to a file in order, and commits them to the state.
struct BatchOutput {
  /// The path; nil when the results are delivered elsewhere.
  private let path: String?
  private var plain: OutputStream?
  /// Used instead of a plain file when there is a state.
  private var appended: AppendedFile?
  private let state: BatchState?
  /// Inputs whose results are written, but not committed.
  private var finished: [BatchState.Finished] = []
  /// Debug files that crashed workers, not committed yet.
  private var badFiles: [BadDebugFiles.Entry] = []
  private var lastCommit = monotonicMilliseconds()

  /// The interval in milliseconds at which results are committed: it bounds what a kill undoes, and how often the disk
  /// syncs.
  private static let commitInterval = 200

  init(path: String?, _ state: BatchState?) throws(BatchError) {
    self.state = state
    self.path = path
    guard let path else { return }
    if let state {
      let last = try state.lastOutput()
      do throws(AppendedFile.Refusal) {
        appended = try AppendedFile(path: path, last: last)
      } catch {
        throw BatchError(file: path, message: error.description)
      }
      // From the first byte on, the state must have the length before this run, to detect what was written after a
      // commit.
      try commit([], isLast: true)
    } else {
      do throws(SystemError) { plain = try OutputStream(path: path) } catch { throw cannotWrite(error) }
    }
  }

  private func cannotWrite(_ error: SystemError) -> BatchError {
    BatchError(file: path, message: "cannot write: \(error.reason)")
  }

  /// Writes the lines of an input immediately.
  mutating func write(_ lines: [UInt8]) throws(BatchError) {
    do throws(SystemError) {
      try appended?.write(lines: lines)
      plain?.write(bytes: lines)
      plain?.flush()
      if let failure = plain?.failure { throw failure }
    } catch {
      throw cannotWrite(error)
    }
  }

  /// Records for the state that an input is finished.
  ///
  /// - Parameters:
  ///   - result: The result of the input.
  ///   - known: The keys under which the state stores it.
  ///   - isBetter: Whether more is known of it than before.
  mutating func remember(_ result: BatchResult, _ known: BatchMemory.Known, isBetter: Bool) {
    guard state != nil else { return }
    finished.append(
      .init(
        keys: known.keys, unresolved: isBetter ? result.unresolved : known.unresolved ?? 0,
        occurrences: isBetter ? result.occurrences : nil))
  }

  /// Closes the file.
  mutating func close() throws(BatchError) {
    do throws(SystemError) { try plain?.close() } catch { throw cannotWrite(error) }
  }

  /// Whether there are results that the state hasn't committed.
  var hasUncommittedResults: Bool { !finished.isEmpty }

  /// Commits the results to the state when it is time.
  mutating func commit(_ badFiles: [BadDebugFiles.Entry], isLast: Bool) throws(BatchError) {
    guard let state else { return }
    self.badFiles += badFiles
    let now = monotonicMilliseconds()
    guard isLast || now - lastCommit >= Self.commitInterval && !finished.isEmpty else { return }
    do throws(SystemError) { try appended?.synchronize() } catch { throw cannotWrite(error) }
    let (inputs, end, entries) = (finished, appended?.end, self.badFiles)
    try state.run { () throws(SQLite.Failure) in
      for input in inputs { try state.finish(input) }
      try state.commit(end, entries)
    }
    (finished, self.badFiles) = ([], [])
    lastCommit = now
  }
}
