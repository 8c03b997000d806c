internal import CrashReadCore

/// SipHash-2-4 with 128 bits: without the key, two inputs with the same hash can't be constructed.
///
/// See "SipHash: a fast short-input PRF" by Aumasson and Bernstein, 2012, and its reference code for 128 bits.
struct SipHash {
  private var v0: UInt64 = 0x736f_6d65_7073_6575
  private var v1: UInt64 = 0x646f_7261_6e64_6f6d
  private var v2: UInt64 = 0x6c79_6765_6e65_7261
  private var v3: UInt64 = 0x7465_6462_7974_6573

  /// Hashes bytes.
  /// - Parameters:
  ///   - bytes: What to hash.
  ///   - key: 16 bytes.
  /// - Returns: 16 bytes.
  static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    precondition(key.count == 16, "a key has 16 bytes")
    var state = SipHash(word(key, at: 0), word(key, at: 8))
    let whole = bytes.count & ~7
    for start in stride(from: 0, to: whole, by: 8) { state.take(word(bytes, at: start)) }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for index in whole..<bytes.count { last |= UInt64(bytes[index]) << UInt64(8 * (index - whole)) }
    state.take(last)
    return state.finish()
  }

  private init(_ k0: UInt64, _ k1: UInt64) {
    v0 ^= k0
    v1 ^= k1 ^ 0xee
    v2 ^= k0
    v3 ^= k1
  }

  private mutating func take(_ word: UInt64) {
    v3 ^= word
    for _ in 0..<2 { round() }
    v0 ^= word
  }

  private mutating func finish() -> [UInt8] {
    v2 ^= 0xee
    for _ in 0..<4 { round() }
    let first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<4 { round() }
    let second = v0 ^ v1 ^ v2 ^ v3
    return [first, second].flatMap(\.littleEndianBytes)
  }

  private mutating func round() {
    v0 &+= v1
    v2 &+= v3
    v1 = rotated(v1, 13) ^ v0
    v3 = rotated(v3, 16) ^ v2
    v0 = rotated(v0, 32)
    v2 &+= v1
    v0 &+= v3
    v1 = rotated(v1, 17) ^ v2
    v3 = rotated(v3, 21) ^ v0
    v2 = rotated(v2, 32)
  }

  private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }

  /// A 64-bit little-endian integer.
  private static func word(_ bytes: [UInt8], at start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<8 { word |= UInt64(bytes[start + index]) << UInt64(8 * index) }
    return word
  }
}
