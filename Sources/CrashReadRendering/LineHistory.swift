/// What the history of a checkout says of a line.
package enum LineHistory: Sendable, Hashable {
  /// The commit that changed it last.
  case change(LineChange)
  /// That isn't known.
  case unknown(Reason)

  /// Why nothing is known; raw values are those of the JSON output.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// No line of a source file of this machine is blamed.
    case noSource
    /// The file lies outside the source roots, or only its name speaks for its being the right one.
    case notInCheckout
    /// Git doesn't know the file, or there is no repository.
    case untracked
    /// The line has been changed and not committed yet.
    case notCommitted
    /// The program `git` isn't there or can't be started.
    case noGit
    /// Git took too long.
    case timedOut
  }
}

/// A commit, as seen from a line it changed.
package struct LineChange: Sendable, Hashable {
  /// The whole hash, in hexadecimal.
  package var commit: String
  /// The author's name.
  package var author: String
  /// When it was written: date, time and offset from UTC (ISO 8601).
  package var date: String
  /// The first line of its message.
  package var summary: String
  /// Whether history ends there, as in a shallow clone: an older commit may have made the line.
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
