internal import CrashReadCore

/// Operands of one A64 word as a disassembler prints them.
///
/// Kinds, for `EncodingRow`: `x` `w` registers with 31 for zero, `X` `W` with 31 for the stack pointer, `r` `R` of the
/// width in field `W`, `e` of the width of an extension; `b` `h` `s` `d` `q` `f` floating point, `v` vectors. `#` an
/// immediate, `u` the same without its mark, `+` a signed one, `,` `;` the same omitted when 0, `@` `A` `P` addresses
/// relative to the program counter. The others are documented where they are handled.
struct Arm64Text {
  let row: EncodingRow
  let word: UInt32
  let address: UInt64

  /// The whole text; nil when an operand is invalid, and the word therefore doesn't have this encoding.
  var text: String? {
    var text = ""
    for piece in row.pieces {
      switch piece {
      case .literal(let literal): text += literal
      case .operand(let kind, let letter, let scale):
        guard let operand = operand(kind, letter, scale) else { return nil }
        text += operand
      }
    }
    return text
  }

  func field(_ letter: UInt8) -> UInt64 { row.field(letter, word) }
  func field(_ letter: Character) -> UInt64 { field(letter.asciiValue ?? 0) }
  var isWide: Bool { row.width(UInt8(ascii: "W")) == 0 || field("W") == 1 }

  private func operand(_ kind: UInt8, _ letter: UInt8, _ scale: Int64) -> String? {
    switch Character(UnicodeScalar(kind)) {
    case "x", "w", "X", "W", "r", "R", "e": registerText(kind, letter)
    case "b", "h", "s", "d", "q": String(UnicodeScalar(kind)) + String(field(letter))
    case "f": floatName(field("F"), letter)
    case "#", "u", "+", ",", ";", "@", "A", "P": numberText(kind, letter, scale)
    case "c": Self.conditions[Int(field(letter) & 15)]
    case "C": field(letter) >> 1 == 7 ? nil : Self.conditions[Int(field(letter) & 15 ^ 1)]
    case "S", "T": shift(field("h"), field(letter), allowsRotation: kind == UInt8(ascii: "T"))
    case "E": Arm64Extension(self).added
    case "G": Arm64Extension(self).index(scale)
    case "I": wideImmediate
    case "M", "O": bitmask(isMove: kind == UInt8(ascii: "O"))
    case "m", "n", "k": moveWide(kind)
    case "Z": Arm64Bitfield(self).text(letter)
    case "z": fraction(letter)
    case "F": floatImmediate(field(letter))
    case "a": (field("a") == 1 ? "a" : "") + (field("l") == 1 ? "l" : "")
    default: systemText(kind, letter, scale)
    }
  }

  private func systemText(_ kind: UInt8, _ letter: UInt8, _ scale: Int64) -> String? {
    switch Character(UnicodeScalar(kind)) {
    case "U": prefetch(field(letter))
    case "D": Self.barriers[Int(field(letter) & 15)] ?? "#\(hexadecimal(field(letter)))"
    case "Y": systemRegister
    case "p": processState
    case "y": system
    case "o": "#\(hexadecimal(field("a"))), c\(field("b")), c\(field("c")), #\(hexadecimal(field("d")))"
    case "Q": (isLaneWide ? "x" : "w") + (field(letter) == 31 ? "zr" : String(field(letter)))
    case "J", "j": lane(letter, isSigned: kind == UInt8(ascii: "j"))
    case "H": duplicated(letter)
    case "V": vectorList(scale)
    case "L": laneList(letter, scale)
    case "N": list(scale, suffix: arrangement(UInt64(letter & 3)))
    case "K": "\(scale * (field("Q") == 1 ? 16 : 8))"
    default: nil
    }
  }

  static let conditions = [
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
  ]
  private static let barriers: [Int: String] = [
    1: "oshld", 2: "oshst", 3: "osh", 5: "nshld", 6: "nshst", 7: "nsh", 9: "ishld", 10: "ishst", 11: "ish",
    13: "ld", 14: "st", 15: "sy",
  ]
}

// MARK: - Registers

