internal import CCrashReadKnowledge
internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The JSON documents of `Knowledge`, as embedded in the program.
enum EmbeddedDocuments {
  static var rules: JSONValue { unsafe EmbeddedText(knowledge_rules()).value }
  static var codes: JSONValue { unsafe EmbeddedText(knowledge_codes()).value }
  static var english: JSONValue { unsafe EmbeddedText(knowledge_en()).value }
  static var japanese: JSONValue { unsafe EmbeddedText(knowledge_ja()).value }
  static var contracts: EmbeddedLines { unsafe EmbeddedLines(EmbeddedText(knowledge_contracts())) }

  /// The texts of a contract; nil when there are none.
  ///
  /// A report needs one or two of hundreds, so they are located by bytes and parsed one by one.
  static func contractTexts(_ id: String, in language: Language) -> JSONValue? {
    let text = unsafe EmbeddedText(
      language == .english ? knowledge_contracts_en() : knowledge_contracts_ja())
    let beginning = Array("{\"id\":\"\(id)\",".utf8)
    return text.withBytes { $0.firstOffset(of: beginning.span) }.flatMap(text.valueOfLine)
  }
}

/// A text that is part of the program's file. Only what is used of it gets into memory.
@safe private struct EmbeddedText: @unchecked Sendable {
  private let start: UnsafePointer<UInt8>
  private let count: Int

  init(_ document: knowledge_document) {
    unsafe (start, count) = unsafe (document.bytes, document.count)
  }

  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(unsafe Span(_unsafeStart: start, count: count))
  }

  /// The whole text, parsed. An invalid one gives null, so the tests would find its contents missing.
  var value: JSONValue {
    unsafe JSONValue(document: Array(UnsafeBufferPointer(start: start, count: count))) ?? .null
  }

  /// The value that fills the rest of a line, except for a comma at its end; nil when it is invalid.
  func valueOfLine(from start: Int) -> JSONValue? {
    withBytes { bytes in
      let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: start) ?? bytes.count
      let isFollowed = bytes[end - 1] == UInt8(ascii: ",")
      let line = bytes.extracting(start..<(isFollowed ? end - 1 : end))
      return JSONValue(document: unsafe line.withUnsafeBufferPointer { unsafe Array($0) })
    }
  }
}

/// The elements of an array with one on each line, each parsed when it is needed: neither the text nor the locations of all
/// its values are kept in memory.
struct EmbeddedLines: RandomAccessCollection, Sendable {
  private let text: EmbeddedText
  /// The offset of each element.
  private let starts: [Int]

  fileprivate init(_ text: EmbeddedText) {
    self.text = text
    starts = text.withBytes { bytes in
      var (starts, position) = ([Int](), 0)
      while let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: position) {
        if bytes[position] == UInt8(ascii: "{") { starts.append(position) }
        position = end + 1
      }
      return starts
    }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { starts.count }
  subscript(index: Int) -> JSONValue { text.valueOfLine(from: starts[index]) ?? .null }
}
