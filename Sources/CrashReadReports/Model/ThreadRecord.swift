/// One thread of a report.
public struct ThreadRecord: Sendable, Hashable {
  /// Its number in the report, N of `Thread N`, which may differ from its index.
  public var index: Int
  /// The kernel's thread id, as written.
  public var id: String?
  /// The thread's name.
  public var name: String?
  /// The dispatch queue whose work it was executing.
  public var queue: String?
  /// Whether the report marks it as crashed or triggered.
  public var isCrashed: Bool
  /// Backtrace, innermost first.
  public var frames: [Frame]
  /// Registers; nil if the report has none.
  public var state: ThreadState?
  /// Bytes of code around the program counter; nil if the report has none.
  public var code: CodeBytes?
  /// All stacks of a sampled thread as one tree, whose heaviest path is then in `frames`; otherwise empty.
  public var callTree: [CallTreeEntry]
  /// Whether the text ends inside the call tree: what the innermost function called isn't known.
  package var isTreeCut = false
  /// Whether the thread hardly ran while it was sampled, or not at all: it waited (spindump's `last ran 1.3s ago`, `cpu time`).
  package var didNotRun = false
  /// The number of frames of a recursion that the reporter left out of `frames`; nil if it doesn't state any.
  public var omittedFrameCount: Int?
  /// The number of times the thread was sampled; nil if nothing was sampled.
  public var sampleCount: Int?

  /// The name given to the heaviest stack of all threads of a process, which some reports list instead of threads.
  package static let heaviestStack = "heaviest stack"
  /// The name given to the heaviest stack of a main thread.
  package static let mainHeaviestStack = "main thread, heaviest stack"

  /// A thread without frames.
  package init(index: Int) {
    self.index = index
    isCrashed = false
    frames = []
    callTree = []
  }
}

/// Machine code as a report quotes it.
public struct CodeBytes: Sendable, Hashable {
  /// The bytes in their order in memory.
  public var bytes: [UInt8]
  /// The number of bytes before the program counter.
  public var countBefore: Int

  /// Code around the program counter; nil when there is none at it.
  ///
  /// Truncated to a few instructions on either side, since a report can contain megabytes.
  public init?(before: [UInt8], at: [UInt8]) {
    guard !at.isEmpty else { return nil }
    let kept = before.suffix(Self.maximumBytes)
    bytes = Array(kept) + at.prefix(Self.maximumBytes)
    countBefore = kept.count
  }

  private static let maximumBytes = 1024

  /// Code read from a binary, not truncated.
  package init(_ bytes: [UInt8], countBefore: Int) { (self.bytes, self.countBefore) = (bytes, countBefore) }
}

/// A thread's registers.
public struct ThreadState: Sendable, Hashable {
  /// The report's name for the register set, such as `ARM_THREAD_STATE64` or `X86 Thread State (64-bit)`.
  public var flavor: String?
  /// Registers in report order, under the report's lower-case names.
  public var registers: [Register]

  /// A set of registers.
  package init(flavor: String? = nil, registers: [Register] = []) {
    self.flavor = flavor
    self.registers = registers
  }

  /// The value of a register; nil when the report doesn't state it.
  public subscript(name: String) -> UInt64? { registers.first { $0.name == name }?.value }

  /// `pc`, `rip`, `eip` or `srr0`, whichever there is.
  public var programCounter: UInt64? { Self.programCounterNames.lazy.compactMap { self[$0] }.first }

  /// `sp`, `rsp` or `esp`, whichever there is.
  public var stackPointer: UInt64? { self["sp"] ?? self["rsp"] ?? self["esp"] }

  /// `fp`, `rbp` or `ebp`, whichever there is; code without frame pointers uses the register for anything.
  package var framePointer: UInt64? { self["fp"] ?? self["rbp"] ?? self["ebp"] }

  /// The link register of ARM and PowerPC; nil on Intel, which keeps return addresses on the stack.
  public var linkRegister: UInt64? { self["lr"] }

  /// The fault address by the CPU's own register: `far`, `cr2` or `dar`.
  public var faultAddress: UInt64? { Self.faultAddressNames.lazy.compactMap { self[$0] }.first }

  package static let programCounterNames = ["pc", "rip", "eip", "srr0"]
  package static let faultAddressNames = ["far", "cr2", "dar"]
  /// Registers that hold an address of the fault itself, which prove nothing about its origin.
  package static let faultRegisterNames = programCounterNames + faultAddressNames
}

/// One register.
public struct Register: Sendable, Hashable {
  /// Lower-case name, as the report has it: `x0`, `rip`.
  public var name: String
  /// Its bits.
  public var value: UInt64
  /// The report's description of the value: a symbol, or that of `esr`.
  public var meaning: String?
  /// The class of the object that was freed at this address; nil if the reporter kept no record of it.
  public var freedClass: String?

  /// A register's value.
  package init(name: String, value: UInt64, meaning: String? = nil) {
    self.name = name
    self.value = value
    self.meaning = meaning
  }
}

/// The memory to which a fault is attributed, if the system kept a record of it: with memory tagging, or guarded
/// malloc.
public struct AllocationRecord: Sendable, Hashable {
  /// What went wrong, in the report's words.
  public var errorType: String?
  /// The address of the memory.
  public var address: UInt64?
  /// The requested size in bytes.
  public var size: UInt64?
  /// Whether it had been freed; nil if the report doesn't state it.
  public var isFreed: Bool?
  /// How certain the report is that this is the memory in question, in its own words.
  public var confidence: String?
  /// The backtrace of its allocation, innermost first.
  public var allocated: [Frame] = []
  /// The backtrace of its deallocation, innermost first.
  public var deallocated: [Frame] = []

  /// An empty record.
  public init() {}
}
