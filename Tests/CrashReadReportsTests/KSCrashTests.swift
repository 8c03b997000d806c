import CrashReadCore
import CrashReadReports
import Testing

/// A small report in KSCrash's layout, with one part exchanged.
private func report(
  error: String = """
  {"type": "mach", "address": 16, "mach": {"exception": 1, "exception_name": "EXC_BAD_ACCESS", "code": 1,
  "code_name": "KERN_INVALID_ADDRESS", "subcode": 0}, "signal": {"signal": 11, "name": "SIGSEGV"}}
  """,
  registers: String =
    "{\"basic\": {\"pc\": 4112, \"X0\": -1}, \"exception\": {\"far\": 16, \"exception\": 0}}",
  skipped: Int = 0
) -> String {
  """
  {"report": {"id": "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", "process_name": "Tides", "timestamp": 1700000000,
  "type": "standard", "version": "3.2.0"},
  "system": {"system_name": "iOS", "system_version": "17.2", "os_version": "21C62", "machine": "iPhone14,5",
  "model": "D1", "process_id": 812, "parent_process_id": 1, "cpu_arch": "x86", "binary_cpu_type": 16777228,
  "binary_cpu_subtype": -2147483646, "CFBundleIdentifier": "org.example.tides", "CFBundleVersion": "118",
  "CFBundleShortVersionString": "2.5", "CFBundleExecutablePath": "/a/Tides"},
  "binary_images": [{"image_addr": "0x1000", "image_size": 4096, "name": "/a/Tides", "cpu_type": 16777228,
  "cpu_subtype": 0, "uuid": "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", "crash_info_message": "Fatal error: x"}],
  "crash": {"error": \(error), "threads": [{"index": 3, "crashed": true, "name": "t", "dispatch_queue": "q",
  "registers": \(registers), "backtrace": {"skipped": \(skipped), "contents": [
  {"instruction_addr": 4112, "object_addr": 4096, "object_name": "Tides", "symbol_name": "f", "symbol_addr": 4100},
  {"instruction_addr": "0x1020", "object_addr": "0x1000", "object_name": "/a/Tides", "symbol_name": "<redacted>"},
  {"instruction_addr": 4140, "object_addr": 4096, "symbol_name": "_mh_execute_header", "symbol_addr": 4096},
  {"instruction_addr": 32}]}}, {"index": 4, "backtrace": null}]}}
  """
}

@Suite("KSCrash")
struct KSCrashTests {
  @Test("header, threads, registers and images")
  func whole() throws {
    let report = try parse(report())
    #expect(report.format == .ksCrashJSON)
    #expect(report.kind == .crash)
    #expect(report.header.process == "Tides")
    #expect(report.header.pid == 812)
    #expect(report.header.path == "/a/Tides")
    #expect(report.header.osVersion == "iOS 17.2 (21C62)")
    #expect(report.header.hardwareModel == "iPhone14,5")
    #expect(report.header.parentProcess == "??? [1]")
    #expect(report.header.date == "2023-11-14T22:13:20Z")
    #expect(report.architecture == .arm64e)
    #expect(report.images.map(\.name) == ["Tides"])
    #expect(report.images.map(\.end) == [RuntimeAddress(0x1fff)])
    #expect(report.images.map(\.architecture) == [.arm64])
    #expect(report.threads.map(\.index) == [3, 4])
    #expect(report.crashedThread == 0)
    #expect(report.threads[0].name == "t")
    #expect(report.threads[0].queue == "q")
    #expect(report.crashedThreadState?.registers.map(\.name) == ["pc", "x0", "far"])
    #expect(report.crashedThreadState?["x0"] == .max)
    #expect(report.notes.isEmpty)
  }

  @Test("frames: symbols that name nothing are left out")
  func frames() throws {
    let frames = try parse(report()).threads[0].frames
    #expect(frames.map { $0.address?.rawValue } == [4112, 4128, 4140, 32])
    #expect(frames.map(\.reportedSymbol) == ["f", nil, nil, nil])
    #expect(frames.map(\.reportedSymbolOffset) == [12, nil, nil, nil])
    #expect(frames.map { $0.imageOffset?.rawValue } == [16, 32, 44, nil])
    #expect(frames.map(\.image) == [0, 0, 0, nil])
    #expect(frames.map(\.imageName) == ["Tides", "Tides", nil, nil])
    #expect(frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress, .returnAddress])
  }

