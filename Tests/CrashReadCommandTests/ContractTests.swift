import CrashRead
import CrashReadReports
import Foundation
import TestSupport
import Testing

/// Any JSON, in Swift's own types: `JSONSerialization` takes 0 and 1 for truth values.
private struct AnyJSON: Decodable {
  let value: Any

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // The most frequent type comes first: each attempt that fails throws an error with a description.
    value =
      if let text = try? container.decode(String.self) {
        text
      } else if let number = try? container.decode(Int.self) {
        number
      } else if container.decodeNil() {
        NSNull()
      } else if let bool = try? container.decode(Bool.self) {
        bool
      } else if let object = try? container.decode([String: AnyJSON].self) {
        object.mapValues(\.value)
      } else if let number = try? container.decode(UInt64.self) {
        Int(clamping: number)
      } else {
        try container.decode([AnyJSON].self).map(\.value)
      }
  }

  /// One document, or several in an array.
  static func documents(in json: String) throws -> [[String: Any]] {
    let value = try JSONDecoder().decode(AnyJSON.self, from: Data(json.utf8)).value
    return value as? [[String: Any]] ?? (value as? [String: Any]).map { [$0] } ?? []
  }
}

/// Checks a JSON document against the rules of crashread-json(5), and lists the violations.
private struct ContractChecker {
  private(set) var problems: [String] = []
  private var place: [String] = []

  private mutating func report(_ text: String) { problems.append(place.joined(separator: ".") + ": " + text) }

  private mutating func check(_ name: String, _ body: (inout ContractChecker) -> Void) {
    place.append(name)
    body(&self)
    place.removeLast()
  }

  enum Kind: String {
    case string, number, bool, hex, strings, hexes, object, objects
  }

  private func isHex(_ value: Any) -> Bool {
    guard let text = value as? String, text.hasPrefix("0x") else { return false }
    let digits = text.dropFirst(2)
    return UInt64(digits, radix: 16) != nil && (digits == "0" || !digits.hasPrefix("0"))
      && digits == digits.lowercased()
  }

  private func fits(_ value: Any, _ kind: Kind) -> Bool {
    switch kind {
    case .string: value is String
    case .bool: value is Bool
    case .number: value is Int
    case .hex: isHex(value)
    case .strings: value is [String]
    case .hexes: (value as? [Any])?.allSatisfy(isHex) ?? false
    case .object: value is [String: Any]
    case .objects: value is [[String: Any]]
    }
  }

  /// Checks that fields have their types, that mandatory ones are present, and that there is no other.
  private mutating func fields(
    _ object: [String: Any], always: [String: Kind], sometimes: [String: Kind] = [:],
    nullable: Set<String> = []
  ) {
    for name in always.keys where object[name] == nil { report("\(name) is missing") }
    for (name, value) in object {
      guard let kind = always[name] ?? sometimes[name] else {
        report("\(name) is in no contract")
        continue
      }
      if value is NSNull {
        if !nullable.contains(name) { report("\(name) is null") }
      } else if !fits(value, kind) {
        report("\(name) is no \(kind.rawValue): \(value)")
      }
    }
  }

  private mutating func word(_ object: [String: Any], _ name: String, _ words: Set<String>) {
    if let text = object[name] as? String, !words.contains(text) { report("\(name) is '\(text)'") }
  }

