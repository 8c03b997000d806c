import CrashReadCore
import CrashReadDebugInfo
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadSymbolication

/// A thin Mach-O file with an identity, and with DWARF unless it is to be stripped.
func machO(
  _ number: UInt16, cpu: UInt32 = 0x0100_000c, fileType: UInt32 = 0xa, hasDWARF: Bool = true,
  sections: [String] = []
) -> [UInt8] {
  var file = MachOBuilder()
  file.cpuType = cpu
  file.fileType = fileType
  file.uuid = uuid(number)?.bytes
  file.segments = [
    .init("__TEXT", at: 0x4000, size: 0x1000, isCode: true, sections: sections.map { .init($0, [1]) })
  ]
  if hasDWARF {
    file.segments.append(.init("__DWARF", at: 0x8000, size: 0x10, sections: [.init("__debug_info", [1])]))
  }
  return file.file()
}

/// The identity of a made file.
func uuid(_ number: UInt16) -> ImageID? {
  let ending = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
  return ImageID(bytes: [0x4c] + [UInt8](repeating: 7, count: 13) + ending)
}

extension SymbolStore {
  func candidates(for id: ImageID?) -> [Candidate] { id.map { candidates(for: $0) } ?? [] }
}

@Suite("The stored index of a directory")
struct SearchIndexTests {
  /// A directory with enough files for an index.
  private static let count: UInt16 = 250
  private let directory: TemporaryDirectory
  private let caches: CacheDirectory

  init() throws {
    directory = try TemporaryDirectory()
    caches = CacheDirectory(path: directory.path("caches"))
    try directory.makeDirectory("dSYMs/sub")
    for number in 0..<Self.count { try write(number) }
    try directory.write("no binary", to: "dSYMs/readme.txt")
  }

  private func write(_ number: UInt16, to name: String? = nil) throws {
    try directory.write(machO(number), to: "dSYMs/sub/" + (name ?? "App\(number)"))
  }

  /// Waits until each file's last change is old enough for its times to be conclusive.
  private func settle() async throws { try await Task.sleep(for: .milliseconds(2100)) }

  private func search() -> SymbolStore { SymbolStore(searching: [directory.path("dSYMs")], caches: caches) }

