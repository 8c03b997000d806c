internal import CrashReadCore

/// Limits for extracting an archive. What exceeds them is skipped, and reported.
package struct ArchiveLimits: Sendable {
  /// Entries of any kind, including those of nested archives.
  package var entries = 200_000
  /// Bytes that it expands to: those written, those only examined, and those of nested archives.
  package var bytes = Limits().archiveSize
  /// The maximum expansion ratio. Debug files compress to a third of their size, not to a hundredth.
  package var ratio = 200
  /// The size in bytes below which the ratio isn't checked.
  var harmlessBytes = 64 << 20
  /// The nesting depth of archives: the third level is opened, the fourth isn't.
  var depth = 3

  /// The default limits.
  package init() {}

  /// The maximum number of components of a path, deeper than a scan for debug files looks.
  static let components = 24
  /// The maximum number of problems that are noted.
  static let problems = 16
}

/// The resources that an archive and those nested in it have used.
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

  /// Counts an entry.
  /// - Throws: `ArchiveError` when there are too many.
  mutating func spendEntry() throws(ArchiveError) {
    entries += 1
    if entries > limits.entries {
      throw limit("it has more than \(limits.entries) entries")
    }
  }

  /// Counts bytes.
  /// - Throws: `ArchiveError` when there are too many.
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
