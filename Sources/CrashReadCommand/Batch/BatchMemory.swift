internal import CrashRead
internal import CrashReadDebugInfo
private import Glibc

/// Tells inputs that are new from those that this or an earlier run has read.
struct BatchMemory {
  private let state: BatchState
  private let sizeLimit: Int

  /// Nanoseconds after which a change would show in a file's time: file systems count in steps.
  private static let settled: Int64 = 2_000_000_000

  init(_ state: BatchState, sizeLimit: Int) {
    self.state = state
    self.sizeLimit = sizeLimit
  }

  /// What the state is to know an input by when it has been read; nil when it was read before.
  ///
  /// A file is read here: what is hashed must be what is read. One that can't be is left to a worker, which says why.
  func keys(of input: inout BatchInput) throws(BatchJob.Failure) -> [BatchState.Key]? {
    try BatchJob.Failure.wrap { () throws(SQLite.Failure) -> [BatchState.Key]? in
      switch input.source {
      case .unread: return []
      case .bytes(let bytes), .record(let bytes): return try begin(bytes)
      case .file:
        // What a result bundle's list names is a hash of all that is in it.
        if ReportContainer.isResultBundle(input.name) {
          return try (try? readFile(input.name + "/Info.plist", limit: sizeLimit)).map(begin) ?? []
        }
        guard let before = FileVersion(of: input.name) else { return [] }
        let fileKey = state.key(before)
        if try state.isDone(fileKey) { return nil }
        guard let bytes = try? readFile(input.name, limit: sizeLimit) else { return [] }
        input.source = .bytes(bytes)
        let isSettled =
          FileVersion(of: input.name) == before
          && before.changed < Moment.now.nanoseconds - Self.settled
        if let keys = try begin(bytes) { return isSettled ? keys + [fileKey] : keys }
        if isSettled, try state.isDone(state.key(bytes)) { try state.finish([fileKey], []) }
        return nil
      }
    }
  }

  private func begin(_ bytes: [UInt8]) throws(SQLite.Failure) -> [BatchState.Key]? {
    let key = state.key(bytes)
    return try state.begin(key) ? [key] : nil
  }
}
