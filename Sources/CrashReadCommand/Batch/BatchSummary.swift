internal import CrashRead
internal import CrashReadDebugInfo

extension SummaryFormat: OptionChoice {
  /// What the help says of the form.
  var summary: String {
    switch self {
    case .text: "a few lines a group, for a terminal"
    case .json: "one object, for programs: crashread-json(5)"
    case .html: "one page with charts"
    }
  }
}

/// Groups the results of a batch, and prints the groups at its end.
struct BatchSummary {
  private let format: SummaryFormat
  private var groups = CrashGroups()

  init(_ format: SummaryFormat) { self.format = format }

  /// Adds reports, each as `occurrenceJSON` writes it. One that can't be read was never written by a worker of ours, and
  /// counts as unread.
  mutating func add(_ occurrences: [[UInt8]]) {
    for bytes in occurrences {
      guard let result = JSONValue(document: bytes), let occurrence = CrashOccurrence(result: result) else {
        groups.addUnread()
        continue
      }
      groups.add(occurrence)
    }
  }

  /// Adds an input that gave an error.
  mutating func addUnread() { groups.addUnread() }

  /// Adds what earlier runs have read, too.
  mutating func addAll(of state: BatchState) throws(SQLite.Failure) {
    var last: Int64 = 0
    while let page = try state.occurrences(after: last) {
      add(page.occurrences)
      last = page.last
    }
  }

  func write(_ options: Options, to console: inout Console) {
    let surface = console.surface(options)
    var style = RenderingStyle()
    style.isColored = surface.isColored
    style.width = min(max(surface.width ?? style.width, 60), 160)
    style.language = options.language ?? console.environment.language
    console.write(format.text(groups, style: style))
  }
}