  mutating func document(_ document: [String: Any]) {
    fields(
      document,
      always: [
        "schemaVersion": .number, "input": .string, "report": .object, "diagnosis": .object,
        "threads": .objects,
        "images": .objects,
      ],
      sometimes: [
        "exception": .object, "termination": .object, "applicationSpecificInformation": .strings,
        "applicationSpecificBacktraces": .objects, "uncaughtException": .object, "vmRegionInfo": .string,
        "signature": .string, "lastExceptionBacktrace": .object, "registers": .object, "notes": .objects,
        "blame": .object, "systemRemarks": .objects, "container": .object,
      ])
    check("container") {
      $0.fields(
        document["container"] as? [String: Any] ?? ["kind": "", "path": ""],
        always: ["kind": .string, "path": .string],
        sometimes: ["test": .string, "device": .string, "configuration": .string, "duringRun": .bool])
    }
    for remark in document["systemRemarks"] as? [[String: Any]] ?? [] {
      check("systemRemarks") {
        $0.fields(remark, always: ["heading": .string, "text": .string], sometimes: [:])
      }
    }
    if document["schemaVersion"] as? Int != 1 { report("schemaVersion is not 1") }
    let images = document["images"] as? [[String: Any]] ?? []
    check("blame") { $0.blame(document["blame"] as? [String: Any] ?? ["reason": "noSource"]) }
    check("report") { $0.header(document["report"] as? [String: Any] ?? [:]) }
    check("exception") {
      $0.fields(
        document["exception"] as? [String: Any] ?? [:], always: [:],
        sometimes: [
          "type": .string, "signal": .string, "codes": .hexes, "codesText": .string, "subtype": .string,
          "message": .string,
          "note": .string,
        ])
    }
    check("termination") {
      $0.fields(
        document["termination"] as? [String: Any] ?? [:], always: [:],
        sometimes: [
          "namespace": .string, "code": .hex, "indicator": .string, "byProcess": .string, "details": .strings,
        ])
    }
    for (name, value) in document["registers"] as? [String: Any] ?? [:] where !isHex(value) {
      report("register \(name) is no hex: \(value)")
    }
    let threads = document["threads"] as? [[String: Any]] ?? []
    for (index, thread) in threads.enumerated() {
      check("threads[\(index)]") { $0.thread(thread, imageCount: images.count) }
    }
    let backtrace = document["lastExceptionBacktrace"] as? [String: Any]
    let alone = document["applicationSpecificBacktraces"] as? [[String: Any]] ?? []
    for backtrace in alone {
      check("applicationSpecificBacktraces") { $0.frames(backtrace, imageCount: images.count) }
    }
    if let exception = document["uncaughtException"] as? [String: Any] {
      check("uncaughtException") {
        $0.fields(exception, always: [:], sometimes: ["name": .string, "reason": .string])
      }
    }
    if let backtrace { check("lastExceptionBacktrace") { $0.frames(backtrace, imageCount: images.count) } }
    for (index, image) in images.enumerated() { check("images[\(index)]") { $0.image(image, index) } }
    for note in document["notes"] as? [[String: Any]] ?? [] {
      check("notes") { $0.fields(note, always: ["message": .string], sometimes: ["line": .number]) }
    }
    check("diagnosis") {
      $0.diagnosis(document["diagnosis"] as? [String: Any] ?? [:], threads, backtrace, alone)
    }
  }

  private mutating func blame(_ blame: [String: Any]) {
    let isKnown = blame["reason"] == nil
    fields(
      blame,
      always: isKnown
        ? ["commit": .string, "author": .string, "date": .string, "summary": .string] : ["reason": .string],
      sometimes: isKnown ? ["oldest": .bool] : [:])
    word(blame, "reason", Set(LineHistory.Reason.allCases.map(\.rawValue)))
  }

  private mutating func header(_ header: [String: Any]) {
    let texts = [
      "incident", "date", "launchDate", "process", "path", "bundleID", "version", "build", "codeType",
      "hardwareModel", "osVersion", "parentProcess",
    ]
    fields(
      header, always: ["format": .string, "kind": .string],
      sometimes: Dictionary(uniqueKeysWithValues: texts.map { ($0, Kind.string) }).merging(["pid": .number]) {
        $1
      })
    word(header, "format", Set(ReportFormat.allCases.map(\.rawValue)))
    word(header, "kind", ["crash", "hang", "resource", "jetsam", "panic", "sample", "other"])
  }

  private mutating func thread(_ thread: [String: Any], imageCount: Int) {
    var record = thread
    record["frames"] = nil
    fields(
      record, always: ["crashed": .bool],
      sometimes: [
        "index": .number, "id": .string, "name": .string, "queue": .string, "instruction": .object,
      ])
    if let instruction = thread["instruction"] as? [String: Any] {
      check("instruction") { $0.instruction(instruction) }
    }
    frames(thread, imageCount: imageCount)
  }

