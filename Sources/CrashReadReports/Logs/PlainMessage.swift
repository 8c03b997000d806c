internal import CrashReadCore

extension CrashReport {
  /// Longer text is a document: what is said of a crash in it, it says in passing.
  private static let maximumMessageBytes = 1 << 14

  /// A short text that has no form of its own, as a report whose lines stand around a crash.
  ///
  /// What somebody copied out of a console can be the very words with which a framework ends programs. Only who knows
  /// these words can tell, so this is no report until somebody does.
  /// - Parameter text: The text; nil is made of one that is long, or no text at all.
  package init?(message text: ReportText) {
    guard text.bytes.count <= Self.maximumMessageBytes, !text.bytes.contains(0) else { return nil }
    self.init(format: .callStackSymbols)
    for line in LineCursor(text.bytes[...]) where !line.isBlank {
      addRemark(SystemRemark.surroundings, line.withoutEscapeSequences.text.string)
    }
    notes = text.notes
    guard systemRemarks.count < SystemRemark.most else { return nil }
  }
}
