internal import CrashReadInstructions

/// The origin of a register's value, as far as the preceding instructions prove it.
enum ValueOrigin: Equatable {
  /// It was passed in the register when the function was called.
  case argument(MachineRegister)
  /// It was loaded by an instruction, given by its index.
  case load(Int, offset: Int64)
  /// It is the result of a call, given by its index.
  case call(Int)
  case constant(UInt64)
  case unknown
}

/// The origin of a register's value, and what has been added to it since.
struct TracedValue: Equatable {
  var origin = ValueOrigin.unknown
  var number: Int64 = 0
  /// A register that still holds the same value.
  var index: MemoryOperand.Index?

  /// Whether nothing was added.
  var isWhole: Bool { number == 0 && index == nil }
}

/// Walks back from an instruction through straight-line code.
struct OriginSearch {
  let instructions: [Instruction]
  /// The start of the function, as an index; nil when it isn't among the instructions.
  let entry: Int?
  let set: InstructionSet
  /// The targets of the function's branches.
  private let targets: Set<UInt64>

  init(instructions: [Instruction], entry: Int?, set: InstructionSet) {
    (self.instructions, self.entry, self.set) = (instructions, entry, set)
    let function = entry.map { instructions[$0..<functionEnd(instructions, from: $0)] } ?? instructions[...]
    targets = Set(function.compactMap(\.flow.target))
  }

  /// The origin of a register's value just before an instruction runs.
  func origin(of register: MachineRegister, before index: Int) -> ValueOrigin {
    let value = trace(register, before: index)
    return value.isWhole ? value.origin : .unknown
  }

  /// The origin of a register's value just before an instruction runs, with sums taken apart.
  func trace(_ register: MachineRegister, before end: Int) -> TracedValue {
    var register = register
    var value = TracedValue()
    var position = end
    while position > entry ?? 0 {
      // A branch ends here, along which the register may have another value.
      guard !isJumpedTo(position), !instructions[position - 1].flow.isEnd else { return value }
      position -= 1
      switch step(over: instructions[position], at: position, register) {
      case .same: continue
      case .copy(let source): register = source
      case .sum(let source, let index, let number):
        guard value.add(number, index), index.map({ isKept($0.register, from: position, to: end) }) ?? true
        else { return value }
        register = source
      case .found(let origin):
        value.origin = origin
        return value
      }
    }
    if position == entry, !isJumpedTo(position), set.isArgument(register) {
      value.origin = .argument(register)
    }
    return value
  }

  private enum Step {
    case same
    case copy(MachineRegister)
    case sum(MachineRegister, MemoryOperand.Index?, Int64)
    case found(ValueOrigin)
  }

  private func step(over instruction: Instruction, at position: Int, _ register: MachineRegister) -> Step {
    switch instruction.flow {
    case .call, .indirectCall:
      if register == set.result { return .found(.call(position)) }
      if set.callerSaved.contains(register) { return .found(.unknown) }
    case .systemCall: return set.callerSaved.contains(register) ? .found(.unknown) : .same
    default: break
    }
    guard instruction.written.contains(register) else { return .same }
    switch instruction.effect {
    case .copy(register, let source): return .copy(source)
    case .authenticate(register): return .same
    case .constant(register, let value): return .found(.constant(value))
    // Of two registers, the one that is overwritten is traced further.
    case .sum(register, let source, var index?, let number)
    where index.register == register && index.isWholeRegister:
      index.register = source
      return .sum(register, index, number)
    case .sum(register, let source, let index, let number): return .sum(source, index, number)
    case .load(let registers):
      let loaded = registers.first { $0.register == register }
      return .found(loaded.map { .load(position, offset: $0.offset) } ?? .unknown)
    default: return .found(.unknown)
    }
  }

  /// Whether a register holds the same value before two instructions.
  func isKept(_ register: MachineRegister, from start: Int, to end: Int) -> Bool {
    instructions[start..<end].allSatisfy { instruction in
      !instruction.written.contains(register)
        && !(instruction.flow.isCall && set.callerSaved.contains(register))
    }
  }

  /// Whether a known instruction jumps there, rather than falling through.
  func isJumpedTo(_ index: Int) -> Bool { targets.contains(instructions[index].address) }
}

/// The index of a function's end: after the first instruction that ends control flow and beyond which no branch before
/// it leads.
///
/// A jump table can lead anywhere, so in a function with one, all known code is assumed to belong to it.
private func functionEnd(_ instructions: [Instruction], from entry: Int) -> Int {
  var farthest = instructions[entry].address
  for index in entry..<instructions.count {
    let flow = instructions[index].flow
    if let target = flow.target { farthest = max(farthest, target) }
    if case .indirectJump = flow { return instructions.count }
    if flow.isEnd, instructions[index].address >= farthest { return index + 1 }
  }
  return instructions.count
}

extension TracedValue {
  /// Adds a summand; false when it would make more than one register.
  fileprivate mutating func add(_ number: Int64, _ index: MemoryOperand.Index?) -> Bool {
    guard self.index == nil || index == nil else { return false }
    self.number &+= number
    self.index = self.index ?? index
    return true
  }
}

extension Flow {
  /// The target of a jump within the function, if the instruction states it.
  fileprivate var target: UInt64? {
    switch self {
    case .jump(let target), .branch(let target, _): target
    default: nil
    }
  }

  /// Whether it calls code that returns.
  fileprivate var isCall: Bool {
    switch self {
    case .call, .indirectCall, .systemCall: true
    default: false
    }
  }
}
