internal import CrashReadCore

/// The instruction at which a debugger stopped: the row of its disassembly with an arrow, `->  0x53ad5a <+2682>: ud2`
/// of LLDB.
///
/// Only three kinds are read. The bytes of instructions that stop a program follow from their names. An access by the stack
/// pointer, or by a register alone, shows that register's value, since LLDB states the address at which the access failed.
struct StoppedInstruction {
  private var found: (counter: UInt64, bytes: [UInt8], isARM: Bool)?
  /// What the failed access added to the stack pointer, and whether its name is ARM's.
  private var stackAccess: (offset: UInt64, isARM: Bool)?
  /// The register that alone was the address of the access: `x8` of `ldr w9, [x8]`.
  private var pointer: String?

  /// Reads a line; false when it isn't such a row.
  mutating func read(_ text: Bytes) -> Bool {
    guard let row = text.after("->")?.trimmedStart, let (word, rest) = row.firstWord(),
      let counter = (word.before(":") ?? word).prefixedHexValue
    else { return false }
    let hasOffset = rest.trimmedStart.first == UInt8(ascii: "<")
    let tail = hasOffset ? rest.split(at: UInt8(ascii: ":"))?.after : rest
    guard let (name, operand) = tail?.trimmedStart.firstWord() else { return true }
    if let (bytes, isARM) = Self.code(name, operand.trimmed), found == nil { found = (counter, bytes, isARM) }
    stackAccess = stackAccess ?? Self.stackAccess(operand)
    pointer = pointer ?? Self.pointer(operand)
    return true
  }

  /// Reads `0x8(%rsp)` and `[sp, #-0x10]!` in the operands; nil when another register takes part in the address.
  private static func stackAccess(_ operands: Bytes) -> (offset: UInt64, isARM: Bool)? {
    if let mark = operands.firstRange(of: "(%rsp)") {
      let word = operands[..<mark.lowerBound].suffix { !$0.isBlank && $0 != UInt8(ascii: ",") }
      return offset(word).map { ($0, false) }
    }
    guard let mark = operands.firstRange(of: "[sp"),
      let inside = operands[mark.upperBound...].split(at: UInt8(ascii: "]"))?.before
    else { return nil }
    return offset(inside.after(", #") ?? inside).map { ($0, true) }
  }

  /// Reads `[x8]` and `(%rax)` in the operands, without an offset or another register.
  private static func pointer(_ operands: Bytes) -> String? {
    if let mark = operands.firstRange(of: "["),
      let (name, rest) = operands[mark.upperBound...].split(at: UInt8(ascii: "]")),
      name.first == UInt8(ascii: "x"), name.dropFirst().decimalValue != nil, !rest.hasPrefix("!"),
      !rest.hasPrefix(", #")
    {
      return name.string
    }
    guard let mark = operands.firstRange(of: "(%r"),
      mark.lowerBound == operands.startIndex || operands[mark.lowerBound - 1].isBlank,
      let (name, _) = operands[mark.upperBound...].split(at: UInt8(ascii: ")")), !name.equals("sp"),
      !name.contains(UInt8(ascii: ",")),
      operands.firstRange(of: "%gs:") == nil
    else { return nil }
    return "r" + name.string
  }

  /// The value of `0x8` or `-0x10`; 0 if there is none.
  private static func offset(_ text: Bytes) -> UInt64? {
    if text.isEmpty { return 0 }
    let negative = text.after("-")
    return (negative ?? text).numberValue.map { negative == nil ? $0 : 0 &- $0 }
  }

  /// The bytes of an instruction that stops a program (Arm Architecture Reference Manual, C6.2; Intel SDM, volume 2).
  private static func code(_ name: Bytes, _ operand: Bytes) -> (bytes: [UInt8], isARM: Bool)? {
    if name.equals("ud2") { return ([0x0f, 0x0b], false) }
    if name.equals("int3") { return ([0xcc], false) }
    guard name.equals("brk"), let digits = operand.after("#")?.firstWord()?.word,
      let value = digits.numberValue, value < 1 << 16
    else { return nil }
    let word = UInt32(0xd420_0000) | UInt32(value) << 5
    return ((0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }, true)
  }

  /// Adds the instruction, or the stack pointer's value, to the thread that stopped.
  func add(to report: inout CrashReport) {
    addStackPointer(to: &report)
    addPointer(to: &report)
    guard let found, let thread = report.threads.firstIndex(where: \.isCrashed),
      report.threads[thread].code == nil
    else { return }
    report.header.codeType = report.header.codeType ?? (found.isARM ? "ARM-64" : "X86-64")
    report.threads[thread].code = CodeBytes(before: [], at: found.bytes)
    var state = report.threads[thread].state ?? ThreadState()
    if state.programCounter == nil {
      state.registers.append(Register(name: found.isARM ? "pc" : "rip", value: found.counter))
    }
    report.threads[thread].state = state
  }

  /// Adds the register that was the address: no offset was added to it, so it is no member's.
  private func addPointer(to report: inout CrashReport) {
    guard let pointer, let codes = report.exception?.codes, codes.count > 1, (1..<0x1000).contains(codes[1]),
      let thread = report.threads.firstIndex(where: \.isCrashed), report.threads[thread].state == nil
    else { return }
    report.threads[thread].state = ThreadState(registers: [Register(name: pointer, value: codes[1])])
    let isARM = pointer.hasPrefix("x")
    report.header.codeType = report.header.codeType ?? (isARM ? "ARM-64" : "X86-64")
  }

  private func addStackPointer(to report: inout CrashReport) {
    guard let stackAccess, let codes = report.exception?.codes, codes.count > 1,
      let thread = report.threads.firstIndex(where: \.isCrashed), report.threads[thread].state == nil
    else { return }
    let name = stackAccess.isARM ? "sp" : "rsp"
    report.threads[thread].state = ThreadState(
      registers: [Register(name: name, value: codes[1] &- stackAccess.offset)])
    report.header.codeType = report.header.codeType ?? (stackAccess.isARM ? "ARM-64" : "X86-64")
  }
}
