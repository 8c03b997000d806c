internal import CrashReadCore

/// One line of a text report.
struct Line {
  /// Its number in the input, 1-based.
  var number: Int
  /// All of it except the line break and trailing blanks.
  let raw: Bytes
  /// Where the indentation ends. A second slice would be a second reference to count at every copy.
  private let start: Int

  init(number: Int, raw: Bytes) {
    self.number = number
    self.raw = raw
    start = raw.trimmedStart.startIndex
  }

  /// `raw` without its indentation.
  var text: Bytes { raw[start...] }

  var isBlank: Bool { text.isEmpty }

  /// The parts of `Key: value`; nil when there is no colon near the start.
  var keyAndValue: (key: String, value: Bytes)? {
    guard let colon = text.prefix(40).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (text[..<colon].trimmedEnd.string, text[(colon + 1)...].trimmed)
  }

  /// The line with another text in it.
  func with(text: Bytes) -> Line { Line(number: number, raw: text) }

  /// This line and the next, joined as they were before a mail program or a terminal wrapped them.
  ///
  /// Lines are wrapped at blanks; a UUID also after one of its dashes.
  func joined(with next: Line) -> Line {
    let isInsideUUID = text.last == UInt8(ascii: "-") && text.contains(UInt8(ascii: "<"))
    let joined = Bytes(text + (isInsideUUID ? [] : [0x20]) + next.text)
    return Line(number: number, raw: joined)
  }
}

/// The ranges of the lines in a part of the input: the only code that handles line ends.
///
/// A line ends with LF, CR LF or CR.
struct LineRanges: Sequence, IteratorProtocol {
  private let bytes: Bytes
  /// Where the next line begins.
  private(set) var position: Int
  /// The first line feed and the first carriage return from `position` on, or the end. Each is searched for only once,
  /// however many of the other precede it.
  private var lineFeed: Int
  private var carriageReturn: Int

  init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.startIndex
    lineFeed = bytes.startIndex - 1
    carriageReturn = bytes.startIndex - 1
  }

  /// The next line without its line end.
  mutating func next() -> Range<Int>? {
    guard position < bytes.endIndex else { return nil }
    let start = position
    if lineFeed < start { lineFeed = position(of: 0x0a, from: start) }
    if carriageReturn < start { carriageReturn = position(of: 0x0d, from: start) }
    let end = Swift.min(lineFeed, carriageReturn)
    // CR LF is one line end.
    position = Swift.min(end + (end + 1 == lineFeed ? 2 : 1), bytes.endIndex)
    return start..<end
  }

  private func position(of byte: UInt8, from start: Int) -> Int {
    let offset = bytes.span.firstOffset(of: byte, from: start - bytes.startIndex)
    return offset.map { bytes.startIndex + $0 } ?? bytes.endIndex
  }
}

/// Walks the lines of a stretch of the input.
struct LineCursor: Sequence, IteratorProtocol {
  private let bytes: Bytes
  private var ranges: LineRanges
  private var number: Int

  /// Begins at the start of `bytes`, which is the start of line `firstLine` of the input.
  init(_ bytes: Bytes, firstLine: Int = 1) {
    self.bytes = bytes
    ranges = LineRanges(bytes)
    number = firstLine - 1
  }

  mutating func next() -> Line? {
    guard let range = ranges.next() else { return nil }
    number += 1
    return Line(number: number, raw: bytes[range].trimmedEnd)
  }

  /// Begins up to `count` lines before a line, but not before `start`.
  init(_ bytes: Bytes, count: Int, before line: Line, from start: Int) {
    var (position, number) = (line.raw.startIndex, line.number)
    while number > line.number - count, position > start {
      let isPair = position - 1 > start && bytes[position - 1] == 0x0a && bytes[position - 2] == 0x0d
      position -= isPair ? 2 : 1
      while position > start, bytes[position - 1] != 0x0a, bytes[position - 1] != 0x0d { position -= 1 }
      number -= 1
    }
    self.init(bytes[position..<line.raw.startIndex], firstLine: number)
  }
}

/// The character that begins an escape sequence, such as those that colour a terminal's text.
let escapeCharacter: UInt8 = 0x1b

extension Line {
  /// The line without a terminal's control sequences (`ESC [` to a letter), such as those that colour text.
  var withoutEscapeSequences: Line {
    guard text.contains(escapeCharacter) else { return self }
    var plain: [UInt8] = []
    var rest = raw
    while let byte = rest.first {
      rest = rest.dropFirst()
      if byte == escapeCharacter, rest.first == UInt8(ascii: "[") {
        rest = rest.dropFirst().drop { !$0.isLetter }.dropFirst()
      } else {
        plain.append(byte)
      }
    }
    return Line(number: number, raw: Bytes(plain).trimmedEnd)
  }
}