  private mutating func instruction(_ instruction: [String: Any]) {
    fields(
      instruction, always: ["address": .hex, "bytes": .string, "text": .string],
      sometimes: ["operand": .object, "origin": .object, "before": .strings, "after": .strings])
    if let operand = instruction["operand"] as? [String: Any] {
      fields(
        operand, always: ["text": .string, "access": .string],
        sometimes: ["address": .hex, "size": .number, "matchesFault": .bool])
      word(operand, "access", ["read", "write", "readWrite"])
    }
    if let origin = instruction["origin"] as? [String: Any] {
      fields(origin, always: ["kind": .string, "text": .string], sometimes: ["variable": .string])
      word(origin, "kind", ["argument", "load", "call", "constant", "unknown"])
    }
  }

  private mutating func frames(_ owner: [String: Any], imageCount: Int) {
    guard let frames = owner["frames"] as? [[String: Any]] else { return report("frames are missing") }
    for (index, frame) in frames.enumerated() {
      check("frames[\(index)]") { $0.frame(frame, index, imageCount) }
    }
  }

  private mutating func frame(_ frame: [String: Any], _ index: Int, _ imageCount: Int) {
    fields(
      frame,
      always: ["index": .number, "kind": .string, "resolution": .string, "locations": .objects],
      sometimes: [
        "address": .hex, "image": .string, "imageIndex": .number, "imageOffset": .number,
        "reportedSymbol": .string, "reportedSymbolOffset": .number, "reportedFile": .string,
        "reportedLine": .number, "reportedInlined": .bool, "sampleCount": .number, "reason": .string,
        "inApp": .bool, "guess": .bool,
        "recovered": .bool,
      ], nullable: ["reason"])
    word(frame, "kind", ["programCounter", "returnAddress", "asyncResumePoint", "omitted", "truncated"])
    word(frame, "resolution", ["debugInfo", "symbolTable", "asReported", "unresolved"])
    word(
      frame, "reason",
      ["noDebugFile", "identityMismatch", "noDebugInfo", "notInImage", "damaged", "noAddress"])
    if frame["index"] as? Int != index { report("index is not \(index)") }
    if let image = frame["imageIndex"] as? Int, !(0..<imageCount).contains(image) {
      report("no image \(image)")
    }
    let resolution = frame["resolution"] as? String
    let isResolved = resolution == "debugInfo"
    if isResolved == (frame["reason"] is String) {
      report("\(resolution ?? "") with reason \(frame["reason"] ?? "")")
    }
    let locations = frame["locations"] as? [[String: Any]] ?? []
    if locations.isEmpty == (isResolved || resolution == "symbolTable") {
      report("\(locations.count) locations")
    }
    for (index, location) in locations.enumerated() {
      fields(
        location, always: ["inlined": .bool],
        sometimes: [
          "function": .string, "linkageName": .string, "file": .string, "line": .number, "column": .number,
          "symbolOffset": .number, "variables": .objects,
        ])
      for variable in location["variables"] as? [[String: Any]] ?? [] { self.variable(variable) }
      let isLast = index == locations.count - 1
      let isInlined = location["inlined"] as? Bool == true
      if isInlined == isLast, frame["reportedInlined"] == nil {
        report("location \(index) inlined: \(isInlined)")
      }
      if let line = location["line"] as? Int, line < 1 { report("line \(line)") }
    }
  }

  private mutating func variable(_ variable: [String: Any]) {
    fields(
      variable, always: ["name": .string, "type": .string, "parameter": .bool, "status": .string],
      sometimes: ["line": .number, "value": .string, "address": .hex])
    word(variable, "status", ["known", "inMemory", "notAvailable", "optimizedOut"])
    if (variable["status"] as? String == "known") != (variable["value"] is String) {
      report("a value, or its status, is missing")
    }
  }

  private mutating func evidence(_ statement: [String: Any]) {
    for evidence in statement["evidence"] as? [[String: Any]] ?? [] {
      fields(
        evidence, always: ["label": .string, "quote": .string],
        sometimes: ["source": .string, "meaning": .string])
    }
  }

