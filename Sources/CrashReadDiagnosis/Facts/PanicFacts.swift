internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

extension CrashFacts {
  /// The maximum number of extensions in a sentence.
  private static let maximumExtensions = 4

  /// Adds the message of a panic, the extensions whose code the panicked thread was running, and the current process.
  mutating func addPanic(_ report: CrashReport, _ codes: CodeTables) {
    guard report.kind == .panic else { return }
    if !Self.isOfMobileDevice(report) { set(.mac, "Mac", Evidence(.field(.kind), "panic")) }
    addExtensions(report)
    addFaultAddress(report)
    addExtensionCode(report)
    addStackOwner()
    addSourceFile(report)
    addMachineCheck(report)
    addExitReason(report, codes)
    let lines = report.applicationSpecificInformation
    texts[.panic] = report.exception?.message.map { [FactLine($0, .field(.exceptionMessage))] }
    if let index = lines.firstIndex(where: { $0.hasPrefix("panic(") }) {
      let field = ReportField.applicationSpecificInformation(index)
      texts[.panic, default: []].append(FactLine(lines[index], .field(field)))
    }
    guard let index = lines.firstIndex(where: { $0.hasPrefix("Panicked task") }),
      let process = report.header.process, !Self.kernelProcesses.contains(process)
    else { return }
    set(
      .panickedProcess, Evidence.shortened(process),
      Evidence(.field(.applicationSpecificInformation(index)), lines[index]))
  }

  /// Devices on which nobody but Apple can load an extension: the beginnings of their models and of their systems' names.
  private static let mobileNames =
    ["iPhone", "iPad", "iPod", "Watch", "AppleTV", "AudioAccessory", "RealityDevice"]
    + CrashReport.deviceSystems
  /// The chips of these devices that no Mac has, as in the kernel's version: `RELEASE_ARM64_T8010`.
  private static let mobileChips = [
    "S5L8960X", "T7000", "T7001", "S8000", "S8001", "T8004", "T8006", "T8010", "T8011", "T8015", "T8020",
    "T8027",
    "T8030", "T8101", "T8110", "T8120", "T8130", "T8140", "T8150", "T8301", "T8310",
  ]

  private static func isOfMobileDevice(_ report: CrashReport) -> Bool {
    let names = [report.header.hardwareModel, report.header.osVersion].compactMap(\.self)
    if names.contains(where: { name in mobileNames.contains { name.hasPrefix($0) } }) { return true }
    return report.applicationSpecificInformation.contains { line in
      line.holds("RELEASE_ARM64_") && mobileChips.contains { line.hasSuffix("RELEASE_ARM64_" + $0) }
    }
  }

  /// The kernel itself, and the process that makes the kernel panic when another one doesn't respond.
  private static let kernelProcesses: Set = ["kernel_task", "watchdogd"]

  /// The patterns by which the kernel prints the fault address among the registers: on x86, and on arm64.
  private static let addressPatterns = ["Fault CR2: {address},", "far: {address}$"].compactMap(
    TextPattern.init)
  /// The messages of faults that have an address. In other panics on x86, `cr2` is left from an earlier fault.
  private static let addressedFaults = ["page fault", "data abort", "Data abort", "instruction fetch abort"]

  /// Adds the fault address in the kernel. One in the first page, which is never mapped, is that of a member of a null
  /// pointer.
  private mutating func addFaultAddress(_ report: CrashReport) {
    let message = report.exception?.message ?? ""
    let hasAddress = Self.addressedFaults.contains { message.contains($0) }
    for (index, line) in report.applicationSpecificInformation.enumerated() {
      let bytes = Array(line.utf8)
      let evidence = Evidence(.field(.applicationSpecificInformation(index)), line)
      addPoison(line, evidence)
      guard hasAddress,
        let printed = Self.addressPatterns.lazy.compactMap({ $0.match(bytes)?["address"] }).first,
        let address = unsigned(printed)
      else { continue }
      addTrapAccess(line, evidence)
      guard address < 0x4000 else {
        let text = spelledText(address, is64Bit: address >> 32 != 0).map { " = \"\($0)\"" } ?? ""
        set(.kernelAddress, hexadecimal(address) + text, evidence)
        continue
      }
      set(.address, hexadecimal(address), evidence)
      set(.offset, String(address), evidence)
    }
  }

