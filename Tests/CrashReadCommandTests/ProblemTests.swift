import Foundation
import TestSupport
import Testing

private let hoge = "Samples/reports/text/HogeApp.crash"
private let hogeSymbols = "Samples/symbols/HogeApp.app.dSYM"

@Suite("Problems with inputs")
struct ProblemTests {
  private func path(_ name: String, _ bytes: [UInt8], in directory: TemporaryDirectory) throws -> String {
    try directory.write(bytes, to: name)
    return directory.path(name)
  }

  @Test func fileOfAnotherBuildIsRejectedWithBothIdentities() throws {
    let run = try CommandRun.crashread(atRoot: [
      "Samples/reports/other/HogeApp-other-build.crash", hogeSymbols,
    ])
    #expect(run.outcome == .exited(1))
    let file = hogeSymbols + "/Contents/Resources/DWARF/HogeApp"
    #expect(run.errors.hasPrefix("crashread: \(file): not used: it is "))
    #expect(run.errors.contains("--allow-mismatch"))
    #expect(run.output.contains("wanted: "))
    #expect(run.output.contains("given:  \(file) has "))
    #expect(!run.output.contains("Fuga.swift"))
  }

  @Test func fileOfAnotherBuildIsMarkedWhenAllowed() throws {
    let run = try CommandRun.crashread(
      atRoot: ["--allow-mismatch", "Samples/reports/other/HogeApp-other-build.crash", hogeSymbols])
    #expect(run.outcome == .exited(0))
    #expect(run.output.contains("Fuga.swift:17"))
    #expect(run.output.contains("(a guess: the debug file's identity is not proven)"))
  }

  @Test func missingDebugFilesAreExplained() throws {
    let run = try CommandRun.crashread(atRoot: [hoge])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    #expect(run.output.contains("Why  "))
    #expect(run.output.contains("Missing debug files"))
    let json = try Document(CommandRun.crashread(atRoot: ["--format", "json", hoge]).output)
    let id = try #require(json.images.first { $0.name == "HogeApp" }?.id)
    #expect(id.utf8.count == 36)
    #expect(run.output.contains("wanted: \(id) (arm64)"))
  }

  @Test("with --strict, an unresolved frame of the app makes the run fail", arguments: [[], [hogeSymbols]])
  func strict(_ symbols: [String]) throws {
    let run = try CommandRun.crashread(atRoot: ["--strict", hoge] + symbols)
    #expect(run.outcome == .exited(symbols.isEmpty ? 1 : 0))
  }

