/// The forms a result can be written in; raw values are what the command line calls them.
public enum OutputFormat: String, Sendable, CaseIterable {
  /// For a person.
  case text
  /// For programs: the contract in crashread-json(5).
  case json
  /// Apple's text report, with resolved frames.
  case crash
  /// The .ips file as it came, with resolved frames.
  case ips
}