extension Arm64Text {
  /// The number of a field's register. Of a pair, the first has a field without the lowest bit, the second a capital
  /// letter.
  func registerNumber(_ letter: UInt8) -> UInt8 {
    guard row.width(letter) == 0, letter < UInt8(ascii: "a") else {
      return UInt8(row.width(letter) == 4 ? field(letter) << 1 : field(letter))
    }
    return registerNumber(letter + 0x20) + 1
  }

  private func registerText(_ kind: UInt8, _ letter: UInt8) -> String {
    let number = registerNumber(letter)
    let isWide =
      switch kind {
      case UInt8(ascii: "x"), UInt8(ascii: "X"): true
      case UInt8(ascii: "w"), UInt8(ascii: "W"): false
      case UInt8(ascii: "e"): field("o") & 3 == 3 && self.isWide
      default: self.isWide
      }
    guard number == 31 else { return (isWide ? "x" : "w") + String(number) }
    return Self.isStackKind(kind) ? (isWide ? "sp" : "wsp") : (isWide ? "xzr" : "wzr")
  }

  /// Whether 31 is the stack pointer in a register of this kind, and not zero.
  static func isStackKind(_ kind: UInt8) -> Bool {
    kind == UInt8(ascii: "X") || kind == UInt8(ascii: "W") || kind == UInt8(ascii: "R")
  }

  private func floatName(_ type: UInt64, _ letter: UInt8) -> String? {
    switch type {
    case 0: "s\(field(letter))"
    case 1: "d\(field(letter))"
    case 3: "h\(field(letter))"
    default: nil
    }
  }
}

// MARK: - Numbers

extension Arm64Text {
  /// The value of an operand; nil for one of another kind.
  func number(_ kind: UInt8, _ letter: UInt8, _ scale: Int64) -> UInt64? {
    switch Character(UnicodeScalar(kind)) {
    case "#", ",", "u": field(letter) &* UInt64(scale)
    case "+", ";": UInt64(bitPattern: row.signed(letter, word) &* scale)
    case "@": address &+ UInt64(bitPattern: row.signed(letter, word) &* 4)
    case "A": address &+ pageOffset
    case "P": (address & ~0xfff) &+ pageOffset << 12
    case "I": field("i") << (field("h") * 12)
    case "M", "O": bitmaskValue
    case "m": field("i") << (field("h") * 16)
    case "n": ~(field("i") << (field("h") * 16)) & (isWide ? .max : 0xffff_ffff)
    case "K": UInt64(scale) * (field("Q") == 1 ? 16 : 8)
    default: nil
    }
  }

  /// The low two bits of the distance are encoded separately.
  private var pageOffset: UInt64 {
    UInt64(bitPattern: row.signed(UInt8(ascii: "i"), word)) << 2 | field("l")
  }

  private func numberText(_ kind: UInt8, _ letter: UInt8, _ scale: Int64) -> String? {
    guard let value = number(kind, letter, scale) else { return nil }
    switch Character(UnicodeScalar(kind)) {
    case "#": return "#" + hexadecimal(value)
    case "u": return String(value)
    case "+": return "#" + hexadecimal(Int64(bitPattern: value))
    case ",", ";": return value == 0 ? "" : ", #" + hexadecimal(Int64(bitPattern: value))
    default: return hexadecimal(value)
    }
  }

  private var wideImmediate: String {
    "#" + hexadecimal(field("i")) + (field("h") == 1 ? ", lsl #12" : "")
  }

  private func shift(_ type: UInt64, _ amount: UInt64, allowsRotation: Bool) -> String? {
    guard amount < (isWide ? 64 : 32), type < 3 || allowsRotation else { return nil }
    if type == 0, amount == 0 { return "" }
    return ", \(["lsl", "lsr", "asr", "ror"][Int(type)]) #\(amount)"
  }

  private func fraction(_ letter: UInt8) -> String? {
    guard isWide || field(letter) >= 32 else { return nil }
    return "#" + hexadecimal(64 - field(letter))
  }

  /// A `movz` or `movn` as `mov`, if that is the preferred disassembly.
  private func moveWide(_ kind: UInt8) -> String? {
    guard isWide || field("h") < 2 else { return nil }
    if kind == UInt8(ascii: "k") {
      return "#" + hexadecimal(field("i")) + (field("h") == 0 ? "" : ", lsl #\(field("h") * 16)")
    }
    if field("i") == 0, field("h") != 0 { return nil }
    if kind == UInt8(ascii: "n"), !isWide, field("i") == 0xffff { return nil }
    return number(kind, UInt8(ascii: "i"), 1).map(signedText)
  }

