/// Crashes put together by signature, with what a person asks of each group.
///
/// The order in which reports are added makes no difference but for the example. Memory grows with the groups, not with
/// the reports.
public struct CrashGroups: Sendable {
  /// What makes two reports the same crash.
  public struct Key: Sendable, Hashable {
    /// The app; two apps never share a crash.
    public var app: String?
    /// The signature; nil where functions have no names.
    public var signature: String?
    /// What happened, where there is no signature to tell; nil else.
    public var event: String?
  }

  /// Reports of one crash.
  public struct Group: Sendable {
    /// What they have in common.
    public var key: Key
    /// How many there are.
    public var count = 0
    /// The one that tells most: the first with a line, else the first.
    public var example: CrashOccurrence
    /// The app's versions.
    public var versions = Tally()
    /// Systems.
    public var systems = Tally()
    /// Devices.
    public var devices = Tally()
    /// How many happened on each day, counted from 1970-01-01 in UTC.
    public var days: [Int64: Int] = [:]
    /// The first and the last moment, in seconds since 1970; nil when no report has a date.
    public var times: ClosedRange<Int64>?
  }

  /// How many reports were added.
  public private(set) var count = 0
  /// How many inputs could not be read.
  public private(set) var unreadCount = 0
  /// How many reports belong to no group, since there were too many different ones.
  public private(set) var ungroupedCount = 0
  /// The language of the first report's title.
  package private(set) var language = Language.english
  private var groups: [Key: Group] = [:]

  /// A hostile stream can hold any number of different crashes.
  private static let maximumGroups = 100_000
  private static let maximumDays = 4000

  /// No groups yet.
  public init() {}

  /// The groups, the largest first; of equals the one seen last, then in the order of their names.
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

  /// Adds an input that could not be read.
  public mutating func addUnread() { unreadCount += 1 }
}

extension CrashGroups.Key {
  /// What a report has in common with others of its group.
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
