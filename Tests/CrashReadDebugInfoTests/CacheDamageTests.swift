import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Whatever replaces a cache, the results are those of the debug file.
@Suite("A cache that can't be used")
struct CacheDamageTests {
  private let path = Samples.path("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp")
  private let slice: BinarySlice
  private let files: CachedFiles
  private let original: DebugFile
  private let addresses: [LinkedAddress]
  private let name: String

  init() throws {
    slice = try BinarySlice.first(in: path)
    files = try CachedFiles()
    original = try DebugFile(path: path, slice: slice)
    addresses = testAddresses(in: slice, count: 60, seed: 5)
    _ = try files.cached(path, slice)
    name = try "deep/caches/" + #require(files.names.first)
  }

  private func isAnsweredAlike() throws -> Bool {
    let file = try DebugFile(path: path, slice: slice, caches: files.caches)
    return firstDifference(original, file, at: addresses) == nil
  }

  private var isUsable: Bool { files.caches.hasCache(of: path, slice.summary) }

  @Test func isUsedWhenIntact() throws {
    #expect(isUsable)
    let file = try DebugFile(path: path, slice: slice, caches: files.caches)
    #expect(firstDifference(original, file, at: addresses) == nil)
    #expect(file.isAnsweredByCache)
  }

  @Test func isIgnoredWhenTruncated() throws {
    let bytes = try files.directory.bytes(name)
    let page = CacheFormat.pageSize
    for border in stride(from: 0, through: bytes.count, by: page) {
      for size in [border - 1, border, border + 1, border + 100] where (0..<bytes.count).contains(size) {
        try files.directory.write(Array(bytes[..<size]), to: name)
        #expect(!isUsable, "cut to \(size) bytes")
        #expect(try isAnsweredAlike(), "cut to \(size) bytes")
      }
    }
    try files.directory.write(bytes + [0], to: name)
    #expect(!isUsable)
  }

  @Test func isNotTrustedWhenDamaged() throws {
    let bytes = try files.directory.bytes(name)
    var random = SeededRandom(seed: 11)
    var ignored = 0
    var noticed = 0
    // Every byte of the header's fields, and samples of all else.
    let places =
      Array(0..<300)
      + (0..<(testsEverything ? 700 : 200)).map { _ in Int.random(in: 0..<bytes.count, using: &random) }
    for place in places {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try files.directory.write(damaged, to: name)
      let file = try DebugFile(path: path, slice: slice, caches: files.caches)
      if !file.isAnsweredByCache { ignored += 1 }
      #expect(firstDifference(original, file, at: addresses) == nil, "byte \(place)")
      if !file.isAnsweredByCache { noticed += 1 }
    }
    #expect(ignored >= 300)
    #expect(noticed > ignored)
  }

  @Test func isRebuiltWhenDamaged() throws {
    var bytes = try files.directory.bytes(name)
    bytes[CacheFormat.pageSize + 1] ^= 1
    try files.directory.write(bytes, to: name)
    #expect(try files.caches.makeCache(of: path, slice))
    #expect(try !files.caches.makeCache(of: path, slice))
  }

