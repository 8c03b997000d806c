import Foundation
import TestSupport
import Testing

/// `crashread batch --summary --against`: three releases, and how their crashes changed.
@Suite struct ComparisonTests {
  /// A report of a release: where it crashed, and on which system.
  private func report(
    _ function: String, _ version: String, _ system: String = "17.2 (21C62)", number: Int
  ) -> String {
    """
    Incident Identifier: 6D1F7A52-0C4E-4B0E-9B7D-2F1C8E5A\(1000 + number)
    Process: Shop [\(number)]
    Path: /private/var/containers/Bundle/Application/X/Shop.app/Shop
    Identifier: com.example.Shop
    Version: \(version)
    Date/Time: 2025-01-0\(1 + number % 9) 09:00:00 +0000
    OS Version: iPhone OS \(system)
    Exception Type: EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000018
    Crashed Thread: 0

    Thread 0 Crashed:
    0   Shop   0x0000000100001000 \(function) + 16 (\(function).c:12)
    1   Shop   0x0000000100002000 main + 16 (main.c:3)

    Binary Images:
    0x100000000 - 0x100003fff Shop arm64 <4c4c44ed55553144a1625a07dae58c2c> /private/var/containers/Bundle/Application/X/Shop.app/Shop

    """
  }

  /// `pay` goes, `scan` grows, `sort` shrinks, `load` stays, `draw` is new in 3.0.
  private func releases() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let crashes: [(String, [(String, Int)])] = [
      ("1.0 (1)", [("pay", 2), ("scan", 1), ("sort", 2)]),
      ("2.0 (9)", [("pay", 1), ("scan", 1), ("sort", 3), ("load", 2)]),
      ("3.0 (10)", [("scan", 4), ("sort", 1), ("load", 2), ("draw", 3)]),
    ]
    for (version, counts) in crashes {
      let folder = "v" + version.prefix(1)
      try directory.makeDirectory(folder)
      for (function, count) in counts {
        for number in 0..<count {
          try directory.write(
            report(function, version, number: number), to: "\(folder)/\(function)-\(number).crash")
        }
      }
      let run = try CommandRun.crashread(["batch", folder, "-o", folder + ".ndjson"], in: directory)
      #expect(run.outcome == .exited(0), "\(run.errors)")
    }
    return directory
  }

  private func compare(_ words: [String], in directory: TemporaryDirectory) throws -> CommandRun {
    try CommandRun.crashread(["batch", "--against", "v2.ndjson", "v3.ndjson"] + words, in: directory)
  }

  @Test func threeReleasesAreCompared() throws {
    let directory = try releases()
    let text = try compare(["--summary=text"], in: directory)
    #expect(text.outcome == .exited(0), "\(text.errors)")
    #expect(
      text.output.hasPrefix(
        "10 reports, 7 before; groups: 1 new, 1 grown, 1 as before, 1 shrunk, 1 gone\n\nNew\n  0 → 3  Shop"))
    let order = [
      "New", "draw.c:12", "Grown", "1 → 4", "As before", "2 → 2", "Shrunk", "3 → 1", "Gone", "1 → 0",
      "pay.c:12",
    ]
    var rest = text.output[...]
    for part in order {
      let found = try #require(rest.range(of: part), "\(part) in \(text.output)")
      rest = rest[found.upperBound...]
    }
    #expect(text.output.contains("draw.c:12  draw · first seen in 3.0 (10)"))
    #expect(text.output.contains("scan.c:12  scan · first seen in 2.0 (9)"))

    let json = try compare(["--summary=json"], in: directory)
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(
      document["changes"] as? [String: Int] == ["new": 1, "grown": 1, "same": 1, "shrunk": 1, "gone": 1])
    let groups = try #require(document["groups"] as? [[String: Any]])
    #expect(groups.map { $0["change"] as? String } == ["new", "grown", "same", "shrunk", "gone"])
    #expect(groups.map { $0["function"] as? String } == ["draw", "scan", "load", "sort", "pay"])

    let notes = try compare(["--summary=markdown"], in: directory).output
    #expect(notes.contains("### New\n\n| Reports | Crash | App | Line | First seen in |\n| --- |"))
    #expect(notes.contains("| 0 → 3 | Null pointer dereference at 0x18"))
    let page = try compare(["--summary=html", "--lang=ja"], in: directory).output
    #expect(page.contains("<h2>新規</h2>") && page.contains("draw.c:12") && page.hasSuffix("</html>\n"))
  }

  @Test func failsOnlyOnNewCrashes() throws {
    let directory = try releases()
    #expect(try compare(["--summary=text", "--fail-on-new"], in: directory).outcome == .exited(3))
    let same = try CommandRun.crashread(
      ["batch", "--against", "v2.ndjson", "v2", "--summary=text", "--fail-on-new"], in: directory)
    #expect(same.outcome == .exited(0) && same.output.contains("0 new"))
    for words in [["--fail-on-new"], ["--against", "v2.ndjson"], ["--summary=text", "--sessions", "x"]] {
      #expect(try CommandRun.crashread(["batch", "v1"] + words, in: directory).outcome == .exited(2))
    }
    let missing = try CommandRun.crashread(
      ["batch", "v1", "--summary=text", "--against", "none"], in: directory)
    #expect(missing.outcome == .exited(1) && missing.errors.contains("none"))
  }

  @Test func sessionsGiveRates() throws {
    let directory = try releases()
    try directory.write("version\tos\tsessions\n2.0\t*\t1000\n3.0\tiPhone OS 17.2\t8000\n", to: "sessions")
    let run = try compare(["--summary=text", "--sessions", "sessions"], in: directory)
    #expect(run.outcome == .exited(0), "\(run.errors)")
    // Four crashes in 8,000 sessions are fewer than one in 1,000.
    #expect(
      run.output.hasPrefix("10 reports, 7 before; groups: 1 new, 0 grown, 0 as before, 3 shrunk, 1 gone\n"))
    #expect(run.output.contains("3.0 (10): 1.25 (10 reports, 8000 sessions)"))
    #expect(run.output.contains("iPhone OS 17.2 (21C62): 1.25 (10 reports, 8000 sessions)"))
    try directory.write("3.0\t8000\n", to: "sessions")
    let malformed = try compare(["--summary=text", "--sessions", "sessions"], in: directory)
    #expect(malformed.outcome == .exited(1) && malformed.errors.contains("line 1"))
  }

  @Test func statesAreCompared() throws {
    let directory = try releases()
    for folder in ["v2", "v3"] {
      _ = try CommandRun.crashread(
        ["batch", folder, "--state", folder + ".state", "-o", folder + ".out"], in: directory)
    }
    let run = try CommandRun.crashread(
      ["batch", "v3", "--state", "v3.state", "--summary=text", "--against", "v2.state"], in: directory)
    #expect(run.output.hasPrefix("10 reports, 7 before; groups: 1 new, 1 grown"), "\(run.errors)")
  }
}
