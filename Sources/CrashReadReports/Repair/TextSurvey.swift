internal import CrashReadCore

/// The signs of damage found in one pass over a text, which is all that undamaged text costs.
struct TextSurvey {
  private(set) var hasNUL = false
  private(set) var hasHighBytes = false
  private(set) var hasAmpersand = false
  /// Lines that aren't blank.
  private(set) var lineCount = 0
  /// Lines that begin with `>`, possibly after blanks.
  private(set) var quotedCount = 0
  /// Those that the kernel's list of extensions doesn't have, which writes `>` for `com.apple.driver.`: in mail a blank or
  /// a further mark follows.
  private(set) var mailCount = 0
  /// Lines that end with a backslash, as line breaks do in RTF.
  private(set) var backslashCount = 0
  /// Lines that open or close a Markdown code block.
  private(set) var fenceCount = 0
  /// Lines that are code as a whole: `` `0   Shop   0x1234 main + 12` ``.
  private(set) var spanCount = 0
  /// The number of blanks that all lines begin with.
  private(set) var indentation = Int.max
  /// The list marker that all lines begin with; nil when they don't.
  private(set) var listMark: UInt8?
  /// The number at the start of the last line, when every line begins with a higher one than the line before.
  private(set) var lastNumber: UInt64?
  /// Lines that begin with `#` and a blank, or have nothing else, as comments of scripts do.
  private(set) var commentCount = 0
  /// Lines that begin with a time.
  private(set) var stampedCount = 0
  /// The bracketed word that the first such line begins with, and the number of lines that begin with it.
  private(set) var loggerTag: (text: Bytes, count: Int)?
  /// The process whose name and number begin lines, as in a log, and the number of such lines.
  private(set) var logHead: (owner: Bytes, count: Int)?
  /// Lines of the process that writes crash reports.
  private(set) var reporterCount = 0
  /// Whether lines begin or end with tags of preformatted text.
  private(set) var hasTags = false
  /// The length of the longest line, in bytes.
  private(set) var longestLine = 0
  /// Whether a line has no address after its number, so that not all lines are frames.
  private(set) var numbersOtherLines = false
  /// Whether a number is the frame's own: the image and the address follow, without a number of the frame between.
  private(set) var numbersFrames = false

  /// The row of a list's first frame, if each frame's number stands right behind that of its row on a page: `3610`, `3621`, …
  /// for the frames 0 and 1 in the rows 361 and 362.
  private(set) var firstRow: UInt64?
  private var rows: (first: UInt64, count: UInt64)?

  init(_ bytes: [UInt8]) {
    hasNUL = bytes.span.firstOffset(of: 0) != nil
    hasAmpersand = bytes.span.firstOffset(of: UInt8(ascii: "&")) != nil
    hasHighBytes = !bytes.span.isASCII
    for range in LineRanges(bytes[...]) {
      longestLine = max(longestLine, range.count)
      var start = range.lowerBound
      while start < range.upperBound, bytes[start].isBlank { start += 1 }
      if start < range.upperBound {
        inspect(bytes, start..<range.upperBound, indentation: start - range.lowerBound)
      }
    }
  }

