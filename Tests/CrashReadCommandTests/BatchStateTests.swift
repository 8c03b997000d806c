import CrashReadDebugInfo
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// Whether the library that states need is installed.
let hasSQLite = (try? SQLite(path: ":memory:")) != nil

/// `--state`: inputs that were read aren't read again, and a killed run loses and repeats nothing.
@Suite(.enabled(if: hasSQLite, "libsqlite3 isn't installed")) struct BatchStateTests {
  /// A directory with reports `r/0` and so on, all different, and none changed within the last seconds.
  private func reports(_ count: Int) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("r")
    for index in 0..<count { try write(index, to: "r/\(String(format: "%04d", index))", in: directory) }
    return directory
  }

  private func write(_ index: Int, to name: String, in directory: TemporaryDirectory) throws {
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    try directory.write(text + "\nNumber \(index)\n", to: name)
  }

  private func batch(_ arguments: String..., in directory: TemporaryDirectory) throws -> CommandRun {
    try CommandRun.crashread(["batch", "r", "--state=state"] + arguments, in: directory)
  }

  @Test func inputsAreReadOnce() throws {
    let directory = try reports(5)
    let first = try batch(in: directory)
    #expect(try BatchTests.inputs(first.output).count == 5)
    let again = try batch(in: directory)
    #expect(again.output == "" && again.outcome == .exited(0))
    #expect(
      again.errors
        == "crashread: note: 5 inputs were read before, by this or an earlier run; 5 of them lacked debug files (--retry-unresolved reads those again)\n"
    )
    // One under another name, and a new one.
    try FileManager.default.moveItem(atPath: directory.path("r/0001"), toPath: directory.path("r/b"))
    try write(77, to: "r/c", in: directory)
    #expect(try BatchTests.inputs(batch(in: directory).output) == ["r/c"])
    // The same name with other contents.
    try write(78, to: "r/c", in: directory)
    #expect(try BatchTests.inputs(batch(in: directory).output) == ["r/c"])
  }

  @Test func unresolvedInputsAreRetried() throws {
    let directory = try reports(3)
    let output = ["--output=out", "--summary=json"]
    func run(_ more: String...) throws -> CommandRun {
      try CommandRun.crashread(["batch", "r", "--state=state"] + output + more, in: directory)
    }
    func lines() throws -> [Substring] { try directory.read("out").split(separator: "\n") }
    let first = try run()
    #expect(try lines().count == 3)
    // There are no new debug files: no line is written again, and the groups are unchanged.
    let same = try run("--retry-unresolved")
    #expect(try lines().count == 3 && same.output == first.output && same.errors == "")
    let symbols = "--symbols=" + Samples.path("symbols")
    let better = try run("--retry-unresolved", symbols)
    #expect(try lines().count == 6)
    #expect(try lines()[3...].allSatisfy { $0.contains("Fuga.swift") })
    #expect(better.output.contains("\"reports\": 3") && better.output.contains("Fuga.swift:17"))
    // Now they are complete.
    let last = try run("--retry-unresolved", symbols)
    #expect(try lines().count == 6 && last.output == better.output)
    #expect(last.errors == "crashread: note: 3 inputs were read before, by this or an earlier run\n")
  }

  @Test func copyIsRetriedOnce() throws {
    let directory = try reports(1)
    try write(0, to: "r/x", in: directory)
    _ = try batch(in: directory)
    _ = try batch(in: directory)
    let again = try batch("--retry-unresolved", "--symbols=" + Samples.path("symbols"), in: directory)
    #expect(try BatchTests.inputs(again.output) == ["r/0000"])
    let last = try batch("--retry-unresolved", "--symbols=" + Samples.path("symbols"), in: directory)
    #expect(last.output == "")
  }

  /// States of earlier versions don't record what was resolved, and are migrated.
  @Test(arguments: [1, 2]) func earlierVersionsAreMigrated(_ version: Int) throws {
    let directory = try reports(1)
    do {
      let database = try SQLite(path: directory.path("state"))
      for statement in [
        "PRAGMA application_id = \(0x6372_7368)", "PRAGMA user_version = \(version)",
        "CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID",
        "CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID",
        "CREATE TABLE occurrence (number INTEGER PRIMARY KEY, report BLOB)",
        "CREATE TABLE output (one INTEGER PRIMARY KEY, path TEXT, device INTEGER, inode INTEGER, length INTEGER)",
        "CREATE TABLE bad (path TEXT, id TEXT, device INTEGER, inode INTEGER, size INTEGER, changed INTEGER, time INTEGER, reason TEXT, PRIMARY KEY (path, id)) WITHOUT ROWID",
        "INSERT INTO seen VALUES (x'00112233445566778899aabbccddeeff')",
      ] { try database.run(statement) }
    }
    let run = try batch(in: directory)
    #expect(run.outcome == .exited(0) && run.errors == "", "\(run.errors)")
    #expect(try BatchTests.inputs(run.output) == ["r/0000"])
    #expect(try batch(in: directory).output == "")
  }

  @Test func errorsAreNotRepeated() throws {
    let directory = try TemporaryDirectory()
    try directory.write("nothing", to: "r")
    #expect(try batch(in: directory).output.contains("unrecognised"))
    #expect(try batch(in: directory).output == "")
    // An input that could not be read is tried again by the next run.
    try directory.write("missing", to: "list")
    for _ in 0..<2 {
      let run = try CommandRun.crashread(["batch", "--files-from=list", "--state=state"], in: directory)
      #expect(run.output.contains("unreadable"))
    }
  }

  @Test func duplicateContentIsReadOnce() throws {
    let directory = try reports(3)
    try write(0, to: "r/x", in: directory)
    #expect(try BatchTests.inputs(batch(in: directory).output) == ["r/0000", "r/0001", "r/0002"])
  }

  @Test func recordsAreIdentifiedByTheirLine() throws {
    let directory = try TemporaryDirectory()
    let lines = [#"{"id": "a", "report": "x"}"#, #"{"id": "b", "report": "x"}"#]
    let arguments = ["batch", "--records", "--state=state"]
    let first = try CommandRun.crashread(arguments, input: lines[0] + "\n", in: directory)
    #expect(try BatchTests.inputs(first.output) == ["a"])
    let second = try CommandRun.crashread(arguments, input: lines.joined(separator: "\n"), in: directory)
    #expect(try BatchTests.inputs(second.output) == ["b"])
  }

  @Test func killsLoseAndDuplicateNoResults() throws {
    let directory = try reports(120)
    let expected = try BatchTests.inputs(
      CommandRun.crashread(["batch", "r"], in: directory).output)
    #expect(expected.count == 120)
    var random = SeededRandom(seed: 8)
    for round in 0..<4 {
      for _ in 0..<4 {
        let run = try PipedRun(
          ["batch", "--files-from=-", "--state=state\(round)", "--output=out\(round)"], at: directory.url)
        let paths = expected.prefix(Int.random(in: 1...expected.count, using: &random))
        run.write(paths.joined(separator: "\n") + "\n")
        // The input stays open: the batch is busy or waits for more.
        usleep(UInt32.random(in: 0...400_000, using: &random))
        kill(run.process.processIdentifier, SIGKILL)
        #expect(run.end() != 0)
      }
      let last = try batch("--state=state\(round)", "--output=out\(round)", in: directory)
      #expect(last.outcome == .exited(0))
      #expect(try BatchTests.inputs(directory.read("out\(round)")) == expected)
    }
  }

  @Test func outputIsTruncatedOnlyToCommittedLength() throws {
    let directory = try reports(2)
    try directory.write("kept\n", to: "out")
    #expect(try batch("--output=out", in: directory).outcome == .exited(0))
    let whole = try directory.read("out")
    #expect(whole.hasPrefix("kept\n{"))
    // Written by a killed run and not committed.
    try append("{\"half", to: "out", in: directory)
    // With another output, these results would be written twice.
    let elsewhere = try batch("--output=other", in: directory)
    #expect(elsewhere.outcome == .exited(1))
    #expect(elsewhere.errors.contains("the last run with this state was interrupted while it wrote out;"))
    #expect(try batch("--output=out", in: directory).outcome == .exited(0))
    #expect(try directory.read("out") == whole)
    // Another file with that name is appended to. It is created before the old one is removed: otherwise it may get the
    // same inode.
    try directory.write("new file\n", to: "replacement")
    try FileManager.default.removeItem(atPath: directory.path("out"))
    try FileManager.default.moveItem(atPath: directory.path("replacement"), toPath: directory.path("out"))
    try write(9, to: "r/9", in: directory)
    #expect(try batch("--output=out", in: directory).outcome == .exited(0))
    #expect(try directory.read("out").hasPrefix("new file\n{"))
  }

  @Test func shortenedOutputIsRejected() throws {
    let directory = try reports(2)
    _ = try batch("--output=out", in: directory)
    let handle = try FileHandle(forWritingTo: directory.url.appending(path: "out"))
    try handle.truncate(atOffset: 10)
    try handle.close()
    let run = try batch("--output=out", in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains("bytes shorter than recorded by --state"))
    #expect(try directory.bytes("out").count == 10)
  }

  private func append(_ text: String, to name: String, in directory: TemporaryDirectory) throws {
    let handle = try FileHandle(forWritingTo: directory.url.appending(path: name))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }

  @Test func foreignFilesAreUnchanged() throws {
    let directory = try reports(1)
    for text in [
      "no database, but longer than the head of one" + String(repeating: ".", count: 1000), "short",
    ] {
      try directory.write(text, to: "state")
      let run = try batch(in: directory)
      #expect(run.outcome == .exited(1))
      #expect(run.errors.hasPrefix("crashread: --state: not a state file of crashread, or damaged"))
      #expect(run.output == "")
      #expect(try directory.read("state") == text)
    }
    try FileManager.default.removeItem(atPath: directory.path("state"))
    let other = try SQLite(path: directory.path("state"))
    try other.run("CREATE TABLE mine (a)")
    let before = try directory.bytes("state")
    #expect(
      try batch(in: directory).errors == "crashread: --state: a database, but not a state file of crashread\n"
    )
    #expect(try directory.bytes("state") == before)
  }

  @Test func damageIsAnError() throws {
    let directory = try reports(1)
    _ = try batch(in: directory)
    var bytes = try directory.bytes("state")
    for index in 100..<bytes.count { bytes[index] ^= 0x5a }
    try directory.write(bytes, to: "state")
    let run = try batch(in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors.hasPrefix("crashread: --state: "))
    #expect(try directory.bytes("state") == bytes)
  }

  @Test func oneProcessAtATime() throws {
    let directory = try reports(1)
    let first = try PipedRun(["batch", "--state=state", "--files-from=-"], at: directory.url)
    first.write("r/0000\n")
    #expect(first.line() != nil)
    #expect(try batch(in: directory).errors == "crashread: --state: another process uses it\n")
    first.closeInput()
    #expect(first.end() == 0)
    #expect(try batch(in: directory).output == "")
  }

  @Test func onlyTheUserCanReadIt() throws {
    let directory = try reports(1)
    _ = try batch(in: directory)
    let mode = try FileManager.default.attributesOfItem(atPath: directory.path("state"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }
}
