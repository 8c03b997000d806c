internal import CrashReadCore

/// Reads what the signal handler of Chromium and V8, and so of Electron, prints: `Received signal 11 SEGV_MAPERR
/// 000000000008`, a stack, registers, and `[end of stack trace]` (chromium/src, base/debug/stack_trace_posix.cc,
/// `StackDumpSignalHandler`; v8, src/base/debug/stack_trace_posix.cc).
struct ChromiumDump {
  enum Part {
    case statement(Statement)
    case frame(Frame)
    case other
  }

  private var isOpen = false

  /// What a line states; nil for lines that others can read, such as frames with names.
  mutating func read(_ line: Line) -> Part? {
    if let statement = Self.signal(line.text) {
      isOpen = true
      return .statement(statement)
    }
    guard isOpen else { return nil }
    if line.text.hasPrefix("[end of stack trace]") {
      isOpen = false
      return .other
    }
    return Self.areRegisters(line.text) ? .other : Self.nameless(line).map(Part.frame)
  }

  /// Reads `Received signal 11 SEGV_MAPERR 000000000008`. The code's name tells the signal on each system; the number
  /// doesn't: on Linux, 7 is the bus error.
  static func signal(_ text: Bytes) -> Statement? {
    guard let (word, rest) = text.after("Received signal ")?.firstWord(), let number = word.decimalValue,
      !rest.isEmpty
    else { return nil }
    let (code, place) = rest.firstWord() ?? (Bytes(), Bytes())
    let named = codes.first { code.hasPrefix($0.prefix) }?.signal
    guard let signal = named ?? (code.hexDigitsValue == nil ? nil : MachNames.signal(number)) else {
      return nil
    }
    let address = named == nil ? nil : place.firstWord()?.word.hexDigitsValue
    let isFault = signal == "SIGSEGV" || signal == "SIGBUS"
    let subtype = isFault ? address.map { code.string + " at " + hexadecimal($0) } : nil
    return .fault(type: nil, signal: signal, subtype: subtype, codes: [])
  }

  private static let codes: [(prefix: StaticString, signal: String)] = [
    ("SEGV_", "SIGSEGV"), ("BUS_", "SIGBUS"), ("ILL_", "SIGILL"), ("FPE_", "SIGFPE"),
  ]

  /// Reads `[0x00010a5cabc6]` and `#1 0x7f5f48ecffe0 <unknown>`: code whose name isn't known.
  private static func nameless(_ line: Line) -> Frame? {
    var number: UInt64?
    var address: UInt64?
    if let inside = line.text.after("["), inside.last == UInt8(ascii: "]") {
      address = inside.dropLast().prefixedHexValue
    } else if let (word, rest) = line.text.after("#")?.firstWord(),
      let (place, name) = rest.firstWord(), name.trimmed.equals("<unknown>")
    {
      (number, address) = (word.decimalValue, place.prefixedHexValue)
    }
    guard let address else { return nil }
    var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
    (frame.number, frame.line) = (number.flatMap { Int(exactly: $0) }, line.number)
    return frame
  }

  /// Whether a line is one of registers: `r8: 0000000000000000  r9: 00007f5f48ecffe0`.
  private static func areRegisters(_ text: Bytes) -> Bool {
    let words = text.split(separator: 0x20)
    return words.count > 1 && words.first?.last == UInt8(ascii: ":")
      && words.allSatisfy { $0.last == UInt8(ascii: ":") || $0.hexDigitsValue != nil }
  }

  /// Drops the frames of the handler, and the kernel's trampoline below them, from a stack on which the trampoline has no
  /// name.
  static func dropHandler(_ frames: inout [Frame]) {
    let top = frames.prefix(maximumDepth)
    guard
      let handler = top.lastIndex(where: { $0.reportedSymbol?.holds("StackDumpSignalHandler(") ?? false }),
      handler + 2 < frames.count
    else { return }
    let isTrampoline = frames[handler + 1].reportedSymbol == nil
    frames.removeFirst(handler + (isTrampoline ? 2 : 1))
  }

  private static let maximumDepth = 8
}
