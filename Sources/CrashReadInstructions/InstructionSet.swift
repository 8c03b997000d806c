package import CrashReadCore
package import CrashReadSystem

/// The instruction set of a CPU.
package enum InstructionSet: Sendable, Hashable {
  case arm64, x86_64

  /// That of a CPU; nil for one without a decoder.
  package init?(_ architecture: Architecture) {
    if architecture.isARM64 {
      self = .arm64
    } else if architecture == .x86_64 || architecture == .x86_64h {
      self = .x86_64
    } else {
      return nil
    }
  }

  /// The names of a register in reports; the first is the usual one.
  package func names(of register: MachineRegister) -> [String] {
    switch (self, register.number) {
    case (.arm64, 29): ["fp", "x29"]
    case (.arm64, 30): ["lr", "x30"]
    case (.arm64, 31): ["sp"]
    case (.arm64, let number): ["x\(number)"]
    case (.x86_64, 0...7): [Self.legacyNames[Int(register.number)]]
    case (.x86_64, let number): ["r\(number)"]
    }
  }

  private static let legacyNames = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"]

  /// The register's usual name.
  package func name(of register: MachineRegister) -> String { names(of: register).first ?? "" }

  /// The instructions in some bytes, which begin at an instruction boundary.
  package func instructions(_ bytes: [UInt8], at address: UInt64) -> [Instruction] {
    switch self {
    case .arm64: Arm64Decoder.instructions(bytes, at: address)
    case .x86_64: X86Decoder.instructions(bytes[...], at: address)
    }
  }

  /// The instructions in bytes that end at an instruction boundary; only those that are certain are returned.
  package func instructions(before end: UInt64, _ bytes: [UInt8]) -> [Instruction] {
    switch self {
    case .arm64:
      let whole = Array(bytes.suffix(bytes.count / 4 * 4))
      return Arm64Decoder.instructions(whole, at: end &- UInt64(whole.count))
    case .x86_64: return X86Decoder.instructions(before: end, bytes)
    }
  }

  /// The instructions before an address, decoded from the start of the function when the bytes start there; of a long
  /// function only those close to the address.
  package func instructions(_ bytes: [UInt8], upTo end: UInt64, entry: UInt64?) -> [Instruction] {
    if let entry, bytes.count <= Self.maximumFunctionSize, entry == end &- UInt64(bytes.count) {
      let read = instructions(bytes, at: entry)
      if read.last.map({ $0.end == end }) ?? bytes.isEmpty { return read }
    }
    return instructions(before: end, Array(bytes.suffix(Self.nearestBytes)))
  }

  /// In bytes: the longest function that is decoded as a whole, and the number of bytes decoded of a longer one.
  private static let (maximumFunctionSize, nearestBytes) = (4096, 256)

  /// The library that is missing to decode instructions; nil when none is.
  package var missingLibrary: MissingLibrary? {
    guard self == .x86_64, case .failure(let missing) = Zydis.shared else { return nil }
    return missing
  }
}

// MARK: - Calling conventions

extension InstructionSet {
  /// The stack pointer.
  package var stackPointer: MachineRegister { self == .arm64 ? .stackPointer : MachineRegister(4) }

  /// The frame pointer, in functions that keep one.
  package var framePointer: MachineRegister { self == .arm64 ? .framePointer : MachineRegister(5) }

  /// The register that holds a function's result.
  package var result: MachineRegister { MachineRegister(0) }

  /// The registers that a call may change: on arm64 (AAPCS64) all but x19 to x29 and the stack pointer; on x86-64
  /// (System V) all but rbx, rbp, rsp and r12 to r15.
  package var callerSaved: RegisterSet {
    switch self {
    case .arm64: .arm64CallerSaved
    case .x86_64: RegisterSet(rawValue: 0x0fc7)
    }
  }

  /// The registers that hold arguments, in order.
  package var arguments: [MachineRegister] {
    switch self {
    case .arm64: (0...7).map(MachineRegister.init)
    case .x86_64: [7, 6, 2, 1, 8, 9].map(MachineRegister.init)
    }
  }

  /// Whether a register can hold a value on entry to a function: an argument, the address of an indirect result, or
  /// Swift's `self`.
  package func isArgument(_ register: MachineRegister) -> Bool {
    switch self {
    case .arm64: arguments.contains(register) || register.number == 8 || register.number == 20
    case .x86_64: arguments.contains(register) || register.number == 0 || register.number == 13
    }
  }
}