  private func signedText(_ value: UInt64) -> String {
    "#" + hexadecimal(isWide ? Int64(bitPattern: value) : Int64(Int32(truncatingIfNeeded: value)))
  }

  /// The mask of logical instructions: a run of ones, rotated and repeated; nil for a reserved encoding.
  private var bitmaskValue: UInt64? {
    let (n, rotation, size) = (field("N"), field("r"), field("s"))
    guard isWide || n == 0 else { return nil }
    let selector = UInt64(n << 6 | ~size & 0x3f)
    guard selector > 1 else { return nil }
    let width = UInt64(1) << UInt64(63 - selector.leadingZeroBitCount)
    let ones = size & (width - 1) + 1
    guard ones < width else { return nil }
    let turn = rotation & (width - 1)
    let run = UInt64.max >> (64 - ones)
    let element = width == 64 ? run.rotated(by: turn, of: 64) : run.rotated(by: turn, of: width)
    var value = element
    var filled = width
    while filled < 64 {
      value |= value << filled
      filled *= 2
    }
    return isWide ? value : value & 0xffff_ffff
  }

  /// A logical immediate; as a `mov` it is printed only if no `movz` or `movn` gives the value.
  private func bitmask(isMove: Bool) -> String? {
    guard let value = bitmaskValue else { return nil }
    if !isMove { return "#" + hexadecimal(value) }
    return isMoveWide(value) ? nil : signedText(value)
  }

  private func isMoveWide(_ value: UInt64) -> Bool {
    let all: UInt64 = isWide ? .max : 0xffff_ffff
    return [value, ~value & all].contains { number in
      (0..<4).contains { number & ~(0xffff << UInt64($0 * 16)) == 0 }
    }
  }

  private func floatImmediate(_ bits: UInt64) -> String {
    let sign: Double = bits & 0x80 == 0 ? 1 : -1
    let power = Int(bits >> 4 & 7)
    let exponent = power < 4 ? power + 1 : power - 7
    let scale = exponent >= 0 ? Double(1 << exponent) : 1 / Double(1 << -exponent)
    let millionths = Int(sign * scale * Double(16 + bits & 15) / 16 * 100_000_000)
    let digits = String(millionths.magnitude % 100_000_000)
    let fraction = String(repeating: "0", count: 8 - digits.utf8.count) + digits
    return "#\(millionths < 0 ? "-" : "")\(millionths.magnitude / 100_000_000).\(fraction)"
  }
}

extension UInt64 {
  /// The low `width` bits, rotated right.
  fileprivate func rotated(by count: UInt64, of width: UInt64) -> UInt64 {
    guard count > 0 else { return self }
    let mask = UInt64.max >> (64 - width)
    return (self >> count | self << (width - count)) & mask
  }
}

/// The second register of an addition, extended and shifted: fields `o` and `i`, or `o` and `s` in an address.
struct Arm64Extension {
  private let operands: Arm64Text
  private static let names = ["uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"]

  init(_ operands: Arm64Text) { self.operands = operands }

  private var option: Int { Int(operands.field("o")) }

  /// What follows the register in an addition: `, uxtw #2`.
  fileprivate var added: String? {
    let amount = operands.field("i")
    guard amount <= 4 else { return nil }
    let hasStack =
      operands.field("n") == 31
      || operands.row.width(UInt8(ascii: "d")) > 0 && operands.field("d") == 31 && operands.isStackTarget
    if option == (operands.isWide ? 3 : 2), hasStack { return amount == 0 ? "" : ", lsl #\(amount)" }
    return ", \(Self.names[option])" + (amount == 0 ? "" : " #\(amount)")
  }

  /// The index of an address and what follows it: `x1, lsl #3`.
  fileprivate func index(_ shift: Int64) -> String? {
    guard option & 2 != 0 else { return nil }
    let number = operands.field("m")
    let name = (option & 1 == 1 ? "x" : "w") + (number == 31 ? "zr" : String(number))
    let isShifted = operands.field("s") == 1
    if option == 3 { return name + (isShifted ? ", lsl #\(shift)" : "") }
    return name + ", \(Self.names[option])" + (isShifted ? " #\(shift)" : "")
  }
}