  private var keptFiles: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: caches.path)) ?? []).filter {
      $0.hasSuffix(".cache")
    }
  }

  private func keptName() throws -> String {
    try #require(keptFiles.first).split(separator: "-").prefix(2).joined(separator: "-")
  }

  private func kept() throws -> SearchIndex {
    let bytes = try #require(caches.kept(try keptName()))
    return try #require(SearchIndex(decoding: bytes))
  }

  @Test func recentFilesAreNotStored() throws {
    #expect(search().candidates.count == Int(Self.count))
    #expect(keptFiles.isEmpty)
  }

  @Test func isUsedButValidated() async throws {
    try await settle()
    #expect(search().candidates.count == Int(Self.count))
    #expect(keptFiles.count == 1)
    let permissions = try FileManager.default.attributesOfItem(atPath: caches.path + "/" + keptFiles[0])
    #expect(permissions[.posixPermissions] as? Int == 0o600)

    // A wrong index shows that it is used, and that the file is nevertheless read again before use.
    var lie = try kept()
    let (status, contents) = try #require(lie.files.first { $0.value == .binaries([summary(7)]) })
    #expect(contents == .binaries([summary(7)]))
    lie.add(.binaries([summary(999)]), of: status)
    caches.keep(lie.encoded, as: try keptName())
    let store = search()
    #expect(store.candidates(for: uuid(7)).isEmpty)
    let candidate = try #require(store.candidates(for: uuid(999)).first)
    guard case .failure(.changed(let found)) = store.open(candidate) else {
      Issue.record("a file was used without a look at it")
      return
    }
    #expect(found == [uuid(7)])
  }

  private func summary(_ number: UInt16) -> BinarySlice.Summary {
    BinarySlice.Summary(
      layout: .machO, id: uuid(number), architecture: .arm64, fileOffset: 0, hasDWARF: true, sizeOfDWARF: 1,
      debugLink: nil, isDSYM: true, isDebugDylibStub: false)
  }

  @Test func changesAreDetected() async throws {
    try await settle()
    _ = search()
    #expect(keptFiles.count == 1)

    try write(1000)  // new
    try write(1001, to: "App1")  // overwritten
    try FileManager.default.removeItem(atPath: directory.path("dSYMs/sub/App2"))
    try FileManager.default.moveItem(
      atPath: directory.path("dSYMs/sub/App3"), toPath: directory.path("dSYMs/sub/Moved"))
    try overwriteInPlace("dSYMs/sub/App4", with: machO(1004))
    try directory.makeDirectory("dSYMs/later")
    try directory.write(machO(1005), to: "dSYMs/later/App")
    try overwriteInPlace("dSYMs/readme.txt", with: machO(1006))

    let store = search()
    for number: UInt16 in [1000, 1001, 1004, 1005, 1006, 3, 5] {
      #expect(store.candidates(for: uuid(number)).count == 1, "\(number)")
    }
    for number: UInt16 in [1, 2, 4] { #expect(store.candidates(for: uuid(number)).isEmpty, "\(number)") }
    #expect(store.candidates(for: uuid(3)).first?.path.hasSuffix("/Moved") == true)
    #expect(
      store.candidates.map(\.path) == SymbolStore(searching: [directory.path("dSYMs")]).candidates.map(\.path)
    )
  }

  /// Same inode and same length; the time of writing is set back, as `rsync --times --inplace` does.
  private func overwriteInPlace(_ name: String, with bytes: [UInt8]) throws {
    let path = directory.path(name)
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data(bytes))
    try file.close()
    try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: path)
  }

  @Test func isRebuiltWhenDamaged() async throws {
    try await settle()
    _ = search()
    let path = caches.path + "/" + (try #require(keptFiles.first))
    let whole = try Data(contentsOf: URL(filePath: path))
    for (offset, isTruncated) in [
      (0, false), (50, false), (whole.count - 1, false), (whole.count / 2, true), (47, true),
    ] {
      var bytes = whole
      if isTruncated { bytes = bytes.prefix(offset) } else { bytes[offset] ^= 1 }
      try bytes.write(to: URL(filePath: path))
      #expect(caches.kept(try keptName()) == nil)
      #expect(search().candidates.count == Int(Self.count))
      // Sorted, since dictionaries have no order.
      #expect(try kept().count > Int(Self.count))
    }
    // Files of other users aren't read.
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    #expect(caches.kept(try keptName()) == nil)
  }

  @Test func isNotStoredForFewFilesOrWithoutCaches() async throws {
    for number in 100..<Self.count {
      try FileManager.default.removeItem(atPath: directory.path("dSYMs/sub/App\(number)"))
    }
    try await settle()
    #expect(search().candidates.count == 100)
    #expect(keptFiles.isEmpty)
    #expect(SymbolStore(searching: [directory.path("dSYMs")]).candidates.count == 100)
  }
}

@Suite("An index as bytes")
struct SearchIndexCodingTests {
  private var index: SearchIndex {
    func status(_ number: UInt64, _ kind: FileKind) -> FileStatus {
      FileStatus(id: .init(device: 1, inode: number), kind: kind, size: 5, written: -1, changed: .max)
    }
    var index = SearchIndex()
    index.add(["b", "a ü", ""], of: status(1, .directory))
    index.add([], of: status(2, .directory))
    index.add(.noBinary, of: status(3, .file))
    index.add(.damaged("damaged: a header"), of: status(4, .file))
    let link = DebugLink(name: "x.debug", checksum: .max)
    index.add(
      .binaries([
        .init(
          layout: .elf, id: ImageID(bytes: Array(1...20)), architecture: nil, fileOffset: 0, hasDWARF: false,
          sizeOfDWARF: 0, debugLink: link, isDSYM: false, isDebugDylibStub: false),
        .init(
          layout: .machO, id: nil, architecture: .arm64e, fileOffset: 1 << 40, hasDWARF: true,
          sizeOfDWARF: 77,
          debugLink: nil, isDSYM: true, isDebugDylibStub: true),
      ]), of: status(5, .file))
    return index
  }

  @Test func roundTrips() {
    #expect(SearchIndex(decoding: index.encoded) == index)
    #expect(SearchIndex(decoding: SearchIndex().encoded) == SearchIndex())
  }

  @Test func invalidBytesAreRejected() {
    let bytes = index.encoded
    for count in 0..<bytes.count { #expect(SearchIndex(decoding: Array(bytes[..<count])) == nil) }
    #expect(SearchIndex(decoding: bytes + [0]) == nil)
    var random = SeededRandom(seed: 7)
    for _ in 0..<2000 {
      var damaged = bytes
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // Many still have contents, which `stat` then contradicts; none may trap or loop forever.
      _ = SearchIndex(decoding: damaged)
    }
  }
}
