import CrashReadCore
import CrashReadReports
import Foundation
import TestSupport
import Testing

/// Rows of the list that says what each public report is: file, OS version, process, exception, remarks.
private struct ManifestRow: CustomTestStringConvertible {
  var file: String
  var osVersion: String
  var process: String
  var exception: String
  var remarks: String

  var testDescription: String { file }

  static let all: [ManifestRow] = {
    let url = PublicReports.directory.appendingPathComponent("MANIFEST.tsv")
    guard let data = try? Data(contentsOf: url) else { return [] }
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst().compactMap {
      line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count > 8 else { return nil }
      return ManifestRow(
        file: fields[0], osVersion: fields[3], process: fields[4], exception: fields[5], remarks: fields[8])
    }
  }()

  static func inFolder(_ name: String, suffix: String) -> [ManifestRow] {
    all.filter { $0.file.hasPrefix(name + "/") && $0.file.hasSuffix(suffix) }
  }

  /// The words of the list's description of the exception that begin with a prefix.
  func words(_ prefix: String) -> [String] {
    exception.split(whereSeparator: { " ;".contains($0) }).map(String.init).filter { $0.hasPrefix(prefix) }
  }

  func read() throws -> [CrashReport] { try CrashReport.parse(try PublicReports.bytes(file)) }

