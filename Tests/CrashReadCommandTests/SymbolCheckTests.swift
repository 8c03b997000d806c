import Foundation
import TestSupport
import Testing

/// `crashread symbols --for` and the search paths of debug files, in the built program.
@Suite struct SymbolCheckTests {
  private static let report = Samples.path("reports/ips/HogeApp.ips")
  private static let dSYM = Samples.path("symbols/HogeApp.app.dSYM")
  private static let other = Samples.path("symbols/NullNode.dSYM")

  @Test(arguments: [(Self.dSYM, Int32(0), "match"), (Self.other, 1, "otherProgram")])
  func printsJSON(_ place: String, _ status: Int32, _ verdict: String) throws {
    let run = try CommandRun.crashread(["symbols", "--format=json", "--for", Self.report, place])
    #expect(run.outcome == .exited(status))
    #expect(run.errors == "")
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let entry = try #require((value as? [[String: Any]])?.first)
    #expect(entry["input"] as? String == Self.report)
    #expect(entry["complete"] as? Bool == (status == 0))
    let images = try #require(entry["images"] as? [[String: Any]])
    #expect(images.count == 1)
    #expect(images[0]["id"] as? String == "4C4C44ED-5555-3144-A162-5A07DAE58C2C")
    #expect(images[0]["found"] as? Bool == (status == 0))
    #expect(((images[0]["files"] as? [[String: Any]])?.first?["verdict"]) as? String == verdict)
    #expect(images[0]["step"] as? String == (status == 0 ? nil : "findDebugFile"))
    #expect((images[0]["advice"] as? [String])?.isEmpty != true)
  }

