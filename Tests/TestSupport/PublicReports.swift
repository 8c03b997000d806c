package import Foundation

/// Public reports that are beside the repository on some machines; tests that need them are skipped elsewhere.
package enum PublicReports {
  package static let directory = Repository.root.deletingLastPathComponent().appending(path: "shared/corpus")

  package static let areAvailable = FileManager.default.fileExists(atPath: directory.path)

  package static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: directory.appending(path: path)))
  }

  /// Paths of reports below the directory: all of them, or every so many-th of those up to a size.
  package static func paths(every step: Int, upTo size: Int) -> [String] {
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []
    let reports = all.filter { $0.contains("/") && isFile($0) }.sorted()
    if testsEverything { return reports }
    let small = reports.filter { fileSize($0) <= size }
    return stride(from: 0, to: small.count, by: step).map { small[$0] }
  }

  private static func isFile(_ path: String) -> Bool {
    attribute(.type, of: path) == FileAttributeType.typeRegular
  }

  private static func fileSize(_ path: String) -> Int { attribute(.size, of: path) ?? 0 }

  private static func attribute<Value>(_ key: FileAttributeKey, of path: String) -> Value? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: directory.appending(path: path).path)
    return attributes?[key] as? Value
  }
}
