import CrashReadCore
import CrashReadSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Large debug files that `CRASHREAD_LARGE_FILES` names, separated by colons: none is in the repository.
private let largeFiles =
  ProcessInfo.processInfo.environment["CRASHREAD_LARGE_FILES"]?.split(separator: ":").map(String.init) ?? []

/// A directory for caches, and files with a cache in it.
struct CachedFiles {
  let directory: TemporaryDirectory
  let caches: CacheDirectory

  init(limit: Int = CacheDirectory.defaultLimit) throws {
    directory = try TemporaryDirectory()
    caches = CacheDirectory(path: directory.path("deep/caches"), limit: limit)
  }

  /// The files in the directory for caches.
  var names: [String] { get throws { try directoryEntries(caches.path).filter { $0 != "lock" } } }

  func cached(_ path: String, _ slice: BinarySlice) throws -> DebugFile {
    _ = try caches.makeCache(of: path, slice)
    return try DebugFile(path: path, slice: slice, caches: caches)
  }
}

/// Addresses throughout a binary's code, and around the boundaries of what DWARF covers.
func testAddresses(in slice: BinarySlice, count: Int, seed: UInt64) -> [LinkedAddress] {
  var random = SeededRandom(seed: seed)
  return (0..<count).compactMap { _ in
    guard let range = slice.codeRanges.randomElement(using: &random) else { return nil }
    return LinkedAddress(.random(in: range.lowerBound.rawValue..<range.upperBound.rawValue, using: &random))
  }
}

/// Whether the results of two files are equal, including symbols; the first address at which they aren't.
func firstDifference(_ left: DebugFile, _ right: DebugFile, at addresses: [LinkedAddress]) -> LinkedAddress? {
  addresses.first {
    left.frames(at: $0) != right.frames(at: $0) || left.symbol(at: $0) != right.symbol(at: $0)
  }
}

@Suite("A cache")
struct CacheTests {
  /// The numbers of compared addresses in code and at function boundaries.
  private static let addresses = testsEverything ? 20_000 : 3_000

  @Test("gives the answers of its debug file", arguments: debugFiles + largeFiles)
  func answers(_ path: String) throws {
    for slice in try BinarySlice.all(in: path) where slice.hasDWARF {
      let files = try CachedFiles()
      let original = try DebugFile(path: path, slice: slice)
      let cached = try files.cached(path, slice)
      let random = testAddresses(in: slice, count: Self.addresses, seed: 3)
      #expect(firstDifference(original, cached, at: random) == nil)
      #expect(firstDifference(original, cached, at: aroundFunctions(original)) == nil)
      let starts = Set(original.functions.map { LinkedAddress($0.address) })
      #expect(original.foldedNames(beginningAt: starts) == cached.foldedNames(beginningAt: starts))
      #expect(cached.isAnsweredByCache)
    }
  }

  /// The first and last addresses of each function, and those beside them.
  private func aroundFunctions(_ file: DebugFile) -> [LinkedAddress] {
    let borders = file.functionRanges
    #expect(!borders.isEmpty)
    var addresses: [LinkedAddress] = []
    for index in stride(from: 0, to: borders.count, by: max(1, borders.count / Self.addresses)) {
      let (low, high) = (borders[index].low, borders[index].high)
      let middle = low + (high - low) / 2
      for address in [low &- 1, low, low &+ 1, low &+ 4, middle, high &- 1, high] {
        addresses.append(LinkedAddress(address))
      }
    }
    return addresses
  }

  @Test func answersFarAddresses() throws {
    let path = Samples.path("symbols/c-divide.debug")
    let slice = try BinarySlice.first(in: path)
    let files = try CachedFiles()
    let cached = try files.cached(path, slice)
    let original = try DebugFile(path: path, slice: slice)
    let addresses = [0, 1, 0x1000, 0xffff_ffff, 0x1_0000_0000, 0x1_0000_1000, .max - 1, .max].map {
      LinkedAddress($0)
    }
    #expect(firstDifference(original, cached, at: addresses) == nil)
  }

