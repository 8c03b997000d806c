internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadInstructions
internal import CrashReadSymbolication

/// The variable or member whose value the instruction at the program counter used, by DWARF.
struct OriginVariable {
  let symbolicated: SymbolicatedReport
  let code: CrashCode
  let search: OriginSearch

  /// The name as in the source: `node`, `node->next`; nil when DWARF doesn't have it.
  func name(of register: MachineRegister, _ origin: ValueOrigin) -> String? {
    guard hasDebugInfo else { return nil }
    if let variable = variable(in: register) { return variable.name }
    guard case .load(let index, let offset) = origin, let operand = loaded(index, offset) else { return nil }
    return member(operand, before: index) ?? variable(at: operand, before: index)?.name
  }

  /// Whether a debug file describes the function in which the thread stopped.
  private var hasDebugInfo: Bool {
    symbolicated.threads.indices.contains(code.thread)
      && symbolicated.threads[code.thread].first?.resolution == .debugInfo
  }

  /// The operand from which an instruction loads a register.
  private func loaded(_ index: Int, _ offset: Int64) -> MemoryOperand? {
    var operand = code.instructions[index].memory.first
    operand?.displacement &+= offset
    return operand
  }

  /// The variable that an instruction has loaded from memory, if its address can still be determined from the
  /// registers.
  private func variable(at operand: MemoryOperand, before index: Int) -> Variable? {
    let sources = [operand.base, operand.index?.register].compactMap(\.self)
    guard sources.allSatisfy({ search.isKept($0, from: index, to: code.stop) }),
      let address = operand.address(code.value)
    else { return nil }
    return variables(nil, address: nil).first { $0.value == .inMemory(RuntimeAddress(address)) }
  }

  /// The variable in a register: its value is known exactly when that register's is.
  private func variable(in register: MachineRegister) -> Variable? {
    guard let value = code.value(of: register) else { return nil }
    let found = variables([register], address: nil).first { $0.value.pointer == value }
    let isConstant = variables([], address: nil).contains {
      $0.name == found?.name && $0.value.pointer != nil
    }
    return isConstant ? nil : found
  }

  /// The member that an instruction has loaded through a pointer variable.
  ///
  /// DWARF states which register or stack slot contained the pointer at that instruction. Its value doesn't matter, and
  /// has often been overwritten since, so any number is used for it.
  private func member(_ operand: MemoryOperand, before index: Int) -> String? {
    guard let base = operand.base, operand.index == nil, base != code.set.stackPointer else { return nil }
    var context = VariableContext(faultAddress: Self.pointer &+ UInt64(bitPattern: operand.displacement))
    context.registers = registers(before: index)
    if case .load(let first, let offset) = search.origin(of: base, before: index),
      let address = loaded(first, offset)?.address({ context.registers[code.set.name(of: $0)] })
    {
      context.pointers[address] = Self.pointer
    }
    for name in code.set.names(of: base) { context.registers[name] = Self.pointer }
    let variables = symbolicated.variables(at: code.instructions[index].address, thread: code.thread, context)
    let members = variables.filter { $0.value.pointer == Self.pointer }.flatMap(\.faultMembers)
    return members.count == 1 && members[0].isExact ? members[0].expression : nil
  }

  private static let pointer: UInt64 = 0x1234_5678_0000

  /// The registers that haven't changed since an instruction.
  private func registers(before index: Int) -> [String: UInt64] {
    var known: [String: UInt64] = [:]
    for register in (0..<32).map(MachineRegister.init)
    where search.isKept(register, from: index, to: code.stop) {
      for name in code.set.names(of: register) { known[name] = code.value(of: register) }
    }
    return known
  }

  /// The variables of the innermost frame, if only the given registers are known; nil for all registers.
  private func variables(_ registers: [MachineRegister]?, address: UInt64?) -> [Variable] {
    let names = registers.map { Set($0.flatMap(code.set.names(of:))) }
    return Array(
      symbolicated.variables(ofFrame: 0, thread: code.thread, faultAddress: address, registers: names)
        .joined())
  }
}

extension VariableValue {
  /// The bits of a pointer.
  fileprivate var pointer: UInt64? {
    if case .known(_, let pointer) = self { pointer } else { nil }
  }
}
