/// The number of sessions of a program, by version and system.
package struct SessionCounts: Sendable, Equatable {
  private var versions: [String: Int] = [:]
  private var systems: [String: Int] = [:]

  /// A line without a valid count.
  package struct Malformed: Error, Equatable {
    /// The line number, 1-based.
    package var line: Int
  }

  /// Parses tab-separated lines of version, system and number; the first can be a heading.
  ///
  /// A field that is empty or `*` is unspecified. Reports of `1.2 (34)` count for sessions of `1.2 (34)`, else `1.2`.
  package init(_ text: String) throws(Malformed) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map {
        $0.last == "\r" ? String($0.dropLast()) : String($0)
      }
      if fields.allSatisfy(\.isEmpty) { continue }
      guard fields.count == 3, let count = Int(fields[2]), count >= 0 else {
        if index == 0, fields.count == 3 { continue }
        throw Malformed(line: index + 1)
      }
      for (name, keyPath) in [(fields[0], \Self.versions), (fields[1], \Self.systems)]
      where !["", "*"].contains(name) {
        let (sum, overflow) = (self[keyPath: keyPath][name] ?? 0).addingReportingOverflow(count)
        self[keyPath: keyPath][name] = overflow ? .max : sum
      }
    }
  }

  /// The sessions of a version; nil when unknown.
  func count(ofVersion version: String) -> Int? { Self.count(version, in: versions) }
  /// The sessions on a system; nil when unknown.
  func count(ofSystem system: String) -> Int? { Self.count(system, in: systems) }

  /// The total sessions of the versions of some reports; 0 unless all are known.
  func count(ofVersions tally: Tally) -> Int {
    var names: Set<String> = []
    for version in tally.counts.keys {
      guard let name = Self.name(of: version, in: versions) else { return 0 }
      names.insert(name)
    }
    return names.reduce(0) { $0.addingReportingOverflow(versions[$1] ?? 0).partialValue }
  }

  private static func count(_ text: String, in counts: [String: Int]) -> Int? {
    name(of: text, in: counts).flatMap { counts[$0] }
  }

  private static func name(of text: String, in counts: [String: Int]) -> String? {
    if counts[text] != nil { return text }
    guard let end = text.firstRange(of: " (") else { return nil }
    let short = String(text[..<end.lowerBound])
    return counts[short] == nil ? nil : short
  }
}

/// The crash rate of a version or a system.
package struct CrashRate: Sendable, Equatable {
  /// The version or system.
  package var name: String
  /// The number of reports.
  package var reports: Int
  /// The number of sessions.
  package var sessions: Int

  /// Reports per thousand sessions.
  package var perThousand: Double { sessions > 0 ? 1000 * Double(reports) / Double(sessions) : 0 }
}

extension CrashComparison {
  /// The rates of the current versions, the newest first; empty when their sessions are unknown.
  package var versionRates: [CrashRate] {
    rates(now.versions) { $0.count(ofVersion: $1) }.sorted { versionPrecedes($1.name, $0.name) }
  }

  /// The rates of the current systems.
  package var systemRates: [CrashRate] {
    rates(now.systems) { $0.count(ofSystem: $1) }.sorted { versionPrecedes($1.name, $0.name) }
  }

  private func rates(_ tally: Tally, _ count: (SessionCounts, String) -> Int?) -> [CrashRate] {
    guard let sessions else { return [] }
    return tally.counts.compactMap { name, reports in
      count(sessions, name).map { CrashRate(name: name, reports: reports, sessions: $0) }
    }
  }
}