extension Arm64Text {
  fileprivate var isStackTarget: Bool {
    row.pieces.contains {
      if case .operand(let kind, UInt8(ascii: "d"), _) = $0 { Self.isStackKind(kind) } else { false }
    }
  }
}

/// `sbfm`, `bfm` and `ubfm`, which are printed by their preferred aliases.
struct Arm64Bitfield {
  private let operands: Arm64Text
  private let first: UInt64
  private let last: UInt64
  private let top: UInt64

  init(_ operands: Arm64Text) {
    self.operands = operands
    (first, last) = (operands.field("r"), operands.field("s"))
    top = operands.row.mask & operands.row.value & 1 << 31 != 0 ? 63 : 31
  }

  private func register(_ letter: Character, isNarrow: Bool = false) -> String {
    let number = operands.field(letter)
    return (top == 63 && !isNarrow ? "x" : "w") + (number == 31 ? "zr" : String(number))
  }

  /// - Parameter kind: `s`, `u` or `b`.
  /// - Returns: The whole instruction; nil for 32 bits with a bit beyond them.
  fileprivate func text(_ kind: UInt8) -> String? {
    guard first <= top, last <= top else { return nil }
    switch Character(UnicodeScalar(kind)) {
    case "s": return shiftedOrExtended("asr", "sxt", "sbfx", "sbfiz")
    case "u": return shiftedOrExtended("lsr", "uxt", "ubfx", "ubfiz")
    default: return inserted
    }
  }

  private func shiftedOrExtended(
    _ shift: String, _ extend: String, _ extract: String, _ insert: String
  ) -> String {
    let isUnsigned = shift == "lsr"
    let source = "\(register("d")), \(register("n"))"
    if last == top { return "\(shift) \(source), #\(first)" }
    if isUnsigned, last + 1 == first { return "lsl \(source), #\(top - last)" }
    if first == 0, let letter = [7: "b", 15: "h", 31: "w"][last], !isUnsigned || top == 31 && letter != "w" {
      return "\(extend)\(letter) \(register("d")), \(register("n", isNarrow: true))"
    }
    return last < first
      ? "\(insert) \(source), #\(top + 1 - first), #\(last + 1)"
      : "\(extract) \(source), #\(first), #\(last - first + 1)"
  }

  private var inserted: String {
    let source = "\(register("d")), \(register("n"))"
    if last < first {
      return "bfi \(source), #\(top + 1 - first), #\(last + 1)"
    }
    return "bfxil \(source), #\(first), #\(last - first + 1)"
  }
}

// MARK: - System

extension Arm64Text {
  private func prefetch(_ bits: UInt64) -> String {
    let (type, level, policy) = (bits >> 3, bits >> 1 & 3, bits & 1)
    guard type < 3 else { return "#" + hexadecimal(bits) }
    let place = level == 3 ? "slc" : "l\(level + 1)"
    return ["pld", "pli", "pst"][Int(type)] + place + (policy == 0 ? "keep" : "strm")
  }

  private var systemRegister: String {
    let (o, n, m, p) = (field("a"), field("b"), field("c"), field("d"))
    let known: [UInt64: String] = [
      0xde82: "TPIDR_EL0", 0xde83: "TPIDRRO_EL0", 0xda10: "NZCV", 0xda20: "FPCR", 0xda21: "FPSR",
      0xdf00: "CNTFRQ_EL0",
      0xdf01: "CNTPCT_EL0", 0xdf02: "CNTVCT_EL0", 0xd801: "CTR_EL0", 0xd807: "DCZID_EL0", 0xda11: "DAIF",
      0xda17: "TCO", 0xda15: "DIT", 0xda16: "SSBS",
    ]
    let number = UInt64(2 + o >> 3) << 14 | (o & 7) << 11 | n << 7 | m << 3 | p
    return known[number] ?? "S\(2 + o >> 3)_\(o & 7)_C\(n)_C\(m)_\(p)"
  }

