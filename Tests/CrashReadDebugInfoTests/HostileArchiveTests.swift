import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Whether archives are supported by this build.
let hasLibArchive = (try? RuntimeLibrary("libarchive.so.13", package: "libarchive13")) != nil
let libArchiveIsMissing: Comment = "libarchive.so.13 is not there (Debian package libarchive13)"

/// An archive, and a directory for caches, in a directory that should hold nothing else afterwards.
struct ArchivePlace {
  let directory: TemporaryDirectory
  let caches: CacheDirectory

  init(_ bytes: [UInt8], limit: Int = CacheDirectory.defaultLimit) throws {
    directory = try TemporaryDirectory()
    caches = CacheDirectory(path: directory.path("caches"), limit: limit)
    try directory.write(bytes, to: "archive")
  }

  func extract(limits: ArchiveLimits = ArchiveLimits()) -> ExtractedArchives.Contents {
    ExtractedArchives(caches: caches, limits: limits).contents(of: directory.path("archive"))
  }

  /// The extracted files, by their paths.
  func files(_ contents: ExtractedArchives.Contents) throws -> [String] {
    guard let path = contents.directory else { return [] }
    return Samples.files(below: URL(filePath: path), "").map { String($0.dropFirst()) }
  }

  /// Everything outside of the directory for caches.
  var outside: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: directory.url.path).filter {
        !$0.hasPrefix("caches")
      }
      .sorted()
    }
  }
}

extension String {
  fileprivate func padded(to length: Int) -> String {
    self + String(repeating: " ", count: max(0, length - utf8.count))
  }
}

/// Hostile archives. The suite's tests are the attacks.
@Suite("A hostile archive", .enabled(if: hasLibArchive, libArchiveIsMissing))
struct HostileArchiveTests {
  /// A program of 64 bytes, judged by its first bytes.
  private let program: [UInt8] = [0xcf, 0xfa, 0xed, 0xfe] + [UInt8](repeating: 7, count: 60)

  private func messages(_ contents: ExtractedArchives.Contents) -> [String] {
    contents.problems.map(\.message)
  }

  @Test(
    "names that lead out of it are refused",
    arguments: ["../x", "a/../../x", "..", "./../x", "/etc/x", "/tmp/x", "a/b/../../../x", "//x"],
    [zipFile, tarFile])
  func names(_ name: String, _ archive: @Sendable ([ArchiveEntry]) -> [UInt8]) throws {
    let place = try ArchivePlace(archive([ArchiveEntry(name, program), ArchiveEntry("good", program)]))
    let contents = place.extract()
    #expect(contents.problems == [.init(entry: name, message: "its path leads out of the archive")])
    #expect(try place.files(contents) == ["good"])
    #expect(try place.outside == ["archive"])
  }

  @Test("links aren't extracted", arguments: [zipFile, tarFile])
  func links(_ archive: @Sendable ([ArchiveEntry]) -> [UInt8]) throws {
    let outside = try TemporaryDirectory()
    let place = try ArchivePlace(
      archive([
        ArchiveEntry("link", kind: .symbolicLink(outside.url.path)), ArchiveEntry("link/x", program),
        ArchiveEntry("up", kind: .symbolicLink("../../..")), ArchiveEntry("up/x", program),
      ]))
    let contents = place.extract()
    #expect(try place.files(contents) == ["link/x", "up/x"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path) == [])
    #expect(try place.outside == ["archive"])
  }

  @Test func hardLinksAreSkipped() throws {
    let outside = try TemporaryDirectory()
    try outside.write("mine", to: "file")
    let place = try ArchivePlace(
      tarFile([
        ArchiveEntry("x", kind: .hardLink(outside.path("file"))), ArchiveEntry("x", program),
        ArchiveEntry("y", program, kind: .hardLink(outside.path("file"))),
      ]))
    let contents = place.extract()
    #expect(try place.files(contents).first == "x")
    #expect(try outside.read("file") == "mine")
    let attributes = try FileManager.default.attributesOfItem(atPath: outside.path("file"))
    #expect(attributes[.referenceCount] as? Int == 1)
  }

