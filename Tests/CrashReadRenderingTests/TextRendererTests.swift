import CrashRead
import CrashReadDiagnosis
import CrashReadReports
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@testable import CrashReadRendering

@Suite("The text output")
struct TextRendererTests {
  private func analysis(_ text: String) -> ReportAnalysis { exampleAnalysis(text) }

  private func text(
    _ analysis: ReportAnalysis, _ change: (inout RenderingStyle) -> Void = { _ in }
  ) -> String {
    rendered([analysis], as: .text, change)
  }

  @Test(
    "contains no control characters from the report",
    arguments: ["\u{1b}[2J", "\u{9b}2J", "a\rb", "x\u{202e}y", "b\u{8}", "a\u{7}"])
  func hostileTexts(_ evil: String) {
    let output = text(analysis(evil))
    let harmful = output.unicodeScalars.filter {
      $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202e}")
    }
    #expect(harmful.isEmpty)
    #expect(output.contains("\\u{"))
  }

  @Test func lineBreaksInTextForgeNoLine() {
    let output = text(analysis("calm\nThread 9 crashed"))
    #expect(!output.split(separator: "\n").contains { $0.hasPrefix("Thread 9 crashed") })
  }

  @Test("shows registers and codes with all threads, in columns that fit", arguments: [60, 80, 140])
  func registers(_ width: Int) throws {
    let report = try #require(
      try CrashReader(symbols: []).analyze(contentsOf: Samples.path("reports/text/HogeApp.crash")).first)
    #expect(!text(report).contains("\nRegisters\n"))
    let output = text(report) { ($0.showsAllThreads, $0.width) = (true, width) }
    let lines = output.split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "Registers"))
    let registers = try #require(report.diagnosis.symbolicated.report.crashedThreadState).registers
    try #require(registers.count > 20)
    let shown = lines[start...].joined(separator: " ")
    for register in registers {
      #expect(shown.contains("\(register.name) 0x" + String(format: "%016lx", register.value)))
    }
    #expect(lines[start...].prefix(3).allSatisfy { $0.count <= width })
    #expect(shown.contains("Codes: "))
  }

  @Test("keeps the inlined frames of a report that was written back")
  func inlinedAgain() throws {
    let reader = try CrashReader(symbols: [Samples.path("symbols")])
    for name in ["text/HogeApp.crash", "ips/HogeApp.ips"] {
      let first = try #require(try reader.analyze(contentsOf: Samples.path("reports/" + name)).first)
      let written = try first.rendered(as: name.hasPrefix("ips") ? .ips : .crash)
      let again = try #require(try CrashReader(symbols: []).analyze(Array(written.utf8)).first)
      let count = text(first).ranges(of: "[inlined]").count
      #expect(count > 3 && text(again).ranges(of: "[inlined]").count == count, "\(name)")
    }
  }

  @Test func coloursAreOptional() {
    let plain = text(analysis("calm"))
    let coloured = text(analysis("calm")) { $0.isColored = true }
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.contains("\u{1b}["))
    #expect(coloured.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain)
  }

  @Test func hiddenThreadsAreCounted() {
    var example = analysis("calm")
    example.diagnosis.symbolicated.report.threads += [ThreadRecord(index: 1), ThreadRecord(index: 2)]
    example.diagnosis.symbolicated.threads += [[], []]
    #expect(text(example).contains("2 other threads (--all-threads shows their frames)"))
    #expect(text(example).contains("  2 threads like this: 1, 2  no frames"))
    #expect(!text(example) { $0.showsAllThreads = true }.contains("other threads"))
    #expect(text(example) { $0.showsAllThreads = true }.contains("2 threads like this: 1, 2"))
  }

  @Test(
    "lines fit the width, except for words that can't be broken", arguments: [60, 80, 140], Language.allCases)
  func columns(_ width: Int, _ language: Language) {
    var example = exampleAnalysis("名前")
    let words =
      "some words and 日本語の文 that can be broken, and there are rather many of them, so many that no line holds them"
    (example.diagnosis.explanation.title, example.diagnosis.explanation.text) = (words, words)
    example.diagnosis.symbolicated.threads[0][0].locations[0].function = words
    example.diagnosis.symbolicated.report.threads[0].name = words
    let output = text(example) {
      ($0.width, $0.language) = (width, language)
    }
    let tooLong = output.split(separator: "\n").filter { displayWidth($0) > width }
    #expect(tooLong.isEmpty)
  }

  @Test func linksReferToLocalFiles() {
    var example = analysis("/src/a b.c")
    #expect(!text(example).contains("\u{1b}]8"))
    let linked = text(example) { $0.linkHost = "host" }
    let link = "\u{1b}]8;;file://host/src/a%20b.c#1\u{1b}\\"
    #expect(linked.contains(link + "/src/a b.c:1:1\u{1b}]8;;\u{1b}\\"))
    #expect(linked.contains(link + "a b.c:1\u{1b}]8;;\u{1b}\\"))
    example.excerpts = [:]
    #expect(!text(example) { $0.linkHost = "host" }.contains("\u{1b}]8"))
  }

  @Test func linkageNamesAreOptional() {
    var example = analysis("calm")
    example.diagnosis.symbolicated.threads[0][0].locations[0].linkageName = "_Z4calmv"
    #expect(!text(example).contains("_Z4calmv"))
    #expect(text(example) { $0.showsLinkageNames = true }.contains("_Z4calmv"))
  }

  @Test func guessesAreMarked() {
    var example = analysis("calm")
    #expect(!text(example).contains("a guess"))
    example.diagnosis.symbolicated.threads[0][0].isGuess = true
    #expect(text(example).contains("a guess: the debug file's identity is not proven"))
  }
}
