internal import CrashReadCore

/// Reads the stack that the package swift-backtrace prints from a signal's handler on Linux, before Swift 5.9 did that
/// itself: `Received signal 11. Backtrace:`, then `0x55f9abdef472, Shop.Cart.total() -> () at /app/Cart.swift:66`, or
/// only the address (swift-server/swift-backtrace, Backtrace.swift).
enum PrintedBacktrace {
  /// The signal stated by the line above the stack.
  static func signal(_ text: Bytes) -> String? {
    guard let rest = text.after("Received signal "), rest.hasSuffix(". Backtrace:") else { return nil }
    // On Linux, of these only the bus error has another number.
    let number = rest.prefix { $0.isDigit }.decimalValue
    return number == 7 ? "SIGBUS" : number.flatMap(MachNames.signal)
  }

  /// A frame; nil for other lines.
  static func frame(_ line: Line) -> Frame? {
    let (word, rest) = line.text.split(at: UInt8(ascii: ",")) ?? (line.text, [])
    guard word.count > 4, let address = word.prefixedHexValue else { return nil }
    var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
    frame.line = line.number
    var name = rest.trimmed
    if let at = name.firstRange(of: " at /") {
      let location = name[(at.upperBound - 1)...]
      if let colon = location.lastIndex(of: UInt8(ascii: ":")),
        let number = location[(colon + 1)...].decimalValue
      {
        frame.reportedFile = location[..<colon].nonEmptyString
        frame.reportedLine = number == 0 ? nil : Int(exactly: number)
      }
      name = name[..<at.lowerBound]
    }
    frame.reportedSymbol = (name.before(" -> ()") ?? name).nonEmptyString
    return frame
  }
}

extension [Frame] {
  /// Drops the frames of the handler, and the kernel's trampoline below them, which has no name.
  mutating func dropSwiftHandler() {
    guard
      let last = prefix(6).lastIndex(where: { $0.reportedSymbol?.contains("Backtrace.install(") ?? false }),
      last + 2 < count
    else { return }
    removeFirst(self[last + 1].reportedSymbol == nil ? last + 2 : last + 1)
  }
}
