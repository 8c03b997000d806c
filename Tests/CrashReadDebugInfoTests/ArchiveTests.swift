import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

@Suite("Archives", .enabled(if: hasLibArchive, libArchiveIsMissing))
struct ArchiveTests {
  private let program: [UInt8] = [0x7f, 0x45, 0x4c, 0x46] + [UInt8](repeating: 7, count: 60)

  @Test("extract the wanted files in every format")
  func selection() throws {
    let entries = [
      ArchiveEntry("App.app/Info.plist", [1, 2, 3, 4]), ArchiveEntry("App.app/icon.png", [0x89, 1, 2, 3]),
      ArchiveEntry("App.app.dSYM/", kind: .directory),
      ArchiveEntry("App.app.dSYM/Contents/Info.plist", [1, 2, 3, 4]),
      ArchiveEntry("./App.app.dSYM/Contents/Resources/DWARF/App", program),
      ArchiveEntry("BCSymbolMaps/1.bcsymbolmap", Array("BCSymbolMap Version: 2.0\n".utf8)),
    ]
    let wanted = [
      "App.app.dSYM/Contents/Info.plist", "App.app.dSYM/Contents/Resources/DWARF/App",
      "BCSymbolMaps/1.bcsymbolmap",
    ]
    for bytes in [zipFile(entries), tarFile(entries), gzipStored(tarFile(entries))] {
      let place = try ArchivePlace(bytes)
      let contents = place.extract()
      #expect(contents.problems == [])
      #expect(try place.files(contents) == wanted)
    }
  }

  /// A gzip file of one uncompressed block, of at most 64 KB.
  private func gzipStored(_ bytes: [UInt8]) -> [UInt8] {
    var file = ByteBuilder()
    file.append(contentsOf: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1])
    file.append(UInt16(bytes.count))
    file.append(~UInt16(bytes.count))
    file.append(contentsOf: bytes)
    file.append(UInt32(0))  // the checksum isn't verified
    file.append(UInt32(bytes.count))
    return file.bytes
  }

  @Test(
    "compressed by programs of this system",
    arguments: ["gzip", "bzip2", "xz", "zstd"].filter { installedProgram($0) != nil })
  func compressed(_ name: String) throws {
    let place = try ArchivePlace(tarFile([ArchiveEntry("x.debug", program)]))
    let program = try #require(installedProgram(name))
    let run = try CommandRun(program: program, ["-f", "archive"], in: place.directory)
    #expect(run.outcome == .exited(0), "\(run.errors)")
    let ending = try #require(["gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"][name])
    let contents = ExtractedArchives(caches: place.caches).contents(
      of: place.directory.path("archive" + ending))
    #expect(try place.files(contents) == ["x.debug"])
  }

  @Test func debianPackageContainsTwoArchives() throws {
    let data = tarFile([ArchiveEntry("./usr/lib/debug/.build-id/ab/cd.debug", program)])
    let place = try ArchivePlace(
      arFile([ArchiveEntry("debian-binary", Array("2.0\n".utf8)), ArchiveEntry("data.tar", data)]))
    #expect(try place.files(place.extract()) == ["data.tar/usr/lib/debug/.build-id/ab/cd.debug"])
  }

  @Test func namesAreUnicodeInAnyLocale() throws {
    for bytes in [zipFile([ArchiveEntry("アプリ", program)]), tarFile([ArchiveEntry("アプリ", program)])] {
      let place = try ArchivePlace(bytes)
      #expect(try place.files(place.extract()) == ["アプリ"])
    }
  }

  @Test("are recognised by their first bytes")
  func kinds() throws {
    let directory = try TemporaryDirectory()
    let texts: [(String, [UInt8], Bool)] = [
      ("zip", zipFile([ArchiveEntry("x", program)]), true), ("empty", zipFile([]), true),
      ("tar", tarFile([ArchiveEntry("x", program)]), true), ("program", program, false),
      ("text", Array("PK, a report".utf8), false), ("nothing", [], false),
    ]
    for (name, bytes, isOne) in texts {
      try directory.write(bytes, to: name)
      #expect(isArchive(directory.path(name)) == isOne, "\(name)")
    }
    #expect(isNamedAsArchive("a/dSYMs.ZIP") && isNamedAsArchive("x.tar.gz") && !isNamedAsArchive("zip"))
  }

  @Test("with a misplaced directory are read from the start")
  func lyingDirectories() throws {
    let directory = try TemporaryDirectory()
    let good = zipFile([ArchiveEntry("x", program)])
    for (offset, value) in [(-6, UInt8(0xff)), (-10, 0x7f)] {
      // The last but one field is the directory's start, the one before it its size; the file must be larger than what is
      // allowed for a directory.
      var bytes = [UInt8](repeating: 0, count: 40 << 20)
      bytes.replaceSubrange(0..<4, with: [0x50, 0x4b, 3, 4])
      bytes += good
      bytes[bytes.count + offset + 3] = offset == -6 ? 0 : value
      try directory.write(bytes, to: "archive")
      #expect(ArchiveKind(path: directory.path("archive")) == .zip)
    }
  }
}

