import CrashRead
import Foundation
import Growth

#if canImport(Glibc)
  import Glibc
#endif

// Does the same work on inputs that double in size, one call of `counted` after another: valgrind counts the instructions
// of each (`count.py`), and without valgrind processor time is printed.
//
//   GrowthCount SIZE [WORDS]     work on inputs of SIZE, twice and four times SIZE, of which the name holds WORDS

/// The work that is measured.
nonisolated(unsafe) private var work: () -> Void = {}

/// The function whose instructions are counted.
@inline(never)
public func counted() { unsafe work() }

private func measured(_ body: @escaping () -> Void) -> Double {
  unsafe work = body
  let start = clock()
  counted()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

/// One step on the way from bytes to text.
private struct Stage {
  var name: String
  /// Does the steps before, and gives what does this one.
  var prepare: ([UInt8]) -> (() -> Void)?
}

private let reader: CrashReader = {
  var reader = CrashReader(
    store: SymbolStore(searching: ["Samples/symbols"]),
    sources: SourceFinder(
      roots: ["Samples/sources", "Sources"], maps: [.init(old: "/x", new: "/y")], checkouts: ["."]))
  reader.showsSourceOfFrames = true
  return reader
}()

private let style = {
  var style = RenderingStyle()
  (style.showsAllThreads, style.showsReasoning, style.showsAllVariables) = (true, true, true)
  return style
}()

private func render(_ analyses: [ReportAnalysis], _ format: OutputFormat) {
  var renderer = format.renderer(style: style, count: analyses.count)
  var output = ""
  renderer.begin(into: &output)
  for analysis in analyses { renderer.render(analysis, into: &output) }
  renderer.end(into: &output)
}

private let stages: [Stage] =
  [
    Stage(name: "parse") { bytes in { _ = try? CrashReport.parse(bytes) } },
    Stage(name: "tests") { bytes in { _ = TestLog(bytes) } },
    Stage(name: "symbolicate") { bytes in
      guard let reports = try? CrashReport.parse(bytes) else { return nil }
      return { for report in reports { _ = reader.symbolicator.symbolicate(report) } }
    },
    Stage(name: "diagnose") { bytes in
      guard let reports = try? CrashReport.parse(bytes) else { return nil }
      let resolved = reports.map(reader.symbolicator.symbolicate)
      return { for report in resolved { _ = reader.knowledge.diagnose(report) } }
    },
    Stage(name: "read") { bytes in { _ = try? reader.analyze(bytes) } },
  ]
  + OutputFormat.allCases.map { format in
    Stage(name: format.rawValue) { bytes in
      guard let analyses = try? reader.analyze(bytes) else { return nil }
      return { render(analyses, format) }
    }
  }

private let size = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 16384
private let wantedStages = CommandLine.arguments.dropFirst(2).first?.split(separator: ",") ?? ["parse"]
private let words = CommandLine.arguments.dropFirst(3)
private let files = ProcessInfo.processInfo.environment["GROWTH_SEEDS"]?.split(separator: ":") ?? []
private let seeds =
  files.isEmpty
  ? try Seed.all()
  : try files.map { Seed(name: String($0), bytes: Array(try Data(contentsOf: URL(filePath: String($0))))) }
for seed in seeds {
  for dimension in Dimension.all(of: seed) where words.allSatisfy({ dimension.name.contains($0) }) {
    for stage in stages where wantedStages.contains(Substring(stage.name)) {
      var row = "\(stage.name)\t\(dimension.name)"
      for factor in [1, 2, 4] {
        let input = dimension.input(size * factor)
        let time = stage.prepare(input).map(measured) ?? 0
        row += String(format: "\t%.4f", time)
      }
      print(row)
    }
  }
}
