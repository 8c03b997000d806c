internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The kind of a fault address; raw values are those of `rules.json`.
enum AddressKind: String, Sendable, CaseIterable {
  /// Zero.
  case null
  /// Above zero, but less than the size of a pointer: more often a number used as a pointer than a member at address 0.
  case small
  /// Above zero, but in the first page: a member of an object at address 0.
  case firstPage
  /// Where a block that is nil would have its function: at 16, or 12 in a 32-bit process (Clang, Block Implementation
  /// Specification).
  case blockFunction
  /// Below 4 GiB in a 64-bit process, where `__PAGEZERO` is never mapped.
  case low
  /// At the end of the stack that contains the stack pointer.
  case stackLimit
  /// In the area in which arm64 programs have their stacks, in a report that states neither the stack pointer nor the
  /// region.
  case stackArea
  /// None of the first four: such an address can be mapped.
  case high
  /// On the stack of the thread that handed it to malloc.
  case threadStack
  /// Where the shared cache of the system's libraries is mapped on devices.
  case systemLibrary
  /// Beside a stack pointer in the first page, so that there is no stack.
  case noStack
  /// Zero, of a program counter whose link register is zero, too.
  case nullReturn
  /// The first byte of a page that can be mapped: whoever walks on through memory faults there.
  case pageStart
  /// Slightly above 2^63, which Swift's dictionaries and sets hold in place of their storage while they are changed in place:
  /// `init(dummy:)` makes a bridge object of the tag's bits alone (swiftlang/swift, stdlib/public/core/DictionaryVariant.swift).
  case swiftPlaceholder = "swiftStandIn"
  /// Immediately after a region of the heap, or in the guard page after it.
  case heapEnd
  /// In memory that was mapped when the report was written.
  case mapped
  /// In memory that was mapped, and neither read nor run as far as is stated: if it may be read, it was written to.
  case mappedUnread
  /// In memory whose protection allows the access that failed.
  case permitted
}

/// The access that an instruction attempted; raw values are those of `rules.json` and of the word lists.
enum MemoryAccess: String, Sendable, CaseIterable {
  case read, write, execute
}

extension CrashFacts {
  /// Adds the exception's code by name, the fault address, the access that failed, and the kind of address.
  mutating func addMemoryFault(_ report: CrashReport, _ codes: CodeTables) {
    addCode(report, codes)
    addSanitizedAddress(report)
    guard isMemoryFault else { return }
    for decoding in decodings {
      if let access = decoding.number.access, let evidence = decoding.evidence.first {
        setAccess(access, evidence)
      }
    }
    if let counter = programCounter(report) {
      for kind in kinds(of: counter.value, report) where kind != .stackLimit {
        let kind = kind == .null && hasNoReturnAddress(report) ? .nullReturn : kind
        add(.programCounter, kind.rawValue, counter.evidence)
      }
    }
    guard let fault = faultAddress(report) else { return }
    let counter = programCounter(report)
    let isJump = counter?.value == fault.value
    dropSignatureCode(fault.value)
    set(.address, hexadecimal(fault.value), fault.evidence)
    set(.offset, String(fault.value), fault.evidence)
    // A jump uses no member: the small number was taken for a function's address. Members are aligned, too; a program
    // counter that isn't is stated with the same code (osfmk/arm64/sleh.c).
    let usesNoMember = isJump || ["EXC_ARM_DA_ALIGN", "EXC_ARM_SP_ALIGN"].contains { has(.code, $0) }
    let ofMembers: [AddressKind] = [.small, .firstPage, .blockFunction]
    for kind in kinds(of: fault.value, report) where !usesNoMember || !ofMembers.contains(kind) {
      add(.address, kind.rawValue, fault.evidence)
    }
    addRegion(of: fault.value, report)
    let is64Bit = report.architecture?.is64Bit ?? true
    if let kind = PointerValue(fault.value, is64Bit: is64Bit) {
      add(.pointer, kind.rawValue, fault.evidence)
      set(.spelledAddress, spelledText(fault.value, is64Bit: is64Bit), fault.evidence)
    }
    if words[.access] == nil, isJump, let counter { setAccess(.execute, counter.evidence) }
    if words[.access] == nil, let jump = notedJump(report, to: fault.value) { setAccess(.execute, jump) }
    addPermission(report)
  }

  /// Removes the code of a page that doesn't match its signature if no page can lie at the address: the report states a number of
  /// another kind there.
  private mutating func dropSignatureCode(_ address: UInt64) {
    guard address.withoutTag >> 47 != 0 else { return }
    words[.code]?.removeAll { $0.value == "KERN_CODESIGN_ERROR" }
    if values[.code]?.value == "KERN_CODESIGN_ERROR" { values[.code] = nil }
  }

