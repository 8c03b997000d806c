internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication

/// A word of the report, and the field it was read from.
struct FactWord: Sendable, Hashable {
  var value: String
  var evidence: String
}

/// A number of the report, and the field it was read from.
struct FactNumber: Sendable, Hashable {
  var value: UInt64
  var evidence: String
}

/// A number or message of the report taken apart.
struct FactDecoding: Sendable, Hashable {
  var number: DecodedNumber
  /// The field it was read from and what it says; nil for what explains nothing by itself.
  var evidence: String?
}

/// A line of the report, and the field it was read from.
struct FactLine: Sendable, Hashable {
  var bytes: [UInt8]
  var evidence: String

  /// Longer lines are cut: what decides stands at the start.
  private static let longest = 8192

  init(_ text: String, field: String) {
    bytes = Array(text.utf8.prefix(Self.longest))
    evidence = field + ": " + Template.shortened(text)
  }
}

/// What a report says about its crash, in the form that rules ask for.
///
/// Dialects differ in where they put a fact; here each has one place. Evidence keeps the report's own wording.
struct CrashFacts {
  var words: [WordFact: [FactWord]] = [:]
  var numbers: [NumberFact: FactNumber] = [:]
  var texts: [TextFact: [FactLine]] = [:]
  /// What the texts can name, by placeholder: words of the report or of the tables.
  var values: [String: String] = [:]
  /// Where the values that rules ask for were read from.
  var valueEvidence: [String: String] = [:]
  /// The report's numbers taken apart, and what its messages say in parts.
  var decodings: [FactDecoding] = []

  /// Reports can hold megabytes of text; what decides stands in the first lines.
  private static let mostLines = 400
  /// As deep as crash machinery goes.
  private static let mostFrames = 16

  /// The thread that used a locked file when the process was to be suspended, as an index; nil when none is known.
  var lockUser: Int?

  /// Gathers the facts, and names numbers and functions by what is known of them.
  init(_ symbolicated: SymbolicatedReport, knowledge: Knowledge) {
    let report = symbolicated.report
    let codes = knowledge.codes
    add(.kind, report.kind.rawValue, evidence: "Kind of report: \(report.kind.rawValue)")
    addException(report, codes)
    addTermination(report, codes)
    addArchitecture(report)
    addTexts(report)
    addNamedLines(report)
    addFrames(symbolicated)
    addProcessorState(report, codes)
    addStacks(symbolicated, knowledge)
    addMemoryFault(report, codes)
    addGuardOrResource(report, codes)
    addLinkerError()
    addNamedCodes(report, codes)
    addRegisters(report)
    addWaits(symbolicated, knowledge)
  }

  mutating func add(_ fact: WordFact, _ value: String, evidence: String) {
    words[fact, default: []].append(FactWord(value: value, evidence: evidence))
  }

  /// Sets a value that a rule may ask for; nil leaves it unknown.
  mutating func set(_ name: String, _ value: String?, evidence: String) {
    values[name] = value
    valueEvidence[name] = value.map { _ in evidence }
  }

  func has(_ fact: WordFact, _ value: String) -> Bool {
    words[fact]?.contains { $0.value == value } ?? false
  }
}

extension CrashFacts {
  private mutating func addException(_ report: CrashReport, _ codes: CodeTables) {
    let exception = report.exception
    let evidence = "Exception Type: " + exceptionText(exception)
    if let type = exception?.type {
      add(.exception, type, evidence: evidence)
      values[type.hasPrefix("SIG") ? "signal" : "exception"] = type
      set("sanitizer", report.format == .sanitizer ? type : nil, evidence: evidence)
      set("knownException", codes.has(type, in: "exception") ? type : nil, evidence: evidence)
    }
    addSignal(report, codes, evidence: evidence)
  }

  private mutating func addSignal(_ report: CrashReport, _ codes: CodeTables, evidence: String) {
    // Behind the signal's name some systems say more: `SIGKILL - CODESIGNING`.
    let printed = report.exception?.signal?.split(separator: " ").first.map(String.init)
    let signal: FactWord?
    if let printed {
      signal = FactWord(value: printed, evidence: evidence)
    } else if let type = values["signal"] {
      signal = FactWord(value: type, evidence: evidence)
    } else {
      signal = signalOfTermination(report, codes)
    }
    guard let signal else { return }
    add(.exception, signal.value, evidence: signal.evidence)
    values["signal"] = signal.value
    set("knownSignal", codes.has(signal.value, in: "signal") ? signal.value : nil, evidence: signal.evidence)
  }

  private func exceptionText(_ exception: ExceptionRecord?) -> String {
    let type = exception?.type ?? "not stated"
    return exception?.signal.map { "\(type) (\($0))" } ?? type
  }

  /// A report without a signal can still state it as `Namespace SIGNAL, Code 11`.
  private func signalOfTermination(_ report: CrashReport, _ codes: CodeTables) -> FactWord? {
    // Systems number their signals differently from 7 on.
    let system = report.header.osVersion?.hasPrefix("Linux") ?? false ? "Linux" : nil
    guard let termination = report.termination, termination.namespace == "SIGNAL",
      let code = termination.code, let name = codes.name(of: code, in: "signal", variant: system)
    else { return nil }
    return FactWord(value: name, evidence: "Termination Reason: " + terminationText(termination))
  }

