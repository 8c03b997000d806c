/// Reads A64 instructions.
package enum Arm64Decoder {
  private static let common = EncodingTable(arm64Encodings)
  private static let transfers = EncodingTable(transferRows())
  private static let rareTransfers = EncodingTable(rareTransferRows())

  /// The instruction that a word encodes. An unknown one is assumed to write every register that its encoding could.
  package static func instruction(_ word: UInt32, at address: UInt64) -> Instruction {
    func read(_ row: EncodingRow) -> Instruction? {
      let operands = Arm64Text(row: row, word: word, address: address)
      return operands.text.map { Arm64Meaning(operands).instruction($0) }
    }
    if let instruction = common.first(for: word, read) { return instruction }
    // Loads and stores. Each table is built on first use, when a word isn't in the tables before it.
    guard word >> 25 & 5 == 4 else { return unknown(word, at: address) }
    return transfers.first(for: word, read) ?? rareTransfers.first(for: word, read)
      ?? unknown(word, at: address)
  }

  /// The instructions in some bytes.
  static func instructions(_ bytes: [UInt8], at address: UInt64) -> [Instruction] {
    stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { start in
      instruction(word(bytes, at: start), at: address &+ UInt64(start))
    }
  }

  /// An instruction that isn't in the tables. Vector and floating-point instructions write no general registers, except
  /// those in the tables.
  private static func unknown(_ word: UInt32, at address: UInt64) -> Instruction {
    var instruction = Instruction(address: address, length: 4)
    let isVector = word >> 25 & 7 == 7
    instruction.written = isVector ? [] : .all
    return instruction
  }
}

/// The effect of a word, from the row that matches it.
private struct Arm64Meaning {
  let operands: Arm64Text
  var row: EncodingRow { operands.row }

  init(_ operands: Arm64Text) { self.operands = operands }

  func instruction(_ text: String) -> Instruction {
    var instruction = Instruction(address: operands.address, length: 4, text: text)
    instruction.flow = flow
    if let operand = memory { instruction.memory = [operand] }
    for register in row.written.compactMap(register) { instruction.written.insert(RegisterSet(register)) }
    if let base = writtenBase { instruction.written.insert(RegisterSet(base)) }
    instruction.effect = effect
    switch instruction.flow {
    case .call, .indirectCall: instruction.written.insert(RegisterSet(.linkRegister))
    default: break
    }
    return instruction
  }

  /// The register named by a letter of the effect; nil for the zero register.
  private func register(_ letter: UInt8) -> MachineRegister? {
    switch letter {
    case UInt8(ascii: "^"): return .linkRegister
    case UInt8(ascii: "~"): return MachineRegister(17)
    case UInt8(ascii: "`"): return MachineRegister(16)
    default: break
    }
    guard let kind = kind(of: letter) else { return nil }
    let number = operands.registerNumber(letter)
    return number == 31 && !Arm64Text.isStackKind(kind) ? nil : MachineRegister(number)
  }

  /// The kind of a field in its first operand; where the text is built as a whole, that of a register with 31 for zero.
  private func kind(of letter: UInt8) -> UInt8? {
    for case .operand(let kind, letter, _) in row.pieces { return kind }
    return row.width(letter) == 5 ? UInt8(ascii: "x") : nil
  }

  /// Whether a field's register is used with its full 64 bits.
  private func isWide(_ letter: UInt8) -> Bool {
    switch kind(of: letter) {
    case UInt8(ascii: "x"), UInt8(ascii: "X"): true
    case UInt8(ascii: "r"), UInt8(ascii: "R"): operands.isWide
    default: false
    }
  }

  /// The value of an immediate operand.
  private var number: UInt64? {
    for case .operand(let kind, let letter, let scale) in row.pieces {
      if let number = operands.number(kind, letter, scale) { return number }
    }
    return nil
  }

  // MARK: - Effect

  private var effect: Effect {
    let target = row.written.first.flatMap(register)
    switch row.action {
    case UInt8(ascii: "="):
      guard let target, let letter = row.argument.first else { return .other }
      return register(letter).map { .copy(to: target, from: $0) } ?? .constant(target, 0)
    case UInt8(ascii: "#"):
      guard let target, let number else { return .other }
      return .constant(target, number)
    case UInt8(ascii: "!"): return target.map(Effect.authenticate) ?? .other
    case UInt8(ascii: "+"), UInt8(ascii: "-"): return sum(target)
    case UInt8(ascii: "<"): return loaded
    case UInt8(ascii: "c"): return .compare
    case UInt8(ascii: "a"): return .arithmetic
    default: return .other
    }
  }

  private func sum(_ target: MachineRegister?) -> Effect {
    guard let target, isWide(UInt8(ascii: "d")), let source = register(UInt8(ascii: "n")) else {
      return .other
    }
    if row.width(UInt8(ascii: "m")) > 0 {
      return summand.map { .sum(to: target, from: source, index: $0, 0) } ?? .other
    }
    guard let number = number.map(Int64.init(bitPattern:)) else { return .other }
    return .sum(to: target, from: source, row.action == UInt8(ascii: "-") ? -number : number)
  }

