import CrashReadCore
import CrashReadDebugInfo
import CrashReadDiagnosis
import CrashReadSymbolication
import CrashReadSystem
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@testable import CrashReadBatch

/// Unit tests of a batch's parts.
@Suite struct BatchPartTests {
  // MARK: SipHash

  @Test(arguments: [
    // From the reference code's `vectors_sip128`: the first n of the bytes 0, 1, 2…, under the key 0, 1, … 15.
    (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
    (2, "8177228da4a45dc7fca38bdef60affe4"),
  ])
  func hashMatchesReference(_ count: Int, _ hash: String) {
    let key = (0..<16).map { UInt8($0) }
    #expect(hex(SipHash.hash((0..<count).map { UInt8($0) }, key: key)) == hash)
  }

  @Test(
    .enabled(if: installedProgram("openssl") != nil, "openssl isn't installed"),
    arguments: [7, 8, 9, 63, 1000])
  func hashMatchesOpenSSL(_ count: Int) throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(seed: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    try directory.write(bytes, to: "bytes")
    let run = try CommandRun(
      program: #require(installedProgram("openssl")),
      ["mac", "-macopt", "hexkey:" + hex(key), "-macopt", "size:16", "-in", "bytes", "SIPHASH"], in: directory
    )
    #expect(run.output.lowercased().filter { !$0.isWhitespace } == hex(SipHash.hash(bytes, key: key)))
  }

  private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

  // MARK: Lines

  /// All lines of bytes that come through a pipe in pieces; nil for a line that is too long.
  private func lines(_ pieces: [String], separator: UInt8 = 0x0a, limit: Int = 100) throws -> [String?] {
    let pipe = Foundation.Pipe()
    var reader = LineReader(
      descriptor: pipe.fileHandleForReading.fileDescriptor, separator: separator, limit: limit)
    var result: [String?] = []
    for piece in pieces {
      try pipe.fileHandleForWriting.write(contentsOf: Data(piece.utf8))
      take: while true {
        switch reader.next() {
        case .line(let line): result.append(String(decoding: line, as: UTF8.self))
        case .tooLong: result.append(nil)
        case .wait: break take
        case .end, .failed:
          Issue.record("it hasn't ended")
          break take
        }
      }
    }
    try pipe.fileHandleForWriting.close()
    while true {
      switch reader.next() {
      case .line(let line): result.append(String(decoding: line, as: UTF8.self))
      case .tooLong: result.append(nil)
      case .end: return result
      case .wait, .failed:
        Issue.record("it has ended")
        return result
      }
    }
  }

  @Test func linesArriveIncrementally() throws {
    #expect(try lines(["a\nb", "", "c\n\n", "d"]) == ["a", "bc", "", "d"])
    #expect(try lines(["a\n", "b\n"]) == ["a", "b"])
    #expect(try lines([]) == [])
    #expect(try lines(["a\nb\0c\0"], separator: 0) == ["a\nb", "c"])
  }

  @Test func overlongLinesAreSkipped() throws {
    let long = String(repeating: "x", count: 40)
    #expect(try lines(["a\n", long, long, long, "\nb\n"]) == ["a", nil, "b"])
    #expect(try lines([String(repeating: "x", count: 101) + "\nb"]) == [nil, "b"])
    #expect(
      try lines([String(repeating: "x", count: 100) + "\nb"]) == [String(repeating: "x", count: 100), "b"])
    #expect(try lines(["b\n", long, long, long]) == ["b", nil])
  }

  // MARK: Messages

  @Test func messagesRoundTrip() throws {
    let messages = [
      Message(kind: .ready, contents: []), Message(kind: .line, contents: Array("text".utf8)),
      Message(kind: .done, contents: [2]),
      Message(kind: .bytes, contents: [UInt8](repeating: 7, count: 70_000)),
    ]
    var bytes: [UInt8] = []
    for message in messages { bytes.appendMessage(message.kind, message.contents) }
    for step in [1, 3, 6, 4096, bytes.count] {
      var decoder = MessageDecoder()
      var result: [Message] = []
      for start in stride(from: 0, to: bytes.count, by: step) {
        decoder.append(bytes[start..<min(start + step, bytes.count)])
        while let message = try decoder.next() { result.append(message) }
      }
      #expect(result == messages)
      #expect(decoder.count == 0)
    }
  }

  @Test func invalidMessagesAreRejected() {
    var decoder = MessageDecoder()
    decoder.append([200, 0, 0, 0, 0])
    #expect(throws: MessageDecoder.Garbled.self) { try decoder.next() }
  }

