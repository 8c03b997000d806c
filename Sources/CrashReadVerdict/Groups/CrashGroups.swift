/// Crashes grouped by signature, with the figures of each group.
///
/// The order in which reports are added affects only the example. Memory grows with the groups, not with the reports.
public struct CrashGroups: Sendable {
  /// Reports with the same key are the same crash.
  public struct Key: Sendable, Hashable {
    /// The app; crashes of different apps are never grouped.
    public var app: String?
    /// The signature; nil when functions have no names.
    public var signature: String?
    /// What happened, for reports without a signature; otherwise nil.
    public var event: String?
  }

  /// Reports of one crash.
  public struct Group: Sendable {
    /// Their common key.
    public var key: Key
    /// The number of reports.
    public var count = 0
    /// The most informative report: the first with a line, else the first.
    public var example: CrashOccurrence
    /// The app's versions.
    public var versions = Tally()
    /// Systems.
    public var systems = Tally()
    /// Devices.
    public var devices = Tally()
    /// The number of reports by day, counted from 1970-01-01 in UTC.
    public var days: [Int64: Int] = [:]
    /// The first and the last time, in seconds since 1970; nil when no report has a date.
    public var times: ClosedRange<Int64>?
  }

  /// The number of reports added.
  public private(set) var count = 0
  /// The number of inputs that couldn't be read.
  public private(set) var unreadCount = 0
  /// The number of reports that were left out of all groups, since the maximum number of groups was reached.
  public private(set) var ungroupedCount = 0
  /// The language of the titles: that of the first report.
  package private(set) var language = Language.english
  private var groups: [Key: Group] = [:]

  /// The maximum number of groups: hostile input can contain any number of different crashes.
  private static let maximumGroups = 100_000
  private static let maximumDays = 4000

  /// No groups yet.
  public init() {}

  /// The groups, the largest first, then the most recently seen, then by name.
  public var ranked: [Group] { groups.values.sorted { $0.precedes($1) } }

  /// Adds a report.
  public mutating func add(_ occurrence: CrashOccurrence) {
    if count == 0 { language = occurrence.language }
    count += 1
    let key = Key(occurrence)
    guard groups[key] != nil || groups.count < Self.maximumGroups else {
      ungroupedCount += 1
      return
    }
    groups[key, default: Group(key: key, example: occurrence)].add(occurrence, maximumDays: Self.maximumDays)
  }

  /// Counts an input that couldn't be read.
  public mutating func addUnread() { unreadCount += 1 }
}

extension CrashGroups.Key {
  /// The key of a report's group.
  package init(_ occurrence: CrashOccurrence) {
    app = occurrence.app
    signature = occurrence.signature
    event = signature == nil ? "\(occurrence.kind): \(occurrence.rule ?? occurrence.title)" : nil
  }

  fileprivate var name: String { [signature ?? "", app ?? "", event ?? ""].joined(separator: "\n") }
}

extension CrashGroups.Group {
  fileprivate mutating func add(_ occurrence: CrashOccurrence, maximumDays: Int) {
    count += 1
    if example.location == nil, occurrence.location != nil { example = occurrence }
    versions.add(occurrence.version)
    systems.add(occurrence.system)
    devices.add(occurrence.device)
    guard let time = occurrence.time else { return }
    times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    let day = time / 86_400
    if days[day] != nil || days.count < maximumDays { days[day, default: 0] += 1 }
  }

  fileprivate func precedes(_ other: Self) -> Bool {
    if count != other.count { return count > other.count }
    let (last, otherLast) = (times?.upperBound ?? 0, other.times?.upperBound ?? 0)
    return last != otherLast ? last > otherLast : key.name < other.key.name
  }
}

/// The frequencies of texts; beyond a maximum number of different texts, further ones aren't distinguished.
public struct Tally: Sendable, Hashable {
  /// The number of occurrences by text.
  public private(set) var counts: [String: Int] = [:]
  /// The number of occurrences of texts beyond the maximum.
  public private(set) var others = 0

  private static let maximumTexts = 1000

  /// Counts a text once; nothing for nil.
  mutating func add(_ text: String?) { if let text { add(text, count: 1) } }

  /// Adds the counts of another tally.
  mutating func add(_ other: Tally) {
    others += other.others
    for (text, count) in other.counts { add(text, count: count) }
  }

  private mutating func add(_ text: String, count: Int) {
    if counts[text] == nil, counts.count >= Self.maximumTexts {
      others += count
    } else {
      counts[text, default: 0] += count
    }
  }

  /// Texts and their counts, the most frequent first, then in alphabetical order.
  public var ranked: [(text: String, count: Int)] {
    counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }
}
