/// Rows of loads and stores that differ in few bits: one register or two in every addressing mode.
func transferRows() -> String { (singleTransfers() + pairTransfers()).joined(separator: "\n") }

/// Rows of atomic operations, and of loads and stores of whole vectors.
func rareTransferRows() -> String { (atomicOperations() + vectorTransfers()).joined(separator: "\n") }

/// A register of a given size, loaded or stored.
private struct Transfer {
  /// Bits 31 and 30, bit 26, and bits 23 and 22.
  var (size, vector, operation): (String, String, String)
  var isLoad: Bool
  /// What follows `ldr` or `str`.
  var suffix: String
  var register: String
  var bytes: Int

  var effect: String { (isLoad && vector == "0" ? "t" : "") + (isLoad ? "<" : ">") + String(bytes) }
  func name(_ way: String) -> String { (isLoad ? "ld" : "st") + way + "r" + suffix }
  var shift: Int { bytes.trailingZeroBitCount }
}

private let transfers: [Transfer] =
  [
    ("00", "00", false, "b", "%wt", 1), ("00", "01", true, "b", "%wt", 1), ("00", "10", true, "sb", "%xt", 1),
    ("00", "11", true, "sb", "%wt", 1), ("01", "00", false, "h", "%wt", 2), ("01", "01", true, "h", "%wt", 2),
    ("01", "10", true, "sh", "%xt", 2), ("01", "11", true, "sh", "%wt", 2), ("10", "00", false, "", "%wt", 4),
    ("10", "01", true, "", "%wt", 4), ("10", "10", true, "sw", "%xt", 4), ("11", "00", false, "", "%xt", 8),
    ("11", "01", true, "", "%xt", 8),
  ].map { Transfer(size: $0, vector: "0", operation: $1, isLoad: $2, suffix: $3, register: $4, bytes: $5) }
  + [
    ("00", "00", false, "%bt", 1), ("00", "01", true, "%bt", 1), ("00", "10", false, "%qt", 16),
    ("00", "11", true, "%qt", 16),
    ("01", "00", false, "%ht", 2), ("01", "01", true, "%ht", 2), ("10", "00", false, "%st", 4),
    ("10", "01", true, "%st", 4),
    ("11", "00", false, "%dt", 8), ("11", "01", true, "%dt", 8),
  ].map { Transfer(size: $0, vector: "1", operation: $1, isLoad: $2, suffix: "", register: $3, bytes: $4) }

private func singleTransfers() -> [String] {
  transfers.flatMap { transfer -> [String] in
    let start = "\(transfer.size)111\(transfer.vector)"
    let (code, effect, register) = (transfer.operation, transfer.effect, transfer.register)
    func row(_ bits: String, _ name: String, _ address: String) -> String {
      "\(start)\(bits) \(effect) \(name) \(register), \(address)"
    }
    let unprivileged =
      transfer.vector == "0" ? [row("00\(code)0iiiiiiiii10nnnnnttttt", transfer.name("t"), "[%Xn%;i]")] : []
    return unprivileged + [
      row("00\(code)0iiiiiiiii00nnnnnttttt", transfer.name("u"), "[%Xn%;i]"),
      row("00\(code)0iiiiiiiii01nnnnnttttt", transfer.name(""), "[%Xn], %+i"),
      row("00\(code)0iiiiiiiii11nnnnnttttt", transfer.name(""), "[%Xn, %+i]!"),
      row("00\(code)1mmmmmooos10nnnnnttttt", transfer.name(""), "[%Xn, %Gm*\(transfer.shift)]"),
      row("01\(code)iiiiiiiiiiiinnnnnttttt", transfer.name(""), "[%Xn%,i*\(transfer.bytes)]"),
    ]
  } + [
    "11111000100iiiiiiiii00nnnnnttttt . prfum %Ut, [%Xn%;i]",
    "11111000101mmmmmooos10nnnnnttttt . prfm %Ut, [%Xn, %Gm*3]",
    "1111100110iiiiiiiiiiiinnnnnttttt . prfm %Ut, [%Xn%,i*8]",
  ]
}

