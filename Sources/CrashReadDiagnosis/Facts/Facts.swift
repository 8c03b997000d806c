internal import CrashReadVerdict

/// Something the report states, and where.
struct Fact<Value: Sendable & Hashable>: Sendable, Hashable {
  var value: Value
  var evidence: Evidence

  init(_ value: Value, _ evidence: Evidence) {
    self.value = value
    self.evidence = evidence
  }
}

/// A number or message of the report taken apart.
struct FactDecoding: Sendable, Hashable {
  var number: DecodedNumber
  /// The locations it was read from; empty if it is no evidence by itself.
  var evidence: [Evidence]
}

/// A line of the report, and the field it was read from.
struct FactLine: Sendable, Hashable {
  var bytes: [UInt8]
  var evidence: Evidence

  /// Longer lines are truncated: the relevant part is at the start.
  private static let longest = 8192

  /// A line; the quote differs from it if the line was composed of fields.
  init(_ text: String, _ source: EvidenceSource, quote: String? = nil) {
    bytes = Array(text.utf8.prefix(Self.longest))
    evidence = Evidence(source, quote ?? text)
  }
}

/// What a report says by name.
enum WordFact: String, Sendable, CaseIterable {
  /// The Mach exception and the signal.
  case exception
  /// The name of the first exception code, such as `KERN_INVALID_ADDRESS`.
  case code
  /// The kinds of the fault address: raw values of `AddressKind`.
  case address
  /// The kinds of the program counter's value: raw values of `AddressKind`.
  case programCounter
  /// What the fault address looks like as a value: a raw value of `PointerValue`.
  case pointer
  /// What registers of the crashed thread look like: raw values of `PointerValue`.
  case register
  /// What the receiver of the message on the innermost frame looks like: raw values of `ReceiverKind`.
  case receiver
  /// What another thread than the crashed one does: a kind of `elsewhere`.
  case elsewhere
  /// What the thread that didn't answer waits for: a kind of `waits`, or `none`.
  case wait
  /// What the faulting instruction tried: raw values of `MemoryAccess`.
  case access
  /// Why the CPU raised a general protection fault, by the instruction: raw values of `ProtectionFault.Cause`.
  case protection
  /// Whether the memory that the fault is blamed on was `freed` or is `live`.
  case allocation
  /// The CPU family: `arm64`, `arm`, `x86`; also `translated` for a program that Rosetta runs.
  case architecture
  /// The termination's namespace.
  case namespace
  /// What the report is about: a raw value of `ReportKind`.
  case kind
  /// What ended the program according to the stack: `terminate`; `abort` below a handler of that signal.
  case stopper
}

/// What a report says in numbers.
enum NumberFact: String, Sendable, CaseIterable {
  /// The number inside an arm64 `brk` instruction.
  case breakImmediate
  /// The code inside the termination's namespace.
  case terminationCode
  /// How many threads the report lists.
  case threads
  /// How many turns the longest recursion on the crashed thread's stack has.
  case turns
  /// How deep the crashed thread's stack was, by the numbers of its frames: excerpts leave the innermost ones out.
  case depth
  /// The CPU time the app used until the watchdog ended it, in percent of the time it had.
  case busyShare
}

/// What a report says in free text and in names of functions.
enum TextFact: String, Sendable, CaseIterable {
  /// Messages of the exception, the termination and the application.
  case text
  /// The message of a panic, and the line that states it.
  case panic
  /// Remarks of the system beside the crash, each after its heading: `Role: Background`.
  case noted
  /// The region of memory that holds the fault address.
  case region
  /// Functions of the innermost frame of the crashed thread, inlined ones included.
  case topFrame
  /// Functions of the innermost frames of the crashed thread, inlined ones included.
  case frames
  /// Functions of the innermost frames of the crashed thread, and of the backtraces of exceptions.
  case backtraces
  /// The names of the crashed thread: its queue's and its own.
  case queue
  /// The image of the innermost frame of the crashed thread.
  case topImage
  /// The images of the innermost frames of the crashed thread.
  case images
}

/// What texts can name and rules can ask for, besides what patterns capture; raw values are the placeholders.
enum ValueFact: String, Sendable, CaseIterable {
  // The exception and the termination.
  case exception, signal, knownException, knownSignal, sanitizer, message, function, exceptionBacktrace
  case namespace, knownNamespace, terminationCode, terminationName
  // Codes taken apart.
  case code, breakImmediate, breakName, trapInstruction, guardType, guardFlavor, guardTarget, resourceType,
    resourceFlavor
  // The dynamic linker's message.
  case wantedBy, expectedIn, demangledSymbol
  // Limits.
  case action, endedProcess, largestProcess, applicationTime, totalTime
  // A panic of the kernel.
  case extensions, foreignExtensions, panickedProcess, kernelAddress, poisonedRegister, extensionCode
  // An access to memory, and the registers at that moment.
  case address, offset, spelledAddress, accessKind, guardThread
  case receiver, receiverRegister, classPointer, selector, spelled, freedClass
  case freedPatternRegister, freedPatternValue, freshPatternRegister, freshPatternValue
  case nonCanonicalRegister, nonCanonicalValue
  case instruction, operandAddress, alignment
  // Stacks and threads.
  case swiftMessage, swiftMessageRegister, said, searchedTexts
  case turns, depth, leastTurns, recursiveFunction, recursiveFunctions, test, threads, alike, crowdedFunction
  case busyFunction, waitKind, waiter, otherThread, otherWaitKind, otherFunction
  case blamed, missingDebugFile, deadlock, elsewhereThread, elsewhereFunction
  case share, sampleCount, shareFunction
  case allocationAddress, allocationSize
  case ownerThread, ownerFunction, lockUser, lockFunction
}
