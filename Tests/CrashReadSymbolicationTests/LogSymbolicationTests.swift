import CrashReadDebugInfo
import CrashReadReports
import CrashReadSymbolication
import Foundation
import TestSupport
import Testing

@Suite("Logs with debug files")
struct LogSymbolicationTests {
  private let samples = Repository.root.appending(path: "Samples")

  private func symbolicate(_ report: CrashReport, with file: String) -> SymbolicatedReport {
    let store = SymbolStore(searching: [samples.appending(path: "symbols/" + file).path])
    return Symbolicator(store: store).symbolicate(report)
  }

  /// `file:line` of each location of each frame.
  private func places(_ frames: [ResolvedFrame]) -> [[String]] {
    frames.map { frame in
      frame.locations.map { source in
        let file = source.location?.file.split(separator: "/").last ?? "?"
        return source.location?.line.map { "\(file):\($0)" } ?? "-"
      }
    }
  }

  @Test("a Swift backtrace's inlined frames share the chain of the debug file", arguments: ["txt", "json"])
  func swiftBacktrace(_ suffix: String) throws {
    let file = samples.appending(path: "reports/other/swift-trap-backtrace." + suffix)
    let report = try CrashReport(parsing: Array(try Data(contentsOf: file)))
    let resolved = symbolicate(report, with: "swift-trap.debug").threads[0]
    #expect(
      places(resolved) == [
        ["-", "-", "-"], ["Shop.swift:37"], ["Shop.swift:31"], ["Shop.swift:18", "Shop.swift:8"],
        ["main.swift:6"], [],
      ])
    #expect(!resolved.contains { $0.reason == .superseded })
  }

  @Test("inlined frames that the debug file doesn't know are superseded by its chain")
  func superseded() throws {
    let file = samples.appending(path: "reports/other/swift-trap-backtrace.txt")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let wrong = text.replacing("Shop.discounted(_:) in", with: "Shop.other(_:) in")
    let report = try CrashReport(parsing: Array(wrong.utf8))
    let resolved = symbolicate(report, with: "swift-trap.debug").threads[0]
    try #require(resolved.count == 6)
    #expect(resolved[2].reason == .superseded)
    #expect(resolved[2].resolution == .asReported)
    #expect(resolved[2].captured.reportedSymbol == "Shop.other(_:)")
    #expect(places([resolved[2], resolved[3]]) == [[], ["Shop.swift:31", "Shop.swift:18", "Shop.swift:8"]])
  }

  @Test("a sanitizer's frame is looked up as printed, with and without an address")
  func sanitizer() throws {
    let chain = ["list.h:11", "list.h:20", "null_node.c:10"]
    let texts = [
      "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x18\n#0 0x104000404 in f (NullNode:arm64+0x100000404)\n",
      "WARNING: ThreadSanitizer: data race (pid=1)\n  #0 f <null> (NullNode:arm64+0x100000404)\n",
    ]
    for text in texts {
      let resolved = symbolicate(try CrashReport(parsing: Array(text.utf8)), with: "NullNode.dSYM").threads[0]
      #expect(places(resolved) == [chain])
      #expect(resolved.map(\.isGuess) == [true])
    }
  }
}
