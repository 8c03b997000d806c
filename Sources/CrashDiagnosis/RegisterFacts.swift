internal import BinaryIdentity
internal import CrashReports

extension CrashFacts {
  /// Adds what registers of the crashed thread hold: pointers that are none, and the arguments of a message.
  mutating func addRegisters(_ report: CrashReport) {
    guard isMemoryFault, let thread = report.crashedThread, let state = report.crashedThreadState else {
      return
    }
    let is64Bit = report.architecture?.is64Bit ?? true
    for register in state.registers where isGeneral(register.name) {
      guard let kind = PointerValue(register.value, is64Bit: is64Bit), kind != .negative,
        words[.register]?.contains(where: { $0.value == kind.rawValue }) != true
      else { continue }
      let evidence = Evidence(.register(thread: thread, name: register.name), register.value)
      add(.register, kind.rawValue, evidence)
      if let (name, value) = kind.registerFacts {
        set(name, register.name, evidence)
        set(value, hexadecimal(register.value), evidence)
      }
      if let text = spelledText(register.value, is64Bit: is64Bit) { set(.spelled, text, evidence) }
    }
    addMessage(thread, state)
  }

  /// The receiver of a message, or the object to retain or release, is the first argument; the selector the second.
  private mutating func addMessage(_ thread: Int, _ state: ThreadState) {
    guard let receiver = ["x0", "rdi", "r0"].first(where: { state[$0] != nil }), let object = state[receiver],
      object != 0
    else { return }
    let evidence = Evidence(.register(thread: thread, name: receiver), object)
    set(.receiver, hexadecimal(object), evidence)
    set(.receiverRegister, receiver, evidence)
    let freed = state.registers.first { $0.name == receiver }?.freedClass
    set(.freedClass, freed.map(Template.shortened), evidence)
    let second = state.registers.first { ["x1", "rsi", "r1"].contains($0.name) }
    guard let second, let name = second.meaning, !name.contains(" ") else { return }
    let source = EvidenceSource.register(thread: thread, name: second.name)
    set(.selector, name, Evidence(source, hexadecimal(second.value), meaning: Template.shortened(name)))
  }

  /// Whether a register holds a program's values, not the CPU's state.
  private func isGeneral(_ name: String) -> Bool {
    let special: Set = [
      "pc", "sp", "lr", "fp", "cpsr", "far", "esr", "rip", "rsp", "rbp", "rfl", "cr2", "eip", "esp", "ebp",
      "efl", "err", "trap", "cs", "ss", "ds", "es", "fs", "gs", "rflags", "gsbase", "fsbase",
    ]
    return !special.contains(name)
  }
}

extension PointerValue {
  /// The facts that name a register with such a value, and the value; nil where no text names them.
  fileprivate var registerFacts: (name: ValueFact, value: ValueFact)? {
    switch self {
    case .freedPattern: (.freedPatternRegister, .freedPatternValue)
    case .freshPattern: (.freshPatternRegister, .freshPatternValue)
    case .nonCanonical: (.nonCanonicalRegister, .nonCanonicalValue)
    case .repeatedByte: (.repeatedByteRegister, .repeatedByteValue)
    case .text, .shortText, .deliberate, .negative: nil
    }
  }
}

extension Architecture {
  /// Whether pointers take eight bytes.
  var is64Bit: Bool { self == .x86_64 || self == .x86_64h || (isARM64 && self != .arm64_32) }
}
