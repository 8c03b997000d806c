import CrashReadReports
import Foundation
import TestSupport
import Testing

/// A trap ends the whole test run, so most inputs need no explicit expectation.
@Suite("Damaged reports")
struct DamageTests {
  private static let small = [
    """
    Process: Tides [8]
    Exception Type: EXC_CRASH (SIGABRT)
    Exception Codes: 0x1, 0x2
    Termination Reason: SIGNAL 6 Abort trap: 6

    Thread 0 Crashed:: a Dispatch queue: b
    0 Tides \t0x1004 f(x:) + 4 (f.c:3) [inlined]

    Thread 0 crashed with ARM Thread State (64-bit):
     pc: 0x1004 esr: 0x1 (a) b

    Binary Images:
    0x1000 - 0x1fff +Tides arm64 <0123456789abcdef0123456789abcdef> /Tides
    """,
    """
    {"bug_type":"309","os_version":"o"}
    {"exception": {"type": "EXC\\u00e9", "rawCodes": [1, -2]}, "threads": [{"triggered": true,
    "frames": [{"imageIndex": 0, "imageOffset": 4, "symbol": "f"}], "threadState": {"x": [{"value": 1}]}}],
    "usedImages": [{"base": 4096, "size": 4096, "uuid": "01234567-89ab-cdef-0123-456789abcdef"}]}
    """,
  ]

  @Test(
    "without their line breaks are read the same",
    arguments: [
      "HogeApp", "JumpNull", "NullNode-x86_64", "ObjCThrow", "VarsC-x86_64", "c-abort", "cpp-inline",
      "swift-trap",
    ])
  func joined(_ name: String) throws {
    let bytes = try Array(Data(contentsOf: URL(filePath: Samples.path("reports/text/\(name).crash"))))
    let whole = try CrashReport(parsing: bytes)
    let joined = try CrashReport(parsing: bytes.map { $0 == 0x0a ? 0x20 : $0 })
    #expect(joined.notes.contains { $0.message == "missing line breaks were restored" })
    #expect(
      joined.exception?.type == whole.exception?.type && joined.exception?.codes == whole.exception?.codes)
    #expect(joined.threads.map(\.isCrashed) == whole.threads.map(\.isCrashed))
    #expect(
      joined.threads.map { $0.frames.map(\.address) } == whole.threads.map { $0.frames.map(\.address) })
    #expect(joined.images.map(\.id) == whole.images.map(\.id))
    #expect(joined.crashedThreadState == whole.crashedThreadState)
  }

  @Test(
    "written as one string say the same",
    arguments: [
      ("", ""), ("\"", "\""), ("  \"report\": \"", "\","), ("2026-10-02 10:00:00 ERROR crash=\"", "\""),
    ])
  func escaped(_ start: String, _ end: String) throws {
    let text = try String(
      contentsOf: URL(filePath: Samples.path("reports/text/HogeApp.crash")), encoding: .utf8)
    let whole = try CrashReport(parsing: Array(text.utf8))
    let escapes = [("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\t", "\\t")]
    let string = escapes.reduce(text) { $0.replacing($1.0, with: $1.1) }
    let read = try CrashReport(parsing: Array((start + string + end).utf8))
    #expect(read.header == whole.header && read.exception == whole.exception)
    #expect(read.threads.map { $0.frames.map(\.address) } == whole.threads.map { $0.frames.map(\.address) })
    #expect(read.images.map(\.id) == whole.images.map(\.id))
  }

  @Test("truncated at any byte still give a report, once one is recognised", arguments: small)
  func cut(_ text: String) {
    let bytes = Array(text.utf8)
    let reports = bytes.indices.map { try? CrashReport(parsing: Array(bytes[..<$0])) }
    let first = reports.firstIndex { $0 != nil } ?? bytes.count
    #expect(first < 60)
    #expect(reports[first...].allSatisfy { $0 != nil })
    #expect(reports.last??.threads.first?.frames.count == 1)
  }

  @Test("with changed bytes still give a report or an error", arguments: 0..<8 as Range<UInt64>)
  func mutated(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let original = Array((seed.isMultiple(of: 2) ? iOSReport : ipsReport).utf8)
    let telling = Array("0x-+()<>[]{}\":,\\\n\r\t /#*.9f".utf8) + [0, 0xff, 0xe3]
    var read = 0
    for _ in 0..<60 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        let byte = telling[Int.random(in: telling.indices, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = byte
        case 1: bytes.insert(byte, at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + 7))
        }
      }
      if let report = try? CrashReport(parsing: bytes) {
        read += 1
        for thread in report.threads {
          #expect(thread.frames.allSatisfy { $0.image.map(report.images.indices.contains) ?? true })
        }
      }
    }
    #expect(read > 50)
  }

  @Test(
    "of other kinds may be truncated or changed at any byte",
    arguments: [sampleText, hangText, leaksText, panicText])
  func otherKinds(_ text: String) {
    let bytes = Array(text.utf8)
    for end in stride(from: 0, to: bytes.count, by: 3) { _ = try? CrashReport.parse(Array(bytes[..<end])) }
    var random = SeededRandom(seed: UInt64(bytes.count))
    let telling = Array("0x-+()<>[]{}\":,\\\n\r\t /#*.9f!|".utf8) + [0, 0xff]
    var read = 0
    for _ in 0..<200 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let index = Int.random(in: changed.indices, using: &random)
        changed[index] = telling[Int.random(in: telling.indices, using: &random)]
      }
      read += (try? CrashReport.parse(changed)) == nil ? 0 : 1
    }
    #expect(read > 150)
  }

  @Test(
    "with repeated parts are read in linear time",
    arguments: [
      "{\"bug_type\":\"309\",\"os_version\":\"o\"}\n", "{\"bug_type\":\"1\n", "{\n",
      "Thread 0:\n0 A 0x1 f(\n",
      "Process: A [1]\nCode Type: X86\nThread 0:\n0 A 0x1\n", "Full Report\n{\"a\":1}\n", "<?xml ",
      "0x1 - 0x2 A\n",
      "Data Source:\nProcess: A [1]\n  1 a\n", "Powerstats for:\n1 a (b\n",
      "Call graph:\n1 Thread_1\n+ 1 a  (in b\n",
      "panic(cpu \nBacktrace (CPU \n0x1 : 0x2\n", "leaks Report Version:\nSTACK OF 'a'\n1 A 0x1  \n",
      "Data Source:\nProcess: a\n1 [[[[\n",
      "Binary Images:\n0x0 - 0xffff A <1> /\n", "Binary Images:\n0x0 - 0xffff A /\n/b\n/c\n/d\n/e\n",
      "Thread 0:\n0 A 0x1 f(\ng(\nh(\ni(\n", "> ", "[", "{\"a\":", "Exception Type: x (\n",
      "Thread 1 crashed with X Thread State:\n pc: 0x1\nThread 2:\n",
      "0x1 - ??? A\nThread 0:\n0 A 0x1\nBinary Images:\n",
    ])
  func repeated(_ text: String) {
    #expect(isReadQuickly(String(repeating: text, count: 30_000 / text.utf8.count)))
  }
}
