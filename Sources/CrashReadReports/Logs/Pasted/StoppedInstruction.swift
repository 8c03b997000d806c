internal import CrashReadCore

/// The instruction at which a debugger stopped: the row of its disassembly with an arrow, `->  0x53ad5a <+2682>: ud2`
/// of LLDB.
///
/// Only instructions that stop a program are read: their bytes follow from their names, and the instruction shows why
/// the program stopped.
struct StoppedInstruction {
  private var found: (counter: UInt64, bytes: [UInt8], isARM: Bool)?

  /// Reads a line; false when it isn't such a row.
  mutating func read(_ text: Bytes) -> Bool {
    guard let row = text.after("->")?.trimmedStart, let (word, rest) = row.firstWord(),
      let counter = (word.before(":") ?? word).prefixedHexValue
    else { return false }
    let hasOffset = rest.trimmedStart.first == UInt8(ascii: "<")
    let tail = hasOffset ? rest.split(at: UInt8(ascii: ":"))?.after : rest
    guard let (name, operand) = tail?.trimmedStart.firstWord() else { return true }
    if let (bytes, isARM) = Self.code(name, operand.trimmed), found == nil { found = (counter, bytes, isARM) }
    return true
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

  /// Adds the instruction to the thread that stopped.
  func add(to report: inout CrashReport) {
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
}
