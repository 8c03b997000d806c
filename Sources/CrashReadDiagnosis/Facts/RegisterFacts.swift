internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension CrashFacts {
  /// Adds facts about the crashed thread's registers: invalid pointers, and the arguments of a message.
  mutating func addRegisters(_ report: CrashReport) {
    guard isMemoryFault else { return }
    if let thread = report.crashedThread, let state = report.crashedThreadState {
      addRegisterValues(report, thread, state)
    }
    guard let fault = faultAddress(report) else { return }
    if isTop(Self.objectFunctions) { addNumber(fault) }
    guard isTop(["objc_msgSend"]) else { return }
    addReceiver(report, fault)
    if let thread = report.crashedThread, let state = report.crashedThreadState {
      addClassPointer(thread, state, fault)
    }
  }

  /// The number of bytes from a function's start within which its arguments are likely still in their registers.
  private static let prologueSize: UInt64 = 0x60

  /// Adds the C function of the system that was given NULL: it faulted near address zero, close to its start, with nothing
  /// in the register of its first argument.
  mutating func addNullArgument(_ symbolicated: SymbolicatedReport) {
    let report = symbolicated.report
    guard isMemoryFault, let fault = faultAddress(report), fault.value < 0x200,
      let thread = report.crashedThread, symbolicated.threads.indices.contains(thread),
      let frame = symbolicated.threads[thread].first,
      report.isSystemCode(frame), let name = frame.functionNames.first, Self.isPlainFunction(name),
      frame.captured.reportedSymbolOffset.map({ $0 < Self.prologueSize }) ?? false,
      let state = report.crashedThreadState,
      let register = receiverRegisters.first(where: { state[$0] != nil }), state[register] == 0
    else { return }
    set(.nullArgumentOf, name, Evidence(.register(thread: thread, name: register), 0))
  }

  /// Adds that the fault address can be a member's offset: no function of the system lies between.
  mutating func addMemberOffset(_ symbolicated: SymbolicatedReport) {
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread),
      let address = values[.address], let frame = symbolicated.threads[thread].first,
      !symbolicated.report.isSystemCode(frame)
    else { return }
    values[.memberOffset] = address
  }

  /// Adds a register that holds malloc's link of a free block, if the fault shows that it was used as a pointer.
  ///
  /// In a free block of the tiny and small zones, the first word is the next free block's address shifted down by four bits,
  /// below a checksum of four bits (apple-oss-distributions/libmalloc, src/magazine_inline.h,
  /// `free_list_checksum_ptr`). Blocks of one list are near each other.
  mutating func addFreeLink(_ report: CrashReport) {
    guard isMemoryFault, report.architecture?.is64Bit ?? false, let thread = report.crashedThread,
      let state = report.crashedThreadState,
      !(texts[.images] ?? []).contains(where: { $0.evidence.quote == "libsystem_malloc.dylib" })
    else { return }
    let general = state.registers.filter { isGeneral($0.name) }
    for register in general where register.value >> 60 != 0 {
      let next = register.value << 4
      guard next >= 0x1_0000_0000, next >> 47 == 0, isUsed(register.value, report),
        general.contains(where: { max($0.value, next) - min($0.value, next) < Self.zoneSize })
      else { continue }
      let evidence = Evidence(.register(thread: thread, name: register.name), register.value)
      set(.freeLinkRegister, register.name, evidence)
      set(.freeLink, hexadecimal(register.value), evidence)
      set(.nextFree, hexadecimal(next), evidence)
      return
    }
  }

  /// The distance within which the blocks of one list lie.
  private static let zoneSize: UInt64 = 1 << 30
  /// What the Objective-C runtime takes a class pointer's other bits off with: on Intel, and on arm64 without and with
  /// signed ones (objc4, runtime/isa.h, `ISA_MASK`).
  private static let classMasks: [UInt64] = [0x7fff_ffff_fff8, 0xf_ffff_fff8, 0x7f_ffff_ffff_fff8]

  /// Whether the fault address is that of a member of what a value points to, as it is or taken for a class pointer. A
  /// general protection fault states none.
  private func isUsed(_ value: UInt64, _ report: CrashReport) -> Bool {
    if has(.code, "EXC_I386_GPFLT") { return true }
    guard let fault = faultAddress(report)?.value else { return false }
    let bases = Self.classMasks.map { value & $0 } + [value]
    return bases.contains { fault &- $0 < 0x1000 || fault.withoutTag &- $0.withoutTag < 0x1000 }
  }

  /// Whether a name is a C function's, and none of those that all pointers go through: what they are given isn't an
  /// argument that somebody wrote.
  private static func isPlainFunction(_ name: String) -> Bool {
    !name.isMethodName && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
      && !["objc_", "_objc_", "swift_", "_swift_", "_platform_mem", "mem", "__bzero"].contains {
        name.hasPrefix($0)
      }
  }

  /// Functions of the Objective-C runtime that first read the class pointer of the object they are given.
  private static let objectFunctions = ["objc_msgSend", "objc_retain", "objc_release", "objc_opt_"]

  /// Whether the innermost function's name begins with one of these.
  private func isTop(_ names: [String]) -> Bool {
    guard let bytes = texts[.topFrame]?.first?.bytes else { return false }
    return names.contains { bytes.starts(with: Array($0.utf8)) }
  }

  private mutating func addRegisterValues(_ report: CrashReport, _ thread: Int, _ state: ThreadState) {
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
    addMessage(report, thread, state)
  }

  /// Adds facts about a message, or the object to retain or release: it is the first argument, and the selector is the
  /// second.
  private mutating func addMessage(_ report: CrashReport, _ thread: Int, _ state: ThreadState) {
    guard let receiver = receiverRegisters.first(where: { state[$0] != nil }), let object = state[receiver],
      object != 0
    else { return }
    let evidence = Evidence(.register(thread: thread, name: receiver), object)
    if object < 0x1000 { add(.receiver, ReceiverKind.number.rawValue, evidence) }
    if PointerValue(object, is64Bit: report.architecture?.is64Bit ?? true) == .text {
      add(.receiver, ReceiverKind.text.rawValue, evidence)
    }
    set(.receiver, hexadecimal(object), evidence)
    set(.receiverRegister, receiver, evidence)
    let freed = state.registers.first { $0.name == receiver }?.freedClass
    set(.freedClass, freed.map(Evidence.shortened), evidence)
    let second = state.registers.first { ["x1", "rsi", "r1"].contains($0.name) }
    guard let second, let name = second.meaning, !name.contains(" ") else { return }
    let source = EvidenceSource.register(thread: thread, name: second.name)
    set(.selector, name, Evidence(source, hexadecimal(second.value), meaning: Evidence.shortened(name)))
  }

  /// Adds that a small number was taken for an object, if no member of a class pointer's target is there.
  private mutating func addNumber(_ fault: Fact<UInt64>) {
    guard fault.value < 0x1000, values[.receiver] == nil, !Self.classMembers.contains(fault.value),
      fault.value != 4
    else { return }
    add(.receiver, ReceiverKind.number.rawValue, fault.evidence)
    set(.receiver, hexadecimal(fault.value), fault.evidence)
  }

  /// Adds what the fault address shows about a message's receiver: the runtime reads the object's class pointer, then a
  /// member near the start of the class (objc4, runtime/Messengers.subproj).
  private mutating func addReceiver(_ report: CrashReport, _ fault: Fact<UInt64>) {
    guard fault.value >= 0x1000 else { return }
    let members = Self.classMembers
    let is64Bit = fault.value >> 32 != 0
    let isText = members.contains {
      fault.value > $0 && spelledText(fault.value - $0, is64Bit: is64Bit) != nil
    }
    if isText { add(.receiver, ReceiverKind.textClass.rawValue, fault.evidence) }
  }

  /// Adds which of the two loads failed: that of the receiver's class pointer, or that of a member of the class.
  ///
  /// At the second, `objc_msgSend` has the class in x16, or in r10 or r11 (objc4, GetClassFromIsa_p16 and GetIsaFast).
  private mutating func addClassPointer(_ thread: Int, _ state: ThreadState, _ fault: Fact<UInt64>) {
    guard let receiver = receiverRegisters.first(where: { state[$0] != nil }), let object = state[receiver],
      object >= 0x1000
    else { return }
    let evidence = Evidence(.register(thread: thread, name: receiver), object)
    if fault.value.withoutTag == object.withoutTag {
      return add(.receiver, ReceiverKind.unreadable.rawValue, evidence)
    }
    let found = ["x16", "r10", "r11"].first { name in
      state[name].map { pointer in Self.classMembers.dropFirst().contains { fault.value &- pointer == $0 } }
        ?? false
    }
    guard let found, let pointer = state[found] else { return }
    let kind: ReceiverKind = pointer == 0 ? .classless : .wrongClass
    add(.receiver, kind.rawValue, evidence)
    set(.classPointer, hexadecimal(pointer), Evidence(.register(thread: thread, name: found), pointer))
  }

  /// The offsets in a class at which the runtime reads while it sends a message: class pointer, superclass, method
  /// cache and its flags.
  private static let classMembers: [UInt64] = [0, 8, 0x10, 0x18, 0x1c, 0x1e, 0x20, 0x28]

  /// The registers of a function's first argument. On PowerPC, r0 isn't one; on i386, it is on the stack.
  private var receiverRegisters: [String] { has(.architecture, "arm") ? ["r0"] : ["x0", "rdi"] }

  /// Whether a register holds a program's values rather than the CPU's state.
  private func isGeneral(_ name: String) -> Bool { !Self.special.contains(name) }

  private static let special: Set = [
    "pc", "sp", "lr", "fp", "cpsr", "far", "esr", "rip", "rsp", "rbp", "rfl", "cr2", "eip", "esp", "ebp",
    "efl", "err", "trap", "cs", "ss", "ds", "es", "fs", "gs", "rflags", "gsbase", "fsbase",
  ]
}

