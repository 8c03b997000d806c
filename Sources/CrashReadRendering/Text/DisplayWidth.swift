/// The columns that a text takes on a terminal: 2 for East Asian wide characters, 0 for combining ones, otherwise 1.
func displayWidth(_ text: some StringProtocol) -> Int {
  // Nearly all names and most sentences are ASCII, where a byte is a column.
  text.isASCII ? text.utf8.count : text.reduce(0) { $0 + displayWidth(of: $1) }
}

extension StringProtocol {
  /// Whether all characters are ASCII.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

/// The start of a text that fits in some columns, with an ellipsis if it was cut.
func truncated(_ text: String, toWidth width: Int) -> String {
  guard displayWidth(text) > width else { return text }
  var result = ""
  var used = 1  // the ellipsis
  for character in text {
    used += displayWidth(of: character)
    if used > width { break }
    result.append(character)
  }
  return result + "…"
}

/// A text padded with blanks at its end.
func padded(_ text: String, toWidth width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - displayWidth(text)))
}

/// A text padded with blanks at its start.
func rightAligned(_ text: String, width: Int) -> String {
  String(repeating: " ", count: max(0, width - displayWidth(text))) + text
}

private func displayWidth(of character: Character) -> Int {
  guard let scalar = character.unicodeScalars.first else { return 0 }
  if scalar.value < 0x300 { return 1 }
  if scalar.properties.generalCategory == .nonspacingMark || scalar.value == 0x200b { return 0 }
  // The voicing marks of half-width katakana combine with the preceding letter, but take a column of their own.
  let voicingMarks = character.unicodeScalars.dropFirst().count { (0xff9e...0xff9f).contains($0.value) }
  return (isWide(scalar) ? 2 : 1) + voicingMarks
}

/// East Asian Width W or F (Unicode Standard Annex #11), and emoji.
private func isWide(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff,
    0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff,
    0x20000...0x3fffd:
    true
  default: scalar.properties.isEmojiPresentation
  }
}
