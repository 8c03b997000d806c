import Foundation
import TestSupport
import Testing

/// `crashread kind` and reports written back, by the built program.
@Suite struct KindTests {
  private static func sample(_ name: String) -> String {
    Repository.root.appending(path: "Samples/reports/\(name)").path
  }

  @Test func listsTheReportsOfEachFile() throws {
    let run = try CommandRun.crashread([
      "kind", Self.sample("text/HogeApp.crash"), Self.sample("ips/アプリ.ips"),
    ])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n").map { $0.drop { $0 != " " } }
    #expect(
      lines == [
        " appleText crash HogeApp 1.0 EXC_BREAKPOINT (SIGTRAP)",
        " ips crash アプリ 1.0 EXC_BREAKPOINT (SIGTRAP)",
      ])
  }

  @Test func missingValuesAreDashes() throws {
    let run = try CommandRun.crashread(["kind", "-"], input: "Exception Type: EXC_CRASH\n")
    #expect(run.output == "-: appleText crash - - EXC_CRASH\n")
  }

  @Test func printsOneLinePerReport() throws {
    let report = "Process: A [1]\nException Type: EXC_CRASH\n\nThread 0:\n0 A 0x1 f + 1\n\n"
    let run = try CommandRun.crashread(["kind", "-"], input: report + report)
    #expect(run.output == "-: appleText crash A - EXC_CRASH\n-: appleText crash A - EXC_CRASH\n")
  }

  @Test func continuesAfterAFileWithoutReport() throws {
    let directory = try TemporaryDirectory()
    try directory.write("nothing of the kind\n", to: "notes.txt")
    try directory.write("", to: "empty.crash")
    let run = try CommandRun.crashread(
      ["kind", "notes.txt", "empty.crash", "missing.ips", Self.sample("ips/HogeApp.ips")], in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.output.hasSuffix(" ips crash HogeApp 1.0 EXC_BREAKPOINT (SIGTRAP)\n"))
    let messages = run.errors.split(separator: "\n")
    #expect(messages.count == 3)
    #expect(messages.first?.hasPrefix("crashread: notes.txt: contains no report; expected ") == true)
    #expect(messages.dropFirst().first == "crashread: empty.crash: contains no report: it is empty")
    #expect(messages.last?.hasPrefix("crashread: missing.ips: cannot read the file: ") == true)
  }

  @Test func printsJSON() throws {
    let run = try CommandRun.crashread(
      ["kind", "-f", "json", "-"], input: "Process: A \"x\" [1]\nException Type: EXC_CRASH (SIGABRT)\n")
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let entry = try #require((value as? [[String: Any]])?.first)
    #expect(entry["input"] as? String == "-")
    #expect(entry["process"] as? String == "A \"x\"")
    #expect(entry["version"] == nil)
    #expect(entry["exception"] as? [String: String] == ["type": "EXC_CRASH", "signal": "SIGABRT"])
  }

  @Test(arguments: [
    ("HogeApp-crash", "crash", "text/HogeApp.crash"),
    ("ObjCThrow-addresses-crash", "crash", "text/ObjCThrow-addresses.crash"),
    ("HogeApp-ips-crash", "crash", "ips/HogeApp.ips"), ("HogeApp-ips", "ips", "ips/HogeApp.ips"),
  ])
  func writesReportsBack(_ name: String, _ format: String, _ report: String) throws {
    let symbols = Repository.root.appending(path: "Samples/symbols").path
    let run = try CommandRun.crashread(["--format", format, Self.sample(report), symbols])
    #expect(run.outcome == .exited(0))
    try Golden.compare(run.output, with: "Tests/Goldens/written/\(name).txt")
  }

  @Test func textCannotBeWrittenAsIPS() throws {
    let directory = try TemporaryDirectory()
    let run = try CommandRun.crashread(
      ["--format=ips", "-o", "out.ips", Self.sample("text/HogeApp.crash")], in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains("appleText cannot be written as .ips"))
    #expect(run.errors.contains("--format=crash"))
    #expect(throws: (any Error).self) { try directory.read("out.ips") }
  }
}
