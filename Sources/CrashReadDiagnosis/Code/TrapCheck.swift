internal import CrashReadInstructions

/// What a check was for, by the branch that leads from it to the instruction that stops the program; raw values are those
/// of the texts.
enum TrapCheck: String, CaseIterable {
  /// The flags say that a signed sum or difference doesn't fit, or a product's two ways to compute it differ.
  case overflow
  /// An unsigned sum or difference carries.
  case carry
  /// Two numbers in the wrong order, as unsigned: an index and a count, the ends of a range.
  case bounds
  /// Two numbers in the wrong order, with their signs.
  case order
  /// A value that is zero: nil, a divisor, a count.
  case zero
  /// A negative number.
  case sign
  /// Any other condition.
  case condition
}

/// Finds the checks from which a trap can be reached.
///
/// In optimized code many share one trap, and some of their branches may not be among the instructions at hand.
struct TrapSearch {
  let instructions: [Instruction]
  let trap: Int

  /// The branches to the trap, and what they check; empty when the instructions at hand have none.
  var checks: [(branch: Int, check: TrapCheck)] {
    let address = instructions[trap].address
    return instructions.indices.compactMap { index in
      guard case .branch(let target, let condition) = instructions[index].flow else { return nil }
      if target == address { return (index, check(condition, at: index, isTaken: true)) }
      // A branch around the trap, which stands right behind it.
      return index == trap - 1 ? (index, check(condition, at: index, isTaken: false)) : nil
    }
  }

  private func check(_ condition: BranchCondition, at index: Int, isTaken: Bool) -> TrapCheck {
    switch condition {
    case .zero(let register): isTaken ? .zero : nonzero(register, index)
    case .notZero(let register): isTaken ? nonzero(register, index) : .zero
    case .bit(_, let number): number == 63 || number == 31 ? .sign : .condition
    case .flags(let name): flags(isTaken ? name : Self.opposites[name] ?? name, at: index)
    }
  }

  /// The upper half of a product is zero where the product fits.
  private func nonzero(_ register: MachineRegister, _ index: Int) -> TrapCheck {
    let writer = instructions[..<index].last { $0.written.contains(register) }
    return writer?.text?.hasPrefix("umulh") == true ? .carry : .condition
  }

  private static let opposites = [
    "eq": "ne", "ne": "eq", "hs": "lo", "lo": "hs", "mi": "pl", "pl": "mi", "vs": "vc", "vc": "vs",
    "hi": "ls",
    "ls": "hi", "ge": "lt", "lt": "ge", "gt": "le", "le": "gt",
  ]

  /// By the flags with which the trap is reached, and the instruction that set them.
  private func flags(_ name: String, at index: Int) -> TrapCheck {
    guard
      let setter = instructions[..<index].last(where: {
        $0.effect == .compare || $0.effect == .arithmetic || $0.setsFlags
      })
    else { return .condition }
    let text = setter.text ?? ""
    switch name {
    // x86's `mul` sets the flag of the signed overflow too.
    case "vs": return setter.effect != .arithmetic ? .condition : text.hasPrefix("mul ") ? .carry : .overflow
    case "hs", "lo", "hi", "ls":
      if setter.effect == .arithmetic { return .carry }
      return text.hasPrefix("cmp") ? .bounds : .condition
    case "ge", "lt", "gt", "le":
      if text.hasPrefix("cmp") { return .order }
      return isTestOfItself(text) && (name == "lt" || name == "ge") ? .sign : .condition
    case "mi":
      // Where neither summand can be negative, a sum that is has overflowed.
      if setter.effect == .arithmetic { return isSum(text) ? .overflow : .condition }
      return setter.effect == .compare ? .sign : .condition
    // The upper half of a signed product must be the lower half's sign.
    case "ne": return text.contains("asr #63") || text.contains("asr #31") ? .overflow : .condition
    case "eq": return isComparisonWithZero(text) ? .zero : .condition
    default: return .condition
    }
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
