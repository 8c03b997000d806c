package import Foundation

/// The checked-out project the tests belong to.
package enum Repository {
  /// Its top directory.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
