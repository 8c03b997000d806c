import CrashReadReports
import Growth
import Testing

@Suite("Ways in which reports can grow")
struct DimensionTests {
  /// Those that are read as reports: the log of a test run is none.
  private static func seeds() throws -> [Seed] { try Seed.all().filter { $0.name != "tests.log" } }

  @Test("every list and every text of the model grows in one of them at least")
  func coverTheModel() throws {
    var model = ModelSizes()
    var grown: Set<String> = []
    for seed in try Self.seeds() {
      let dimensions = Dimension.all(of: seed)
      let small = sizes(dimensions[0].input(1))
      for report in try CrashReport.parse(dimensions[0].input(1)) { model.add(report) }
      // Marks and paths are texts, too, and are represented by letters.
      for dimension in dimensions
      where !dimension.name.contains(", word") || dimension.name.hasSuffix("letters") {
        for (path, size) in sizes(dimension.input(1200)).sizes where size >= 2 * (small.sizes[path] ?? 0) + 8
        {
          grown.insert(path)
        }
      }
    }
    // Properties that no sample states can't be tested.
    #expect(model.unseen.filter { $0.value != "Optional<Int>" && !$0.value.contains("Address<") } == [:])
    #expect(Set(model.sizes.keys).subtracting(grown).sorted() == [])
  }

  private func sizes(_ input: [UInt8]) -> ModelSizes {
    var sizes = ModelSizes()
    for report in (try? CrashReport.parse(input)) ?? [] { sizes.add(report) }
    return sizes
  }

  @Test("the samples are of every format")
  func coverTheFormats() throws {
    let formats = try Self.seeds().flatMap { seed in
      try Dimension.all(of: seed).prefix(1).flatMap { try CrashReport.parse($0.input(1)).map(\.format) }
    }
    // A result bundle isn't a single file.
    #expect(Set(formats) == Set(ReportFormat.allCases).subtracting([.xcresult]))
  }

  @Test("a doubled input has twice the size")
  func double() throws {
    for seed in try Seed.all() {
      let dimensions = Dimension.all(of: seed)
      // What grows by whole samples grows in steps.
      let size = max(8_000, 6 * dimensions[0].input(1).count)
      for dimension in stride(from: 0, to: dimensions.count, by: 20).map({ dimensions[$0] }) {
        let sizes = [size, 2 * size, 4 * size].map { dimension.input($0).count }
        let growth = Double(sizes[2] - sizes[1]) / Double(sizes[1] - sizes[0])
        #expect((1.6...2.4).contains(growth), "\(dimension.name)")
      }
    }
  }
}
