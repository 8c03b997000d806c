import CrashReadCore
import CrashReadDebugInfo
import CrashReadInstructions
import CrashReadReports
import CrashReadSymbolication

/// Whether Zydis is installed, which reads Intel's instructions.
let hasZydis = InstructionSet.x86_64.missingLibrary == nil

/// Builds a report by hand, one fact at a time.
struct SampleReport: Sendable {
  var report = CrashReport(format: .appleText)
  var threads: [[ResolvedFrame]] = []
  var exceptionBacktrace: [ResolvedFrame] = []
  var applicationBacktraces: [[ResolvedFrame]] = []
  /// Queues of threads, by index.
  var queues: [Int: String] = [:]
  var names: [Int: String] = [:]

  var symbolicated: SymbolicatedReport {
    var report = report
    report.threads = threads.enumerated().map { index, frames in
      var thread = ThreadRecord(index: index)
      thread.frames = frames.map(\.captured)
      thread.state = index == report.crashedThread ? state : otherStates[index]
      if index == report.crashedThread { thread.code = code }
      if let tree = trees[index] {
        thread.sampleCount = tree.total
        thread.callTree = zip(frames.reversed(), tree.counts).enumerated().map { depth, entry in
          CallTreeEntry(frame: entry.0.captured, depth: depth, sampleCount: entry.1)
        }
      }
      thread.queue = queues[index]
      thread.name = names[index]
      thread.id = String(1000 + index)
      return thread
    }
    report.lastExceptionBacktrace = exceptionBacktrace.map(\.captured)
    report.applicationSpecificBacktraces = applicationBacktraces.map { $0.map(\.captured) }
    return SymbolicatedReport(
      report: report, threads: threads, lastExceptionBacktrace: exceptionBacktrace,
      applicationSpecificBacktraces: applicationBacktraces, images: [])
  }

  private var state: ThreadState?
  private var code: CodeBytes?
  /// Whether its code can be read here: Intel's needs Zydis, which crashread can do without.
  var isReadable: Bool {
    code == nil || report.header.codeType?.hasPrefix("X86") != true || hasZydis
  }
  private var otherStates: [Int: ThreadState] = [:]
  private var trees: [Int: (total: Int, counts: [Int])] = [:]

