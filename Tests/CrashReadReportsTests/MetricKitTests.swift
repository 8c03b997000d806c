import CrashReadCore
import CrashReadReports
import Testing

/// A frame of MetricKit with what it holds inside.
private func frame(
  _ name: String, _ address: UInt64, offset: UInt64, samples: Int = 1, _ inner: String = ""
)
  -> String
{
  let sub = inner.isEmpty ? "" : ", \"subFrames\": [\(inner)]"
  return """
    {"binaryUUID": "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0", "binaryName": "\(name)", "sampleCount": \(samples),
    "address": \(address), "offsetIntoBinaryTextSegment": \(offset)\(sub)}
    """
}

private func stack(_ root: String, attributed: Bool = true) -> String {
  "{\"threadAttributed\": \(attributed), \"callStackRootFrames\": [\(root)]}"
}

private func diagnostic(_ stacks: String, _ facts: String = "") -> String {
  """
  {"version": "1.0.0", "callStackTree": {"callStacks": [\(stacks)], "callStackPerThread": true},
  "diagnosticMetaData": {\(facts)}}
  """
}

/// A crash's stack, from the call that crashed to the thread's start.
private let crashStack = frame(
  "libsystem_kernel.dylib", 0x1_8000_0040, offset: 0x40,
  frame("Tides", 0x1_0000_2000, offset: 0x2000, frame("dyld", 0x1_7000_0100, offset: 0x100)))

