internal import CrashReadCore

extension CrashReport {
  /// The maximum size of a text in bytes; a longer text is a document, which mentions crashes in passing.
  private static let maximumMessageBytes = 1 << 14

  /// A short text without a known format, as a report that consists of the text's lines.
  ///
  /// Text copied from a console can be the exact words with which a framework stops programs. Only code that knows
  /// these words can tell, so this isn't a report until then.
  ///
  /// - Parameter text: The text; nil is returned for a long one, or bytes that aren't text.
  package init?(message text: ReportText) {
    guard text.bytes.count <= Self.maximumMessageBytes, !text.bytes.contains(0) else { return nil }
    self.init(format: .callStackSymbols)
    for line in LineCursor(text.bytes[...]) where !line.isBlank {
      addRemark(SystemRemark.surroundings, line.withoutEscapeSequences.text.string)
    }
    notes = text.notes
    if isWarning { kind = .other }
    guard systemRemarks.count < SystemRemark.maximumCount else { return nil }
  }
}

extension CrashReport {
  /// What checkers, dyld, handlers of exceptions and drivers log while the program goes on, and what is logged of a
  /// program that didn't start.
  private static let warnings = [
    "Main Thread Checker: UI API called on a ", "Thread Sanitizer: ", "Swift access race in ",
    "Execution of the command buffer was aborted due to an error ", "dyld: warning: ", "Exception caught in ",
    "is unknown to FrontBoard", "kernel[0]: Kext ",
    "was created over 30 seconds ago. In applications running in the background",
    " end BackgroundTask: no background task ",
  ]

  /// Whether nothing but such a line is stated.
  var isWarning: Bool {
    let texts = applicationSpecificInformation + systemRemarks.map(\.text)
    let isEnded = termination.map { $0.namespace != nil || $0.code != nil } ?? false
    return exception == nil && !isEnded && uncaughtException == nil
      && texts.contains { text in Self.warnings.contains { text.holds($0) } }
  }
}
