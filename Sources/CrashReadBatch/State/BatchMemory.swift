internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// Tells inputs that are new from those that this or an earlier run has read.
struct BatchMemory {
  private let state: BatchState
  private let sizeLimit: Int

  init(_ state: BatchState, sizeLimit: Int) {
    self.state = state
    self.sizeLimit = sizeLimit
  }

  /// What the state is to know an input by.
  struct Known {
    /// The key of its content, then that of its file, if that is settled; none when it can't be known again.
    var keys: [BatchState.Key] = []
    /// How many frames waited for a debug file the last time; nil when it is read for the first time.
    var unresolved: Int?
  }

  /// What the state is to know an input by when it has been read; nil when it is not to be read again.
  ///
  /// A file is read here: what is hashed must be what is read. One that can't be is left to a worker, which says why.
  func known(_ input: inout BatchInput) throws(BatchError) -> Known? {
    try state.run { () throws(SQLite.Failure) -> Known? in
      switch input.source {
      case .unread: return Known()
      case .bytes(let bytes), .record(let bytes): return try begin(bytes)
      case .file:
        // What a result bundle's list names is a hash of all that is in it.
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
