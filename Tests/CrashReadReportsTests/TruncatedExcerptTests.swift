import CrashReadCore
import Testing

@testable import CrashReadReports

/// Reports that were copied in part: a row, a text or a document is truncated, or its beginning is missing.
@Suite("Truncated excerpts")
struct TruncatedExcerptTests {
  @Test func panicStringKeepsCompleteLines() throws {
    let text = #"""
      {"bug_type":"210","timestamp":"2026-01-01 09:34:29.00 +0800","os_version":"macOS 15.0 (24A1)","incident_id":"1"}
      {"macOSPanicString":"panic(cpu 0 caller 0xffffff800d82681e): nvme: \"Loss of MMIO space.\" @IONVMeController.cpp:6147\nPanicked task 0xffffff94f56f2698: 182 threads: pid 0: kernel_task\nBacktrace (CPU 0), panicked thread: 0xffffff94f3effb30, Frame : Return Address\n0xffffffedfdcb3ab0 : 0xffffff800b06cc7d \n0xffffffedfdcb3b00 : 0xffff
      """#
    let report = try parse(text)
    #expect(report.kind == .panic)
    #expect(report.exception?.message?.contains("Loss of MMIO space.") == true)
    #expect(report.threads.first?.frames.map(\.address?.rawValue) == [0xffff_ff80_0b06_cc7d])
  }

  /// Half a name would be another name.
  @Test func truncatedNameIsOmitted() throws {
    let text = #"""
      {"bug_type":"309","timestamp":"2026-01-01 09:34:29.00 +0800","os_version":"macOS 15.0 (24A1)"}
      {"exception":{"type":"EXC_CRASH","signal":"SIGABRT"},"faultingThread":0,"threads":[],"procName":"Shopp
      """#
    #expect(try parse(text).header.process == nil)
  }

  @Test func wrappedPanicMessage() throws {
    let text = """
      panic(cpu 10 caller 0xfffffe005361d9d0): zalloc[3]: zone map exhausted while
      allocating from zone [data.kalloc.1024], likely due to memory leak in zone
      [data.kalloc.1024] (19G, 20787632 elements allocated) @zalloc.c:4534
      """
    let message = try parse(text).exception?.message
    #expect(message?.hasSuffix("zone [data.kalloc.1024] (19G, 20787632 elements allocated)") == true)
    // Without its end it is unknown which of the lines belong to it.
    let cut = text.replacing(" @zalloc.c:4534", with: "")
    #expect(try parse(cut).exception?.message == "zalloc[3]: zone map exhausted while")
  }

  @Test func sanitizerSummaryNamesTheMissingFrame() throws {
    let report = try parse(
      """
          #4 0x000181b2c4e0 in start+0x1b4c (dyld:arm64e+0x204e0)

      SUMMARY: AddressSanitizer: heap-use-after-free core.c:2954 in log_v
      """)
    let frames = try #require(report.threads.first?.frames)
    #expect(frames.map(\.reportedSymbol) == ["log_v", "start"])
    #expect((frames[0].reportedFile, frames[0].reportedLine) == ("core.c", 2954))
  }

  /// The program continues after it.
  @Test func undefinedBehaviourIsNoCrash() throws {
    #expect(try parse("vm.c:166:7: runtime error: load of misaligned address 0x10\n").kind == .other)
  }

  @Test func partialSpindumpTree() throws {
    let report = try parse(
      """
      15  Surface.process(_:) + 528 (Shop + 56991372) [0x104101e8c]
        15  ??? (Shop + 76211180) [0x1053563ec]
          15  ??? (Shop + 76218912) [0x105358220]
            15  __ulock_wait2 + 8 (libsystem_
      """)
    #expect(report.format == .sample)
    #expect(
      report.threads[0].frames.map(\.reportedSymbol) == ["__ulock_wait2", nil, nil, "Surface.process(_:)"])
  }

  @Test func partialKSCrashDocument() throws {
    let report = try parse(
      #"""
      "crash": {
          "error": {
              "mach": {"exception": 1, "exception_name": "EXC_BAD_ACCESS", "code": 0, "subcode": 0},
              "signal": {"signal": 11, "name": "SIGSEGV", "code": 2, "code_name": "SEGV_ACCERR"},
              "address": 0, "type": "signal"
          },
          "threads": [{"backtrace": {"contents": [{"instruction_addr": 6787189812},
      """#)
    #expect(report.format == .ksCrashJSON)
    #expect((report.exception?.type, report.exception?.signal) == ("EXC_BAD_ACCESS", "SIGSEGV"))
  }

  @Test func messageWithLocationIsNotAFrame() throws {
    let report = try parse(
      """
      Exception type:  EXC_CRASH (SIGABRT)
        assert_hvf_ok_impl
        hvf_arch_put_registers
        hvf_cpu_thread_fn
      Shop: Error: ret = HV_BAD_ARGUMENT (0xfae94003, at ../target/arm/hvf/hvf.c:1075)
      """)
    #expect(!report.allFrames.contains { $0.reportedSymbol?.contains("Error") == true })
  }
}
