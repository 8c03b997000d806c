internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Says what the instruction at the program counter was doing, and whether that fits what the report says.
struct InstructionReading {
  let code: CrashCode
  let texts: Texts
  /// The address that could not be reached; nil when no access to memory failed, or the report doesn't state it.
  let fault: Fact<UInt64>?

  /// The memory that the CPU refused to reach in a general protection fault, which states no address.
  private let refused: MemoryOperand?

  /// Where the bad value came from; nil when no register can be told to hold it.
  private var origin: (register: MachineRegister, value: TracedValue)?

  private let search: OriginSearch

  /// What the source calls the bad value; nil where DWARF doesn't say.
  private var sourceName: String?

  /// Whether the program stopped itself, and no debug file names the check.
  private let isUnnamedTrap: Bool

  /// nil where the report quotes no code that can be read.
  init?(_ symbolicated: SymbolicatedReport, _ facts: CrashFacts, _ texts: Texts) {
    guard let code = facts.code else { return nil }
    let report = symbolicated.report
    let isTrap = ["EXC_BREAKPOINT", "SIGTRAP", "EXC_BAD_INSTRUCTION", "SIGILL"].contains {
      facts.has(.exception, $0)
    }
    let names = facts.texts[.topFrame] ?? []
    isUnnamedTrap = isTrap && !names.contains { $0.bytes.starts(with: Array("Swift runtime failure".utf8)) }
    self.code = code
    self.texts = texts
    search = OriginSearch(instructions: code.instructions, entry: code.entry, set: code.set)
    refused = facts.protection?.operand
    let isFetch = facts.has(.access, MemoryAccess.execute.rawValue)
    fault = facts.isMemoryFault && !isFetch ? facts.faultAddress(report) : nil
    guard let culprit else { return }
    let value = search.trace(culprit, before: code.stop)
    origin = (culprit, value)
    sourceName = OriginVariable(symbolicated: symbolicated, code: code, search: search)
      .name(of: culprit, value.origin)
  }

  /// The operand that reaches the fault address, else the first.
  private var operand: MemoryOperand? {
    guard let fault else { return refused }
    let operands = code.current.memory
    return operands.first { reaches(fault.value, $0) } ?? operands.first
  }

  var statement: InstructionStatement {
    var statement = InstructionStatement(
      thread: code.thread, address: code.current.address, bytes: code.bytes(of: code.current),
      text: code.current.text ?? code.line(code.current))
    statement.operand = operand.map(describe)
    statement.origin = originStatement
    let before = code.instructions[..<code.stop].suffix(Self.maximumShown)
    let after = code.instructions[(code.stop + 1)...].prefix(Self.maximumShown)
    (statement.before, statement.after) = (before.map(code.line), after.map(code.line))
    statement.addresses = code.instructions[before.startIndex..<after.endIndex].map(\.address)
    return statement
  }

  /// A function has more of them than anybody reads.
  private static let maximumShown = 32

  private func describe(_ operand: MemoryOperand) -> OperandStatement {
    OperandStatement(
      text: operand.expression(in: code.set), address: operand.address(code.value),
      size: operand.size > 0 ? operand.size : nil, access: operand.access.rawValue,
      matchesFault: operand.address(code.value) == nil ? nil : fault.map { reaches($0.value, operand) })
  }

  /// Whether an address is among the bytes of an operand.
  private func reaches(_ address: UInt64, _ operand: MemoryOperand) -> Bool {
    guard let start = operand.address(code.value) else { return false }
    let distance = (address &- start).withoutTag
    return distance < UInt64(max(operand.size, 1))
  }

  /// Whether code, registers and fault address of the report can't be of the same moment.
  var contradicts: Bool {
    guard let fault, code.current.text != nil, code.current.flow != .systemCall else { return false }
    // An instruction can lie on two pages, and the second one be missing.
    if fault.value &- code.current.address < UInt64(code.current.length) { return false }
    return code.current.memory.allSatisfy {
      $0.address(code.value) != nil && !reaches(fault.value, $0)
    }
  }
}

// MARK: - Words

