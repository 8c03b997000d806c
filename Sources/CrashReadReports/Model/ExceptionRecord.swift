internal import CrashReadCore

/// The exception of a report: what the kernel or the reporter saw.
public struct ExceptionRecord: Sendable, Hashable {
  /// `EXC_BAD_ACCESS` and the like; the signal's name if a reporter puts it here; otherwise the raw text.
  public var type: String?
  /// The text in parentheses after the type, usually a signal: `SIGSEGV`.
  public var signal: String?
  /// The numbers of "Exception Codes": `code[0]` and `code[1]` of the Mach exception.
  ///
  /// Empty when it has other text.
  public var codes: [UInt64]
  /// "Exception Codes" as written.
  public var codesText: String?
  /// "Exception Subtype", or its text if it is stated elsewhere, such as `KERN_INVALID_ADDRESS at 0x10`.
  public var subtype: String?
  /// "Exception Message".
  public var message: String?
  /// "Exception Note", like `EXC_CORPSE_NOTIFY`.
  public var note: String?

  /// An empty record.
  package init() { codes = [] }

  /// "Exception Codes" if they are in words, such as `KERN_INVALID_ADDRESS at 0x10`; nil for numbers alone.
  package var codesDescription: String? {
    let isNumbers = codesText?.allSatisfy { $0.isHexDigit || "x, ".contains($0) } ?? true
    return isNumbers ? nil : codesText
  }
}

/// Who ended the process and why: "Termination Reason" and the lines that go with it.
public struct TerminationRecord: Sendable, Hashable {
  /// The code's namespace: `SIGNAL`, `FRONTBOARD`, `DYLD` and the like.
  public var namespace: String?
  /// The code in the namespace.
  public var code: UInt64?
  /// The text after the code: `Segmentation fault: 11`.
  public var indicator: String?
  /// "Terminating Process", with its pid in brackets where stated.
  public var byProcess: String?
  /// Further lines: "Termination Description", `details`, `reasons`.
  public var details: [String]

  /// An empty record.
  package init() { details = [] }
}

/// An uncaught NSException: `exceptionReason` of .ips, or "Last Exception".
public struct UncaughtException: Sendable, Hashable {
  /// Its name: `NSInvalidArgumentException`.
  public var name: String?
  /// Its reason, with arguments filled in.
  public var reason: String?
  /// Whether a text only names it, without a word that nothing caught it: programs print exceptions that they caught.
  package var isNamedAlone = false

  /// An exception with a name and a reason.
  package init(name: String?, reason: String?, isNamedAlone: Bool = false) {
    self.name = name
    self.reason = reason
    self.isNamedAlone = isNamedAlone
  }
}

/// The names of numbers that other reporters write, as in Apple's reports.
package enum MachNames {
  /// The name of a Mach exception type (`mach/exception_types.h`); nil for an unknown number.
  package static func exception(_ number: UInt64) -> String? {
    let names = [
      "BAD_ACCESS", "BAD_INSTRUCTION", "ARITHMETIC", "EMULATION", "SOFTWARE", "BREAKPOINT", "SYSCALL",
      "MACH_SYSCALL", "RPC_ALERT", "CRASH", "RESOURCE", "GUARD", "CORPSE_NOTIFY",
    ]
    guard number >= 1, number <= names.count else { return nil }
    return "EXC_" + names[Int(number) - 1]
  }

  /// The name of a signal as Apple systems number them (`sys/signal.h`); nil for an unknown number.
  package static func signal(_ number: UInt64) -> String? {
    let names = [
      "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "EMT", "FPE", "KILL", "BUS", "SEGV", "SYS", "PIPE", "ALRM",
      "TERM", "URG", "STOP", "TSTP", "CONT", "CHLD", "TTIN", "TTOU", "IO", "XCPU", "XFSZ", "VTALRM", "PROF",
      "WINCH", "INFO", "USR1", "USR2",
    ]
    guard number >= 1, number <= names.count else { return nil }
    return "SIG" + names[Int(number) - 1]
  }

  /// The name of the kernel's result that is the first code of EXC_BAD_ACCESS; nil for an unknown number.
  static func badAccess(_ code: UInt64) -> String? {
    code == 1 ? "KERN_INVALID_ADDRESS" : code == 2 ? "KERN_PROTECTION_FAILURE" : nil
  }
}
