internal import CrashRead
internal import CrashReadCore
public import CrashReadDiagnosis
package import CrashReadRendering

/// One thing that a batch reads.
public struct BatchInput: Sendable {
  package enum Source: Sendable {
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
  public var name: String
  package var source: Source
  /// Whether it was found in a directory: one that holds no report is passed over then.
  package var isFound = false

  package init(name: String, source: Source, isFound: Bool = false) {
    (self.name, self.source, self.isFound) = (name, source, isFound)
  }

  /// A file, or a result bundle of Xcode's, which goes by its path.
  public init(path: String) { self.init(name: path, source: .file) }

  /// The contents of a report file, in any format known.
  public init(_ bytes: [UInt8], name: String) { self.init(name: name, source: .bytes(bytes)) }

  static func unreadable(_ name: String, _ message: String) -> BatchInput {
    BatchInput(
      name: name, source: .unread(UnreadInput(input: name, kind: .unreadable, message: message)))
  }
}

/// How the reading of an input went; raw values are those of messages.
package enum BatchOutcome: UInt8, Sendable {
  case read, unread
  /// The input holds no report, and may be something else.
  case noReport
}

/// What came of one input.
public struct BatchResult: Sendable {
  /// What output calls the input.
  public var name: String
  /// Lines of the result, each with its end.
  package var lines: [UInt8] = []
  /// What grouping needs of each report, as `occurrenceJSON` writes it.
  package var occurrences: [[UInt8]] = []
  /// How many frames of the app wait for a debug file; an input that could not be read to its end waits for another time.
  package var unresolved = 0
  /// What its reports say of the system's functions, as `SightingLines` writes it.
  var sightings: [[UInt8]] = []
  package var outcome = BatchOutcome.read
  /// What the state knows the input's bytes by, the same in every run; nil without a state.
  public internal(set) var key: String?

  package init(name: String, lines: [UInt8] = [], outcome: BatchOutcome = .read) {
    (self.name, self.lines, self.outcome) = (name, lines, outcome)
  }

  /// A line of JSON for each report, or one that says why there is none (crashread-json(5)). None when the input was read
  /// before, and no more is known now.
  public var json: String { String(decoding: lines, as: UTF8.self) }

  /// What is known of each report: enough to store, and to group by.
  public var reports: [CrashOccurrence] { occurrences.compactMap { CrashOccurrence(encoded: $0) } }

  /// Whether the input could be read, and holds reports.
  public var isRead: Bool { outcome == .read }
}

/// A record of a stream: an object with `report`, a report as text or as JSON object, or `path`, its file; and `id`.
package struct BatchRecord {
  package enum Content {
    case report([UInt8]), path(String), nothing
  }

  /// nil when the record has none.
  package var id: String?
  package var content = Content.nothing

  package init(_ line: [UInt8]) {
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
