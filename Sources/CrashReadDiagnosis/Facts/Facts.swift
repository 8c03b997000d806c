internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A statement of the report, and its source.
struct Fact<Value: Sendable & Hashable>: Sendable, Hashable {
  var value: Value
  var evidence: Evidence

  init(_ value: Value, _ evidence: Evidence) {
    self.value = value
    self.evidence = evidence
  }
}

/// A decoded number or message of the report.
struct FactDecoding: Sendable, Hashable {
  var number: DecodedNumber
  /// The locations it was read from; empty if it isn't evidence by itself.
  var evidence: [Evidence]
}

/// A line of the report, and the field it was read from.
struct FactLine: Sendable, Hashable {
  var bytes: [UInt8]
  var evidence: Evidence

  /// The maximum length of a line in bytes; longer lines are truncated, since the relevant part is at the start.
  private static let maximumLength = 8192

  /// A line. The quote differs from the text if the line was composed of fields.
  init(_ text: String, _ source: EvidenceSource, quote: String? = nil) {
    bytes = Array(text.utf8.prefix(Self.maximumLength))
    evidence = Evidence(source, quote ?? text)
  }

  /// A function's name, in the form that patterns have, quoted as it stands.
  init(function name: String, _ source: EvidenceSource) {
    self.init(patternForm(of: name), source, quote: name)
  }
}

extension Evidence {
  /// An image of the report, quoted by its name or, if it has none, its load address.
  init(image index: Int, of report: CrashReport) {
    let image = report.images[index]
    self.init(.image(index), image.name ?? hexadecimal(image.start.rawValue))
  }

  /// Whether the line retells a message, so that what printed it went on: Dart's `print`, which Flutter heads `flutter: `,
  /// a test runner (`error: -[Tests testTide] : failed: caught …`), a handler that says what it caught (UIKit: `Failed
  /// to set (size) user defined inspected property`), a sentence with a fatal error of Swift's, an error of `dlopen`.
  var isRetold: Bool {
    ["flutter: ", "caught", "Caught", "Failed to set ("].contains(where: quote.begins)
      || quote.holds(" error: -[") || tellsFatalError || tellsLoadError
  }

  /// Whether it is what `dlopen` told its caller, which can go on without the library. Python's `ImportError: dlopen(…)`
  /// and the like are exceptions that say so.
  private var tellsLoadError: Bool { quote.holds("dlopen(") && !quote.holds("Error: dlopen(") }

  /// Whether it is a fatal error of Swift's in a file that isn't the system's. The words of an exception can stand in one, but
  /// the API that throws it didn't write them.
  var isFatalErrorOfFile: Bool {
    guard quote.holds(": Fatal error: "), quote.holds(".swift:") else { return false }
    let module = quote.prefix { $0 != "/" }
    return module != "Swift" && !module.hasPrefix("_") && !isSystemLibrary(String(module))
  }

  /// Whether words precede a fatal error of Swift's. The runtime prints at most the place before it, Xcode `Thread 1: `,
  /// and Sentry the function's name and `> `.
  private var tellsFatalError: Bool {
    guard let mark = quote.range(of: "Fatal error: ") else { return false }
    let words = quote[..<mark.lowerBound].split(separator: " ")
    return words.count > 1 && !quote.hasPrefix("/") && !quote.hasPrefix("Thread ") && words.last != ">"
  }
}

/// Facts that are words.
enum WordFact: String, Sendable, CaseIterable {
  /// The Mach exception and the signal.
  case exception
  /// The name of the first exception code, such as `KERN_INVALID_ADDRESS`.
  case code
  /// The kinds of the fault address: raw values of `AddressKind`.
  case address
  /// The kinds of the program counter's value: raw values of `AddressKind`.
  case programCounter
  /// What the fault address looks like as a pointer's value: a raw value of `PointerValue`.
  case pointer
  /// What registers of the crashed thread look like: raw values of `PointerValue`.
  case register
  /// What the receiver of the message on the innermost frame looks like: raw values of `ReceiverKind`.
  case receiver
  /// The activity of another thread than the crashed one: a kind of `elsewhere`.
  case elsewhere
  /// The event for which the unresponsive thread waits: a kind of `waits`, or `none`.
  case wait
  /// The access that the faulting instruction attempted: raw values of `MemoryAccess`.
  case access
  /// The reason for which the CPU raised a general protection fault, by the instruction: raw values of
  /// `ProtectionFault.Cause`.
  case protection
  /// Whether the memory to which the fault is attributed was `freed` or is `live`.
  case allocation
  /// The CPU family: `arm64`, `arm`, `x86`; also `translated` for a program that Rosetta runs.
  case architecture
  /// The termination's namespace.
  case namespace
  /// The kind of report: a raw value of `ReportKind`.
  case kind
  /// What ended the program: `terminate` according to the stack; `abort` below a handler of that signal; `handler` if
  /// one of a fault aborted, `allocator` if that interrupted malloc, `nullCall` if a call at address 0; `sent` for a signal
  /// of the CPU's that the CPU didn't cause; `other` for a signal that another process sent; `exception` for one that the
  /// report says nothing caught; `interrupted` for an exception that a signal handler threw, `handlerThrew` for one of the
  /// handler of uncaught exceptions, `unwinding` if the search for a handler of one faulted.
  case stopper
  /// The type and flavor of EXC_GUARD: `MACH_PORT.INVALID_NAME`.
  case `guard`
  /// The part of an Intel computer in which the CPU found an error: raw values of `MachineCheck.Part`.
  case machineCheck
}

