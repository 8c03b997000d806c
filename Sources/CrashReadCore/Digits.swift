/// Bytes as lower-case hexadecimal digits, two each, in their order.
package func hexDigits(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A number in hexadecimal, with `0x` before it.
package func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

/// A number in hexadecimal, with its sign and `0x` before it.
package func hexadecimal(_ value: Int64) -> String {
  (value < 0 ? "-" : "") + hexadecimal(value.magnitude)
}

/// The FNV-1a hash of a text (https://www.rfc-editor.org/rfc/rfc9923): stable, and not for secrets.
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
