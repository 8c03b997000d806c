import Foundation
import TestSupport
import Testing

/// What Security.md promises is tested.
@Suite struct SecurityTableTests {
  /// `SuiteTests`, `SuiteTests.test`, or `.test` of the suite named before.
  private static func namedTests() throws -> [(suite: String, test: String?)] {
    let page = try String(
      contentsOf: Repository.root.appending(path: "Sources/CrashRead/CrashRead.docc/Security.md"),
      encoding: .utf8)
    var suite = ""
    return page.matches(of: /`([A-Z][A-Za-z]*Tests)?(?:\.([a-z][A-Za-z]+))?`/).compactMap { match in
      if let name = match.1 {
        suite = String(name)
      } else if match.2?.contains(where: \.isUppercase) != true {
        // `.git`
        return nil
      }
      return (suite, match.2.map(String.init))
    }
  }

  @Test func namedTestsExist() throws {
    let tests = Repository.root.appending(path: "Tests")
    let files = try FileManager.default.subpathsOfDirectory(atPath: tests.path).filter {
      $0.hasSuffix(".swift")
    }
    let code = try files.map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }.joined()
    let named = try Self.namedTests()
    #expect(named.count > 60)
    for (suite, test) in named {
      #expect(code.contains("struct \(suite) ") || code.contains("class \(suite) "), "\(suite)")
      if let test { #expect(code.contains("func \(test)("), "\(suite).\(test)") }
    }
  }
}
