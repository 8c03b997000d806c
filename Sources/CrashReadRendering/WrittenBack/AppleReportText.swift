internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication

/// A report in the layout of Apple's text reports of iOS 15 and macOS 12 and later.
struct AppleReportText {
  private let symbolicated: SymbolicatedReport
  private var report: CrashReport { symbolicated.report }
  private(set) var text = ""

  init(_ symbolicated: SymbolicatedReport) {
    self.symbolicated = symbolicated
    writeHeader()
    writeException()
    writeFreeText()
    if !symbolicated.lastExceptionBacktrace.isEmpty {
      section("Last Exception Backtrace:", backtrace(symbolicated.lastExceptionBacktrace))
    }
    for (index, frames) in symbolicated.applicationSpecificBacktraces.enumerated() {
      section("Application Specific Backtrace \(index):", backtrace(frames))
    }
    for (thread, frames) in zip(report.threads, symbolicated.threads) { writeThread(thread, frames) }
    writeRegisters()
    section("Binary Images:", report.images.map(Self.imageLine))
    line("EOF")
  }

  private mutating func line(_ text: String) { self.text += reportLine(text) + "\n" }

  /// A heading, its lines, and a blank line.
  private mutating func section(_ title: String, _ lines: [String]) {
    line(title)
    for text in lines { line(text) }
    line("")
  }

  /// `Key:` and a value in a column of its own; empty when there is no value.
  private mutating func field(_ key: String, _ value: String?, width: Int) {
    guard let value, !value.isEmpty else { return }
    line(padded(key + ":", toWidth: width) + value)
  }

  private mutating func writeHeader() {
    let header = report.header
    field("Incident Identifier", header.incident, width: 21)
    field("CrashReporter Key", header.deviceKey, width: 21)
    field("Hardware Model", header.hardwareModel, width: 21)
    let pid = header.pid.map { " [\($0)]" } ?? ""
    field("Process", header.process.map { $0 + pid } ?? (pid.isEmpty ? nil : "???" + pid), width: 21)
    field("Path", header.path, width: 21)
    field("Identifier", header.bundleID, width: 21)
    let build = header.build.map { " (\($0))" } ?? ""
    field("Version", header.version.map { $0 + build } ?? (build.isEmpty ? nil : "???" + build), width: 21)
    field("Code Type", header.codeType, width: 21)
    field("Parent Process", header.parentProcess, width: 21)
    line("")
    field("Date/Time", header.date, width: 21)
    field("Launch Time", header.launchDate, width: 21)
    field("OS Version", header.osVersion, width: 21)
    field("Report Version", "104", width: 21)
    line("")
  }

  private mutating func writeException() {
    if let exception = report.exception {
      let signal = exception.signal.map { " (\($0))" } ?? ""
      field("Exception Type", exception.type.map { $0 + signal } ?? exception.signal, width: 17)
      field("Exception Subtype", exception.subtype, width: 19)
      field("Exception Codes", Self.codes(of: exception), width: 17)
      field("Exception Message", exception.message, width: 19)
      field("Exception Note", exception.note, width: 17)
    }
    writeRegions()
    if let termination = report.termination { writeTermination(termination) }
    if let crashed = report.crashedThread {
      line("")
      field("Triggered by Thread", String(report.threads[crashed].index), width: 22)
    }
    if let exception = report.uncaughtException {
      line("")
      line("Last Exception:  \(exception.name ?? "???"): \(exception.reason ?? "")")
    }
    line("")
  }

  private static func codes(of exception: ExceptionRecord) -> String? {
    exception.codesText ?? exception.codes.map { "0x" + paddedHex($0, digits: 16) }.joined(separator: ", ")
  }

  private mutating func writeRegions() {
    guard let info = report.vmRegionInfo else { return }
    let heading = info.hasPrefix("VM Regions Near") ? "" : "VM Region Info: "
    // The text is a table; only characters that would end a line inside a cell are removed.
    for row in (heading + info).split(separator: "\n", omittingEmptySubsequences: true) { line(String(row)) }
  }

  private mutating func writeTermination(_ termination: TerminationRecord) {
    if let namespace = termination.namespace {
      let parts = [namespace, termination.code.map(String.init), termination.indicator]
      field("Termination Reason", parts.compactMap { $0 }.joined(separator: " "), width: 20)
    } else {
      field("Termination Signal", termination.indicator, width: 20)
    }
    for detail in termination.details { field("Termination Description", detail, width: 25) }
    field("Terminating Process", termination.byProcess, width: 21)
  }

  private mutating func writeFreeText() {
    guard !report.applicationSpecificInformation.isEmpty else { return }
    section("Application Specific Information:", report.applicationSpecificInformation)
  }

