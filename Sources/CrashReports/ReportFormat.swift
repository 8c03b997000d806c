/// The layout a report was read from; raw values are those of the JSON output.
public enum ReportFormat: String, Sendable, Hashable, CaseIterable {
  /// Apple's text report, alone or behind a one-line JSON header.
  case appleText
  /// Apple's two JSON documents in one file.
  case ips
  /// A one-line JSON header and a text body.
  case ipsText
}

/// Why bytes can't be read as a report. Everything else that is wrong with a report becomes a note in it.
public enum ReportError: Error, Sendable, Hashable {
  /// There are no bytes, or only blanks.
  case empty
  /// Nothing in the bytes looks like a report.
  case unrecognised
}
