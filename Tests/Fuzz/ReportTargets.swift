import CrashRead
import Foundation
import TestSupport

@testable import CrashReadReports

/// The parsers, each kept busy with its own format by the bytes put in front.
let reportTargets = [
  parserTarget("text", seeds: reports { $0.hasSuffix(".crash") || $0.hasSuffix(".txt") }),
  parserTarget("json", prefix: "{", seeds: reports { $0.hasSuffix(".ips") || $0.hasSuffix(".json") }),
  parserTarget("reporters", prefix: "{") {
    try Samples.files(below: Repository.root.appending(path: "Samples"), "reporters").map(Samples.bytes)
  },
  parserTarget("plist", prefix: "<?xml version=\"1.0\"?><key>description</key><string>") {
    [Array("Process: App [1]\nThread 0 Crashed:\n0 App 0x1 0x0 + 1 &#38;&lt;&amp;amp;</string>".utf8)]
  },
  parserTarget("plcrash", prefix: "plcrash\u{1}") { [plCrashSeed] },
]

/// What other tools wrote: every renderer must escape it.
let renderTarget = FuzzTarget(
  name: "render", seeds: reports { _ in true },
  reader: {
    let readers = Language.allCases.map {
      CrashReader(store: SymbolStore(searching: [Samples.path("symbols")]), language: $0)
    }
    return { bytes in
      let reader = readers[bytes.count % readers.count]
      guard let analyses = try? reader.analyze(bytes, input: "input") else { return }
      for format in OutputFormat.allCases { check(render(analyses, as: format), format) }
    }
  })

private func parserTarget(
  _ name: String, prefix: String = "", seeds: @escaping @Sendable () throws -> [[UInt8]]
) -> FuzzTarget {
  FuzzTarget(
    name: name,
    seeds: { try seeds().map { $0.starts(with: prefix.utf8) ? Array($0.dropFirst(prefix.utf8.count)) : $0 } },
    reader: { { _ = try? CrashReport.parse(Array(prefix.utf8) + $0) } })
}

private func reports(_ isWanted: @escaping @Sendable (String) -> Bool) -> @Sendable () throws -> [[UInt8]] {
  { try Samples.reports.filter(isWanted).map { try Samples.bytes($0) } }
}

private func render(_ analyses: [ReportAnalysis], as format: OutputFormat) -> String {
  var style = RenderingStyle()
  (style.showsAllThreads, style.showsAllVariables, style.showsReasoning) = (true, true, true)
  style.showsCode = true
  var renderer = format.renderer(style: style, count: analyses.count)
  var output = ""
  renderer.begin(into: &output)
  for analysis in analyses { renderer.render(analysis, into: &output) }
  renderer.end(into: &output)
  return output
}

/// Only forms that write a report back unchanged have control characters; and JSON is valid.
private func check(_ output: String, _ format: OutputFormat) {
  switch format {
  case .crash, .ips: return
  case .json, .sarif, .gitlab:
    var reader = JSONReader(Bytes(Array(output.utf8)))
    _ = reader.readValue()
    precondition(reader.failure == nil, "\(format) isn't JSON: \(reader.failure?.message ?? "")")
  default: break
  }
  precondition(output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0a }, "\(format) has control characters")
}

/// A thread with a frame, an image, a signal: field numbers as in PLCrashReporter's `PLCrashReport.proto`.
private let plCrashSeed: [UInt8] = {
  func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
  func text(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
  let system = [8, 1, 24, 1, 32, 1] + text(2, "18.1") + text(5, "22B83")
  let register = text(1, "pc") + [16, 0x80, 0x20]
  let frame = [24, 0x80, 0x20] + field(6, text(1, "_main") + [16, 0x80, 0x10])
  let thread = [8, 0] + field(2, frame) + [24, 1] + field(4, register)
  let image =
    [8, 0x80, 0x10, 16, 0x80, 0x40] + text(3, "/App") + field(4, Array(1...16)) + field(5, [8, 1, 16, 12])
  let signal = text(1, "SIGSEGV") + text(2, "SEGV_MAPERR") + [24, 5] + field(4, [8, 1, 18, 2, 1, 5])
  let exception = text(1, "NSRangeException") + text(2, "beyond bounds") + field(3, frame)
  return field(1, system) + field(2, text(1, "com.example") + text(2, "1") + text(3, "1.0"))
    + field(3, thread) + field(4, image) + field(5, exception) + field(6, signal)
    + field(7, text(1, "App") + [16, 7] + text(3, "/App")) + field(8, text(1, "iPhone15,2"))
    + field(9, [8, 0] + field(2, Array(1...16)))
}()