/// The kind of a message's receiver; raw values are those of `rules.json`.
enum ReceiverKind: String, Sendable, CaseIterable {
  /// A number too small to be an object's address.
  case number
  /// Eight characters of text.
  case text
  /// An object whose class pointer is text.
  case textClass
  /// An address that isn't mapped.
  case unreadable
  /// An object whose class pointer is null.
  case classless
  /// An object whose class pointer isn't mapped.
  case wrongClass
}

extension PointerValue {
  /// The facts for a register with such a value, and for the value; nil if no text uses them.
  fileprivate var registerFacts: (name: ValueFact, value: ValueFact)? {
    switch self {
    case .freedPattern: (.freedPatternRegister, .freedPatternValue)
    case .freshPattern: (.freshPatternRegister, .freshPatternValue)
    case .nonCanonical: (.nonCanonicalRegister, .nonCanonicalValue)
    case .text, .shortText, .deliberate, .missingSymbol, .goPlaceholder, .negative, .filled, .code,
      .lockSignature:
      nil
    }
  }
}

extension Architecture {
  /// Whether pointers have eight bytes.
  var is64Bit: Bool { self == .x86_64 || self == .x86_64h || (isARM64 && self != .arm64_32) }
}

extension Register {
  /// The Mach exception to which the kernel turns a syndrome's class on ARM64 (`sleh_synchronous`,
  /// osfmk/arm64/sleh.c), or a trap's number on Intel (`user_trap`, osfmk/i386/trap.c); nil for system calls, rarer
  /// traps, and other registers.
  var trappedException: String? {
    switch (name, name == "esr" ? value >> 26 : value) {
    case ("esr", 0x20), ("esr", 0x24), ("trap", 13), ("trap", 14): "EXC_BAD_ACCESS"
    case ("esr", 0x3c), ("trap", 3): "EXC_BREAKPOINT"
    case ("trap", 6): "EXC_BAD_INSTRUCTION"
    default: nil
    }
  }
}
