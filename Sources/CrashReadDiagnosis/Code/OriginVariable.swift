internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadInstructions
internal import CrashReadSymbolication

/// What the source calls a value that the instruction at the program counter used, by DWARF.
struct OriginVariable {
  let symbolicated: SymbolicatedReport
  let code: CrashCode

  /// As the source writes it: `node`, `node->next`; nil where DWARF doesn't say.
  func name(of register: MachineRegister, _ origin: ValueOrigin) -> String? {
    if let variable = variable(in: register) { return variable.name }
    guard case .load(let index, let offset) = origin, var operand = code.instructions[index].memory.first
    else {
      return nil
    }
    operand.displacement &+= offset
    let sources = [operand.base, operand.index?.register].compactMap(\.self)
    // What was loaded from must still be what it was.
    let since = code.instructions[index..<code.stop]
    guard !sources.contains(where: { source in since.contains { $0.written.contains(source) } }),
      let address = operand.address(code.value)
    else { return nil }
    if let base = operand.base, let member = member(at: address, through: base) { return member }
    return variables(nil, address: nil).first {
      $0.value == .inMemory(RuntimeAddress(address))
    }?.name
  }

  /// The variable that lives in a register: known when that register is, and not without it.
  private func variable(in register: MachineRegister) -> Variable? {
    guard let value = code.value(of: register) else { return nil }
    let found = variables([register], address: nil).first { $0.value.pointer == value }
    let isConstant = variables([], address: nil).contains {
      $0.name == found?.name && $0.value.pointer != nil
    }
    return isConstant ? nil : found
  }

  /// The member of what a register's variable points to.
  private func member(at address: UInt64, through register: MachineRegister) -> String? {
    guard let value = code.value(of: register) else { return nil }
    let found = variables([register], address: address).first { $0.value.pointer == value }
    let members = (found?.faultMembers ?? []).filter(\.isExact)
    return members.count == 1 ? members[0].expression : nil
  }

  /// The variables of the innermost frame, as if only some registers were known; nil for all of them.
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
