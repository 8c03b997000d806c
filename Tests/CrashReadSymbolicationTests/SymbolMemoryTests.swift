import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import CrashReadSystem
import TestSupport
import Testing

@testable import CrashReadSymbolication

private let hasSQLite = (try? SQLite(path: ":memory:")) != nil

private let system: ImageID = {
  guard let id = ImageID(parsing: "00112233445566778899AABBCCDDEEFF") else {
    preconditionFailure("no identity")
  }
  return id
}()

private func sighting(
  _ start: UInt64, _ extent: UInt32, _ name: String, by witnesses: UInt32..., day: Int64? = nil
) -> SymbolSighting {
  sighting(start, extent, name, of: system, by: witnesses, day: day)
}

private func sighting(
  _ start: UInt64, _ extent: UInt32, _ name: String, of image: ImageID, by witnesses: [UInt32], day: Int64?
) -> SymbolSighting {
  SymbolSighting(
    SightedFunction(image: image, start: start, name: name),
    FunctionWitnesses(witnesses.map { .init($0, extent: extent) }, day: day))
}

/// The sources of a function, and the symbols seen.
@Suite struct SightingStorageTests {
  @Test func theWitnessesWithTheLargestExtentsAreKeptInAnyOrderOfArrival() {
    var generator = SystemRandomNumberGenerator()
    for count in [1, 5, 16, 17, 60] {
      let arrivals = (0..<count * 3).map { _ in
        FunctionWitnesses.Witness(
          .random(in: 0..<UInt32(count), using: &generator), extent: .random(in: 1...40, using: &generator))
      }
      let largest = Dictionary(grouping: arrivals, by: \.number).mapValues { $0.map(\.extent).max() ?? 0 }
      let expected = largest.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(
        FunctionWitnesses.maximumCount)
      #expect(FunctionWitnesses(arrivals).all == expected.map { .init($0.key, extent: $0.value) })
    }
  }

  @Test func symbolsAreFoundByImageStartAndName() {
    var symbols = SeenSymbols()
    let names = (0...20).map { String(repeating: "x", count: $0) } + ["xxxxxxxy", "yxxxxxxx", "xxxxxxxxxxy"]
    var digests: Set<UInt64> = []
    for name in names {
      for image in 0..<8 {
        for start in 0..<8 as Range<UInt64> {
          digests.insert(symbols.digest(image: image, start: start, name: name))
        }
      }
    }
    #expect(digests.count == names.count * 64)
    for (function, digest) in digests.enumerated() {
      #expect(symbols.position(of: digest) == nil)
      symbols.reserve(1)
      symbols.insert(digest, function: function)
    }
    #expect(
      digests.enumerated().allSatisfy { function, digest in
        symbols.position(of: digest).map { symbols[$0].function } == Int32(function)
      })
  }
}

/// What reports prove about a function, and what they don't.
@Suite struct LearnedFunctionsTests {
  private func name(
    at offset: UInt64, _ sightings: [SymbolSighting], quorum: Int = 1
  ) -> String? {
    LearnedFunctions(sightings, quorum: quorum).function(at: offset)?.name
  }

  @Test func nameIsValidForItsExtent() {
    let sightings = [
      sighting(0x100, 0x40, "f", by: 1), sighting(0x100, 0x10, "f", by: 1), sighting(0x200, 8, "g", by: 1),
    ]
    let expected: [(UInt64, String?)] = [
      (0xff, nil), (0x100, "f"), (0x120, "f"), (0x140, "f"), (0x141, nil), (0x1ff, nil), (0x208, "g"),
      (0x209, nil),
    ]
    for (offset, name) in expected { #expect(self.name(at: offset, sightings) == name, "\(offset)") }
  }

  @Test func quorumIsRequired() {
    let sightings = [
      sighting(0x100, 0x10, "f", by: 1, 2, day: 20), sighting(0x100, 0x40, "f", by: 2, day: 10),
      sighting(0x100, 0x80, "f", by: 3),
    ]
    let functions = LearnedFunctions(sightings, quorum: 2)
    // Two have observed it up to 0x140, one of them further.
    #expect(
      functions.function(at: 0x140) == .init(start: 0x100, extent: 0x40, name: "f", witnessCount: 3, day: 10))
    #expect(functions.function(at: 0x141) == nil)
    #expect(LearnedFunctions(sightings, quorum: 4).function(at: 0x101) == nil)
  }