  /// The file as Foundation reads it; nil when it is no valid JSON.
  func json() throws -> [String: Any]? {
    let bytes = try PublicReports.bytes(file)
    return (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
  }
}

/// The objects of a list, which in a damaged report can hold anything.
private func objects(_ list: Any?) -> [[String: Any]] {
  (list as? [Any] ?? []).compactMap { $0 as? [String: Any] }
}

@Suite("Public reports of other reporters", .enabled(if: PublicReports.areAvailable))
struct PublicReporterTests {
  @Test("MetricKit", arguments: ManifestRow.inFolder("metrickit", suffix: ".json"))
  private func metricKit(_ row: ManifestRow) throws {
    let reports = try row.read()
    let report = try #require(reports.first)
    #expect(reports.count == 1)
    #expect(report.format == .metricKit)
    #expect(report.notes.isEmpty)
    if !row.process.isEmpty { #expect(report.header.bundleID == row.process) }
    if !row.osVersion.isEmpty { #expect(report.header.osVersion == row.osVersion) }
    let names = ["type 10": "EXC_CRASH", "signal 6": "SIGABRT", "signal 9": "SIGKILL"]
    let stated = [report.exception?.type, report.exception?.signal].compactMap { $0 }
    #expect(stated == names.filter { row.exception.contains($0.key) }.map(\.value).sorted())
    let json = try #require(try row.json())
    let stacks = (json["callStackTree"] as? [String: Any] ?? json)["callStacks"] as? [[String: Any]] ?? []
    let addresses = stacks.map { stack -> [UInt64] in
      let flat = stack["callStackFrames"] as? [[String: Any]]
      return flat?.map(Self.address) ?? Self.nested(stack["callStackRootFrames"])
    }
    #expect(report.threads.map { $0.frames.map { $0.address?.rawValue ?? 0 } } == addresses)
    #expect(report.threads.map(\.isCrashed) == stacks.map { $0["threadAttributed"] as? Bool ?? false })
    for frame in report.threads.flatMap(\.frames) {
      guard let address = frame.address, let image = frame.image, let offset = frame.imageOffset else {
        continue
      }
      #expect(report.images[image].start.advanced(by: offset) == address)
    }
  }

  private static func address(_ frame: [String: Any]) -> UInt64 {
    (frame["address"] as? NSNumber)?.uint64Value ?? 0
  }

  /// The addresses of a stack without branches, from the root on.
  private static func nested(_ roots: Any?) -> [UInt64] {
    var addresses: [UInt64] = []
    var node = (roots as? [[String: Any]])?.first
    while let frame = node {
      addresses.append(address(frame))
      node = (frame["subFrames"] as? [[String: Any]])?.first
    }
    return addresses
  }

  @Test("KSCrash", arguments: ManifestRow.inFolder("kscrash", suffix: ".json"))
  private func ksCrash(_ row: ManifestRow) throws {
    let report = try #require(try row.read().first)
    #expect(report.format == .ksCrashJSON)
    if !row.process.isEmpty { #expect(report.header.process == row.process) }
    if row.osVersion.count > 2 { #expect(report.header.osVersion == row.osVersion) }
    if let type = row.words("EXC_").first { #expect(report.exception?.type == type) }
    if let signal = row.words("SIG").first { #expect(report.exception?.signal == signal) }
    guard let json = try row.json() else {
      // A trailing comma, which Foundation rejects.
      #expect(row.file.contains("sigterm"))
      #expect(report.exception?.type == "SIGTERM")
      return
    }
    let crash = json["crash"] as? [String: Any] ?? [:]
    let single = (crash["crashed_thread"] as? [String: Any]).map { [$0] }
    let threads = single ?? objects(crash["threads"])
    #expect(report.threads.count == threads.count)
    for (thread, source) in zip(report.threads, threads) {
      let backtrace = source["backtrace"] as? [String: Any]
      let frames = objects(backtrace?["contents"])
      #expect(
        thread.frames.map { $0.address?.rawValue }
          == frames.map { ($0["instruction_addr"] as? NSNumber)?.uint64Value })
      #expect(thread.name == source["name"] as? String)
      #expect(thread.queue == source["dispatch_queue"] as? String)
      let registers = (source["registers"] as? [String: Any])?["basic"] as? [String: Any] ?? [:]
      #expect(registers.allSatisfy { thread.state?[$0.lowercased()] != nil || $1 is String })
    }
    let other = json["recrash_report"] as? [String: Any]
    let images = objects(json["binary_images"] ?? other?["binary_images"])
    #expect(report.images.count == images.count)
    #expect(report.images.map(\.path) == images.map { $0["name"] as? String })
    #expect(
      report.images.map { $0.id?.description }
        == images.map { ($0["uuid"] as? String).flatMap { ImageID(parsing: $0) }?.description })
  }

  @Test(
    "KSCrash's text and JSON of one crash agree",
    arguments: ["Abort", "BadPointer", "CorruptMemory", "Zombie"])
  func twins(_ name: String) throws {
    let json = try CrashReport(parsing: try PublicReports.bytes("kscrash/KSCrash__\(name).json"))
    let text = try CrashReport(parsing: try PublicReports.bytes("kscrash/KSCrash__\(name).txt"))
    #expect(text.format == .appleText)
    #expect(json.header.process == text.header.process)
    #expect(json.header.pid == text.header.pid)
    #expect(json.header.incident == text.header.incident)
    #expect(json.header.osVersion == text.header.osVersion)
    #expect(json.header.parentProcess == text.header.parentProcess)
    #expect(json.header.version == text.header.version)
    #expect(json.exception?.type == text.exception?.type)
    #expect(json.exception?.signal == text.exception?.signal)
    #expect(json.exception?.subtype == text.exception?.subtype)
    #expect(json.crashedThread == text.crashedThread)
    #expect(json.threads.map(\.queue) == text.threads.map(\.queue))
    #expect(json.crashedThreadState?.programCounter == text.crashedThreadState?.programCounter)
    #expect(Set(json.images.compactMap(\.id)) == Set(text.images.compactMap(\.id)))
    for (left, right) in zip(json.threads, text.threads) {
      #expect(left.frames.map(\.address) == right.frames.map(\.address))
      #expect(left.frames.map(\.reportedSymbol) == right.frames.map(\.reportedSymbol))
      #expect(left.frames.map(\.kind) == right.frames.map(\.kind))
    }
  }

  @Test("PLCrashReporter", arguments: ManifestRow.inFolder("plcrash", suffix: ".plcrash"))
  private func plCrash(_ row: ManifestRow) throws {
    let report = try #require(try row.read().first)
    #expect(report.format == .plCrash)
    #expect(row.process == report.header.process ?? report.header.bundleID)
    #expect(report.header.osVersion == row.osVersion.replacing(" ()", with: ""))
    #expect(report.exception?.type == row.words("SIG").first)
    if let name = row.exception.split(separator: "; ").dropFirst().first {
      #expect(report.uncaughtException?.name == String(name))
      #expect(!report.lastExceptionBacktrace.isEmpty)
    }
    #expect(row.remarks.hasSuffix("\(report.threads.count) threads, \(report.images.count) images"))
    #expect(report.notes.isEmpty)
    let crashed = try #require(report.crashedThread.map { report.threads[$0] })
    #expect(crashed.state?.programCounter == crashed.frames.first?.address?.rawValue)
    // Every image has a name and an end, and contains the code that ran.
    #expect(report.images.allSatisfy { $0.name != nil && $0.end != nil })
    #expect(report.images.compactMap(\.id).allSatisfy { $0.bytes.count == 16 })
    #expect(report.images.count { $0.id != nil } > report.images.count / 2)
    #expect(crashed.frames.contains { $0.image != nil })
  }
}
