internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// Where the results of a batch go, in order, and what a state is told of them.
struct BatchOutput {
  /// Nil for standard output.
  private let path: String?
  private var plain: OutputStream?
  /// Instead of a plain file when there is a state.
  private var appended: AppendedFile?
  private let state: BatchState?
  /// Inputs whose results are written and not committed.
  private var written: [BatchState.Finished] = []
  /// Debug files that have done harm, not committed either.
  private var badFiles: [BadDebugFiles.Entry] = []
  private var lastCommit = monotonicMilliseconds()

  /// After so many milliseconds results are committed: what a kill can undo, and what a disk has to do.
  private static let commitInterval = 200

  init(_ options: Options, _ state: BatchState?) throws(BatchJob.Failure) {
    self.state = state
    let path = options.outputs.isEmpty ? nil : options.targets.map(\.path).first { $0 != "-" }
    self.path = path
    guard let path else { return }
    if let state {
      let last = try BatchJob.Failure.wrap { () throws(SQLite.Failure) in try state.lastOutput() }
      do throws(AppendedFile.Refusal) {
        appended = try AppendedFile(path: path, last: last)
      } catch {
        throw BatchJob.Failure(file: path, message: error.description)
      }
      // From the first byte on, what stands behind this length can be told from what stood before it.
      try commit([], isLast: true)
    } else {
      do throws(SystemError) { plain = try OutputStream(path: path) } catch { throw cannotWrite(error) }
    }
  }

  private func cannotWrite(_ error: SystemError) -> BatchJob.Failure {
    BatchJob.Failure(file: path, message: "cannot write: \(error.reason)")
  }

  /// Writes the lines of an input, at once.
  ///
  /// - Parameters:
  ///   - result: What came of the input; no lines of one that is passed over.
  ///   - known: What the state is to know the input by.
  ///   - console: Standard output.
  /// - Throws: `BatchJob.Failure` when nothing more can be written.
  mutating func write(
    _ result: BatchResult, _ known: BatchMemory.Known, to console: inout Console
  ) throws(BatchJob.Failure) {
    // What is no better than before was written before.
    let isBetter = known.unresolved.map { result.unresolved < $0 } ?? true
    let lines = isBetter ? result.lines : []
    do throws(SystemError) {
      if appended != nil {
        try appended?.write(lines: lines)
      } else if plain != nil {
        plain?.write(bytes: lines)
        plain?.flush()
        if let failure = plain?.failure { throw failure }
      } else if !lines.isEmpty, !console.write(lines: lines) {
        throw SystemError.brokenPipe
      }
    } catch {
      // The console tells its own failures at the end.
      throw path == nil ? BatchJob.Failure() : cannotWrite(error)
    }
    guard state != nil else { return }
    written.append(
      .init(
        keys: known.keys, unresolved: isBetter ? result.unresolved : known.unresolved ?? 0,
        occurrences: isBetter ? result.occurrences : nil))
  }

  /// Whether there is something that the state doesn't remember yet.
  var isBehind: Bool { !written.isEmpty }

  /// Has the state remember what is written, when it is time.
  mutating func commit(_ badFiles: [BadDebugFiles.Entry], isLast: Bool) throws(BatchJob.Failure) {
    guard let state else { return }
    self.badFiles += badFiles
    let now = monotonicMilliseconds()
    guard isLast || now - lastCommit >= Self.commitInterval && !written.isEmpty else { return }
    do throws(SystemError) { try appended?.synchronize() } catch { throw cannotWrite(error) }
    let (inputs, place, entries) = (written, appended?.place, self.badFiles)
    try BatchJob.Failure.wrap { () throws(SQLite.Failure) in
      for input in inputs { try state.finish(input) }
      try state.commit(place, entries)
    }
    (written, self.badFiles) = ([], [])
    lastCommit = now
  }
}

extension BatchJob.Failure {
  /// Does something with a state.
  static func wrap<Result>(_ body: () throws(SQLite.Failure) -> Result) throws(BatchJob.Failure) -> Result {
    do throws(SQLite.Failure) { return try body() } catch {
      throw BatchJob.Failure(message: "--state: \(error)")
    }
  }
}