extension InstructionReading {
  /// What the instruction says of the fault; nil when nothing.
  var finding: Finding? {
    if contradicts, let fault {
      return sentence(
        "contradiction", ["instruction": code.current.text ?? "", "fault": hexadecimal(fault.value)],
        [code.evidence, fault.evidence] + registers.compactMap(code.evidence(of:)))
    }
    guard let operand, operand.address(code.value) != nil else { return nil }
    var values = ["expression": operand.expression(in: code.set)]
    values["size"] = size(operand)
    if let culprit, let value = code.value(of: culprit) {
      values["register"] = code.set.name(of: culprit)
      values["value"] = hexadecimal(value)
    }
    return sentence(
      operand.access.rawValue, values, [code.evidence] + registers.compactMap(code.evidence(of:)))
  }

  private func size(_ operand: MemoryOperand) -> String? {
    let key = operand.size == 1 ? "byte" : "bytes"
    return operand.size > 0 ? texts.code[key]?.filled(with: ["count": String(operand.size)]) : nil
  }

  /// The registers that the operand's address is made of.
  private var registers: [MachineRegister] {
    [operand?.base, operand?.index?.register].compactMap(\.self)
  }

  private func sentence(_ key: String, _ values: [String: String], _ evidence: [Evidence]) -> Finding? {
    texts.code[key].map {
      Finding(rule: "instruction", text: $0.filled(with: values), confidence: .certain, evidence: evidence)
    }
  }
}

extension InstructionReading {
  /// That the code isn't what the binary has, where it matters: at the instruction or before it.
  ///
  /// A debugger's breakpoint, a hook or damaged memory change it; and so does another binary of the same identity.
  var differenceFinding: Finding? {
    guard let location = code.difference, location < code.current.end else { return nil }
    return texts.code["difference"].map {
      Finding(
        rule: "code-difference", text: $0.filled(with: ["at": hexadecimal(location)]), confidence: .hint,
        evidence: [code.evidence])
    }
  }
}

// MARK: - Trap

extension InstructionReading {
  /// Whether the instruction is the one that compilers emit to stop a program: `brk #1`, and `ud2`.
  private var isCompilersTrap: Bool {
    code.current.flow == .trap(code.set == .arm64 ? .breakpoint(1) : .undefined(2))
  }

  /// Which checks lead to the trap at the program counter; nil where none of them is among the instructions.
  ///
  /// Other numbers of `brk` say themselves what they are for.
  var trapFinding: Finding? {
    guard isUnnamedTrap, isCompilersTrap else { return nil }
    let found = ([code.instructions] + code.farBranches).flatMap { instructions in
      TrapSearch(instructions: instructions, trap: code.current.address).checks
        .map { (branch: instructions[$0.branch], checks: $0.checks) }
    }
    let kinds = TrapCheck.allCases.filter { kind in found.contains { $0.checks.contains(kind) } }
    guard !kinds.isEmpty, kinds != [.condition] else { return nil }
    let words = kinds.compactMap { texts.code["check-" + $0.rawValue]?.filled(with: [:]) }
    let evidence = found.map { Evidence(.code(thread: code.thread), code.line($0.branch)) }
    return texts.code[kinds.count == 1 ? "trap" : "traps"].map {
      Finding(
        rule: "trap-check", text: $0.filled(with: ["check": words.joined(separator: "; ")]),
        confidence: kinds.count == 1 ? .likely : .hint, evidence: Array(evidence.prefix(4)))
    }
  }
}

// MARK: - Origin

extension InstructionReading {
  /// The register that makes the address a bad one; nil when that can't be told.
  ///
  /// It is the base, unless that can be a place in memory and the index leads far away from it.
  private var culprit: MachineRegister? {
    guard let operand, !contradicts, let base = operand.base, let value = code.value(of: base) else {
      return nil
    }
    if let index = operand.index, let count = code.value(of: index.register) {
      let distance = Int64(bitPattern: index.scaled(count))
      if value >> 32 != 0, value >> 47 == 0, distance.magnitude > Self.farthestElement {
        return index.register
      }
    }
    return isStack(base, value) ? nil : base
  }

  /// Whether a register points into the stack. On x86-64 the frame pointer can be a register like any other.
  private func isStack(_ register: MachineRegister, _ value: UInt64) -> Bool {
    if register == code.set.stackPointer { return true }
    guard register == code.set.framePointer else { return false }
    return code.set == .arm64 || code.value(of: code.set.stackPointer).map { value &- $0 < 1 << 20 } ?? true
  }

  /// An index that leads farther than this is likely to be wrong itself.
  private static let farthestElement: UInt64 = 1 << 20

