internal import CrashReadCore

/// Decodes x86-64 instructions when Zydis is installed.
package enum X86Decoder {
  /// The instructions in some bytes, up to the first that is invalid or incomplete.
  package static func instructions(_ bytes: ArraySlice<UInt8>, at address: UInt64) -> [Instruction] {
    var instructions: [Instruction] = []
    var rest = bytes
    while let read = instruction(rest, at: address &+ UInt64(bytes.count - rest.count)) {
      instructions.append(read)
      rest = rest.dropFirst(max(read.length, 1))
    }
    return instructions
  }

  /// The first instruction in some bytes; nil when they don't begin with a complete one.
  private static func instruction(_ bytes: ArraySlice<UInt8>, at address: UInt64) -> Instruction? {
    guard case .success(let zydis) = Zydis.shared,
      let read = zydis.instruction(bytes.prefix(maximumLength), at: address)
    else { return nil }
    return X86Meaning(read, at: address).instruction
  }

  /// The instructions in bytes that end at an instruction boundary, when the start of the first one is unknown.
  ///
  /// Decoding from any start synchronises with the real instructions after a few of them; only instructions are
  /// returned that decoding from every start that reaches the end agrees on.
  package static func instructions(before end: UInt64, _ bytes: [UInt8]) -> [Instruction] {
    let start = end &- UInt64(bytes.count)
    var agreed: ArraySlice<Instruction>?
    for skipped in 0..<min(maximumLength, max(bytes.count - runUp, 0)) {
      if let known = agreed {
        let joint = joint(of: bytes[skipped...], at: start &+ UInt64(skipped), with: known, before: end)
        if let joint { agreed = known[joint...] }
      } else {
        let read = instructions(bytes[skipped...], at: start &+ UInt64(skipped))
        if read.last?.end == end { agreed = read[...] }
      }
    }
    return Array(agreed ?? [])
  }

  /// The index at which decoding from another start joins known instructions: from there on both agree. Nil when it
  /// doesn't reach the end.
  private static func joint(
    of bytes: ArraySlice<UInt8>, at address: UInt64, with known: ArraySlice<Instruction>, before end: UInt64
  ) -> Int? {
    var (rest, address) = (bytes, address)
    while address != end {
      let index = known.partitioningIndex { $0.address >= address }
      if index < known.endIndex, known[index].address == address { return index }
      guard let read = instruction(rest, at: address), read.length > 0 else { return nil }
      rest = rest.dropFirst(read.length)
      address &+= UInt64(read.length)
    }
    return known.endIndex
  }

  /// The minimum number of bytes before decodings from different starts have synchronised.
  private static let runUp = 32
  /// The maximum size of an instruction in bytes.
  private static let maximumLength = 15
}

/// What an instruction does.
private struct X86Meaning {
  private let read: ZydisInstruction
  private let address: UInt64

  init(_ read: ZydisInstruction, at address: UInt64) { (self.read, self.address) = (read, address) }

  private var end: UInt64 { address &+ UInt64(read.length) }

  var instruction: Instruction {
    var instruction = Instruction(address: address, length: read.length, text: read.text)
    instruction.memory = memory
    instruction.written = written
    instruction.setsFlags = read.operands.contains { operand in
      if case .register(let register) = operand.content {
        register.name == "rflags" && operand.isWritten
      } else {
        false
      }
    }
    instruction.flow = flow
    instruction.effect = effect
    instruction.isPrivileged = isPrivileged
    if read.mnemonic == "test", immediate != nil, case .register(let register)? = read.operands.first?.content
    {
      instruction.tested = register.general.map(MachineRegister.init)
    }
    return instruction
  }

  // MARK: - Registers

  private var written: RegisterSet {
    var set: RegisterSet = read.category == "STRINGOP" ? Self.stringRegisters : []
    for operand in read.operands where operand.isWritten {
      if case .register(let register) = operand.content, let number = register.general {
        set.insert(RegisterSet(MachineRegister(number)))
      }
    }
    return set
  }

  /// rcx, rsi and rdi.
  private static let stringRegisters = RegisterSet(rawValue: 0b1100_0010)

  // MARK: - Memory

