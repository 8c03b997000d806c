/// One line of a text report.
struct Line {
  /// Its number in the input, 1-based.
  var number: Int
  /// All of it but the line break and blanks at its end.
  var raw: Bytes
  /// `raw` without its indentation.
  var text: Bytes

  var isBlank: Bool { text.isEmpty }

  /// The parts of `Key: value`; nil when there is no colon near the start.
  var keyAndValue: (key: String, value: Bytes)? {
    guard let colon = text.prefix(40).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (text[..<colon].trimmedEnd.string, text[(colon + 1)...].trimmed)
  }

  /// The line with another text in it.
  func with(text: Bytes) -> Line { Line(number: number, raw: text, text: text.trimmedStart) }

  /// This line and the next as the one they were before a mail program or a terminal broke it.
  ///
  /// Lines are broken at blanks; a UUID also behind one of its dashes.
  func joined(with next: Line) -> Line {
    let isInsideUUID = text.last == UInt8(ascii: "-") && text.contains(UInt8(ascii: "<"))
    let joined = Bytes(text + (isInsideUUID ? [] : [0x20]) + next.text)
    return Line(number: number, raw: joined, text: joined)
  }
}

/// Walks the lines of a stretch of the input.
///
/// A line ends with LF, CR LF or CR.
struct LineCursor: Sequence, IteratorProtocol {
  private let bytes: Bytes
  private var position: Int
  private var number: Int

  /// Begins at the start of `bytes`, which is the start of line `firstLine` of the input.
  init(_ bytes: Bytes, firstLine: Int = 1) {
    self.bytes = bytes
    position = bytes.startIndex
    number = firstLine - 1
  }

  mutating func next() -> Line? {
    guard position < bytes.endIndex else { return nil }
    let start = position
    let end = endOfLine(in: bytes, from: start)
    position = startOfNextLine(in: bytes, from: end)
    number += 1
    let raw = bytes[start..<end].trimmedEnd
    return Line(number: number, raw: raw, text: raw.trimmedStart)
  }
}

extension Line {
  /// The line without the sequences that colour a terminal's text, and without what they let a terminal overwrite.
  var withoutEscapeSequences: Line {
    guard text.contains(0x1b) else { return self }
    var plain: [UInt8] = []
    var rest = raw
    while let byte = rest.first {
      rest = rest.dropFirst()
      if byte == 0x1b, rest.first == UInt8(ascii: "[") {
        rest = rest.dropFirst().drop { !$0.isLetter }.dropFirst()
      } else {
        plain.append(byte)
      }
    }
    let line = Bytes(plain).trimmedEnd
    return Line(number: number, raw: line, text: line.trimmedStart)
  }
}
