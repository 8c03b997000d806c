internal import CrashReadCore

// What a report takes from statements.

extension CrashReport {
  /// Appends a line to the exception's reason.
  mutating func appendReason(_ line: Bytes) {
    let before = uncaughtException?.reason ?? ""
    // The label under the name in AppKit's alert, or in a reporter's text.
    let labelled = line.trimmedStart.after("Description: ") ?? line.trimmedStart.after("Reason: ")
    uncaughtException?.reason = WrappedMessage.reason(before, before.isEmpty ? labelled ?? line : line)
  }

  /// Adds the statement of a line, unless a more specific one is known.
  mutating func take(_ statement: Statement) {
    switch statement {
    case .exception(let name, let reason, let isNamed):
      uncaughtException = UncaughtException(
        name: uncaughtException?.name ?? name, reason: uncaughtException?.reason ?? reason,
        isNamedAlone: isNamed && uncaughtException?.isNamedAlone ?? true)
    case .fault(let type, let signal, let subtype, let codes):
      var fault = exception ?? ExceptionRecord()
      // If the reporter knew no type, it prints the signal's description in its place.
      fault.type = fault.type ?? type ?? signal
      if type != nil { fault.signal = fault.signal ?? signal }
      fault.subtype = Self.moreSpecific(fault.subtype, subtype)
      if fault.codes.isEmpty { fault.codes = codes }
      exception = fault
    case .faultAddress(let address):
      guard let fault = exception, fault.codes.isEmpty, fault.subtype?.contains("0x") != true else { return }
      exception?.subtype = (fault.subtype.map { $0 + " " } ?? "") + "at " + hexadecimal(address)
    case .linker(let text):
      var ended = termination ?? TerminationRecord()
      // The lines below also follow what `dlopen` only tells its caller, and what dyld only warns of.
      if !Self.linkerDetails.contains(where: text.hasPrefix) { ended.namespace = ended.namespace ?? "DYLD" }
      for detail in Self.linkerLines(text)
      where ended.details.count < Self.maximumStated && !ended.details.contains(detail) {
        ended.details.append(detail)
      }
      termination = ended
    case .ended(let name, let code):
      var ended = termination ?? TerminationRecord()
      (ended.namespace, ended.code) = (ended.namespace ?? name, ended.code ?? code)
      termination = ended
    case .message(let text):
      guard applicationSpecificInformation.count < Self.maximumStated,
        !applicationSpecificInformation.contains(text)
      else { return }
      applicationSpecificInformation.append(text)
    }
  }

  /// The subtype stated first, unless only the second one has the address.
  private static func moreSpecific(_ first: String?, _ second: String?) -> String? {
    guard let first else { return second }
    guard first.hasPrefix("KERN_"), !first.contains("0x"), let second, let start = second.range(of: "0x")
    else { return first }
    return first + " at " + second[start.lowerBound...]
  }

  private static let linkerDetails = ["Referenced from: ", "Expected in: ", "Reason: ", "/"]

  /// The lines of a message whose line breaks were lost: `Library not loaded: @rpath/A Referenced from: /B Reason: …`.
  private static func linkerLines(_ text: String) -> [String] {
    var lines = [text[...]]
    for detail in linkerDetails.dropLast() {
      guard let last = lines.last, let mark = last.range(of: " " + detail) else { continue }
      lines[lines.count - 1] = last[..<mark.lowerBound]
      lines.append(last[mark.lowerBound...].dropFirst())
    }
    return lines.map(String.init)
  }

  /// The maximum number of statements: a program makes a few when it ends; a log can repeat one endlessly.
  private static let maximumStated = 64
}