  @Test func contradictionsCancel() {
    let true0 = sighting(0x100, 0x40, "f", by: 1)
    // Another name for the same start, and code folded with another function's.
    #expect(name(at: 0x110, [true0, sighting(0x100, 0x20, "g", by: 2)]) == nil)
    #expect(name(at: 0x110, [true0, sighting(0x100, 0x20, SymbolSighting.foldedName, by: 2)]) == nil)
    // The name hidden, or written otherwise, is no contradiction.
    #expect(name(at: 0x110, [true0, sighting(0x100, 0x20, "", by: 2)]) == "f")
    let mangled = "$s4Fuga4hogeyyF"
    #expect(
      name(
        at: 0x110, [sighting(0x100, 0x20, mangled, by: 1), sighting(0x100, 0x20, "Fuga.hoge() -> ()", by: 2)])
        != nil)
    // A symbol that reaches over another function's start was only the nearest one known.
    let far = [
      sighting(0x100, 8, "f", by: 1), sighting(0x100, 0x150, "f", by: 2), sighting(0x200, 0x60, "g", by: 3),
    ]
    #expect(name(at: 0x108, far) == "f")
    #expect(name(at: 0x109, far) == nil)
    #expect(name(at: 0x210, far) == nil)
    // A name without a quorum contradicts no other.
    let crowd = [
      sighting(0x100, 0x40, "f", by: 1, 2), sighting(0x100, 0x40, "evil", by: 3),
      sighting(0x120, 0x40, "evil", by: 3),
    ]
    #expect(name(at: 0x130, crowd, quorum: 2) == "f")
  }

  @Test func manyNamesOfOneStartAreFast() {
    let names = (0..<5000).map { sighting(0x100, 8, "$s4Fuga\($0)", by: UInt32($0)) }
    #expect(name(at: 0x104, names) == nil)
  }
}

