/// The instructions of a CPU.
package enum InstructionSet: Sendable, Hashable {
  case arm64

  /// The names that reports have for a register; the first is the usual one.
  package func names(of register: MachineRegister) -> [String] {
    switch register.number {
    case 29: ["fp", "x29"]
    case 30: ["lr", "x30"]
    case 31: ["sp"]
    case 62: ["pc"]
    default: ["x\(register.number)"]
    }
  }

  /// The register's usual name.
  package func name(of register: MachineRegister) -> String { names(of: register).first ?? "" }

  /// The instructions in some bytes, from the first on.
  package func instructions(_ bytes: [UInt8], at address: UInt64) -> [Instruction] {
    switch self {
    case .arm64: Arm64Decoder.instructions(bytes, at: address)
    }
  }
}
