internal import CrashReadCore
internal import CrashReadReports

/// Which reports of one device are of about the same time: a jetsam event beside the app that it ended, a stackshot beside
/// a watchdog's termination. Only a device that tells of itself has one clock for all of them.
struct ReportNeighbours {
  /// Seconds. A report is dated when its process stopped; events about it follow within moments.
  private static let reach: Int64 = 30
  private static let most = 8

  private struct Moment {
    var index: Int
    var time: Int64
  }

  private let found: [ContainedReports]
  /// In the order of their times.
  private let moments: [Moment]

  init(_ found: [ContainedReports]) {
    self.found = found
    moments = found.indices.compactMap { index in
      guard found[index].place.kind == .sysdiagnose,
        let time = found[index].reports.first?.header.date.flatMap({ secondsSince1970($0) })
      else { return nil }
      return Moment(index: index, time: time)
    }
    .sorted { ($0.time, $0.index) < ($1.time, $1.index) }
  }

  /// The reports, each with the ones around it.
  var marked: [ContainedReports] {
    var marked = found
    for position in moments.indices {
      marked[moments[position].index].place.neighbours = around(position).compactMap {
        neighbour($0, of: moments[position])
      }
    }
    return marked
  }

  /// The nearest moments to one, of which no more are looked at than are named: thousands can be of one second.
  private func around(_ position: Int) -> [Moment] {
    let before = moments[..<position].suffix(Self.most)
    let after = moments[(position + 1)...].prefix(Self.most)
    let time = moments[position].time
    return (before + after).filter { distance($0.time, time) <= Self.reach }
      .sorted { (distance($0.time, time), $0.index) < (distance($1.time, time), $1.index) }
      .prefix(Self.most).map(\.self)
  }

  private func distance(_ left: Int64, _ right: Int64) -> Int64 { max(left, right) - min(left, right) }

  private func neighbour(_ other: Moment, of moment: Moment) -> ContainerPlace.Neighbour? {
    found[other.index].reports.first.map { report in
      ContainerPlace.Neighbour(
        path: found[other.index].place.path, kind: report.kind, seconds: Int(other.time - moment.time))
    }
  }
}
