internal import CrashReadCore

/// What a program prints shortly before the Swift runtime's crash log: why it stopped, and with which signal.
struct SwiftLogContext {
  private var failure: Line?
  private var signal: UInt64?
  /// The program counter at the signal.
  private var counter: UInt64?

  /// The maximum number of lines in between.
  static let maximumDistance = 40

  private static let failures: [StaticString] = [
    "Fatal error", "Precondition failed", "Assertion failed", "Could not cast value of type '",
    "Simultaneous accesses to ",
  ]

  /// Examines the lines right before the crash log; the last `maximumDistance` are enough.
  init(_ lines: some Sequence<Line>) {
    for line in lines { read(line.withoutEscapeSequences) }
  }

  private mutating func read(_ line: Line) {
    let text = line.text
    // Such a message is at the start of a line, or after `file.swift:12: `.
    let bytes = text.span
    for offset in bytes.indices where Self.mayBegin(bytes[offset]) {
      let index = text.startIndex + offset
      let rest = text[index...]
      if let number = Self.signal(rest) {
        signal = number
        counter = rest.firstRange(of: "from 0x").flatMap { rest[$0.upperBound...].leadingHexValue }
      } else if index == text.startIndex || text[..<index].hasSuffix(": "),
        Self.failures.contains(where: { rest.hasPrefix($0) })
      {
        failure = line
      }
    }
  }

  private static func mayBegin(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "F"), UInt8(ascii: "P"), UInt8(ascii: "A"), UInt8(ascii: "C"), UInt8(ascii: "S"): true
    default: false
    }
  }

  /// Reads `Signal 6: Backtracing from 0x…`.
  private static func signal(_ text: Bytes) -> UInt64? {
    guard let rest = text.after("Signal ") else { return nil }
    let digits = rest.prefix { $0.isDigit }
    return rest[digits.endIndex...].hasPrefix(": Backtracing from") ? digits.decimalValue : nil
  }

  /// Adds what is known to the report that follows these lines.
  func complete(_ report: inout CrashReport) {
    if let failure { report.applicationSpecificInformation.append(failure.raw.string) }
    if let signal, let name = Self.name(of: signal, report.header.osVersion) {
      report.exception?.type = name
    }
    if let counter { report.takeProgramCounter(counter) }
  }

  /// Signal numbers on Linux differ from those on Apple's systems.
  private static func name(of signal: UInt64, _ system: String?) -> String? {
    guard let system else { return nil }
    switch signal {
    case 3: return "SIGQUIT"
    case 4: return "SIGILL"
    case 5: return "SIGTRAP"
    case 6: return "SIGABRT"
    case 7 where system.hasPrefix("Linux"): return "SIGBUS"
    case 10 where !system.hasPrefix("Linux"): return "SIGBUS"
    case 8: return "SIGFPE"
    case 11: return "SIGSEGV"
    default: return nil
    }
  }
}

extension ExceptionRecord {
  /// The Swift runtime's description of what happened; it has a phrase for each signal it catches.
  init(swiftDescription text: String) {
    self.init()
    message = text
    let phrases = [
      ("Bad pointer dereference", "SIGSEGV"), ("Aborted", "SIGABRT"), ("Bus error", "SIGBUS"),
      ("Floating point exception", "SIGFPE"), ("Illegal instruction", "SIGILL"), ("System trap", "SIGTRAP"),
      ("Terminated", "SIGQUIT"),
    ]
    type = phrases.first { text.hasPrefix($0.0) }?.1
  }
}

extension CrashReport {
  /// Takes the crashed thread's program counter, if nothing else states its registers.
  fileprivate mutating func takeProgramCounter(_ counter: UInt64) {
    guard threads.allSatisfy({ $0.state == nil }) else { return }
    if threads.isEmpty {
      threads = [ThreadRecord(index: 0)]
      threads[0].isCrashed = true
    }
    guard let thread = threads.firstIndex(where: \.isCrashed) else { return }
    threads[thread].state = ThreadState(registers: [Register(name: "pc", value: counter)])
  }

  /// The path of the program among the images of a crash on Linux; nil on other systems, and when several images are
  /// possible.
  ///
  /// The Swift runtime lists images by address and doesn't name the process. The program is the image without the name
  /// of a shared library, since everything else that is loaded has one.
  var programPath: String? {
    guard header.osVersion?.hasPrefix("Linux") ?? false else { return nil }
    let programs = images.compactMap(\.path).filter { path in
      let name = fileName(path)
      return path.hasPrefix("/") && !name.hasSuffix(".so") && !name.holds(".so.")
    }
    return programs.count == 1 ? programs[0] : nil
  }
}
