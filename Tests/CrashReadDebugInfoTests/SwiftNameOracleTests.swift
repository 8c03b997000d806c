import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Compares short names with those that the toolchain's own `swift-demangle` prints.
@Suite("Swift names against swift-demangle")
struct SwiftNameOracleTests {
  static let oracle = installedProgram("swift-demangle")

  /// The running test program and the standard library that it is linked to.
  static let binaries = [
    "/proc/self/exe", loadedFiles().first { $0.hasSuffix("/libswiftCore.so") },
  ].compactMap(\.self)

  @Test(
    "The short form is that of swift-demangle --simplified",
    .enabled(if: oracle != nil, "swift-demangle is not in PATH"), arguments: binaries)
  func sameAsOracle(binary: String) throws {
    let names = try Self.sample(Self.mangledNames(in: binary), count: 2000)
    try #require(names.count > 500)
    let expected = try Self.ask(#require(Self.oracle), names)
    try #require(expected.count == names.count)
    // swift-demangle returns names that it can't demangle unchanged.
    let wrong = zip(names, expected).filter { name, short in (demangle(name) ?? name) != short }
    // Of 678,000 names in the toolchain all but 22 were equal; those are rejected by `SwiftNameGrowth`.
    let refused = wrong.filter { demangle($0.0) == nil }
    #expect(wrong.count == refused.count, "\(wrong.filter { demangle($0.0) != nil }.prefix(3))")
    #expect(refused.count * 2500 <= names.count, "\(refused.map(\.0))")
  }

  /// Strings that begin as Swift names do; string tables end each with a zero byte.
  ///
  /// A library's dynamic names are near its file's beginning and a program's symbols near the end.
  private static func mangledNames(in path: String) throws -> Set<String> {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let strings = (bytes.prefix(2 << 20) + [0] + bytes.suffix(1 << 20)).split(separator: 0)
    let names = strings.filter { string in
      // Reflection data has names with raw offsets in them.
      string.count > 4 && string.starts(with: Array("$s".utf8))
        && string.allSatisfy { (33...126).contains($0) }
    }
    return Set(names.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Names at equal distances in sorted order: the same ones every time.
  private static func sample(_ names: Set<String>, count: Int) -> [String] {
    let sorted = names.sorted()
    return stride(from: 0, to: sorted.count, by: max(1, sorted.count / count)).map { sorted[$0] }
  }

  /// What swift-demangle prints for the names.
  private static func ask(_ oracle: URL, _ names: [String]) throws -> [Substring] {
    let run = try CommandRun(
      program: oracle, ["--simplified", "--compact"], input: names.joined(separator: "\n") + "\n")
    return run.output.split(separator: "\n")
  }

  private static func loadedFiles() -> [String] {
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
    return String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.firstIndex(of: "/").map { String(line[$0...]) }
    }
  }
}
