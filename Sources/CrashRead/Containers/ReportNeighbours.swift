internal import CrashReadCore
internal import CrashReadReports

/// Finds reports of one device from about the same time: a jetsam event together with the app that it killed, a
/// stackshot together with a watchdog termination. Only the reports of a sysdiagnose are certain to share a clock.
struct ReportNeighbours {
  /// The maximum distance in seconds. A report is dated when its process stopped; related events follow within seconds.
  private static let maximumDistance: Int64 = 30
  private static let maximumCount = 8

  private struct DatedReport {
    var index: Int
    var time: Int64
  }

  private let found: [ContainedReports]
  /// Sorted by time.
  private let reports: [DatedReport]

  init(_ found: [ContainedReports]) {
    self.found = found
    reports = found.indices.compactMap { index in
      guard found[index].location.kind == .sysdiagnose,
        let time = found[index].reports.first?.header.date.flatMap({ secondsSince1970($0) })
      else { return nil }
      return DatedReport(index: index, time: time)
    }
    .sorted { ($0.time, $0.index) < ($1.time, $1.index) }
  }

  /// The reports, each with its neighbours.
  var marked: [ContainedReports] {
    var marked = found
    for position in reports.indices {
      marked[reports[position].index].location.neighbours = around(position).compactMap {
        neighbour($0, of: reports[position])
      }
    }
    return marked
  }

  /// The reports nearest in time to one. Only as many are examined as are shown: thousands may have the same second.
  private func around(_ position: Int) -> [DatedReport] {
    let before = reports[..<position].suffix(Self.maximumCount)
    let after = reports[(position + 1)...].prefix(Self.maximumCount)
    let time = reports[position].time
    return (before + after).filter { distance($0.time, time) <= Self.maximumDistance }
      .sorted { (distance($0.time, time), $0.index) < (distance($1.time, time), $1.index) }
      .prefix(Self.maximumCount).map(\.self)
  }

  private func distance(_ left: Int64, _ right: Int64) -> Int64 { max(left, right) - min(left, right) }

  private func neighbour(_ other: DatedReport, of report: DatedReport) -> ContainerLocation.Neighbour? {
    found[other.index].reports.first.map {
      ContainerLocation.Neighbour(
        path: found[other.index].location.path, kind: $0.kind, seconds: Int(other.time - report.time))
    }
  }
}
