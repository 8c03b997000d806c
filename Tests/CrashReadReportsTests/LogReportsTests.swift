import CrashReadReports
import TestSupport
import Testing

private let sanitizer = """
  ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x1 bp 0x2 sp 0x3 T0)
      #0 0x104001233 in f /a.c:3:4 (Tides:arm64+0x100001233)
  SUMMARY: AddressSanitizer: SEGV a.c:3 in f
  ==7==ABORTING

  """
private let swift = """
  *** Program crashed: Bad pointer dereference at 0x0000000000000008 ***
  Thread 0 crashed:
  0 [ra] 0x0000000104001234 f(_:) + 2 in Tides at /a.swift:1:2
  Images:
  0x0000000104000000–0x0000000104004000 0123456789abcdef0123456789abcdef Tides /Tides
  Backtrace took 0.1s

  """
private let json = """
  { "timestamp": "2025-01-01T00:00:00Z", "kind": "crashReport", "description": "Aborted", "threads": [ {"frames": \
  [ {"kind": "returnAddress", "address": "0x10", "symbol": "f"} ] } ], "images": [] }
  """
private let exception = """
  *** Terminating app due to uncaught exception 'X', reason: 'Y'
  *** First throw call stack:
  (
  0   Tides   0x0000000104001234 f + 8
  )

  """

@Suite("Logs with several reports")
struct LogReportsTests {
  @Test("give them in order, with noise between")
  func order() throws {
    let noise = "some { noise }\n12 of 13\n"
    let parts = [sanitizer, swift, "info: " + json + " end\n", exception, iOSReport + "\n", sanitizer]
    let text = noise + parts.joined(separator: noise)
    let formats = try CrashReport.parse(Array(text.utf8)).map(\.format)
    #expect(formats == [.sanitizer, .swiftText, .swiftJSON, .nsException, .appleText, .sanitizer])
  }

  @Test("keep the input's line numbers after another report")
  func lineNumbers() throws {
    let reports = try CrashReport.parse(Array((swift + iOSReport).utf8))
    let alone = try CrashReport(parsing: Array(iOSReport.utf8))
    try #require(reports.count == 2)
    #expect(reports[1].images.map(\.line) == alone.images.map { $0.line.map { $0 + 6 } })
    #expect(reports[0].threads.first?.frames.first?.line == 3)
  }

  @Test("formatted over several lines give the same JSON report")
  func prettyDocument() throws {
    let pretty = json.replacing(", ", with: ",\n  ").replacing("{ \"timestamp", with: "{\n  \"timestamp")
    for text in [pretty, "noise\n" + pretty + "\nnoise"] {
      let reports = try CrashReport.parse(Array(text.utf8))
      #expect(reports.map(\.format) == [.swiftJSON])
      #expect(reports.first?.threads.first?.frames.first?.reportedSymbol == "f")
    }
  }

  @Test("truncated at any byte never trap", arguments: [sanitizer, swift, json, exception])
  func cut(_ text: String) {
    let bytes = Array(text.utf8)
    let reports = bytes.indices.map { try? CrashReport(parsing: Array(bytes[..<$0])) }
    #expect(reports.last??.threads.isEmpty != true || reports.last??.lastExceptionBacktrace.count == 1)
  }

  @Test("with changed bytes never trap", arguments: 0..<4 as Range<UInt64>)
  func mutated(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let original = Array((sanitizer + swift + json + "\n" + exception).utf8)
    let telling = Array("0x-+()<>[]{}\":,\\\n\r\t /#*.9f=".utf8) + [0, 0xff, 0x1b, 0xe2]
    var read = 0
    for _ in 0..<200 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        bytes[index] = telling[Int.random(in: telling.indices, using: &random)]
        if Bool.random(using: &random) { bytes.remove(at: Int.random(in: bytes.indices, using: &random)) }
      }
      for report in (try? CrashReport.parse(bytes)) ?? [] {
        read += 1
        for frame in report.threads.flatMap(\.frames) + report.lastExceptionBacktrace {
          #expect(frame.image.map(report.images.indices.contains) ?? true)
        }
      }
    }
    #expect(read > 400)
  }

  @Test(
    "with repeated parts are read in linear time",
    arguments: [
      "\"kind\": \"crashReport\" {", "{ \"kind\": \"crashReport\", \"threads\": [\n",
      "{\"a\": \"crashReport\"\n",
      "*** Program crashed: x\n", "*** Program crashed: ", "#0 0x1 in f (a+0x1)\n", "#0 (((((a+0x1)\n",
      "==1==ERROR: AddressSanitizer: x\n", "==1==ERROR: AddressSanitizer ", "0 A 0x1 f + 1\n",
      "*** First throw call stack:\n(\n", "*** Terminating app due to uncaught exception 'X', reason: 'Y\n",
      "a:1:2: runtime error: ", "Sanitizer", "Thread 0 crashed:\n", " at / in ", "Fatal error: ",
    ])
  func repeated(_ text: String) {
    #expect(isReadQuickly(String(repeating: text, count: 30_000 / text.utf8.count)))
  }
}
