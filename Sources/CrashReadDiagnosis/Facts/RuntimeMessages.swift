internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension CrashFacts {
  /// The minimum length of a message in bytes. Smaller numbers are too common in registers.
  private static let minimumMessageLength = 33

  /// Adds the message of Swift's failure function whose length is in a register.
  ///
  /// The function keeps its arguments in callee-saved registers, for the closure that prints them; one of them is the
  /// message's length (`_assertionFailure` in stdlib/public/core/AssertCommon.swift).
  mutating func addSwiftMessage(_ report: CrashReport, _ knowledge: Knowledge) {
    guard stopsInSwiftCore, let thread = report.crashedThread, let state = report.crashedThreadState else {
      return
    }
    let preserved =
      has(.architecture, "arm64") ? (19...28).map { "x\($0)" } : ["rbx", "r12", "r13", "r14", "r15"]
    var lengths: [UInt64: [String]] = [:]
    for message in knowledge.swiftMessages where message.utf8.count >= Self.minimumMessageLength {
      lengths[UInt64(message.utf8.count), default: []].append(message)
    }
    let found = preserved.compactMap { name -> (name: String, value: UInt64, message: String)? in
      guard let value = state[name], let messages = lengths[value], messages.count == 1 else { return nil }
      return (name, value, messages[0])
    }
    // Several lengths would be ambiguous: only one of them can be the message's.
    guard let first = found.first, !found.contains(where: { $0.message != first.message }) else { return }
    let evidence = Evidence(.register(thread: thread, name: first.name), first.value)
    set(.swiftMessage, first.message, evidence)
    set(.swiftMessageRegister, first.name, evidence)
  }

  /// Whether the program trapped in the standard library.
  private var stopsInSwiftCore: Bool {
    isTrap
      && texts[.topImage]?.first?.bytes == Array("libswiftCore.dylib".utf8)
  }

  /// Adds the first line with a message about the crash.
  mutating func addStatedMessage(_ knowledge: Knowledge) {
    guard has(.kind, "crash") else { return }
    let line = texts[.text]?.first { line in
      guard case .field(.applicationSpecificInformation) = line.evidence.source else { return false }
      return line.bytes.contains(UInt8(ascii: " "))
        && !knowledge.boilerplate.matches(line.bytes)
    }
    guard let line else { return }
    set(.statedMessage, String(decoding: line.bytes, as: UTF8.self), line.evidence)
  }

  /// Adds the number of the report's texts that were searched for an exception's name and reason without result;
  /// nothing if one of them could be that.
  mutating func addSearchedTexts(_ symbolicated: SymbolicatedReport) {
    guard let backtrace = values[.exceptionBacktrace] else { return }
    let report = symbolicated.report
    let lines = [texts[.text], texts[.noted]].compactMap(\.self).flatMap(\.self)
    let stated = lines.map { String(decoding: $0.bytes, as: UTF8.self) }
    let meanings = report.threads.compactMap(\.state).flatMap(\.registers).compactMap(\.meaning)
    let names = report.threads.flatMap { [$0.name, $0.queue] }.compactMap(\.self)
    let all = stated + meanings + names
    guard !all.contains(where: Self.mayNameException) else { return }
    set(.searchedTexts, String(all.count), backtrace.evidence)
  }

  /// Whether a text may name an exception, such as `NSRangeException` or `com.example.Error`, or begin with the method
  /// that raised it.
  private static func mayNameException(_ text: String) -> Bool {
    ["xception", "reason: ", "*** -[", "*** +["].contains { text.holds($0) }
  }
}
