/// What the OpenJ9 VM prints below `Unhandled exception` when a signal terminates it: `Type=Segmentation error …`, lines of
/// `name=value`, the registers, and the function (eclipse-omr/omr, port/unix/omrsignal_context.c; eclipse-openj9/openj9,
/// runtime/vm/gphandle.c).
struct OpenJ9Fault {
  private(set) var isFault = false
  private var type: String?
  private var address: UInt64?
  private var module: String?
  private var function: String?

  /// Reads a line, which a log may have put words before.
  mutating func read(_ text: Bytes) {
    if let start = text.firstRange(of: "Type="), text.firstRange(of: " vmState=0x") != nil {
      type = text[start.lowerBound...].string
    }
    if text.firstRange(of: "J9Generic_Signal_Number=") != nil { isFault = true }
    guard isFault else { return }
    if let value = Self.value("InaccessibleAddress=", text) { address = value.leadingHexValue }
    if text.firstRange(of: "Module_base_address=") != nil {
      function = function ?? Self.value("Symbol=", text)?.nonEmptyString
    } else if let path = Self.value("Module=", text) {
      module = module ?? fileName(path).nonEmptyString
    }
  }

  private static func value(_ key: StaticString, _ text: Bytes) -> Bytes? {
    text.firstRange(of: key).map { text[$0.upperBound...].prefix { $0 != 0x20 } }
  }

  /// The names of signals on all systems (runtime/vm/gphandle.c).
  private static let signals = [
    "Segmentation error": "SIGSEGV", "Bus error": "SIGBUS", "Illegal instruction": "SIGILL",
    "Floating point error": "SIGFPE",
  ]

  /// Adds what the lines state besides the signal, and the signal where a log put words before its line.
  func add(to report: inout CrashReport) {
    if isFault, report.exception == nil,
      let signal = Self.signals.first(where: { type?.hasPrefix("Type=" + $0.key) ?? false })
    {
      report.take(.fault(type: nil, signal: signal.value, subtype: nil, codes: []))
    }
    guard isFault, report.exception != nil else { return }
    if let type { report.applicationSpecificInformation.append(type) }
    if let address { report.take(.faultAddress(address)) }
    guard report.threads.isEmpty, function != nil || module != nil else { return }
    var frame = Frame(kind: .programCounter, address: nil)
    (frame.reportedSymbol, frame.imageName) = (function, module)
    var thread = ThreadRecord(index: 0)
    (thread.isCrashed, thread.frames) = (true, [frame])
    report.threads = [thread]
  }
}
