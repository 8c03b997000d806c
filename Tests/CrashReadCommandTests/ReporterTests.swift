import Foundation
import TestSupport
import Testing

/// One crash in the layout of each reporter: the blamed location is that of Apple's own report.
/// Samples/make-reporters.py writes the samples.
@Suite("Reporters")
struct ReporterTests {
  private static let symbols = Repository.root.appending(path: "Samples/symbols/HogeApp.app.dSYM").path

  private struct Result: Decodable {
    struct Header: Decodable {
      var format: String
      var kind: String
      var process: String?
      var bundleID: String?
      var version: String?
      var hardwareModel: String?
      var osVersion: String?
    }

    struct Diagnosis: Decodable {
      var rule: String?
    }

    struct Note: Decodable {
      var message: String
    }

    var report: Header
    var diagnosis: Diagnosis
    var signature: String?
    var notes: [Note]?
    var threads: [Document.Thread]

    /// Function and line of the crashed thread's frames, inlined calls included.
    var places: [String] {
      let crashed = threads.first(where: \.crashed) ?? threads.first
      return (crashed?.frames ?? []).flatMap { $0.locations.map { "\($0.function ?? "?") \($0.line ?? 0)" } }
    }
  }

  private func results(_ name: String) throws -> [Result] {
    let path = Repository.root.appending(path: "Samples/\(name)").path
    let run = try CommandRun.crashread(["--format=ndjson", path, Self.symbols])
    return try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Result.self, from: Data($0.utf8))
    }
  }

  @Test(
    "give the verdict, the signature and the lines of Apple's report of the same crash",
    arguments: [
      ("bugsnag", "bugsnagJSON"), ("measure", "measureJSON"), ("datadog", "datadogJSON"),
      ("newrelic", "newRelicJSON"), ("embrace", "ksCrashJSON"),
    ])
  func crash(_ name: String, _ format: String) throws {
    let apple = try #require(try results("reports/ips/HogeApp.ips").first)
    let found = try results("reporters/\(name).json")
    let result = try #require(found.first)
    #expect(found.count == 1)
    #expect(result.report.format == format)
    #expect(result.report.kind == "crash")
    #expect(result.report.process == "HogeApp")
    #expect(result.report.bundleID == "com.example.HogeApp")
    #expect(result.report.version == "1.0")
    #expect(result.report.hardwareModel == "iPhone15,2")
    #expect(result.report.osVersion?.hasPrefix("iOS 18.1") == true)
    #expect(result.diagnosis.rule == apple.diagnosis.rule)
    #expect(result.signature == apple.signature)
    #expect(result.places == apple.places)
    #expect(result.threads.count == apple.threads.count)
  }

  @Test("Crashlytics' JSON has offsets in images but no identities; its own names are kept")
  func crashlytics() throws {
    let result = try #require(try results("reporters/crashlytics.json").first)
    #expect(result.report.format == "crashlyticsJSON")
    #expect(result.report.process == "HogeApp")
    #expect(result.threads.first?.crashed == true)
    #expect(result.threads.first?.frames.isEmpty == false)
  }

  @Test("App Store Connect's logs are hangs with call trees")
  func appStoreConnect() throws {
    let result = try #require(try results("reporters/app-store-connect.json").first)
    #expect(result.report.format == "appStoreConnect")
    #expect(result.report.kind == "hang")
    #expect(result.places.contains { $0.hasSuffix(" 17") })
  }

  @Test("a crash of the reporter is read together with the crash it was recording")
  func recrash() throws {
    let found = try results("reporters/sentrycrash-recrash.json")
    #expect(found.map(\.report.format) == ["ksCrashJSON", "ksCrashJSON"])
    #expect(found.last?.places == (try results("reporters/embrace.json").first?.places))
  }

  @Test("JSON of an unknown reporter is read by its structure, with a note")
  func unknown() throws {
    let result = try #require(try results("reporters/unknown.json").first)
    #expect(result.report.format == "otherJSON")
    #expect(result.notes?.contains { $0.message.contains("of an unknown reporter") } == true)
    #expect(result.places == (try results("reports/ips/HogeApp.ips").first?.places))
  }

  /// The offsets of the first frames of HogeApp, inside their calls.
  private static let calls: [UInt64] = [16604, 17208 - 1, 16944 - 1]

  private func written(_ text: String, _ arguments: [String] = [symbols]) throws -> Result {
    let folder = try TemporaryDirectory()
    try folder.write(text, to: "a.txt")
    let run = try CommandRun.crashread(["--format=ndjson", "a.txt"] + arguments, in: folder)
    return try JSONDecoder().decode(Result.self, from: Data(run.output.utf8))
  }

  @Test("Dart's stack without names is looked up in the snapshot of its build id", arguments: [true, false])
  func dart(_ hasVirtualAddresses: Bool) throws {
    func hex(_ value: UInt64) -> String { String(format: "%016llx", value) }
    let base: UInt64 = 0x7a_1b2c_3000
    let frames = Self.calls.enumerated().map { index, offset in
      "    #0\(index) abs \(hex(base + offset))" + (hasVirtualAddresses ? " virt \(hex(offset))" : "")
        + " _kDartIsolateSnapshotInstructions+0x\(String(offset, radix: 16))"
    }
    let head = """
      Unhandled Exception: Null check operator used on a null value
      *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
      pid: 12345, tid: 12367, name 1.ui
      os: ios arch: arm64 comp: no sim: no
      build_id: '4c4c44ed55553144a1625a07dae58c2c'
      isolate_dso_base: 7a1b2c3000, vm_dso_base: 7a1b2c3000
      isolate_instructions: 7a1b2c7000, vm_instructions: 7a1b2c4000

      """
    let again =
      "\n<asynchronous suspension>\n*** *** *** *** ***\nbuild_id: '00'\n    #00 abs 1 virt 1 _kDart+0x1\n"
    let result = try written(head + frames.joined(separator: "\n") + again)
    #expect(
      result.places == [
        "Swift runtime failure: Unexpectedly found nil while unwrapping an Optional value 0",
        "JSON.integer(_:) 17",
        "Fuga.init(json:) 10", "HogeViewController.add(_:) 24", "HogeViewController.reload(_:) 18",
        "HogeViewController.viewDidLoad() 12",
      ])
    #expect(result.threads.count == 1)
    // Another build's identity: nothing is looked up.
    let other = head.replacingOccurrences(of: "4c4c44ed", with: "4c4c44ee")
    #expect(try written(other + frames.joined(separator: "\n")).places == [])
  }

  @Test("measure.sh's text is looked up by its addresses")
  func measureText() throws {
    let frames = Self.calls.enumerated().map { index, offset in
      let distance = offset + (index > 0 ? 1 : 0)
      return
        "\(index)\tHogeApp\t\t\t\t0x\(String(0x1_022e_0000 + distance, radix: 16))\t0x1022e0000 + \(distance)\n"
    }
    #expect(try written("SIGTRAP\n" + frames.joined()).places.contains("JSON.integer(_:) 17"))
  }
}
