internal import CrashRead
internal import CrashReadReports

/// One thing that `batch` reads.
struct BatchInput: Sendable {
  enum Source: Sendable {
    /// The file by the input's name.
    case file
    /// These bytes, which a file of that name had.
    case bytes([UInt8])
    /// A line with a report and its name.
    case record([UInt8])
    /// Nothing: why it can't be read is known already.
    case unread(UnreadInput)
  }

  /// What output calls it: a path, or the place of a record, which has a name of its own.
  var name: String
  var source: Source
  /// Whether it was found in a directory: one that holds no report is passed over then.
  var isFound = false

  static func unreadable(_ name: String, _ message: String) -> BatchInput {
    BatchInput(
      name: name, source: .unread(UnreadInput(input: name, kind: .unreadable, message: message)))
  }
}

/// How the reading of an input went; raw values are those of messages.
enum BatchOutcome: UInt8, Sendable {
  case read, unread
  /// The input holds no report, and may be something else.
  case noReport
}

/// What came of one input.
struct BatchResult: Sendable {
  /// What output calls the input.
  var name: String
  /// Lines of the result, each with its end.
  var lines: [UInt8] = []
  /// What grouping needs of each report.
  var occurrences: [[UInt8]] = []
  /// How many frames of the app wait for a debug file; an input that could not be read to its end waits for another time.
  var unresolved = 0
  /// What its reports say of the system's functions, as `SightingLines` writes it.
  var sightings: [[UInt8]] = []
  var outcome = BatchOutcome.read
}

/// A record of `--records`: an object with `report`, a report as text or as JSON object, or `path`, its file; and `id`.
struct BatchRecord {
  enum Content {
    case report([UInt8]), path(String), nothing
  }

  /// nil when the record has none.
  var id: String?
  var content = Content.nothing

  init(_ line: [UInt8]) {
    guard let record = JSONValue(document: line) else { return }
    for (name, value) in record.members {
      switch name {
      case "id": id = value.isString ? value.string ?? "" : value.text ?? id
      case "report" where value.isObject: content = .report(Array(value.bytes))
      case "report" where value.isString: content = .report(Array((value.string ?? "").utf8))
      case "path" where value.isString:
        if case .nothing = content { content = .path(value.string ?? "") }
      default: break
      }
    }
  }
}
