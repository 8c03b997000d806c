internal import CrashReadInstructions

/// Where a register's value comes from, as far as the instructions before prove it.
enum ValueOrigin: Equatable {
  /// The function got it, and hasn't written the register since.
  case argument(MachineRegister)
  /// It was loaded by an instruction, which is given as an index.
  case load(Int, offset: Int64)
  /// It is what a call returned; the call as an index.
  case call(Int)
  case constant(UInt64)
  case unknown
}

/// Walks back from an instruction over code that runs straight on.
struct OriginSearch {
  let instructions: [Instruction]
  /// Where the function begins, as an index; nil when that isn't among the instructions.
  let entry: Int?
  let set: InstructionSet

  /// What a register held when an instruction was about to run.
  func origin(of register: MachineRegister, before index: Int) -> ValueOrigin {
    var register = register
    var position = index
    while position > entry ?? 0 {
      // Two ways lead here, and the other one may have brought another value.
      guard !isJumpedTo(position) else { return .unknown }
      position -= 1
      let instruction = instructions[position]
      if instruction.flow.isEnd { return .unknown }
      switch step(over: instruction, at: position, register) {
      case .same: continue
      case .copy(let source): register = source
      case .found(let origin): return origin
      }
    }
    return position == entry && !isJumpedTo(position) && set.isArgument(register)
      ? .argument(register) : .unknown
  }

  private enum Step {
    case same
    case copy(MachineRegister)
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
    case .load(let registers):
      let loaded = registers.first { $0.register == register }
      return .found(loaded.map { .load(position, offset: $0.offset) } ?? .unknown)
    default: return .found(.unknown)
    }
  }

  /// Where the function ends, as an index: behind the first end of a run of instructions that no branch so far leads over.
  ///
  /// A jump through a table can go anywhere; then it is taken to be as long as the code at hand.
  private var functionEnd: Int {
    guard let entry else { return instructions.count }
    var farthest = instructions[entry].address
    for index in entry..<instructions.count {
      switch instructions[index].flow {
      case .jump(let target), .branch(let target, _): farthest = max(farthest, target)
      case .indirectJump: return instructions.count
      default: break
      }
      if instructions[index].flow.isEnd, instructions[index].address >= farthest { return index + 1 }
    }
    return instructions.count
  }

  /// Whether an instruction that is known jumps there, other than by falling through.
  func isJumpedTo(_ index: Int) -> Bool {
    let target = instructions[index].address
    return (entry.map { instructions[$0..<functionEnd] } ?? instructions[...]).contains { instruction in
      switch instruction.flow {
      case .jump(target), .branch(target, _): true
      default: false
      }
    }
  }
}