@Suite("Extracted archives", .enabled(if: hasLibArchive, libArchiveIsMissing))
struct ExtractedArchiveTests {
  private let program: [UInt8] = [0x7f, 0x45, 0x4c, 0x46] + [UInt8](repeating: 7, count: 60)

  private func archive(_ count: Int = 1) -> [UInt8] {
    zipFile((0..<count).map { ArchiveEntry("\($0).debug", program) })
  }

  /// Names in the directory for caches, without the lock.
  private func names(_ place: ArchivePlace) throws -> [String] {
    try directoryEntries(place.caches.path + "/archives").filter { $0 != "lock" }
  }

  private func inode(_ path: String?) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: #require(path))[.systemFileNumber] as? Int
  }

  @Test func areExtractedOnce() throws {
    let place = try ArchivePlace(archive())
    let first = place.extract()
    let number = try inode(first.directory)
    let second = place.extract()
    #expect(second.directory == first.directory)
    #expect(try inode(second.directory) == number)
    #expect(try names(place).count == 1)
  }

  @Test func problemsAreCached() throws {
    let place = try ArchivePlace(zipFile([ArchiveEntry("../x", program), ArchiveEntry("x", program)]))
    let problems = place.extract().problems
    #expect(problems.count == 1)
    #expect(place.extract().problems == problems)
  }

  @Test func arePrivate() throws {
    let place = try ArchivePlace(archive())
    let files = try #require(place.extract().directory)
    for (path, mode) in [(place.caches.path, 0o700), (files, 0o700), (files + "/0.debug", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  @Test func writableDirectoryIsNotUsed() throws {
    let place = try ArchivePlace(archive())
    try place.directory.makeDirectory("caches")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place.caches.path)
    let archives = ExtractedArchives(caches: place.caches)
    let contents = archives.contents(of: place.directory.path("archive"))
    #expect(try place.files(contents) == ["0.debug"])
    #expect(contents.directory?.hasPrefix(place.caches.path) == false)
  }

  @Test func changedArchiveIsExtractedAgain() throws {
    let place = try ArchivePlace(archive(1))
    #expect(try place.files(place.extract()) == ["0.debug"])
    try place.directory.write(archive(2), to: "archive")
    #expect(try place.files(place.extract()) == ["0.debug", "1.debug"])
  }

  @Test("damaged files are extracted again", arguments: ["files/0.debug", "record", "files"])
  func damage(_ name: String) throws {
    let place = try ArchivePlace(archive(2))
    let first = try #require(place.extract().directory).dropLast("/files".count)
    try FileManager.default.removeItem(atPath: first + "/" + name)
    #expect(try place.files(place.extract()) == ["0.debug", "1.debug"])
    #expect(try names(place).count == 1)
  }

  /// Locks belong to open file descriptions, so threads can represent processes.
  @Test func concurrentExtractionGivesTheSameFiles() async throws {
    let place = try ArchivePlace(archive(50))
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let archives = ExtractedArchives(caches: place.caches)
          let contents = archives.contents(of: place.directory.path("archive"))
          return withExtendedLifetime(archives) { (try? place.files(contents).count) ?? -1 }
        }
      }
      for await count in group { #expect(count == 50) }
    }
    #expect(try names(place).count == 1)
  }

  @Test func filesAreRemovedWithTheObject() throws {
    let place = try ArchivePlace(archive())
    var archives: ExtractedArchives? = ExtractedArchives(caches: nil)
    let directory = try #require(archives?.contents(of: place.directory.path("archive")).directory)
    #expect(FileManager.default.fileExists(atPath: directory + "/0.debug"))
    archives = nil
    #expect(!FileManager.default.fileExists(atPath: directory))
    #expect(try place.outside == ["archive"])
  }

  // MARK: Capacity

  @Test func leastRecentlyUsedAreRemoved() throws {
    let place = try ArchivePlace(archive(2), limit: 300)
    for name in ["b", "c"] { try place.directory.write(archive(2), to: name) }
    var user: ExtractedArchives? = ExtractedArchives(caches: place.caches)
    let used = try #require(user?.contents(of: place.directory.path("archive")).directory)

    let others = ExtractedArchives(caches: place.caches)
    let second = try #require(others.contents(of: place.directory.path("b")).directory)
    // The capacity is two; a third is kept only if the first may be removed.
    let third = try #require(others.contents(of: place.directory.path("c")).directory)
    #expect(FileManager.default.fileExists(atPath: used) && FileManager.default.fileExists(atPath: second))
    #expect(third.contains("/crashread-extracted."))
    user = nil
    let next = ExtractedArchives(caches: place.caches)
    let kept = try #require(next.contents(of: place.directory.path("c")).directory)
    #expect(!kept.contains("/crashread-extracted."))
    #expect(!FileManager.default.fileExists(atPath: used) && FileManager.default.fileExists(atPath: second))
  }

  @Test func countTowardsTheCacheLimit() throws {
    let path = Samples.path("symbols/c-divide.debug")
    let slice = try BinarySlice.first(in: path)
    let measured = try ArchivePlace([])
    _ = try measured.caches.makeCache(of: path, slice)
    let name = try #require(
      directoryEntries(measured.caches.path).first { $0.hasSuffix(CacheDirectory.suffix) })
    let size = try measured.directory.bytes("caches/" + name).count

    let place = try ArchivePlace(archive(10), limit: size + 10 * program.count - 1)
    let directory = try #require(place.extract().directory)
    _ = try place.caches.makeCache(of: path, slice)
    #expect(place.caches.hasCache(of: path, slice.summary))
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func oversizedArchiveIsUsedOnce() throws {
    let place = try ArchivePlace(archive(), limit: 10)
    var archives: ExtractedArchives? = ExtractedArchives(caches: place.caches)
    let contents = try #require(archives?.contents(of: place.directory.path("archive")))
    #expect(try place.files(contents) == ["0.debug"])
    archives = nil
    #expect(try names(place) == [])
  }

  @Test func abandonedFilesAreRemoved() throws {
    let place = try ArchivePlace(archive())
    _ = place.extract()
    let base = "caches/archives/crashread-extracted."
    for name in ["killed", "alive1"] {
      try place.directory.makeDirectory(base + name + "/1/files")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: place.directory.path(base + name))
    }
    let outside = try TemporaryDirectory()
    try outside.write("mine", to: "file")
    try place.directory.link(base + "linked", to: outside.url.path)
    let alive = unsafe open(place.directory.path(base + "alive1"), O_RDONLY)
    defer { close(alive) }
    #expect(flock(alive, LOCK_EX | LOCK_NB) == 0)

    try place.directory.write(archive(3), to: "archive")
    _ = place.extract()
    let rest = try names(place).filter { $0.hasPrefix("crashread-extracted.") }
    #expect(rest == ["crashread-extracted.alive1", "crashread-extracted.linked"])
    #expect(try outside.read("file") == "mine")
  }
}
