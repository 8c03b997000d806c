internal import CrashReadCore

/// The kind of a pointer's value, whatever it points to; raw values are those of `rules.json`.
enum PointerValue: String, Sendable, CaseIterable {
  /// `0x5555…`: the pattern that macOS's allocator writes to freed memory when MallocScribble is set.
  case freedPattern
  /// `0xaaaa…`: the pattern that it writes to allocated memory when MallocPreScribble is set.
  case freshPattern
  /// Eight characters of text.
  case text
  /// Seven characters of text, and a zero; in a 32-bit process, four letters.
  case shortText
  /// `0xbbadbeef`, to which WebKit writes to crash on purpose.
  case deliberate
  /// `0xbad4007`, or slightly above: the value to which dyld binds a symbol that a library of the system expects in
  /// another one, and that the library loaded in its place lacks (objc4, `objc-runtime-new.mm`, "missing from an
  /// installed root").
  case missingSymbol
  /// `0xb01dfacedebac1e`, which Go's runtime uses for a malformed address that the kernel didn't state
  /// (runtime/signal_darwin_amd64.go).
  case goPlaceholder = "goStandIn"
  /// The word with which libpthread marks a lock, or slightly above: the memory holds a lock, not the object that was expected.
  case lockSignature
  /// A single repeated byte, as `memset` leaves it.
  case filled
  /// Slightly below zero: an error number or -1.
  case negative
  /// Two ARM64 instructions.
  case code
  /// Bits are set that no user address has.
  case nonCanonical

  /// The kind of a 64-bit or a 32-bit value; nil for any other value.
  init?(_ value: UInt64, is64Bit: Bool) {
    let highest: UInt64 = is64Bit ? .max : 0xffff_ffff
    // An access adds an offset, so the lowest bytes are ignored; the top byte can be a tag.
    let pattern = is64Bit ? value >> 16 & 0xff_ffff_ffff : value >> 16 & 0xffff
    if value & 0xffff_ffff == 0xbbad_beef, value >> 32 == 0 {
      self = .deliberate
    } else if 0xbad_4007..<0xbad_5007 ~= value {
      self = .missingSymbol
    } else if value == 0xb01_dfac_edeb_ac1e {
      self = .goPlaceholder
    } else if is64Bit, isLockSignature(value) {
      self = .lockSignature
    } else if pattern == (is64Bit ? 0x55_5555_5555 : 0x5555) {
      self = .freedPattern
    } else if pattern == (is64Bit ? 0xaa_aaaa_aaaa : 0xaaaa) {
      self = .freshPattern
    } else if value <= highest, highest - value < 4096 {
      self = .negative
    } else if isFilled(value, is64Bit: is64Bit) {
      self = .filled
    } else if let text = spelledText(value, is64Bit: is64Bit) {
      self = text.utf8.count == 8 ? .text : .shortText
    } else if is64Bit, areCommonInstructions(value) {
      self = .code
    } else if is64Bit, value >> 48 != 0 {
      self = .nonCanonical
    } else {
      return nil
    }
  }
}

extension UInt64 {
  /// An address without its top byte, which can be a tag that the CPU ignores.
  var withoutTag: UInt64 { self & 0x00ff_ffff_ffff_ffff }
}

/// Whether a value is the signature of one of libpthread's locks, or that with the offset of a member
/// (apple-oss-distributions/libpthread, src/internal.h, `_PTHREAD_MUTEX_SIG` and those beside it).
private func isLockSignature(_ value: UInt64) -> Bool {
  let mutexes: [UInt64] = [0x4d55_5458, 0x4d55_545a, 0x32aa_aba7, 0x32aa_aba1, 0x32aa_aba2, 0x32aa_aba3]
  let conditions: [UInt64] = [0x434f_4e44, 0x3cb0_b1bb]
  return (mutexes + conditions).contains { $0...($0 + maximumMember) ~= value }
}

/// The maximum offset of a member that is taken into account.
private let maximumMember: UInt64 = 0x200

/// Whether nearly all bytes are the same; an offset or a mask may have changed the others.
private func isFilled(_ value: UInt64, is64Bit: Bool) -> Bool {
  let count = is64Bit ? 8 : 4
  let bytes = Array(value.littleEndianBytes.prefix(count))
  let top = bytes[count - 1]
  return top != 0 && top != 0xff && bytes.count { $0 == top } >= (is64Bit ? 5 : 3)
}

/// Whether both halves are instructions that are common in ARM64 code, one of them with a fixed encoding. Fewer than
/// one in a billion other numbers have this form.
private func areCommonInstructions(_ value: UInt64) -> Bool {
  let words = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
  func isFixed(_ word: UInt32) -> Bool {
    // `stp` and `ldp` of the frame record (`x29, x30, [sp…]`), `ret` and `retab`, hints such as `nop` and `pacibsp`.
    word & 0xfe00_7fff == 0xa800_7bfd || word == 0xd65f_03c0 || word == 0xd65f_0fff
      || word & 0xffff_f01f == 0xd503_201f
  }
  func isCommon(_ word: UInt32) -> Bool {
    // `bl`; `mov` between registers; `add` and `sub` on sp.
    isFixed(word) || word >> 26 == 0x25 || word & 0x7fe0_ffe0 == 0x2a00_03e0
      || word & 0xbf80_03ff == 0x9100_03ff
  }
  return words.contains(where: isFixed) && words.allSatisfy(isCommon)
}

/// The text that a number's bytes spell in memory, lowest byte first: at least seven printable characters followed by
/// zeros, or the letters of a 32-bit number; otherwise nil.
func spelledText(_ value: UInt64, is64Bit: Bool) -> String? {
  var bytes = value.littleEndianBytes
  if !is64Bit, value >> 24 == 0 { return nil }
  while bytes.last == 0 { bytes.removeLast() }
  // An access adds an offset, which changes the lowest of four bytes first.
  if !is64Bit, bytes.count == 4, bytes[0] >= 0x80 { bytes.removeFirst() }
  guard bytes.count >= (is64Bit ? 7 : 3), bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
  // Numbers can look like punctuation, so most characters must be letters, or, of eight, letters and digits.
  let letters = bytes.count { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x20 }
  let digits = bytes.count == 8 ? bytes.count { (0x30...0x39).contains($0) } : 0
  return (letters + digits) * 2 >= bytes.count && (is64Bit || letters == bytes.count)
    ? String(decoding: bytes, as: UTF8.self) : nil
}
