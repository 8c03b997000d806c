package import Foundation

/// The checkout to which the tests belong.
package enum Repository {
  /// Its top directory.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// Whether tests go over all compilers, reports and changed bytes that they could; else over a part of them, which is the
/// same each time and takes seconds in a debug build.
package let testsEverything = ProcessInfo.processInfo.environment["CRASHREAD_FULL"] == "1"