  // MARK: Order

  @Test func resultsAreInInputOrder() {
    var order = ResultOrder(window: 3)
    let positions = (0..<3).map { _ in order.begin() }
    #expect(positions == [0, 1, 2])
    #expect(!order.hasRoom)
    order.put(BatchResult(name: "c"), at: 2)
    order.put(BatchResult(name: "b"), at: 1)
    #expect(order.take()?.position == nil)
    order.put(BatchResult(name: "a"), at: 0)
    #expect((0..<3).compactMap { _ in order.take()?.result.name } == ["a", "b", "c"])
    #expect(order.hasRoom && order.isEmpty)
  }

  @Test func largeResultsBlockFurtherInputs() {
    var order = ResultOrder(window: 100)
    _ = (order.begin(), order.begin())
    order.put(BatchResult(name: "b", lines: [UInt8](repeating: 0, count: 65 << 20)), at: 1)
    #expect(!order.hasRoom)
    order.put(BatchResult(name: "a"), at: 0)
    #expect(order.take()?.position == 0 && order.take()?.position == 1)
    #expect(order.hasRoom)
  }

  // MARK: Settings

  /// The settings that only the batch needs; each new setting belongs here or in those that workers receive.
  private static let ofBatchAlone: Set = [
    "workers", "isolation", "state", "retriesUnresolved", "output", "inputLimits",
  ]

  @Test func workerSettingsRoundTrip() {
    var settings = BatchSettings()
    (settings.symbols, settings.optionalSymbols, settings.caches) = (["a b", "c"], ["d"], "e")
    (settings.asksDebuginfod, settings.symbolServers, settings.programFolders) = (true, ["f"], ["g", ""])
    (settings.symbolMemory, settings.quorum, settings.learns, settings.learnsByFolder) = ("h", 3, true, true)
    (settings.allowsMismatch, settings.language, settings.showsReasoning) = (true, .japanese, true)
    (settings.brief, settings.writesResults, settings.cacheCommand) = (.tools, false, ["i", "j"])
    for name in Limits.Name.allCases { settings.limits[name] += 1 }
    settings.inputLimits.seconds = 7
    let told = BatchSettings(message: settings.message)
    #expect(told.inputLimits.seconds == 7)
    let (here, there, usual) = (Mirror(reflecting: settings), Mirror(reflecting: told), BatchSettings())
    for ((child, other), initial) in zip(
      zip(here.children, there.children), Mirror(reflecting: usual).children)
    {
      let name = child.label ?? ""
      if Self.ofBatchAlone.contains(name) { continue }
      #expect("\(child.value)" != "\(initial.value)", "\(name) is to be set above")
      #expect("\(child.value)" == "\(other.value)", "\(name) is not told")
    }
  }

  // MARK: Records

  @Test func badFilesExpireAndAreKeptPerBinary() throws {
    let directory = try TemporaryDirectory()
    try directory.write("bad", to: "file")
    let path = directory.path("file")
    let (bad, good) = (BinaryName(path: path, id: "A"), BinaryName(path: path, id: "B"))
    var files = BadDebugFiles()
    let additions = (0..<2).map { _ in files.add(bad, reason: "ended", at: 1000) }
    #expect(additions == [true, false])
    let refusals = files.refusals(at: 1000).reasons
    #expect(refusals == [bad: "ended"] && refusals[good] == nil)
    // What a state contains is valid for the next run, too.
    let kept = files.takeChanges()
    let last = 999 + BadDebugFiles.lifetime
    for (now, isRefused) in [(last, true), (last + 1, false), (999, false), (Int64.min, false)] {
      var next = BadDebugFiles(kept)
      let isEmpty = next.refusals(at: now).reasons.isEmpty
      #expect(isEmpty != isRefused)
    }
    try directory.write("good now", to: "file")
    let changed = files.refusals(at: 1000).reasons
    #expect(changed.isEmpty)
  }

  @Test func recordsAreObjects() {
    for text in ["", "[]", "7", #"{"id": "a""#, #"{"id": "a"} x"#, #"{"id"; "a"}"#] {
      let record = BatchRecord(Array(text.utf8))
      #expect(record.id == nil)
      if case .nothing = record.content {} else { Issue.record("\(text) holds a report") }
    }
    let record = BatchRecord(Array(#" { "path" : "p", "report" : {"a": [1, "\u0041" ]} , "id" : 3 } "#.utf8))
    #expect(record.id == "3")
    guard case .report(let bytes) = record.content else {
      Issue.record("the object is the report")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"a": [1, "\u0041" ]}"#)
  }
}
