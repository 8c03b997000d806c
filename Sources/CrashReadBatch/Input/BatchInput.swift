internal import CrashRead
internal import CrashReadCore
internal import CrashReadDiagnosis
package import CrashReadRendering
public import CrashReadVerdict

/// One input of a batch.
public struct BatchInput: Sendable {
  package enum Source: Sendable {
    /// The file that the input's name gives.
    case file
    /// These bytes, from a file of that name.
    case bytes([UInt8])
    /// A record of a stream: a line with a report and its name.
    case record([UInt8])
    /// Nothing, since it can't be read for a reason that is already known.
    case unread(UnreadInput)
  }

  /// Its name in the output: a path, or the name and number of a record.
  public var name: String
  var source: Source
  /// Whether it was found in a directory, so that it is skipped silently when it holds no report.
  var isFound = false

  init(name: String, source: Source, isFound: Bool = false) {
    (self.name, self.source, self.isFound) = (name, source, isFound)
  }

  /// A file, or a result bundle of Xcode's, given by its path.
  public init(path: String) { self.init(name: path, source: .file) }

  /// The contents of a report file, in any known format.
  public init(_ bytes: [UInt8], name: String) { self.init(name: name, source: .bytes(bytes)) }

  static func unreadable(_ name: String, _ message: String) -> BatchInput {
    BatchInput(
      name: name, source: .unread(UnreadInput(input: name, kind: .unreadable, message: message)))
  }
}

/// The outcome of reading an input; raw values are those of messages.
package enum BatchOutcome: UInt8, Sendable {
  case read, unread
  /// The input holds no report, and may be something else.
  case noReport
}

/// The result of one input.
public struct BatchResult: Sendable {
  /// Its name in the output.
  public var name: String
  /// The lines of the result, each with its line feed.
  package var lines: [UInt8] = []
  /// What grouping needs of each report, as `occurrenceJSON` writes it.
  package var occurrences: [[UInt8]] = []
  /// The number of the app's frames that lack a debug file; an input that wasn't read completely counts as lacking one.
  var unresolved = 0
  /// The sightings of system functions in the worker's reports since the previous result, as `SightingMessage` encodes
  /// them.
  var sightings: [[UInt8]] = []
  package var outcome = BatchOutcome.read
  /// The key of the input's bytes in the state, the same in every run; nil without a state.
  public internal(set) var key: String?

  package init(name: String, lines: [UInt8] = [], outcome: BatchOutcome = .read) {
    (self.name, self.lines, self.outcome) = (name, lines, outcome)
  }

  /// A line of JSON for each report, or one that says why there is none (crashread-json(5)). Empty when the input was
  /// read before and nothing more is known now.
  public var json: String { String(decoding: lines, as: UTF8.self) }

  /// The occurrences of the reports: enough to store and group them.
  public var reports: [CrashOccurrence] { occurrences.compactMap { CrashOccurrence(encoded: $0) } }

  /// Whether the input could be read and holds reports.
  public var isRead: Bool { outcome == .read }
}

/// A record of a stream: an object with `report`, a report as text or JSON object, or `path`, a file with one; and
/// `id`.
package struct BatchRecord {
  package enum Content {
    case report([UInt8]), path(String), nothing
  }

  /// The record's `id`; nil when it has none.
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
