/// Bytes as lower-case hexadecimal digits, two each, in their order.
package func hexDigits(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A number as `0x` and hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

/// A number as its sign, `0x` and hexadecimal digits.
package func hexadecimal(_ value: Int64) -> String {
  (value < 0 ? "-" : "") + hexadecimal(value.magnitude)
}

/// The FNV-1a hash of a text (https://www.rfc-editor.org/rfc/rfc9923): the same in every run, and not for secrets.
private func fnv1a<Hash: FixedWidthInteger & UnsignedInteger>(
  _ text: String, offset: Hash, prime: Hash
) -> Hash {
  text.utf8.reduce(offset) { ($0 ^ Hash($1)) &* prime }
}

/// The FNV-1a hash of 32 bits.
package func fnv1a32(_ text: String) -> UInt32 { fnv1a(text, offset: 0x811c_9dc5, prime: 0x0100_0193) }

/// The FNV-1a hash of 128 bits, in 32 hexadecimal digits.
package func fnv1a128(_ text: String) -> String {
  let hash: UInt128 = fnv1a(
    text, offset: 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, prime: 0x0000_0000_0100_0000_0000_0000_0000_013b)
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 32 - digits.utf8.count) + digits
}

/// Decodes Base64 (RFC 4648, section 4); nil for invalid text.
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

/// Percent-encodes a text for use in a URI (RFC 3986, section 2): every byte except letters, digits, `-`, `.`, `_`, `~`
/// and those of `others`.
package func percentEncoded(_ text: String, keeping others: String) -> String {
  let kept = "-._~" + others
  var result = ""
  for byte in text.utf8 {
    if byte.isLetterOrDigit || kept.utf8.contains(byte) {
      result.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      result += "%" + hexDigits([byte]).uppercased()
    }
  }
  return result
}
