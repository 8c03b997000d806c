/// The version of crashread, defined only here.
package enum Version {
  /// As `--version` prints it, without the commit.
  package static let number = "0.1.0"
  /// The date of this version, for the manual page.
  package static let date = "2026-11-21"
  /// The commit it was built from, abbreviated; nil when it was built in a checkout.
  static let commit = archivedCommit.hasPrefix("$") ? nil : archivedCommit
  /// Filled in by `git archive` (see .gitattributes).
  private static let archivedCommit = "$Format:%h$"

  /// What `--version` prints.
  package static let text = "crashread \(number)" + (commit.map { " (\($0))" } ?? "")
}