  /// Its memory operands: explicit ones first, then implicit ones such as the stack.
  private var memory: [MemoryOperand] {
    if ["WIDENOP", "NOP", "PREFETCH", "PREFETCHWT1", "CLDEMOTE"].contains(read.category) { return [] }
    let operands = read.operands.filter { !$0.isHidden } + read.operands.filter(\.isHidden)
    return operands.compactMap(memoryOperand)
  }

  private func memoryOperand(_ operand: ZydisInstruction.Operand) -> MemoryOperand? {
    guard case .memory(let memory) = operand.content, Self.reaching.contains(memory.kind) else { return nil }
    let access: MemoryOperand.Access =
      operand.isWritten ? (operand.isRead ? .readWrite : .write) : .read
    var result = MemoryOperand(
      displacement: memory.displacement, size: operand.bits / 8, access: access)
    result.alignment = alignment(operand)
    if memory.base.name == "rip" {
      result.displacement = Int64(bitPattern: end &+ UInt64(bitPattern: memory.displacement))
    } else {
      result.base = memory.base.general.map(MachineRegister.init)
    }
    if let index = memory.index.general {
      result.index = .init(register: MachineRegister(index), shift: memory.scale.trailingZeroBitCount)
    }
    // Vectors of addresses, 32-bit addresses, and segments whose base is unknown.
    result.isPartial =
      ["fs", "gs"].contains(memory.segment.name)
      || [memory.base, memory.index].contains {
        !$0.name.isEmpty && $0.name != "rip" && ($0.general == nil || !$0.isWhole)
      }
    if operand.isHidden, read.category == "PUSH" || read.category == "CALL", access == .write {
      result.displacement &-= Int64(result.size)  // push moves the stack pointer before the access
    }
    return result
  }

  /// `ZYDIS_MEMOP_TYPE_MEM` and `VSIB`, the types that access memory; the others only compute an address.
  private static let reaching: Set<Int32> = [1, 4]

  /// The alignment below which the CPU raises a general protection fault: Intel's manual, volume 2, section 2.4 by
  /// exception classes, and the pages of single instructions.
  private func alignment(_ operand: ZydisInstruction.Operand) -> Int {
    switch read.mnemonic {
    case "cmpxchg16b", "fxsave", "fxsave64", "fxrstor", "fxrstor64": return 16
    case "xsave", "xsave64", "xsavec", "xsavec64", "xsaveopt", "xsaveopt64", "xrstor", "xrstor64": return 64
    case "movups", "movupd", "movdqu", "lddqu", "maskmovdqu", "pcmpestri", "pcmpestrm", "pcmpistri",
      "pcmpistrm":
      return 1
    default: break
    }
    switch read.exceptionClass {
    case Self.sse1, Self.sse2, Self.sse4: return operand.bits == 128 ? 16 : 1
    case Self.avx1, Self.e1, Self.e1nf: return max(operand.bits / 8, 1)
    default: return 1
    }
  }

  /// Values of `ZydisExceptionClass`.
  private static let (sse1, sse2, sse4, avx1, e1, e1nf) = (1, 2, 4, 7, 17, 18)

  /// Whether user code may not run it: it needs privilege, I/O permission, or an interrupt gate.
  private var isPrivileged: Bool {
    if case .trap(.interrupt(let number)) = flow, number != 3, read.mnemonic == "int" { return true }
    return read.isPrivileged || ["cli", "sti"].contains(read.mnemonic)
      || ["IO", "IOSTRINGOP"].contains(read.category)
  }

  // MARK: - Flow

  private var flow: Flow {
    switch read.category {
    case "CALL": transfer(Flow.call, Flow.indirectCall)
    case "UNCOND_BR": transfer(Flow.jump, Flow.indirectJump)
    case "COND_BR": target.map { .branch($0, condition) } ?? .next
    case "RET": .return
    case "SYSCALL": .systemCall
    case "INTERRUPT": .trap(.interrupt(interrupt))
    default: trap
    }
  }

  private var trap: Flow {
    switch read.mnemonic {
    case "ud0": .trap(.undefined(0))
    case "ud1": .trap(.undefined(1))
    case "ud2": .trap(.undefined(2))
    case "hlt": .trap(.halt(0))
    default: .next
    }
  }

  private var interrupt: UInt64 {
    switch read.mnemonic {
    case "int1": 1
    case "int3": 3
    default: immediate ?? 3
    }
  }