  @Test func devicesAndPipesAreSkipped() throws {
    let place = try ArchivePlace(
      tarFile([
        ArchiveEntry("null", kind: .device), ArchiveEntry("pipe", kind: .pipe), ArchiveEntry("good", program),
      ]))
    let contents = place.extract()
    #expect(contents.problems == [])
    let found = try FileManager.default.contentsOfDirectory(atPath: try #require(contents.directory))
    #expect(found == ["good"])
  }

  @Test func duplicateNameIsWrittenOnce() throws {
    let place = try ArchivePlace(tarFile([ArchiveEntry("x", program), ArchiveEntry("x", program + [1])]))
    let contents = place.extract()
    #expect(contents.problems == [.init(entry: "x", message: "can't be extracted: open: File exists")])
    #expect(try Data(contentsOf: URL(filePath: #require(contents.directory) + "/x")).count == program.count)
  }

  @Test func fileCannotBeADirectory() throws {
    let place = try ArchivePlace(zipFile([ArchiveEntry("x", program), ArchiveEntry("x/y", program)]))
    let contents = place.extract()
    #expect(contents.problems.map(\.entry) == ["x/y"])
    #expect(try place.files(contents) == ["x"])
  }

  @Test("invalid file names are reported", arguments: [300, 5000])
  func longNames(_ length: Int) throws {
    let name = String(repeating: "n", count: length)
    let place = try ArchivePlace(tarFile([ArchiveEntry(name, program), ArchiveEntry("good", program)]))
    let contents = place.extract()
    #expect(messages(contents) == ["can't be extracted: open: File name too long"])
    #expect(try place.files(contents) == ["good"])
  }

  @Test func endlessDirectoriesAreSkipped() throws {
    let name = String(repeating: "d/", count: 1000) + "x"
    let place = try ArchivePlace(tarFile([ArchiveEntry(name, program)]))
    #expect(messages(place.extract()) == ["its path is empty or nested too deeply"])
  }

  // MARK: Size

  /// A gigabyte from a megabyte: as a debug file to extract, and as a file to skip.
  @Test("extraction stops at the limits", arguments: [true, false])
  func bombs(_ isProgram: Bool) throws {
    let head = isProgram ? program : [1, 2, 3, 4]
    let header = tarFile([ArchiveEntry("x", head)]).prefix(512)
    // The header states 8 GB, the maximum of its eleven octal digits.
    let bytes = Array(header.prefix(124)) + Array("77777777777".utf8) + Array(header.dropFirst(135))
    let sum = (bytes[..<148] + bytes[156...]).reduce(8 * 32) { $0 + Int($1) }
    let digits = Array(String(sum, radix: 8).utf8)
    let start =
      bytes[..<148] + [48, 48, 48, 48, 48, 48].dropLast(digits.count) + digits + bytes[154...] + head
    for archive in [
      gzipBomb(head: Array(start), megabytes: 1), zipBomb(name: "x", head: head, megabytes: 1),
    ] {
      let place = try ArchivePlace(archive)
      let contents = place.extract()
      #expect(contents.directory == nil)
      let isSkipped = !isProgram && archive.starts(with: [0x50])
      // In a zip file, unwanted entries aren't even read.
      #expect(
        messages(contents)
          == (isSkipped ? [] : ["it expands to more than 200 times its size; the rest is left out"]))
      #expect(try place.outside == ["archive"])
    }
  }

  @Test func nestedBombIsSkipped() throws {
    let bomb = zipBomb(name: "x", head: program, megabytes: 1)
    let place = try ArchivePlace(zipFile([ArchiveEntry("a.zip", bomb), ArchiveEntry("b.zip", bomb)]))
    let contents = place.extract()
    #expect(messages(contents) == ["it expands to more than 200 times its size; the rest is left out"])
    #expect(contents.directory == nil)
  }

  @Test func totalSizeIsLimited() throws {
    var limits = ArchiveLimits()
    limits.bytes = 150
    let place = try ArchivePlace(
      zipFile([ArchiveEntry("a", program), ArchiveEntry("b", program), ArchiveEntry("c", program)]))
    let contents = place.extract(limits: limits)
    #expect(messages(contents) == ["it expands to more than 150 bytes; the rest is left out"])
    #expect(try place.files(contents) == ["a", "b"])
  }

  /// libarchive keeps an ar file's name table in memory, and 2 KB that were compressed twice state 1 GB of it.
  @Test func compressedArFileIsSkipped() throws {
    let size = 1 << 20
    let head = "!<arch>\n//" + String(repeating: " ", count: 46) + "\(size)".padded(to: 10) + "`\n"
    let place = try ArchivePlace(gzipBomb(head: Array(head.utf8), megabytes: 1))
    #expect(messages(place.extract()) == ["Unrecognized archive format"])
    #expect(ArchiveKind(head: Array(head.utf8)) == .ar)
  }

