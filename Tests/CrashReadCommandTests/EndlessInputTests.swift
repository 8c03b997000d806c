import CrashReadCore
import CrashReadDebugInfo
import Foundation
import TestSupport
import Testing

/// Inputs that block forever: a FIFO without a writer, a pipe of another process.
@Suite struct EndlessInputTests {
  private static let report = Samples.path("reports/text/HogeApp.crash")

  private func directory() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makePipe("fifo")
    try directory.write("fifo\n", to: "list")
    return directory
  }

  @Test(
    "a FIFO without a writer is refused as a report",
    arguments: [
      "fifo", "kind fifo", "symbols --for fifo .", "symbols fifo", "lookup fifo 0x1", "batch fifo",
      "batch --state=state fifo", "batch --files-from=list", "batch --files-from=list --state=state",
      "batch --files-from=list --isolate=off", "batch --state=fifo list",
      "batch list --state=state --output=fifo",
    ])
  func fifo(_ arguments: String) throws {
    let run = try CommandRun.crashread(
      arguments.split(separator: " ").map(String.init), in: directory())
    #expect(run.outcome == .exited(1))
    #expect(!(run.output + run.errors).isEmpty)
  }

  @Test(
    "a FIFO without a writer is an empty log and an empty list of addresses",
    arguments: [
      "ci --log=fifo", "ci --watch-dir=.", "lookup --addresses=fifo \(Samples.path("symbols/c-abort.debug"))",
    ])
  func empty(_ arguments: String) throws {
    let run = try CommandRun.crashread(
      arguments.split(separator: " ").map(String.init), in: directory())
    #expect(run.outcome == .exited(0))
  }

  @Test("only regular files in a bundle are read", arguments: ["Info.plist", "Resources/UUID.plist"])
  func bundle(_ name: String) throws {
    let directory = try TemporaryDirectory()
    let source = Samples.path("symbols/HogeApp.app.dSYM")
    try FileManager.default.copyItem(atPath: source, toPath: directory.path("App.dSYM"))
    let program = "App.dSYM/Contents/Resources/DWARF/HogeApp"
    let slice = try #require(BinarySlice.all(in: directory.path(program)).first)
    let place = name.replacing("UUID", with: slice.id?.description ?? "")
    try? FileManager.default.removeItem(atPath: directory.path("App.dSYM/Contents/" + place))
    try directory.makePipe("App.dSYM/Contents/" + place)
    // A hidden name leads to the property list.
    var bytes = try directory.bytes(program)
    for found in bytes.ranges(of: Array("HogeViewController".utf8)).reversed() {
      bytes.replaceSubrange(found, with: Array("__hidden#1_".utf8) + [UInt8](repeating: 0x5f, count: 7))
    }
    try directory.write(bytes, to: program)
    for arguments in [[Self.report, "App.dSYM"], ["symbols", "--for", Self.report, "App.dSYM"]] {
      let run = try CommandRun.crashread(arguments, in: directory)
      #expect(run.outcome != .timedOut)
      #expect(run.output.contains("HogeApp"))
    }
  }

  @Test(
    "a worker doesn't read reports from its standard input",
    arguments: ["-", "/dev/stdin", "/proc/self/fd/0"])
  func records(_ path: String) throws {
    for arguments in [["--records"], ["--records", "--state=state"], ["--files-from=-"]] {
      let line = arguments[0] == "--records" ? #"{"path": "\#(path)"}"# : path
      let next = arguments[0] == "--records" ? #"{"path": "\#(Self.report)"}"# : Self.report
      let run = try CommandRun.crashread(
        ["batch", "--jobs=1"] + arguments, input: line + "\n" + next + "\n", in: TemporaryDirectory())
      let lines = run.output.split(separator: "\n")
      try #require(lines.count == 2, "\(arguments): \(run.output) \(run.errors)")
      #expect(lines[0].contains(#""kind":"unreadable""#) || path != "-" && lines[0].contains("unrecognised"))
      #expect(lines[1].contains(#""report":{"#))
    }
  }

  @Test("a pipe of the shell's process substitution is read", arguments: ["", "kind"])
  func pipes(_ verb: String) throws {
    let run = try CommandRun(
      program: URL(filePath: "/bin/bash"),
      ["-c", #""$0" $1 <(sleep 1.5; cat "$2")"#, builtProgram("crashread").path, verb, Self.report])
    #expect(run.outcome == .exited(0))
    #expect(run.output.contains("HogeApp"))
  }
}
