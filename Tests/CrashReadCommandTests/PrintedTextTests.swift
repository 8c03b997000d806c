import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// Help, the manual pages and the version, as the built program prints them.
@Suite struct PrintedTextTests {
  @Test(arguments: [
    ("help-short", ["-h"]), ("help-long", ["--help"]),
    ("version", ["--version"]),
    ("completion.bash", ["--generate=bash"]), ("completion.zsh", ["--generate=zsh"]),
    ("completion.fish", ["--generate=fish"]),
  ])
  func isAsRecorded(_ name: String, _ arguments: [String]) throws {
    let run = try CommandRun.crashread(arguments)
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    try Golden.compare(run.output, with: "Tests/Goldens/command/\(name).txt")
  }

  @Test(arguments: Verb.named, ["short", "long"]) func helpOfVerbsIsAsRecorded(
    _ verb: Verb, _ form: String
  ) throws {
    let run = try CommandRun.crashread(form == "short" ? [verb.rawValue, "-h"] : ["help", verb.rawValue])
    #expect(run.outcome == .exited(0))
    try Golden.compare(run.output, with: "Tests/Goldens/command/\(verb.rawValue)-help-\(form).txt")
  }

  @Test func manualPageIsTheCommittedOne() throws {
    let run = try CommandRun.crashread(["--generate=man"])
    #expect(run.outcome == .exited(0))
    try Golden.compare(run.output, with: "man/crashread.1")
  }

  @Test(arguments: Verb.allCases, [60, 80, 100])
  func helpFitsItsWidth(_ verb: Verb, _ width: Int) {
    // Only unbreakable text may exceed the width: synopses, and command lines to copy.
    let lines = Help(verb: verb, isLong: true, width: width).text.split(separator: "\n")
    let long = lines.filter { $0.count > width }.map { $0.drop { $0 == " " } }
    #expect(long.allSatisfy { $0.hasPrefix("crashread ") || $0.hasPrefix("Usage: ") })
  }

  @Test func widthIsThatOfTheTerminal() throws {
    let run = try CommandRun.crashread(["-h"], environment: ["COLUMNS": "60"])
    #expect(run.output == Help(verb: .report, isLong: false, width: 60).text)
  }

  @Test(arguments: ["crashread.1", "crashread-json.5"]) func everyManualPageGivesTheVersion(
    _ page: String
  ) throws {
    let text = try String(contentsOf: Repository.root.appending(path: "man/\(page)"), encoding: .utf8)
    #expect(text.contains("\(Version.date) \"crashread \(Version.number)\""))
  }

  @Test(.enabled(if: installedProgram("man") != nil), arguments: ["crashread.1", "crashread-json.5"])
  func manPrintsWithoutWarning(_ page: String) throws {
    let man = try #require(installedProgram("man"))
    let file = Repository.root.appending(path: "man/\(page)").path
    let run = try CommandRun(program: man, ["--warnings", "-l", file], environment: ["LC_ALL": "C.UTF-8"])
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    #expect(run.output.contains("SEE ALSO"))
  }

  @Test(.enabled(if: installedProgram("mandoc") != nil), arguments: ["crashread.1", "crashread-json.5"])
  func mandocFindsNoFault(_ page: String) throws {
    let mandoc = try #require(installedProgram("mandoc"))
    let file = Repository.root.appending(path: "man/\(page)").path
    let run = try CommandRun(program: mandoc, ["-T", "lint", "-W", "warning", file])
    #expect(run.outcome == .exited(0))
    #expect(run.output == "")
  }

  @Test func jsonExamplesAreJSON() throws {
    let page = try String(
      contentsOf: Repository.root.appending(path: "man/crashread-json.5"), encoding: .utf8)
    let examples = page.components(separatedBy: ".EX\n").dropFirst()
      .compactMap { $0.components(separatedBy: ".EE").first }
      .filter { $0.hasPrefix("{") }
    #expect(examples.count == 2)
    for example in examples {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(example.utf8)) }
    }
  }
}
