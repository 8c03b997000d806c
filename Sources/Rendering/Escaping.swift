/// Text from a report made harmless for a terminal: control characters, which could move the cursor or change colours,
/// become visible, and so do the bidirectional controls, which could make a line read otherwise than it is.
func terminalText(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isTerminalControl) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if scalar == "\t" {
      result += "  "
    } else if isTerminalControl(scalar) {
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isTerminalControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: true
  default: false
  }
}

/// A JSON string literal, quotes included (RFC 8259, section 7).
///
/// Control characters are escaped, also those from U+0080 on, which a terminal would obey.
func jsonLiteral(_ text: String) -> String {
  // Nearly all texts hold nothing to escape.
  if !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c || $0 == 0x7f || $0 == 0xc2 }) {
    return "\"\(text)\""
  }
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case "\0"..<" ", "\u{7f}"..."\u{9f}":
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