  private mutating func member(_ member: [String: Any]) {
    fields(
      member,
      always: ["text": .string, "confidence": .string, "evidence": .objects, "candidates": .objects],
      sometimes: [:])
    word(member, "confidence", ["certain", "likely", "hint"])
    evidence(member)
    for candidate in member["candidates"] as? [[String: Any]] ?? [] {
      fields(candidate, always: ["expression": .string, "offset": .number, "type": .string], sometimes: [:])
    }
  }

  private mutating func image(_ image: [String: Any], _ index: Int) {
    fields(
      image,
      always: [
        "index": .number, "start": .hex, "debugFile": .string, "status": .string, "attempts": .objects,
      ],
      sometimes: [
        "name": .string, "path": .string, "id": .string, "arch": .string, "end": .hex, "guess": .bool,
      ],
      nullable: ["debugFile"])
    word(image, "status", ["matched", "notSearched", "missing", "identityMismatch", "unusable", "missing"])
    if image["index"] as? Int != index { report("index is not \(index)") }
    if (image["status"] as? String == "matched") != (image["debugFile"] is String) {
      report("matched, and no file")
    }
    for attempt in image["attempts"] as? [[String: Any]] ?? [] {
      fields(
        attempt, always: ["path": .string, "outcome": .string],
        sometimes: ["id": .string, "message": .string])
      word(attempt, "outcome", ["used", "identityMismatch", "unusable"])
    }
  }

  private mutating func code(_ code: [String: Any]) {
    fields(
      code, always: ["kind": .string],
      sometimes: ["title": .string, "value": .hex, "name": .string, "meaning": .string, "parts": .objects])
    for part in code["parts"] as? [[String: Any]] ?? [] {
      check("parts") {
        $0.fields(
          part, always: ["field": .string, "text": .string],
          sometimes: ["label": .string, "value": .hex, "meaning": .string])
      }
    }
  }

  private mutating func diagnosis(
    _ diagnosis: [String: Any], _ threads: [[String: Any]], _ backtrace: [String: Any]?,
    _ alone: [[String: Any]]
  ) {
    fields(
      diagnosis,
      always: [
        "rule": .string, "title": .string, "explanation": .string, "confidence": .string,
        "evidence": .objects,
        "advice": .strings,
      ],
      sometimes: [
        "blamed": .object, "decoded": .objects, "findings": .objects, "skipped": .objects,
        "rejected": .objects, "member": .object, "signatureFrames": .objects, "contract": .string,
        "raisedBy": .object, "calledFrom": .object, "allocation": .object,
      ],
      nullable: ["rule"])
    if let member = diagnosis["member"] as? [String: Any] { self.member(member) }
    word(diagnosis, "confidence", ["certain", "likely", "hint"])
    evidence(diagnosis)
    for finding in diagnosis["findings"] as? [[String: Any]] ?? [] {
      fields(
        finding,
        always: ["rule": .string, "text": .string, "confidence": .string, "evidence": .objects])
      evidence(finding)
      word(finding, "confidence", ["certain", "likely", "hint"])
    }
    for skipped in diagnosis["skipped"] as? [[String: Any]] ?? [] {
      fields(
        skipped, always: ["thread": .number, "frame": .number, "reason": .string],
        sometimes: ["applicationSpecificBacktrace": .number], nullable: ["thread"])
      word(
        skipped, "reason",
        ["notApp", "machinery", "thunk", "generated", "libraryCode", "superseded", "badJump"])
    }
    for rejected in diagnosis["rejected"] as? [[String: Any]] ?? [] {
      fields(rejected, always: ["rule": .string, "condition": .string])
    }
    for frame in diagnosis["signatureFrames"] as? [[String: Any]] ?? [] {
      fields(
        frame, always: ["thread": .number, "frame": .number, "use": .string],
        sometimes: ["applicationSpecificBacktrace": .number, "function": .string], nullable: ["thread"])
      word(
        frame, "use",
        [
          "used", "inlined", "recovered", "notApp", "machinery", "thunk", "libraryCode", "unnamed",
          "entryPoint",
          "repeated", "besideRecursion",
        ])
    }
    for code in diagnosis["decoded"] as? [[String: Any]] ?? [] { check("decoded") { $0.code(code) } }
    for name in ["raisedBy", "calledFrom"] {
      guard let frame = diagnosis[name] as? [String: Any] else { continue }
      fields(
        frame, always: ["frame": .number, "thread": .number],
        sometimes: ["location": .number, "applicationSpecificBacktrace": .number], nullable: ["thread"])
    }
    guard let blamed = diagnosis["blamed"] as? [String: Any] else { return }
    fields(
      blamed, always: ["frame": .number, "thread": .number, "confidence": .string],
      sometimes: [
        "location": .number, "applicationSpecificBacktrace": .number, "function": .string, "file": .string,
        "line": .number,
      ],
      nullable: ["thread"])
    var owner =
      (blamed["applicationSpecificBacktrace"] as? Int).map { alone.indices.contains($0) ? alone[$0] : [:] }
      ?? backtrace
    if let thread = blamed["thread"] as? Int {
      owner = threads.indices.contains(thread) ? threads[thread] : nil
    }
    let frames = owner?["frames"] as? [[String: Any]] ?? []
    guard let index = blamed["frame"] as? Int, frames.indices.contains(index) else {
      return report("blames a frame that isn't there")
    }
    let locations = frames[index]["locations"] as? [Any] ?? []
    if let location = blamed["location"] as? Int, !locations.indices.contains(location) {
      report("blames location \(location) of \(locations.count)")
    }
  }
}

