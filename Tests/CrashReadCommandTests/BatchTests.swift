import Foundation
import TestSupport
import Testing

/// `crashread batch`: which inputs it reads, in which order, and what it prints of each.
@Suite struct BatchTests {
  static let symbols = ["--symbols", "Samples/symbols"]
  static let report = "Samples/reports/text/HogeApp.crash"

  /// The `input` of each line.
  static func inputs(_ output: String) throws -> [String] {
    try output.split(separator: "\n").map { line in
      let document = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(document?["input"] as? String)
    }
  }

  @Test(arguments: ["on", "off"]) func resultsEqualSingleRuns(_ isolation: String) throws {
    let batch = try CommandRun.crashread(
      atRoot: ["batch", "Samples/reports", "--isolate=\(isolation)"] + Self.symbols)
    #expect(batch.outcome == .exited(0))
    var single = ""
    for report in Samples.reports {
      single += try CommandRun.crashread(atRoot: ["--format=ndjson", "Samples/" + report] + Self.symbols)
        .output
    }
    #expect(single.split(separator: "\n").count >= Samples.reports.count)
    #expect(batch.output == single)
  }

  @Test(arguments: 1...4) func keepsTheOrder(_ jobs: Int) throws {
    // Inputs of very different sizes: results don't arrive in the order in which they were started.
    let large = Samples.reports.max { size($0) < size($1) }.map { "Samples/" + $0 } ?? Self.report
    let list = (0..<60).map { $0 % 7 == 0 ? large : $0 % 2 == 0 ? Self.report : "missing-\($0)" }
    let run = try CommandRun.crashread(
      atRoot: ["batch", "--jobs=\(jobs)", "--files-from=-"], input: list.joined(separator: "\n"))
    #expect(try Self.inputs(run.output) == list)
    #expect(run.outcome == .exited(1))
  }

  private func size(_ sample: String) -> Int { (try? Samples.bytes(sample).count) ?? 0 }

  @Test func otherFilesInDirectoriesAreSkipped() throws {
    let directory = try TemporaryDirectory()
    for folder in ["r/b", "r/a.dSYM"] { try directory.makeDirectory(folder) }
    try directory.write(try Samples.bytes("reports/text/HogeApp.crash"), to: "r/b/z.txt")
    try directory.write(try Samples.bytes("reports/text/HogeApp.crash"), to: "r/a.crash")
    try directory.write(try Samples.bytes("reports/text/HogeApp.crash"), to: "r/a.dSYM/Info.plist")
    try directory.write([0x89, 0x50, 0x4e, 0x47, 1, 2, 3], to: "r/image.png")
    try directory.write(try Samples.bytes("symbols/c-abort.debug"), to: "r/binary")
    try directory.write("", to: "r/empty")
    let run = try CommandRun.crashread(["batch", "r"], in: directory)
    #expect(try Self.inputs(run.output) == ["r/a.crash", "r/b/z.txt"])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "crashread: note: 2 files in directories contain no report\n")
    // If there is nothing else, the directory is probably the wrong one.
    try directory.makeDirectory("none/empty")
    try directory.write("nothing", to: "none/a.txt")
    let none = try CommandRun.crashread(["batch", "none"], in: directory)
    #expect(none.outcome == .exited(1) && none.output == "")
    #expect(none.errors == "crashread: the directories contain no report; 1 other file was skipped\n")
    #expect(try CommandRun.crashread(["batch", "none/empty"], in: directory).outcome == .exited(1))
    // One that was named is an error.
    let named = try CommandRun.crashread(["batch", "r/image.png", "r/a.crash"], in: directory)
    #expect(
      named.output.hasPrefix(#"{"schemaVersion":1,"input":"r/image.png","error":{"kind":"unrecognised""#))
    #expect(named.outcome == .exited(1))
  }

  @Test func linkCyclesTerminate() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("r/s")
    try directory.write(try Samples.bytes("reports/text/HogeApp.crash"), to: "r/s/a")
    try directory.link("r/s/up", to: directory.path("r"))
    let run = try CommandRun.crashread(["batch", "r"], in: directory)
    #expect(try Self.inputs(run.output) == ["r/s/a"])
  }

