package import Foundation

/// The samples of this repository, and public ones that may be beside it.
package enum Samples {
  /// `Samples`.
  package static let directory = Repository.root.appending(path: "Samples")

  /// `../shared`, which contains public reports and debug files; nil if it doesn't exist.
  package static let shared: URL? = {
    let url = Repository.root.deletingLastPathComponent().appending(path: "shared")
    return FileManager.default.fileExists(atPath: url.appending(path: "corpus").path) ? url : nil
  }()

  /// Every report, by its path below `Samples`, sorted.
  package static let reports = files(below: directory, "reports")

  /// Every binary of `Samples/symbols`, by its path below the repository's root.
  package static let symbols = files(below: Repository.root, "Samples/symbols").filter {
    !$0.hasSuffix(".plist")
  }

  /// The path of a file or directory of `Samples`.
  package static func path(_ name: String) -> String { directory.appending(path: name).path }

  /// The bytes of a file of `Samples`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: directory.appending(path: name)))
  }

  /// Regular files below a directory, as paths that begin with its name, sorted.
  package static func files(below root: URL, _ directory: String) -> [String] {
    let start = root.appending(path: directory)
    guard let found = try? FileManager.default.subpathsOfDirectory(atPath: start.path) else { return [] }
    return found.map { directory + "/" + $0 }.filter {
      let values = try? root.appending(path: $0).resourceValues(forKeys: [.isRegularFileKey])
      return values?.isRegularFile == true
    }.sorted()
  }
}