@Suite("The JSON contract")
struct ContractTests {
  /// What is wrong with the output for a report.
  private func problems(_ arguments: [String], in json: ((String) -> String) = { $0 }) throws -> [String] {
    let run = try CommandRun.crashread(atRoot: ["--format", "json"] + arguments)
    var checker = ContractChecker()
    checker.document(try #require(try AnyJSON.documents(in: json(run.output)).first))
    return checker.problems
  }

  @Test("holds for the samples", arguments: Samples.reports)
  func samples(_ report: String) throws {
    let withSymbols = try problems(["Samples/" + report, "Samples/symbols"])
    #expect(withSymbols == [])
    let without = try problems(["Samples/" + report])
    #expect(without == [])
  }

  @Test(
    "holds for public reports", .enabled(if: Samples.shared != nil), arguments: ["corpus/ips", "corpus/text"])
  func publicReports(_ directory: String) throws {
    let shared = try #require(Samples.shared)
    let paths = Samples.files(below: shared, directory).prefix(24).map { shared.appending(path: $0).path }
    let run = try CommandRun.crashread(["--format", "json"] + paths)
    #expect([.exited(0), .exited(1)].contains(run.outcome))
    let documents = try AnyJSON.documents(in: run.output)
    #expect(documents.count >= 5)
    for document in documents {
      var checker = ContractChecker()
      checker.document(document)
      #expect(checker.problems.prefix(5) == [], "\(document["input"] ?? "")")
    }
  }

  @Test(
    "is violated by an altered document",
    arguments: [
      ("\"schemaVersion\": 1", "\"schemaVersion\": 2"), ("\"crashed\": true", "\"crashed\": 1"),
      ("\"address\": \"0x0\"", "\"address\": 0"), ("\"kind\": \"returnAddress\"", "\"kind\": \"return\""),
      ("\"frame\": 1", "\"frame\": 99"), ("\"status\": \"matched\"", "\"status\": \"missing\""),
      ("\"resolution\": \"debugInfo\"", "\"resolution\": \"unresolved\""), ("\"images\"", "\"image\""),
      ("\"lr\": \"0x102c843e0\"", "\"lr\": \"0x0102C843E0\""),
    ])
  func broken(_ right: String, _ wrong: String) throws {
    let problems = try problems(["Samples/reports/text/JumpNull.crash", "Samples/symbols"]) { json in
      #expect(json.contains(right))
      return json.replacing(right, with: wrong)
    }
    #expect(problems != [])
  }
}
