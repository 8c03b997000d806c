internal import CrashReadCore

/// How much of an archive is taken out of it. What lies beyond is left, and told.
package struct ArchiveLimits: Sendable {
  /// Entries of any kind, those of archives inside it included.
  package var entries = 200_000
  /// Bytes that all of it expands to: what is written, what is only looked at, and what archives inside it hold.
  package var bytes = Limits().archiveSize
  /// How many times its own size it may expand to. Debug files shrink to a third, not to a hundredth.
  package var ratio = 200
  /// Bytes up to which any ratio is harmless.
  package var harmlessBytes = 64 << 20
  /// Archives inside each other: the third one is opened, the fourth isn't.
  package var depth = 3

  /// The limits that hold unless a test sets others.
  package init() {}

  /// Directories around a file, of which a scan for debug files would not reach more.
  static let components = 24
  /// More problems of one archive would be the same again.
  static let problems = 16
}

/// What one archive and those inside it have used up.
struct ArchiveBudget {
  let limits: ArchiveLimits
  /// Bytes of the outermost archive.
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
