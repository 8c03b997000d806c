import CrashReadCore
import CrashReadDiagnosis
import CrashReadReports
import CrashReadSymbolication
import CrashReadVerdict
import Testing

@testable import CrashReadRendering

/// A hang of one thread, whose main function was mostly in the kernel.
private let text = """
  Data Source:      Stackshots
  Command:          Tides
  PID:              8
  Event:            hang

  Process:          Tides [8]
  Path:             /Applications/Tides.app/Contents/MacOS/Tides

    Thread 0xeac    DispatchQueue "com.apple.main-thread"(1)    100 samples (1-100)    priority 31 (base 31)
    100  main + 40 (Tides + 4136) [0x100001028]
      99  wait + 4 (kernel + 16) [0xffffff8000200010] (blocked)
      1   ??? (Tides + 8200) [0x100002008]

    Binary Images:
             0x100000000 -        0x100007fff  Tides  <00112233-4455-6677-8899-AABBCCDDEEFF>  /Applications/Tides.app/Contents/MacOS/Tides
    *0xffffff8000200000 - 0xffffff80002fffff  kernel  <0F0E0D0C-0B0A-0908-0706-050403020100>  /Library/Kernels/kernel
  """

private func analysis() throws -> ReportAnalysis {
  let report = try CrashReport(parsing: Array(text.utf8))
  let symbolicated = Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)
  return ReportAnalysis(input: "-", diagnosis: KnowledgeBase(language: .english).diagnose(symbolicated))
}

private func rendered(_ renderer: some Renderer) throws -> String {
  var renderer = renderer
  var output = ""
  renderer.render(try analysis(), into: &output)
  return output
}

@Suite("A sampled thread")
struct CallTreeRenderingTests {
  @Test("shows its heaviest path and the frame that is the app's own, not the kernel's")
  func path() throws {
    let lines = try rendered(TextRenderer()).split(separator: "\n").map(String.init)
    #expect(lines[0] == "Tides hung: The main thread did not answer")
    let title = try #require(
      lines.firstIndex(of: "Thread 0: com.apple.main-thread (100 samples, heaviest path)"))
    #expect(
      Array(lines[(title + 1)...(title + 2)]) == [
        "    0   99  kernel  wait + 4", ">   1  100  Tides   main + 40",
      ])
    #expect(!lines.contains("  Call tree"))
  }

  @Test("shows its tree with all threads, infrequent branches folded")
  func tree() throws {
    var style = RenderingStyle()
    style.showsAllThreads = true
    let lines = try rendered(TextRenderer(style: style)).split(separator: "\n").map(String.init)
    let title = try #require(lines.firstIndex(of: "  Call tree"))
    #expect(
      Array(lines[(title + 1)...(title + 3)]) == [
        "    100   main + 40  [Tides]", "      99    wait + 4  [kernel] (blocked)",
        "      … 1 branch below 2 % is folded",
      ])
  }

  @Test("has its nodes in JSON")
  func json() throws {
    let document = try #require(JSONValue(document: Array(try rendered(JSONRenderer(.single)).utf8)))
    let thread = document["threads"].elements[0]
    #expect(thread["sampleCount"].literal == 100 && thread["frames"].elements.count == 2)
    let nodes = thread["callTree"].elements
    #expect(nodes.map { $0["depth"].literal } == [0, 1, 1])
    #expect(nodes.map { $0["sampleCount"].literal } == [100, 99, 1])
    #expect(nodes.map { $0["index"].literal } == [0, 1, 2])
    #expect(nodes.map { $0["state"].string } == [nil, "blocked", nil])
    #expect(nodes.map { $0["address"].string } == ["0x100001028", "0xffffff8000200010", "0x100002008"])
  }
}

extension JSONValue {
  fileprivate var literal: UInt64? { isString ? nil : bits }
}
