import Foundation
import TestSupport
import Testing

/// `crashread symbols` and caches, in the built program.
@Suite struct SymbolsTests {
  private let dSYM = Samples.path("symbols/NullNode.dSYM")
  private var file: String { dSYM + "/Contents/Resources/DWARF/NullNode" }

  @Test func listsEveryBinary() throws {
    let run = try CommandRun.crashread(["symbols", dSYM, Samples.path("symbols/c-divide.debug")])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    let report = try String(contentsOfFile: Samples.path("reports/text/c-divide.crash"), encoding: .utf8)
    let image = try #require(report.split(separator: "\n").first { $0.contains(" c-divide x86_64 ") })
    let id = try #require(image.split(separator: "<").last).prefix { $0 != ">" }
    #expect(
      run.output == """
        \(file): 4C4C44AE-5555-3144-A163-13B119ED2F01 x86_64 Mach-O DWARF - 0x100000000
        \(file): 4C4C4424-5555-3144-A1A4-72A204734204 arm64 Mach-O DWARF - 0x100000000
        \(Samples.path("symbols/c-divide.debug")): \(id) x86_64 ELF DWARF - 0x0

        """)
  }

  @Test func printsJSON() throws {
    let run = try CommandRun.crashread(["symbols", "--format=json", "--arch=arm64", dSYM])
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let entry = try #require((value as? [[String: Any]])?.first)
    #expect((value as? [[String: Any]])?.count == 1)
    #expect(entry["path"] as? String == file)
    #expect(entry["id"] as? String == "4C4C4424-5555-3144-A1A4-72A204734204")
    #expect(entry["arch"] as? String == "arm64")
    #expect(entry["layout"] as? String == "machO")
    #expect((entry["dwarfSize"] as? Int ?? 0) > 100)
    #expect(entry["cached"] as? Bool == false)
  }

  @Test func makesCaches() throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--cache", "caches", "--uuid=4C4C4424-5555-3144-A1A4-72A204734204", dSYM]
    let first = try CommandRun.crashread(["symbols", "--index"] + arguments, in: directory)
    #expect(first.outcome == .exited(0))
    #expect(first.output.hasSuffix(" arm64 Mach-O DWARF cached 0x100000000\n"))
    let listed = try CommandRun.crashread(["symbols", "--cache=caches", dSYM], in: directory)
    #expect(listed.output.contains(" x86_64 Mach-O DWARF - 0x100000000\n"))
    #expect(listed.output.contains(" arm64 Mach-O DWARF cached 0x100000000\n"))

    let addresses = (0..<100).map { "0x" + String(0x1_0000_0400 + 12 * $0, radix: 16) }
    let cached = try CommandRun.crashread(["lookup"] + arguments + addresses, in: directory)
    let uncached = try CommandRun.crashread(["lookup"] + arguments.dropFirst(2) + addresses, in: directory)
    #expect(cached.outcome == .exited(0))
    #expect(cached.output == uncached.output)
    #expect(cached.output.contains("main"))
  }

  @Test func environmentVariableIsTheDefault() throws {
    let directory = try TemporaryDirectory()
    let run = try CommandRun.crashread(
      ["symbols", "--index", dSYM],
      environment: ["CRASHREAD_CACHE": "", "XDG_CACHE_HOME": directory.path("xdg")])
    #expect(run.outcome == .exited(0))
    #expect(FileManager.default.fileExists(atPath: directory.path("xdg/crashread/lock")))
    let home = try CommandRun.crashread(
      ["symbols", "--index", dSYM],
      environment: ["CRASHREAD_CACHE": "", "XDG_CACHE_HOME": "relative", "HOME": directory.path("home")])
    #expect(home.outcome == .exited(0))
    #expect(FileManager.default.fileExists(atPath: directory.path("home/.cache/crashread/lock")))
  }

  @Test func reportsWhyNoCacheIsMade() throws {
    let off = try CommandRun.crashread(["symbols", "--index", "--cache=off", dSYM])
    #expect(off.outcome == .exited(1))
    #expect(off.errors.contains("--index needs a directory"))
    let directory = try TemporaryDirectory()
    try directory.write("", to: "file")
    let blocked = try CommandRun.crashread(
      ["symbols", "--index", "--cache=file/caches", dSYM], in: directory)
    #expect(blocked.outcome == .exited(1))
    #expect(blocked.errors.contains("no cache was created in file/caches: "))
    #expect(blocked.output.contains("arm64"))
  }

  /// A limit on the size of files simulates a full disk.
  @Test(.disabled(if: isSanitized, "the limit is on the sanitizer's own files, too"))
  func noPartialFilesAreLeft() throws {
    let directory = try TemporaryDirectory()
    let command = #"trap "" XFSZ; ulimit -f 1; exec "$0" symbols --index --cache=caches --arch=arm64 "$1""#
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"), ["-c", command, builtProgram("crashread").path, dSYM], in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains("no cache was created in caches: "))
    #expect(run.errors.contains("File too large"))
    #expect(run.output.hasSuffix(" arm64 Mach-O DWARF - 0x100000000\n"))
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path("caches"))
    #expect(left == ["lock"])
  }

  /// A cache directory that can't be used is no error, and isn't mentioned unless it was requested.
  @Test(arguments: ["file/caches", "/proc/no/such", "/dev/null", ""])
  func lookupWorksWithoutCaches(_ cache: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "file")
    let run = try CommandRun.crashread(
      ["lookup", "--arch=arm64", dSYM, "0x100000400"],
      environment: ["CRASHREAD_CACHE": cache, "HOME": "/proc"],
      in: directory)
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
  }

  @Test func reportsPathsWithoutBinaries() throws {
    let run = try CommandRun.crashread(["symbols", Samples.path("README.md"), "missing"])
    #expect(run.outcome == .exited(1))
    #expect(run.output == "")
    #expect(run.errors.split(separator: "\n").count == 2)
  }
}
