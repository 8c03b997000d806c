internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// Tells new inputs from those that this run or an earlier one has read.
struct BatchMemory {
  private let state: BatchState
  private let sizeLimit: Int

  init(_ state: BatchState, sizeLimit: Int) {
    self.state = state
    self.sizeLimit = sizeLimit
  }

  /// The keys under which the state stores an input.
  struct Known {
    /// The key of its contents, then that of its file version if the file is settled; empty when it can't be recognised
    /// again.
    var keys: [BatchState.Key] = []
    /// The number of frames that lacked a debug file in the last run; nil for an input that is read for the first time.
    var unresolved: Int?
  }

  /// The keys of an input that is to be read; nil for one that isn't to be read again.
  ///
  /// The file is read here, so that the bytes that are hashed are those that are analyzed. If that fails, a worker
  /// reports why.
  func known(_ input: inout BatchInput) throws(BatchError) -> Known? {
    try state.run { () throws(SQLite.Failure) -> Known? in
      switch input.source {
      case .unread: return Known()
      case .bytes(let bytes), .record(let bytes): return try begin(bytes)
      case .file:
        // The file names in a result bundle's `Data` are hashes of the contents.
        if ReportContainer.isResultBundle(input.name) {
          return try (try? readFile(input.name + "/Info.plist", limit: sizeLimit)).map(begin) ?? Known()
        }
        guard let before = try? FileStatus(input.name) else { return Known() }
        let fileKey = state.key(before)
        if try state.isDone(fileKey) { return nil }
        guard let bytes = try? readFile(input.name, limit: sizeLimit) else { return Known() }
        input.source = .bytes(bytes)
        let isSettled =
          (try? FileStatus(input.name))?.isUnchanged(since: before) == true
          && before.isSettled(at: FileStatus.nowOfFiles)
        if var known = try begin(bytes) {
          if isSettled { known.keys.append(fileKey) }
          return known
        }
        if isSettled, let unresolved = try state.unresolved(state.key(bytes)) {
          try state.finish(.init(keys: [fileKey], unresolved: unresolved))
        }
        return nil
      }
    }
  }

  private func begin(_ bytes: [UInt8]) throws(SQLite.Failure) -> Known? {
    let key = state.key(bytes)
    let unresolved = try state.unresolved(key)
    return try state.begin(key) ? Known(keys: [key], unresolved: unresolved) : nil
  }
}
