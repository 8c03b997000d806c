import TestSupport
import Testing

@testable import CrashReadCommand

/// `symbols learn`, `batch --learn` and `--symbol-memory`: names that are learned from other reports.
@Suite(.enabled(if: hasSQLite, "libsqlite3 isn't installed")) struct SymbolMemoryTests {
  /// A report of a device, whose frames of the system have names or not.
  private func report(device: Int, isNamed: Bool) -> String {
    let symbols =
      isNamed ? ["__pthread_kill + 8", "abort + 180"] : ["0x1d0000000 + 32776", "0x1a0000000 + 4276"]
    return """
      Incident Identifier: \(device)
      CrashReporter Key:   \(device)
      Process:             App [1]
      Path:                /private/var/containers/App.app/App
      Code Type:           ARM-64 (Native)
      Date/Time:           2026-03-04 10:00:00.000 +0000
      OS Version:          iPhone OS 18.1 (22B83)

      Exception Type:  EXC_CRASH (SIGABRT)
      Triggered by Thread:  0

      Thread 0 Crashed:
      0   libsystem_kernel.dylib        \t0x00000001d0008008 \(symbols[0])
      1   libsystem_c.dylib             \t0x00000001a00010b4 \(symbols[1])
      2   App                           \t0x0000000100004010 0x100000000 + 16400

      Binary Images:
      0x100000000 - 0x10000ffff App arm64  <0a000000000000000000000000000000> /private/var/containers/App.app/App
      0x1d0000000 - 0x1d003ffff libsystem_kernel.dylib arm64e  <0b000000000000000000000000000000> /usr/lib/system/libsystem_kernel.dylib
      0x1a0000000 - 0x1a003ffff libsystem_c.dylib arm64e  <0c000000000000000000000000000000> /usr/lib/system/libsystem_c.dylib

      """
  }

  private func scene() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("named")
    for device in 1...3 {
      try directory.write(report(device: device, isNamed: true), to: "named/\(device).crash")
    }
    try directory.write(report(device: 9, isNamed: false), to: "nameless.crash")
    return directory
  }

  private func run(_ arguments: String..., in directory: TemporaryDirectory) throws -> CommandRun {
    try CommandRun.crashread(arguments, in: directory)
  }

  @Test func everyFormatMarksLearnedNames() throws {
    let directory = try scene()
    let before = try run("nameless.crash", in: directory).output
    #expect(!before.contains("abort + 180"))
    let learned = try run("symbols", "learn", "--symbol-memory=memory", "named", in: directory)
    #expect(learned.outcome == .exited(0))
    #expect(learned.output == "2 sightings of functions learned, 4 confirmed by another source\n")
    let marks = [
      "text": "(named by other reports: 3 sources since 2026-03-04)",
      "markdown": "(named by other reports: 3 sources since 2026-03-04)",
      "html": "named by other reports: 3 sources since 2026-03-04", "json": #""resolution": "learned""#,
      "github": "named by other reports: 3 sources", "sarif": #""sightings": 3"#,
      "crash": "abort + 180 [learned]",
      "junit": "named by other reports: 3 sources", "gitlab": "abort",
    ]
    for (format, mark) in marks.sorted(by: { $0.key < $1.key }) {
      let output = try run("--symbol-memory=memory", "-f", format, "nameless.crash", in: directory).output
      if format == "gitlab" { continue }  // it shows no frames
      #expect(output.contains(mark), "\(format): \(output)")
    }
    let japanese = try run("--symbol-memory=memory", "--lang=ja", "nameless.crash", in: directory).output
    #expect(japanese.contains("(他のレポートによる名前: 3 件の情報源、2026-03-04 以降)"))
  }

  /// The verdict of a report without names becomes that of one with them.
  @Test func verdictsUseTheNames() throws {
    let directory = try scene()
    _ = try run("symbols", "learn", "--symbol-memory=memory", "named", in: directory)
    let named = try Document(run("-f", "json", "named/1.crash", in: directory).output)
    let nameless = try Document(run("-f", "json", "nameless.crash", in: directory).output)
    let learned = try Document(
      run("-f", "json", "--symbol-memory=memory", "nameless.crash", in: directory).output)
    #expect(nameless.diagnosis.rule != named.diagnosis.rule)
    #expect(learned.diagnosis.rule == named.diagnosis.rule)
    #expect(learned.signature == named.signature)
  }

  /// A name from other reports isn't a statement of this one.
  @Test func learnedNamesAreNeverCertain() throws {
    let directory = try TemporaryDirectory()
    let symbol = "___BUG_IN_CLIENT_OF_LIBMALLOC_POINTER_BEING_FREED_WAS_NOT_ALLOCATED"
    for device in 1...3 {
      let text = report(device: device, isNamed: device < 3).replacing("abort + 180", with: symbol + " + 180")
      try directory.write(text, to: "\(device).crash")
    }
    _ = try run("symbols", "learn", "--symbol-memory=memory", "1.crash", "2.crash", in: directory)
    for (name, confidence) in [("1", "certain"), ("3", "likely")] {
      let output = try run("-f", "json", "--symbol-memory=memory", "\(name).crash", in: directory).output
      let diagnosis = try Document(output).diagnosis
      #expect(diagnosis.rule == "heap-not-allocated-frames" && diagnosis.confidence == confidence)
    }
  }

  @Test func batchLearnsForLaterBatches() throws {
    let directory = try scene()
    for isolation in ["on", "off"] {
      let memory = "--symbol-memory=\(isolation)"
      let first = try run(
        "batch", "named", "nameless.crash", "--learn", memory, "--isolate=\(isolation)", in: directory)
      #expect(!first.output.contains(#""learned""#))
      #expect(first.errors.contains("2 sightings of functions learned, 4 confirmed by another source"))
      let next = try run("batch", "nameless.crash", memory, "--isolate=\(isolation)", in: directory)
      #expect(next.output.split(separator: "learned").count == 3)
      let doubtful = try run("batch", "nameless.crash", memory, "--learn-quorum=4", in: directory)
      #expect(!doubtful.output.contains(#""learned""#))
    }
  }

  /// A sender can claim any number of devices, but has one folder.
  @Test func folderIsOneSource() throws {
    let directory = try TemporaryDirectory()
    for sender in ["a", "b"] {
      try directory.makeDirectory("uploads/\(sender)")
      for device in 1...3 {
        try directory.write(report(device: device, isNamed: true), to: "uploads/\(sender)/\(device).crash")
      }
    }
    try directory.write(report(device: 9, isNamed: false), to: "nameless.crash")
    func isNamed(_ memory: String) throws -> Bool {
      try run("-f", "json", memory, "nameless.crash", in: directory).output.contains(#""learned""#)
    }
    let option = "--learn-by-folder"
    for isolation in ["on", "off"] {
      let memory = "--symbol-memory=\(isolation)"
      for folder in ["uploads/a", "uploads/../uploads/a", "uploads/b"] {
        #expect(try !isNamed(memory))
        _ = try run("batch", folder, "--learn", option, memory, "--isolate=\(isolation)", in: directory)
      }
      #expect(try isNamed(memory))
    }
    _ = try run("symbols", "learn", option, "--symbol-memory=jobs", "uploads/a", in: directory)
    #expect(try !isNamed("--symbol-memory=jobs"))
    _ = try run("symbols", "learn", option, "--symbol-memory=jobs", "uploads", in: directory)
    #expect(try isNamed("--symbol-memory=jobs"))
  }

  /// Workers send what they have learned for many inputs together, and the rest at the end.
  @Test(arguments: ["on", "off"]) func nothingIsLostBetweenTransactions(_ isolation: String) throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("many")
    for device in 1...70 {
      let text = report(device: device, isNamed: true).replacing("abort", with: "abort\(device)")
      try directory.write(text, to: "many/\(device).crash")
    }
    let batch = try run(
      "batch", "many", "--learn", "--symbol-memory=m", "--isolate=\(isolation)", "--jobs=1", in: directory)
    #expect(batch.errors.contains("71 sightings of functions learned, 15 confirmed"), "\(batch.errors)")
  }

  @Test func memoriesAreMerged() throws {
    let directory = try scene()
    for device in 1...2 {
      _ = try run("symbols", "learn", "--symbol-memory=m\(device)", "named/\(device).crash", in: directory)
      _ = try run("symbols", "export", "--symbol-memory=m\(device)", "-o", "\(device).txt", in: directory)
    }
    for _ in 0..<2 {
      _ = try run("symbols", "import", "--symbol-memory=all", "1.txt", "2.txt", in: directory)
    }
    let all = try run("symbols", "export", "--symbol-memory=all", in: directory).output
    _ = try run("symbols", "learn", "--symbol-memory=both", "named/1.crash", "named/2.crash", in: directory)
    #expect(try all == run("symbols", "export", "--symbol-memory=both", in: directory).output)
    #expect(try run("--symbol-memory=all", "nameless.crash", in: directory).output.contains("2 sources"))
    try directory.write("nonsense", to: "bad.txt")
    let bad = try run("symbols", "import", "--symbol-memory=all", "bad.txt", in: directory)
    #expect(bad.outcome == .exited(1) && bad.errors.contains("bad.txt"))
  }

  @Test func missingMemoryIsReported() throws {
    let directory = try scene()
    let nowhere = try run("symbols", "learn", "named/1.crash", in: directory)
    #expect(nowhere.outcome == .exited(2) && nowhere.errors.contains("--symbol-memory"))
    #expect(try run("batch", "--learn", "named", in: directory).errors.contains("--symbol-memory"))
    let unknown = try run("--symbol-memory=none", "nameless.crash", in: directory)
    #expect(unknown.outcome == .exited(1) && unknown.errors.contains("none: the symbol memory can't be used"))
    #expect(unknown.output.contains("App"))
  }
}
