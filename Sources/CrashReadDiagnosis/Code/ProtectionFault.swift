internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadVerdict

/// The reason for which an x86 CPU raised a general protection fault, derived from the instruction: the fault itself
/// states neither reason nor address.
///
/// Intel's manual, volume 3, section 6.15, "Interrupt 13".
struct ProtectionFault {
  /// Raw values are those of `rules.json`.
  enum Cause: String, CaseIterable {
    /// The instruction is privileged.
    case privileged
    /// The address isn't a multiple of the vector's size, which the instruction requires.
    case misaligned
    /// The address isn't canonical: its highest bits aren't all the same.
    case nonCanonical
  }

  var cause: Cause
  /// The memory that the CPU refused to access; nil for an instruction or a branch target.
  var operand: MemoryOperand?
  var address: UInt64?

  /// Determines the reason; nil when the instruction can't be the cause, or is unknown.
  init?(_ code: CrashCode) {
    guard code.set == .x86_64 else { return nil }
    if code.current.isPrivileged {
      cause = .privileged
      return
    }
    if let target = code.current.target.flatMap(code.value), Self.isNonCanonical(target) {
      (cause, address) = (.nonCanonical, target)
      return
    }
    // Operands relative to the stack pointer raise a stack fault instead.
    let stack = [code.set.stackPointer, code.set.framePointer]
    let operands = code.current.memory.filter { operand in operand.base.map { !stack.contains($0) } ?? true }
    for operand in operands {
      guard let address = operand.address(code.value), Self.isNonCanonical(address) else { continue }
      (cause, self.operand, self.address) = (.nonCanonical, operand, address)
      return
    }
    for operand in code.current.memory {
      guard let address = operand.address(code.value), address % UInt64(operand.alignment) != 0 else {
        continue
      }
      (cause, self.operand, self.address) = (.misaligned, operand, address)
      return
    }
    return nil
  }

  /// Whether bits 47 to 63 aren't all the same. CPUs with 57-bit addresses raise a page fault for other such addresses.
  private static func isNonCanonical(_ address: UInt64) -> Bool {
    let top = Int64(bitPattern: address) >> 47
    return top != 0 && top != -1
  }
}

extension Instruction {
  /// The register that holds the target of a branch.
  fileprivate var target: MachineRegister? {
    switch flow {
    case .indirectCall(let register), .indirectJump(let register): register
    default: nil
    }
  }
}

extension CrashFacts {
  /// Adds the reason for which the CPU refused an instruction, if it is known.
  mutating func addProtectionFault() {
    guard isMemoryFault, has(.code, "EXC_I386_GPFLT"), let code, let fault = ProtectionFault(code) else {
      return
    }
    protection = fault
    add(.protection, fault.cause.rawValue, code.evidence)
    set(.instruction, code.current.text, code.evidence)
    set(.operandAddress, fault.address.map(hexadecimal), code.evidence)
    set(.alignment, (fault.operand?.alignment).map(String.init), code.evidence)
    // In this case no register is the cause, whatever its value.
    if fault.cause != .nonCanonical { words[.register] = nil }
  }
}