  /// A cache with valid checksums and wrong contents must not trap.
  @Test func forgedContentsDoNotTrap() throws {
    let bytes = try files.directory.bytes(name)
    var random = SeededRandom(seed: 12)
    for _ in 0..<(testsEverything ? 300 : 100) {
      var lying = bytes
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        lying[.random(in: CacheFormat.Field.sections..<CacheFormat.Field.keySize, using: &random)] =
          .random(in: 0...255, using: &random)
      }
      try files.directory.write(signed(lying), to: name)
      _ = try isAnsweredAlike()
      lying = bytes
      for _ in 0..<Int.random(in: 1...200, using: &random) {
        lying[.random(in: CacheFormat.pageSize..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      try files.directory.write(signed(lying), to: name)
      _ = try isAnsweredAlike()
    }
  }

  /// The same bytes with checksums that fit them.
  private func signed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    func sum(_ range: Range<Int>) -> UInt64 {
      unsafe Array(bytes[range]).withUnsafeBytes { unsafe checksum($0) }
    }
    func put(_ value: UInt64, at offset: Int) {
      for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
    let page = CacheFormat.pageSize
    let table = bytes.count / (page + 8) * page + (bytes.count % (page + 8) == page ? page : 0)
    for (index, start) in stride(from: page, to: table, by: page).enumerated() {
      put(sum(start..<start + page), at: table + 8 * index)
    }
    put(sum(table..<bytes.count), at: CacheFormat.Field.tableChecksum)
    put(sum(0..<CacheFormat.Field.checksum), at: CacheFormat.Field.checksum)
    return bytes
  }

  @Test func signingKeepsIntactFiles() throws {
    let bytes = try files.directory.bytes(name)
    #expect(signed(bytes) == bytes)
  }

  @Test func isIgnoredInAnotherVersion() throws {
    var bytes = try files.directory.bytes(name)
    bytes[CacheFormat.Field.version] += 1
    try files.directory.write(signed(bytes), to: name)
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
  }

  @Test func isIgnoredUnderAnotherName() throws {
    let other = Samples.path("symbols/c-divide.debug")
    let otherSlice = try BinarySlice.first(in: other)
    _ = try files.caches.makeCache(of: other, otherSlice)
    let otherName = try #require(try files.names.first { !name.hasSuffix($0) })
    try files.directory.write(try files.directory.bytes("deep/caches/" + otherName), to: name)
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
  }

  @Test func isIgnoredWhenTheFileChanges() throws {
    let copy = files.directory.path("copy")
    try files.directory.write(Samples.bytes("symbols/c-divide.debug"), to: "copy")
    let slice = try BinarySlice.first(in: copy)
    #expect(try files.caches.makeCache(of: copy, slice))
    #expect(files.caches.hasCache(of: copy, slice.summary))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: copy)
    #expect(!files.caches.hasCache(of: copy, slice.summary))
    // The new cache replaces the old one.
    let count = try files.names.count
    #expect(try files.caches.makeCache(of: copy, slice))
    #expect(files.caches.hasCache(of: copy, slice.summary))
    #expect(try files.names.count == count)
    // Moving a file changes its status-change time as well, which can't be set back, unlike the modification time.
    try FileManager.default.moveItem(atPath: copy, toPath: copy + ".moved")
    #expect(!files.caches.hasCache(of: copy + ".moved", slice.summary))
  }

  @Test func isIgnoredAsALink() throws {
    let place = files.directory.path(name)
    try FileManager.default.moveItem(atPath: place, toPath: files.directory.path("elsewhere"))
    try files.directory.link(name, to: files.directory.path("elsewhere"))
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
    // The new cache replaces the link.
    #expect(try files.caches.makeCache(of: path, slice))
    #expect(isUsable)
  }

  @Test func isIgnoredWhenNotARegularFile() throws {
    let place = files.directory.path(name)
    try FileManager.default.removeItem(atPath: place)
    try files.directory.makeDirectory(name)
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
    try FileManager.default.removeItem(atPath: place)
    try files.directory.makePipe(name)
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
  }

  @Test(arguments: [("", 0o777), ("/", 0o770)])
  func isIgnoredWhenOthersCanWrite(_ place: String, _ mode: Int) throws {
    let target = place == "" ? files.directory.path(name) : files.caches.path
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target)
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
    if place != "" {
      #expect(throws: DebugFileError.self) { try files.caches.makeCache(of: path, slice) }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func isIgnoredWhenOwnedByAnotherUser() throws {
    let isGiven = unsafe chown(files.directory.path(name), 65_534, 65_534) == 0
    #expect(isGiven)
    #expect(!isUsable)
    #expect(try isAnsweredAlike())
    let isDirectoryGiven = unsafe chown(files.caches.path, 65_534, 65_534) == 0
    #expect(isDirectoryGiven)
    #expect(throws: DebugFileError.self) { try files.caches.makeCache(of: path, slice) }
  }

  @Test func leftoversAreRemoved() throws {
    try files.directory.write("half", to: name + ".new")
    try FileManager.default.removeItem(atPath: files.directory.path(name))
    #expect(try files.caches.makeCache(of: path, slice))
    #expect(isUsable)
    #expect(try files.names.count == 1)
  }
}
