internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadInstructions
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The instructions around the crashed thread's program counter, and its registers.
struct CrashCode {
  let thread: Int
  let set: InstructionSet
  let instructions: [Instruction]
  /// The index of the function's first instruction in `instructions`; nil when that isn't among them.
  let stop: Int
  /// Where the function begins, as an index into `instructions`; nil when that isn't among them.
  let entry: Int?
  /// The address of the first difference between the code that the report quotes and the binary's; nil when they agree,
  /// or one of them is missing.
  let difference: UInt64?
  private let code: CodeBytes
  private let state: ThreadState
  private let mistakenRegisters: [String]

  /// Collects the instructions; nil when neither the report nor a binary has code there, or there is no decoder for the
  /// CPU.
  init?(_ symbolicated: SymbolicatedReport) {
    let report = symbolicated.report
    guard let thread = report.crashedThread, report.threads.indices.contains(thread),
      let state = report.threads[thread].state, let counter = state.programCounter,
      let set = report.architecture.flatMap(InstructionSet.init)
    else { return nil }
    let frames = symbolicated.threads.indices.contains(thread) ? symbolicated.threads[thread] : []
    let stop = frames.firstIndex {
      $0.captured.kind == .programCounter && $0.captured.address?.rawValue == counter
    }
    let image = stop.flatMap { symbolicated.code[$0] }
    let (quoted, stored) = (report.threads[thread].code, image.flatMap { CodeBytes($0, at: counter) })
    let difference = quoted.flatMap { quoted in stored?.difference(from: quoted) }
    // The report's bytes are those that the CPU executed; a binary that agrees with them has more context.
    guard let code = difference == nil ? stored ?? quoted : quoted else { return nil }
    (self.thread, self.set, self.code, self.state) = (thread, set, code, state)
    self.difference = difference.map { counter &+ UInt64(bitPattern: Int64($0)) }
    mistakenRegisters = report.mistakenRegisters
    let following = set.instructions(Array(code.bytes[code.countBefore...]), at: counter)
    guard !following.isEmpty else { return nil }
    let start = stored == code ? image?.entry : nil
    let preceding = set.instructions(Array(code.bytes[..<code.countBefore]), upTo: counter, entry: start)
    let instructions = preceding + following
    self.instructions = instructions
    self.stop = preceding.count
    let first = start ?? report.threads[thread].functionStart(at: counter)
    // An outlined function finds the values of its callers in its registers.
    let isOutlined = stop.map { frames[$0].isOutlined } ?? false
    entry = isOutlined ? nil : first.flatMap { first in instructions.firstIndex { $0.address == first } }
  }

  /// The instructions up to each branch to the program counter that is located before `instructions`, in a long
  /// function.
  var farBranches: [[Instruction]] {
    let start = current.address &- UInt64(code.countBefore)
    let end = instructions[0].address
    let far = Array(code.bytes.prefix(Int(end &- start)))
    return set.branchEnds(to: current.address, in: far, at: start).prefix(Self.maximumFarBranches).map {
      offset in
      set.instructions(before: start &+ UInt64(offset), Array(far[..<offset].suffix(Self.decodedSize)))
    }
  }

  /// The number of bytes decoded before a branch, since a check immediately precedes it, and the maximum number of
  /// branches.
  private static let (decodedSize, maximumFarBranches) = (96, 32)

  /// The instruction at the program counter.
  var current: Instruction { instructions[stop] }

  func value(of register: MachineRegister) -> UInt64? {
    set.names(of: register).lazy.filter { !mistakenRegisters.contains($0) }.compactMap { state[$0] }.first
  }

  func evidence(of register: MachineRegister) -> Evidence? {
    set.names(of: register).lazy.compactMap { name in
      state[name].map { Evidence(.register(thread: thread, name: name), $0) }
    }.first
  }

  /// The instruction itself as evidence.
  var evidence: Evidence { Evidence(.code(thread: thread), current.text ?? "") }

  /// An instruction's bytes.
  func bytes(of instruction: Instruction) -> [UInt8] {
    let start = Int(truncatingIfNeeded: instruction.address &- current.address) + code.countBefore
    guard start >= 0, start + instruction.length <= code.bytes.count else { return [] }
    return Array(code.bytes[start..<(start + instruction.length)])
  }

  /// An instruction as a line of a listing; an unknown one by its bytes.
  func line(_ instruction: Instruction) -> String {
    let text = instruction.text ?? ".inst 0x" + hexDigits(bytes(of: instruction).reversed())
    return "\(hexadecimal(instruction.address)): " + text
  }
}

extension ResolvedFrame {
  /// Whether it is in a function that LLVM's MachineOutliner has extracted from several others.
  fileprivate var isOutlined: Bool {
    (locations.last?.function ?? captured.reportedSymbol)?.contains("OUTLINED_FUNCTION_") == true
  }
}

extension CodeBytes {
  /// The bytes of a binary, positioned by the program counter.
  fileprivate init?(_ code: ImageCode, at counter: UInt64) {
    guard counter >= code.start, counter - code.start < UInt64(code.bytes.count) else { return nil }
    self.init(code.bytes, countBefore: Int(counter - code.start))
  }

  /// The distance from the program counter of the first byte that differs from a report's; nil when none does.
  fileprivate func difference(from quoted: CodeBytes) -> Int? {
    let first = max(-countBefore, -quoted.countBefore)
    let end = min(bytes.count - countBefore, quoted.bytes.count - quoted.countBefore)
    return (first..<max(first, end)).first {
      bytes[countBefore + $0] != quoted.bytes[quoted.countBefore + $0]
    }
  }
}

extension ThreadRecord {
  /// The start of the innermost frame's function, according to its symbol in the report.
  fileprivate func functionStart(at counter: UInt64) -> UInt64? {
    guard let frame = frames.first, frame.address?.rawValue == counter, frame.reportedSymbol != nil,
      let offset = frame.reportedSymbolOffset
    else { return nil }
    return counter &- offset
  }
}