private func pairTransfers() -> [String] {
  let registers = [
    ("00101", "w", 4), ("10101", "x", 8), ("00101", "s", 4), ("01101", "d", 8), ("10101", "q", 16),
  ]
  return registers.enumerated().flatMap { index, kind -> [String] in
    let (start, letter, bytes) = kind
    let isVector = index > 1
    return [false, true].flatMap { isLoad -> [String] in
      let effect = (isLoad && !isVector ? "tu<" : isLoad ? "<" : ">") + String(bytes * 2)
      return [
        ("000", "np", "[%Xn%;i*\(bytes)]"), ("001", "p", "[%Xn], %+i*\(bytes)"),
        ("010", "p", "[%Xn%;i*\(bytes)]"),
        ("011", "p", "[%Xn, %+i*\(bytes)]!"),
      ].map { mode, way, address in
        "\(start)\(isVector ? 1 : 0)\(mode)\(isLoad ? 1 : 0)iiiiiiiuuuuunnnnnttttt \(effect) "
          + "\(isLoad ? "ld" : "st")\(way) %\(letter)t, %\(letter)u, \(address)"
      }
    }
  }
}

private func atomicOperations() -> [String] {
  let names = ["add", "clr", "eor", "set", "smax", "smin", "umax", "umin"]
  let sizes = [("00", "w", "b", 1), ("01", "w", "h", 2), ("10", "w", "", 4), ("11", "x", "", 8)]
  return sizes.flatMap { size, letter, suffix, bytes -> [String] in
    let operations = names.enumerated().flatMap { code, name -> [String] in
      let opcode = String(repeating: "0", count: 4 - String(code, radix: 2).count) + String(code, radix: 2)
      let end = "1sssss\(opcode)00nnnnn"
      return [
        "\(size)1110000l\(end)11111 %\(bytes) st\(name)%al\(suffix) %\(letter)s, [%Xn]",
        "\(size)111000al\(end)ttttt t%\(bytes) ld\(name)%al\(suffix) %\(letter)s, %\(letter)t, [%Xn]",
      ]
    }
    let swap =
      "\(size)111000al1sssss100000nnnnnttttt t%\(bytes) swp%al\(suffix) %\(letter)s, %\(letter)t, [%Xn]"
    return operations + [swap]
  }
}

/// `ld1` to `ld4` and `st1` to `st4`.
private func vectorTransfers() -> [String] {
  let whole = [
    ("0000", 4, 4), ("0010", 1, 4), ("0100", 3, 3), ("0110", 1, 3), ("0111", 1, 1), ("1000", 2, 2),
    ("1010", 1, 2),
  ]
  return [("0", "st", ">"), ("1", "ld", "<")].flatMap { bit, verb, sign -> [String] in
    let several = whole.flatMap { code, structure, count -> [String] in
      let list = "\(verb)\(structure) %Vt*\(count), [%Xn]"
      let effect = "\(sign)v\(count)"
      return [
        "0Q0011000\(bit)000000\(code)zznnnnnttttt \(effect) \(list)",
        "0Q0011001\(bit)011111\(code)zznnnnnttttt \(effect) \(list), #%Kz*\(count)",
        "0Q0011001\(bit)0mmmmm\(code)zznnnnnttttt \(effect) \(list), %xm",
      ]
    }
    return several + laneTransfers(bit, verb, sign)
  }
}

/// One lane of one to four registers, or one element for all lanes.
private func laneTransfers(_ bit: String, _ verb: String, _ sign: String) -> [String] {
  // Bits of the opcode, of `S` and the size, the kind by which `Arm64Text` reads the lane's number, and bytes.
  let lanes = [("00", "szz", "0", 1), ("01", "sz0", "1", 2), ("10", "s00", "2", 4), ("10", "001", "3", 8)]
  let replicas = [("11", "000", 1), ("11", "001", 2), ("11", "010", 4), ("11", "011", 8)]
  return (1...4).flatMap { count -> [String] in
    let (r, low) = ((count - 1) & 1, (count - 1) >> 1)
    func rows(_ opcode: String, _ end: String, _ text: String, _ bytes: Int) -> [String] {
      let (bits, effect) = ("\(bit)\(r)", "\(sign)\(bytes * count)")
      let rest = "\(opcode)\(low)\(end)nnnnnttttt \(effect) \(text), [%Xn]"
      return [
        "0Q0011010\(bits)00000\(rest)", "0Q0011011\(bits)11111\(rest), #\(bytes * count)",
        "0Q0011011\(bits)mmmmm\(rest), %xm",
      ]
    }
    let single = lanes.flatMap { rows($0, $1, "\(verb)\(count) %L\($2)*\(count)", $3) }
    guard bit == "1" else { return single }
    return single + replicas.enumerated().flatMap { rows($1.0, $1.1, "ld\(count)r %N\($0)*\(count)", $1.2) }
  }
}