  /// Text to be copied is complete on its own line; everything else fits the width.
  @Test(arguments: ["en", "ja"], [60, 80, 120])
  func fitsTheWidth(_ language: String, _ width: Int) throws {
    let run = try CommandRun.crashread(
      atRoot: [
        "symbols", "--lang", language, "--for", "Samples/reports/ips/HogeApp.ips",
        "Samples/symbols/NullNode.dSYM",
      ], environment: ["COLUMNS": "\(width)"])
    #expect(run.outcome == .exited(1))
    let command = "  mdfind 'com_apple_xcode_dsym_uuids == 4C4C44ED-5555-3144-A162-5A07DAE58C2C'"
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.contains(command))
    for line in lines where line != command {
      let columns = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2e80 ? 2 : 1) }
      #expect(columns <= width, "\(line)")
    }
  }

  @Test func explainsWhatIsMissing() throws {
    let run = try CommandRun.crashread(["symbols", "--for", Self.report], environment: ["COLUMNS": "160"])
    #expect(run.outcome == .exited(1))
    for part in [
      "HogeApp 1.0 (1): its debug file is missing", "Wanted    4C4C44ED-5555-3144-A162-5A07DAE58C2C",
      "no debug file at all", "HogeApp.app.dSYM", "Organizer", "App Store Connect",
    ] {
      #expect(run.output.contains(part), "\(part)")
    }
  }

  @Test func readsStandardInput() throws {
    let text = try String(contentsOfFile: Self.report, encoding: .utf8)
    let run = try CommandRun.crashread(["symbols", "--for=-", Self.dSYM], input: text)
    #expect(run.outcome == .exited(0))
    #expect(run.output.contains("match"))
  }

  @Test(arguments: ["README.md", "none"])
  func inputWithoutReportIsReported(_ name: String) throws {
    let run = try CommandRun.crashread(["symbols", "--for", Samples.path(name), Self.dSYM])
    #expect(run.outcome == .exited(1))
    #expect(run.output == "")
    #expect(run.errors.contains(name))
  }

  // MARK: Search paths

  @Test func environmentAddsPaths() throws {
    let path = "/does/not/exist::" + Self.other + ":" + Self.dSYM
    let environment = ["CRASHREAD_SYMBOL_PATH": path, "COLUMNS": "200"]
    let run = try CommandRun.crashread([Self.report], environment: environment)
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    #expect(run.output.contains("JSON.integer(_:)"))
    let check = try CommandRun.crashread(["symbols", "--for", Self.report], environment: environment)
    #expect(check.outcome == .exited(0))
    // A list of named files contains nothing else.
    let list = try CommandRun.crashread(["symbols", Self.other], environment: environment)
    #expect(list.output.split(separator: "\n").count == 2)
  }

  @Test func pathAlsoGivenByOptionMustExist() throws {
    let run = try CommandRun.crashread(
      [Self.report, "--symbols=/does/not/exist"], environment: ["CRASHREAD_SYMBOL_PATH": Self.dSYM])
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains("/does/not/exist"))
  }

  /// Its build-id identifies the program's debug file; the linked file has none, and the checksum of another one.
  @Test func debugLinkToAnotherBuildIsReported() throws {
    let directory = try TemporaryDirectory()
    let id: [UInt8] = [
      0x80, 0x51, 0x5b, 0xea, 0x94, 0x17, 0x86, 0x0d, 0x64, 0xe2, 0x2b, 0xa0, 0x4f, 0xfe, 0xc4, 0x4e, 0x7f,
      0x6b,
      0xbe, 0x4c,
    ]
    var debug = ElfBuilder()
    debug.sections = [.init(".debug_info", [1, 2, 3])]
    var program = ElfBuilder()
    program.segments = [.init(flags: 5, at: 0, size: 0x10000)]
    program.sections = [.init(".gnu_debuglink", Array("app.dbg\0abcd".utf8)), .buildID(id)]
    try directory.write(debug.file(), to: "app.dbg")
    try directory.write(program.file(), to: "app")
    let report = Samples.path("reports/text/c-abort.crash")
    let run = try CommandRun.crashread([report, "app"], in: directory)
    #expect(
      run.errors.contains(
        "app.dbg: note: cannot be used for c-abort: belongs to another build: its CRC-32 is 0x"))
    let check = try CommandRun.crashread(["symbols", "--for", report, "app", "--format=json"], in: directory)
    #expect(check.outcome == .exited(1))
    #expect(check.output.contains("otherBuild") && check.output.contains("\"stripped\""))
    let lookup = try CommandRun.crashread(["lookup", "app", "0x1000"], in: directory)
    #expect(lookup.outcome == .exited(1))
    #expect(lookup.errors.contains("app.dbg: cannot be used: belongs to another build"))
  }

  @Test func fewOpenFilesAreEnoughForManyDebugFiles() throws {
    let directory = try TemporaryDirectory()
    let text = try String(contentsOfFile: Self.report, encoding: .utf8)
    let bytes = try Samples.bytes("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp")
    let uuid: [UInt8] = [
      0x4c, 0x4c, 0x44, 0xed, 0x55, 0x55, 0x31, 0x44, 0xa1, 0x62, 0x5a, 0x07, 0xda, 0xe5, 0x8c, 0x2c,
    ]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: uuid) })
    for number in 0..<100 {
      let digits = (number < 16 ? "0" : "") + String(number, radix: 16)
      var copy = bytes
      copy[place + 15] = UInt8(number)
      try directory.makeDirectory("\(number).dSYM/Contents/Resources/DWARF")
      try directory.write(copy, to: "\(number).dSYM/Contents/Resources/DWARF/HogeApp")
      let report = text.replacing("5a07dae58c2c", with: "5a07dae58c" + digits)
      try directory.write(report, to: "\(number).ips")
    }
    let script = "ulimit -n 16; exec \"$0\" --format=ndjson --symbols=. *.ips"
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"), ["-c", script, builtProgram("crashread").path],
      environment: ["CRASHREAD_CACHE": "off"], in: directory)
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    #expect(run.output.split(separator: "\n").count == 100)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.contains("\"resolution\":\"debugInfo\"") })
  }
}
