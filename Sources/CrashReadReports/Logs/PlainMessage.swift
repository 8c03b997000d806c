internal import CrashReadCore

extension CrashReport {
  /// Longer text is a document, which mentions crashes in passing.
  private static let maximumMessageBytes = 1 << 14

  /// A short text without a form of its own, as a report with nothing but the text's lines.
  ///
  /// Text copied from a console can be the exact words with which a framework ends programs. Only code that knows these
  /// words can tell, so this isn't a report until then.
  ///
  /// - Parameter text: The text; nil is returned for a long one, or one that is not text.
  package init?(message text: ReportText) {
    guard text.bytes.count <= Self.maximumMessageBytes, !text.bytes.contains(0) else { return nil }
    self.init(format: .callStackSymbols)
    for line in LineCursor(text.bytes[...]) where !line.isBlank {
      addRemark(SystemRemark.surroundings, line.withoutEscapeSequences.text.string)
    }
    notes = text.notes
    guard systemRemarks.count < SystemRemark.maximumCount else { return nil }
  }
}
