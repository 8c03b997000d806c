import CrashRead
import CrashReadDebugInfo
import CrashReadDiagnosis
import CrashReadReports
import CrashReadSymbolication
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

@testable import CrashReadRendering

/// One statement of a JSON document about a location in the same document.
private struct QuotedLocation {
  var pointer: String?
  var label: String
  var quote: String

  init?(_ value: Any) {
    guard let object = value as? [String: Any], let label = object["label"] as? String,
      let quote = object["quote"] as? String
    else { return nil }
    self.label = label
    self.quote = quote
    pointer = object["source"] as? String
  }

  /// Those of the explanation, its findings and the member that was used.
  static func all(in document: [String: Any]) -> [QuotedLocation] {
    let diagnosis = document["diagnosis"] as? [String: Any] ?? [:]
    let findings = diagnosis["findings"] as? [[String: Any]] ?? []
    let statements = [diagnosis] + findings + [diagnosis["member"] as? [String: Any] ?? [:]]
    return statements.flatMap { $0["evidence"] as? [Any] ?? [] }.compactMap(QuotedLocation.init)
  }
}

/// What a JSON pointer (RFC 6901) points at; nil when there is nothing.
private func resolve(_ pointer: String, in document: Any) -> Any? {
  var value: Any? = document
  for part in pointer.components(separatedBy: "/").dropFirst() {
    let key = part.replacing("~1", with: "/").replacing("~0", with: "~")
    if let array = value as? [Any] {
      value = Int(key).flatMap { array.indices.contains($0) ? array[$0] : nil }
    } else {
      value = (value as? [String: Any])?[key]
    }
  }
  return value
}

/// Whether a value of a document contains the quote.
private func holds(_ value: Any, _ quote: String) -> Bool {
  if let text = value as? String {
    return text.contains(quote.hasSuffix("…") ? String(quote.dropLast()) : quote)
  }
  if let number = value as? NSNumber { return number.stringValue == quote }
  if let array = value as? [Any], String(array.count) == quote { return true }
  if let frame = value as? [String: Any], frame["resolution"] != nil { return isFrame(frame, of: quote) }
  // Of an object or a list, every part of the quote is somewhere in it.
  let texts = strings(value)
  return quote.split(separator: /, |: | \(|\)/).allSatisfy { part in texts.contains { $0.contains(part) } }
}

private func isFrame(_ frame: [String: Any], of quote: String) -> Bool {
  let functions = (frame["locations"] as? [[String: Any]] ?? []).compactMap { $0["function"] as? String }
  let symbol = frame["reportedSymbol"] as? String
  let names =
    functions + [symbol, symbol.flatMap { demangle($0) }, frame["address"] as? String].compactMap(\.self)
  return names.contains { holds($0, quote) }
}

private func strings(_ value: Any) -> [String] {
  switch value {
  case let text as String: [text]
  case let array as [Any]: array.flatMap(strings)
  case let object as [String: Any]: object.values.flatMap(strings)
  default: []
  }
}

/// A report's analyses in a language.
private func analyses(_ bytes: [UInt8], _ language: Language = .english) throws -> [ReportAnalysis] {
  try CrashReader(symbols: [Samples.path("symbols")], language: language).analyze(bytes)
}

private func document(_ analysis: ReportAnalysis) throws -> [String: Any] {
  let object = try JSONSerialization.jsonObject(with: Data(rendered([analysis], as: .json).utf8))
  return try #require(object as? [String: Any])
}

@Suite("Evidence") struct EvidenceTests {
  @Test("Every JSON pointer resolves to the quoted value", arguments: Samples.reports)
  func places(_ path: String) throws {
    for analysis in try analyses(Samples.bytes(path)) {
      let document = try document(analysis)
      let places = QuotedLocation.all(in: document)
      #expect(!places.isEmpty)
      for place in places {
        let pointer = try #require(place.pointer, "\(place.label): \(place.quote)")
        let value = try #require(resolve(pointer, in: document), "\(pointer) leads nowhere")
        #expect(holds(value, place.quote), "\(pointer): \(place.quote)")
      }
    }
  }

  @Test func checkDetectsWrongLocationsAndQuotes() {
    let document: [String: Any] = ["threads": [["frames": [["resolution": "a", "reportedSymbol": "f"]]]]]
    #expect(resolve("/threads/1", in: document) == nil && resolve("/a~1b", in: ["a/b": 1]) != nil)
    let frame = resolve("/threads/0/frames/0", in: document)
    #expect(frame.map { holds($0, "f") } == true && frame.map { holds($0, "g") } == false)
    #expect(holds(["0x1", "0x10"], "0x1, 0x10") && !holds(["0x1"], "0x1, 0x20"))
  }

  @Test(
    "A thread has the number that the report gives it, and its position in a pointer",
    arguments: [
      (Language.english, "Thread 7, frame 2: ", "Thread 7 was using a database"),
      (.japanese, "スレッド 7、フレーム 2: ", "スレッド 7 がデータベース"),
    ])
  func renumberedThread(_ language: Language, _ label: String, _ finding: String) throws {
    let text = String(
      decoding: try Samples.bytes("reports/causes/AppleCauses-database-lock.crash"), as: UTF8.self)
    #expect(text.contains("Thread 2:"))
    let renumbered = Array(text.replacing("Thread 2", with: "Thread 7").utf8)
    let analysis = try #require(analyses(renumbered, language).first)
    let shown = rendered([analysis], as: .text) { $0.language = language }
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(shown.contains(label) && shown.contains(finding), "\(shown)")
    let pointers = QuotedLocation.all(in: try document(analysis)).map(\.pointer)
    #expect(pointers.contains("/threads/2/frames/2"))
    #expect(!pointers.contains { $0?.hasPrefix("/threads/7") ?? false })
  }

  @Test("Every label is translated", arguments: Language.allCases)
  func labels(_ language: Language) throws {
    let fields: [ReportField] = [
      .kind, .codeType, .exceptionType, .exceptionCodes, .exceptionCodesText, .exceptionSubtype,
      .exceptionMessage, .exceptionNote, .uncaughtException, .termination, .terminationDetail(0),
      .applicationSpecificInformation(0), .vmRegionInfo, .threadCount, .lastExceptionBacktraceCount,
    ]
    let registers = ["x0", "pc", "far", "esr", "err", "trap"].map {
      EvidenceSource.register(thread: 0, name: $0)
    }
    let frames = [BacktraceReference.thread(0), .lastException, .applicationSpecific(0)].map {
      EvidenceSource.frame(FrameReference($0, 0))
    }
    let sources =
      fields.map { EvidenceSource.field($0) } + registers + frames + [.image(0), .memberOffset(0)]
    let text = EvidenceText(
      diagnosis: exampleAnalysis("a").diagnosis, labels: CrashReadRendering.labels(in: language))
    for source in sources {
      let label = text.label(source)
      #expect(!label.isEmpty)
      #expect(label.contains(/[\u{3041}-\u{30ff}\u{4e00}-\u{9fff}]/) == (language == .japanese), "\(label)")
    }
  }

  @Test func registerOfAnotherThreadIsOmitted() {
    let report = exampleAnalysis("a").diagnosis.symbolicated.report
    #expect(EvidenceSource.register(thread: 0, name: "x/~").pointer(in: report) == "/registers/x~1~0")
    #expect(EvidenceSource.register(thread: 1, name: "x0").pointer(in: report) == nil)
  }
}