  /// The note that the instruction pointer was the fault address, so that the frames begin with the caller: `RIP register
  /// does not match crashing frame (0xEE00000001 vs 0x100EE0A38)`.
  private func notedJump(_ report: CrashReport, to address: UInt64) -> Evidence? {
    for line in texts[.noted] ?? [] {
      if let counter = Self.counterNote?.match(line.bytes)?["counter"], unsigned(counter) == address {
        return line.evidence
      }
    }
    return nil
  }

  private static let counterNote = TextPattern(" register does not match crashing frame ({counter} vs ")

  /// Whether the link register is 0: a call sets it, a return by it leaves it as it was.
  private func hasNoReturnAddress(_ report: CrashReport) -> Bool {
    report.crashedRegister(["lr"])?.value == 0
  }

  /// Adds what malloc found in place of its guard in a free block: whatever was written over that.
  mutating func addGuardValue() {
    for line in texts[.text] ?? [] {
      guard let found = Self.guardValue?.match(line.bytes)?["value"].flatMap({ UInt64($0) }) else { continue }
      let digits = hexDigits(found.littleEndianBytes)
      let pairs = stride(from: 0, to: digits.utf8.count, by: 2).map { digits.dropFirst($0).prefix(2) }
      set(.guardValue, hexadecimal(found), line.evidence)
      set(.guardBytes, pairs.joined(separator: " "), line.evidence)
      set(.guardText, spelledText(found, is64Bit: true), line.evidence)
      return
    }
  }

  private static let guardValue = TextPattern("Incorrect guard value: {value}$")

  /// Adds the statements of the system's own record about the memory to which the fault is attributed.
  mutating func addAllocation(_ report: CrashReport) {
    guard let record = report.allocation, let address = record.address else { return }
    let evidence = Evidence(.field(.allocation), address)
    set(.allocationAddress, hexadecimal(address), evidence)
    set(.allocationSize, record.size.map(String.init), evidence)
    if let isFreed = record.isFreed { add(.allocation, isFreed ? "freed" : "live", evidence) }
  }

  /// Adds that a pointer which malloc refused lies on the stack of the thread that malloc names in front:
  /// `moon(77421,0x16dc2f000) malloc: *** error for object 0x16dc2e8c0: pointer being freed was not allocated`.
  ///
  /// It prints `pthread_self()`, which lies at the end of its thread's stack, except for the main thread's
  /// (apple-oss-distributions/libpthread, src/pthread.c, `_pthread_allocate`).
  mutating func addRefusedPointer() {
    for line in texts[.text] ?? [] {
      guard let found = Self.refusedPointer?.match(line.bytes),
        let object = found["object"].flatMap({ UInt64($0.prefix(while: \.isHexDigit), radix: 16) }),
        let thread = found["thread"].flatMap({ UInt64($0, radix: 16) }),
        object < thread, thread - object <= Self.threadStackSize
      else { continue }
      return add(.address, AddressKind.threadStack.rawValue, line.evidence)
    }
  }

  private static let refusedPointer = TextPattern(",0x{thread}) malloc: *** error for object 0x{object}$")
  /// The size of a thread's stack by default.
  private static let threadStackSize: UInt64 = 0x8_0000

  /// Adds the address of `AddressSanitizer: SEGV on unknown address 0x10`.
  ///
  /// It is 0 if the CPU gave none; in that case the sanitizer prints a hint.
  private mutating func addSanitizedAddress(_ report: CrashReport) {
    guard report.format == .sanitizer, let exception = report.exception, let message = exception.message,
      ["SEGV", "BUS", "crashed"].contains(where: { exception.type?.hasSuffix(" " + $0) ?? false }),
      !(exception.note ?? "").holds("high value address"),
      let words = message.split(separator: " ").firstIndex(of: "address"),
      let address = message.split(separator: " ").dropFirst(words + 1).first.flatMap({ unsigned($0) })
    else { return }
    let evidence = Evidence(.field(.exceptionMessage), message)
    set(.address, hexadecimal(address), evidence)
    for kind in kinds(of: address, report) { add(.address, kind.rawValue, evidence) }
  }

  private mutating func setAccess(_ access: MemoryAccess, _ evidence: Evidence) {
    add(.access, access.rawValue, evidence)
    set(.accessKind, access.rawValue, evidence)
  }