  /// Where extensions are on Intel: the 2 GB before the kernel (`VM_KERNEL_MIN_ADDRESS`, osfmk/mach/i386/vm_param.h).
  private static let extensionArea: Range<UInt64> = 0xffff_ff7f_8000_0000..<0xffff_ff80_0000_0000
  /// Where a trap states its instruction, and a panic its caller.
  private static let codePatterns = [
    "Kernel trap at {code}, type", "Double fault at {code}, registers", "^panic(cpu {cpu} caller {code}):",
  ].compactMap(TextPattern.init)

  /// Adds the address of the code that trapped or called `panic`, if that is an extension's and no list names it.
  private mutating func addExtensionCode(_ report: CrashReport) {
    let named = report.threads.flatMap(\.frames).compactMap(\.imageName)
    guard values[.extensions] == nil, values[.foreignExtensions] == nil,
      !named.contains(where: { $0.contains(".") })
    else { return }
    for pattern in Self.codePatterns {
      for (index, line) in report.applicationSpecificInformation.enumerated() {
        guard let printed = pattern.match(Array(line.utf8))?["code"], let address = unsigned(printed),
          Self.extensionArea.contains(address)
        else { continue }
        let evidence = Evidence(.field(.applicationSpecificInformation(index)), line)
        return set(.extensionCode, hexadecimal(address), evidence)
      }
    }
  }

  /// Adds what the CPU tried, from the error code of a page fault: bit 4 for an instruction, bit 1 for a write.
  private mutating func addTrapAccess(_ line: String, _ evidence: Evidence) {
    let mark = "Error code: "
    guard let start = line.range(of: mark) else { return }
    let digits = line[start.upperBound...].prefix { $0 != "," && $0 != " " }
    guard let code = unsigned(String(digits)) else { return }
    let access: MemoryAccess = code & 0x10 != 0 ? .execute : code & 2 != 0 ? .write : .read
    add(.access, access.rawValue, evidence)
    set(.accessKind, access.rawValue, evidence)
  }

  /// Adds facts for advice that refers to extensions on the stack, if the text names one.
  private mutating func addStackOwner() {
    guard let named = values[.foreignExtensions] ?? values[.extensions] ?? values[.extensionCode] else {
      return
    }
    if let mac = values[.mac] { set(.macStack, mac.value, named.evidence) }
    if values[.foreignExtensions] == nil, let listed = values[.extensions] {
      set(.appleExtensions, listed.value, listed.evidence)
    }
  }

  /// The files of the kernel's driver framework that panic (iokit/Kernel, libkern/c++).
  private static let frameworkFiles: Set = [
    "IOBufferMemoryDescriptor", "IOCatalogue", "IOCommandGate", "IOCommandPool", "IODMACommand",
    "IODataQueue", "IOEventSource", "IOHibernateIO", "IOInterleavedMemoryDescriptor", "IOInterruptController",
    "IOInterruptEventSource", "IOLib", "IOLocks", "IOMapper", "IOMemoryCursor", "IOMemoryDescriptor",
    "IOMultiMemoryDescriptor", "IONVRAM", "IOPMrootDomain", "IOPlatformExpert", "IOPolledInterface",
    "IORangeAllocator", "IORegistryEntry", "IOReporter", "IOService", "IOServicePM", "IOSharedDataQueue",
    "IOStartIOKit", "IOSubMemoryDescriptor", "IOTimerEventSource", "IOUserClient", "IOUserServer",
    "IOWatchDogTimer", "IOWorkLoop", "OSArray", "OSCollection", "OSCollectionIterator", "OSData",
    "OSDictionary", "OSKext", "OSMetaClass", "OSObject", "OSOrderedSet", "OSRuntime", "OSSerialize", "OSSet",
    "OSString",
    "OSSymbol", "OSUnserialize", "OSUnserializeXML",
  ]
  private static let sourceFile = TextPattern("@{path}.cpp:{line}")

  /// Adds the source file of the message: `"no answer" @AppleMoon.cpp:12`, on older systems with its path.
  private mutating func addSourceFile(_ report: CrashReport) {
    let lines = report.applicationSpecificInformation
    guard let index = lines.firstIndex(where: { $0.hasPrefix("panic(") }),
      let path = Self.sourceFile?.match(Array(lines[index].utf8))?["path"]
    else { return }
    let name = String(path.split(separator: "/").last ?? "")
    // The reporter of a chip's errors has no hardware of its own.
    guard !name.isEmpty, !name.hasSuffix("ErrorHandler") else { return }
    let evidence = Evidence(.field(.applicationSpecificInformation(index)), lines[index])
    set(Self.frameworkFiles.contains(name) ? .frameworkFile : .driverFile, name, evidence)
  }

