internal import CrashReadCore

/// Limits for extracting an archive. What exceeds them is skipped, and reported.
package struct ArchiveLimits: Sendable {
  /// Entries of any kind, including those of nested archives.
  package var entries = 200_000
  /// Bytes it expands to: what is written, what is only examined, and what nested archives contain.
  package var bytes = Limits().archiveSize
  /// How many times its own size it may expand to. Debug files compress to a third, not to a hundredth.
  package var ratio = 200
  /// A size below which any ratio is harmless.
  package var harmlessBytes = 64 << 20
  /// The nesting depth of archives: the third level is opened, the fourth isn't.
  package var depth = 3

  /// The limits used outside tests.
  package init() {}

  /// The directory depth beyond which a scan for debug files wouldn't look.
  static let components = 24
  /// Further problems of an archive repeat the first ones.
  static let problems = 16
}

/// What an archive and those inside it have used up.
struct ArchiveBudget {
  let limits: ArchiveLimits
  /// The size of the outermost archive in bytes.
  let archiveSize: Int
  private var entries = 0
  private(set) var bytes = 0

  init(_ limits: ArchiveLimits, archiveSize: Int) {
    self.limits = limits
    self.archiveSize = max(1, archiveSize)
  }

  /// - Throws: `ArchiveError` when that is one too many.
  mutating func spendEntry() throws(ArchiveError) {
    entries += 1
    if entries > limits.entries {
      throw limit("it has more than \(limits.entries) entries")
    }
  }

  /// - Throws: `ArchiveError` when those are too many.
  mutating func spend(_ count: Int) throws(ArchiveError) {
    bytes = bytes.addingReportingOverflow(max(0, count)).overflow ? .max : bytes + max(0, count)
    if bytes > limits.bytes {
      throw limit("it expands to more than \(limits.bytes) bytes")
    }
    if bytes > limits.harmlessBytes, bytes / limits.ratio > archiveSize {
      throw limit("it expands to more than \(limits.ratio) times its size")
    }
  }

  private func limit(_ message: String) -> ArchiveError {
    ArchiveError(message: message + "; the rest is left out", extent: .everything)
  }
}