  /// Whether an access to memory failed, by any reporter's name for it.
  var isMemoryFault: Bool {
    guard let type = words[.exception]?.first?.value else { return false }
    return type == "EXC_BAD_ACCESS" || type == "SIGSEGV" || type == "SIGBUS"
  }

  /// Adds the code by name. The name printed by the report is preferred, since the meaning of a number depends on the
  /// CPU.
  private mutating func addCode(_ report: CrashReport, _ codes: CodeTables) {
    guard let exception = report.exception else { return }
    let text = exception.subtype ?? exception.codesText ?? ""
    let worded = exception.subtype.map { Evidence(.field(.exceptionSubtype), $0) } ?? codesEvidence(report)
    let printed = String(text.prefix { !" ,(".contains($0) })
    let number = exception.codes.first ?? printed.suffix(after: "UNKNOWN_").flatMap { unsigned($0) }
    let table = "code." + (exception.type ?? "")
    // Some reporters name the code of a trap like that of a failed access: 1 is `KERN_INVALID_ADDRESS` there.
    if printed.hasPrefix("KERN_"), let type = exception.type, type.hasPrefix("EXC_"), !isMemoryFault {
      return
    }
    if codes.isCode(printed), let worded {
      add(.code, isFixed(printed, report) ? "ARM_" + printed : printed, worded)
    } else if let number, let name = codes.name(of: number, in: table, variant: codeVariant(number)) {
      let numbers = exception.codes.map(hexadecimal).joined(separator: ", ")
      if let evidence = numbers.isEmpty ? worded : Evidence(.field(.exceptionCodes), numbers) {
        add(.code, name, evidence)
      }
    }
    addTrapNumber(report)
    values[.code] = words[.code]?.first
    if values[.code]?.value.hasPrefix("ARM_") == true { values[.code]?.value = printed }
  }

  /// Whether Darwin's kernel sets a signal's code regardless of the fault, as on ARM: every SIGSEGV has SEGV_ACCERR,
  /// and every SIGBUS has BUS_ADRALN (bsd/dev/arm/unix_signal.c). An excerpt that doesn't state its CPU may be of one.
  private func isFixed(_ code: String, _ report: CrashReport) -> Bool {
    codeVariant != "x86" && (code == "SEGV_ACCERR" || code == "BUS_ADRALN")
      && !(report.header.osVersion?.hasPrefix("Linux") ?? false)
  }

  /// Adds a general protection fault, which Linux reports without a code and with the address 0.
  private mutating func addTrapNumber(_ report: CrashReport) {
    guard has(.architecture, "x86"), isMemoryFault, words[.code] == nil,
      let trap = report.crashedRegister(["trap"]), trap.value == 13
    else { return }
    add(.code, "EXC_I386_GPFLT", trap.evidence)
  }

  /// The variant of the code tables for the CPU of the report.
  var codeVariant: String? {
    words[.architecture]?.first.map { $0.value.hasPrefix("arm") ? "arm" : $0.value }
  }

  /// The variant of the code tables for a number: only ARM's exceptions have codes behind those of kernel functions
  /// (osfmk/mach/arm/exception.h), so an excerpt of a failed access that doesn't state its CPU is of one. 13 is only
  /// Intel's general protection fault (osfmk/mach/i386/exception.h).
  private func codeVariant(_ number: UInt64) -> String? {
    if let codeVariant { return codeVariant }
    guard isMemoryFault else { return nil }
    return number > 0x100 ? "arm" : number == 13 ? "x86" : nil
  }

  /// The address that could not be accessed; nil when the report doesn't state it, or states another one in its place.
  func faultAddress(_ report: CrashReport) -> Fact<UInt64>? {
    // With these two codes, something else is stated in place of the address.
    if has(.code, "EXC_I386_GPFLT") || has(.code, "EXC_ARM_PAC_FAIL") { return nil }
    if let subtype = report.exception?.subtype, let address = addressAfterAt(subtype) {
      return Fact(address, Evidence(.field(.exceptionSubtype), subtype))
    }
    // Some reporters write two zeros if they have no code; then the address is unknown as well.
    if let codes = report.exception?.codes, codes.count > 1, codes[0] != 0 || codes[1] != 0 {
      let numbers = codes.prefix(2).map(hexadecimal).joined(separator: ", ")
      return Fact(codes[1], Evidence(.field(.exceptionCodes), numbers))
    }
    if let text = report.exception?.codesText, text.hasPrefix("at "), let address = addressAfterAt(text) {
      return Fact(address, Evidence(.field(.exceptionCodesText), text))
    }
    // The Swift runtime prints the address after its phrase.
    if let message = report.exception?.message, let address = addressAfterAt(message) {
      return Fact(address, Evidence(.field(.exceptionMessage), message))
    }
    // Bugsnag and KSCrash describe the pointer in a sentence of its own.
    for (index, line) in report.applicationSpecificInformation.enumerated()
    where line.hasPrefix("Attempted to dereference ") {
      if let address = addressAfterAt(line) {
        return Fact(address, Evidence(.field(.applicationSpecificInformation(index)), line))
      }
    }
    // The excerpt of the memory map is that around the address, which it begins with.
    if let info = report.vmRegionInfo, let address = FaultRegion.address(info) {
      return Fact(address, Evidence(.field(.vmRegionInfo), String(info.lines.first ?? "")))
    }
    // If it isn't among the codes, the CPU's register may have it; on Intel, that can be left from an earlier fault.
    guard let state = report.crashedThreadState,
      state["cr2"] == nil || state["trap"] == 14 || report.exception?.codes.isEmpty ?? true
    else { return nil }
    return report.crashedRegister(ThreadState.faultAddressNames)
  }