  struct Unreadable: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]?
    var message: String
    var testDescription: String { name }
  }

  private static let unreadable = [
    Unreadable(name: "absent", message: "cannot read the file: open: No such file or directory"),
    Unreadable(name: "empty", bytes: [], message: "the file is empty; a crash report was expected"),
    Unreadable(
      name: "blank", bytes: [32, 10, 32], message: "the file is empty; a crash report was expected"),
    Unreadable(
      name: "picture.png",
      bytes: [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
      message: "neither a report nor a debug file; expected Apple's text report (.crash), an .ips file"),
    Unreadable(name: "other.json", bytes: Array("{\"a\": 1}".utf8), message: "neither a report nor"),
    Unreadable(
      name: "tombstone", bytes: Array("Build fingerprint: 'moon'\n\nBuild fingerprint: 'tide'\n".utf8),
      message: "a crash report of Android; crashread reads those of Apple's systems"),
    Unreadable(
      name: "event.txt",
      bytes: Array("Problem Event Name:\tAPPCRASH\nOS Version: 6.0\nException Code: c0000005\n".utf8),
      message: "a crash report of Windows; crashread reads those of Apple's systems"),
    Unreadable(name: "diary.txt", bytes: Array("Dear diary,\n".utf8), message: "neither a report nor"),
  ]

  @Test("a file without a report is reported, and the others are read", arguments: unreadable)
  func noReport(_ example: Unreadable) throws {
    let directory = try TemporaryDirectory()
    if let bytes = example.bytes { try directory.write(bytes, to: example.name) }
    let path = directory.path(example.name)
    let alone = try CommandRun.crashread([path])
    #expect(alone.outcome == .exited(1))
    #expect(alone.output == "")
    #expect(alone.errors.hasPrefix("crashread: \(path): \(example.message)"), "\(alone.errors)")

    let both = try CommandRun.crashread(atRoot: [path, hoge, hogeSymbols])
    #expect(both.outcome == .exited(1))
    #expect(both.errors == alone.errors)
    #expect(both.output.contains("Fuga.swift:17"))
  }

  @Test func unreadableFileIsReported() throws {
    let directory = try TemporaryDirectory()
    let path = try path("secret.crash", Samples.bytes("reports/text/HogeApp.crash"), in: directory)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    let run = try CommandRun.crashread([path])
    // The superuser may read everything.
    if FileManager.default.isReadableFile(atPath: path) {
      #expect(run.outcome == .exited(0))
    } else {
      #expect(run.outcome == .exited(1))
      #expect(run.errors == "crashread: \(path): cannot read the file: open: Permission denied\n")
    }
  }

  @Test func directoryWithoutDebugFilesIsReported() throws {
    let directory = try TemporaryDirectory()
    try directory.write("text", to: "readme")
    let run = try CommandRun.crashread(atRoot: [hoge, directory.url.path])
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: \(directory.url.path): contains no Mach-O or ELF file\n")
    #expect(run.output.contains("Missing debug files"))
  }

  @Test func sourceFolderIsNoDebugFile() throws {
    let run = try CommandRun.crashread(atRoot: [hoge, "Samples/sources"])
    #expect(
      run.errors.contains(
        "Samples/sources: note: source files are looked up in the folders given with --source-root"))
    let other = try CommandRun.crashread(atRoot: [hoge, "man"])
    #expect(!other.errors.contains("--source-root"))
  }

  @Test func missingCodeIsReported() throws {
    let run = try CommandRun.crashread(atRoot: ["--code", hoge])
    #expect(run.errors.contains("\(hoge): note: there is no code to show"))
    #expect(!(try CommandRun.crashread(atRoot: [hoge])).errors.contains("no code"))
  }

  @Test func debugFilesAloneAreAUsageError() throws {
    let run = try CommandRun.crashread(atRoot: [hogeSymbols])
    #expect(run.outcome == .exited(2))
    #expect(run.output == "")
    #expect(run.errors.contains("no report among the operands"))
    #expect(run.errors.contains("crashread lookup"))
  }

  @Test func damagedDebugFileIsReported() throws {
    let directory = try TemporaryDirectory()
    let whole = try Samples.bytes("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp")
    let path = try path("HogeApp", Array(whole.prefix(2000)), in: directory)
    let run = try CommandRun.crashread(atRoot: [hoge, path])
    #expect(run.outcome == .exited(1))
    #expect(run.errors.hasPrefix("crashread: \(path): damaged: "))
    #expect(run.output.contains("Missing debug files"))
  }

  @Test func standardInputIsAReport() throws {
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    let run = try CommandRun.crashread(atRoot: ["--format", "json", hogeSymbols, "-"], input: text)
    #expect(run.outcome == .exited(0))
    let document = try Document(run.output)
    #expect(document.input == "-")
    #expect(document.crashedFrames.first?.locations.count == 3)
    let empty = try CommandRun.crashread(atRoot: ["-"])
    #expect(empty.outcome == .exited(1))
    #expect(empty.errors == "crashread: -: the file is empty; a crash report was expected\n")
  }

  @Test func outputFileEqualsStandardOutput() throws {
    let directory = try TemporaryDirectory()
    let direct = try CommandRun.crashread(atRoot: [hoge, hogeSymbols])
    let run = try CommandRun.crashread(atRoot: ["--output", directory.path("result"), hoge, hogeSymbols])
    #expect(run.outcome == .exited(0))
    #expect(run.output == "")
    #expect(try directory.read("result") == direct.output)
    let failed = try CommandRun.crashread(atRoot: ["--output", "/nonexistent/result", hoge])
    #expect(failed.outcome == .exited(1))
    #expect(failed.errors == "crashread: /nonexistent/result: cannot write: No such file or directory\n")
  }

  @Test func severalReportsKeepTheirOrder() throws {
    let reports = [hoge, "Samples/reports/ips/JumpNull.ips", "Samples/reports/text/c-divide.crash"]
    let json = try CommandRun.crashread(atRoot: ["--format", "json", "Samples/symbols"] + reports)
    #expect(json.outcome == .exited(0))
    let documents = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(documents?.compactMap { $0["input"] as? String } == reports)
    let text = try CommandRun.crashread(atRoot: reports)
    let lines = text.output.split(separator: "\n")
    let heads = lines.filter { $0.contains(" crashed: ") && !$0.hasPrefix("Thread") }
    #expect(heads.map { $0.prefix(4) } == ["Hoge", "Jump", "c-di"])
    #expect(text.output.contains("\n────"))
  }

  @Test func colourIsOptional() throws {
    let plain = try CommandRun.crashread(atRoot: [hoge, hogeSymbols])
    let coloured = try CommandRun.crashread(atRoot: ["--color=always", hoge, hogeSymbols])
    #expect(!plain.output.contains("\u{1b}"))
    #expect(coloured.output.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain.output)
    #expect(coloured.output != plain.output)
  }
}

