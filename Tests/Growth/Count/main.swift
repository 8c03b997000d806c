import CrashRead
import CrashReadDiagnosis
import CrashReadReports
import Foundation
import Growth

#if canImport(Glibc)
  import Glibc
#endif

// Does the same work on inputs that grow, one call of `counted` after another: valgrind counts the instructions of each
// (`count.py`), and without valgrind processor time is printed.
//
//   GrowthCount SIZE [STAGES [PART/PARTS [WORDS…]]]
//
// Each dimension whose name holds all WORDS, and none of those with `-` before them, is read as small as it can be, at SIZE
// and at four times SIZE bytes; of all dimensions every PARTS-th, from PART on. Words with `=` before them are whole names,
// of which one is enough. A row has the stage, the dimension, and of each size the input's bytes and the seconds.

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

/// One step from bytes to text.
private struct Stage {
  var name: String
  /// Does the previous steps, and returns a function that does this one.
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

private func render(_ analyses: [ReportAnalysis], _ format: OutputFormat, _ style: RenderingStyle = style) {
  var renderer = format.renderer(style: style, count: analyses.count)
  var output = ""
  renderer.begin(into: &output)
  for analysis in analyses { renderer.render(analysis, into: &output) }
  renderer.end(into: &output)
}

private let stages: [Stage] =
  [
    Stage(name: "parse") { bytes in { _ = try? CrashReport.parse(bytes) } },
    Stage(name: "anonymize") { bytes in
      {
        var anonymizer = Anonymizer()
        _ = try? anonymizer.anonymize(bytes)
      }
    },
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
    Stage(name: "brief") { bytes in
      guard let analyses = try? reader.analyze(bytes) else { return nil }
      return { render(analyses, .text, briefStyle) }
    },
  ]
  + OutputFormat.allCases.map { format in
    Stage(name: format.rawValue) { bytes in
      guard let analyses = try? reader.analyze(bytes) else { return nil }
      return { render(analyses, format) }
    }
  }

private let briefStyle = {
  var style = RenderingStyle()
  style.brief = .options
  return style
}()

private let arguments = Array(CommandLine.arguments.dropFirst())
private let size = arguments.first.flatMap { Int($0) } ?? 1024
private let wantedStages = arguments.dropFirst().first?.split(separator: ",") ?? ["parse"]
private let part = (arguments.dropFirst(2).first ?? "0/1").split(separator: "/").compactMap { Int($0) }
private let words = arguments.dropFirst(3)

private func measure(_ dimension: Growth.Dimension, _ stage: Stage) {
  var row = "\(stage.name)\t\(dimension.name)"
  let smallest = dimension.input(1)
  // What is repeated may itself be larger.
  let size = dimension.input(size).count > smallest.count ? size : 2 * smallest.count
  for input in [smallest, dimension.input(size), dimension.input(4 * size)] {
    let time = measured(stage.prepare(input) ?? {})
    row += String(format: "\t%d\t%.4f", input.count, time)
  }
  print(row)
}

private let names = words.filter { $0.hasPrefix("=") }.map { $0.dropFirst() }

private func isWanted(_ dimension: Growth.Dimension) -> Bool {
  guard names.isEmpty else { return names.contains(dimension.name[...]) }
  return words.allSatisfy { word in
    word.hasPrefix("-")
      ? !dimension.name.contains(word.dropFirst()) : dimension.name.contains(word)
  }
}

for seed in try Seed.all() {
  let dimensions = Dimension.all(of: seed)
  let wanted = dimensions.enumerated().filter { $0.offset % part[1] == part[0] && isWanted($0.element) }
  for stage in stages where wantedStages.contains(Substring(stage.name)) {
    // Work that is done once per process isn't measured.
    if !wanted.isEmpty { stage.prepare(dimensions[0].input(4 * size))?() }
    for (_, dimension) in wanted { measure(dimension, stage) }
  }
}
