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
    let lines = pairs(in: lines)
    guard lines.contains(where: { number($0).map { $0 < 2 } ?? false }) else {
      return numberedPairs(in: lines)
    }
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
    return numberedPairs(in: result)
  }

  /// The lines of a text, with frames of two lines each, the image and below it the function, as one line each: App Center's
  /// pages have no numbers.
  private static func pairs(in lines: [Line]) -> [Line] {
    guard lines.contains(where: { $0.text.hasSuffix(".dylib") }) else { return lines }
    var result: [Line] = []
    var index = 0
    while index < lines.count {
      let count = pairCount(lines, at: index)
      guard count >= minimumFrames else {
        result.append(lines[index])
        index += 1
        continue
      }
      for number in 0..<count {
        let (image, function) = (lines[index + 2 * number], lines[index + 2 * number + 1])
        let name =
          place(image.text).map { Array(function.text) + $0 } ?? Array(image.text) + Array("   ".utf8)
          + Array(withBracketedPlace(function.text))
        let text = Array("\(number)   ".utf8) + name
        result.append(image.with(text: Bytes(text)))
      }
      index += 2 * count
    }
    return result
  }

  /// The lines of a text, with frames of two lines each, the number and the image and below them the function with its
  /// offset, as one line each: `27 Our App`, `-[Tide rise] + 24`. An image's name can have blanks then, and numbers can
  /// be left out.
  private static func numberedPairs(in lines: [Line]) -> [Line] {
    var result: [Line] = []
    var index = 0
    while index < lines.count {
      var end = index
      var last: UInt64?
      while end + 1 < lines.count, let (number, _) = numberedImage(lines[end].text),
        last.map({ $0 < number }) ?? true, isOffsetFunction(lines[end + 1].text)
      {
        last = number
        end += 2
      }
      guard (end - index) / 2 >= minimumFrames else {
        result.append(lines[index])
        index += 1
        continue
      }
      for position in stride(from: index, to: end, by: 2) {
        guard let (number, image) = numberedImage(lines[position].text) else { continue }
        let text =
          Array("\(number)   ".utf8) + Array(image) + Array("   ".utf8) + Array(lines[position + 1].text)
        result.append(lines[position].with(text: Bytes(text)))
      }
      index = end
    }
    return result
  }

  /// The number and the image of `27 Our App`; nil for other lines.
  private static func numberedImage(_ text: Bytes) -> (number: UInt64, image: Bytes)? {
    guard text.first?.isDigit ?? false, let (word, rest) = text.firstWord(), word.count <= 3,
      let number = word.decimalValue, case let image = rest.trimmed, LooseFrame.isImageName(image),
      FrameLine.trailingOffset(image) == nil, image.firstRange(of: " 0x") == nil
    else { return nil }
    return (number, image)
  }

  /// Whether a line is a function with an offset, and nothing that a number begins.
  private static func isOffsetFunction(_ text: Bytes) -> Bool {
    !(text.first?.isDigit ?? true) && FrameLine.trailingOffset(FrameLine.withoutRemark(text)) != nil
  }

  /// `Tide.rise() (Moon.swift:24)` for `Tide.rise() Moon.swift:24`.
  private static func withBracketedPlace(_ text: Bytes) -> Bytes {
    guard let (name, word) = text.lastWord(), let (file, line) = word.split(at: UInt8(ascii: ":")),
      file.contains(UInt8(ascii: ".")), line.decimalValue != nil
    else { return text }
    return Bytes(Array(name) + Array("(".utf8) + Array(word) + Array(")".utf8))
  }

  /// The number of such frames from a line on; 0 if none of their images is certainly one.
  private static func pairCount(_ lines: [Line], at first: Int) -> Int {
    var index = first
    while index + 1 < lines.count, isImage(lines[index].text), isFunction(lines[index + 1].text) {
      index += 2
    }
    let isCertain = stride(from: first, to: index, by: 2).contains { lines[$0].text.hasSuffix(".dylib") }
    return isCertain ? (index - first) / 2 : 0
  }

  /// ` (Tide.m:12)` for `Tide.m - Line 12`, which Crashlytics' pages have in place of the image.
  private static func place(_ text: Bytes) -> [UInt8]? {
    guard let mark = text.firstRange(of: " - Line "), text[mark.upperBound...].decimalValue != nil,
      case let file = text[..<mark.lowerBound], !file.contains(0x20)
    else { return nil }
    return Array(" (".utf8) + Array(file) + Array(":".utf8) + Array(text[mark.upperBound...])
      + Array(")".utf8)
  }

  private static func isImage(_ text: Bytes) -> Bool {
    if place(text) != nil { return true }
    return !text.contains(0x20) && LooseFrame.isImageName(text) && !isFunction(text)
  }

  private static func isFunction(_ text: Bytes) -> Bool {
    text.contains { $0.isAny(of: "([") } || text.firstRange(of: " + ") != nil || text.hasPrefix("$s")
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
