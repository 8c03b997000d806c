/// Breaks a text into lines of at most `width` columns, at blanks and between Japanese and Chinese characters.
///
/// - Parameters:
///   - text: A text without line breaks.
///   - width: The maximum number of columns.
///   - breaksNames: Whether a word that is too long for a line, such as a selector, is broken after separators in it.
///     Paths and URLs aren't, so that they can be copied.
/// - Returns: The lines, none of them empty.
func wrapped(_ text: String, toWidth width: Int, breaksNames: Bool = false) -> [String] {
  var lines: [String] = []
  var line = ""
  var used = 0
  for word in text.utf8.split(separator: UInt8(ascii: " ")).map({ Substring($0) }) {
    var blank = used > 0 ? 1 : 0
    let isBroken = breaksNames && displayWidth(word) > width
    for piece in unbreakablePieces(of: word, atSeparators: isBroken) {
      let size = displayWidth(piece)
      if used > 0, used + blank + size > width {
        lines.append(line)
        line = ""
        used = 0
        blank = 0
      }
      line += (blank > 0 ? " " : "") + piece
      used += blank + size
      blank = 0
    }
  }
  if !line.isEmpty { lines.append(line) }
  return lines
}

/// The parts of a word without blanks that can't be broken.
private func unbreakablePieces(of word: Substring, atSeparators: Bool) -> [Substring] {
  // In ASCII only separators allow a break.
  guard atSeparators || !word.isASCII else { return [word] }
  var pieces: [Substring] = []
  var start = word.startIndex
  var previous: Character?
  for index in word.indices {
    let next = word[index]
    if let previous,
      canBreak(between: previous, and: next) || atSeparators && endsPart(previous, before: next)
    {
      pieces.append(word[start..<index])
      start = index
    }
    previous = next
  }
  return pieces + [word[start...]]
}

/// Whether a name may be broken between two characters: after a selector part, a namespace, an argument.
private func endsPart(_ previous: Character, before next: Character) -> Bool {
  ":.,|<(_".contains(previous) && (next.isLetter || next.isNumber || "-+[".contains(next))
}

private func canBreak(between previous: Character, and next: Character) -> Bool {
  (isWrittenWithoutBlanks(previous) || isWrittenWithoutBlanks(next))
    && !neverLast.contains(previous) && !neverFirst.contains(next)
}

/// Whether a character belongs to a script without blanks between words: kana, Han, and their punctuation.
private func isWrittenWithoutBlanks(_ character: Character) -> Bool {
  switch character.unicodeScalars.first?.value ?? 0 {
  case 0x3000...0x30ff, 0x31f0...0x31ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfaff, 0xff00...0xff60,
    0x20000...0x3fffd:
    true
  default: false
  }
}

// The line breaking rules of Japanese called kinsoku (JIS X 4051).
private let neverFirst = Set("、。，．・：；？！）」』】〉》〕］｝ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ…,.:;?!)]}%")
private let neverLast = Set("（「『【〈《〔［｛([{")

extension Palette {
  /// A heading in a column of its own, and paragraphs beside it; empty without paragraphs.
  func labelled(_ label: String, _ paragraphs: [String], width: Int) -> [String] {
    let indent = 10
    var lines: [String] = []
    for paragraph in paragraphs where !paragraph.isEmpty {
      for line in wrapped(plainText(paragraph), toWidth: width - indent) {
        let head = lines.isEmpty ? padded(label, toWidth: indent) : String(repeating: " ", count: indent)
        lines.append(paint(head, .heading) + line)
      }
    }
    return lines
  }
}
