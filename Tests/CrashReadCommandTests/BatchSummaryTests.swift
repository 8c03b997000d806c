import Foundation
import TestSupport
import Testing

/// `crashread batch --summary`: the groups, for people and for programs.
@Suite struct BatchSummaryTests {
  private static let samples = ["batch", "Samples/reports", "--symbols=Samples/symbols"]

  @Test(arguments: ["text", "json"], ["en", "ja"]) func samples(_ format: String, _ language: String) throws {
    let run = try CommandRun.crashread(
      atRoot: Self.samples + ["--summary=\(format)", "--lang=\(language)"], environment: ["COLUMNS": "100"])
    #expect(run.outcome == .exited(0) && run.errors == "")
    try Golden.compare(run.output, with: "Tests/Goldens/summaries/\(language).\(format)")
  }

  /// Only a path, which is to be copied, may be longer than a line.
  @Test(arguments: [60, 80, 140]) func fitsTheTerminal(_ columns: Int) throws {
    let run = try CommandRun.crashread(
      atRoot: Self.samples + ["--summary=text"], environment: ["COLUMNS": "\(columns)"])
    let lines = run.output.split(separator: "\n")
    #expect(lines.count > 60)
    let wide = lines.filter { $0.count > columns && !$0.contains("for example Samples/") }
    #expect(wide.isEmpty, "\(wide)")
    // What was omitted before is shown now.
    #expect(!run.output.contains("…"))
  }

  /// An independent count: the lines of the batch, grouped by what identifies a group.
  @Test func countsWhatTheBatchPrints() throws {
    let lines = try CommandRun.crashread(atRoot: Self.samples).output.split(separator: "\n")
    var counts: [[String?]: Int] = [:]
    for line in lines {
      let document = try object(line)
      let report = try #require(document["report"] as? [String: Any])
      guard let signature = document["signature"] as? String else { continue }
      counts[[signature, report["bundleID"] as? String ?? report["process"] as? String], default: 0] += 1
    }
    try #require(counts.count > 50)
    let summary = try object(CommandRun.crashread(atRoot: Self.samples + ["--summary=json"]).output)
    let groups = try #require(summary["groups"] as? [[String: Any]])
    #expect(summary["reports"] as? Int == lines.count)
    #expect(groups.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == lines.count)
    for group in groups {
      guard let signature = group["signature"] as? String else { continue }
      #expect(counts.removeValue(forKey: [signature, group["app"] as? String]) == group["count"] as? Int)
    }
    #expect(counts.isEmpty)
  }

  /// Texts of a report stay text in every format, and can't forge a group.
  @Test func untrustedTextIsEscaped() throws {
    let directory = try TemporaryDirectory()
    let name = "<script>alert(1)</script>\u{1b}[31m\" onload=\"x"
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
      .replacing("HogeApp", with: name)
    try directory.write(text, to: "report")
    for format in ["text", "json", "html"] {
      let run = try CommandRun.crashread(["batch", "report", "--summary=\(format)"], in: directory)
      #expect(run.outcome == .exited(0))
      #expect(run.output.contains("alert(1)"), "\(format)")
      #expect(!run.output.unicodeScalars.contains("\u{1b}"), "\(format)")
      #expect(format != "html" || !run.output.contains("<script"))
      #expect(format != "html" || !run.output.contains("\" onload"))
    }
  }

  @Test func everyGroupIsLinked() throws {
    let page = try CommandRun.crashread(atRoot: Self.samples + ["--summary=html"]).output
    let summary = try object(CommandRun.crashread(atRoot: Self.samples + ["--summary=json"]).output)
    let groups = try #require(summary["groups"] as? [[String: Any]])
    for number in 1...groups.count {
      #expect(page.contains("id=\"group-\(number)\""))
    }
    #expect(!page.contains("id=\"group-\(groups.count + 1)\""))
    for (index, group) in groups.enumerated() where group["lastSeen"] is String {
      #expect(page.contains("<a href=\"#group-\(index + 1)\">"))
    }
  }

  /// A group's page is the same, whether the reports are read or the results of an earlier batch.
  @Test func resultsGiveTheSamePageAsReports() throws {
    let directory = try TemporaryDirectory()
    let sample = [
      "batch", Samples.path("reports/text/HogeApp.crash"), "--symbols=" + Samples.path("symbols"),
    ]
    let page = try CommandRun.crashread(sample + ["--summary=html", "--output=out"], in: directory).output
    #expect(page.contains("JSON.integer(_:)  Fuga.swift:17 [inlined]</span>"))
    #expect(try CommandRun.crashread(["batch", "out", "--summary=html"], in: directory).output == page)
  }

  @Test func terminalShowsLargestGroupsAndCountsTheRest() throws {
    let directory = try TemporaryDirectory()
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    try directory.makeDirectory("r")
    for number in 0..<23 {
      try directory.write(text.replacing("HogeApp", with: "App\(number)x"), to: "r/\(number)")
    }
    let run = try CommandRun.crashread(["batch", "r", "--summary=text"], in: directory)
    #expect(run.output.ranges(of: "for example").count == 20)
    #expect(run.output.hasSuffix("\n3 smaller groups are not shown (--summary=json, html)\n"))
  }

  /// With a state the summary is of all runs; the results are not printed again.
  @Test(.enabled(if: hasSQLite, "libsqlite3 isn't installed")) func countsEarlierRuns() throws {
    let directory = try TemporaryDirectory()
    for sample in ["HogeApp", "JumpNull"] {
      try directory.write(
        try Samples.bytes("reports/text/\(sample).crash"), to: "\(sample).crash")
    }
    let arguments = ["batch", "--state=state", "--summary=json"]
    let first = try object(CommandRun.crashread(arguments + ["HogeApp.crash"], in: directory).output)
    #expect(first["reports"] as? Int == 1)
    let both = try CommandRun.crashread(arguments + ["HogeApp.crash", "JumpNull.crash"], in: directory)
    #expect(try object(both.output)["reports"] as? Int == 2)
    let again = try CommandRun.crashread(arguments, in: directory)
    #expect(again.output == both.output)
  }

  @Test func inputsWithoutAReportAreCounted() throws {
    let directory = try TemporaryDirectory()
    try directory.write("no report", to: "other")
    let run = try CommandRun.crashread(["batch", "other", "missing", "--summary=json"], in: directory)
    #expect(run.outcome == .exited(1))
    let summary = try object(run.output)
    #expect(summary["reports"] as? Int == 0 && summary["unread"] as? Int == 2)
  }

  private func object(_ text: some StringProtocol) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }
}
