/// A general register, by its number in the CPU's encoding.
package struct MachineRegister: Sendable, Hashable {
  package var number: UInt8

  package init(_ number: UInt8) { self.number = number }

  /// arm64's frame pointer, link register and stack pointer; x0 to x28 have their own numbers.
  package static let framePointer = MachineRegister(29)
  package static let linkRegister = MachineRegister(30)
  package static let stackPointer = MachineRegister(31)
  /// The address of the instruction, on CPUs that can use it as a base.
  package static let programCounter = MachineRegister(62)
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
  package static let arm64CallerSaved = RegisterSet(rawValue: 0x4007_ffff)

  package func contains(_ register: MachineRegister) -> Bool { contains(RegisterSet(register)) }
}
