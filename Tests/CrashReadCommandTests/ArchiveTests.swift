import CrashReadCore
import CrashReadDebugInfo
import CrashReadSystem
import Foundation
import TestSupport
import Testing

/// Archives of debug files in their usual layouts.
@Suite(
  "Archives as operands",
  .enabled(
    if: (try? RuntimeLibrary("libarchive.so.13", package: "libarchive13")) != nil,
    "libarchive.so.13 is not there (Debian package libarchive13)"))
struct ArchiveOperandTests {
  /// The main job's answer is that of the dSYM itself.
  @Test(
    "give the same answers as the files in them",
    arguments: [
      ("HogeApp.crash", "HogeApp.app.dSYM", "dSYMs.zip"),
      ("HogeApp.crash", "HogeApp.app.dSYM", "artifact.zip"),
      ("HogeApp.crash", "HogeApp.app.dSYM", "HogeApp.xcarchive"),
      ("アプリ.crash", "アプリ.app.dSYM", "dSYMs.zip"), ("cpp-inline.crash", "cpp-inline.debug", "debug.tar.gz"),
    ])
  func answers(_ report: String, _ symbols: String, _ archive: String) throws {
    let report = Samples.path("reports/text/" + report)
    let archive = Samples.path("archives/" + archive)
    let expected = try CommandRun.crashread([report, Samples.path("symbols/" + symbols)])
    try #require(expected.output.contains(/\.(swift|cpp|h):\d+/))
    let directory = try TemporaryDirectory()
    for variables in [[:], ["CRASHREAD_CACHE": "caches"], ["CRASHREAD_CACHE": "caches"]] {
      let run = try CommandRun.crashread([report, archive], environment: variables, in: directory)
      #expect(run.outcome == .exited(0))
      #expect(run.errors == "")
      #expect(run.output == expected.output)
    }
  }

  @Test func debugFileIsNamedByItsPathInTheArchive() throws {
    let archive = Samples.path("archives/artifact.zip")
    let run = try CommandRun.crashread(
      ["--format=json", Samples.path("reports/ips/HogeApp.ips"), "--symbols", archive])
    let place = archive + "/build/dSYMs.zip/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"
    #expect(run.output.contains("\"debugFile\": \"\(place)\""))
    #expect(run.output.contains("\"path\": \"\(place)\""))
  }

  /// An archive that was truncated at a limit is extracted again for a larger limit.
  @Test func archiveSizeIsLimited() throws {
    let archive = Samples.path("archives/debug.tar.gz")
    let directory = try TemporaryDirectory()
    let arguments = ["symbols", "--cache=caches", archive]
    let cut = try CommandRun.crashread(arguments + ["--limit=archive-size=1000"], in: directory)
    #expect(cut.errors.contains("it expands to more than 1000 bytes; the rest is left out"))
    #expect(cut.outcome == .exited(1))
    let whole = try CommandRun.crashread(arguments, in: directory)
    #expect(whole.errors == "" && whole.output.split(separator: "\n").count == 2)
  }

  @Test func lookupAndSymbolsReadArchives() throws {
    let archive = Samples.path("archives/debug.tar.gz")
    let listed = try CommandRun.crashread(["symbols", archive])
    #expect(
      listed.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
        == ["c-abort", "cpp-inline"].map { "\(archive)/debug/\($0).debug" })
    let file = Samples.path("symbols/c-abort.debug")
    let id = try #require(BinarySlice.all(in: file).first?.id?.description)
    let addresses = (0..<64).map { "0x" + String(0x1100 + 16 * $0, radix: 16) }
    let found = try CommandRun.crashread(["lookup", "--uuid=\(id)", archive] + addresses)
    let expected = try CommandRun.crashread(["lookup", file] + addresses)
    #expect(found.outcome == .exited(0))
    #expect(found.output == expected.output)
    #expect(found.output.contains("c_abort.c"))
  }

  /// In a directory with other files, only files with the name of an archive are examined.
  @Test func archivesInDirectoriesAreRecognisedByName() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples.bytes("archives/dSYMs.zip"), to: "1.zip")
    try directory.write(Samples.bytes("archives/debug.tar.gz"), to: "2.data")
    try directory.write("no archive", to: "3.zip")
    let run = try CommandRun.crashread(["symbols", directory.url.path])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    #expect(run.output.split(separator: "\n").count == 2)
    let named = try CommandRun.crashread(["symbols", directory.path("2.data")])
    #expect(named.output.split(separator: "\n").count == 2)
  }

  @Test func damagedEntriesAreReportedAndOthersUsed() throws {
    let directory = try TemporaryDirectory()
    let program = try Samples.bytes("symbols/c-abort.debug")
    var bytes = zipFile(["a", "b"].map { ArchiveEntry($0 + ".debug", program + Array($0.utf8)) })
    bytes[program.count / 2] ^= 0x40
    try directory.write(bytes, to: "x.zip")
    let run = try CommandRun.crashread(
      [Samples.path("reports/text/c-abort.crash"), directory.path("x.zip")])
    #expect(run.outcome == .exited(1))
    #expect(run.errors.hasPrefix("crashread: \(directory.path("x.zip"))/a.debug: "))
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.output.contains("c_abort.c"))
  }

  @Test(
    "without a debug file are reported", arguments: [zipFile, tarFile])
  func nothingOfUse(_ archive: @Sendable ([ArchiveEntry]) -> [UInt8]) throws {
    let directory = try TemporaryDirectory()
    try directory.write(archive([ArchiveEntry("readme", [1, 2])]), to: "x")
    let run = try CommandRun.crashread([Samples.path("reports/text/c-abort.crash"), directory.path("x")])
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: \(directory.path("x")): contains no Mach-O or ELF file\n")
  }

  /// The dynamic linker finds an invalid library first.
  @Test func missingLibraryIsReported() throws {
    let directory = try TemporaryDirectory()
    try directory.write("no library", to: "libarchive.so.13")
    let archive = Samples.path("archives/dSYMs.zip")
    let run = try CommandRun.crashread(
      [Samples.path("reports/text/HogeApp.crash"), archive],
      environment: ["LD_LIBRARY_PATH": libraryPath(before: directory.url.path)])
    #expect(run.outcome == .exited(1))
    #expect(
      run.errors.hasPrefix("crashread: \(archive): needs libarchive.so.13 (Debian package libarchive13): "))
    #expect(run.output.contains("HogeApp 1.0 (1) crashed"))
  }
}

/// `LD_LIBRARY_PATH` with a directory in front.
func libraryPath(before directory: String) -> String {
  let former = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
  return ([directory] + (former.map { [$0] } ?? [])).joined(separator: ":")
}