  /// Examines a line that isn't blank. For nearly all, a look at both ends suffices, so no slice is made.
  private mutating func inspect(_ bytes: [UInt8], _ range: Range<Int>, indentation: Int) {
    let (first, last) = (bytes[range.lowerBound], bytes[range.upperBound - 1])
    let tick = UInt8(ascii: "`")
    if last == UInt8(ascii: "\\") { backslashCount += 1 }
    self.indentation = min(self.indentation, indentation)
    if first == UInt8(ascii: "#"), range.count == 1 || bytes[range.lowerBound + 1].isBlank {
      commentCount += 1
    }
    if first == UInt8(ascii: ">") { inspectQuote(bytes[range].dropFirst().first) }
    if first == tick || first == UInt8(ascii: "~") || last == tick { inspectFence(bytes[range]) }
    if first == UInt8(ascii: "<") || last == UInt8(ascii: ">") { hasTags = hasTags || hasTag(bytes[range]) }
    if Self.mayBeginWithTime(bytes, range), withoutTimestamp(bytes[range]) != nil { stampedCount += 1 }
    if first == UInt8(ascii: "[") { inspectTag(bytes[range]) }
    if first.isLetter || first == UInt8(ascii: "[") { inspectHead(bytes[range]) }
    if loggerTag != nil || lineCount < Self.firstLines { inspectService(bytes[range]) }
    if lineCount == 0 || listMark != nil {
      listMark = Self.listMark(bytes[range]).flatMap { lineCount == 0 || $0 == listMark ? $0 : nil }
    }
    if lineCount == 0 || lastNumber != nil { inspectNumber(bytes[range]) }
    if first.isDigit, firstRow == nil { inspectRow(bytes[range]) }
    lineCount += 1
  }

  private mutating func inspectQuote(_ next: UInt8?) {
    quotedCount += 1
    if next.map({ $0.isBlank || $0 == UInt8(ascii: ">") || $0.isDigit }) ?? true { mailCount += 1 }
  }

  private mutating func inspectFence(_ line: Bytes) {
    if isFence(line) || line.last == UInt8(ascii: "`") && line.trimmedEnd.hasSuffix("```") { fenceCount += 1 }
    if hasLoneTick(line) { fenceCount += 1 }
    if codeSpan(line) != nil { spanCount += 1 }
  }

  /// Counts lines that begin with the same `[trace]`, as loggers and consoles of runtimes print each line of a report.
  private mutating func inspectTag(_ line: Bytes) {
    let word = line.dropFirst().prefix(while: \.isLetter)
    guard word.count > 2, line[word.endIndex...].hasPrefix("] ") || line[word.endIndex...].hasPrefix("]: ")
    else {
      return
    }
    count(line[..<(word.endIndex + 2)])
  }

  private mutating func inspectHead(_ line: Bytes) {
    guard let head = LogHead(line) else { return }
    if head.isReporter { reporterCount += 1 }
    guard let known = logHead else { return logHead = (head.owner, 1) }
    if head.owner.elementsEqual(known.owner) { logHead?.count += 1 }
  }

  /// The number of lines in which the name of a service is looked for, unless the first one has it.
  private static let firstLines = 4

  /// Counts lines that begin with the same `shop-1  |`, as Docker Compose prints the name of a service.
  private mutating func inspectService(_ line: Bytes) {
    let name = line.prefix { $0.isLetter || $0.isDigit || $0.isAny(of: "-_.") }
    let bar = line[name.endIndex...].drop { $0 == 0x20 }
    guard name.count > 2, name.last?.isDigit ?? false, bar.startIndex > name.endIndex,
      bar.first == UInt8(ascii: "|")
    else { return }
    count(line[...bar.startIndex])
  }

  private mutating func count(_ tag: Bytes) {
    guard let known = loggerTag else { return loggerTag = (tag, 1) }
    if tag.elementsEqual(known.text) { loggerTag?.count += 1 }
  }

