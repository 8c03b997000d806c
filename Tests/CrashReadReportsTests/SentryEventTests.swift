import CrashReadCore
import CrashReadReports
import Testing

private let images = """
  {"images": [{"type": "macho", "debug_id": "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", "image_addr": "0x1000",
  "image_size": 4096, "code_file": "/a/Tides", "arch": "arm64"},
  {"type": "elf", "code_id": "00112233445566778899aabbccddeeff00112233", "image_addr": "0x8000",
  "debug_id": "33221100-5544-7766-8899-aabbccddeeff", "name": "/b/libtide.so", "image_size": 256}]}
  """

/// An event whose exception has a mechanism and whose backtrace begins with the outermost call.
private func event(_ exception: String, threads: String = "[]") -> String {
  """
  {"event_id": "abc", "timestamp": "2024-03-01T09:15:00Z", "platform": "cocoa", "dist": "9",
  "release": "org.example.tides@2.5+118", "debug_meta": \(images),
  "contexts": {"os": {"name": "iOS", "version": "17.2", "build": "21C62"}, "device": {"model": "iPhone14,5"}},
  "exception": {"values": [{"type": "Cause"}, \(exception)]}, "threads": {"values": \(threads)}}
  """
}

private let stacktrace = """
  {"frames": [{"instruction_addr": "0x1020", "package": "/a/Tides", "function": "main", "lineno": 7,
  "filename": "main.c"}, {"instruction_addr": "0x10", "addr_mode": "rel:0", "function": "<redacted>"}],
  "registers": {"PC": "0x1010"}}
  """

@Suite("Sentry events")
struct SentryEventTests {
  private let machException = """
    {"type": "EXC_BAD_ACCESS", "value": "text", "thread_id": 5, "stacktrace": \(stacktrace),
    "mechanism": {"type": "mach", "handled": false, "data": {"relevant_address": "0x10"},
    "meta": {"mach_exception": {"exception": 1, "code": 1, "subcode": 0}, "signal": {"number": 11}}}}
    """

  @Test("give threads, images and registers of a crash")
  func crash() throws {
    let report = try parse(event(machException, threads: #"[{"id": 4, "name": "n"}, {"id": 5}]"#))
    #expect(report.format == .sentryJSON)
    #expect(report.kind == .crash)
    #expect(report.header.osVersion == "iOS 17.2 (21C62)")
    #expect(report.header.bundleID == "org.example.tides")
    #expect(report.header.version == "2.5")
    #expect(report.header.build == "118")
    #expect(report.header.incident == "abc")
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.signal == "SIGSEGV")
    #expect(report.exception?.codes == [1, 16])
    #expect(report.exception?.subtype == "KERN_INVALID_ADDRESS at 0x10")
    #expect(report.exception?.message == "text")
    #expect(report.crashedThread == 1)
    #expect(report.threads.map(\.id) == ["4", "5"])
  }

  @Test("list the outermost frame first, and addresses that count from an image")
  func frames() throws {
    let frames = try parse(event(machException)).threads[0].frames
    #expect(frames.map { $0.address?.rawValue } == [0x1010, 0x1020])
    #expect(frames.map(\.reportedSymbol) == [nil, "main"])
    #expect(frames.map(\.reportedLine) == [nil, 7])
    #expect(frames.map(\.kind) == [.programCounter, .returnAddress])
    #expect(frames.map(\.image) == [0, 0])
    #expect(frames.map(\.number) == [0, 1])
  }

  @Test("name images by the whole identity")
  func identities() throws {
    let images = try parse(event(machException)).images
    #expect(images.map(\.name) == ["Tides", "libtide.so"])
    #expect(
      images.map { $0.id?.description }
        == ["0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", "00112233445566778899aabbccddeeff00112233"])
    #expect(images.map(\.end) == [RuntimeAddress(0x1fff), RuntimeAddress(0x80ff)])
  }

  @Test(
    "state their kind",
    arguments: [
      (
        #"{"type": "E", "value": "v", "mechanism": {"type": "nsexception", "handled": false}}"#,
        ReportKind.crash
      ),
      (#"{"type": "E", "value": "v", "mechanism": {"type": "cpp_exception", "handled": false}}"#, .crash),
      (#"{"type": "App Hanging", "mechanism": {"type": "AppHang"}}"#, .hang),
      (#"{"type": "NSError", "value": "v", "mechanism": {"handled": true}}"#, .other),
      (#"{"type": "E"}"#, .other),
    ])
  func kinds(_ exception: String, _ kind: ReportKind) throws {
    #expect(try parse(event(exception)).kind == kind)
  }

  @Test("of a minidump have the code in the type")
  func minidump() throws {
    let report = try parse(
      event(
        #"{"type":"EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x10","mechanism":{"type":"minidump","handled":false}}"#
      ))
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.subtype == "KERN_INVALID_ADDRESS at 0x10")
  }

  @Test("of a thrown exception say so in the runtime's words")
  func thrown() throws {
    let mechanism = #""handled": false, "meta": {"signal": {"name": "SIGABRT"}}"#
    let objc = try parse(
      event(#"{"type": "E", "value": "v", "mechanism": {"type": "nsexception", \#(mechanism)}}"#))
    #expect(objc.uncaughtException == UncaughtException(name: "E", reason: "v"))
    #expect(objc.exception?.type == "SIGABRT")
    let cpp = try parse(
      event(
        """
        {"type": "E", "value": "v", "stacktrace": {"frames": [{"instruction_addr": "0x1010"}]},
        "mechanism": {"type": "cpp_exception", \(mechanism)}}
        """))
    #expect(cpp.applicationSpecificInformation == ["terminating due to uncaught exception of type E: v"])
    #expect(cpp.threads[0].frames.map(\.kind) == [.returnAddress])
  }

  @Test("in an envelope are found after its header lines")
  func envelope() throws {
    let line = event(machException).filter { $0 != "\n" }
    let text = "{\"event_id\":\"abc\"}\n{\"type\":\"event\",\"length\":\(line.utf8.count)}\n\(line)\n"
    #expect(try CrashReport.parse(Array(text.utf8)).map(\.format) == [.sentryJSON])
  }

  @Test(
    "without lists in an object, or with nothing but images",
    arguments: [
      #"{"platform": "cocoa", "exception": [{"type": "E"}]}"#, #"{"debug_meta": {"images": [{}]}}"#,
      #"{"threads": {"values": [{"stacktrace": {"frames": [{"addr_mode": "rel:9", "instruction_addr": "1"}]}}]}}"#,
    ])
  func bare(_ text: String) throws {
    #expect(try parse(text).format == .sentryJSON)
  }
}