  /// Whether the CPU's register has another fault address than the one stated. The upper bits can be a tag or a signature.
  func disputesFault(_ report: CrashReport) -> Bool {
    guard isMemoryFault, let stated = faultAddress(report)?.value,
      let address = report.crashedThreadState?.faultAddress, address != 0
    else { return false }
    return (stated ^ address) & 0x7fff_ffff_ffff != 0
  }

  /// The number in `… at 0x10`, `… address 0x10` and `… pointer 0x10`; 0 for `… null pointer`; otherwise nil.
  private func addressAfterAt(_ text: String) -> UInt64? {
    let words = text.split(separator: " ", maxSplits: 8)
    if words.suffix(2) == ["null", "pointer"] { return 0 }
    let pair = zip(words, words.dropFirst()).first { before, word in
      word.hasPrefix("0x") && ["at", "address", "pointer"].contains(before)
    }
    guard let pair else { return nil }
    let digits = pair.1.dropFirst(2).prefix(while: \.isHexDigit)
    if text.hasPrefix("KERN_"), isCutOff(digits) { return nil }
    return UInt64(digits, radix: 16)
  }

  /// Whether an excerpt ends within the digits of an address. With the kernel's code stands an address of 8 or 16 digits,
  /// or one without zeros before it.
  private func isCutOff(_ digits: Substring) -> Bool {
    digits.count > 1 && digits.first == "0" && digits.count < 16 && digits.count != 8
  }

  private func programCounter(_ report: CrashReport) -> Fact<UInt64>? {
    if let counter = report.crashedRegister(ThreadState.programCounterNames) { return counter }
    guard let thread = report.crashedThread, report.threads.indices.contains(thread),
      let frame = report.threads[thread].frames.first, frame.kind == .programCounter,
      let address = frame.address
    else { return nil }
    return Fact(address.rawValue, Evidence(.frame(0, ofThread: thread), address.rawValue))
  }

  /// Adds the thread whose stack guard page contains the fault address, unless it is the crashed one.
  mutating func addGuardThread(_ report: CrashReport) {
    guard let info = report.vmRegionInfo, let crashed = report.crashedThread,
      let line = info.split(separator: "\n").map({ $0.drop { $0 == " " } })
        .first(where: { $0.hasPrefix("--") }),
      let mark = line.range(of: "stack guard for thread "),
      let number = Int(line[mark.upperBound...].prefix { $0.isNumber })
    else { return }
    let own = report.threads.indices.contains(crashed) ? report.threads[crashed].index : crashed
    guard number != own else { return }
    set(.guardThread, String(number), Evidence(.field(.vmRegionInfo), String(line)))
  }

  /// The areas in which the main thread's stack ends on arm64: below 0x170000000 by at most the slide. Those of other
  /// threads are around it.
  private static let armStackAreas: [Range<UInt64>] = [0x1_6a00_0000..<0x1_7000_0000]
  /// The same on x86-64, below `VM_USRSTACK64`, which has been moved twice (osfmk/mach/i386/vm_param.h).
  private static let intelStackAreas: [Range<UInt64>] = [
    0x7fff_5000_0000..<0x7fff_5fc0_0000, 0x7ffe_e000_0000..<0x7ffe_efc0_0000,
    0x7ff7_b000_0000..<0x7ff7_bfe0_0000,
  ]

  /// The shared region of arm64 in the size that it has had on all versions (osfmk/mach/shared_region.h): later ones are
  /// larger, and where it ends on earlier ones the heap begins.
  private static let sharedCacheArea: Range<UInt64> = 0x1_8000_0000..<0x2_8000_0000