@Suite("Truncated reports")
struct TruncatedReportTests {
  @Test("keep the frames before the truncation", arguments: ["text/HogeApp.crash", "ips/HogeApp.ips"])
  func cuts(_ report: String) throws {
    let whole = try Samples.bytes("reports/" + report)
    let directory = try TemporaryDirectory()
    var maximum = 0
    for part in 1..<40 {
      let bytes = Array(whole.prefix(whole.count * part / 40))
      try directory.write(bytes, to: "cut")
      let run = try CommandRun.crashread(["--format", "json", directory.path("cut")])
      #expect([.exited(0), .exited(1)].contains(run.outcome), "\(part)/40")
      if run.outcome == .exited(1) {
        #expect(run.errors.contains(directory.path("cut")))
        #expect(part < 8, "\(part)/40 should be enough to know the report")
        continue
      }
      let frames = try Document(run.output).threads.map(\.frames.count).reduce(0, +)
      #expect(frames >= maximum, "\(part)/40")
      #expect(frames >= wholeFrames(in: bytes), "\(part)/40")
      maximum = max(maximum, frames)
    }
    #expect(maximum >= 20)
  }

  @Test("A report larger than the limit is refused", arguments: [[], ["kind"]])
  func large(_ verb: [String]) throws {
    let path = "Samples/reports/text/HogeApp.crash"
    let size = try Samples.bytes("reports/text/HogeApp.crash").count
    let refused = try CommandRun.crashread(atRoot: verb + ["--limit", "report-size=\(size - 1)", path])
    #expect(refused.outcome == .exited(1) && refused.errors.contains("more than \(size - 1) bytes"))
    let read = try CommandRun.crashread(atRoot: verb + ["--limit", "report-size=\(size)", path])
    #expect(read.outcome == .exited(0))
  }

  /// The number of complete frames in a truncated report, counted in its text.
  private func wholeFrames(in bytes: [UInt8]) -> Int {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.hasPrefix("{") {
      return text.split(separator: "}", omittingEmptySubsequences: false).dropLast().count {
        $0.contains("\"imageOffset\"")
      }
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.count { $0.contains(/^[0-9]+ +\S+ +\t/) }
  }
}