  /// How the kernel prints the reason for which launchd ended (bsd/kern/kern_exit.c).
  private static let reasonPatterns = [
    "exit reason namespace {namespace} subcode {code} description",
    "-- namespace {namespace} code {code} description",
  ].compactMap(TextPattern.init)

  /// Adds the names of the reason for which launchd ended.
  private mutating func addExitReason(_ report: CrashReport, _ codes: CodeTables) {
    guard let message = report.exception?.message,
      let found = Self.reasonPatterns.lazy.compactMap({ $0.match(Array(message.utf8)) }).first,
      let number = found["namespace"].flatMap(unsigned),
      let namespace = codes.name(of: number, in: "namespace")
    else { return }
    let evidence = Evidence(.field(.exceptionMessage), message)
    set(.endedFor, namespace, evidence)
    let code = found["code"].flatMap(unsigned)
    set(.endedForCode, code.flatMap { codes.name(of: $0, in: "termination." + namespace) }, evidence)
  }

  /// What the kernel writes into an element of a zone that was freed (`ZONE_POISON`, osfmk/kern/zalloc.c).
  private static let poison = "0xdeadbeefdeadbeef"

  /// Adds a register with the pattern of freed memory, from a row such as `RSI: 0x1, RDI: 0xdeadbeefdeadbeef`.
  private mutating func addPoison(_ line: String, _ evidence: Evidence) {
    guard values[.poisonedRegister] == nil, let mark = line.range(of: ": " + Self.poison) else { return }
    let name = line[..<mark.lowerBound].split { $0 == " " || $0 == "," || $0 == "\t" }.last
    if let name { set(.poisonedRegister, String(name).lowercased(), evidence) }
  }

  private mutating func addExtensions(_ report: CrashReport) {
    let frames = report.threads.first(where: \.isCrashed)?.frames ?? []
    let carried = Set(frames.prefix(frames.panicCallCount).compactMap(\.image))
    var seen = carried.subtracting(frames.dropFirst(frames.panicCallCount).compactMap(\.image))
    let onStack = frames.compactMap(\.image).filter { seen.insert($0).inserted }
    let listed = onStack + report.images.indices.filter { !seen.contains($0) }
    let extensions = listed.filter { report.images[$0].name != "kernel" && report.images[$0].name != nil }
    let foreign = extensions.filter { report.images[$0].isForeignExtension }
    set(.foreignExtensions, foreign, report)
    addNamedExtensions(report)
    if extensions != foreign { set(.extensions, extensions, report) }
    addUnplacedExtensions(report)
  }

  /// Adds extensions named by frames, if the list of extensions was not copied.
  private mutating func addNamedExtensions(_ report: CrashReport) {
    guard values[.foreignExtensions] == nil, let thread = report.threads.first else { return }
    var seen: Set<String> = []
    let named = thread.frames.indices.dropFirst(thread.frames.panicCallCount).compactMap { index in
      thread.frames[index].imageName.flatMap { name in
        isForeignExtension(name) && seen.insert(name).inserted ? (index, name) : nil
      }
    }.prefix(Self.maximumExtensions)
    guard let first = named.first else { return }
    let evidence = Evidence(.frame(first.0, ofThread: 0), first.1)
    set(.foreignExtensions, named.map(\.1).joined(separator: ", "), evidence)
  }

  /// Adds listed extensions whose address range the text lacks.
  private mutating func addUnplacedExtensions(_ report: CrashReport) {
    let prefix = PanicReport.extensionPrefix
    let listed = report.applicationSpecificInformation.enumerated().filter { $1.hasPrefix(prefix) }
      .map { (index: $0, name: String($1.dropFirst(prefix.count))) }
    let foreign = listed.filter { isForeignExtension($0.name) }
    let found = [
      ValueFact.foreignExtensions: foreign, .extensions: foreign.count < listed.count ? listed : [],
    ]
    for (fact, found) in found where values[fact] == nil {
      guard let first = found.first else { continue }
      let names = found.prefix(Self.maximumExtensions).map(\.name).joined(separator: ", ")
      set(fact, names, Evidence(.field(.applicationSpecificInformation(first.index)), first.name))
    }
  }

