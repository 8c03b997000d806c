internal import CrashReadCore

/// Text that isn't a crash report, although parts of it can look like one.
enum TextDialect {
  case sample, spindump, leaks, panic, stackshot
  /// The output of a tool that isn't supported.
  case other

  private static let marks: [(StaticString, TextDialect)] = [
    ("Analysis of sampling ", .sample), ("Call graph:", .sample), ("Sort by top of stack", .sample),
    ("leaks Report Version:", .leaks),
    ("Data Source:", .spindump), ("Powerstats for:", .spindump),
    ("Heaviest stack for the ", .spindump), ("Sleep Wake failure", .spindump),
    ("Power button pressed during ", .spindump),
    ("panic(cpu ", .panic), ("Debugger called: <", .panic), ("Backtrace (CPU ", .panic),
    // The end of a panic whose first lines were not copied.
    ("Panicked task 0x", .panic),
    // What an Intel CPU wrote down of its errors.
    ("Machine-check capabilities: 0x", .panic), ("CPU Machine Check Architecture Error Dump", .panic),
    ("Analysis Tool:", .other),
    // The figures of a resource report whose header was not copied.
    ("CPU limit:", .spindump), ("Writes limit:", .spindump), ("Wakeups limit:", .spindump),
    ("Frontmost process PID:", .stackshot), ("Process 0 kernel_task threads:", .stackshot),
  ]

  /// The dialect that a line proves; nil when the line can occur in any text.
  init?(mark line: Bytes) {
    if Self.beginsPanicString(line) {
      self = .panic
      return
    }
    if LeaksReport.isRoot(line) {
      self = .leaks
      return
    }
    guard let first = line.first, first.isLetter || first == UInt8(ascii: "*") else { return nil }
    if Self.isOfSpindump(line) {
      self = .spindump
    } else if let mark = Self.marks.first(where: { line.hasPrefix($0.0) }) {
      self = mark.1
    } else if Self.panicStart(line) != nil || Self.isOfPanicLog(line) {
      self = .panic
    } else {
      return nil
    }
  }

  /// Whether a line is of a spindump whose head was not copied.
  private static func isOfSpindump(_ line: Bytes) -> Bool {
    // A thread of a process.
    if line.hasPrefix("Thread 0x"), line.firstRange(of: " samples (") != nil { return true }
    if let duration = line.after("Duration:") { return duration.firstRange(of: "unresponsive for ") != nil }
    // The event of a report about a limit or a hang.
    guard let event = line.after("Event:")?.trimmed else { return false }
    return SpindumpReport.events.contains { event.equals($0) }
  }

  /// The position of a panic's first line in a line, which may have a prefix added by a log or by hand; nil when there
  /// is none.
  static func panicStart(_ line: Bytes) -> Int? {
    let head = line.prefix(maximumPanicStart)
    // On Intel, a CPU that another one interrupted because it didn't answer prints its own line (osfmk/i386/acpi.c).
    if let panic = head.firstRange(of: "panic(cpu ") ?? head.firstRange(of: "Panic(CPU ") {
      return panic.lowerBound
    }
    // What the kernel says of a trap of its own (osfmk/i386/trap.c, panic_trap), on a serial console behind `panic: `.
    if let mark = head.firstRange(of: "Kernel trap at 0x"),
      mark.lowerBound == line.startIndex || line.hasPrefix("panic: Kernel trap at ")
    {
      return mark.lowerBound
    }
    // Only the kernel says so; people quote the message without what stands before it.
    return line.hasPrefix("watchdog timeout: no checkins from watchdogd") ? line.startIndex : nil
  }

  private static let maximumPanicStart = 96

  /// Whether a line is one that the kernel prints only below a panic's message (osfmk/kern/debug.c, osfmk/arm/model_dep.c):
  /// `Debugger message: panic`, `Paniclog version: 14`, `CORE 0 is the one that panicked. Check the full backtrace for details.`
  static func isOfPanicLog(_ line: Bytes) -> Bool {
    line.equals("Debugger message: panic") || line.hasPrefix("Paniclog version: ")
      || line.hasPrefix("CORE ") && line.firstRange(of: " is the one that panicked") != nil
  }

  /// Whether a line begins a panic's text as a member of JSON whose line breaks were decoded, so that it isn't JSON any more.
  static func beginsPanicString(_ line: Bytes) -> Bool {
    guard let (_, text) = line.after("\"panicString\"")?.split(at: UInt8(ascii: "\"")) else { return false }
    return !text.contains(UInt8(ascii: "\""))
  }

  /// Whether a line begins the kernel's own text of a panic, without anything before it.
  static func beginsPanic(_ line: Bytes) -> Bool {
    line.hasPrefix("panic(cpu ") || line.equals("*** Panic Report ***")
  }

  /// Whether a line begins a report about a process below text of this kind. Of these, only a panic has no such lines
  /// itself.
  func isOver(before line: Bytes) -> Bool {
    guard self == .panic, let (key, value) = Line(number: 0, raw: line).keyAndValue else { return false }
    return ["Incident Identifier", "Process", "Command", "OS Version", "Date/Time"].contains(key)
      && !value.isEmpty
  }

  /// Reads the reports in a stretch of the input, up to one more than `maximum`; empty when there is none.
  func reports(in bytes: Bytes, firstLine: Int, maximum: Int) -> [CrashReport] {
    switch self {
    case .sample: SampleReport.reports(in: bytes, firstLine: firstLine, maximum: maximum)
    case .spindump: SpindumpReport.reports(in: bytes, firstLine: firstLine)
    case .leaks: LeaksReport.reports(in: bytes, firstLine: firstLine)
    case .panic: PanicReport.reports(in: bytes, firstLine: firstLine, maximum: maximum)
    case .stackshot: StackshotText.reports(in: bytes, firstLine: firstLine, maximum: maximum)
    case .other: []
    }
  }
}