  private mutating func writeThread(_ thread: ThreadRecord, _ frames: [ResolvedFrame]) {
    if thread.name != nil || thread.queue != nil {
      let queue = thread.queue.map { " Dispatch queue: " + $0 } ?? ""
      line("Thread \(thread.index) name:  \(thread.name ?? "")\(queue)")
    }
    section("Thread \(thread.index)\(thread.isCrashed ? " Crashed" : ""):", backtrace(frames))
  }

  // MARK: - Frames

  /// The lines of a backtrace; a frame recovered from a register isn't part of the report.
  private func backtrace(_ frames: [ResolvedFrame]) -> [String] {
    var lines: [String] = []
    for frame in frames where !frame.isRecovered {
      lines += Self.frameLines(frame, from: lines.count, images: report.images)
    }
    return lines
  }

  /// The lines of a frame: one for each function inlined into it, and one for the function itself.
  static func frameLines(_ frame: ResolvedFrame, from number: Int, images: [BinaryImage]) -> [String] {
    guard let address = frame.captured.address else { return ["..."] }
    let image = frame.image.map { images[$0] }
    let name = frame.captured.imageName ?? image?.name ?? "???"
    let texts = frame.writtenFunctions.map(\.text)
    return (texts.isEmpty ? [reportedText(frame.captured, image)] : texts).enumerated().map { index, text in
      padded(String(number + index), toWidth: 4) + padded(name, toWidth: 30)
        + "\t"
        + rightAligned(hexadecimal(address.rawValue), width: 18) + " " + text
    }
  }

  private static func reportedText(_ captured: Frame, _ image: BinaryImage?) -> String {
    guard let symbol = captured.reportedSymbol else {
      let address = captured.address?.rawValue ?? 0
      guard let start = image?.start.rawValue, start <= address else { return "0x0 + \(address)" }
      return hexadecimal(start) + " + \(address - start)"
    }
    return WrittenFunction(
      name: symbol, offset: captured.reportedSymbolOffset,
      source: captured.reportedFile.map { ($0, captured.reportedLine ?? 0) }, isInlined: captured.isInlined
    ).text
  }

  // MARK: - Registers and images

  /// Intel's trap, error code and processor have lines of their own.
  private static let processorRows = [("cpu", "Logical CPU"), ("err", "Error Code"), ("trap", "Trap Number")]

  private mutating func writeRegisters() {
    guard let crashed = report.crashedThread, let state = report.threads[crashed].state,
      !state.registers.isEmpty
    else { return }
    line("Thread \(report.threads[crashed].index) crashed with \(Self.flavor(state.flavor)):")
    let plain = state.registers.filter { register in !Self.processorRows.contains { $0.0 == register.name } }
    for start in stride(from: 0, to: plain.count, by: 4) {
      line(plain[start..<min(start + 4, plain.count)].map(Self.register).joined())
    }
    line("")
    for (name, title) in Self.processorRows {
      guard let register = state.registers.first(where: { $0.name == name }) else { continue }
      let value = name == "err" ? "0x" + paddedHex(register.value, digits: 8) : String(register.value)
      field(title, value + (register.meaning.map { " " + $0 } ?? ""), width: 17)
    }
    line("")
  }

  /// A register's value. Only the meaning of a status register is added: meanings of addresses are names, which could
  /// be mistaken for registers.
  private static func register(_ register: Register) -> String {
    let meaning = register.name == "esr" ? register.meaning.map { " " + $0 } ?? "" : ""
    return " " + rightAligned(register.name, width: 5) + ": 0x" + paddedHex(register.value, digits: 16)
      + meaning
  }

  private static func flavor(_ flavor: String?) -> String {
    switch flavor {
    case "ARM_THREAD_STATE64": "ARM Thread State (64-bit)"
    case "ARM_THREAD_STATE": "ARM Thread State (32-bit)"
    case "x86_THREAD_STATE": "X86 Thread State (64-bit)"
    default: flavor ?? "Thread State"
    }
  }

  private static func imageLine(_ image: BinaryImage) -> String {
    let start = rightAligned(hexadecimal(image.start.rawValue), width: 18)
    let end = rightAligned(image.end.map { "0x" + String($0.rawValue, radix: 16) } ?? "???", width: 18)
    let parts = [
      (image.isMarkedAsApp ? "+" : "") + (image.name ?? "???"), image.architecture?.rawValue,
      image.version.map { "(\($0))" }, "<\(image.id.map(identity) ?? String(repeating: "0", count: 32))>",
      image.path ?? "???",
    ]
    return "\(start) - \(end) " + parts.compactMap { $0 }.joined(separator: " ")
  }

  private static func identity(_ id: ImageID) -> String {
    id.bytes.map { paddedHex(UInt64($0), digits: 2) }.joined()
  }
}

private func paddedHex(_ value: UInt64, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
