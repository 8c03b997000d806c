/// Bytes from Base64 (RFC 4648, section 4); nil for text that isn't such.
package func base64Decoded(_ text: some StringProtocol) -> [UInt8]? {
  var bytes: [UInt8] = []
  var (bits, count) = (UInt32(0), 0)
  for character in text.utf8 {
    if character == UInt8(ascii: "=") { break }
    guard let value = sextet(character) else { return nil }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
  }
  return bytes
}

private func sextet(_ character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
  case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
  case UInt8(ascii: "+"): 62
  case UInt8(ascii: "/"): 63
  default: nil
  }
}
