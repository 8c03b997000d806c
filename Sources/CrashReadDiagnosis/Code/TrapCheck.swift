internal import CrashReadInstructions

/// The purpose of a check, derived from the branch that leads from it to the instruction that stops the program; raw
/// values are those of the texts.
enum TrapCheck: String, CaseIterable {
  /// The flags show that a signed sum or difference doesn't fit, or the two halves of a product don't agree.
  case overflow
  /// An unsigned sum or difference has a carry.
  case carry
  /// Two unsigned numbers are in the wrong order: an index and a count, the bounds of a range.
  case bounds
  /// Two signed numbers are in the wrong order.
  case order
  /// A value is zero: nil, a divisor, a count.
  case zero
  /// A value isn't zero, but must be.
  case nonzero
  /// Two numbers are equal: an index has reached the end.
  case equal
  /// Two numbers differ, such as counts.
  case different
  /// A number is negative.
  case sign
  /// Any other condition.
  case condition
}

/// Finds the checks from which a trap can be reached.
///
/// In optimised code, many checks share one trap, and some of their branches may not be among the known instructions.
struct TrapSearch {
  let instructions: [Instruction]
  /// The address of the trap.
  let trap: UInt64

  /// The branches to the trap, and the possible purposes of each; empty if the known instructions contain none.
  var checks: [(branch: Int, checks: [TrapCheck])] {
    instructions.indices.compactMap { index in
      guard case .branch(let target, let condition) = instructions[index].flow else { return nil }
      if target == trap { return (index, checks(condition, at: index, isTaken: true)) }
      return isFollowedByTrap(index) ? (index, checks(condition, at: index, isTaken: false)) : nil
    }
  }

  /// Whether a branch skips the trap, or a jump to the trap that immediately follows the branch.
  private func isFollowedByTrap(_ branch: Int) -> Bool {
    if instructions[branch].end == trap { return true }
    return branch + 1 < instructions.count && instructions[branch + 1].flow == .jump(trap)
  }

  private func checks(_ condition: BranchCondition, at index: Int, isTaken: Bool) -> [TrapCheck] {
    switch condition {
    case .zero(let register): [isTaken ? .zero : nonzero(register, index)]
    case .notZero(let register): [isTaken ? nonzero(register, index) : .zero]
    case .bit(let register, let number):
      switch number {
      case 0:
        storedChecks(in: register, index, isTaken == (instructions[index].text?.hasPrefix("tbnz") ?? false))
      case 31, 63: [.sign]
      default: [.condition]
      }
    case .flags(let name): flags(isTaken ? name : Self.opposites[name] ?? name, at: index)
    }
  }

  /// The purpose of a check for nonzero. The upper half of a product is zero when the product fits.
  private func nonzero(_ register: MachineRegister, _ index: Int) -> TrapCheck {
    let writer = instructions[..<index].last { $0.written.contains(register) }
    return writer?.text?.hasPrefix("umulh") == true ? .carry : .nonzero
  }

  /// The purposes of a condition that an instruction has stored in a register as 1 or 0: `cset w8, vs`, `seto dl`.
  private func storedChecks(in register: MachineRegister, _ index: Int, _ isSet: Bool) -> [TrapCheck] {
    guard let writer = instructions[..<index].lastIndex(where: { $0.written.contains(register) }) else {
      return [.condition]
    }
    let text = instructions[writer].text ?? ""
    // The carry of a sum of narrow numbers is the first bit above them.
    if text.hasPrefix("lsr w"), text.hasSuffix("#8") || text.hasSuffix("#16") { return [.carry] }
    guard let name = Self.storedCondition(text) else { return [.condition] }
    return flags(isSet ? name : Self.opposites[name] ?? name, at: writer)
  }

  private static func storedCondition(_ text: String) -> String? {
    if text.hasPrefix("cset ") { return text.split(separator: " ").last.map(String.init) }
    return ["seto ": "vs", "setno ": "vc", "setb ": "lo", "setnb ": "hs"].first { text.hasPrefix($0.key) }?
      .value
  }

  private static let opposites = [
    "eq": "ne", "ne": "eq", "hs": "lo", "lo": "hs", "mi": "pl", "pl": "mi", "vs": "vc", "vc": "vs",
    "hi": "ls",
    "ls": "hi", "ge": "lt", "lt": "ge", "gt": "le", "le": "gt",
  ]

