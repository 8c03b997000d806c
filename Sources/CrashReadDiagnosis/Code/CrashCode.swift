internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadReports

/// The instructions around the place where the crashed thread stopped, and its registers.
struct CrashCode {
  let thread: Int
  let set: InstructionSet
  let instructions: [Instruction]
  /// The one at the program counter, as an index into `instructions`.
  let stop: Int
  /// Where the function begins, as an index into `instructions`; nil when that isn't among them.
  let entry: Int?
  private let code: CodeBytes
  private let state: ThreadState

  /// nil where the report quotes no code, or code of a CPU that isn't read here.
  init?(_ report: CrashReport) {
    guard let thread = report.crashedThread, report.threads.indices.contains(thread),
      let code = report.threads[thread].code, let state = report.threads[thread].state,
      let counter = state.programCounter, let set = report.architecture.flatMap(InstructionSet.init)
    else { return nil }
    (self.thread, self.set, self.code, self.state) = (thread, set, code, state)
    let before = code.bytes[..<code.countBefore]
    let behind = set.instructions(Array(code.bytes[code.countBefore...]), at: counter)
    guard !behind.isEmpty else { return nil }
    let ahead = set.instructions(Array(before), at: counter &- UInt64(before.count))
    let instructions = ahead.last.map { $0.end == counter } ?? true ? ahead + behind : behind
    self.instructions = instructions
    stop = instructions.count - behind.count
    let start = report.threads[thread].functionStart(at: counter)
    entry = start.flatMap { start in instructions.firstIndex { $0.address == start } }
  }

  /// The instruction at the program counter.
  var current: Instruction { instructions[stop] }

  func value(of register: MachineRegister) -> UInt64? {
    set.names(of: register).lazy.compactMap { state[$0] }.first
  }

  func evidence(of register: MachineRegister) -> Evidence? {
    set.names(of: register).lazy.compactMap { name in
      state[name].map { Evidence(.register(thread: thread, name: name), $0) }
    }.first
  }

  /// The instruction itself as evidence.
  var evidence: Evidence { Evidence(.code(thread: thread), current.text ?? "") }

  /// An instruction's bytes, as the report quotes them.
  func bytes(of instruction: Instruction) -> [UInt8] {
    let start = Int(truncatingIfNeeded: instruction.address &- current.address) + code.countBefore
    guard start >= 0, start + instruction.length <= code.bytes.count else { return [] }
    return Array(code.bytes[start..<(start + instruction.length)])
  }

  /// An instruction as a line of a listing; one that isn't known, by its bytes.
  func line(_ instruction: Instruction) -> String {
    let word = hexDigits(bytes(of: instruction).reversed())
    return "\(hexadecimal(instruction.address)): " + (instruction.text ?? ".inst 0x\(word)")
  }
}

extension ThreadRecord {
  /// Where the function of the innermost frame begins, by its symbol in the report.
  fileprivate func functionStart(at counter: UInt64) -> UInt64? {
    guard let frame = frames.first, frame.address?.rawValue == counter, frame.reportedSymbol != nil,
      let offset = frame.reportedSymbolOffset
    else { return nil }
    return counter &- offset
  }
}

extension InstructionSet {
  init?(_ architecture: Architecture) {
    guard architecture.isARM64 else { return nil }
    self = .arm64
  }
}
