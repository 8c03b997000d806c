/// Where a line of evidence can be checked: a JSON pointer (RFC 6901) into the document that crashread-json(5)
/// describes; nil when the line doesn't begin with the name of a field.
///
/// Every line of evidence is the name of a field and, behind a colon, what the field says. So nobody has to take a
/// statement on trust: what stands behind the colon stands in the field, too.
public func evidencePlace(_ evidence: String) -> String? {
  let label = evidence.prefix { $0 != ":" }
  return fixedPlaces[String(label)] ?? framePlace(label)
}

/// Fields whose place is always the same.
private let fixedPlaces = [
  "Application Specific Information": "/applicationSpecificInformation",
  "Code Type": "/report/codeType",
  "Exception Codes": "/exception/codes",
  "Exception Message": "/exception/message",
  "Exception Note": "/exception/note",
  "Exception Reason": "/uncaughtException",
  "Exception Subtype": "/exception/subtype",
  "Exception Type": "/exception",
  "Kind of report": "/report/kind",
  "Last Exception Backtrace": "/lastExceptionBacktrace/frames",
  "Registers": "/registers",
  "Termination Reason": "/termination",
  "Threads": "/threads",
  "VM Region Info": "/vmRegionInfo",
  "dynamic linker": "",
  "exception syndrome (esr)": "/registers/esr",
  "fault address register": "/registers",
  "guard code": "",
  "page-fault error code": "/registers/err",
  "program counter": "/registers",
  "trap number": "/registers/trap",
]

/// The place of `Thread 0, frame 1`; thread and frame count from 0 in the report's order.
private func framePlace(_ label: Substring) -> String? {
  let parts = label.split(separator: ", ")
  let numbers = parts.map { $0.split(separator: " ").last.flatMap { Int($0) } }
  if parts.count == 2, parts[0].hasPrefix("Thread "), parts[1].hasPrefix("frame "), let thread = numbers[0],
    let frame = numbers[1]
  {
    return "/threads/\(thread)/frames/\(frame)"
  }
  if parts.count == 2, parts[0] == "Exception Backtrace", let frame = numbers[1] {
    return "/lastExceptionBacktrace/frames/\(frame)"
  }
  if parts.count == 2, parts[0].hasPrefix("Application Backtrace "), let backtrace = numbers[0],
    let frame = numbers[1]
  {
    return "/applicationSpecificBacktraces/\(backtrace)/frames/\(frame)"
  }
  return nil
}