  /// Whether a line's third or fifth character can be that of a time or a date (see `withoutTimestamp`).
  private static func mayBeginWithTime(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    var start = range.lowerBound
    if bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "(") { start += 1 }
    if start > range.lowerBound, start < range.upperBound,
      bytes[start] == 0x20 || bytes[start] == UInt8(ascii: "+")
    {
      return true
    }
    guard start + 8 <= range.upperBound, bytes[start].isDigit else { return false }
    return bytes[start + 2] == UInt8(ascii: ":") || bytes[start + 4] == UInt8(ascii: "-")
      || bytes[start + 4] == UInt8(ascii: "/") || bytes[start + 2] == UInt8(ascii: "/")
  }

  private static func listMark(_ line: Bytes) -> UInt8? {
    guard let mark = line.first, line.count == 1 || line.dropFirst().first == 0x20 else { return nil }
    return mark.isAny(of: "-*+|") ? mark : nil
  }

  /// The minimum number of frames whose numbers have those of rows before them.
  private static let minimumRows: UInt64 = 5

  private mutating func inspectRow(_ line: Bytes) {
    let digits = line.prefix(while: \.isDigit)
    guard digits.count > 1, digits.count < 8, line[digits.endIndex...].first?.isBlank ?? false else {
      return rows = nil
    }
    if let (first, count) = rows, digits.elementsEqual("\(first + count)\(count)".utf8) {
      rows = (first, count + 1)
      if count + 1 >= Self.minimumRows { firstRow = first }
    } else {
      let isFirst = digits.last == UInt8(ascii: "0") && line.firstRange(of: " 0x") != nil
      rows = isFirst ? digits.dropLast().decimalValue.map { ($0, 1) } : nil
    }
  }

  private mutating func inspectNumber(_ line: Bytes) {
    let found = numbered(line)
    // Lines are counted from 1, frames from 0.
    guard let found, lastNumber.map({ found.number > $0 }) ?? (found.number > 0) else {
      lastNumber = nil
      return
    }
    lastNumber = found.number
    if found.rest.firstRange(of: "0x") == nil {
      numbersOtherLines = true
    } else if !Self.marksNumber(line), Self.isUnnumberedFrame(found.rest.trimmedStart) {
      numbersFrames = true
    }
  }

  /// Whether a mark follows the number, as in `12: ` and `12 | `. The numbers of frames have none.
  private static func marksNumber(_ line: Bytes) -> Bool {
    line.trimmedStart.drop(while: \.isDigit).trimmedStart.first?.isAny(of: ":|.)") ?? false
  }

  /// Whether a text is `Shop  0x104ecb5c4 main`. Fields have a colon before their number, registers no name behind it, and
  /// images nothing before it.
  private static func isUnnumberedFrame(_ text: Bytes) -> Bool {
    guard text.first?.isLetter ?? false, let (image, _, tail) = FrameLine.splitAtAddress(text) else {
      return false
    }
    let isNamed = tail.first.map { $0.isLetter || $0.isAny(of: "_-+(<") } ?? false
    return (isNamed || tail.hasPrefix("0x")) && !image.contains { $0.isAny(of: ":=#,") }
  }
}

/// Whether a line begins or ends with its only backquote, as code in a paragraph of several lines does.
func hasLoneTick(_ line: Bytes) -> Bool {
  let tick = UInt8(ascii: "`")
  return (line.first == tick || line.last == tick) && line.count { $0 == tick } == 1
}

/// The text of a line that is a Markdown code span as a whole; nil for any other line.
func codeSpan(_ line: Bytes) -> Bytes? {
  let tick = UInt8(ascii: "`")
  let text = line.trimmed
  guard text.count > 2, text.first == tick, text.last == tick, case let inside = text.dropFirst().dropLast(),
    !inside.contains(tick)
  else { return nil }
  return inside
}

/// Whether a line opens or closes a Markdown code block.
func isFence(_ line: Bytes) -> Bool {
  guard let first = line.first, first == UInt8(ascii: "`") || first == UInt8(ascii: "~") else { return false }
  return line.hasPrefix("```") || line.hasPrefix("~~~")
}

/// Removes `12: `, `12 | `, `12. `, `12) ` or `12` and a TAB or blank from a line; nil when there is no number.
func numbered(_ line: Bytes) -> (number: UInt64, rest: Bytes)? {
  let text = line.trimmedStart
  guard let first = text.first, first.isDigit else { return nil }
  let digits = text.prefix { $0.isDigit }
  guard let number = digits.decimalValue else { return nil }
  let rest = text[digits.endIndex...]
  if let mark = rest.trimmedStart.first, mark.isAny(of: ":|.)") {
    return (number, rest.trimmedStart.dropFirst().drop(atMost: 1, 0x20))
  }
  guard let blank = rest.first else { return (number, rest) }
  return blank.isBlank ? (number, rest.dropFirst()) : nil
}