  private mutating func addTermination(_ report: CrashReport, _ codes: CodeTables) {
    let termination = report.termination ?? TerminationRecord()
    let evidence = "Termination Reason: " + terminationText(termination)
    let namespace = namespaceName(termination, codes)
    if let namespace, namespace != "SIGNAL" {
      add(.namespace, namespace, evidence: evidence)
      values["namespace"] = namespace
      let isKnown = codes.has(namespace, in: "namespace")
      set(
        "knownNamespace", isKnown ? codes.mainName(namespace, in: "namespace") : nil, evidence: evidence)
    }
    guard let code = terminationCode(report, evidence: evidence) else { return }
    numbers[.terminationCode] = code
    values["terminationCode"] = hexadecimal(code.value)
    let name =
      codes.name(of: code.value, in: "termination." + (namespace ?? "")) ?? codes.killCode(code.value)
    set("terminationName", name, evidence: code.evidence)
  }

  private func namespaceName(_ termination: TerminationRecord, _ codes: CodeTables) -> String? {
    guard let namespace = termination.namespace else { return nil }
    // A system that doesn't know the name prints the number, also as `<0xF>`.
    let number = unsigned(namespace.filter { $0 != "<" && $0 != ">" })
    return number.flatMap { codes.name(of: $0, in: "namespace") } ?? namespace
  }

  /// The code that says why the process was killed; iOS 9 and older print it as the exception's code.
  private func terminationCode(_ report: CrashReport, evidence: String) -> FactNumber? {
    if let termination = report.termination, let code = termination.code {
      return termination.namespace == "SIGNAL" ? nil : FactNumber(value: code, evidence: evidence)
    }
    let type = report.exception?.type ?? ""
    guard type == "EXC_CRASH" || !type.hasPrefix("EXC_"), let code = report.exception?.codes.first,
      code >= 0x0100_0000
    else { return nil }
    return FactNumber(value: code, evidence: "Exception Codes: " + hexadecimal(code))
  }

  private func terminationText(_ termination: TerminationRecord) -> String {
    var parts = [termination.namespace ?? "namespace not stated"]
    if let code = termination.code { parts.append(hexadecimal(code)) }
    if let indicator = termination.indicator { parts.append(indicator) }
    return parts.joined(separator: ", ")
  }
}

extension CrashFacts {
  private mutating func addArchitecture(_ report: CrashReport) {
    guard let architecture = report.architecture else { return }
    let evidence = "Code Type: " + (report.header.codeType ?? architecture.rawValue)
    let name = architecture.rawValue
    if architecture.isARM64 {
      add(.architecture, "arm64", evidence: evidence)
    } else if architecture.isARM32 {
      add(.architecture, "arm", evidence: evidence)
    } else if name.hasPrefix("x86") || name == "i386" {
      add(.architecture, "x86", evidence: evidence)
    }
  }

  private mutating func addTexts(_ report: CrashReport) {
    let exception = report.exception
    let termination = report.termination
    add(.text, [report.uncaughtException.flatMap(terminatingLine)], field: "Exception Reason")
    add(.text, report.applicationSpecificInformation, field: "Application Specific Information")
    add(.text, [exception?.message], field: "Exception Message")
    add(.text, [termination.map(terminationText)] + (termination?.details ?? []), field: "Termination Reason")
    add(.text, [exception?.subtype], field: "Exception Subtype")
    add(.text, [exception?.codesText], field: "Exception Codes")
    add(.text, [exception?.signal], field: "Exception Type")
    add(.text, [exception?.note], field: "Exception Note")
    add(.region, [report.vmRegionInfo], field: "VM Region Info")
    set("message", exception?.message, evidence: "Exception Message: " + (exception?.message ?? ""))
  }

  /// What reports about limits say in lines of their own.
  private static let namedLines = [
    "Action taken: ": "action", "Ended: ": "endedProcess", "Largest process: ": "largestProcess",
  ]

  private mutating func addNamedLines(_ report: CrashReport) {
    guard [.jetsam, .resource].contains(report.kind) else { return }
    for line in report.applicationSpecificInformation {
      for (prefix, name) in Self.namedLines where line.hasPrefix(prefix) {
        values[name] = String(line.dropFirst(prefix.count))
      }
    }
  }

  /// An exception that a report states in fields, in the words the runtime uses where it is stated in text.
  private func terminatingLine(_ exception: UncaughtException) -> String? {
    guard let name = exception.name else { return exception.reason.map { "Crashing on exception: " + $0 } }
    let line = "*** Terminating app due to uncaught exception '\(name)'"
    return exception.reason.map { "\(line), reason: '\($0)'" } ?? line
  }

  private mutating func add(_ fact: TextFact, _ texts: [String?], field: String) {
    for text in texts {
      for line in (text ?? "").split(whereSeparator: \.isNewline) {
        guard (self.texts[fact]?.count ?? 0) < Self.mostLines else { return }
        self.texts[fact, default: []].append(FactLine(String(line), field: field))
      }
    }
  }

  private mutating func addFrames(_ symbolicated: SymbolicatedReport) {
    let count = symbolicated.lastExceptionBacktrace.count
    if count > 0 {
      set("exceptionBacktrace", String(count), evidence: "Last Exception Backtrace: \(count) frames")
    }
    guard let thread = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(thread) else {
      return
    }
    for (index, frame) in symbolicated.threads[thread].prefix(Self.mostFrames).enumerated() {
      let lines = frame.functionNames.map { FactLine($0, field: "Thread \(thread), frame \(index)") }
      texts[.frames, default: []] += lines
      if texts[.topFrame] == nil, frame.reason != .superseded {
        texts[.topFrame] = lines
        values["function"] = frame.functionNames.first.map(Template.shortened)
      }
    }
  }
}

extension ResolvedFrame {
  /// All names at the frame, innermost first; the report's own only when nothing else names it.
  var functionNames: [String] {
    let names = locations.compactMap(\.function)
    if !names.isEmpty { return names }
    return captured.reportedSymbol.map { [demangle($0) ?? $0] } ?? []
  }
}

/// `0x` and lower-case digits, as all numbers of a diagnosis are printed.
package func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