  private mutating func set(_ fact: ValueFact, _ images: [Int], _ report: CrashReport) {
    let names = images.prefix(Self.maximumExtensions).compactMap { report.images[$0].name }
    guard let first = images.first, let name = names.first else { return }
    let rest = images.count > names.count ? ", …" : ""
    set(fact, names.joined(separator: ", ") + rest, Evidence(.image(first), name))
  }
}

/// An error that an Intel CPU wrote into one of its banks, from the bank's status register.
///
/// Intel's manual, volume 3B, "Interpreting Machine-Check Error Codes".
struct MachineCheck {
  /// Where the error was; raw values are those of `rules.json`.
  enum Part: String, CaseIterable {
    case timer, memory, cache, translation, bus, inside
  }

  let part: Part
  let isUncorrected: Bool
  /// The memory controller's channel; nil if it isn't stated.
  let channel: Int?
  /// The level of the cache.
  let level: Int?

  /// Nil if the register holds no error.
  init?(status: UInt64) {
    guard status >> 63 == 1 else { return nil }
    isUncorrected = status >> 61 & 1 == 1
    // Bit 12 says that further errors aren't recorded.
    let code = status & 0xefff
    let channel = Int(code & 0xf)
    self.channel = 0x80...0xff ~= code && channel < 15 ? channel : nil
    level = 0x100...0x1ff ~= code && code & 3 < 3 ? Int(code & 3) : nil
    switch code {
    case 0x400: part = .timer
    case 0x5, 0x401...0x7ff: part = .inside
    case 0xc...0xf, 0x100...0x1ff: part = .cache
    case 0x10...0x1f: part = .translation
    case 0x80...0xff: part = .memory
    case 0x800...0xfff: part = .bus
    default: return nil
    }
  }
}

extension CrashFacts {
  /// Adds the first error that could not be corrected, or the first one.
  private mutating func addMachineCheck(_ report: CrashReport) {
    let lines = report.applicationSpecificInformation
    var first: (check: MachineCheck, line: Int)?
    for (index, line) in lines.enumerated() where line.hasPrefix("IA32_MC") {
      guard let mark = line.utf8.lastIndex(of: UInt8(ascii: "x")) else { continue }
      let digits = line[line.utf8.index(after: mark)...].prefix(while: \.isHexDigit)
      guard let check = UInt64(digits, radix: 16).flatMap(MachineCheck.init(status:)) else { continue }
      if first.map({ check.isUncorrected && !$0.check.isUncorrected }) ?? true { first = (check, index) }
    }
    guard let (check, index) = first else { return }
    let evidence = Evidence(.field(.applicationSpecificInformation(index)), lines[index])
    add(.machineCheck, check.part.rawValue, evidence)
    set(.memoryChannel, check.channel.map(String.init), evidence)
    set(.cacheLevel, check.level.map(String.init), evidence)
  }
}

/// Whether a name in the kernel's backtrace is the identifier of a third party's extension.
func isForeignExtension(_ name: String) -> Bool {
  name.contains(".") && !name.hasPrefix("com.apple.") && !name.hasSuffix(".dylib")
}

extension BinaryImage {
  /// Whether it is a kernel extension of a third party.
  var isForeignExtension: Bool { name.map { $0 != "kernel" && !$0.hasPrefix("com.apple.") } ?? false }
}

extension [Frame] {
  /// The functions by which the kernel carries out a panic (osfmk/kern/debug.c), without the underscore of C names.
  private static let panicCalls: Set = [
    "panic", "panic_with_thread_context", "panic_trap_to_debugger", "DebuggerTrapWithState",
    "handle_debugger_trap",
    "kdp_i386_trap",
  ]
  private static let maximumPanicCalls = 16

  /// The number of innermost frames that only carry out a panic: what an extension has hooked there ran after it.
  var panicCallCount: Int {
    let calls = prefix(Self.maximumPanicCalls).lastIndex { frame in
      frame.reportedSymbol.map { Self.panicCalls.contains(String($0.drop { $0 == "_" })) } ?? false
    }
    return calls.map { $0 + 1 } ?? 0
  }
}