  /// The second register of a sum: extended by field `o`, or shifted as field `h` says.
  private var summand: MemoryOperand.Index? {
    let number = UInt8(operands.field("m"))
    let option = row.width(UInt8(ascii: "o")) > 0 ? operands.field("o") : 3
    guard number != 31, operands.field("h") == 0, option & 2 != 0 else { return nil }
    return MemoryOperand.Index(
      register: MachineRegister(number), width: option & 1 == 1 ? 64 : 32, isSigned: option & 4 != 0,
      shift: Int(operands.field("i")))
  }

  private var loaded: Effect {
    let size = size / Int64(max(row.written.count, 1))
    let registers = row.written.enumerated().compactMap { index, letter in
      register(letter).map { LoadedRegister(register: $0, offset: Int64(index) * size) }
    }
    return registers.isEmpty ? .other : .load(registers)
  }

  // MARK: - Memory

  /// The size in bytes: a number, or `v` and the number of vector registers.
  private var size: Int64 {
    guard row.argument.first == UInt8(ascii: "v") else { return Int64(decimal: row.argument) }
    return Int64(decimal: Array(row.argument.dropFirst())) * (operands.field("Q") == 1 ? 16 : 8)
  }

  private var access: MemoryOperand.Access? {
    switch row.action {
    case UInt8(ascii: "<"): .read
    case UInt8(ascii: ">"): .write
    case UInt8(ascii: "%"): .readWrite
    default: nil
    }
  }

  private var memory: MemoryOperand? {
    guard let access else { return nil }
    var operand = MemoryOperand(size: Int(size), access: access)
    guard let (base, offset) = row.address else { return addressWithoutBrackets(operand) }
    operand.base = register(base)
    if case .operand(let kind, let letter, let scale)? = offset {
      if kind == UInt8(ascii: "G") {
        operand.index = index(letter, Int(scale))
      } else if let number = operands.number(kind, letter, scale) {
        operand.displacement = Int64(bitPattern: number)
      }
    }
    return operand
  }

  /// A location in the code itself, or the last register.
  private func addressWithoutBrackets(_ operand: MemoryOperand) -> MemoryOperand {
    var operand = operand
    if let number { operand.displacement = Int64(bitPattern: number) }
    if number == nil, case .operand(_, let letter, _)? = row.pieces.last { operand.base = register(letter) }
    return operand
  }

  private func index(_ letter: UInt8, _ scale: Int) -> MemoryOperand.Index? {
    let number = UInt8(operands.field(letter))
    guard number != 31 else { return nil }
    let option = operands.field("o")
    return MemoryOperand.Index(
      register: MachineRegister(number), width: option & 1 == 1 ? 64 : 32, isSigned: option & 4 != 0,
      shift: operands.field("s") == 1 ? scale : 0)
  }

  /// The base register, if the instruction updates it.
  private var writtenBase: MachineRegister? {
    guard let address = row.address, row.movesBase else { return nil }
    return register(address.base)
  }

  // MARK: - Flow

  private var flow: Flow {
    let target = number ?? 0
    let register = self.register(UInt8(ascii: "n"))
    switch row.action {
    case UInt8(ascii: "J"): return .jump(target)
    case UInt8(ascii: "B"): return branch
    case UInt8(ascii: "C"): return .call(target)
    case UInt8(ascii: "j"): return .indirectJump(register)
    case UInt8(ascii: "k"): return .indirectCall(register)
    case UInt8(ascii: "R"): return .return
    case UInt8(ascii: "$"): return .systemCall
    case UInt8(ascii: "T"): return .trap(trap)
    default: return .next
    }
  }

  private var branch: Flow {
    let target = operands.number(UInt8(ascii: "@"), UInt8(ascii: "i"), 1) ?? 0
    guard row.width(UInt8(ascii: "t")) > 0 else {
      return .branch(target, .flags(Arm64Text.conditions[Int(operands.field("c") & 15)]))
    }
    guard let register = register(UInt8(ascii: "t")) else { return .branch(target, .flags("al")) }
    if row.width(UInt8(ascii: "b")) > 0 { return .branch(target, .bit(register, Int(operands.field("b")))) }
    return .branch(target, row.value & 1 << 24 == 0 ? .zero(register) : .notZero(register))
  }

  private var trap: Trap {
    let number = operands.field("i")
    switch row.value >> 21 {
    case 0x6a1: return .breakpoint(number)
    case 0x6a2: return .halt(number)
    default: return .undefined(number)
    }
  }
}

extension Int64 {
  fileprivate init(decimal digits: [UInt8]) {
    self = digits.reduce(0) { $0 * 10 + Int64($1 &- 0x30) }
  }
}

extension EncodingRow {
  /// The field of the register in brackets, and the operand after it; nil without brackets.
  var address: (base: UInt8, offset: Piece?)? {
    guard let open = pieces.firstIndex(where: { $0.literalText?.hasSuffix("[") == true }),
      open + 1 < pieces.count,
      case .operand(_, let base, _) = pieces[open + 1]
    else { return nil }
    let inside = pieces[(open + 2)...].prefix { $0.literalText?.hasPrefix("]") != true }
    return (base, inside.first { $0.literalText == nil })
  }

  /// Whether something after the brackets updates its register.
  var movesBase: Bool {
    guard let close = pieces.lastIndex(where: { $0.literalText?.hasPrefix("]") == true }) else {
      return false
    }
    return close + 1 < pieces.count || pieces[close].literalText != "]"
  }
}

extension EncodingRow.Piece {
  fileprivate var literalText: String? { if case .literal(let text) = self { text } else { nil } }
}