  init(_ type: String? = nil, _ signal: String? = nil, codes: UInt64..., cpu: String? = "ARM-64 (Native)") {
    report.header.codeType = cpu
    guard type != nil || signal != nil || !codes.isEmpty else { return }
    var exception = ExceptionRecord()
    exception.type = type
    exception.signal = signal
    exception.codes = codes
    report.exception = exception
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  func kind(_ kind: ReportKind) -> Self { with { $0.report.kind = kind } }
  func subtype(_ text: String) -> Self { with { $0.report.exception?.subtype = text } }
  func codesText(_ text: String) -> Self { with { $0.report.exception?.codesText = text } }
  func message(_ text: String) -> Self { with { $0.report.exception?.message = text } }
  func note(_ text: String) -> Self { with { $0.report.exception?.note = text } }
  func says(_ lines: String...) -> Self { with { $0.report.applicationSpecificInformation += lines } }
  func noted(_ heading: String, _ text: String) -> Self {
    with { $0.report.systemRemarks.append(SystemRemark(heading: heading, text: text)) }
  }
  func region(_ text: String) -> Self { with { $0.report.vmRegionInfo = text } }
  func uncaught(_ name: String?, _ reason: String?) -> Self {
    with { $0.report.uncaughtException = UncaughtException(name: name, reason: reason) }
  }

  /// The process that sent the signal.
  func sender(_ process: String) -> Self {
    with {
      var termination = TerminationRecord()
      (termination.namespace, termination.byProcess) = ("SIGNAL", process)
      $0.report.termination = termination
    }
  }

  /// An exception that a text only names.
  func named(_ name: String?, _ reason: String?) -> Self {
    with {
      $0.report.uncaughtException = UncaughtException(name: name, reason: reason, isNamedAlone: true)
    }
  }

  func termination(
    _ namespace: String?, _ code: UInt64?, _ indicator: String? = nil, details: String...
  ) -> Self {
    with {
      var termination = TerminationRecord()
      termination.namespace = namespace
      termination.code = code
      termination.indicator = indicator
      termination.details = details
      $0.report.termination = termination
    }
  }

  /// Describes one of the registers set before.
  func meaning(_ text: String, of register: String) -> Self {
    with { sample in
      guard let index = sample.state?.registers.firstIndex(where: { $0.name == register }) else { return }
      sample.state?.registers[index].meaning = text
    }
  }

  /// Describes a register set before: an object of this class was freed there.
  func freed(_ name: String, at register: String) -> Self {
    with { sample in
      guard let index = sample.state?.registers.firstIndex(where: { $0.name == register }) else { return }
      sample.state?.registers[index].freedClass = name
    }
  }

  /// Blames an allocation.
  func blamed(_ address: UInt64, size: UInt64, isFreed: Bool) -> Self {
    with {
      var record = AllocationRecord()
      (record.address, record.size, record.isFreed) = (address, size, isFreed)
      $0.report.allocation = record
    }
  }

  /// Quotes arm64 code: words before the program counter, and at it.
  func code(_ before: [UInt32], at words: [UInt32]) -> Self {
    func bytes(_ words: [UInt32]) -> [UInt8] {
      words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }
    return with { $0.code = CodeBytes(before: bytes(before), at: bytes(words)) }
  }

  /// Quotes code of any CPU.
  func code(bytesBefore: [UInt8], at bytes: [UInt8]) -> Self {
    with { $0.code = CodeBytes(before: bytesBefore, at: bytes) }
  }

  func format(_ format: ReportFormat) -> Self { with { $0.report.format = format } }

  func registers(_ values: KeyValuePairs<String, UInt64>) -> Self {
    with { $0.state = ThreadState(registers: values.map { Register(name: $0.key, value: $0.value) }) }
  }

  func registers(_ values: KeyValuePairs<String, UInt64>, of thread: Int) -> Self {
    with {
      $0.otherStates[thread] = ThreadState(registers: values.map { Register(name: $0.key, value: $0.value) })
    }
  }

  /// Makes a thread's frames the heaviest path of a call tree, with a count for each, outermost first.
  func sampled(_ total: Int, depthCounts counts: [Int], of thread: Int = 0) -> Self {
    with { $0.trees[thread] = (total, counts) }
  }

  /// Adds a thread of these frames and marks it as crashed.
  func crashed(_ frames: ResolvedFrame...) -> Self { crashed(frames) }

  func crashed(_ frames: [ResolvedFrame]) -> Self {
    with {
      $0.report.crashedThread = $0.threads.count
      $0.threads.append(frames)
    }
  }

  func thread(_ frames: ResolvedFrame...) -> Self { with { $0.threads.append(frames) } }

  /// Adds an image of `Moon`'s bundle.
  func library(_ path: String, _ version: String) -> Self {
    with {
      var image = BinaryImage(start: RuntimeAddress(0x1_0400_0000))
      (image.path, image.version) = (path, version)
      $0.report.images.append(image)
      $0.report.header.path = "/var/Moon.app/Moon"
    }
  }

  func process(_ name: String) -> Self { with { $0.report.header.process = name } }
  func path(_ path: String) -> Self { with { $0.report.header.path = path } }
  func system(_ version: String) -> Self { with { $0.report.header.osVersion = version } }
  func noted(at frames: ResolvedFrame...) -> Self { with { $0.applicationBacktraces.append(frames) } }
  func queue(_ name: String, of thread: Int) -> Self { with { $0.queues[thread] = name } }
  func named(_ name: String, thread: Int) -> Self { with { $0.names[thread] = name } }
  func thrown(at frames: ResolvedFrame...) -> Self { with { $0.exceptionBacktrace = frames } }
}

// Reports of the usual ways to end, to which a sample adds what matters.

let abort = SampleReport("EXC_CRASH", "SIGABRT", codes: 0, 0)
/// A `brk #1`: Swift's failed checks, and other uses of `__builtin_trap`.
let swiftTrap = SampleReport("EXC_BREAKPOINT", "SIGTRAP", codes: 1, 0x1_0000_2000)

/// A failed access to an address; code 1 is KERN_INVALID_ADDRESS.
func fault(_ address: UInt64, code: UInt64 = 1, cpu: String = "ARM-64 (Native)") -> SampleReport {
  SampleReport("EXC_BAD_ACCESS", "SIGSEGV", codes: code, address, cpu: cpu)
}

/// A frame of a system library, of which the report knows a symbol.
func system(_ symbol: String?) -> ResolvedFrame {
  var frame = Frame(kind: .returnAddress, address: RuntimeAddress(0x1_8000_1000))
  frame.reportedSymbol = symbol
  return ResolvedFrame(captured: frame)
}

/// A frame of which only the image's name is known.
func image(_ name: String, isInApp: Bool = false) -> ResolvedFrame {
  var frame = system(nil).captured
  frame.imageName = name
  var resolved = ResolvedFrame(captured: frame)
  resolved.isInApp = isInApp
  return resolved
}

/// A frame of the app, with its inlined functions first.
func app(_ locations: SourceFrame...) -> ResolvedFrame {
  var frame = ResolvedFrame(captured: Frame(kind: .returnAddress, address: RuntimeAddress(0x1_0000_2000)))
  frame.resolution = .debugInfo
  frame.isInApp = true
  frame.locations = locations
  return frame
}

/// A function, with its location if there is one.
func function(_ name: String?, _ file: String? = nil, _ line: Int? = nil) -> SourceFrame {
  SourceFrame(function: name, location: file.map { SourceLocation(file: $0, line: line) })
}
