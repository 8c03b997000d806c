internal import CrashReadCore

/// Reads what Valgrind's memcheck prints of an error: what it was, the stack, and often `Address 0x… is 0 bytes inside a block
/// of size 16 free'd` with the stack of the block's end (https://valgrind.org/docs/manual/mc-manual.html).
///
/// An error is a finding: the program goes on. It ends only where a signal is named.
struct ValgrindFinding {
  /// What to do with a line.
  enum Part {
    /// Read it as usual: it's a finding, or a frame of its stack.
    case open
    /// It says what the block is that was used.
    case block
    /// It belongs to another stack than the first finding's.
    case skip
    /// A signal ended the program: the stack below it is the one that matters.
    case ended(signal: String)
    /// The address that the program couldn't access.
    case address(UInt64)
  }

  private enum Stack {
    case none, own, other
  }

  private(set) var hasEnded = false
  /// Whether at least one error was found.
  private(set) var isFinding = false
  private var stack = Stack.none

  /// What a line is, without the process's number before it; nil when it isn't Valgrind's.
  mutating func read(_ text: Bytes) -> Part? {
    if let signal = Self.endingSignal(text) {
      (hasEnded, stack) = (true, .own)
      return .ended(signal: signal)
    }
    let place =
      text.after("Access not within mapped region at address ")
      ?? text.after("Bad permissions for mapped region at address ")
    if let address = place?.prefixedHexValue { return .address(address) }
    if Self.findings.contains(where: { text.hasPrefix($0) }) {
      stack = isFinding || hasEnded ? .other : .own
      isFinding = true
      return stack == .own ? .open : .skip
    }
    guard stack != .none else { return nil }
    if text.hasPrefix("Address 0x"), text.firstRange(of: " is ") != nil {
      defer { stack = .other }
      return stack == .own ? .block : .skip
    }
    return stack == .other && (text.hasPrefix("at 0x") || text.hasPrefix("by 0x")) ? .skip : nil
  }

  private static func endingSignal(_ text: Bytes) -> String? {
    guard text.hasPrefix("Process terminating with default action of signal "),
      let (_, rest) = text.split(at: UInt8(ascii: "(")), let (name, _) = rest.split(at: UInt8(ascii: ")"))
    else { return nil }
    return name.string
  }

  private static let findings: [StaticString] = [
    "Conditional jump or move depends on uninitialised value", "Use of uninitialised value of size ",
    "Invalid read of size ", "Invalid write of size ", "Invalid free() / delete",
    "Mismatched free() / delete", "Syscall param ", "Source and destination overlap in ",
  ]
}
