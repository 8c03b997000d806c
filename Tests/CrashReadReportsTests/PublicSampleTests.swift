import CrashReadCore
import CrashReadReports
import Foundation
import Testing

/// Public reports that are beside the repository on some machines; tests that need them are skipped elsewhere.
private enum PublicSamples {
  static let directory: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.appendingPathComponent("shared/corpus")
  }()

  static let areAvailable = FileManager.default.fileExists(atPath: directory.path)

  static func names(in folder: String, _ isWanted: (String) -> Bool = { _ in true }) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path + "/" + folder)) ?? []
    return names.sorted().map { folder + "/" + $0 }.filter(isWanted)
  }

  static func data(_ path: String) throws -> Data {
    try Data(contentsOf: directory.appendingPathComponent(path))
  }

  static func reports(_ path: String) throws -> [CrashReport] { try CrashReport.parse(Array(try data(path))) }

  static func lines(_ path: String) throws -> [Substring] {
    String(decoding: try data(path), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The two documents of an .ips file, by another reader; nil when it can't read the body.
  static func body(_ path: String) throws -> [String: Any]? {
    let data = try data(path)
    guard let end = data.firstIndex(of: 0x0a), let close = data.lastIndex(of: UInt8(ascii: "}")), end < close
    else { return nil }
    return try? JSONSerialization.jsonObject(with: data[(end + 1)...close]) as? [String: Any]
  }
}

@Suite("Public reports of other kinds", .enabled(if: PublicSamples.areAvailable))
struct PublicSampleTests {
  static let spindumps = PublicSamples.names(in: "sample") { !$0.contains("memory_leak") }
  static let leakReports = PublicSamples.names(in: "sample") { $0.contains("memory_leak") }
  static let jetsamReports = PublicSamples.names(in: "ips") { $0.lowercased().contains("jetsam") }
  static let stackshots = PublicSamples.names(in: "ips") {
    $0.contains("server__stacks") || $0.contains("watchdog")
  }

  @Test("spindump: processes, threads, nodes and images are as many as lines say", arguments: spindumps)
  func spindump(_ path: String) throws {
    let reports = try PublicSamples.reports(path)
    var lines = try PublicSamples.lines(path)
    if let tail = lines.firstIndex(where: { $0.hasPrefix("Kextstat:") }) { lines = Array(lines[..<tail]) }
    let blocks = lines.filter { $0.hasPrefix("Process: ") || $0.hasPrefix("Powerstats for:") }.count
    // Below a failure to sleep, the processes aren't the subject.
    guard !lines.contains(where: { $0.hasPrefix("Sleep Wake failure") }) else {
      #expect(reports.count == 1)
      return
    }
    #expect(reports.count == blocks)
    // The list of the heaviest stack repeats a path of the tree.
    if let list = lines.firstIndex(where: { $0.hasPrefix("Heaviest stack") }),
      let next = lines[list...].firstIndex(where: { $0.hasPrefix("Powerstats") }), lines.count > next + 10
    {
      lines.removeSubrange(list..<next)
    }
    let nodes = lines.filter(Self.isNode)
    #expect(reports.flatMap(\.threads).reduce(0) { $0 + $1.callTree.count } == nodes.count)
    let addresses = nodes.filter { $0.contains("[0") }.count
    #expect(
      reports.flatMap(\.threads).flatMap(\.callTree).filter { $0.frame.address != nil }.count == addresses)
    let titles = lines.filter { $0.hasPrefix("  Thread 0x") }.count
    let trees = titles > 0 ? titles : blocks
    #expect(reports.reduce(0) { $0 + $1.threads.count } == trees)
    let images = lines.filter {
      $0.contains("0x") && $0.contains(" - ") && $0.first == " " && !$0.contains("[")
    }
    #expect(reports.reduce(0) { $0 + $1.images.count } == images.count)
    #expect(reports.allSatisfy { $0.format == .spindump })
  }

  /// Blanks, optionally a star, digits, and further text.
  private static func isNode(_ line: Substring) -> Bool {
    guard line.first == " " else { return false }
    let text = line.drop { $0 == " " }.drop { $0 == "*" }
    let rest = text.drop { $0.isNumber }
    // Rows such as `<User mode>` state how the function above them ran.
    let isState = rest.last == ">" && rest.first { $0 != " " } == "<"
    return rest.startIndex > text.startIndex && rest.first == " " && rest.contains { $0 != " " } && !isState
  }

  @Test("spindump: frames state offsets that agree with their images", arguments: spindumps)
  func offsets(_ path: String) throws {
    var count = 0
    for report in try PublicSamples.reports(path) {
      for frame in report.threads.flatMap(\.callTree).map(\.frame) {
        guard let address = frame.address, let offset = frame.imageOffset, let image = frame.image else {
          continue
        }
        count += 1
        #expect(report.images[image].start.advanced(by: offset) == address, "line \(frame.line ?? 0)")
      }
    }
    // One has no images, and of a failure to sleep the processes aren't read.
    #expect(count > 0 || path.contains("microstackshot") || path.contains("sleep_wake"))
  }

  @Test("leaks: stacks, frames and images are as many as lines say", arguments: leakReports)
  func leaks(_ path: String) throws {
    let reports = try PublicSamples.reports(path)
    let lines = try PublicSamples.lines(path)
    try #require(reports.count == 1)
    #expect(reports[0].threads.count == lines.filter { $0.hasPrefix("STACK OF ") }.count)
    let frames = lines.filter { $0.first?.isNumber == true && $0.contains(" 0x") }
    #expect(reports[0].threads.reduce(0) { $0 + $1.frames.count } == frames.count)
    #expect(reports[0].threads.allSatisfy { $0.frames.map(\.number) == Array(0..<$0.frames.count) })
    let images = lines.filter {
      $0.hasPrefix(" ") && $0.contains("0x") && $0.contains(" - ") && $0.contains("<")
    }
    #expect(reports[0].images.count == images.filter { !$0.contains("ROOT") }.count)
    let missing = reports[0].threads.flatMap(\.frames).filter { $0.image == nil }
    #expect(missing.isEmpty)
  }

  @Test(
    "panics: return addresses and extensions are as many as lines say",
    arguments: PublicSamples.names(in: "panic"))
  func panics(_ path: String) throws {
    let report = try #require(try PublicSamples.reports(path).first)
    let lines = try PublicSamples.lines(path)
    let frames = lines.filter { $0.contains("lr: 0x") || $0.hasPrefix("0xffffff") && $0.contains(" : 0x") }
    #expect(report.threads.count == 1 && report.threads[0].frames.count == frames.count)
    let extensions = lines.filter { $0.contains("]@0x") && !$0.contains("dependency:") }
    #expect(report.images.count == extensions.count + 1)
    #expect(report.threads[0].frames.allSatisfy { $0.image != nil })
    #expect(report.header.process == "kernel_task")
  }

  @Test("jetsam: the process that was ended is one that has a reason", arguments: jetsamReports)
  func jetsam(_ path: String) throws {
    let report = try #require(try PublicSamples.reports(path).first)
    #expect(report.kind == .jetsam)
    guard let body = try PublicSamples.body(path) else {
      // A copy that was shortened by hand still states it.
      return #expect(report.termination?.indicator != nil || report.notes.count == 2)
    }
    let processes = try #require(body["processes"] as? [[String: Any]])
    let ended = processes.filter { $0["reason"] != nil }
    let named = ended.first {
      $0["name"] as? String == report.header.process && $0["pid"] as? Int == report.header.pid
    }
    #expect(named?["reason"] as? String == report.termination?.indicator)
    #expect((named == nil) == ended.isEmpty)
    let frontmost = ended.first { ($0["states"] as? [String])?.contains("frontmost") == true }
    if let frontmost { #expect(report.header.process == frontmost["name"] as? String) }
  }

  @Test("stackshots: threads and frames are those of the processes they are about", arguments: stackshots)
  func stackshot(_ path: String) throws {
    let reports = try PublicSamples.reports(path)
    let body = try #require(try PublicSamples.body(path))
    let source = (body["stackshot"] as? [String: Any]) ?? body
    let processes = try #require(source["processByPid"] as? [String: [String: Any]])
    for report in reports {
      let process = try #require(processes[String(report.header.pid ?? -1)])
      #expect(report.header.process == process["procname"] as? String)
      let threads = try #require(process["threadById"] as? [String: [String: Any]])
      #expect(report.threads.count == threads.count)
      for thread in report.threads {
        let expected = threads[thread.id ?? ""]
        let user = (expected?["userFrames"] as? [Any])?.count ?? 0
        let kernel = (expected?["kernelFrames"] as? [Any])?.count ?? 0
        #expect(thread.frames.count == user + kernel)
      }
      #expect(report.images.count == (source["binaryImages"] as? [Any])?.count ?? 0)
    }
    #expect(reports.count == 1)
  }

  @Test("state their kind")
  func kinds() throws {
    let expected: [(String, ReportKind, String?)] = [
      (
        "sample/ios-crash-dump-analysis-book__apfs_defragd.cpu_resource-2020-10-19-234902.ips.synced",
        .resource, "apfs_defragd"
      ),
      ("sample/ios-crash-dump-analysis-book__myrun_crash_ios.crash", .resource, "MapMyRun"),
      ("sample/ipsw__microstackshotSample-bugtype145.ips", .resource, "analyticsd"),
      ("sample/Ventura-ShutdownStall__spindump.txt", .sample, "assistantd"),
      ("ips/ipsw__watchdogNegPIDSample-bugtype409.ips", .hang, "WindowServer"),
      ("ips/ipsw-auto-symbolicate-server__stacks+audiomxd-2025-06-12-080425.ips", .hang, "audiomxd"),
      ("text/ios-crash-dump-analysis-book__stackshot_ios.crash", .other, "kernel_task"),
      ("text/ipsw__otaSample-bugtype183.ips", .other, "iPhoneRestore"),
    ]
    for (path, kind, process) in expected {
      let report = try #require(try PublicSamples.reports(path).first)
      #expect(report.kind == kind && report.header.process == process, "\(path)")
    }
  }
}
