/// One line of a text report.
struct Line {
  /// Its number in the input, 1-based.
  var number: Int
  /// All of it but the line break, mail-quoting marks and blanks at its end.
  var raw: Bytes
  /// `raw` without its indentation.
  var text: Bytes

  var isBlank: Bool { text.isEmpty }

  /// The parts of `Key: value`; nil when there is no colon near the start.
  var keyAndValue: (key: String, value: Bytes)? {
    guard let colon = text.prefix(40).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (text[..<colon].trimmedEnd.string, text[(colon + 1)...].trimmed)
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
    var end = start
    while end < bytes.endIndex, bytes[end] != 0x0a, bytes[end] != 0x0d { end += 1 }
    position = Swift.min(end + 1, bytes.endIndex)
    if end + 1 < bytes.endIndex, bytes[end] == 0x0d, bytes[end + 1] == 0x0a { position += 1 }
    number += 1
    let raw = withoutQuoting(bytes[start..<end]).trimmedEnd
    return Line(number: number, raw: raw, text: raw.trimmedStart)
  }

  /// Takes off `> ` marks of quoted mail, as deep as they go.
  private func withoutQuoting(_ line: Bytes) -> Bytes {
    guard line.first == UInt8(ascii: ">") else { return line }
    var rest = line
    while rest.first == UInt8(ascii: ">") {
      rest = rest.dropFirst()
      if rest.first == 0x20 { rest = rest.dropFirst() }
    }
    return rest
  }
}
