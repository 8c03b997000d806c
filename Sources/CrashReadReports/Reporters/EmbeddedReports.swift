internal import CrashReadCore

/// Finds reports that are strings of a JSON document: the payload of a log record, of a web hook, or of a tracker that
/// keeps the report's text (Rollbar's `crash_report.raw`, Embrace's `emb.payload`, Countly's `_error`).
enum EmbeddedReports {
  private static let maximumDepth = 12
  /// The minimum length of a string that may be a report, in bytes.
  private static let minimumLength = 200

  /// The reports in the strings of a document, up to a few more than `limits` allow.
  static func reports(in document: JSONValue, limits: Limits) -> [CrashReport] {
    var found: [Found] = []
    collect(document, depth: 0, into: &found, limits)
    return found.map { $0.report.embedded(at: $0.path) }
  }

  /// A report, and the JSON pointer of its string.
  private typealias Found = (report: CrashReport, path: String)

  private static func collect(_ value: JSONValue, depth: Int, into found: inout [Found], _ limits: Limits) {
    guard depth < maximumDepth, found.count <= limits.reports else { return }
    if let text = value.anyText, text.utf8.count >= minimumLength {
      // A string inside a report inside a string is that report's own.
      let reports = ReportReader.reports(in: Array(text.utf8), limits: limits, isEmbedded: true)
      found += reports.filter(\.isComplete).map { ($0, "") }
    }
    for (index, element) in value.elements.enumerated() {
      collect(element, named: String(index), depth: depth + 1, into: &found, limits)
    }
    for member in value.members {
      collect(member.value, named: member.name, depth: depth + 1, into: &found, limits)
    }
  }

  /// Collects the reports of a member. Its name is added to their paths only then, since most members have none.
  private static func collect(
    _ value: JSONValue, named name: String, depth: Int, into found: inout [Found], _ limits: Limits
  ) {
    let count = found.count
    collect(value, depth: depth, into: &found, limits)
    for index in count..<found.count { found[index].path = "/\(name)\(found[index].path)" }
  }
}

extension CrashReport {
  /// Whether it is a report, rather than some words about a crash: a document may quote these anywhere.
  fileprivate var isComplete: Bool {
    format != .appleText || !images.isEmpty || header.incident != nil || header.process != nil
  }

  /// The report without its positions, which are those in the string and not in the input, and with a note on where it
  /// was found.
  fileprivate func embedded(at path: String) -> CrashReport {
    var report = self
    report.documentPosition = nil
    for thread in report.threads.indices {
      report.threads[thread].frames.removePositions()
      for entry in report.threads[thread].callTree.indices {
        report.threads[thread].callTree[entry].frame.line = nil
      }
    }
    report.lastExceptionBacktrace.removePositions()
    for index in report.applicationSpecificBacktraces.indices {
      report.applicationSpecificBacktraces[index].removePositions()
    }
    for index in report.images.indices { report.images[index].line = nil }
    for index in report.notes.indices { report.notes[index].line = nil }
    report.notes.append(ReportNote(line: nil, message: "the report is the text of a JSON string, \(path)"))
    return report
  }
}

extension [Frame] {
  fileprivate mutating func removePositions() {
    for index in indices { self[index].line = nil }
  }
}
