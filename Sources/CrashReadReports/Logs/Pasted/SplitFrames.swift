internal import CrashReadCore

/// Joins the frames of a list that a page's columns became lines of: the number on a line of its own, then the image and
/// the function.
enum SplitFrames {
  /// The maximum number of lines of a frame below its number.
  private static let maximumLines = 4
  /// The minimum number of frames in a list that is joined.
  private static let minimumFrames = 3

  /// The lines of a text, without blank ones; those of such frames are one line each.
  static func joined(_ lines: [Line]) -> [Line] {
    guard lines.contains(where: { $0.text.equals("0") || $0.text.equals("1") }) else { return lines }
    var result: [Line] = []
    var index = 0
    while index < lines.count {
      let starts = starts(of: lines, at: index)
      guard starts.count > minimumFrames else {
        result.append(lines[index])
        index += 1
        continue
      }
      for (start, end) in zip(starts, starts.dropFirst()) { result.append(frame(lines[start..<end])) }
      index = starts.last ?? lines.count
    }
    return result
  }

  /// The positions of the list's numbers, and of its end.
  private static func starts(of lines: [Line], at first: Int) -> [Int] {
    guard let begin = number(lines[first]), begin < 2 else { return [] }
    var starts = [first]
    var (number, position) = (begin, first)
    while let next = (position + 2..<position + 2 + maximumLines).first(where: { next in
      next < lines.count && self.number(lines[next]) == number + 1
    }) {
      starts.append(next)
      (number, position) = (number + 1, next)
    }
    // The last frame has as many lines as the one before it.
    let length = starts.count > 1 ? starts[starts.count - 1] - starts[starts.count - 2] : 0
    return starts + [min(position + length, lines.count)]
  }

  private static func number(_ line: Line) -> UInt64? {
    line.text.count <= 3 ? line.text.decimalValue : nil
  }

  private static func frame(_ lines: ArraySlice<Line>) -> Line {
    guard let first = lines.first else { return Line(number: 0, raw: [], text: []) }
    return first.with(text: Bytes(lines.map { Array($0.text) }.joined(separator: Array("   ".utf8))))
  }
}
