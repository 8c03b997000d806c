import CrashReadDebugInfo
import CrashReadReports
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadSymbolication

@Suite("A debug file that changes between reports")
struct LostFileTests {
  @Test func isNoLongerUsed() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      Samples.bytes("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"), to: "HogeApp")
    let symbolicator = Symbolicator(store: SymbolStore(searching: [directory.path("HogeApp")]))
    let report = try CrashReport(parsing: Samples.bytes("reports/text/HogeApp.crash"))
    let before = symbolicator.symbolicate(report)
    #expect(before.threads.joined().contains { $0.resolution == .debugInfo })

    let file = try FileHandle(forWritingTo: URL(filePath: directory.path("HogeApp")))
    try file.seekToEnd()
    try file.write(contentsOf: [0])
    let after = symbolicator.symbolicate(report)
    #expect(!after.threads.joined().contains { $0.resolution == .debugInfo })
    #expect(after.threads.joined().contains { $0.reason == .damaged })
    let attempt = try #require(after.images.flatMap(\.attempts).first)
    #expect(attempt.outcome == .unusable && attempt.message?.contains("changed while it was read") == true)
  }
}
