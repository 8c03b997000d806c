import CrashRead
import CrashReadDiagnosis
import Foundation
import TestSupport
import Testing

/// Reports written back in Apple's forms, made from the repository's samples and their debug files.
@Suite("Reports written back")
struct WriterTests {
  private static let symbols = Repository.root.appending(path: "Samples/symbols").path

  private static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Repository.root.appending(path: "Samples/reports/" + name)))
  }

  private static func write(
    _ bytes: [UInt8], with renderer: some Renderer, symbols: [String] = [symbols]
  ) throws -> String {
    var renderer = renderer
    var text = ""
    renderer.begin(into: &text)
    for analysis in try CrashReader(symbols: symbols).analyze(bytes) {
      renderer.render(analysis, into: &text)
    }
    renderer.end(into: &text)
    return text
  }

  static let texts = [
    "text/HogeApp.crash", "text/JumpNull.crash", "text/NullNode-x86_64.crash", "text/ObjCThrow.crash",
    "text/アプリ.crash", "other/HogeApp-crlf.crash",
  ]
  /// Their system libraries can be those of the machine the test runs on.
  static let linuxTexts = ["text/c-abort.crash", "text/cpp-inline.crash", "text/swift-trap.crash"]
  static let files = [
    "ips/HogeApp.ips", "ips/JumpNull.ips", "ips/NullNode-arm64.ips", "ips/ObjCThrow.ips", "ips/アプリ.ips",
  ]

  @Test("are unchanged without debug files", arguments: texts + files + ["other/HogeApp-cut.crash"])
  func unchanged(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let text =
      name.hasPrefix("ips")
      ? try Self.write(bytes, with: IPSWriter(), symbols: [])
      : try Self.write(bytes, with: CrashTextWriter(), symbols: [])
    #expect(Array(text.utf8) == bytes)
  }

  @Test("as text differ only in their frame lines", arguments: texts + linuxTexts)
  func frameLines(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let written = Array(try Self.write(bytes, with: CrashTextWriter()).utf8)
    #expect(written != bytes)
    #expect(try Self.linesWithoutFrames(written) == Self.linesWithoutFrames(bytes))
  }

  private static func linesWithoutFrames(_ bytes: [UInt8]) throws -> [ArraySlice<UInt8>] {
    let reports = try CrashReport.parse(bytes)
    let frames = reports.flatMap { $0.threads.flatMap(\.frames) + $0.lastExceptionBacktrace }
    let numbers = Set(frames.compactMap(\.line))
    let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
    return lines.enumerated().filter { !numbers.contains($0.offset + 1) }.map(\.element)
  }

  @Test("give the same frames again, with names and lines", arguments: texts + linuxTexts + files)
  func readBack(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let analysis = try #require(try CrashReader(symbols: [Self.symbols]).analyze(bytes).first)
    let text =
      name.hasPrefix("ips")
      ? try Self.write(bytes, with: IPSWriter()) : try Self.write(bytes, with: CrashTextWriter())
    let back = try CrashReport(parsing: Array(text.utf8))
    let symbolicated = analysis.diagnosis.symbolicated
    #expect(back.threads.count == symbolicated.threads.count)
    for (thread, resolved) in zip(back.threads, symbolicated.threads) { Self.expect(thread.frames, resolved) }
    Self.expect(back.lastExceptionBacktrace, symbolicated.lastExceptionBacktrace)
    // Written again, nothing changes.
    let again =
      name.hasPrefix("ips")
      ? try Self.write(Array(text.utf8), with: IPSWriter())
      : try Self.write(Array(text.utf8), with: CrashTextWriter())
    #expect(again == text)
  }

  private static func expect(_ frames: [Frame], _ resolved: [ResolvedFrame]) {
    let functions = resolved.filter { !$0.isRecovered }.flatMap { frame in
      frame.locations.isEmpty
        ? [(frame, SourceFrame(function: frame.captured.reportedSymbol))]
        : frame.locations.map { (frame, $0) }
    }
    #expect(frames.count == functions.count)
    for (number, (frame, (resolved, location))) in zip(frames, functions).enumerated() {
      #expect(frame.number == number)
      #expect(frame.address == resolved.captured.address)
      #expect(frame.image == resolved.image)
      #expect(frame.reportedSymbol == location.function)
      #expect(frame.isInlined == location.isInlined)
      if let source = location.location, resolved.resolution == .debugInfo {
        #expect(frame.reportedLine == (source.isGenerated ? nil : source.line))
      }
    }
  }

  @Test("as text state the same as the .ips file", arguments: files)
  func converted(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let text = try Self.write(bytes, with: CrashTextWriter(), symbols: [])
    try expectSame(try CrashReport(parsing: Array(text.utf8)), try CrashReport(parsing: bytes))
  }

  @Test(
    "as text say what public .ips files say", .enabled(if: PublicReports.areAvailable),
    arguments: PublicReports.paths(every: 1, upTo: 80_000).filter {
      $0.hasPrefix("ips/") || $0.hasPrefix("crashprobe/")
    })
  func convertedPublicReport(_ path: String) throws {
    let bytes = try PublicReports.bytes(path)
    guard let reports = try? CrashReport.parse(bytes), reports.count == 1, let report = reports.first,
      report.format == .ips, report.kind == .crash, report.threads.contains(where: { !$0.frames.isEmpty }),
      !report.images.isEmpty
    else { return }
    let text = try Self.write(bytes, with: CrashTextWriter(), symbols: [])
    try expectSame(try CrashReport(parsing: Array(text.utf8)), report)
    #expect(Array(try Self.write(bytes, with: IPSWriter(), symbols: []).utf8) == bytes)
  }

  private func expectSame(_ text: CrashReport, _ json: CrashReport) throws {
    #expect(text.notes.isEmpty)
    #expect(text.header == json.header)
    #expect(text.exception == json.exception)
    #expect(text.termination?.namespace == json.termination?.namespace)
    #expect(text.termination?.code == json.termination?.code)
    #expect(text.crashedThread == json.crashedThread)
    #expect(text.applicationSpecificInformation == json.applicationSpecificInformation.map { $0.trimmingEnd })
    #expect(text.threads.map(\.name) == json.threads.map(\.name))
    #expect(text.threads.map(\.queue) == json.threads.map(\.queue))
    #expect(text.images.map(\.id) == json.images.map(\.id))
    #expect(text.images.map(\.start) == json.images.map(\.start))
    #expect(text.images.map(\.path) == json.images.map(\.path))
    let values = [text, json].map { $0.crashedThreadState?.registers.map { [$0.name: $0.value] } }
    #expect(Set(values[0] ?? []) == Set(values[1] ?? []))
    for (left, right) in zip(text.threads, json.threads) {
      #expect(left.frames.map(\.address) == right.frames.map(\.address))
      #expect(left.frames.map(\.kind) == right.frames.map(\.kind))
      #expect(left.frames.map(\.reportedSymbol) == right.frames.map(\.reportedSymbol))
      #expect(left.frames.map(\.reportedSymbolOffset) == right.frames.map(\.reportedSymbolOffset))
      #expect(left.frames.map(\.reportedFile) == right.frames.map(\.reportedFile))
      #expect(left.frames.map(\.reportedLine) == right.frames.map(\.reportedLine))
      #expect(left.frames.map(\.isInlined) == right.frames.map(\.isInlined))
    }
  }

  @Test("expand a list of addresses into frames")
  func addressList() throws {
    let bytes = try Self.bytes("text/ObjCThrow-addresses.crash")
    let written = try CrashReport(parsing: Array(try Self.write(bytes, with: CrashTextWriter()).utf8))
    let plain = try CrashReport(parsing: bytes)
    #expect(plain.lastExceptionBacktrace.allSatisfy { $0.number == nil })
    let real = written.lastExceptionBacktrace.filter { !$0.isInlined }
    #expect(real.map(\.address) == plain.lastExceptionBacktrace.map(\.address))
    #expect(written.lastExceptionBacktrace.contains { $0.reportedLine != nil })
  }

  @Test("keep all reports of a file in one file")
  func severalReports() throws {
    let text = try Self.bytes("text/HogeApp.crash")
    let file = try Self.bytes("ips/ObjCThrow.ips")
    let once = try Self.write(text, with: CrashTextWriter())
    #expect(try Self.write(text + [0x0a] + text, with: CrashTextWriter()) == once + "\n" + once)
    let json = try Self.write(file, with: IPSWriter())
    #expect(try Self.write(file + [0x0a] + file, with: IPSWriter()) == json + "\n" + json)
    #expect(
      try Self.write(text + [0x0a] + file, with: IPSWriter()) == String(decoding: text, as: UTF8.self) + "\n"
        + json)
    #expect(try Self.write(text, with: IPSWriter()) == "")
  }

  @Test("keep the blanks of the .ips file's own writer")
  func jsonStyle() throws {
    let text = String(decoding: try Self.bytes("ips/HogeApp.ips"), as: UTF8.self)
      .replacingOccurrences(
        of: "{\"imageOffset\":16604,\"imageIndex\":0}",
        with: "{\n \"imageOffset\" : 16604,\n \"imageIndex\" : 0\n}")
    let written = try Self.write(Array(text.utf8), with: IPSWriter())
    #expect(written.contains(",\n \"sourceFile\" : \"Fuga.swift\",\n \"sourceLine\" : 10\n}"))
  }

  @Test("keep a name with line breaks on one line")
  func hostileNames() {
    var report = CrashReport(format: .ips)
    report.header.process = "A\nThread 0 Crashed:\n0 B 0x10 f"
    let analysis = ReportAnalysis(
      input: "-",
      diagnosis: KnowledgeBase(language: .english).diagnose(
        Symbolicator(store: SymbolStore(searching: [])).symbolicate(report)))
    var writer = CrashTextWriter()
    var text = ""
    writer.render(analysis, into: &text)
    #expect(!text.contains("\nThread 0"))
  }
}

extension String {
  fileprivate var trimmingEnd: String { String(reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
}
