/// Groups of crashes compared with those of an earlier period.
package struct CrashComparison: Sendable {
  /// How a group changed; raw values are those of the JSON output, in its order.
  package enum Change: String, Sendable, CaseIterable {
    case new, grown, same, shrunk, gone
  }

  /// A crash, before and now.
  package struct Row: Sendable {
    /// The kind of change.
    package var change: Change
    /// The current group, or the earlier one when it is gone.
    package var group: CrashGroups.Group
    /// The number of reports before.
    package var before: Int
    /// The number of reports now.
    package var now: Int
    /// The oldest version it was seen in, before or now; nil when no report has one.
    package var firstVersion: String?
  }

  /// The groups of the earlier period.
  package let before: CrashGroups
  /// The current groups.
  package let now: CrashGroups
  /// The number of sessions; nil when unknown.
  let sessions: SessionCounts?
  /// The groups of both periods, sorted by change, then by size, the largest first.
  package let rows: [Row]

  /// Compares two periods.
  ///
  /// A group has grown when it has more reports; when the sessions of both periods are known, when it has more reports
  /// per session.
  package init(before: CrashGroups, now: CrashGroups, sessions: SessionCounts? = nil) {
    (self.before, self.now, self.sessions) = (before, now, sessions)
    let scale = sessions.map { ($0.count(ofVersions: before.versions), $0.count(ofVersions: now.versions)) }
    let old = Dictionary(before.ranked.map { ($0.key, $0) }) { first, _ in first }
    let current = now.ranked
    var rows = current.map { group in
      let other = old[group.key]
      return Row(
        change: change(from: other?.count ?? 0, to: group.count, scale), group: group,
        before: other?.count ?? 0,
        now: group.count, firstVersion: oldestVersion(group.versions, other?.versions))
    }
    let known = Set(current.map(\.key))
    rows += before.ranked.filter { !known.contains($0.key) }.map { group in
      Row(
        change: .gone, group: group, before: group.count, now: 0,
        firstVersion: oldestVersion(group.versions, nil))
    }
    self.rows = Change.allCases.flatMap { change in rows.filter { $0.change == change } }
  }

  /// Whether there is a crash now that didn't occur before.
  package var hasNew: Bool { rows.contains { $0.change == .new } }

  /// The number of groups with a change.
  package func count(_ change: Change) -> Int { rows.count { $0.change == change } }
}

private func change(from before: Int, to now: Int, _ scale: (Int, Int)?) -> CrashComparison.Change {
  if before == 0 { return .new }
  var (old, new) = (Double(before), Double(now))
  if let scale, scale.0 > 0, scale.1 > 0 { (old, new) = (old / Double(scale.0), new / Double(scale.1)) }
  return new > old ? .grown : new < old ? .shrunk : .same
}

private func oldestVersion(_ tallies: Tally?...) -> String? {
  let versions = Set(tallies.compactMap(\.self).flatMap(\.counts.keys))
  return versions.min { versionPrecedes($0, $1) }
}

/// Whether a version precedes another: compared number by number, as far as both have numbers.
func versionPrecedes(_ one: String, _ other: String) -> Bool {
  func parts(_ text: String) -> [Substring] {
    text.split { !$0.isNumber && !$0.isLetter }
  }
  for (left, right) in zip(parts(one), parts(other)) where left != right {
    guard let first = UInt64(left), let second = UInt64(right) else { return left < right }
    if first != second { return first < second }
  }
  let (left, right) = (parts(one).count, parts(other).count)
  return left == right ? one < other : left < right
}

extension CrashGroups {
  /// The versions of all grouped reports.
  var versions: Tally { ranked.reduce(into: Tally()) { $0.add($1.versions) } }
  /// Their systems.
  var systems: Tally { ranked.reduce(into: Tally()) { $0.add($1.systems) } }
}