  @Test func entryCountIsLimited() throws {
    let place = try ArchivePlace(zipFile(emptyEntries: 1_000_000))
    let contents = place.extract()
    #expect(messages(contents).last == "it has more than 200000 entries; the rest is left out")
    #expect(contents.directory == nil)
  }

  /// libarchive would hold the whole of it in memory.
  @Test func largeZipDirectoryIsNotRead() throws {
    let directory = try TemporaryDirectory()
    try directory.write(zipFile(emptyEntries: 1_000_000), to: "large")
    try directory.write(zipFile(emptyEntries: 1000), to: "small")
    #expect(ArchiveKind(path: directory.path("large")) == .zip)
    #expect(ArchiveKind(path: directory.path("small")) == .zipWithDirectory)
  }

  @Test func nestingDepthIsLimited() throws {
    func nested(_ depth: Int) -> [UInt8] {
      let inner = depth == 1 ? [] : [ArchiveEntry("inner.zip", nested(depth - 1))]
      return zipFile([ArchiveEntry("program\(depth)", program)] + inner)
    }
    let place = try ArchivePlace(nested(10))
    let contents = place.extract()
    #expect(
      try place.files(contents) == ["inner.zip/inner.zip/program8", "inner.zip/program9", "program10"])
    #expect(
      contents.problems == [
        .init(
          entry: "inner.zip/inner.zip/inner.zip",
          message: "archives nested this deeply are not opened")
      ])
  }

  // MARK: Damage

  @Test("a damaged entry is named, the others are used")
  func damagedEntry() throws {
    var bytes = zipFile(["a", "b", "c"].map { ArchiveEntry("\($0).debug", program + Array($0.utf8)) })
    let place = try #require(bytes.firstRange(of: program + Array("b".utf8)))
    bytes[place.lowerBound + 30] ^= 1
    let archive = try ArchivePlace(bytes)
    let contents = archive.extract()
    #expect(contents.problems.map(\.entry) == ["b.debug"])
    #expect(contents.problems.first?.message.contains("CRC") == true)
    #expect(try archive.files(contents) == ["a.debug", "c.debug"])
  }

  @Test("entries before a truncation are used", arguments: [zipFile, tarFile])
  func truncated(_ archive: @Sendable ([ArchiveEntry]) -> [UInt8]) throws {
    let large = program + [UInt8](repeating: 1, count: 100_000)
    let whole = archive([ArchiveEntry("first", program), ArchiveEntry("second", large)])
    for length in [1200, 2000, 70_000] {
      let place = try ArchivePlace(Array(whole.prefix(length)))
      let contents = place.extract()
      #expect(try place.files(contents) == ["first"])
      #expect(!contents.problems.isEmpty)
      #expect(try place.outside == ["archive"])
    }
  }

  @Test("any bytes give files or problems", arguments: ["dSYMs.zip", "artifact.zip", "debug.tar.gz"])
  func mutated(_ name: String) throws {
    let original = try Samples.bytes("archives/" + name)
    var random = SeededRandom(seed: 11)
    for _ in 0..<60 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(.random(in: 0..<bytes.count, using: &random)) }
      let place = try ArchivePlace(bytes)
      let contents = place.extract()
      #expect(contents.directory != nil || !contents.problems.isEmpty)
      #expect(try place.outside == ["archive"])
    }
  }

  /// A thousand files that each exceed the limit slightly cost as much as valid ones.
  @Test("failed expansion counts towards the limits")
  func failedExpansionIsCharged() throws {
    var budget = 1 << 20
    #expect(throws: DebugFileError.self) {
      _ = try expanded(gzipBomb(head: [1], megabytes: 1), limit: 300_000, spending: &budget)
    }
    #expect(budget <= (1 << 20) - 300_000)
    #expect(throws: DebugFileError.self) {
      _ = try expanded(gzipBomb(head: [1], megabytes: 1), limit: 1 << 30, spending: &budget)
    }
    #expect(budget <= 0)
    // Truncated in the middle.
    budget = 1 << 20
    #expect(throws: DebugFileError.self) {
      _ = try expanded(
        gzipBomb(head: [UInt8](repeating: 7, count: 60_000), megabytes: 0), limit: 1 << 20, spending: &budget)
    }
    #expect(budget <= (1 << 20) - 60_000)
    // Uncompressed data counts by its size.
    budget = 10
    #expect(try expanded([1, 2, 3], limit: 10, spending: &budget) == [1, 2, 3])
    #expect(budget == 7)
  }
}
