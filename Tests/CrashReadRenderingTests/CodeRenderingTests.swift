import CrashRead
import CrashReadDiagnosis
import CrashReadVerdict
import Testing

@testable import CrashReadRendering

/// A tagged pointer into freed memory, read by the second of three quoted instructions.
@Suite("Code and blamed memory")
struct CodeRenderingTests {
  private static let report = """
    {"bug_type":"309","os_version":"iPhone OS 26.5 (23F77)","app_name":"Tides"}
    {"procName":"Tides","cpuType":"ARM-64","faultingThread":0,
    "exception":{"type":"EXC_BAD_ACCESS","signal":"SIGKILL","codes":"0x106, 0x0700000100004010","rawCodes":[262,504403162560479248],
    "subtype":"EXC_ARM_MTE_TAGCHECK_FAIL at 0x0700000100004010"},
    "termination":{"namespace":"MTE_FAIL","code":262},
    "threads":[{"id":1,"triggered":true,"frames":[{"imageIndex":0,"imageOffset":256,"symbol":"use","symbolLocation":4}],
    "threadState":{"flavor":"ARM_THREAD_STATE64","x":[{"value":504403162560479232}],"pc":{"value":4294967552}}}],
    "instructionByteStream":{"beforePC":"/QMAkQ==","atPC":"CAhA+R8gA9U="},
    "memoryError":{"errorType":"use-after-free","blamedAllocation":{"address":4294983680,"size":32,"isFreed":true,
    "allocationTrace":[{"imageIndex":0,"imageOffset":512,"symbol":"make","symbolLocation":16}],
    "deallocationTrace":[{"imageIndex":0,"imageOffset":768,"symbol":"drop","symbolLocation":8}]}},
    "usedImages":[{"base":4294967296,"size":65536,"name":"Tides","arch":"arm64e","uuid":"11CE3F57-6264-3E8D-8A89-86894D83B974"}]}

    """

  private func rendered(
    _ format: OutputFormat, _ language: Language = .english, showsCode: Bool = false
  ) throws -> String {
    let analyses = try CrashReader(language: language).analyze(Array(Self.report.utf8))
    return CrashReadRenderingTests.rendered(analyses, as: format) {
      $0.language = language
      $0.showsCode = showsCode
    }
  }

  @Test("are in text: the cause, the operand, both backtraces, and the code when asked for")
  func text() throws {
    let text = try rendered(.text, showsCode: true)
    #expect(text.contains("Use of memory that was freed, at 0x700000100004010"))
    #expect(text.contains("The instruction was reading 8 bytes at x0 + 0x10: x0 is 0x700000100004000."))
    #expect(text.contains("Backtrace of the allocation\n"))
    #expect(text.contains("make + 16") && text.contains("drop + 8"))
    #expect(text.contains("Backtrace of the deallocation\n"))
    #expect(
      text.contains(
        "    0x1000000fc: mov x29, sp\n  > 0x100000100: ldr x8, [x0, #0x10]\n    0x100000104: nop\n"))
    #expect(try !rendered(.text).contains("mov x29, sp"))
    #expect(try rendered(.text, .japanese).contains("解放済みのメモリの使用"))
  }

  @Test("are in HTML, the code folded, and in Markdown")
  func pages() throws {
    let html = try rendered(.html)
    #expect(html.contains("<mark class=\"line\">0x100000100: ldr x8, [x0, #0x10]</mark>"))
    #expect(html.contains("Backtrace of the deallocation") && html.contains("drop"))
    let markdown = try rendered(.markdown)
    #expect(markdown.contains("Backtrace of the allocation") && markdown.contains("make"))
  }

  @Test("are in JSON")
  func json() throws {
    let json = try rendered(.json)
    #expect(json.contains("\"text\": \"ldr x8, [x0, #0x10]\""))
    #expect(json.contains("\"matchesFault\": true"))
    #expect(json.contains("\"source\": \"/threads/0/instruction\""))
    #expect(json.contains("\"source\": \"/diagnosis/allocation\""))
    #expect(json.contains("\"errorType\": \"use-after-free\""))
    #expect(json.contains("\"isFreed\": true"))
    // Both backtraces are those of callers.
    #expect(json.split(separator: "\"deallocated\"").count == 2)
  }
}
