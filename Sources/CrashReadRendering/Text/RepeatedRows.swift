internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Which frames of a backtrace are shown, and where turns of a recursion are omitted.
struct RepeatedRows {
  enum Row: Sendable, Equatable {
    case frame(Int)
    /// So many turns of so many frames, up to the frame before an index, equal the ones shown before.
    case repeats(turns: Int, length: Int, last: Int)
  }

  /// Fewer turns are shown in full.
  private static let minimumTurns = 4

  let rows: [Row]

  /// Shows the first and the last turn of each recursion; the marked frame is never omitted.
  init(_ frames: [ResolvedFrame], marked: Int?) {
    var rows: [Row] = []
    var next = 0
    for cycle in FrameCycle.all(in: frames, minimumTurns: Self.minimumTurns) {
      let hidden = cycle.start + cycle.length..<cycle.range.upperBound - cycle.length
      if let marked, hidden.contains(marked) { continue }
      rows += (next..<hidden.lowerBound).map(Row.frame)
      let last = hidden.upperBound - 1
      rows.append(
        .repeats(turns: cycle.turns - 2, length: cycle.length, last: frames[last].captured.number ?? last))
      next = hidden.upperBound
    }
    self.rows = rows + (next..<frames.count).map(Row.frame)
  }
}