/// Facts that are numbers.
enum NumberFact: String, Sendable, CaseIterable {
  /// The immediate of an arm64 `brk` instruction.
  case breakImmediate
  /// The code in the termination's namespace.
  case terminationCode
  /// The number of threads that the report lists.
  case threads
  /// The number of repetitions of the longest recursion on the crashed thread's stack.
  case repetitions = "turns"
  /// The depth of the crashed thread's stack by the numbers of its frames, since excerpts omit the innermost ones.
  case depth
  /// The CPU time that the app used until the watchdog killed it, in percent of the available time.
  case busyShare
}

/// Facts that are free text or names of functions.
enum TextFact: String, Sendable, CaseIterable {
  /// Messages of the exception, the termination and the application.
  case text
  /// The message of a panic, and the line that states it.
  case panic
  /// Notes of the system besides the crash, each after its heading: `Role: Background`.
  case noted
  /// The region of memory that contains the fault address.
  case region
  /// Functions of the innermost frame of the crashed thread, inlined ones included.
  case topFrame
  /// Functions of the innermost frames of the crashed thread, inlined ones included.
  case frames
  /// Functions on the heaviest path of a thread that was sampled.
  case sampled
  /// Functions of the innermost frames of the crashed thread, and of the backtraces of exceptions.
  case backtraces
  /// The names of the crashed thread: its queue's and its own.
  case queue
  /// The image of the innermost frame of the crashed thread.
  case topImage
  /// The images of the innermost frames of the crashed thread.
  case images
}

/// Values that texts can include and rules can require, besides those captured by patterns; raw values are the
/// placeholders.
enum ValueFact: String, Sendable, CaseIterable {
  // The exception and the termination.
  case exception, signal, knownException, knownSignal, sanitizer, message, function, exceptionBacktrace
  case namespace, knownNamespace, terminationCode, terminationName, terminationMessage, sender
  /// The method of the program's own whose `NSAssert` failed, and what it says.
  case ownAssertion, assertionReason
  /// The address of the innermost frame, if it lies in no image.
  case generatedCode
  /// The kind of a report that has only a header.
  case truncated
  // Codes taken apart.
  case code, breakImmediate, breakName, trapInstruction, guardType, guardFlavor, guardTarget, resourceType,
    resourceFlavor
  // The dynamic linker's message.
  case wantedBy, expectedIn, demangledSymbol, flatSymbol
  // Limits.
  case action, endedProcess, largestProcess, systemProcess, applicationTime, totalTime
  // A panic of the kernel; `mac` is missing for devices on which all extensions are Apple's.
  case mac, extensions, foreignExtensions, panickedProcess, kernelAddress, poisonedRegister, extensionCode
  /// The word `Mac` if the text names an extension, and the names of extensions that are all Apple's.
  case macStack, appleExtensions
  /// The source file of the message, without `.cpp`: a driver's, or one of the kernel's own driver framework.
  case driverFile, frameworkFile
  /// Why launchd ended, the names of the reason's namespace and code.
  case endedFor, endedForCode
  // An access to memory, and the registers at that moment.
  case address, offset, spelledAddress, accessKind, guardThread
  /// The system's function whose first argument was NULL.
  case nullArgumentOf
  /// The fault address, where the function that used the pointer is none of the system's.
  case memberOffset
  /// A register that holds malloc's link of a free block, that link, and the next free block.
  case freeLinkRegister, freeLink, nextFree
  /// What was found in place of malloc's guard in a free block: as a number, its bytes, and the text that they spell.
  case guardValue, guardBytes, guardText
  /// The channel of a memory controller, and the level of a cache, in which the CPU found an error.
  case memoryChannel, cacheLevel
  /// The text that stands in place of a return address.
  case returnText
  /// Chromium's and V8's instructions of a failed check.
  case immediateCrash
  /// A library that was loaded from outside, and one that shows that the device is jailbroken.
  case injectedLibrary, jailbreakLibrary
  /// The words `Apple silicon` for a program of macOS on it, the only place where programs may make code.
  case appleSilicon
  case receiver, receiverRegister, classPointer, selector, spelled, freedClass
  case freedPatternRegister, freedPatternValue, freshPatternRegister, freshPatternValue
  case nonCanonicalRegister, nonCanonicalValue
  case instruction, operandAddress, alignment
  // Stacks and threads.
  case swiftMessage, swiftMessageRegister, statedMessage = "said", searchedTexts
  case repetitions = "turns", depth, firstFrame, minimumRepetitions = "leastTurns", recursiveFunction,
    recursiveFunctions, releaseChain, test, threads, alike, crowdedFunction
  case busyFunction, busyThread, busyThreadFunction, hangDuration, waitKind, waitingCall, waiter, otherThread,
    otherWaitKind, otherFunction
  case holderThread, holderFunction
  case blamed, ownFrame, location = "place", accessPlace, callPlace, abortCaller, ownMethod, stoppingLibrary,
    missingDebugFile, deadlock,
    elsewhereThread,
    elsewhereFunction
  /// What `exit` had called on the crashed thread.
  case exitHandler
  // Whose code ran innermost, if not the program's own, or possibly not.
  case library, sdkFunction, dependency, systemCode, ownCaller, hiddenName, plugIn,
    plugInFolder
  case share, processShare, sampleCount, shareFunction
  case allocationAddress, allocationSize
  case ownerThread, ownerFunction, lockUser, lockFunction
}
