import Foundation
import TestSupport
import Testing

/// Reports in the containers of CI systems, devices and people, which Samples/make-reporters.py writes.
@Suite("Containers")
struct ContainerTests {
  private static let folder = Repository.root.appending(path: "Samples/containers")
  private static let symbols = Repository.root.appending(path: "Samples/symbols/HogeApp.app.dSYM").path
  private static let crash = Repository.root.appending(path: "Samples/reports/text/HogeApp.crash")
  private static let sysdiagnose = "sysdiagnose_2025.01.01_09-05-00+0900_iPhone-OS_iPhone_22B83"

  private struct Contained: Decodable {
    struct Place: Decodable {
      var kind: String
      var path: String
      var test: String?
      var device: String?
      var configuration: String?
      var duringRun: Bool?
      var neighbours: [Neighbour]?
    }

    struct Neighbour: Decodable, Equatable {
      var path: String
      var kind: String
      var seconds: Int
    }

    struct Header: Decodable {
      var process: String?
      var pid: Int?
      var osVersion: String?
    }

    var container: Place?
    var report: Header
  }

  /// One result per line.
  private func documents(_ arguments: [String], in folder: TemporaryDirectory? = nil) throws -> [Contained] {
    let all = ["--format=ndjson"] + arguments
    let run = try folder.map { try CommandRun.crashread(all, in: $0) } ?? CommandRun.crashread(all)
    return try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Contained.self, from: Data($0.utf8))
    }
  }

  private func path(_ name: String) -> String { Self.folder.appending(path: name).path }

  @Test(
    "reports of a result bundle state their test, device and configuration; without a report, Xcode's record is used"
  )
  func resultBundle() throws {
    let found = try documents([path("HogeApp.xcresult"), Self.symbols])
    #expect(found.map(\.report.process) == ["HogeApp", "Ledger", "Elder"])
    let places = found.compactMap(\.container)
    #expect(places.map(\.test) == ["FugaTests/testReload()", "LedgerTests/testTotal()", nil])
    #expect(places.map(\.duringRun) == [true, true, false])
    #expect(places.first?.kind == "xcresult")
    #expect(places.first?.path == "FugaTests/testReload()/HogeApp-2025-01-01-090012.ips")
    #expect(places.first?.device == "iPhone 15, iOS Simulator 18.1 (22B83)")
    #expect(places.first?.configuration == "Debug")
    #expect(found.dropFirst().first?.report.pid == 77)
    #expect(found.dropFirst().first?.report.osVersion == "iOS Simulator 18.1 (22B83)")
  }

  @Test("crashread ci reads the crashes of the run, and marks the line of each failing test")
  func resultBundleInCI() throws {
    let folder = try TemporaryDirectory()
    for (place, name) in [("HogeApp", "Fuga.swift"), ("Ledger", "Ledger.swift")] {
      try folder.makeDirectory(place)
      try folder.write(String(repeating: "//\n", count: 40), to: "\(place)/\(name)")
    }
    let bundle = "--result-bundle=" + path("HogeApp.xcresult")
    let run = try CommandRun.crashread(
      ["ci", bundle, "--symbols", Self.symbols, "--format=github", "--source-root=."], in: folder)
    #expect(run.outcome == .exited(0))
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("::error file=HogeApp/Fuga.swift,line=17,") == true)
    #expect(lines.last?.hasPrefix("::error file=Ledger/Ledger.swift,line=12,") == true)
    let junit = try CommandRun.crashread(["ci", bundle, "--format=junit"]).output
    #expect(junit.contains(#"<testcase name="testReload" classname="FugaTests""#))
    #expect(junit.contains(#"<testcase name="testTotal" classname="LedgerTests""#))
    #expect(!junit.contains("Elder"))
  }

  @Test("missing objects of a bundle are reported, and complete reports in it are read")
  func damagedBundle() throws {
    let folder = try TemporaryDirectory()
    let copy = folder.url.appending(path: "cut.xcresult")
    try FileManager.default.copyItem(at: Self.folder.appending(path: "HogeApp.xcresult"), to: copy)
    let data = copy.appending(path: "Data")
    for name in try FileManager.default.contentsOfDirectory(atPath: data.path) {
      let text = try Data(contentsOf: data.appending(path: name)).prefix(60)
      if String(decoding: text, as: UTF8.self).contains("ActionTestPlanRunSummaries") {
        try FileManager.default.removeItem(at: data.appending(path: name))
      }
    }
    let run = try CommandRun.crashread(["kind", "cut.xcresult"], in: folder)
    #expect(run.errors.contains("the bundle is damaged or incomplete: 1 of its objects is missing"))
    #expect(run.output.contains(" ips crash HogeApp "))
    try Data("<plist>fileBacked2</plist>".utf8).write(to: copy.appending(path: "Info.plist"))
    let blind = try CommandRun.crashread(["kind", "cut.xcresult"], in: folder)
    #expect(blind.errors.contains("Info.plist doesn't name the root object"))
    #expect(blind.output.contains(" ips crash HogeApp "))
  }

  @Test("links that lead out of a bundle aren't followed")
  func linkOutOfBundle() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("a.xcresult/Data")
    try folder.write(try String(contentsOf: Self.crash, encoding: .utf8), to: "secret.crash")
    try folder.write("<key>rootId</key><string>0~x</string>fileBacked2", to: "a.xcresult/Info.plist")
    try folder.link("a.xcresult/Data/data.0~x", to: "../../secret.crash")
    let run = try CommandRun.crashread(["a.xcresult"], in: folder)
    #expect(run.outcome == .exited(1))
    #expect(run.output == "")
    #expect(run.errors.contains("the result bundle contains no crash report"))
  }

  @Test(
    "the crash of a crash point, a sysdiagnose and a mail is read once",
    arguments: [
      ("HogeApp.xccrashpoint", "xccrashpoint", "DistributionInfos/all/Logs/2025-01-01.crash"),
      (
        "\(sysdiagnose).tar.gz", "sysdiagnose",
        "\(sysdiagnose)/crashes_and_spins/HogeApp-2025-01-01-090012.ips"
      ),
      ("HogeApp.eml", "mail", "HogeApp.crash"),
    ])
  func others(_ name: String, _ kind: String, _ place: String) throws {
    let found = try documents([path(name), Self.symbols])
    #expect(found.map(\.report.process) == ["HogeApp"])
    #expect(found.first?.container?.kind == kind)
    #expect(found.first?.container?.path == place)
  }

  @Test("reports of a sysdiagnose from the same time refer to each other")
  func neighbours() throws {
    let folder = try TemporaryDirectory()
    let place = "\(Self.sysdiagnose)/crashes_and_spins"
    try folder.makeDirectory("\(place)/Panics")
    let crash = try String(contentsOf: Self.crash, encoding: .utf8)
    let jetsam = """
      {"bug_type":"298","timestamp":"2025-01-01 09:00:18.00 +0900","os_version":"iPhone OS 18.1 (22B83)"}
      {"date":"2025-01-01 09:00:18.00 +0900","largestProcess":"HogeApp","processes":[]}

      """
    try folder.write(crash, to: "\(place)/HogeApp-2025-01-01-090012.crash")
    try folder.write(jetsam, to: "\(place)/JetsamEvent-2025-01-01-090018.ips")
    try folder.write(
      crash.replacing("09:00:12", with: "09:10:12").replacing("6D1F7A52", with: "6D1F7A53"),
      to: "\(place)/HogeApp-2025-01-01-091012.crash")
    // A sysdiagnose is recognised by the folder's name.
    let pack = try CommandRun(
      program: URL(filePath: "/bin/tar"), ["-czf", "s.tar.gz", Self.sysdiagnose], in: folder)
    try #require(pack.outcome == .exited(0))
    let found = try documents(["s.tar.gz"], in: folder).compactMap(\.container)
    #expect(
      found.map(\.neighbours) == [
        [.init(path: "\(place)/JetsamEvent-2025-01-01-090018.ips", kind: "jetsam", seconds: 6)], nil,
        [.init(path: "\(place)/HogeApp-2025-01-01-090012.crash", kind: "crash", seconds: -6)],
      ])
    for (language, words) in [("en", "Same device, 6 s after:"), ("ja", "同じ端末で 6 秒後に:")] {
      for format in ["text", "html", "markdown"] {
        let run = try CommandRun.crashread(
          ["--lang=\(language)", "--format=\(format)", "s.tar.gz"], in: folder)
        #expect(run.output.contains(words), "\(format)")
      }
    }
  }

  @Test("a compressed report is read, and a truncated one is reported")
  func compressed() throws {
    let folder = try TemporaryDirectory()
    let archive = try Data(contentsOf: Self.folder.appending(path: "\(Self.sysdiagnose).tar.gz"))
    try archive.prefix(archive.count / 2).write(to: folder.url.appending(path: "cut.tar.gz"))
    let cut = try CommandRun.crashread(["kind", "cut.tar.gz"], in: folder)
    #expect(cut.outcome == .exited(1))
    #expect(cut.errors.contains("truncated gzip input"))
    try folder.write(try String(contentsOf: Self.crash, encoding: .utf8), to: "a.crash")
    let pack = Process()
    pack.executableURL = URL(filePath: "/usr/bin/gzip")
    pack.arguments = [folder.url.path + "/a.crash"]
    try pack.run()
    pack.waitUntilExit()
    #expect(try documents(["a.crash.gz"], in: folder).map(\.report.process) == ["HogeApp"])
  }

  @Test("folders of debug files aren't searched for reports, and standard input has priority")
  func places() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("old")
    try folder.write(try String(contentsOf: Self.crash, encoding: .utf8), to: "old/a.crash")
    let none = try CommandRun.crashread(["--symbols", "old"], input: "", in: folder)
    #expect(!none.output.contains("HogeApp"))
    #expect(try documents(["old"], in: folder).map(\.report.process) == ["HogeApp"])
    let piped = try CommandRun.crashread(
      ["--format=ndjson", "old"], input: "Process: Other [1]\nException Type: EXC_CRASH\n", in: folder)
    #expect(piped.output.contains(#""process":"Other""#))
    #expect(!piped.output.contains("HogeApp"))
  }

  @Test("the size limit is for all archives of a container together")
  func archivesTogether() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("many")
    let report = "Process: A [1]\nException Type: EXC_CRASH\n" + String(repeating: " \n", count: 200_000)
    for number in 0..<8 { try folder.write(report + "\(number)", to: "\(number).crash") }
    let pack = try CommandRun(
      program: URL(filePath: "/bin/sh"),
      ["-ec", "for i in 0 1 2 3 4 5 6 7; do tar -czf many/$i.tar.gz $i.crash; done"], in: folder)
    try #require(pack.outcome == .exited(0))
    let all = try CommandRun.crashread(["kind", "many"], in: folder)
    #expect(all.output.split(separator: "\n").count == 8)
    let some = try CommandRun.crashread(["kind", "--limit=archive-size=1000000", "many"], in: folder)
    #expect((1...2).contains(some.output.split(separator: "\n").count))
    #expect(some.errors.contains("the rest is left out"))
  }

  @Test("archives in archives are opened to a depth of three; links and names that lead out aren't followed")
  func nested() throws {
    let folder = try TemporaryDirectory()
    let crash = Array(try Data(contentsOf: Self.crash))
    func zip(_ name: String, _ bytes: [UInt8]) -> [UInt8] { zipFile([ArchiveEntry(name, bytes)]) }
    try folder.write(zip("in.zip", zip("x.crash", crash)), to: "two.zip")
    try folder.write(tarFile([ArchiveEntry("in.zip", zip("x.crash", crash))]), to: "three.tar")
    let four = zip("1.zip", zip("2.zip", zip("3.zip", zip("4.zip", zip("x.crash", crash)))))
    try folder.write(four, to: "five.zip")
    #expect(try documents(["two.zip"], in: folder).map(\.container?.path) == ["in.zip/x.crash"])
    #expect(try documents(["three.tar"], in: folder).map(\.container?.path) == ["in.zip/x.crash"])
    let deep = try CommandRun.crashread(["five.zip"], in: folder)
    #expect(
      deep.outcome != .exited(0) && deep.errors.contains("archives nested this deeply are not opened"))
    let bundle = Self.folder.appending(path: "HogeApp.xcresult")
    let parts = try #require(FileManager.default.subpaths(atPath: bundle.path)).filter {
      (try? Data(contentsOf: bundle.appending(path: $0))) != nil
    }
    let entries = try parts.map {
      ArchiveEntry("HogeApp.xcresult/\($0)", Array(try Data(contentsOf: bundle.appending(path: $0))))
    }
    try folder.write(tarFile([ArchiveEntry("out/result.zip", zipFile(entries))]), to: "bundle.tar")
    #expect(
      try documents(["bundle.tar"], in: folder).map(\.report.process) == ["HogeApp", "Ledger", "Elder"])
    let names = ["../../out.crash", "/tmp/out.crash", "in.crash"].map { ArchiveEntry($0, crash) }
    try folder.write(tarFile(names), to: "names.tar")
    let run = try CommandRun.crashread(["--format=ndjson", "names.tar"], in: folder)
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(run.errors.ranges(of: "its path leads out of the archive").count == 2)
  }

  @Test("Xcode's Products folder holds reports, and its Archives folder their debug files")
  func foldersOfXcode() throws {
    let folder = try TemporaryDirectory()
    let points = "Products/com.example.HogeApp/Crashes/AppStore/1.0 (1)/Points"
    let archive = "Archives/2025-01-01/HogeApp 2025-01-01, 09.00.xcarchive/dSYMs"
    for place in [points, archive] { try folder.makeDirectory(place) }
    try FileManager.default.copyItem(
      atPath: path("HogeApp.xccrashpoint"), toPath: folder.path(points + "/HogeApp.xccrashpoint"))
    try FileManager.default.copyItem(atPath: Self.symbols, toPath: folder.path(archive + "/HogeApp.app.dSYM"))
    let run = try CommandRun.crashread(["Products", "Archives"], in: folder)
    #expect(run.outcome == .exited(0) && run.output.contains("Fuga.swift:17:31"))
  }

  @Test("too many reports are left to batch, which reads a bundle as one input, once")
  func many() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("many")
    for number in 0..<11 {
      try folder.write("Process: A\(number) [1]\nException Type: EXC_CRASH\n", to: "many/\(number).crash")
    }
    let run = try CommandRun.crashread(["many"], in: folder)
    #expect(run.outcome == .exited(2))
    #expect(run.errors.contains("'crashread batch' reads any number"))
    try FileManager.default.copyItem(
      at: Self.folder.appending(path: "HogeApp.xcresult"), to: folder.url.appending(path: "many/b.xcresult"))
    let batch = try CommandRun.crashread(["batch", "many", "--state", "seen"], in: folder)
    #expect(batch.output.split(separator: "\n").count == 14)
    #expect(try CommandRun.crashread(["batch", "many", "--state", "seen"], in: folder).output == "")
  }
}
