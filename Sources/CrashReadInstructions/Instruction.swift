/// One machine instruction, as far as a fault needs it read.
package struct Instruction: Sendable, Hashable {
  /// Where it lies.
  package var address: UInt64
  /// How many bytes it takes.
  package var length: Int
  /// As a disassembler prints it; nil for one that isn't known here.
  package var text: String?
  /// Where it reads or writes memory; empty when it doesn't.
  package var memory: [MemoryOperand] = []
  /// The general registers it changes, those with a part of their bits included.
  package var written: RegisterSet = []
  /// What it puts where, as far as a value can be followed through it.
  package var effect = Effect.other
  /// Whether it changes flags that branches go by.
  package var setsFlags = false
  /// What runs after it.
  package var flow = Flow.next
  /// Whether only the system may run it.
  package var isPrivileged = false

  /// Where the next one begins.
  package var end: UInt64 { address &+ UInt64(length) }
}

/// What an instruction does with registers.
package enum Effect: Sendable, Hashable {
  /// Copies all 64 bits.
  case copy(to: MachineRegister, from: MachineRegister)
  /// Takes the authentication code off a pointer, or checks it.
  case authenticate(MachineRegister)
  /// Puts a number, or an address that the code itself names.
  case constant(MachineRegister, UInt64)
  /// Adds a number.
  case sum(to: MachineRegister, from: MachineRegister, Int64)
  /// Loads from its memory operand; each register with its distance from there.
  case load([LoadedRegister])
  /// Compares, and changes nothing but flags.
  case compare
  /// Adds or subtracts, and sets the flags.
  case arithmetic
  /// Anything else: of what it writes nothing is known.
  case other
}

/// A register that a load fills.
package struct LoadedRegister: Sendable, Hashable {
  package var register: MachineRegister
  /// How far behind the operand's address its value stands.
  package var offset: Int64
}

/// Where the program goes on after an instruction.
package enum Flow: Sendable, Hashable {
  case next
  case jump(UInt64)
  /// Goes there or on.
  case branch(UInt64, BranchCondition)
  case call(UInt64)
  /// Goes to the address in a register, or in memory when that is nil.
  case indirectJump(MachineRegister?)
  case indirectCall(MachineRegister?)
  case `return`
  case systemCall
  case trap(Trap)

  /// Whether the instruction behind it doesn't run next.
  package var isEnd: Bool {
    switch self {
    case .jump, .indirectJump, .return, .trap: true
    case .next, .branch, .call, .indirectCall, .systemCall: false
    }
  }
}

/// What decides a conditional branch.
package enum BranchCondition: Sendable, Hashable {
  /// Flags by the name that arm64 has for their condition, such as `vs`, `hs` or `eq`.
  case flags(String)
  /// A register that is zero.
  case zero(MachineRegister)
  /// A register that isn't.
  case notZero(MachineRegister)
  /// A bit of a register.
  case bit(MachineRegister, Int)
}

/// An instruction that is there to stop the program.
package enum Trap: Sendable, Hashable {
  /// `brk` of arm64, with its number.
  case breakpoint(UInt64)
  /// `udf` of arm64 with its number; x86's `ud2`, `ud1` and `ud0`.
  case undefined(UInt64)
  /// x86's `int3`, and `int` with its number.
  case interrupt(UInt64)
  /// arm64's `hlt`.
  case halt(UInt64)
}

/// An address that an instruction reads or writes.
package struct MemoryOperand: Sendable, Hashable {
  /// What it does there.
  package enum Access: String, Sendable, Hashable {
    case read, write, readWrite
  }

  /// The register it counts from; nil when the address is a number.
  package var base: MachineRegister?
  /// What is added, before the displacement.
  package var index: Index?
  package var displacement: Int64 = 0
  /// How many bytes; 0 when that isn't known.
  package var size: Int
  package var access: Access
  /// What the address must be a multiple of, or else the CPU refuses the access; 1 for anything.
  package var alignment = 1
  /// Whether the address can't be told from general registers, as with vectors of addresses.
  package var isPartial = false

  /// A register that is scaled and added.
  package struct Index: Sendable, Hashable {
    package var register: MachineRegister
    /// How many of its bits count.
    package var width = 64
    package var isSigned = false
    /// By how many bits it is shifted to the left.
    package var shift: Int
  }

  /// The address by the registers' values; nil when one of them isn't known.
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
  /// What a register's value adds to the address.
  package func scaled(_ value: UInt64) -> UInt64 {
    guard width < 64 else { return value << UInt64(shift) }
    let narrow = value << UInt64(64 - width)
    let wide =
      isSigned
      ? UInt64(bitPattern: Int64(bitPattern: narrow) >> Int64(64 - width)) : narrow >> UInt64(64 - width)
    return wide << UInt64(shift)
  }
}
