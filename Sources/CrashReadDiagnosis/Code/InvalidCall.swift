internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The call that jumped to an address without code, from the caller's code in a binary.
///
/// No instruction has run since the call, so the registers still have their values.
struct InvalidCall {
  private let set: InstructionSet
  private let instructions: [Instruction]
  private let call: Int
  private let target: MachineRegister?
  private let state: ThreadState
  private let evidence: Evidence
  private let search: OriginSearch

  /// Nil when the program didn't jump to such an address, or the caller's code is missing or doesn't match.
  init?(_ symbolicated: SymbolicatedReport, _ facts: CrashFacts) {
    let report = symbolicated.report
    guard facts.isMemoryFault, let thread = report.crashedThread, report.threads.indices.contains(thread),
      symbolicated.threads.indices.contains(thread), let architecture = report.architecture,
      let set = InstructionSet(architecture), let state = report.threads[thread].state,
      let counter = state.programCounter, report.mistakenRegisters.isEmpty
    else { return nil }
    let frames = symbolicated.threads[thread]
    guard let first = frames.first, first.captured.kind == .programCounter, first.reason == .notInImage,
      let caller = frames.firstIndex(where: { !$0.captured.isInlined && $0.captured.kind == .returnAddress }),
      let code = symbolicated.code[caller],
      let returnAddress = frames[caller].captured.address.map({
        architecture.strippedCodeAddress($0.rawValue)
      }),
      returnAddress >= code.start, returnAddress - code.start <= UInt64(code.bytes.count)
    else { return nil }
    // On arm64 the link register proves which call was the last.
    if let link = state.linkRegister, architecture.strippedCodeAddress(link) != returnAddress { return nil }
    instructions = set.instructions(
      Array(code.bytes.prefix(Int(returnAddress - code.start))), upTo: returnAddress, entry: code.entry)
    guard let last = instructions.indices.last, case .indirectCall(let target) = instructions[last].flow
    else {
      return nil
    }
    (self.set, self.state, self.target, call) = (set, state, target, last)
    search = OriginSearch(instructions: instructions, entry: nil, set: set)
    evidence = Evidence(
      .frame(caller, ofThread: thread),
      "\(hexadecimal(instructions[last].address)): " + (instructions[last].text ?? ""))
    let goal = target.flatMap(value).map(architecture.strippedCodeAddress)
    guard target == nil || goal == architecture.strippedCodeAddress(counter) else { return nil }
  }

  private func value(of register: MachineRegister) -> UInt64? {
    set.names(of: register).lazy.compactMap { state[$0] }.first
  }

  /// A statement about the call: which one it was, the origin of its target, and the kind of call.
  func finding(_ texts: Texts) -> Finding? {
    guard var text = callSentence(texts) else { return nil }
    if let target, origin != .unknown {
      text.addSentence(texts.sentence(TracedValue(origin: origin), of: target, in: instructions, set) ?? "")
    }
    let values = ["slot": slot.map(hexadecimal) ?? ""]
    text.addSentence(shape.flatMap { texts.code[$0]?.filled(with: values) } ?? "")
    // A target in memory can't be compared with the program counter.
    return Finding(
      rule: "lost-call", text: text, confidence: target == nil ? .hint : .likely, evidence: [evidence])
  }

  private func callSentence(_ texts: Texts) -> String? {
    let at = hexadecimal(instructions[call].address)
    if let target {
      return texts.code["call-register"]?.filled(with: [
        "at": at, "register": set.name(of: target), "value": value(of: target).map(hexadecimal) ?? "",
      ])
    }
    let target = instructions[call].memory.first?.expression(in: set)
    return target.flatMap { texts.code["call-memory"]?.filled(with: ["at": at, "place": $0]) }
  }

  // MARK: - Kind of call

  private var origin: ValueOrigin { target.map { search.origin(of: $0, before: call) } ?? .unknown }

  /// The instruction that loads the target, and from where.
  private var load: (index: Int, operand: MemoryOperand)? {
    if target == nil { return instructions[call].memory.first.map { (call, $0) } }
    guard case .load(let index, let offset) = origin, var operand = instructions[index].memory.first else {
      return nil
    }
    operand.displacement &+= offset
    return (index, operand)
  }

  private var slot: UInt64? {
    load.flatMap { $0.operand.displacement >= 0 ? UInt64($0.operand.displacement) : nil }
  }

  /// The kind of call, derived from how its target was loaded, as the name of a text; nil when unknown.
  ///
  /// A virtual method is in a table to which the object's first word points, and the object is the first argument
  /// (Itanium C++ ABI 2.5; Swift classes alike). A block is its own first argument and has its function at offset 16
  /// (Clang, Block-ABI-Apple).
  private var shape: String? {
    guard let (index, operand) = load, let base = operand.base, operand.index == nil else { return nil }
    if operand.displacement == 0x10, isFirstArgument(base, before: index) { return "call-block" }
    guard case .load(let table, let offset) = search.origin(of: base, before: index),
      let word = instructions[table].memory.first, word.displacement &+ offset == 0, word.index == nil,
      let object = word.base, isFirstArgument(object, before: table)
    else { return nil }
    return "call-virtual"
  }

  /// Whether the call's first argument is the value that a register had before an instruction.
  private func isFirstArgument(_ register: MachineRegister, before index: Int) -> Bool {
    var (argument, register) = (set.arguments[0], register)
    var position = call
    while true {
      if position <= index, argument == register { return true }
      guard position > 0, !search.isJumpedTo(position) else { return false }
      position -= 1
      guard let earlier = before(position, argument) else { return false }
      argument = earlier
      if position < index {
        guard let earlier = before(position, register) else { return false }
        register = earlier
      }
    }
  }

  /// The register that had the same value before an instruction as the given one has after it; nil when unknown.
  private func before(_ index: Int, _ register: MachineRegister) -> MachineRegister? {
    switch instructions[index].flow {
    case .call, .indirectCall, .systemCall: return set.callerSaved.contains(register) ? nil : register
    case let flow where flow.isEnd: return nil
    default: break
    }
    guard instructions[index].written.contains(register) else { return register }
    guard case .copy(register, let source) = instructions[index].effect else { return nil }
    return source
  }
}