  private func transfer(_ direct: (UInt64) -> Flow, _ indirect: (MachineRegister?) -> Flow) -> Flow {
    if let target { return direct(target) }
    if case .register(let register)? = read.operands.first?.content {
      return indirect(register.general.map(MachineRegister.init))
    }
    return indirect(nil)
  }

  /// The target of a branch with a relative displacement.
  private var target: UInt64? {
    for operand in read.operands where !operand.isHidden {
      if case .immediate(let distance, true) = operand.content { return end &+ UInt64(bitPattern: distance) }
    }
    return nil
  }

  private var condition: BranchCondition {
    if ["jrcxz", "jecxz"].contains(read.mnemonic) { return .zero(MachineRegister(1)) }
    let name = String(read.mnemonic.dropFirst())
    return .flags(Self.conditions[name] ?? name)
  }

  /// The conditions by arm64's names, where it has one.
  private static let conditions = [
    "o": "vs", "no": "vc", "b": "lo", "nb": "hs", "z": "eq", "nz": "ne", "be": "ls", "nbe": "hi", "s": "mi",
    "ns": "pl", "l": "lt", "nl": "ge", "le": "le", "nle": "gt",
  ]

  // MARK: - Effect

  private var effect: Effect {
    switch read.mnemonic {
    case "cmp", "test": return .compare
    case "add", "sub": return sum ?? .arithmetic
    case "adc", "sbb", "inc", "dec", "neg", "imul", "mul": return .arithmetic
    case "xor": return zeroed.map { .constant($0, 0) } ?? .other
    case "lea": return addressEffect
    case "mov", "movabs", "movzx", "movsx", "movsxd", "pop": return moved
    default: return .other
    }
  }

  private var target64: MachineRegister? {
    guard case .register(let register)? = read.operands.first?.content, read.operands[0].bits >= 32 else {
      return nil
    }
    return register.general.map(MachineRegister.init)
  }

  /// The register of `xor r, r` and the like, which become zero.
  private var zeroed: MachineRegister? {
    read.operands.count > 1 && read.operands[0].content == read.operands[1].content ? target64 : nil
  }

  private var immediate: UInt64? {
    for operand in read.operands where !operand.isHidden {
      if case .immediate(let value, false) = operand.content { return UInt64(bitPattern: value) }
    }
    return nil
  }

  private var moved: Effect {
    guard let target = target64 else { return .other }
    if memory.first?.access == .read { return .load([LoadedRegister(register: target, offset: 0)]) }
    if let immediate {
      return .constant(target, read.operands[0].bits == 32 ? immediate & 0xffff_ffff : immediate)
    }
    guard read.mnemonic == "mov", read.operands.count > 1, read.operands[0].bits == 64,
      case .register(let source) = read.operands[1].content
    else { return .other }
    return source.general.map { .copy(to: target, from: MachineRegister($0)) } ?? .other
  }

  /// `add` and `sub` of 64 bits, if one operand is a number or both are registers.
  private var sum: Effect? {
    guard let target = target64, read.operands.count > 1, read.operands[0].bits == 64 else { return nil }
    switch (read.mnemonic, read.operands[1].content) {
    case ("add", .immediate(let number, _)): return .sum(to: target, from: target, number)
    case ("sub", .immediate(let number, _)): return .sum(to: target, from: target, 0 &- number)
    case ("add", .register(let other)):
      return other.general.map {
        .sum(to: target, from: target, index: .init(register: MachineRegister($0), shift: 0), 0)
      }
    default: return nil
    }
  }

  private var addressEffect: Effect {
    guard let target = target64, read.operands.count > 1, read.operands[0].bits == 64,
      case .memory(let memory) = read.operands[1].content, memory.index.name.isEmpty || memory.index.isWhole
    else { return .other }
    let index = memory.index.general.map {
      MemoryOperand.Index(register: MachineRegister($0), shift: memory.scale.trailingZeroBitCount)
    }
    if memory.base.name == "rip" {
      return .constant(target, end &+ UInt64(bitPattern: memory.displacement))
    }
    guard memory.base.isWhole, let base = memory.base.general else { return .other }
    return .sum(to: target, from: MachineRegister(base), index: index, memory.displacement)
  }
}
