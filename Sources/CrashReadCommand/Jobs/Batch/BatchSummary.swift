internal import CrashRead
internal import CrashReadBatch
internal import CrashReadDebugInfo
internal import CrashReadSystem

extension SummaryFormat: OptionChoice {
  /// The description of the format in the help.
  var summary: String {
    switch self {
    case .text: "a few lines per group, for a terminal"
    case .json: "one object, for programs: crashread-json(5)"
    case .html: "one page with charts"
    case .markdown: "tables, for release notes"
    }
  }
}

/// Groups the results of a batch, and prints the groups at the end.
struct BatchSummary {
  private let format: SummaryFormat
  private var groups = CrashGroups()

  init(_ format: SummaryFormat) { self.format = format }

  /// Adds reports, each in the form that `occurrenceJSON` writes.
  mutating func add(_ occurrences: [[UInt8]]) {
    for bytes in occurrences { groups.add(occurrence: bytes) }
  }

  /// Adds an input that failed.
  mutating func addUnread() { groups.addUnread() }

  /// Adds the results of earlier runs.
  mutating func addAll(of state: BatchState) throws(BatchError) {
    try state.forEachOccurrence { groups.add(occurrence: $0) }
  }

  /// Adds the result file of an earlier batch line by line, since it may be larger than memory.
  private mutating func addAll(ofResult file: borrowing OwnedDescriptor) throws(SystemError) {
    var lines = LineReader(
      descriptor: file.number, separator: UInt8(ascii: "\n"), limit: InputLimits().resultSize)
    while true {
      switch lines.next() {
      case .line(let line): if !line.isEmpty { add([line]) }
      case .tooLong: groups.addUnread()
      case .wait: continue
      case .end: return
      case .failed(let error): throw error
      }
    }
  }

  /// Adds the contents of a state or result file of an earlier batch.
  mutating func addAll(in path: String) throws(BatchError) {
    do throws(SystemError) {
      let file = try OwnedDescriptor(reading: path)
      guard try FileStatus(descriptor: file.number).kind == .file else { throw .notAFile }
      if !fileBegins(path, with: Array("SQLite format 3".utf8)) { return try addAll(ofResult: file) }
    } catch {
      throw BatchError(file: path, message: "cannot read the file: \(error.description)")
    }
    do throws(BatchError) {
      try addAll(of: try BatchState(path: path))
    } catch {
      throw BatchError(message: "--state: \(error.message)")
    }
  }

  /// Prints the groups, or their comparison with those of an earlier batch.
  /// - Returns: Whether there is a new crash.
  func write(_ options: Options, to console: inout Console) throws(BatchError) -> Bool {
    let surface = console.surface(options)
    var style = RenderingStyle()
    style.isColored = surface.isColored
    style.width = surface.textWidth
    style.language = options.language ?? console.environment.language
    guard let path = options.against else {
      console.write(format.text(groups, style: style))
      return false
    }
    var earlier = BatchSummary(format)
    try earlier.addAll(in: path)
    let comparison = CrashComparison(
      before: earlier.groups, now: groups, sessions: try options.sessions.map(sessionCounts))
    console.write(format.text(comparison, style: style))
    return comparison.hasNew
  }
}

private func sessionCounts(_ path: String) throws(BatchError) -> SessionCounts {
  do {
    return try SessionCounts(String(decoding: try readFile(path, limit: 64 << 20), as: UTF8.self))
  } catch let error as SessionCounts.Malformed {
    throw BatchError(
      file: path,
      message: "line \(error.line): expected a version, a system and a number, with tabs between them")
  } catch {
    throw BatchError(file: path, message: "cannot read the file: \(error)")
  }
}

extension Options {
  /// Separates result files of earlier batches from the operands; they are recognised by their first line.
  mutating func takeResults() -> [String] {
    let head = Array("{\"schemaVersion\":".utf8)
    let results = operands.filter { path in
      (try? fileKind(path)) == .file && fileBegins(path, with: head)
    }
    operands.removeAll { results.contains($0) }
    return results
  }
}
