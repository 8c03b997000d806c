import Foundation

/// Expected output that is kept in files of the repository.
package enum Golden {
  /// Compares a text with the file at a path below the repository's root.
  ///
  /// A missing file is written and the test fails, so that a first recording isn't mistaken for a success. With
  /// `CRASHREAD_RECORD=1` in the environment the file is written anew and the test fails too.
  package static func compare(_ actual: String, with path: String) throws {
    let file = Repository.root.appending(path: path)
    let isRecording = ProcessInfo.processInfo.environment["CRASHREAD_RECORD"] == "1"
    guard !isRecording, let data = try? Data(contentsOf: file) else {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(actual.utf8).write(to: file)
      throw GoldenFailure(description: "\(path) was recorded; read it, commit it and run the test again")
    }
    let expected = String(decoding: data, as: UTF8.self)
    guard actual != expected else { return }
    throw GoldenFailure(
      description: """
        the output differs from \(path), first in line \(firstDifference(expected, actual))
        ---- expected
        \(expected)---- actual
        \(actual)----
        """)
  }

  private static func firstDifference(_ expected: String, _ actual: String) -> Int {
    let pairs = zip(lines(expected), lines(actual))
    return 1 + pairs.prefix { $0.0 == $0.1 }.count
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Why a comparison failed, for the test's report.
package struct GoldenFailure: Error, CustomStringConvertible {
  package let description: String
}
