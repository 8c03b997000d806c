/// A general register of a CPU, by its number there.
package struct MachineRegister: Sendable, Hashable {
  package var number: UInt8

  package init(_ number: UInt8) { self.number = number }

  /// arm64's frame pointer, link register and stack pointer; x0 to x28 have their own numbers.
  package static let framePointer = MachineRegister(29)
  package static let linkRegister = MachineRegister(30)
  package static let stackPointer = MachineRegister(31)
  /// Where the instruction itself lies, for CPUs that name it as a base.
  package static let programCounter = MachineRegister(62)
}

/// General registers of one CPU.
package struct RegisterSet: OptionSet, Sendable, Hashable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// One register.
  package init(_ register: MachineRegister) { rawValue = 1 << UInt64(register.number & 63) }

  /// Every register: what an instruction may change that isn't known.
  package static let all = RegisterSet(rawValue: .max)
  /// What a function may change on arm64 (AAPCS64): all but x19 to x29 and the stack pointer.
  package static let arm64CallerSaved = RegisterSet(rawValue: 0x4007_ffff)

  package func contains(_ register: MachineRegister) -> Bool { contains(RegisterSet(register)) }
}
