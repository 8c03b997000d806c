/// Which crashread this is: the one place that says so.
enum Version {
  static let number = "0.1.0"
  /// When this version was made, for the manual page.
  static let date = "2026-11-21"
  /// The commit it was made from, short; nil when it was built in a checkout.
  static let commit = archivedCommit.hasPrefix("$") ? nil : archivedCommit
  /// Filled in by `git archive` (see .gitattributes).
  private static let archivedCommit = "$Format:%h$"

  static let text = "crashread \(number)" + (commit.map { " (\($0))" } ?? "")
}
