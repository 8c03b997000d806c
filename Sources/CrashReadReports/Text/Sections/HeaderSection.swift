internal import CrashReadCore

/// `Key: value` lines before the threads.
struct HeaderSection: SectionReader {
  /// Whether the last line belongs to the termination reason; lines without a key that follow it then do, too.
  private var isInTermination = false
  var isHeader: Bool { true }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if line.isBlank {
      isInTermination = false
    } else if let subtype = draft.report.exception?.subtype, subtype.hasSuffix(" at"),
      let (address, _) = line.text.firstWord(), address.prefixedHexValue != nil
    {
      // A mail program broke the line before the address.
      draft.report.exception?.subtype = subtype + " " + address.string
    } else if Self.readField(line, into: &draft) {
      isInTermination = line.text.hasPrefix("Terminat")
    } else if isInTermination && line.text.first != UInt8(ascii: "|")
      || line.text.hasPrefix("<RBSTerminateContext|")
    {
      // Also below a blank line, which some editors put after each.
      draft.termination { $0.details.append(line.text.string) }
      isInTermination = true
    } else if line.text.equals("Application main thread deadlocked") {
      // KSCrash has no title over it.
      draft.isDeadlock = true
      draft.report.applicationSpecificInformation.append(line.text.string)
    } else if let remark = line.text.after("# "), let (key, value) = line.with(text: remark).keyAndValue {
      CrashlyticsSection.readHeader(key, value, into: &draft.report.header)
      draft.takeStatement(line.with(text: remark))
    } else {
      draft.report.addReporterNote(line.text.string)
      draft.takeStatement(line)
    }
  }

  mutating func finish(_ draft: inout TextDraft) {}

  /// Reads `Key: value`; false when the key is none of a report's.
  static func readField(_ line: Line, into draft: inout TextDraft) -> Bool {
    guard let (key, value) = line.keyAndValue else { return false }
    if key == "Process" || key == "Incident Identifier", draft.report.header.process == nil {
      draft.beginHeader()
    }
    return ExceptionSection.read(key, value, into: &draft) || read(key, value, into: &draft)
  }

  /// Whether a line has one of the keys of header or exception.
  static func hasKey(_ line: Line) -> Bool {
    var scratch = TextDraft(format: .appleText)
    return readField(line, into: &scratch)
  }

  private static func read(_ key: String, _ value: Bytes, into draft: inout TextDraft) -> Bool {
    if readIdentity(key, value, into: &draft.report.header) { return true }
    if readCircumstances(key, value, into: &draft.report.header) { return true }
    switch key {
    case "Triggered by Thread", "Triggered by thread", "Crashed Thread", "Highlighted Thread",
      "Highlighted by Thread", "Thread":
      draft.readTrigger(value)
    // Cr4shed names the thread below its number.
    case "Thread name": draft.trigger = draft.trigger.map { ThreadTitle(index: $0.index, naming: value) }
    case "Role": draft.report.addRemark(SystemRemark.role, value.nonEmptyString)
    case "Responsible", "Responsible Process": draft.report.addResponsible(value.nonEmptyString)
    case "Notes": draft.report.addReporterNote(value.string)
    case "Report Version", "Coalition", "User ID", "Beta":
      break
    default: return false
    }
    return true
  }

  private static func readIdentity(_ key: String, _ value: Bytes, into header: inout ReportHeader) -> Bool {
    switch key {
    case "Incident Identifier": header.incident = header.incident ?? value.nonEmptyString
    case "Process", "Command": readProcess(value, into: &header)
    case "PID": header.pid = value.decimalValue.flatMap { Int(exactly: $0) }
    case "Path": header.path = header.path ?? known(value)
    case "Identifier": header.bundleID = header.bundleID ?? known(value)
    // Issue forms ask for the system's version under this name.
    case "Version"
    where ["iOS ", "iPadOS ", "iPhone OS ", "macOS ", "Mac OS X "].contains(where: value.hasPrefix):
      header.osVersion = header.osVersion ?? value.nonEmptyString
    // Crashlytics' page lists it among the device's properties.
    case "Version" where header.process == nil && isSystemVersion(value):
      header.osVersion = header.osVersion ?? value.nonEmptyString
    case "Version": readVersion(value, into: &header)
    case "Parent Process", "Parent": header.parentProcess = header.parentProcess ?? value.nonEmptyString
    default: return false
    }
    return true
  }

  private static func readCircumstances(
    _ key: String, _ value: Bytes, into header: inout ReportHeader
  ) -> Bool {
    switch key {
    case "Code Type": header.codeType = value.nonEmptyString
    case "Hardware Model": header.hardwareModel = value.nonEmptyString
    case "CrashReporter Key", "Crash Reporter Key", "Anonymous UUID":
      header.deviceKey = header.deviceKey ?? value.nonEmptyString
    case "OS Version": header.osVersion = header.osVersion ?? value.nonEmptyString
    case "Date/Time": header.date = header.date ?? known(value)
    case "Launch Time": header.launchDate = value.nonEmptyString
    default: return false
    }
    return true
  }

  /// Reads `Name [pid]`. Names can contain blanks and brackets, so the pid is read from the right.
  static func readProcess(_ value: Bytes, into header: inout ReportHeader) {
    guard header.process == nil else { return }
    // Spindump adds the number that the kernel gives no other process.
    let value = value.firstRange(of: " [unique pid ").map { value[..<$0.lowerBound] } ?? value
    header.process = known(value)
    guard value.last == UInt8(ascii: "]"), let open = value.lastIndex(of: UInt8(ascii: "[")),
      case let number = value[(open + 1)...].dropLast(),
      number.decimalValue != nil || isPlaceholder(number)
    else { return }
    header.pid = number.decimalValue.flatMap { Int(exactly: $0) }
    header.process = known(value[..<open].trimmed)
  }

  /// Whether a version is that of iOS up to 18, `12.3.1 (16F203)`: its builds begin with the major version plus four.
  private static func isSystemVersion(_ value: Bytes) -> Bool {
    guard value.last == UInt8(ascii: ")"), let (version, build) = value.split(at: UInt8(ascii: "(")),
      let major = version.prefix(while: \.isDigit).decimalValue, (5...18).contains(major),
      case let number = build.prefix(while: \.isDigit), number.decimalValue == major + 4,
      let letter = build.dropFirst(number.count).first
    else { return false }
    return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
  }

  /// Reads `1.2 (34)`.
  private static func readVersion(_ value: Bytes, into header: inout ReportHeader) {
    guard header.version == nil else { return }
    header.version = known(value)
    guard value.last == UInt8(ascii: ")"), let (version, rest) = value.split(at: UInt8(ascii: "(")) else {
      return
    }
    header.version = known(version.trimmed)
    header.build = known(rest.dropLast())
  }

  /// The value; nil for a placeholder for an unknown one.
  private static func known(_ value: Bytes) -> String? { isPlaceholder(value) ? nil : value.nonEmptyString }

  /// Whether a value is the system's `???`, or what people write over their own: `X`, `xxxx`, `****`, `REDACTED`.
  private static func isPlaceholder(_ value: Bytes) -> Bool {
    guard let first = value.first else { return false }
    if value.equals("???") || value.equals("REDACTED") || value.equals("redacted") { return true }
    return first.isAny(of: "xX*#") && value.allSatisfy { $0 == first }
  }
}