  @Test func isPrivate() throws {
    let files = try CachedFiles()
    let path = Samples.path("symbols/c-divide.debug")
    _ = try files.cached(path, try BinarySlice.first(in: path))
    let names = try files.names
    #expect(names.count == 1)
    for (path, mode) in [(files.caches.path, 0o700), (files.caches.path + "/" + names[0], 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  @Test func isMadeOnce() throws {
    let files = try CachedFiles()
    let path = Samples.path("symbols/c-divide.debug")
    let slice = try BinarySlice.first(in: path)
    #expect(try files.caches.makeCache(of: path, slice))
    #expect(try !files.caches.makeCache(of: path, slice))
    #expect(!files.caches.isBusy)
  }

  /// A file with the same size and modification time at the same path, with other contents.
  @Test func fileReplacedInPlaceIsReread() throws {
    let files = try CachedFiles()
    let directory = try TemporaryDirectory()
    let path = directory.path("file")
    var bytes = try Samples.bytes("symbols/c-divide.debug")
    try directory.write(bytes, to: "file")
    let times = try FileManager.default.attributesOfItem(atPath: path)
    let slice = try BinarySlice.first(in: path)
    #expect(try files.caches.makeCache(of: path, slice))
    #expect(files.caches.hasCache(of: path, slice.summary))
    bytes[bytes.count - 1] ^= 1
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    try FileManager.default.setAttributes(
      [.modificationDate: times[.modificationDate] as Any], ofItemAtPath: path)
    #expect(!files.caches.hasCache(of: path, slice.summary))
  }

  /// Each property of the file and the version makes keys differ; caches of two versions have two names.
  @Test func keysDistinguishStates() throws {
    let path = Samples.path("symbols/c-divide.debug")
    let summary = try BinarySlice.first(in: path).summary
    let status = try FileStatus(path)
    let changes: [(inout FileStatus) -> Void] = [
      { $0.id.device += 1 }, { $0.id.inode += 1 }, { $0.size += 1 }, { $0.written += 1 }, { $0.changed += 1 },
    ]
    var keys: Set = [CacheKey(status, summary).bytes, CacheKey(status, summary, version: 0).bytes]
    for change in changes {
      var other = status
      change(&other)
      keys.insert(CacheKey(other, summary).bytes)
    }
    #expect(keys.count == changes.count + 2)
    #expect(CacheKey(status, summary).fileName != CacheKey(status, summary, version: 0).fileName)
  }

  /// Locks belong to open file descriptions, so threads can represent processes: one writes, the others use no cache.
  @Test func concurrentCreationGivesOneCache() async throws {
    let files = try CachedFiles()
    let path = Samples.path("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp")
    let slice = try BinarySlice.first(in: path)
    let made = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? files.caches.makeCache(of: path, slice)) == true } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(made == 1)
    #expect(try files.names.count == 1)
    let cached = try DebugFile(path: path, slice: slice, caches: files.caches)
    let addresses = testAddresses(in: slice, count: 2000, seed: 5)
    #expect(firstDifference(try DebugFile(path: path, slice: slice), cached, at: addresses) == nil)
    #expect(cached.isAnsweredByCache)
  }

  @Test func leastRecentlyUsedIsRemoved() throws {
    let paths = ["c-divide.debug", "c-abort.debug", "cpp-inline.debug"].map { Samples.path("symbols/" + $0) }
    let slices = try paths.map { try BinarySlice.first(in: $0) }
    let sizes = try CachedFiles()
    for (path, slice) in zip(paths, slices) { _ = try sizes.cached(path, slice) }
    let sum = try sizes.names.reduce(0) { try $0 + sizes.directory.bytes("deep/caches/" + $1).count }

    let files = try CachedFiles(limit: sum - 1)
    for (index, path) in paths.dropLast().enumerated() {
      _ = try files.caches.makeCache(of: path, slices[index])
    }
    // The first was used last.
    let first = try #require(slices[0].id).description
    for name in try files.names where !name.hasPrefix(first) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: files.caches.path + "/" + name)
    }
    _ = try files.caches.makeCache(of: paths[2], slices[2])
    #expect(zip(paths, slices).map { files.caches.hasCache(of: $0, $1.summary) } == [true, false, true])
  }

  @Test func oversizedCacheIsNotKept() throws {
    let files = try CachedFiles(limit: 100)
    let path = Samples.path("symbols/c-divide.debug")
    let slice = try BinarySlice.first(in: path)
    #expect(throws: DebugFileError.self) { try files.caches.makeCache(of: path, slice) }
    #expect(try files.names.isEmpty)
  }
}

extension DebugFile {
  /// Where functions begin and end, by DWARF.
  fileprivate var functionRanges: [RangeTable.Entry] {
    guard let file = try? MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0),
      let handle = try? DwarfHandle(file, slice: slice)
    else { return [] }
    let index = UnitIndex(handle, splitFiles: SplitFiles(of: path), codeRanges: slice.codeRanges)
    return index.units.flatMap { unit in
      unit.search.map { unit.functionTable($0, skipsBodies: false).entries } ?? []
    }
  }
}

extension DebugFile {
  /// Whether a cache is in use, and the file itself was not needed so far.
  var isAnsweredByCache: Bool { state.withLock { $0.cache?.isDamaged == false && $0.contents == nil } }
}
