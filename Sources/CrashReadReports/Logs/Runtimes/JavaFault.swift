/// What the Java VM prints when a signal, or an error of its own, terminates it: the beginning of its `hs_err_pid….log`,
/// also on the console (openjdk/jdk, src/hotspot/share/utilities/vmError.cpp).
struct JavaFault {
  private var counter: UInt64?
  private var address: UInt64?
  private var isProtectionFault = false
  private var frame: String?
  private var isNextFrame = false
  private var isFatal = false
  /// The VM's own error; empty for a signal.
  private var ownError: [String] = []
  private static let maximumErrorLines = 2
  private var openJ9 = OpenJ9Fault()
  /// Whether OpenJ9 reported a fault; lines of HotSpot begin with a signal, which is a statement.
  var isFault: Bool { openJ9.isFault }

  /// Reads a line. It isn't consumed: other readers may need it as well.
  mutating func read(_ text: Bytes) {
    let comment = text.after("#")
    let text = (comment ?? text).trimmedStart
    if text.isEmpty { return }
    if text.hasPrefix("A fatal error has been detected by the Java Runtime") { isFatal = true }
    if isFatal, comment != nil, ownError.count < Self.maximumErrorLines,
      Self.ownErrors.contains(where: { text.hasPrefix($0) })
    {
      ownError.append(text.string)
    }
    openJ9.read(text)
    if isNextFrame { frame = text.string }
    isNextFrame = text.hasPrefix("Problematic frame:")
    if text.hasPrefix("SIG"), let mark = text.firstRange(of: ") at pc=0x") {
      counter = text[mark.upperBound...].leadingHexValue
    } else if text.hasPrefix("siginfo: "), let mark = text.firstRange(of: "si_addr: 0x") {
      address = text[mark.upperBound...].leadingHexValue
      isProtectionFault =
        text.hasPrefix("siginfo: si_signo: 11 ") && Statement.isProtectionFault(text, at: address ?? 1)
    }
  }

  /// How the lines about an error of the VM's own begin; those about a signal begin with its name.
  private static let ownErrors: [StaticString] = [
    "Internal Error (", "Out of Memory Error (", "guarantee(", "assert(", "fatal error: ", "Error: ",
  ]

  /// The lowest address that programs on macOS map, so a lower program counter is itself the address of the fault.
  private static let firstMapped: UInt64 = 1 << 32

  /// Adds what the lines state besides the signal.
  func add(to report: inout CrashReport) {
    for line in ownError { report.take(.message(line)) }
    if let frame { report.take(.message("Problematic frame: " + frame)) }
    openJ9.add(to: &report)
    guard let counter, report.exception != nil else { return }
    if isProtectionFault {
      report.take(.fault(type: nil, signal: nil, subtype: Statement.protectionFault, codes: []))
    } else if let fault = address ?? (counter < Self.firstMapped ? counter : nil) {
      report.take(.faultAddress(fault))
    }
    if report.threads.isEmpty {
      report.threads = [ThreadRecord(index: 0)]
      report.threads[0].isCrashed = true
    }
    report.threads[0].state = report.threads[0].state ?? ThreadState()
    report.threads[0].state?.registers.append(Register(name: "pc", value: counter))
  }
}
