/// The history of a line according to Git.
package enum LineHistory: Sendable, Hashable {
  /// The commit that changed it last.
  case change(LineChange)
  /// The history is unknown.
  case unknown(Reason)

  /// Why the history is unknown; raw values are those of the JSON output.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The blamed line isn't in a source file on this machine.
    case noSource
    /// The file is outside the source roots, or was found by its name only.
    case notInCheckout
    /// The file isn't in a repository.
    case untracked
    /// The line has uncommitted changes.
    case notCommitted
    /// `git` is missing or can't be started.
    case noGit
    /// Git took too long.
    case timedOut
  }
}

/// The commit that last changed a line.
package struct LineChange: Sendable, Hashable {
  /// The full hash in hexadecimal.
  var commit: String
  /// The author's name.
  var author: String
  /// When it was written: date, time and offset from UTC (ISO 8601).
  var date: String
  /// The first line of its message.
  var summary: String
  /// Whether the history ends with this commit, as in a shallow clone: an older commit may have written the line.
  package var isOldest: Bool

  /// A commit.
  package init(commit: String, author: String, date: String, summary: String, isOldest: Bool = false) {
    self.commit = commit
    self.author = author
    self.date = date
    self.summary = summary
    self.isOldest = isOldest
  }
}