@Suite("MetricKit")
struct MetricKitTests {
  @Test("a crash keeps the order of its stacks, which begin with the innermost call")
  func crash() throws {
    let other = stack(frame("Tides", 0x1_0000_3000, offset: 0x3000), attributed: false)
    let report = try parse(
      diagnostic(
        stack(crashStack) + "," + other,
        """
        "exceptionType": 1, "exceptionCode": 1, "signal": 11, "osVersion": "iPhone OS 17.2 (21C62)",
        "bundleIdentifier": "org.example.tides", "appVersion": "2.5", "appBuildVersion": "118", "pid": 812,
        "deviceType": "iPhone14,5", "platformArchitecture": "arm64e", "virtualMemoryRegionInfo": "0 is not in any",
        "terminationReason": "Namespace SIGNAL, Code 0xb", "exceptionReason": {"exceptionName": "NSRangeException",
        "composedMessage": "index 3"}
        """))
    #expect(report.format == .metricKit)
    #expect(report.kind == .crash)
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.signal == "SIGSEGV")
    #expect(report.exception?.codes == [1, 0])
    #expect(report.exception?.subtype == "KERN_INVALID_ADDRESS at 0x0")
    #expect(report.header.process == nil)
    #expect(report.termination?.namespace == "SIGNAL")
    #expect(report.termination?.code == 11)
    #expect(report.uncaughtException == UncaughtException(name: "NSRangeException", reason: "index 3"))
    #expect(report.vmRegionInfo == "0 is not in any")
    #expect(report.header.bundleID == "org.example.tides")
    #expect(report.header.version == "2.5")
    #expect(report.header.build == "118")
    #expect(report.header.pid == 812)
    #expect(report.header.hardwareModel == "iPhone14,5")
    #expect(report.architecture == .arm64e)
    #expect(report.crashedThread == 0)
    #expect(report.threads.map(\.frames.count) == [3, 1])
    #expect(report.threads[0].frames.map(\.imageName) == ["libsystem_kernel.dylib", "Tides", "dyld"])
    #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
    #expect(report.threads[0].callTree.isEmpty)
    #expect(report.images.map(\.start.rawValue) == [0x1_8000_0000, 0x1_0000_0000, 0x1_7000_0000])
    #expect(report.threads[1].frames[0].image == 1)
  }

  @Test(
    "signals, types and codes are named, or kept as they are",
    arguments: [
      ("1", "10", "EXC_BAD_ACCESS", "SIGBUS"), ("10", "6", "EXC_CRASH", "SIGABRT"),
      ("6", "5", "EXC_BREAKPOINT", "SIGTRAP"), ("\"12\"", "\"9\"", "EXC_GUARD", "SIGKILL"),
      ("99", "0", "99", "0"),
    ])
  func names(_ type: String, _ signal: String, _ typeName: String, _ signalName: String) throws {
    let facts = "\"exceptionType\": \(type), \"signal\": \(signal), \"exceptionCode\": \"0\""
    let report = try parse(diagnostic(stack(crashStack), facts))
    #expect(report.exception?.type == typeName)
    #expect(report.exception?.signal == signalName)
    #expect(report.exception?.codes == [0])
  }

  @Test(
    "reasons of termination",
    arguments: [
      ("Namespace SPRINGBOARD, Code 0x8badf00d", "SPRINGBOARD", UInt64(0x8bad_f00d), nil as String?),
      ("Namespace SIGNAL, Code 11 Segmentation fault: 11", "SIGNAL", 11, "Segmentation fault: 11"),
      ("RUNNINGBOARD 3735883980", "RUNNINGBOARD", 0xdead_10cc, nil),
      (
        "<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog\\nVisible: Yes>",
        "10", 0x8bad_f00d, "scene-update watchdog"
      ),
    ])
  func termination(_ text: String, _ namespace: String, _ code: UInt64, _ indicator: String?) throws {
    let report = try parse(diagnostic(stack(crashStack), "\"terminationReason\": \"\(text)\""))
    #expect(report.kind == .crash)
    #expect(report.termination?.namespace == namespace)
    #expect(report.termination?.code == code)
    #expect(report.termination?.indicator == indicator)
    #expect(report.termination?.details == (text.contains("Visible") ? ["Visible: Yes>"] : []))
  }

  @Test("sampled stacks with branches become a tree, and its heaviest path the frames")
  func tree() throws {
    let light = frame("Tides", 0x1_0000_2100, offset: 0x2100, samples: 2)
    let heavy = frame(
      "Tides", 0x1_0000_2200, offset: 0x2200, samples: 7,
      frame("Kit", 0x1_9000_0010, offset: 0x10, samples: 7))
    let root = frame("dyld", 0x1_7000_0100, offset: 0x100, samples: 9, light + "," + heavy)
    let report = try parse(diagnostic(stack(root), "\"hangDuration\": \"9 sec\""))
    let thread = try #require(report.threads.first)
    #expect(report.kind == .hang)
    #expect(report.applicationSpecificInformation == ["Hang duration: 9 sec"])
    #expect(thread.sampleCount == 9)
    #expect(thread.callTree.map(\.depth) == [0, 1, 1, 2])
    #expect(thread.callTree.map(\.sampleCount) == [9, 2, 7, 7])
    #expect(
      thread.callTree.map(\.frame.kind) == [.returnAddress, .programCounter, .returnAddress, .programCounter])
    #expect(thread.frames.map { $0.address?.rawValue } == [0x1_9000_0010, 0x1_0000_2200, 0x1_7000_0100])
    #expect(thread.frames.map(\.kind) == [.programCounter, .returnAddress, .returnAddress])
    #expect(thread.callTree.allSatisfy { $0.frame.image.map(report.images.indices.contains) ?? false })
  }

  @Test(
    "a sampled stack that begins with the thread's start is reversed",
    arguments: [
      (["dyld", "Tides", "Kit"], true), (["Kit", "Tides", "dyld"], false), (["Tides", "Kit"], true),
    ])
  func linearHang(_ names: [String], _ isTurned: Bool) throws {
    let root = names.enumerated().reversed().reduce("") { inner, item in
      frame(item.element, 0x1_0000_0000 + UInt64(item.offset) * 0x1000, offset: 8, samples: 3, inner)
    }
    let report = try parse(diagnostic(stack(root), "\"hangDuration\": \"2.5 sec\""))
    #expect(report.threads[0].frames.map(\.imageName) == (isTurned ? names.reversed() : names))
    #expect(report.threads[0].callTree.isEmpty)
    #expect(report.threads[0].sampleCount == 3)
  }

  @Test("iOS 14.0 writes the load address where the offset belongs")
  func loadAddressAsOffset() throws {
    let report = try parse(diagnostic(stack(frame("Tides", 0x1_0232_5010, offset: 0x1_0232_0000))))
    #expect(report.images.map(\.start) == [RuntimeAddress(0x1_0232_0000)])
    #expect(report.threads[0].frames[0].imageOffset == ImageOffset(0x5010))
  }

  @Test("a payload gives a report for each diagnostic, in its order")
  func payload() throws {
    let one = diagnostic(stack(crashStack))
    let text = """
      {"timeStampBegin": "2024-03-01 00:00:00", "hangDiagnostics": [\(one)], "crashDiagnostics": [\(one), \(one)],
      "cpuExceptionDiagnostics": [\(one)], "diskWriteExceptionDiagnostics": [\(one)],
      "appLaunchDiagnostics": [\(one)], "timeStampEnd": "2024-03-02 00:00:00"}
      """
    for layout in [text, text.filter { $0 != "\n" }, "\u{feff}" + text.replacing("\n", with: "\r\n")] {
      let reports = try CrashReport.parse(Array(layout.utf8))
      #expect(reports.map(\.kind) == [.hang, .crash, .crash, .resource, .resource, .other])
      #expect(reports.allSatisfy { $0.header.date == "2024-03-01 00:00:00 to 2024-03-02 00:00:00" })
      #expect(reports.allSatisfy { $0.notes.isEmpty && $0.threads.count == 1 })
    }
  }

  @Test("call stacks alone are read, nested or in a row")
  func bareStacks() throws {
    let nested = try parse("{\"callStacks\": [\(stack(crashStack))], \"callStackPerThread\": true}")
    let flat = try parse(
      """
      {"callStacks": [{"threadAttributed": true, "callStackFrames": [
      {"binaryName": "A", "offsetAddress": 64, "address": 4294971456},
      {"binaryUUID": "70B89F27", "offsetAddress": 6948}, {"address": 0}]}]}
      """)
    #expect(nested.threads.map(\.frames.count) == [3])
    #expect(flat.threads[0].frames.map { $0.imageOffset?.rawValue } == [64, 6948, nil])
    #expect(flat.threads[0].frames.map { $0.address?.rawValue } == [4_294_971_456, nil, nil])
    #expect(flat.threads[0].frames.map(\.image) == [0, 1, nil])
    #expect(flat.images.map(\.id) == [nil, nil])
    #expect(flat.kind == .other)
  }

  @Test("a stack of the maximum depth is read completely")
  func deep() throws {
    let root = (0..<512).reduce("") { inner, _ in frame("A", 0x1_0000_0010, offset: 16, inner) }
    let report = try parse(diagnostic(stack(root)))
    #expect(report.threads[0].frames.count == 512)
    #expect(report.notes.isEmpty)
  }
}
