internal import CrashReadReports

extension CrashFacts {
  /// Shorter ones are as long as too many other things.
  private static let shortestMessage = 33

  /// Adds the message of Swift's failure function whose length a register holds.
  ///
  /// The function keeps its arguments for the closure that prints them, in registers that calls preserve: the message's
  /// length is one of them (`_assertionFailure` in stdlib/public/core/AssertCommon.swift).
  mutating func addSwiftMessage(_ report: CrashReport, _ knowledge: Knowledge) {
    guard stopsInSwiftCore, let thread = report.crashedThread, let state = report.crashedThreadState else {
      return
    }
    let preserved =
      has(.architecture, "arm64") ? (19...28).map { "x\($0)" } : ["rbx", "r12", "r13", "r14", "r15"]
    var lengths: [UInt64: [String]] = [:]
    for message in knowledge.swiftMessages where message.utf8.count >= Self.shortestMessage {
      lengths[UInt64(message.utf8.count), default: []].append(message)
    }
    let found = preserved.compactMap { name -> (name: String, value: UInt64, message: String)? in
      guard let value = state[name], let messages = lengths[value], messages.count == 1 else { return nil }
      return (name, value, messages[0])
    }
    // Two lengths would say nothing: one of them is of something else.
    guard let first = found.first, !found.contains(where: { $0.message != first.message }) else { return }
    let evidence = Evidence(.register(thread: thread, name: first.name), first.value)
    set(.swiftMessage, first.message, evidence)
    set(.swiftMessageRegister, first.name, evidence)
  }

  /// Whether the program trapped in the standard library.
  private var stopsInSwiftCore: Bool {
    let traps = ["EXC_BREAKPOINT", "EXC_BAD_INSTRUCTION", "SIGTRAP", "SIGILL"]
    return traps.contains { has(.exception, $0) }
      && texts[.topImage]?.first?.bytes == Array("libswiftCore.dylib".utf8)
  }

  /// Adds the first line in which somebody says something of the crash in words.
  mutating func addSaid(_ knowledge: Knowledge) {
    guard has(.kind, "crash") else { return }
    let line = texts[.text]?.first { line in
      guard case .field(.applicationSpecificInformation) = line.evidence.source else { return false }
      return line.bytes.contains(UInt8(ascii: " "))
        && !knowledge.boilerplate.contains { $0.match(line.bytes) != nil }
    }
    guard let line else { return }
    set(.said, String(decoding: line.bytes, as: UTF8.self), line.evidence)
  }
}