  private var originStatement: OriginStatement? {
    origin.flatMap { register, value in
      originText(register, value).map {
        OriginStatement(kind: value.origin.kind, text: $0, variable: sourceName)
      }
    }
  }

  private func originText(_ register: MachineRegister, _ value: TracedValue) -> String? {
    guard var text = texts.sentence(value, of: register, in: code.instructions, code.set) else { return nil }
    if let (base, earlier) = earlierValue(value.origin),
      let sentence = texts.sentence(earlier, of: base, in: code.instructions, code.set)
    {
      text.addSentence(texts.code["earlier"]?.filled(with: ["sentence": sentence]) ?? "")
    }
    return text
  }

  /// Where the register came from that a value was loaded through, if it holds something else by now: `ldr x8, [x8]`.
  private func earlierValue(_ origin: ValueOrigin) -> (MachineRegister, TracedValue)? {
    guard case .load(let index, _) = origin, let base = code.instructions[index].memory.first?.base,
      !search.isKept(base, from: index, to: code.stop)
    else { return nil }
    let value = search.trace(base, before: index)
    return value.origin == .unknown ? nil : (base, value)
  }

  /// Where the bad value came from, as a statement of its own: other code can jump in between what the report quotes.
  var originFinding: Finding? {
    guard let (register, value) = origin else { return nil }
    let origin = value.origin
    guard origin != .unknown || sourceName != nil else { return nil }
    var text = origin == .unknown ? "" : originText(register, value) ?? ""
    let key = origin == .unknown ? "variable-alone" : "variable"
    let values = ["variable": sourceName, "register": code.set.name(of: register)]
    if sourceName != nil {
      text.addSentence(texts.code[key]?.filled(with: values.compactMapValues(\.self)) ?? "")
    }
    var evidence = [code.evidence]
    if case .load(let index, _) = origin { evidence[0].quote = code.line(code.instructions[index]) }
    if case .call(let index) = origin { evidence[0].quote = code.line(code.instructions[index]) }
    return Finding(rule: "instruction-origin", text: text, confidence: .likely, evidence: evidence)
  }
}

extension Texts {
  /// Says where a register's value comes from.
  func sentence(
    _ value: TracedValue, of register: MachineRegister, in instructions: [Instruction],
    _ set: InstructionSet
  ) -> String? {
    var values = ["register": value.expression(of: register, in: set)]
    switch value.origin {
    case .argument(let source):
      values["number"] = set.arguments.firstIndex(of: source).map { String($0 + 1) }
    case .load(let index, let offset):
      guard var operand = instructions[index].memory.first else { return nil }
      operand.displacement &+= offset
      values["place"] = operand.expression(in: set)
      values["at"] = hexadecimal(instructions[index].address)
    case .call(let index): values["at"] = hexadecimal(instructions[index].address)
    case .constant(let value): values["value"] = hexadecimal(value)
    case .unknown: break
    }
    return code["from-" + value.origin.kind.rawValue]?.filled(with: values)
  }
}

extension TracedValue {
  /// What was there before the sums, by what is there now: `x8 - x9 × 8 - 0x10`.
  fileprivate func expression(of register: MachineRegister, in set: InstructionSet) -> String {
    guard origin != .unknown else { return set.name(of: register) }
    let start = set.name(of: register) + (index.map { " - " + $0.expression(in: set) } ?? "")
    return start + signed(0 &- number)
  }
}

/// A number behind what it is added to; nothing for zero.
private func signed(_ number: Int64) -> String {
  number == 0 ? "" : (number < 0 ? " - " : " + ") + hexadecimal(UInt64(number.magnitude))
}

extension MemoryOperand.Index {
  fileprivate func expression(in set: InstructionSet) -> String {
    set.name(of: register) + (shift == 0 ? "" : " × \(1 << shift)")
  }
}

extension ValueOrigin {
  var kind: OriginStatement.Kind {
    switch self {
    case .argument: .argument
    case .load: .load
    case .call: .call
    case .constant: .constant
    case .unknown: .unknown
    }
  }
}

extension MemoryOperand {
  /// How the address is computed, in the CPU's names: `x8 + x25 × 8`, `sp - 0x10`.
  func expression(in set: InstructionSet) -> String {
    var text = base.map(set.name(of:)) ?? ""
    if let index { text += (text.isEmpty ? "" : " + ") + index.expression(in: set) }
    return text.isEmpty ? hexadecimal(UInt64(bitPattern: displacement)) : text + signed(displacement)
  }
}
