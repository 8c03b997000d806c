extension InstructionSet {
  /// The ends of branches and jumps to an address with a wide displacement, in bytes from the first byte.
  ///
  /// Nothing is decoded, so that large amounts of code can be searched. On x86-64 unrelated bytes match with a
  /// probability of about 1 in 2³².
  package func branchEnds(to target: UInt64, in bytes: [UInt8], at start: UInt64) -> [Int] {
    let step = self == .arm64 ? 4 : 1
    return stride(from: 0, to: max(0, bytes.count - 3), by: step).compactMap { offset in
      let size =
        self == .arm64 ? arm64Size(bytes, offset, start, target) : x86Size(bytes, offset, start, target)
      return size.map { offset + $0 }
    }
  }

  /// The size of a `jcc` or `jmp` with a 32-bit displacement; nil for anything else.
  private func x86Size(_ bytes: [UInt8], _ offset: Int, _ start: UInt64, _ target: UInt64) -> Int? {
    let isConditional = bytes[offset] == 0x0f && bytes[offset + 1] & 0xf0 == 0x80
    guard isConditional || bytes[offset] == 0xe9 else { return nil }
    let size = isConditional ? 6 : 5
    guard offset + size <= bytes.count else { return nil }
    let distance = Int32(bitPattern: word(bytes, at: offset + size - 4))
    return start &+ UInt64(offset + size) &+ UInt64(bitPattern: Int64(distance)) == target ? size : nil
  }

  /// The size of a `b.cond`, `cbz`, `cbnz`, `tbz`, `tbnz` or `b` (Arm's manual, C4.1); nil for anything else.
  private func arm64Size(_ bytes: [UInt8], _ offset: Int, _ start: UInt64, _ target: UInt64) -> Int? {
    let word = word(bytes, at: offset)
    let width: UInt32 =
      switch word {
      case _ where word & 0xff00_0010 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000: 19
      case _ where word & 0x7e00_0000 == 0x3600_0000: 14
      case _ where word & 0xfc00_0000 == 0x1400_0000: 26
      default: 0
      }
    guard width > 0 else { return nil }
    let field = width == 26 ? word : word >> 5
    let distance = Int32(bitPattern: field << (32 - width)) >> Int32(32 - width) * 4
    return start &+ UInt64(offset) &+ UInt64(bitPattern: Int64(distance)) == target ? 4 : nil
  }
}

/// The four bytes at an offset as a little-endian number; they must be inside the array.
func word(_ bytes: [UInt8], at offset: Int) -> UInt32 {
  (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
}
