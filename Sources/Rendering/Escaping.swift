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
func jsonLiteral(_ text: String) -> String {
  var bytes: [UInt8] = [UInt8(ascii: "\"")]
  bytes.reserveCapacity(text.utf8.count + 2)
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "\""): bytes += Array("\\\"".utf8)
    case UInt8(ascii: "\\"): bytes += Array("\\\\".utf8)
    case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
    case UInt8(ascii: "\r"): bytes += Array("\\r".utf8)
    case UInt8(ascii: "\t"): bytes += Array("\\t".utf8)
    case 0..<0x20, 0x7f: bytes += Array(("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8)
    default: bytes.append(byte)
    }
  }
  bytes.append(UInt8(ascii: "\""))
  return String(decoding: bytes, as: UTF8.self)
}