/// What is learned from reports, and kept.
@Suite(.enabled(if: hasSQLite, "libsqlite3 isn't installed")) struct SymbolMemoryTests {
  /// A report with one frame of each of two images, the system's and the app's.
  static func report(
    device: String = "a", symbol: String? = "function", distance: UInt64 = 0x21,
    path: String = "/usr/lib/libsystem.dylib"
  ) -> CrashReport {
    var report = CrashReport(format: .appleText)
    report.header.deviceKey = device
    report.header.date = "2026-01-02 03:04:05.000 +0900"
    report.header.path = "/private/var/App.app/App"
    report.header.process = "App"
    report.header.codeType = "ARM-64"
    for (start, path) in [(0x1_8000_0000, path), (0x1_0000_0000, "/private/var/App.app/App")]
      as [(UInt64, String)]
    {
      var image = BinaryImage(start: RuntimeAddress(start))
      image.end = RuntimeAddress(start + 0xffff)
      image.path = path
      image.name = path.split(separator: "/").last.map(String.init)
      image.id = start == 0x1_8000_0000 ? system : ImageID(bytes: [UInt8](repeating: 9, count: 16))
      report.images.append(image)
    }
    var thread = ThreadRecord(index: 0)
    for start in [0x1_8000_0000, 0x1_0000_0000] as [UInt64] {
      var frame = Frame(kind: .returnAddress, address: RuntimeAddress(start + 0x1024))
      (frame.reportedSymbol, frame.reportedSymbolOffset) = (symbol, symbol == nil ? nil : distance)
      frame.image = report.images.firstIndex { $0.start.rawValue == start }
      thread.frames.append(frame)
    }
    report.threads = [thread]
    return report
  }

  private func sightings(_ report: CrashReport) -> Set<SymbolSighting> {
    var collector = SightingCollector()
    collector.add(Symbolicator(store: SymbolStore(searching: [])).symbolicate(report))
    return Set(collector.takeNew())
  }

  private func memory(
    in directory: TemporaryDirectory, quorum: Int = 1, maximumFunctions: Int = SymbolMemory.maximumFunctions
  ) throws -> SymbolMemory {
    try SymbolMemory(
      path: directory.path("memory"), quorum: quorum, isReadOnly: false, maximumFunctions: maximumFunctions)
  }

  @Test func callersAreSeenAtTheirCalls() throws {
    let sighting = try #require(sightings(Self.report(distance: 0x24)).first)
    #expect((sighting.function.start, sighting.function.name) == (0x1000, "function"))
    #expect(sighting.witnesses.all.map(\.extent) == [0x20] && sighting.witnesses.day == 20_454)
  }

  @Test(arguments: [
    Self.report(path: "/private/var/App.app/Frameworks/libsystem.dylib"),
    Self.report(path: "/opt/homebrew/lib/libsystem.dylib"), Self.report(symbol: nil),
    Self.report(distance: 0),
    Self.report(distance: 4), Self.report(distance: 0x2000), Self.report(symbol: "a\nb"),
    Self.report(symbol: String(repeating: "x", count: 5000)),
  ]) func nothingIsLearnedFrom(_ report: CrashReport) {
    #expect(sightings(report).isEmpty)
  }

  /// What was learned isn't returned again, unless it is from another source, of more of the function, or of an
  /// earlier day.
  @Test func eachStatementIsCollectedOnce() throws {
    var collector = SightingCollector()
    let symbolicator = Symbolicator(store: SymbolStore(searching: []))
    func new(_ report: CrashReport, source: String? = nil) -> [SymbolSighting] {
      collector.add(symbolicator.symbolicate(report), source: source)
      #expect(collector.newCount <= 1)
      return collector.takeNew()
    }
    #expect(new(Self.report()).map(\.witnesses.all.count) == [1])
    #expect(new(Self.report()).isEmpty && new(Self.report(path: "/opt/lib/libsystem.dylib")).isEmpty)
    #expect(new(Self.report(device: "b")).map(\.witnesses.all.count) == [2])
    var earlier = Self.report(device: "b")
    earlier.header.date = "2025-01-02 03:04:05.000 +0900"
    #expect(new(earlier).map(\.witnesses.day) == [20_089])
    #expect(new(Self.report(symbol: "other")).map(\.function.name) == ["other"])
    #expect(new(Self.report()).isEmpty)
    #expect(new(Self.report(), source: "/uploads/x").count == 1)
    #expect(new(Self.report(device: "c"), source: "/uploads/x").isEmpty)
  }

  @Test func unnamedFramesAreNamed() throws {
    let directory = try TemporaryDirectory()
    let memory = try memory(in: directory)
    _ = try memory.learn(SightingTable(sightings(Self.report())))
    var symbolicator = Symbolicator(store: SymbolStore(searching: []))
    symbolicator.memory = memory
    for symbol in [nil, "<redacted>"] {
      let frames = symbolicator.symbolicate(Self.report(symbol: symbol, distance: 7)).threads[0]
      #expect(frames[0].resolution == .learned && frames[0].locations.map(\.function) == ["function"])
      #expect(frames[0].locations[0].symbolOffset == 0x21 && frames[0].functionOffset == 0x21)
      #expect(frames[0].learned == LearnedName(sightings: 1, since: "2026-01-01"))
      // A function of the app is never named from the memory.
      #expect(frames[1].learned == nil && frames[1].locations.isEmpty)
    }
    let named = symbolicator.symbolicate(Self.report(symbol: "other")).threads[0][0]
    #expect(named.learned == nil && named.ownSymbol == "other")
  }

  @Test func appNamesAreNeverUsed() throws {
    let directory = try TemporaryDirectory()
    let memory = try memory(in: directory)
    // An untrusted report claims that the app's image is the system's.
    var stranger = Self.report(symbol: "evil")
    stranger.images[0].id = ImageID(bytes: [UInt8](repeating: 9, count: 16))
    _ = try memory.learn(SightingTable(sightings(stranger)))
    var symbolicator = Symbolicator(store: SymbolStore(searching: []))
    symbolicator.memory = memory
    #expect(symbolicator.symbolicate(Self.report(symbol: nil)).threads[0].allSatisfy { $0.learned == nil })
  }

  @Test func oneReportCountsOnce() throws {
    let directory = try TemporaryDirectory()
    let memory = try memory(in: directory)
    let first = try memory.learn(SightingTable(sightings(Self.report())))
    let again = try memory.learn(SightingTable(sightings(Self.report())))
    let other = try memory.learn(SightingTable(sightings(Self.report(device: "b"))))
    #expect((first.new, again.new, again.confirmed, other.new, other.confirmed) == (1, 0, 0, 0, 1))
    #expect(memory.function(at: 0x1010, in: system)?.witnessCount == 2)
    var witnesses: [Int] = []
    for number in 0..<100 { _ = try memory.learn(SightingTable(sightings(Self.report(device: "\(number)")))) }
    try memory.forEachSighting { witnesses.append($0.witnesses.all.count) }
    #expect(witnesses == [FunctionWitnesses.maximumCount])
  }

  /// A thousand reports of one device, each with a different statement about the same image.
  @Test func hostileReportsChangeNothingWithoutQuorum() throws {
    let directory = try TemporaryDirectory()
    let memory = try memory(in: directory, quorum: 2)
    _ = try memory.learn(SightingTable(sightings(Self.report()).union(sightings(Self.report(device: "b")))))
    let before = memory.function(at: 0x1010, in: system)
    #expect(before?.name == "function")
    let reports = (0..<1000).map { number in
      Self.report(device: "evil", symbol: "evil\(number)", distance: UInt64(5 + number % 0x1000))
    }
    #expect(try memory.learn(SightingTable(reports.flatMap { sightings($0) })).new == 1000)
    for offset in stride(from: 0 as UInt64, to: 0x2000, by: 8) {
      let function = memory.function(at: offset, in: system)
      #expect(function == (0x1003...0x1020 ~= offset ? before : nil))
    }
  }

  @Test func functionCountPerImageIsLimited() throws {
    let directory = try TemporaryDirectory()
    let memory = try memory(in: directory, quorum: 2, maximumFunctions: 100)
    _ = try memory.learn(SightingTable([sighting(0x10, 8, "true", by: 1, 2)]))
    _ = try memory.learn(SightingTable((1..<100).map { sighting(UInt64($0) * 0x100, 8, "evil", by: 3) }))
    // Names with a single source make room for others.
    let result = try memory.learn(SightingTable([sighting(0x20, 8, "late", by: 4, 5)]))
    #expect((result.new, result.refused) == (1, 0))
    #expect(memory.function(at: 0x12, in: system)?.name == "true")
    #expect(memory.function(at: 0x22, in: system)?.name == "late")
    // Names with several sources don't.
    let crowd = try memory.learn(
      SightingTable((1...100).map { sighting(UInt64($0) * 0x100, 8, "evil", by: 3, 4) }))
    #expect((crowd.new, crowd.refused) == (98, 2))
  }

  @Test func linesRoundTrip() throws {
    let all = [
      sighting(0x100, 0x40, "-[A b:]\u{30d5}", by: 1, 0xffff_ffff, day: 7), sighting(0x200, 8, "", by: 2),
      sighting(
        1, 1, "c", of: try #require(ImageID(bytes: [UInt8](repeating: 1, count: 16))), by: [3], day: nil),
      SymbolSighting(
        SightedFunction(image: system, start: 0x300, name: "d"),
        FunctionWitnesses([.init(1, extent: 8), .init(2, extent: 0x20), .init(3, extent: 8)])),
    ]
    let text = SightingLines.text(all)
    let read = try SightingLines.sightings(Array("\(SightingLines.head)\n".utf8) + text)
    #expect(Set(SightingTable(read).sightings) == Set(all))
    for (bad, line) in [
      ("x", 1), (SightingLines.head + "\n10\t8\t-\t1\tf\n", 2),
      (String(decoding: text, as: UTF8.self) + "zz\t8\t-\t1\tf", 9),
    ] {
      #expect(throws: SightingLines.Malformed(line: line)) { try SightingLines.sightings(Array(bad.utf8)) }
    }
  }

  /// Sightings that no report could have stated are ignored, whoever has written them into a file.
  @Test(arguments: [
    sighting(0x100, 0, "f", by: 1), sighting(0x100, 0x1_0001, "f", by: 1), sighting(1 << 40, 8, "f", by: 1),
    sighting(.max, 8, "f", by: 1), sighting(0x100, 8, "a\u{1b}[0m", by: 1),
    sighting(0x100, 8, "0x1234", by: 1),
  ]) func implausibleSightingsAreIgnored(_ sighting: SymbolSighting) throws {
    let directory = try TemporaryDirectory()
    #expect(try memory(in: directory).learn(SightingTable([sighting])).new == 0)
  }

  /// A view can be endless, a trigger can run at each write, and rows of a damaged file can share their bytes.
  @Test(arguments: [
    "CREATE VIEW more AS SELECT 1",
    "CREATE TRIGGER t AFTER INSERT ON function BEGIN DELETE FROM function; END",
    "ALTER TABLE function ADD COLUMN other",
  ])
  func foreignSchemaIsRejected(_ statement: String) throws {
    let directory = try TemporaryDirectory()
    _ = try memory(in: directory)
    let path = directory.path("memory")
    _ = try SymbolMemory(path: path)
    try SQLite(path: path).run(statement)
    for isReadOnly in [true, false] {
      #expect(throws: SQLite.Failure(description: "not a symbol memory: its tables aren't crashread's")) {
        try SymbolMemory(path: path, isReadOnly: isReadOnly)
      }
    }
  }

  @Test func implausibleRowsAreIgnored() throws {
    let directory = try TemporaryDirectory()
    let known = try memory(in: directory)
    _ = try known.learn(SightingTable([sighting(0x100, 8, "f", by: 1, 2)]))
    let path = directory.path("memory")
    let rows = try SQLite(path: path)
    try rows.run(
      "INSERT INTO function SELECT image, -1, 'g', witnesses, day FROM function WHERE name = 'f'")
    try rows.run(
      "INSERT INTO function SELECT image, 768, char(27), witnesses, day FROM function WHERE name = 'f'")
    var names: [String] = []
    try SymbolMemory(path: path).forEachSighting { names.append($0.function.name) }
    #expect(names == ["f"])
    try rows.run(
      "INSERT INTO function SELECT image, 1024, hex(zeroblob(60000)), witnesses, day FROM function LIMIT 1"
    )
    #expect(throws: SQLite.Failure.self) { try SymbolMemory(path: path).forEachSighting { _ in } }
  }

  @Test func otherFilesAreRejected() throws {
    let directory = try TemporaryDirectory()
    try directory.write("not a database at all, and long enough to look at", to: "memory")
    #expect(throws: SQLite.Failure.self) { try SymbolMemory(path: directory.path("memory")) }
    #expect(throws: SQLite.Failure.self) { try SymbolMemory(path: directory.path("missing")) }
    let other = try SQLite(path: directory.path("other"))
    try other.run("CREATE TABLE mine (a)")
    #expect(throws: SQLite.Failure(description: "not a symbol memory")) {
      try SymbolMemory(path: directory.path("other"), isReadOnly: false)
    }
  }
}