  private var processState: String? {
    switch (field("a"), field("b")) {
    case (0, 3): "UAO"
    case (0, 4): "PAN"
    case (0, 5): "SPSel"
    case (3, 1): "SSBS"
    case (3, 2): "DIT"
    case (3, 4): "TCO"
    case (3, 6): "DAIFSet"
    case (3, 7): "DAIFClr"
    default: nil
    }
  }

  /// Cache maintenance by its name, anything else by its numbers.
  private var system: String {
    let (a, b, c, d) = (field("a"), field("b"), field("c"), field("d"))
    let target = field("t") == 31 ? "" : ", x\(field("t"))"
    let names: [UInt64: String] = [
      0x0761: "dc ivac", 0x0762: "dc isw", 0x07a2: "dc csw", 0x07e2: "dc cisw", 0x37a1: "dc cvac",
      0x37b1: "dc cvau",
      0x37c1: "dc cvap", 0x37e1: "dc civac", 0x3751: "ic ivau", 0x0710: "ic ialluis", 0x0750: "ic iallu",
    ]
    if let name = names[a << 12 | b << 8 | c << 4 | d] {
      return name.hasSuffix("iallu") || name.hasSuffix("is")
        ? name : name + ", " + (field("t") == 31 ? "xzr" : "x\(field("t"))")
    }
    return "sys #\(hexadecimal(a)), c\(b), c\(c), #\(hexadecimal(d))" + target
  }
}

// MARK: - Vectors

extension Arm64Text {
  /// By fields `z`, the elements' size, and `Q`.
  private func arrangement(_ size: UInt64) -> String {
    let isFull = field("Q") == 1
    return ["8b", "4h", "2s", "1d", "16b", "8h", "4s", "2d"][Int(size & 3) + (isFull ? 4 : 0)]
  }

  /// The size of a lane, as a power of two of bytes: the lowest bit set in field `i`; the lane's number is above it.
  private var laneSize: Int { field("i").trailingZeroBitCount }

  private var isLaneWide: Bool {
    row.width(UInt8(ascii: "Q")) == 0 ? laneSize == 3 : row.written.isEmpty ? laneSize == 3 : field("Q") == 1
  }

  /// A lane that is moved from or to a general register; the size is that of the register.
  private func lane(_ letter: UInt8, isSigned: Bool) -> String? {
    let isFull = row.width(UInt8(ascii: "Q")) == 0 || field("Q") == 1
    let isWritten = row.written.isEmpty
    guard laneSize < 4, isWritten || (isSigned ? laneSize < (isFull ? 3 : 2) : isFull == (laneSize == 3))
    else { return nil }
    return "v\(field(letter)).\(["b", "h", "s", "d"][laneSize])[\(field("i") >> UInt64(laneSize + 1))]"
  }

  private func duplicated(_ letter: UInt8) -> String? {
    guard laneSize < 4, laneSize < 3 || field("Q") == 1 else { return nil }
    return "v\(field(letter)).\(arrangement(UInt64(laneSize)))"
  }

  private func vectorList(_ count: Int64) -> String? {
    let isWhole =
      field("z") < 3 || field("Q") == 1 || row.text(startsWith: "ld1") || row.text(startsWith: "st1")
    return isWhole ? list(count, suffix: arrangement(field("z"))) : nil
  }

  private func list(_ count: Int64, suffix: String) -> String {
    let names = (0..<UInt64(count)).map { "v\((field("t") + $0) & 31).\(suffix)" }
    return "{ " + names.joined(separator: ", ") + " }"
  }

  /// One lane of each register; the lane's number is encoded in `Q`, `s` and `z`, depending on the elements' size.
  private func laneList(_ kind: UInt8, _ count: Int64) -> String {
    let (full, s, size) = (field("Q"), field("s"), field("z"))
    switch kind {
    case UInt8(ascii: "0"): return list(count, suffix: "b") + "[\(full << 3 | s << 2 | size)]"
    case UInt8(ascii: "1"): return list(count, suffix: "h") + "[\(full << 2 | s << 1 | size)]"
    case UInt8(ascii: "2"): return list(count, suffix: "s") + "[\(full << 1 | s)]"
    default: return list(count, suffix: "d") + "[\(full)]"
    }
  }
}
