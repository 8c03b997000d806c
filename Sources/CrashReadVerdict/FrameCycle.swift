internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
package import CrashReadSymbolication

/// A recursion in a backtrace: a sequence of frames that repeats.
package struct FrameCycle: Sendable, Hashable {
  /// The index of the first frame of the first repetition.
  package var start: Int
  /// The number of frames in one repetition.
  package var length: Int
  /// The number of complete repetitions.
  package var repetitions: Int

  /// The frames of all repetitions.
  package var range: Range<Int> { start..<start + length * repetitions }

  /// The maximum number of frames in one repetition.
  private static let maximumLength = 24

  /// The recursions of a backtrace that repeat at least `minimumRepetitions` times, in order.
  ///
  /// Frames are equal if they have the same function, or, without names, the same address.
  package static func all(in frames: [ResolvedFrame], minimumRepetitions: Int) -> [FrameCycle] {
    let (keys, count) = keys(of: frames)
    // Without a repeated function there is no recursion, as in most backtraces.
    return count == keys.count ? [] : all(in: keys, minimumRepetitions: minimumRepetitions)
  }

  /// The recursion of which a list is a part; nil unless each of its frames is that of a repetition before or after.
  package static func containing(_ frames: [ResolvedFrame]) -> FrameCycle? {
    let (keys, count) = keys(of: frames)
    guard count < keys.count - 1 else { return nil }
    let length = (1...maximumLength).first { length in
      length + 1 < keys.count && (length..<keys.count).allSatisfy { keys[$0] == keys[$0 - length] }
    }
    return length.map {
      FrameCycle(start: 0, length: $0, repetitions: (keys.count + $0 - 1) / $0)
    }
  }

  /// Equal numbers for equal frames, and how many different ones there are.
  private static func keys(of frames: [ResolvedFrame]) -> (keys: [Int], count: Int) {
    var numbers: [String: Int] = [:]
    let keys = frames.enumerated().map { index, frame in
      let key = frame.cycleKey ?? "#\(index)"
      let number = numbers[key] ?? numbers.count
      numbers[key] = number
      return number
    }
    return (keys, numbers.count)
  }

  static func all(in keys: [Int], minimumRepetitions: Int) -> [FrameCycle] {
    var cycles: [FrameCycle] = []
    var start = 0
    while start < keys.count {
      let candidates = (1...maximumLength).lazy.map { cycle(in: keys, from: start, length: $0) }
        .filter { $0.repetitions >= max(2, minimumRepetitions) }
      // Of equally long candidates the first one has the shortest period.
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
    return FrameCycle(start: start, length: length, repetitions: (end - start) / length + 1)
  }
}

extension ResolvedFrame {
  /// The image and the offset in it, from a reporter that states no addresses.
  private var placeInImage: String? {
    captured.imageOffset.map { "\(captured.imageName ?? "")+\($0.rawValue)" }
  }

  /// A text that identifies the frame's function; nil when there is none.
  fileprivate var cycleKey: String? {
    switch captured.kind {
    case .omitted, .truncated: nil
    case .programCounter, .returnAddress, .asyncResumePoint:
      locations.last?.function ?? plausibleSymbol ?? captured.address?.description ?? placeInImage
        ?? functionSymbol
    }
  }

  /// The report's symbol, unless it may be only the nearest one that the image exports: equal names some way before
  /// different addresses aren't one function that calls itself.
  private var plausibleSymbol: String? {
    let isNear = (captured.reportedSymbolOffset ?? 0) < Self.maximumDistance
    return isNear || captured.reportedFile != nil ? functionSymbol : nil
  }

  /// Functions that recur without a line are rarely longer.
  private static var maximumDistance: UInt64 { 0x800 }
}
