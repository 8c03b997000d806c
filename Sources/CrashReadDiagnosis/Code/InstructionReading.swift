internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Explains what the instruction at the program counter did, and checks it against the report.
struct InstructionReading {
  let code: CrashCode
  let texts: Texts
  /// The address that could not be accessed; nil when no memory access failed, or the report doesn't state it.
  let fault: Fact<UInt64>?

  /// The memory that the CPU refused to access in a general protection fault, which states no address.
  private let refused: MemoryOperand?

  /// The origin of the bad value; nil when no register certainly holds it.
  private var origin: (register: MachineRegister, value: TracedValue)?

  private let search: OriginSearch

  /// The variable or member that is the bad value, by DWARF; nil when unknown.
  private var sourceName: String?

  /// Whether the program stopped itself because of a check that no debug file names.
  private let isUnnamedTrap: Bool

  /// Nil when there is no code that can be decoded.
  init?(_ symbolicated: SymbolicatedReport, _ facts: CrashFacts, _ texts: Texts) {
    guard let code = facts.code else { return nil }
    let report = symbolicated.report
    let names = facts.texts[.topFrame] ?? []
    isUnnamedTrap =
      facts.isTrap && !names.contains { $0.bytes.starts(with: Array("Swift runtime failure".utf8)) }
    self.code = code
    self.texts = texts
    search = OriginSearch(instructions: code.instructions, entry: code.entry, set: code.set)
    refused = facts.protection?.operand
    let isFetch = facts.has(.access, MemoryAccess.execute.rawValue)
    fault = facts.isMemoryFault && !isFetch ? facts.faultAddress(report) : nil
    guard let badRegister else { return }
    let value = search.trace(badRegister, before: code.stop)
    origin = (badRegister, value)
    sourceName = OriginVariable(symbolicated: symbolicated, code: code, search: search)
      .name(of: badRegister, value.origin)
  }

  /// The operand that contains the fault address, otherwise the first.
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

  /// The maximum number of instructions shown.
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

  /// Whether code, registers and fault address of the report contradict one another, so that they can't be from the
  /// same moment.
  var contradicts: Bool {
    guard let fault, code.current.text != nil, code.current.flow != .systemCall else { return false }
    // An instruction can span two pages, the second of which isn't mapped.
    if fault.value &- code.current.address < UInt64(code.current.length) { return false }
    return code.current.memory.allSatisfy {
      $0.address(code.value) != nil && !reaches(fault.value, $0)
    }
  }
}

// MARK: - Sentences

extension InstructionReading {
  /// The statement of the instruction about the fault; nil when there is none.
  var finding: Finding? {
    if contradicts, let fault {
      return sentence(
        "contradiction", ["instruction": code.current.text ?? "", "fault": hexadecimal(fault.value)],
        [code.evidence, fault.evidence] + registers.compactMap(code.evidence(of:)))
    }
    guard let operand, operand.address(code.value) != nil else { return nil }
    var values = ["expression": operand.expression(in: code.set)]
    values["size"] = size(operand)
    if let badRegister, let value = code.value(of: badRegister) {
      values["register"] = code.set.name(of: badRegister)
      values["value"] = hexadecimal(value)
    }
    return sentence(
      operand.access.rawValue, values, [code.evidence] + registers.compactMap(code.evidence(of:)))
  }

  private func size(_ operand: MemoryOperand) -> String? {
    let key = operand.size == 1 ? "byte" : "bytes"
    return operand.size > 0 ? texts.code[key]?.filled(with: ["count": String(operand.size)]) : nil
  }

  /// The registers of which the operand's address consists.
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
  /// States that the code differs from the binary's at the instruction or before it.
  ///
  /// A debugger's breakpoints, hooks and damaged memory change code, and so does another binary with the same identity.
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
  /// Whether the instruction is one that compilers emit to stop a program: `brk #1`, or `ud2`.
  private var isCompilersTrap: Bool {
    code.current.flow == .trap(code.set == .arm64 ? .breakpoint(1) : .undefined(2))
  }

  /// The checks that lead to the trap at the program counter; nil when none of them is among the instructions.
  ///
  /// Other immediates of `brk` identify the check themselves.
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
  /// The register that makes the address invalid; nil when it is unknown.
  ///
  /// It is the base, unless the base can be an address and the index leads far away from it.
  private var badRegister: MachineRegister? {
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

  /// Whether a register points into the stack. On x86-64, the frame pointer can be a general register.
  private func isStack(_ register: MachineRegister, _ value: UInt64) -> Bool {
    if register == code.set.stackPointer { return true }
    guard register == code.set.framePointer else { return false }
    return code.set == .arm64 || code.value(of: code.set.stackPointer).map { value &- $0 < 1 << 20 } ?? true
  }

  /// The maximum plausible index; a larger one is probably wrong itself.
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

  /// The origin of the register through which a value was loaded, if it has been overwritten since: `ldr x8, [x8]`.
  private func earlierValue(_ origin: ValueOrigin) -> (MachineRegister, TracedValue)? {
    guard case .load(let index, _) = origin, let base = code.instructions[index].memory.first?.base,
      !search.isKept(base, from: index, to: code.stop)
    else { return nil }
    let value = search.trace(base, before: index)
    return value.origin == .unknown ? nil : (base, value)
  }

  /// The origin of the bad value, as a separate statement: code that isn't quoted can branch into the code that the
  /// report quotes.
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
  /// The sentence about the origin of a register's value.
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
  /// The original value in terms of the present one, with the additions reversed: `x8 - x9 × 8 - 0x10`.
  fileprivate func expression(of register: MachineRegister, in set: InstructionSet) -> String {
    guard origin != .unknown else { return set.name(of: register) }
    let start = set.name(of: register) + (index.map { " - " + $0.expression(in: set) } ?? "")
    return start + signed(0 &- number)
  }
}

/// A number with its sign, to be added to an expression; empty for zero.
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
  /// The expression for the address, with the CPU's register names: `x8 + x25 × 8`, `sp - 0x10`.
  func expression(in set: InstructionSet) -> String {
    var text = base.map(set.name(of:)) ?? ""
    if let index { text += (text.isEmpty ? "" : " + ") + index.expression(in: set) }
    return text.isEmpty ? hexadecimal(UInt64(bitPattern: displacement)) : text + signed(displacement)
  }
}
