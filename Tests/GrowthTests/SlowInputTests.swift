import CrashRead
import CrashReadReports
import TestSupport
import Testing

/// Inputs that once took quadratic time: hours at these sizes, where linear work takes seconds.
///
/// `Tests/Growth/count.py` counts instructions for every dimension; these are the ones that were found.
@Suite("Inputs that were slow")
struct SlowInputTests {
  private static let size = 200_000

  private static func lines(_ line: String) -> String {
    String(repeating: line + "\n", count: size / (line.utf8.count + 1))
  }

  private static let header = "Process: Tides [812]\nOS Version: macOS 14.2 (23C64)\n"

  /// Each has a name and a text, which is made on demand.
  private static let inputs: [String: @Sendable () -> String] = [
    "termination lines": { header + "Termination Reason: SIGNAL 11\n" + lines("x") },
    "second codes": { header + "Exception Type: EXC_BAD_ACCESS\nCodes: x\n" + lines("Code[1]: 1") },
    "brackets in a call tree": {
      let brackets = String(repeating: "[", count: size)
      return "Analysis of sampling A\nCall graph:\n    1 Thread_1\n      1 " + brackets + "]"
    },
    "runtime errors in a line": { header + String(repeating: ": runtime error: ", count: size / 17) },
    "sanitizers in a line": { header + "x " + String(repeating: "Sanitizer", count: size / 9) },
    "documents in vain": { lines(#"{"kind":"crashReport","a":["#) + "\nException Type: EXC_CRASH" },
    "arrays in vain": { lines(#"[{"a":["#) + lines(#"{"bug_type":"309"}"# + "\n" + #"[{"a":[1,"#) },
    "strings in a document": {
      let text = #""Process: A [1]\nThread 0 Crashed:\n\#(String(repeating: "0 A 0x1 f + 1\\n", count: 20))""#
      return #"{"log":[\#(repeatElement(text, count: size / text.utf8.count).joined(separator: ","))]}"#
    },
    "logs of a signature": {
      let log = #"{"diagnosticMetaData":{"event":"hang"},"callStackTree":[{"callStacks":[]}]}"#
      let logs = repeatElement(log, count: 9_000).joined(separator: ",")
      return #"{"productData":[{"diagnosticLogs":[\#(logs)]}]}"#
    },
    "a deep call tree": { deepTree },
    "sections of Crashlytics": { "Fatal Exception: NSException\n" + lines("Crashed: a\n0  A  0x1 f + 1") },
    "escaped quotes in a panic": {
      "panic(cpu 1 caller 0x1): \"" + String(repeating: "\\\"", count: size / 2) + "\"@a.c:1\n"
    },
    "failures of sleep": { "Data Source: Stackshots\n" + lines("Sleep transition timed out after 1 s") },
    "signals in a line": { String(repeating: "Application crash: SIG", count: size / 22) },
    "images and frames": { imagesAndFrames },
  ]

  @Test("reports", .mustEnd, arguments: inputs.keys.sorted())
  func reports(_ name: String) throws {
    let make = try #require(Self.inputs[name])
    let text = make()
    let reader = CrashReader()
    for report in (try? CrashReport.parse(Array(text.utf8))) ?? [] {
      _ = reader.symbolicator.symbolicate(report)
    }
  }

  /// The heaviest stack is printed without indentation, so that each line is one call deeper.
  private static let deepTree =
    "Data Source: Stackshots\nCommand: A\n\nHeaviest stack for the target process:\n"
    + lines("  1  f + 1 (A + 1) [0x1]")

  private static let imagesAndFrames: String = {
    let images = (0..<20_000).map {
      "0x\(String(0x1_0000_0000 + $0 << 16, radix: 16)) - 0x\(String(0x1_0000_ffff + $0 << 16, radix: 16)) a\($0)\n"
    }
    let frames = (0..<20_000).map { "\($0) a\($0) 0x\(String(0x1_0000_0010 + $0 << 16, radix: 16)) f + 16\n" }
    return "Process: A [1]\n\nThread 0 Crashed:\n" + frames.joined() + "\nBinary Images:\n" + images.joined()
  }()

  @Test("a long name that all frames share isn't written out for each")
  func longNameOfManyFrames() throws {
    func output(_ count: Int) throws -> Int {
      let name = String(repeating: "n", count: count * 20)
      let frames = repeatElement(#"{"imageOffset":16,"imageIndex":0}"#, count: count).joined(separator: ",")
      let report =
        #"{"bug_type":"309"}"# + "\n"
        + #"{"procName":"A","threads":[{"triggered":true,"frames":[\#(frames)]}],"usedImages":[{"base":4096,"name":"\#(name)"}]}"#
      var renderer = OutputFormat.json.renderer(style: RenderingStyle(), count: 1)
      var text = ""
      for analysis in try CrashReader().analyze(Array(report.utf8)) { renderer.render(analysis, into: &text) }
      return text.utf8.count
    }
    #expect(try output(2000) < 3 * output(1000))
  }

  @Test("tests in a log", .mustEnd)
  func testLog() {
    let starts = (0..<100_000).map { "Test Case 'A.test\($0)' started.\n" }
    let ends = (0..<100_000).reversed().map { "Test Case 'A.test\($0)' passed (0.1 seconds).\n" }
    #expect(TestLog(Array((starts + ends).joined().utf8)).unfinished == [])
  }

  @Test("a repeated test is unfinished if it began more often than it ended")
  func repeatedTest() {
    let log = ["started", "started", "passed", "passed", "passed", "started"].map {
      "Test Case 'A.a' \($0).\n"
    }
    #expect(TestLog(Array(log.joined().utf8)).unfinished == ["A.a"])
  }

  @Test("paths", .mustEnd)
  func paths() {
    let finder = SourceFinder(roots: ["/tmp"])
    let file = String(repeating: "a/", count: Self.size / 2) + "x.c"
    #expect(finder.excerpts(around: [SourceLocation(file: file, line: 1)]).isEmpty)
    var report = CrashReport(format: .appleText)
    var image = BinaryImage(start: RuntimeAddress(0x1_0000))
    image.end = RuntimeAddress(0x1_ffff)
    image.path = "/tmp" + String(repeating: "/a.app", count: Self.size / 6) + "/a"
    image.id = ImageID(bytes: [UInt8](1...16))
    report.images = [image]
    report.threads = [ThreadRecord(index: 0)]
    report.threads[0].frames = [Frame(kind: .programCounter, address: RuntimeAddress(0x1_0010))]
    #expect(CrashReader().symbolicator.symbolicate(report).images[0].status == .missing)
  }
}
