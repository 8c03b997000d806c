import CrashReadReports
import TestSupport
import Testing

/// Small reports of each reporter, as bytes.
private let samples: [(name: String, bytes: [UInt8])] = [
  (
    "MetricKit",
    Array(
      """
      {"timeStampBegin": "b", "crashDiagnostics": [{"callStackTree": {"callStacks": [{"threadAttributed": true,
      "callStackRootFrames": [{"binaryName": "A", "address": 4294967312, "offsetIntoBinaryTextSegment": 16,
      "sampleCount": 1, "subFrames": [{"address": 18446744073709551615, "offsetIntoBinaryTextSegment": 1},
      {"address": -1, "sampleCount": 9223372036854775807}]}]}]}, "diagnosticMetaData": {"exceptionType": 1,
      "exceptionCode": -1, "signal": "11", "terminationReason": "Namespace SIGNAL, Code 0xb"}}]}
      """.utf8)
  ),
  (
    "KSCrash",
    Array(
      """
      {"report": {"id": "a"}, "binary_images": [{"image_addr": 18446744073709551615, "image_size": -1,
      "cpu_type": 16777228, "cpu_subtype": -2147483646, "name": "/a/"}], "crash": {"error": {"address": -1,
      "mach": {"exception": 1, "code": 1}, "signal": {"signal": 11}}, "threads": [{"crashed": true, "index": -1,
      "registers": {"basic": {"pc": 1}}, "backtrace": {"skipped": 9, "contents": [{"instruction_addr": 1,
      "object_addr": "0x1", "symbol_name": "f", "symbol_addr": 7}]}}]}}
      """.utf8)
  ),
  (
    "Sentry",
    Array(
      """
      {"event_id": "e", "release": "a@1+2", "exception": {"values": [{"type": "T", "mechanism": {"meta":
      {"signal": {"number": 6}}}, "stacktrace": {"frames": [{"instruction_addr": "0xffffffffffffffff",
      "addr_mode": "rel:0"}], "registers": {"pc": "0x1"}}}]}, "debug_meta": {"images": [{"image_addr": "0x1",
      "image_size": 18446744073709551615, "debug_id": "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"}]}}
      """.utf8)
  ),
  ("PLCrashReporter", plCrashReport),
]

@Suite("Damaged reports of other reporters")
struct ReporterDamageTests {
  @Test("truncated anywhere still give a report, once one is recognised", arguments: samples.indices)
  func cut(_ index: Int) throws {
    let bytes = samples[index].bytes
    let whole = try CrashReport(parsing: bytes)
    let reports = bytes.indices.map { try? CrashReport(parsing: Array(bytes[..<$0])) }
    let first = try #require(reports.firstIndex { $0 != nil })
    #expect(first < 220)
    #expect(reports[first...].allSatisfy { $0?.format == whole.format })
    #expect(reports.last??.threads.count == whole.threads.count)
  }

  @Test("with changed bytes still give a report or an error", arguments: samples.indices)
  func mutated(_ index: Int) {
    var random = SeededRandom(seed: UInt64(index))
    var read = 0
    for _ in 0..<400 {
      var bytes = samples[index].bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
        if Bool.random(using: &random) { bytes.remove(at: Int.random(in: bytes.indices, using: &random)) }
      }
      guard let reports = try? CrashReport.parse(bytes) else { continue }
      read += 1
      for report in reports {
        let frames = report.threads.flatMap { $0.frames + $0.callTree.map(\.frame) }
        #expect(frames.allSatisfy { $0.image.map(report.images.indices.contains) ?? true })
      }
    }
    #expect(read > 100)
  }

  @Test(
    "with repeated or nested parts are read in linear time",
    arguments: [
      (#"{"callStacks":[{"callStackRootFrames":["#, #"{"subFrames":["#),
      (#"{"callStacks":[{"callStackRootFrames":["#, #"{"address":1,"subFrames":[{}]},"#),
      (#"{"crash":{"threads":["#, #"{"backtrace":{"contents":[{"instruction_addr":1}]}},"#),
      ("", #"{"recrash_report":{"crash":{"error":{}}},"report":{}}"#), ("", #"{"recrash_report":"#),
      (#"{"debug_meta":{"images":["#, #"{"image_addr":"0x1"},"#), ("plcrash\u{1}", "\u{1a}\u{2}\u{1a}\u{0}"),
      ("plcrash\u{1}", "\u{8}"), ("", "{\"a\":\n"),
    ])
  func repeated(_ beginning: String, _ text: String) {
    #expect(isReadQuickly(beginning + String(repeating: text, count: 60_000 / text.utf8.count)))
  }
}
