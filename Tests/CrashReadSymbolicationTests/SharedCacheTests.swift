import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo
@testable import CrashReadSymbolication

/// dyld's shared caches and packs made of them, compared with the linker's information about their libraries.
@Suite struct SharedCacheTests {
  private static let hasTools = ["clang", "ld64.lld-19", "python3"].allSatisfy { tool in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/" + tool)
    }
  }

  /// What is at an offset from the start of an image.
  private struct Probe {
    var id: ImageID
    var offset: UInt64
    var name: String?
  }

  @Test(.enabled(if: hasTools, "clang, ld64.lld or python3 isn't installed"))
  func everyLayoutAgreesWithTheLinker() throws {
    let directory = try TemporaryDirectory()
    let script = Repository.root.appending(path: "Tests/SharedCache/compose.py").path
    let composed = Process()
    (composed.executableURL, composed.arguments) = (
      URL(filePath: "/usr/bin/env"), ["python3", script, directory.path("c")]
    )
    try composed.run()
    composed.waitUntilExit()
    #expect(composed.terminationStatus == 0)
    let forms = try FileManager.default.contentsOfDirectory(atPath: directory.path("c")).filter {
      $0 != "sources"
    }
    #expect(forms.count == 9)
    var count = 0
    for form in forms.sorted() {
      let probes = try probes(directory.path("c/\(form)/truth.tsv"))
      count += probes.count
      // In a directory with its further files.
      let store = SymbolStore(searching: [directory.path("c/\(form)")])
      #expect(store.problems.isEmpty && store.damaged.isEmpty)
      let architectures = Set(store.candidates.map { $0.slice.architecture?.rawValue })
      #expect(architectures == [Self.architectures[form]], "\(form)")
      #expect(try wrong(probes, store).isEmpty, "\(form)")
      var writer = SymbolPackWriter()
      for candidate in store.candidates { writer.add(try store.open(candidate).get()) }
      let pack = writer.file()
      try directory.write(try #require(pack), to: "pack")
      #expect(try wrong(probes, SymbolStore(searching: [directory.path("pack")])).isEmpty, "\(form), packed")
    }
    #expect(count >= 10_000)
  }

  private static let architectures = [
    "2013": "arm64", "2016": "arm64", "2019": "x86_64", "2021": "arm64", "2022": "arm64e", "2024": "arm64_32",
    "2025": "x86_64", "2026": "arm64e.x1", "watch": "arm64_32",
  ]

  private func probes(_ path: String) throws -> [Probe] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.split(separator: "\t")
      return Probe(
        id: try #require(ImageID(parsing: parts[0])), offset: try #require(UInt64(parts[1], radix: 16)),
        name: parts[2] == "-" ? nil : String(parts[2]))
    }
  }

  /// The probes for which the files' results differ.
  private func wrong(_ probes: [Probe], _ store: SymbolStore) throws -> [String] {
    var files: [ImageID: DebugFile] = [:]
    return try probes.compactMap { probe in
      let file = try files[probe.id] ?? store.open(try #require(store.candidates(for: probe.id).first)).get()
      files[probe.id] = file
      let found = file.slice.linkedBase.advanced(by: ImageOffset(probe.offset)).flatMap {
        file.symbol(at: $0)
      }
      return found?.linkageName == probe.name ? nil : "\(probe): \(found?.linkageName ?? "nothing")"
    }
  }

  private func names(_ path: String, at offsets: [UInt64]) throws -> [String?] {
    let slice = try #require(try BinarySlice.all(in: path).first)
    let file = try DebugFile(path: path, slice: slice)
    return offsets.map { file.symbol(at: LinkedAddress(slice.linkedBase.rawValue + $0))?.linkageName }
  }

  @Test func namesEndAtTheNextFunction() throws {
    let directory = try TemporaryDirectory()
    try directory.write(SharedCacheBuilder().file(), to: "cache")
    let path = directory.path("cache")
    let slice = try #require(try BinarySlice.all(in: path).first)
    #expect(
      slice.id == ImageID(bytes: SharedCacheBuilder.uuid)
        && slice.architecture == Architecture(rawValue: "arm64e"))
    #expect(slice.member == "/usr/lib/libmade.dylib")
    let offsets: [UInt64] = [0x3ff, 0x400, 0x4ff, 0x500, 0x5ff, 0x600, 0xfff, 0x1000]
    #expect(try names(path, at: offsets) == [nil, "made", "made", "exported", "exported", nil, nil, nil])
  }

  /// The name in the magic number is at most 8 letters long, of which `arm64_32` and iOS 27's `arm64ex1` use all.
  @Test(arguments: [
    ("dyld_v1arm64ex1", "arm64e.x1"), ("dyld_v1arm64_32", "arm64_32"), ("dyld_v1 x86_64h", "x86_64h"),
    ("dyld_v1  armv7k", "armv7k"), ("dyld_v1    i386", "i386"),
  ])
  func magicNumberNamesTheCPU(_ magic: String, _ name: String) throws {
    var builder = SharedCacheBuilder()
    builder.magic = magic
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "cache")
    #expect(isBinary(directory.path("cache")))
    let slice = try #require(try BinarySlice.all(in: directory.path("cache")).first)
    #expect(slice.architecture == Architecture(rawValue: name))
  }

  /// Thumb code's addresses have bit 0 set in exports and lists of starts, and not in symbol tables.
  @Test func a32BitCacheNamesThumbCode() throws {
    var builder = SharedCacheBuilder()
    (builder.magic, builder.is64Bit, builder.local, builder.isThumb) = ("dyld_v1   armv7", false, 0x600, true)
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "cache")
    let offsets: [UInt64] = [0x3ff, 0x400, 0x4ff, 0x500, 0x600, 0x601]
    #expect(
      try names(directory.path("cache"), at: offsets) == [nil, "made", "made", "exported", "local", "local"])
    var writer = SymbolPackWriter()
    writer.add(
      try DebugFile(
        path: directory.path("cache"), slice: try #require(BinarySlice.all(in: directory.path("cache")).first)
      ))
    #expect(writer.nameCount == 3)
  }

  /// Local symbols are found by the library's offset in the first file; a library in another file has none.
  @Test(arguments: [0x190, 0x1a0, 0x1e0])
  func libraryMayBeInAnotherFile(_ headerSize: Int) throws {
    var builder = SharedCacheBuilder()
    (builder.headerSize, builder.local, builder.suffixes) = (headerSize, 0x600, [".1"])
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "cache.1")
    builder.distance = 0x4000
    try directory.write(builder.file(), to: "cache")
    #expect(try names(directory.path("cache"), at: [0x400, 0x500]) == ["made", "exported"])
  }

  /// The header refers only to files beside it.
  @Test(arguments: ["/../secret", "../secret", ".01/../secret", ".\u{1b}", ""])
  func subcachesAreBesideTheFirstFile(_ suffix: String) throws {
    var builder = SharedCacheBuilder()
    builder.suffixes = [suffix]
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "cache")
    #expect(try names(directory.path("cache"), at: [0x400]) == ["made"])
    let mapped = try MappedFile(path: directory.path("cache"))
    #expect(SharedCacheHeader(mapped.view)?.subcaches.isEmpty == true)
    #expect(mapped.fileSize > 0)
  }

  /// A log of dyld begins similarly, and isn't a cache.
  @Test func logsAreNotCaches() throws {
    let directory = try TemporaryDirectory()
    try directory.write("dyld: Library not loaded: @rpath/libswiftCore.dylib\n", to: "log")
    #expect(!isBinary(directory.path("log")))
    try directory.write("dyld_v1 and nothing more", to: "cut")
    #expect(throws: DebugFileError.self) { try BinarySlice.all(in: directory.path("cut")) }
  }

  /// A sparse cache of 2 GB is searched as fast as a small one: what isn't needed isn't read.
  @Test func onlyRequiredPagesAreRead() throws {
    let directory = try TemporaryDirectory()
    try directory.write(SharedCacheBuilder().file(), to: "cache")
    #expect(unsafe truncate(directory.path("cache"), 2 << 30) == 0)
    var found: [String?] = []
    let time = try processorTime { found = try names(directory.path("cache"), at: [0x400]) }
    #expect(found == ["made"] && time < .seconds(1))
  }

  /// An image of a system isn't the debug file of an app because it is the only candidate.
  @Test func systemFileIsNotAGuess() throws {
    let directory = try TemporaryDirectory()
    try directory.write(SharedCacheBuilder().file(), to: "cache")
    let store = SymbolStore(searching: [directory.path("cache")])
    #expect(store.candidates.count == 1 && !store.hasOneFile)
    #expect(store.candidates[0].shownPath == directory.path("cache") + "(/usr/lib/libmade.dylib)")
  }

  /// `iOS DeviceSupport`, a simulator's runtime, what other tools have extracted: every layout is supported.
  @Test func extractedImagesAreFoundInAnyLayout() throws {
    let layouts = [
      "iOS DeviceSupport/iPhone12,1 18.1 (22B83)/Symbols/usr/lib/libmade.dylib",
      "RuntimeRoot/usr/lib/libmade.dylib", "System/Volumes/Preboot/Cryptexes/OS/usr/lib/libmade.dylib",
      "22B83__iPhone12,1/dyld_shared_cache_arm64e.extracted/libmade", "libmade.dylib",
    ]
    for layout in layouts {
      let directory = try TemporaryDirectory()
      var library = MachOBuilder()
      library.fileType = 6
      library.segments = [.init("__TEXT", at: 0x1_8000_0000, size: 0x10000, isCode: true)]
      library.symbols = [.init("_made", at: 0x1_8000_1000)]
      let path = "d/" + layout
      try directory.makeDirectory(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
      try directory.write(library.file(), to: path)
      let store = SymbolStore(searching: [directory.path("d")])
      let id = try #require(ImageID(bytes: library.uuid ?? []))
      let file = try store.open(try #require(store.candidates(for: id).first)).get()
      #expect(file.symbol(at: LinkedAddress(0x1_8000_1004))?.linkageName == "made", "\(layout)")
    }
  }
}
