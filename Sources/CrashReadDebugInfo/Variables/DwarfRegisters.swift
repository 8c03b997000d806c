internal import CrashReadCore

/// A thread's registers by the numbers that DWARF expressions use.
///
/// The numbers are those of the psABI documents: "System V ABI, AMD64 Supplement" (figure 3.36), "System V ABI,
/// Intel386 Supplement" (table 2.14), "DWARF for the Arm 64-bit Architecture" (section 4.1) and "DWARF for the Arm
/// Architecture" (section 4.1). Names are those of crash reports. Apple's i386 swaps two numbers, but only in
/// `.eh_frame`.
struct DwarfRegisters {
  private let values: [String: UInt64]
  private let names: (Int) -> [String]
  private let has32BitRegisters: Bool

  /// Takes the report's registers, by lower-case name.
  init(_ values: [String: UInt64], architecture: Architecture?) {
    self.values = values
    has32BitRegisters = architecture == .i386 || architecture?.isARM32 == true
    names =
      switch architecture {
      case .x86_64?, .x86_64h?: Self.amd64
      case .i386?: Self.i386
      case let other? where other.isARM64: Self.arm64
      case let other? where other.isARM32: Self.arm32
      default: { _ in [] }
      }
  }

  /// The value of a register; nil when the report doesn't state it, or the CPU doesn't have it.
  subscript(number: UInt64) -> UInt64? {
    guard number < 512 else { return nil }
    return names(Int(number)).lazy.compactMap { values[$0] }.first
  }

  /// The number of bytes of a register that the report can state: at most the low eight of vector registers.
  func size(of number: UInt64) -> Int { has32BitRegisters && number < 256 ? 4 : 8 }

  private static let amd64Order = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"]

  private static func amd64(_ number: Int) -> [String] {
    switch number {
    case 0...7: [amd64Order[number]]
    case 8...15: ["r\(number)"]
    case 16: ["rip"]
    case 17...32: ["xmm\(number - 17)"]
    default: []
    }
  }

  private static let i386Order = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"]

  private static func i386(_ number: Int) -> [String] {
    i386Order.indices.contains(number) ? [i386Order[number]] : []
  }

  private static func arm64(_ number: Int) -> [String] {
    switch number {
    case 0...28: ["x\(number)"]
    case 29: ["fp", "x29"]
    case 30: ["lr", "x30"]
    case 31: ["sp"]
    case 64...95: ["v\(number - 64)", "q\(number - 64)", "d\(number - 64)"]
    default: []
    }
  }

  private static func arm32(_ number: Int) -> [String] {
    switch number {
    case 0...11: ["r\(number)"]
    case 12: ["r12", "ip"]
    case 13: ["sp", "r13"]
    case 14: ["lr", "r14"]
    case 15: ["pc", "r15"]
    case 256...287: ["d\(number - 256)"]
    default: []
    }
  }
}
