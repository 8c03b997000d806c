internal import CrashReadCore

/// Joins the frames of a list that a page's columns became lines of: the number on a line of its own, or with the image and
/// the offset, and the function below it.
enum SplitFrames {
  /// The maximum number of lines of a frame below its number.
  private static let maximumLines = 4
  /// The minimum number of frames in a list that is joined.
  private static let minimumFrames = 3

  /// The lines of a text, without blank ones; those of such frames are one line each.
  static func joined(_ lines: [Line]) -> [Line] {
    guard lines.contains(where: { number($0).map { $0 < 2 } ?? false }) else { return lines }
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

  /// The number of a frame that goes on below: `3`, `3  Shop` or `3  Shop  0x1a2c`.
  private static func number(_ line: Line) -> UInt64? {
    guard line.text.first?.isDigit ?? false, let (word, _) = line.text.firstWord(), word.count <= 3 else {
      return nil
    }
    let words = line.text.split(separator: 0x20, maxSplits: 3)
    guard words.count < 3 || words.count == 3 && words[2].prefixedHexValue != nil else { return nil }
    return word.decimalValue
  }

  private static func frame(_ lines: ArraySlice<Line>) -> Line {
    guard let first = lines.first else { return Line(number: 0, raw: []) }
    var text = Array(first.text)
    for (index, line) in lines.dropFirst().enumerated() {
      // A mangled name that is broken has no blanks.
      let isRest = index > 0 && first.text.contains(0x20) && !line.text.contains(0x20)
      text += (isRest ? [] : Array("   ".utf8)) + Array(line.text)
    }
    return first.with(text: Bytes(text))
  }
}
