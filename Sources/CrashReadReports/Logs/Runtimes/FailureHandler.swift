internal import CrashReadCore

/// Reads what the signal handlers of Abseil, glog and folly print: the signal, the program counter, and a stack whose
/// frames begin with `@` (abseil/abseil-cpp, absl/debugging/failure_signal_handler.cc and internal/examine_stack.cc;
/// google/glog, src/signalhandler.cc; facebook/folly, folly/debugging/symbolizer/SignalHandler.cpp).
struct FailureHandler {
  enum Part {
    case statement(Statement)
    case frame(Frame)
    case other
  }

  private var isOpen = false
  /// The frame of the line `PC: @ …`, which the stack below the handler need not have.
  private var counter: Frame?

  private static let maximumPrefix = 80

  /// What a line states; nil when the line isn't such a handler's.
  mutating func read(_ line: Line) -> Part? {
    let text = Self.withoutPrefix(line.text)
    if let statement = Self.signal(text) {
      isOpen = true
      return .statement(statement)
    }
    // Glog's and Abseil's heading below a check that failed.
    if text.hasPrefix("*** Check failure stack trace") {
      isOpen = true
      return .other
    }
    // Glog prints the counter above the signal.
    if let rest = text.after("PC: @"), let frame = Self.frame(rest, line) {
      // On macOS glog doesn't know the counter.
      if frame.address?.rawValue != 0 { counter = frame }
      return .other
    }
    guard isOpen, let rest = text.after("@") else { return nil }
    return Self.frame(rest, line).map(Part.frame)
  }

  /// The text without the place in a program's source that its logger prints: `[2024-05-01 10:00:00,123 E 12 34]
  /// logging.cc:361: `.
  private static func withoutPrefix(_ text: Bytes) -> Bytes {
    // The time in front may have been removed.
    guard let close = text.prefix(maximumPrefix).firstRange(of: "] "),
      case let place = text[close.upperBound...].prefix(maximumPrefix),
      let file = place.firstRange(of: ".cc:"),
      !place[..<file.lowerBound].contains(0x20)
    else { return text }
    let rest = text[file.upperBound...].drop(while: \.isDigit)
    return rest.after(":")?.trimmedStart ?? text
  }

  /// Reads `*** SIGSEGV received at time=1690000000 on cpu 3 ***`, `*** SIGSEGV (@0x18) received by PID 5321 …` and `***
  /// Signal 11 (SIGSEGV) (0x18) received by PID 90 …`.
  private static func signal(_ text: Bytes) -> Statement? {
    guard let start = text.firstRange(of: "*** S"), let mark = text.firstRange(of: " received "),
      start.lowerBound < mark.lowerBound
    else { return nil }
    var words = text[(start.upperBound - 1)..<mark.lowerBound]
    if let numbered = words.after("Signal "), let (_, rest) = numbered.split(at: UInt8(ascii: "(")) {
      words = rest
    }
    let name = words.prefix { $0.isUppercase || $0.isDigit }
    guard let signal = Statement.signalName(name.string) else { return nil }
    // For signals that a process sends, the value is the sender.
    let isFault = signal == "SIGSEGV" || signal == "SIGBUS"
    let inside = words[name.endIndex...].split(at: UInt8(ascii: "("))?.after
    let address = inside.flatMap { ($0.after("@") ?? $0).after("0x")?.leadingHexValue }
    let subtype = isFault ? address.map { "at " + hexadecimal($0) } : nil
    return .fault(type: nil, signal: signal, subtype: subtype, codes: [])
  }

  /// Reads `0x1052d3c44  (unknown)  moon::Tide::rise()`, in which Abseil has the frame's size, and glog's and folly's
  /// `0x10a1c2e34 moon::Tide::rise()`, from after the `@`.
  private static func frame(_ text: Bytes, _ line: Line) -> Frame? {
    guard let (word, rest) = text.firstWord(),
      let address = word.prefixedHexValue ?? (word.count > 8 ? word.hexDigitsValue : nil)
    else { return nil }
    var name = rest.trimmed
    if let (size, symbol) = name.firstWord(), size.equals("(unknown)") || size.decimalValue != nil {
      name = symbol.trimmed.equals("(unknown)") ? [] : symbol.trimmed
    }
    var frame = FrameLine.frame(address: address, tail: name)
    frame.line = line.number
    return frame
  }

  /// Drops the handler's frames, and puts the program counter's on top.
  func finish(_ frames: inout [Frame]) {
    guard isOpen else { return }
    let handler = frames.prefix(Self.maximumDepth).lastIndex { frame in
      guard let name = frame.reportedSymbol else { return false }
      return Self.machinery.contains { name.holds($0) }
    }
    if let handler, handler + 1 < frames.count { frames.removeFirst(handler + 1) }
    guard var counter, !frames.contains(where: { $0.reportedSymbol == counter.reportedSymbol }) else {
      return
    }
    counter.kind = .programCounter
    frames.insert(counter, at: 0)
  }

  private static let maximumDepth = 8
  /// Parts of the names of the handlers, and of what logs a failed check and stops.
  private static let machinery = ["FailureSignalHandler", "google::LogMessage", "log_internal::LogMessage"]
}
