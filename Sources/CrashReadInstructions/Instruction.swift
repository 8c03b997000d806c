/// One machine instruction, in as much detail as the analysis of a fault needs.
package struct Instruction: Sendable, Hashable {
  /// Its address.
  package var address: UInt64
  /// Its size in bytes.
  package var length: Int
  /// As a disassembler prints it; nil for an unknown one.
  package var text: String?
  /// Its memory operands; empty when it accesses no memory.
  package var memory: [MemoryOperand] = []
  /// The general registers it changes, including those it changes partly.
  package var written: RegisterSet = []
  /// Its effect, as far as values can be followed through it.
  package var effect = Effect.other
  /// The register that a comparison with a constant tests.
  package var tested: MachineRegister?
  /// Whether it changes flags that conditional branches test.
  package var setsFlags = false
  /// Where control goes next.
  package var flow = Flow.next
  /// Whether only privileged code may run it.
  package var isPrivileged = false

  /// Whether the flags describe the number that it computes.
  package var isArithmetic: Bool {
    switch effect {
    case .arithmetic: true
    case .sum: setsFlags
    default: false
    }
  }

  /// The address of the next instruction.
  package var end: UInt64 { address &+ UInt64(length) }
}

/// Its text as a disassembler prints it; nil for an unknown one.
package enum Effect: Sendable, Hashable {
  /// Copies all 64 bits.
  case copy(to: MachineRegister, from: MachineRegister)
  /// Strips or checks the authentication code of a pointer.
  case authenticate(MachineRegister)
  /// Loads a constant, or an address relative to the instruction.
  case constant(MachineRegister, UInt64)
  /// Adds a constant, and possibly another register.
  case sum(to: MachineRegister, from: MachineRegister, index: MemoryOperand.Index? = nil, Int64)
  /// Loads from its memory operand; each register with its offset from there.
  case load([LoadedRegister])
  /// Compares, and changes nothing but flags.
  case compare
  /// Computes a number, and sets the flags.
  case arithmetic
  /// Any other effect: the values that it writes are unknown.
  case other
}

/// A register that a load fills.
package struct LoadedRegister: Sendable, Hashable {
  package var register: MachineRegister
  /// Its offset from the operand's address.
  package var offset: Int64
}

/// Where control goes after an instruction.
package enum Flow: Sendable, Hashable {
  case next
  case jump(UInt64)
  /// To the target, or to the next instruction.
  case branch(UInt64, BranchCondition)
  case call(UInt64)
  /// To the address in a register, or, when that is nil, in memory.
  case indirectJump(MachineRegister?)
  case indirectCall(MachineRegister?)
  case `return`
  case systemCall
  case trap(Trap)

  /// Whether control doesn't continue with the following instruction.
  package var isEnd: Bool {
    switch self {
    case .jump, .indirectJump, .return, .trap: true
    case .next, .branch, .call, .indirectCall, .systemCall: false
    }
  }
}

/// The condition of a conditional branch.
package enum BranchCondition: Sendable, Hashable {
  /// Flags, by arm64's name of the condition, such as `vs`, `hs` or `eq`.
  case flags(String)
  /// A register is zero.
  case zero(MachineRegister)
  /// A register isn't zero.
  case notZero(MachineRegister)
  /// A bit of a register.
  case bit(MachineRegister, Int)
}

/// An instruction that stops the program.
package enum Trap: Sendable, Hashable {
  /// arm64's `brk`, with its number.
  case breakpoint(UInt64)
  /// arm64's `udf` with its number; x86's `ud2`, `ud1` and `ud0`.
  case undefined(UInt64)
  /// x86's `int3`, and `int` with its number.
  case interrupt(UInt64)
  /// arm64's `hlt`.
  case halt(UInt64)
}

/// The address of a memory operand.
package struct MemoryOperand: Sendable, Hashable {
  /// How it is accessed.
  package enum Access: String, Sendable, Hashable {
    case read, write, readWrite
  }

  /// The base register; nil when the address is absolute.
  package var base: MachineRegister?
  /// The index register, if any.
  package var index: Index?
  package var displacement: Int64 = 0
  /// The size in bytes; 0 when unknown.
  package var size: Int
  package var access: Access
  /// The alignment below which the CPU refuses the access; 1 for none.
  package var alignment = 1
  /// Whether general registers don't determine the address, as with vectors of addresses.
  package var isPartial = false

  /// A register that is scaled and added to the base.
  package struct Index: Sendable, Hashable {
    package var register: MachineRegister
    /// How many of its bits are used.
    var width = 64
    var isSigned = false
    /// The left shift in bits.
    package var shift: Int
  }

  /// The address, given the values of registers; nil when one of them is unknown.
  package func address(_ value: (MachineRegister) -> UInt64?) -> UInt64? {
    guard !isPartial else { return nil }
    var sum = UInt64(bitPattern: displacement)
    if let base {
      guard let value = value(base) else { return nil }
      sum &+= value
    }
    if let index {
      guard let value = value(index.register) else { return nil }
      sum &+= index.scaled(value)
    }
    return sum
  }
}

extension MemoryOperand.Index {
  /// Whether the register is added unmodified.
  package var isWholeRegister: Bool { width == 64 && shift == 0 }

  /// What the register contributes to the address.
  package func scaled(_ value: UInt64) -> UInt64 {
    guard width < 64 else { return value << UInt64(shift) }
    let narrow = value << UInt64(64 - width)
    let wide =
      isSigned
      ? UInt64(bitPattern: Int64(bitPattern: narrow) >> Int64(64 - width)) : narrow >> UInt64(64 - width)
    return wide << UInt64(shift)
  }
}

/// A general register, by its number in the CPU's encoding.
package struct MachineRegister: Sendable, Hashable {
  var number: UInt8

  package init(_ number: UInt8) { self.number = number }

  /// arm64's frame pointer, link register and stack pointer; x0 to x28 have their own numbers.
  static let framePointer = MachineRegister(29)
  package static let linkRegister = MachineRegister(30)
  static let stackPointer = MachineRegister(31)
}

/// A set of general registers.
package struct RegisterSet: OptionSet, Sendable, Hashable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// One register.
  package init(_ register: MachineRegister) { rawValue = 1 << UInt64(register.number & 63) }

  /// All registers: what an unknown instruction may change.
  package static let all = RegisterSet(rawValue: .max)
  /// The registers that a call may change on arm64 (AAPCS64): all but x19 to x29 and the stack pointer.
  static let arm64CallerSaved = RegisterSet(rawValue: 0x4007_ffff)

  package func contains(_ register: MachineRegister) -> Bool { contains(RegisterSet(register)) }
}