  private func isInStackArea(_ address: UInt64, _ architecture: Architecture?) -> Bool {
    let areas =
      architecture.map { $0.isARM64 ? Self.armStackAreas : Self.intelStackAreas }
      ?? Self.armStackAreas + Self.intelStackAreas
    return areas.contains { $0.contains(address) }
  }

  private func kinds(of address: UInt64, _ report: CrashReport) -> [AddressKind] {
    if address == 0 { return [.null] }
    var kinds: [AddressKind] = []
    let isWhole = report.crashedThreadState?.isOnly(address) ?? false
    if address < (report.architecture?.is64Bit ?? true ? 8 : 4) || isWhole { kinds.append(.small) }
    if address < (has(.architecture, "arm64") ? 0x4000 : 0x1000) { kinds.append(.firstPage) }
    if address == (report.architecture?.is64Bit ?? true ? 16 : 12) { kinds.append(.blockFunction) }
    if address < 0x1_0000_0000, report.architecture?.is64Bit == true { kinds.append(.low) }
    if kinds.isEmpty {
      kinds.append(.high)
      let pageSize: UInt64 = report.architecture?.isARM64 ?? true ? 0x4000 : 0x1000
      // A rounder number is rather one that was taken for an address.
      if address % pageSize == 0, address % 0x100_0000 != 0 { kinds.append(.pageStart) }
    }
    if 0x8000_0000_0000_0000...0x8000_0000_0000_00ff ~= address { kinds.append(.swiftPlaceholder) }
    if isAtStackLimit(address, report) { kinds.append(.stackLimit) }
    if isInStackArea(address, report.architecture), report.crashedThreadState == nil,
      report.vmRegionInfo.map(FaultRegion.isCut) ?? true
    {
      kinds.append(.stackArea)
    }
    if Self.sharedCacheArea.contains(address), report.isOfDevice, report.architecture?.isARM64 ?? false {
      kinds.append(.systemLibrary)
    }
    if let pointer = report.crashedThreadState?.stackPointer, pointer < 0x1000,
      address &- pointer &+ 0x100 <= 0x200
    {
      kinds.append(.noStack)
    }
    return kinds
  }

  /// Whether an address is one at which a stack overflow faults.
  ///
  /// Below the stack pointer that is certain, and so it is within the innermost frame: a large one can begin beyond the
  /// guard. Above, it could also be an array that ran past the end of a short stack, so the stack must be deep.
  private func isAtStackLimit(_ address: UInt64, _ report: CrashReport) -> Bool {
    let maximumDistance: UInt64 = 0x1_0000
    let maximumFrameSize: UInt64 = 0x80_0000
    let deepFrameCount = 128
    let deepRepetitionCount = 16
    let state = report.crashedThreadState
    guard let pointer = state?.stackPointer, pointer > maximumDistance else { return false }
    if address < pointer { return pointer - address <= maximumDistance }
    if let frame = state?.framePointer, address < frame, frame - pointer <= maximumFrameSize { return true }
    guard let thread = report.crashedThread, report.threads.indices.contains(thread) else { return false }
    let isDeep =
      report.threads[thread].frames.count >= deepFrameCount
      || numbers[.repetitions]?.value ?? 0 >= deepRepetitionCount
    return address - pointer < maximumDistance && isDeep
  }
}

extension CrashReport {
  /// The beginnings of the names of systems of devices that aren't Macs.
  static let deviceSystems = [
    "iPhone OS", "iOS", "iPadOS", "watchOS", "Watch OS", "tvOS", "Apple TVOS", "visionOS", "xrOS",
  ]

  /// Whether the program ran on a device that isn't a Mac.
  fileprivate var isOfDevice: Bool { Self.deviceSystems.contains(where: (header.osVersion ?? "").hasPrefix) }

  /// The first of these registers that the report states of the crashed thread.
  func crashedRegister(_ names: [String]) -> Fact<UInt64>? {
    guard let thread = crashedThread, let state = crashedThreadState else { return nil }
    return names.lazy.compactMap { name in
      state[name].map { Fact($0, Evidence(.register(thread: thread, name: name), $0)) }
    }.first
  }
}

extension ThreadState {
  /// Whether the only register that is known, the one which the failed access used as it is, holds an address.
  fileprivate func isOnly(_ address: UInt64) -> Bool {
    registers.count == 1 && registers[0].value == address && stackPointer == nil
  }
}

extension String {
  fileprivate func suffix(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
