internal import CrashReadCore

/// Reads what R prints when a signal ends it: ` *** caught segfault ***`, `address 0x18, cause 'memory not mapped'`, and
/// the calls of R below `Traceback:`, innermost first (r-devel/r-svn, src/main/errors.c, `sigactionSegv`).
struct RFault {
  private var isCaught = false
  private var isTraceback = false
  /// Whether R asks what to do, in numbered rows.
  private var isMenu = false

  /// What a line states; nil when the line isn't R's.
  mutating func read(_ line: Line) -> Part? {
    if let name = line.text.after("*** caught ") {
      guard let (_, signal) = Self.signals.first(where: { name.equals($0.name) }) else { return nil }
      isCaught = true
      return .statement(.fault(type: nil, signal: signal, subtype: nil, codes: []))
    }
    guard isCaught else { return nil }
    if let rest = line.text.after("address 0x"), rest.firstRange(of: ", cause '") != nil {
      return rest.leadingHexValue.map { .statement(.faultAddress($0)) }
    }
    if line.text.equals("Traceback:") {
      isTraceback = true
      return .other
    }
    if line.text.equals("Possible actions:") {
      (isTraceback, isMenu) = (false, true)
      return .other
    }
    if isMenu {
      isMenu = line.text.first?.isDigit ?? true
      if isMenu { return .other }
    }
    return isTraceback ? frame(line).map(Part.frame) : nil
  }

  enum Part {
    case statement(Statement)
    case frame(Frame)
    case other
  }

  private static let signals: [(name: StaticString, signal: String)] = [
    ("segfault ***", "SIGSEGV"), ("bus error ***", "SIGBUS"), ("illegal operation ***", "SIGILL"),
  ]

  /// Reads ` 2: library.dynam(lib, package, package.lib)`, numbered from 1.
  private func frame(_ line: Line) -> Frame? {
    guard let (number, call) = line.text.split(at: UInt8(ascii: ":")), let value = number.decimalValue,
      value > 0,
      let open = call.firstIndex(of: UInt8(ascii: "(")), case let name = call[..<open].trimmed, !name.isEmpty,
      name.firstRange(of: ": ") == nil
    else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.number = Int(value) - 1
    frame.isManaged = true
    frame.reportedSymbol = name.string
    frame.line = line.number
    return frame
  }
}