  @Test("the fault address is the second code, and text of system libraries is kept")
  func badAccess() throws {
    let report = try parse(report())
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.signal == "SIGSEGV")
    #expect(report.exception?.codes == [1, 16])
    #expect(report.exception?.subtype == "KERN_INVALID_ADDRESS at 0x10")
    #expect(report.applicationSpecificInformation == ["Fatal error: x"])
  }

  @Test("a hang says how long it lasted, where it ended")
  func hang() throws {
    let error = { (end: String) in "{\"type\": \"hang\", \"hang\": {\"hang_start_nanos\": 1000000000\(end)}}"
    }
    let ended = try parse(report(error: error(", \"hang_end_nanos\": 9040000000")))
    #expect(ended.kind == .hang)
    #expect(ended.applicationSpecificInformation.contains("Hang duration: 8.0 s"))
    let open = try parse(report(error: error("")))
    #expect(!open.applicationSpecificInformation.contains { $0.hasPrefix("Hang duration") })
  }

  @Test("a truncated address isn't a code")
  func halfAddress() throws {
    let report = try parse(
      report(
        error: """
          {"address": 4333142016, "mach": {"exception": 1, "code": 38174720, "subcode": 8},
          "signal": {"signal": 10}}
          """))
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.signal == "SIGBUS")
    #expect(report.exception?.codes == [])
    #expect(report.exception?.codesText == "at 0x102468000")
  }

  @Test(
    "the error, the exception and the termination are stated",
    arguments: [
      (#"{"type": "hang", "hang": {}}"#, ReportKind.hang, nil as String?, [String]()),
      (#"{"type": "deadlock", "mach": {"exception": 0}, "signal": {"signal": 0}}"#, .hang, nil, []),
      (#"{"type": "memory_termination"}"#, .jetsam, nil, []),
      // The signal is inferred.
      (
        #"{"type": "termination", "termination_reason": "thermal", "signal": {"signal": 9, "name": "SIGKILL"}}"#,
        .other, nil, ["Concluded at the next start: thermal"]
      ),
      (#"{"type": "signal", "signal": {"signal": 15}}"#, .crash, "SIGTERM", []),
      (
        #"{"type": "cpp_exception", "cpp_exception": {"name": "E"}, "reason": "r", "mach": {"exception": 10}}"#,
        .crash, "EXC_CRASH", ["terminating due to uncaught exception of type E: r"]
      ),
      (
        #"{"type": "user", "reason": "r", "user_reported": {"name": "r"}}"#, .other, nil,
        ["Error reported by the app: r"]
      ),
      (
        #"{"type": "user", "reason": "r", "user_reported": {"name": "n"}}"#, .other, nil,
        ["Error reported by the app: n: r"]
      ),
      (#"{"reason": "r"}"#, .crash, nil, ["r"]),
    ])
  func errors(_ error: String, _ kind: ReportKind, _ type: String?, _ texts: [String]) throws {
    let report = try parse(report(error: error))
    #expect(report.kind == kind)
    #expect(report.exception?.type == type)
    #expect(report.applicationSpecificInformation == texts + ["Fatal error: x"])
  }

  @Test("an error that Bugsnag's library says was handled is no crash")
  func handledEvent() throws {
    let user =
      #""user": {"event": {"unhandled": false, "exceptions": [{"errorClass": "E", "message": "low"}]}}, "#
    let handled = try parse("{" + user + report().dropFirst())
    #expect(handled.kind == .other && handled.exception == nil)
    #expect(handled.applicationSpecificInformation.contains("Error reported by the app: E: low"))
    let crash = user.split(separator: "false").joined(separator: "true")
    #expect(try parse("{" + crash + report().dropFirst()).kind == .crash)
  }

  @Test(
    "dates in seconds, milliseconds, microseconds and in text",
    arguments: [
      ("1700000000", "2023-11-14T22:13:20Z"), ("1700000000123", "2023-11-14T22:13:20Z"),
      ("1700000000123456", "2023-11-14T22:13:20Z"), (#""2023-11-14T22:13:20.5Z""#, "2023-11-14T22:13:20.5Z"),
      ("0", "0"), ("-5", "-5"), ("18446744073709551615", "18446744073709551615"),
    ])
  func dates(_ written: String, _ date: String) throws {
    let text = report().split(separator: "1700000000").joined(separator: written)
    #expect(try parse(text).header.date == date)
  }

  @Test("an exception's backtrace holds callers only")
  func exceptionBacktrace() throws {
    let error = #"{"type": "nsexception", "reason": "r", "nsexception": {"name": "NSRangeException"}}"#
    let report = try parse(report(error: error, registers: "null"))
    #expect(report.uncaughtException == UncaughtException(name: "NSRangeException", reason: "r"))
    #expect(report.threads[0].frames.allSatisfy { $0.kind == .returnAddress })
  }

  @Test("omitted frames and the termination's code are stated")
  func skippedAndExit() throws {
    let report = try parse(report(error: #"{"exit_reason": {"code": 2343432205}}"#, skipped: 5))
    #expect(report.notes.map(\.message) == ["thread 3: the reporter left out 5 frames"])
    #expect(report.termination?.code == 0x8bad_f00d)
  }

  @Test(
    "missing parts are noted, and the rest is read",
    arguments: [
      (#"{"report": {}, "system": {}}"#, 2), (#"{"report": {}, "crash": {}}"#, 3),
      (#"{"crash": {"error": {}}, "binary_images": []}"#, 2), (#"{"crash": {"threads": [{}]}}"#, 2),
      (#"{"report": {"process_name": 7}, "crash": 1, "binary_images": {}}"#, 3),
      (#"{"crash": {"error": {}, "threads": [1, {}]}, "binary_images": [{}, "a"]}"#, 1),
    ])
  func missing(_ text: String, _ notes: Int) throws {
    let report = try parse(text)
    #expect(report.format == .ksCrashJSON)
    #expect(report.notes.count == notes)
  }

  @Test("a crash inside the reporter gives two reports of one process")
  func recrash() throws {
    let minimal = """
      {"report": {"type": "minimal"}, "crash": {"error": {"signal": {"signal": 10}},
      "crashed_thread": {"index": 7, "backtrace": {"contents": [{"instruction_addr": 4112}]}}},
      "recrash_report": \(report())}
      """
    let reports = try CrashReport.parse(Array(minimal.utf8))
    #expect(reports.map { $0.exception?.type } == ["SIGBUS", "EXC_BAD_ACCESS"])
    #expect(reports.map(\.header.process) == ["Tides", "Tides"])
    #expect(reports.map(\.images.count) == [1, 1])
    #expect(reports[0].crashedThread == 0)
    #expect(reports[0].threads[0].index == 7)
    #expect(reports[0].applicationSpecificInformation.first?.hasPrefix("The crash reporter crashed") == true)
    #expect(reports.map(\.notes.count) == [1, 0])
  }
}