  @Test func readsLists() throws {
    let directory = try TemporaryDirectory()
    let bytes = try Samples.bytes("reports/text/HogeApp.crash")
    for name in ["a", "b\nb", "c"] { try directory.write(bytes, to: name) }
    try directory.write("c\n\na", to: "list")
    let lines = try CommandRun.crashread(["batch", "--files-from=list", "a"], in: directory)
    #expect(try Self.inputs(lines.output) == ["a", "c", "a"])
    let zeros = try CommandRun.crashread(["batch", "-0"], input: "b\nb\0a\0", in: directory)
    #expect(try Self.inputs(zeros.output) == ["b\nb", "a"])
    // Without operands and options standard input is a list.
    #expect(
      try Self.inputs(CommandRun.crashread(["batch"], input: "a\nc\n", in: directory).output) == ["a", "c"])
  }

  /// `find` lists directories and what is in them, in either order.
  @Test(arguments: ["", "-depth"]) func filesListedByFindAreReadOnce(_ option: String) throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("r/s")
    for name in ["r/a", "r/s/b"] {
      try directory.write(try Samples.bytes("reports/text/HogeApp.crash"), to: name)
    }
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"),
      ["-c", #"find r $1 -print0 | "$0" batch -0"#, builtProgram("crashread").path, option], in: directory)
    #expect(try Self.inputs(run.output).sorted() == ["r/a", "r/s/b"])
    #expect(run.errors.contains("2 directories in lists were skipped"))
    #expect(run.outcome == .exited(0))
  }

  @Test func readsRecords() throws {
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    let literal = String(
      decoding: try JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed), as: UTF8.self)
    let records = [
      #"{"id": "first", "report": \#(literal)}"#, "",
      #"{"path": "Samples/reports/text/HogeApp.crash", "id": 7}"#,
      #"{"id": "empty", "report": ""}"#, "no JSON",
      #"{"id": "object", "report": {"crash": {"no": "report"}}}"#,
      #"{"report": \#(literal)}"#,
    ]
    let run = try CommandRun.crashread(
      atRoot: ["batch", "--records"] + Self.symbols, input: records.joined(separator: "\n"))
    let inputs = try Self.inputs(run.output)
    #expect(inputs == ["first", "7", "empty", "line 5", "object", "line 7"])
    let lines = run.output.split(separator: "\n")
    let single = try CommandRun.crashread(atRoot: ["--format=ndjson", Self.report] + Self.symbols)
    for (line, name) in [(0, "first"), (1, "7"), (5, "line 7")] {
      #expect(lines[line] == single.output.replacing(Self.report, with: name).dropLast())
    }
    #expect(lines[2].contains(#""kind":"empty""#))
    #expect(lines[3].contains(#""kind":"unrecognised","message":"not a record"#))
    #expect(lines[4].contains(#""kind":"unrecognised","message":"neither"#))
  }

  @Test func recordsAreAnsweredImmediately() throws {
    let run = try PipedRun(["batch", "--records", "--jobs=2"])
    for id in 1...3 {
      run.write(#"{"id": "\#(id)", "path": "\#(Self.report)"}"# + "\n")
      #expect(run.line()?.hasPrefix(#"{"schemaVersion":1,"input":"\#(id)","report""#) == true)
    }
    run.closeInput()
    #expect(run.line() == nil)
    #expect(run.end() == 0)
  }

  @Test func exitsWhenThePipeIsClosed() throws {
    let run = try PipedRun(["batch", "--jobs=2"])
    run.closeOutput()
    for _ in 0..<20 { run.write(Self.report + "\n") }
    // It must end although its input doesn't, and so must its workers.
    let children = run.children
    #expect(run.end() == 0)
    #expect(children.allSatisfy { kill($0, 0) != 0 })
  }

  @Test func workersExitWhenBatchIsKilled() async throws {
    let run = try PipedRun(["batch", "--jobs=2"])
    run.write(Self.report + "\n")
    _ = run.line()
    let children = run.children
    #expect(children.count == 2)
    kill(run.process.processIdentifier, SIGKILL)
    #expect(run.end() == -SIGKILL)
    for _ in 0..<6000 where children.contains(where: { kill($0, 0) == 0 }) { usleep(10_000) }
    #expect(children.allSatisfy { kill($0, 0) != 0 })
  }

  @Test func memoryDoesNotGrow() throws {
    let run = try PipedRun(["batch", "--jobs=2"] + Self.symbols)
    var early = 0
    for count in 1...900 {
      run.write(Self.report + "\n")
      try #require(run.line() != nil)
      if count == 300 { early = peak(of: run) }
    }
    let late = peak(of: run)
    #expect(early > 0)
    #expect(late < early + 8 << 20, "from \(early) to \(late) bytes")
    run.closeInput()
    #expect(run.end() == 0)
  }

  /// The peak memory of the batch and its workers together, in bytes.
  private func peak(of run: PipedRun) -> Int {
    ([run.process.processIdentifier] + run.children).reduce(0) { sum, process in
      let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return sum + (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) << 10
    }
  }

  @Test func largeInputsAreErrors() throws {
    let run = try CommandRun.crashread(atRoot: ["batch", "--limit=report-size=1024", Self.report])
    #expect(
      run.output.contains(
        #""kind":"unreadable","message":"cannot read the file: a file of more than 1024 bytes"#))
    #expect(run.outcome == .exited(1))
    let records = try CommandRun.crashread(
      atRoot: ["batch", "--limit=report-size=1024", "--records"],
      input: #"{"report": "\#(String(repeating: "x", count: 10_000))"}"# + "\n"
        + #"{"id": "b", "report": "x"}"# + "\n")
    #expect(try Self.inputs(records.output) == ["line 1", "b"])
    #expect(records.output.contains("the line is too long"))
  }

  @Test func debugFilesAreRecognisedByContent() throws {
    let run = try CommandRun.crashread(
      atRoot: ["batch", Self.report, "Samples/symbols/HogeApp.app.dSYM", "Samples/symbols/c-abort.debug"])
    #expect(try Self.inputs(run.output) == [Self.report])
    #expect(run.output.contains(#""status":"matched""#))
    let missing = try CommandRun.crashread(atRoot: ["batch", Self.report, "--symbols=missing"])
    #expect(missing.outcome == .exited(1))
    #expect(missing.errors.hasPrefix("crashread: missing: stat: "))
    #expect(missing.errors.split(separator: "\n").count == 1)
  }

  @Test func writesToAFile() throws {
    let directory = try TemporaryDirectory()
    let path = try builtProgramPath(of: Self.report)
    for _ in 0..<2 {
      let run = try CommandRun.crashread(["batch", path, "-o", "out"], in: directory)
      #expect(run.output == "" && run.outcome == .exited(0))
    }
    #expect(try Self.inputs(directory.read("out")) == [path])
  }

  private func builtProgramPath(of report: String) throws -> String {
    Repository.root.appending(path: report).path
  }
}