  /// The purposes of a branch on flags, by the instruction that set them.
  private func flags(_ name: String, at index: Int) -> [TrapCheck] {
    guard let setter = flagSetter(before: index) else { return [.condition] }
    let text = setter.text ?? ""
    switch name {
    // x86's `mul` also sets the flag of signed overflow.
    case "vs": return [!setter.isArithmetic ? .condition : text.hasPrefix("mul ") ? .carry : .overflow]
    case "hs", "lo", "hi", "ls":
      // A difference whose value is also used can be the comparison of an index and a count.
      if setter.isArithmetic { return text.hasPrefix("sub") ? [.carry, .bounds] : [.carry] }
      return [text.hasPrefix("cmp") ? .bounds : .condition]
    case "ge", "lt", "gt", "le":
      if text.hasPrefix("cmp") || text.hasPrefix("sub") { return [.order] }
      guard isTestOfItself(text) else { return [.condition] }
      return [name == "lt" || name == "ge" ? .sign : .order]
    case "mi":
      // If neither summand can be negative, a negative sum has overflowed; otherwise it is a number that must not be
      // negative.
      if isSum(text) { return [.overflow, .sign] }
      if setter.isArithmetic { return [text.hasPrefix("sub") ? .sign : .condition] }
      return [setter.effect == .compare ? .sign : .condition]
    // The upper half of a signed product must be the sign of the lower half.
    case "ne":
      if let register = setter.testedBit, let index = instructions[..<index].lastIndex(of: setter) {
        return storedChecks(in: register, index, true)
      }
      if text.contains("asr #63") || text.contains("asr #31") { return [.overflow] }
      if isComparisonWithZero(text) { return [isTestOfByte(text) ? .condition : .nonzero] }
      return [narrowComparison(text) ?? differing(text) ?? .condition]
    case "eq":
      return [isComparisonWithZero(text) ? .zero : differing(text) == nil ? .condition : .equal]
    default: return [.condition]
    }
  }

  /// The purpose of a comparison of a number with its lower bits, extended: it fits in a narrower type when both are
  /// equal (`cmp x0, w0, sxtw`, `subs w8, w8, w8, uxtb`).
  private func narrowComparison(_ text: String) -> TrapCheck? {
    guard text.hasPrefix("cmp ") || text.hasPrefix("subs ") else { return nil }
    let operands = text.split { $0 == " " || $0 == "," }.suffix(3)
    guard operands.count == 3, let mode = operands.last,
      operands[operands.startIndex].dropFirst() == operands[operands.startIndex + 1].dropFirst()
    else { return nil }
    return mode.hasPrefix("sxt") ? .overflow : mode.hasPrefix("uxt") ? .carry : nil
  }

  /// Whether x86's `test al, al` examines a byte, and so a condition that was computed before.
  private func isTestOfByte(_ text: String) -> Bool {
    guard text.hasPrefix("test "), let register = text.split(separator: " ").last else { return false }
    return register.hasSuffix("l") || register.hasSuffix("b") || register.hasSuffix("h")
  }

  /// The purpose of a check whether two numbers differ, neither of which is a constant.
  private func differing(_ text: String) -> TrapCheck? {
    guard text.hasPrefix("cmp "), let last = text.split(separator: " ").last, !last.hasPrefix("#"),
      !last.hasPrefix("0x")
    else { return nil }
    return .different
  }

  /// The instruction that set the flags; nil when control can reach the branch in another way.
  private func flagSetter(before index: Int) -> Instruction? {
    let setter = instructions[..<index].last {
      $0.effect == .compare || $0.isArithmetic || $0.setsFlags || $0.flow.isEnd
    }
    return setter?.flow.isEnd == true ? nil : setter
  }

  private func isSum(_ text: String) -> Bool { text.hasPrefix("add") || text.hasPrefix("inc") }

  private func isComparisonWithZero(_ text: String) -> Bool {
    text.hasPrefix("cmp") && (text.hasSuffix("#0x0") || text.hasSuffix(", 0x0")) || isTestOfItself(text)
  }

  /// x86's `test rax, rax`, which compares with zero.
  private func isTestOfItself(_ text: String) -> Bool {
    guard text.hasPrefix("test ") else { return false }
    let operands = text.dropFirst(5).split(separator: ",").map { $0.drop { $0 == " " } }
    return operands.count == 2 && operands[0] == operands[1]
  }
}

extension Instruction {
  /// The register whose lowest bit x86's `test dl, 0x1` examines.
  fileprivate var testedBit: MachineRegister? {
    guard let text, text.hasPrefix("test "), text.hasSuffix(", 0x1") else { return nil }
    return tested
  }
}
