internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
package import CrashReadSymbolication

/// Repeated frames of a backtrace: the turns of a recursion.
package struct FrameCycle: Sendable, Hashable {
  /// The first frame of the first turn.
  package var start: Int
  /// The number of frames of a turn.
  package var length: Int
  /// The number of complete turns.
  package var turns: Int

  /// The frames of all turns.
  package var range: Range<Int> { start..<start + length * turns }

  /// Longer turns aren't searched for.
  private static let longest = 24

  /// The recursions of a backtrace with a minimum number of turns, in order.
  ///
  /// Frames are equal if they have the same function; without names, if they have the same address.
  package static func all(in frames: [ResolvedFrame], minimumTurns: Int) -> [FrameCycle] {
    var numbers: [String: Int] = [:]
    let keys = frames.enumerated().map { index, frame in
      let key = frame.cycleKey ?? "#\(index)"
      let number = numbers[key] ?? numbers.count
      numbers[key] = number
      return number
    }
    // Most backtraces have no function twice.
    return numbers.count == keys.count ? [] : all(in: keys, minimumTurns: minimumTurns)
  }

  static func all(in keys: [Int], minimumTurns: Int) -> [FrameCycle] {
    var cycles: [FrameCycle] = []
    var start = 0
    while start < keys.count {
      let candidates = (1...longest).lazy.map { cycle(in: keys, from: start, length: $0) }
        .filter { $0.turns >= max(2, minimumTurns) }
      // Of equally long runs the first one has the shortest turn.
      guard let first = candidates.first else {
        start += 1
        continue
      }
      let best = candidates.reduce(first) { $1.range.count > $0.range.count ? $1 : $0 }
      cycles.append(best)
      start = best.range.upperBound
    }
    return cycles
  }

  private static func cycle(in keys: [Int], from start: Int, length: Int) -> FrameCycle {
    var end = start
    while end + length < keys.count, keys[end] == keys[end + length] { end += 1 }
    return FrameCycle(start: start, length: length, turns: (end - start) / length + 1)
  }
}

extension ResolvedFrame {
  /// Identifies the frame's function; nil when nothing does.
  fileprivate var cycleKey: String? {
    switch captured.kind {
    case .omitted, .truncated: nil
    case .programCounter, .returnAddress, .asyncResumePoint:
      locations.last?.function ?? functionSymbol ?? captured.address?.description
    }
  }
}
