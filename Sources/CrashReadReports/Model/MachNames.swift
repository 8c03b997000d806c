/// Names for the numbers that reporters write where Apple's reports have names.
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
